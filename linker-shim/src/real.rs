//! Finds and calls the real linker. Never itself, under whatever name.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Error, Result, bail};

use pathformat::variables::{self, LINKER_DEPTH as DEPTH, REAL_LINKER as CHOICE};
use wrapper::programs::{self, is_executable};
use wrapper::response::{self, Dialect};

use crate::workspace::Workspace;

/// More than two installations hardly call each other on purpose.
const DEEPEST: u32 = 8;

/// Where Debian's clang-22 has its own linker; clang looks there before it looks in `PATH`.
const BESIDE_CLANG: &str = "/usr/lib/llvm-22/bin";

/// The real linker.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct RealLinker {
    /// The program to execute.
    path: PathBuf,
    /// The name under which it is called.
    name: OsString,
}

/// The treatment of a linker's messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verbosity {
    /// As if it had been called directly.
    Loud,
    /// Silent, since it said the same before.
    Quiet,
}

impl RealLinker {
    /// Finds the linker that the environment asks for, or `ld` in `PATH`. The choice is a path, or
    /// a name such as `ld.lld`, `lld`, `mold`, `bfd`, `gold`.
    ///
    /// # Errors
    /// There is none, or it leads back here; the message says what to do.
    pub(crate) fn find() -> Result<Self> {
        let choice = env::var_os(CHOICE)
            .filter(|choice| variables::given(Some(choice.as_bytes())).is_some());
        let depth = depth();
        if depth >= DEEPEST {
            bail!(
                "{depth} linkers of pathcc call each other; set {CHOICE} to the path of the real \
                 linker"
            );
        }
        let path = env::var_os("PATH").unwrap_or_default();
        match choice {
            Some(choice) => chosen(&choice, &joined(&[BESIDE_CLANG.as_ref(), &path])),
            None => {
                // Without a choice the system's linker comes first, as for every other compiler.
                let path = joined(&[&path, "/usr/bin".as_ref(), BESIDE_CLANG.as_ref()]);
                let found = ["ld", "ld.lld", "ld.lld-22"]
                    .iter()
                    .find_map(|name| find(name.as_ref(), &path));
                found.with_context(|| {
                    format!(
                        "cannot find a linker called `ld` in PATH; install binutils or lld, or \
                        set {CHOICE}"
                    )
                })
            }
        }
    }

    /// This linker if it is lld, else the one of clang's own; `None` if that is not there.
    pub(crate) fn as_lld(&self) -> Option<Self> {
        let own = || Self { path: self.path.clone(), name: self.name.clone() };
        if self.is_lld() { Some(own()) } else { find("ld.lld".as_ref(), BESIDE_CLANG.as_ref()) }
    }

    /// The program that is executed.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The quoting of its response files. The name of the file decides, whatever links lead
    /// to it: `lld`, `ld.lld`, `mold`, with a machine in front or a version behind.
    pub(crate) fn dialect(&self) -> Dialect {
        let file = self.path.canonicalize().unwrap_or_else(|_| self.path.clone());
        let name = file.file_name().unwrap_or_default().as_bytes();
        let is_version = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'-');
        let end = name.iter().rposition(|byte| !is_version(byte)).map_or(0, |last| last + 1);
        let is = |linker: &str| {
            let before = name[..end].strip_suffix(linker.as_bytes());
            before.is_some_and(|before| before.is_empty() || before.ends_with(b"ld."))
        };
        if is("lld") {
            Dialect::Llvm
        } else if is("mold") {
            Dialect::Mold
        } else {
            Dialect::Gnu
        }
    }

    fn is_lld(&self) -> bool {
        self.dialect() == Dialect::Llvm
    }

    /// Becomes the real linker.
    pub(crate) fn exec(&self, arguments: &[OsString]) -> Error {
        let error = self.command(arguments).exec();
        Error::new(error).context(format!("cannot execute {}", self.path.display()))
    }

    /// A command that calls the real linker. A command line near the system's limit travels in a
    /// response file in the workspace.
    ///
    /// # Errors
    /// The response file cannot be written.
    pub(crate) fn prepare(
        &self,
        arguments: &[OsString],
        place: &Workspace,
        voice: Verbosity,
    ) -> io::Result<Command> {
        let mut command = if is_long(arguments) {
            let file = place.write("arguments", &response::join(arguments, self.dialect()))?;
            self.command(&[OsString::from_iter([OsStr::new("@"), file.as_os_str()])])
        } else {
            self.command(arguments)
        };
        if voice == Verbosity::Quiet {
            command.stdout(Stdio::null()).stderr(Stdio::null());
        }
        Ok(command)
    }

    fn command(&self, arguments: &[OsString]) -> Command {
        let mut command = Command::new(&self.path);
        command.arg0(&self.name).args(arguments).env(DEPTH, (depth() + 1).to_string());
        command
    }
}

/// True if a command line comes near what the kernel takes: 2 MiB for all, 128 KiB for one
/// argument.
fn is_long(arguments: &[OsString]) -> bool {
    // Each argument costs its bytes, a NUL and a pointer; the environment needs room as well.
    let total: usize = arguments.iter().map(|argument| argument.len() + 9).sum();
    total > 1 << 20 || arguments.iter().any(|argument| argument.len() >= 120 << 10)
}

fn depth() -> u32 {
    env::var(DEPTH).ok().and_then(|depth| depth.parse().ok()).unwrap_or(0)
}

/// Lists like `PATH` as one.
fn joined(lists: &[&OsStr]) -> OsString {
    lists.join(OsStr::new(":"))
}

/// The linker of this path or name; a name is looked up in `path`, a list like `PATH`.
fn chosen(choice: &OsStr, path: &OsStr) -> Result<RealLinker> {
    if choice.as_bytes().contains(&b'/') {
        let path = PathBuf::from(choice);
        if !is_executable(&path) {
            bail!("{CHOICE} is {}, which is not an executable file", path.display());
        }
        if is_this_program(&path) {
            bail!(
                "{CHOICE} is {}, which is this program; set it to the real linker",
                path.display()
            );
        }
        return Ok(named(path));
    }
    let with_prefix = OsString::from_iter([OsStr::new("ld."), choice]);
    let with_version = OsString::from_iter([with_prefix.as_os_str(), OsStr::new("-22")]);
    let direct_version = OsString::from_iter([choice, OsStr::new("-22")]);
    let names = [with_prefix, choice.to_owned(), with_version, direct_version];
    names.iter().find_map(|name| find(name, path)).with_context(|| {
        let choice = choice.display();
        format!(
            "cannot find the linker `{choice}` that {CHOICE} asks for: neither `ld.{choice}` nor \
             `{choice}` is in {BESIDE_CLANG} or in PATH; install it, or set {CHOICE} to its path"
        )
    })
}

fn find(name: &OsStr, path: &OsStr) -> Option<RealLinker> {
    programs::named(name, path).find(|found| !is_this_program(found)).map(named)
}

/// The generic driver of lld does nothing unless it is called by the name of one of its linkers.
fn named(path: PathBuf) -> RealLinker {
    let generic = path
        .file_name()
        .is_some_and(|name| name.as_bytes() == b"lld" || name.as_bytes().starts_with(b"lld-"));
    let name = if generic { "ld.lld".into() } else { path.clone().into_os_string() };
    RealLinker { path, name }
}

/// True if a path leads to this very file, through links of either kind.
fn is_this_program(path: &Path) -> bool {
    env::current_exe().is_ok_and(|this| programs::is_same_file(&this, path))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn program(directory: &Path, name: &str) -> PathBuf {
        let path = directory.join(name);
        fs::write(&path, "#!/bin/sh\n").expect("writable");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("ours");
        path
    }

    #[test]
    fn names_are_looked_up_as_clang_does() {
        let root = tempfile::tempdir().expect("a temporary directory");
        let (bfd, lld) = (program(root.path(), "ld.bfd"), program(root.path(), "lld"));
        fs::write(root.path().join("ld.gold"), "not executable").expect("writable");
        let found = |choice: &str| chosen(OsStr::new(choice), root.path().as_os_str());
        assert_eq!(found("bfd").expect("there").path, bfd);
        assert_eq!(found("ld.bfd").expect("there").path, bfd);
        assert_eq!(found("lld").expect("there"), RealLinker { path: lld, name: "ld.lld".into() });
        let message = found("gold").expect_err("not executable").to_string();
        assert!(message.contains("`ld.gold`") && message.contains("PATHLD_REAL"), "{message}");
        assert!(found("/none/ld").is_err());
    }

    #[test]
    fn linkers_are_known_by_their_files() {
        let root = tempfile::tempdir().expect("a temporary directory");
        let dialect = |name: &str| {
            let link = root.path().join("ld");
            let _ = fs::remove_file(&link);
            std::os::unix::fs::symlink(program(root.path(), name), &link).expect("writable");
            named(link).dialect()
        };
        for name in ["lld", "ld.lld", "lld-22", "ld.lld-22.1", "x86_64-linux-gnu-ld.lld"] {
            assert_eq!(dialect(name), Dialect::Llvm, "{name}");
        }
        for name in ["mold", "ld.mold", "mold-2.4"] {
            assert_eq!(dialect(name), Dialect::Mold, "{name}");
        }
        for name in ["ld.bfd", "x86_64-linux-gnu-ld", "ld.gold", "lldb", "wild", "notlld"] {
            assert_eq!(dialect(name), Dialect::Gnu, "{name}");
        }
    }

    #[test]
    fn this_program_is_never_chosen() {
        let root = tempfile::tempdir().expect("a temporary directory");
        let this = env::current_exe().expect("Linux has /proc");
        let link = root.path().join("ld.self");
        std::os::unix::fs::symlink(&this, &link).expect("writable");
        assert!(find(OsStr::new("ld.self"), root.path().as_os_str()).is_none());
        assert!(chosen(link.as_os_str(), OsStr::new("")).is_err());
    }

    #[test]
    fn long_command_lines_travel_in_a_file() {
        let place = Workspace::new().expect("a temporary directory");
        let linker = named("/bin/true".into());
        let arguments = vec![OsString::from("x".repeat(1000)); 1200];
        let command = linker.prepare(&arguments, &place, Verbosity::Loud).expect("writable");
        assert_eq!(command.get_args().count(), 1);
        let file =
            command.get_args().next().expect("one").as_bytes().strip_prefix(b"@").expect("a file");
        let text = fs::read(OsStr::from_bytes(file)).expect("written");
        assert_eq!(response::split(&text, linker.dialect()).expect("text"), arguments);
        let command = linker.prepare(&arguments[..10], &place, Verbosity::Loud).expect("writable");
        assert_eq!(command.get_args().count(), 10);
    }
}
