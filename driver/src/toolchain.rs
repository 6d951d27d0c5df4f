//! Where things are: the real clang, and our own files next to the running program.
//!
//! The compiler is the one that stands in front of the command line, else `PATHCC_CLANG`, else
//! Debian's and apt.llvm.org's `/usr/lib/llvm-22/bin/clang`, else `clang-22` or `clang` on `PATH`;
//! never pathcc itself, under whatever name. It must be clang 22, which is usually plain from its
//! path; only otherwise it is asked. The check cannot see which minor release of LLVM 22 the plugin
//! was built with. Fortran has `PATHCC_FLANG` and flang 22 in their place.

use crate::environment::Environment;
use crate::launcher::Front;
use crate::role::{Language, ProgramName, Role};
use anyhow::{Context, Result, anyhow, bail};
use pathformat::tree::{self, Entry, Kind};
use pathformat::variables::{ASKING, CLANG, FLANG};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use wrapper::programs::{self, is_same_file};

/// The only major version that the plugin works with.
const MAJOR: &str = "22";
/// Where Debian, Ubuntu and apt.llvm.org install compilers of that version.
const USUAL: &str = "/usr/lib/llvm-22/bin";
/// Makes clang a C++ driver where its name does not.
pub(crate) const CXX_MODE: &str = "--driver-mode=g++";

/// The real compiler and how to start it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Compiler {
    /// The file to execute, absolute.
    pub(crate) program: PathBuf,
    /// The path under which it was found, which a launcher gets.
    pub(crate) found: PathBuf,
    /// The name it is to be called by; clang reads C++ mode and target from it.
    pub(crate) argv0: OsString,
    /// An argument that selects C++ where the name cannot.
    pub(crate) mode: Option<&'static str>,
    /// The language whose driver it is called as.
    pub(crate) language: Language,
    /// True if the name carries a target prefix.
    pub(crate) has_target_prefix: bool,
}

/// Our own installed files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Installation {
    /// The plugin's canonical file, whose name carries a hash of its content: compiler caches see a
    /// new plugin as a new argument.
    pub(crate) plugin: PathBuf,
    /// `ld.pathld`.
    pub(crate) linker: PathBuf,
    /// Where our headers are.
    pub(crate) include: PathBuf,
}

impl Installation {
    /// Finds our own files from the canonical path of the running program, in the tree that it is
    /// part of.
    ///
    /// # Errors
    /// A file that counting needs and that is missing, and what to do about it.
    pub(crate) fn of(executable: &Path) -> Result<Installation> {
        let bin = executable.parent().unwrap_or(Path::new("/"));
        let root = bin.parent().unwrap_or(bin);
        for Entry { kind, path } in tree::needed_to_build() {
            let file = root.join(path);
            let there =
                if kind == Kind::Program { programs::is_executable(&file) } else { file.is_file() };
            if !there {
                bail!(
                    "cannot find {}; this installation of pathcc is incomplete: run `make build` \
                     or `make install` again (PATHCC_DISABLE=1 compiles without counting)",
                    file.display()
                );
            }
        }
        let link = root.join(tree::PLUGIN);
        let plugin =
            link.canonicalize().with_context(|| format!("cannot find {}", link.display()))?;
        let [linker, include] = [tree::LINKER, tree::INCLUDE].map(|path| root.join(path));
        Ok(Installation { plugin, linker, include })
    }
}

/// The canonical path of the running program.
pub(crate) fn own_executable() -> Result<PathBuf> {
    std::env::current_exe()
        .and_then(|path| path.canonicalize())
        .context("cannot find out where pathcc is installed (is /proc mounted?)")
}

impl Compiler {
    /// Finds the compiler for a command line that begins with `front`, called as `role`.
    ///
    /// # Errors
    /// If there is none, or the one that was named is not there or is pathcc.
    pub(crate) fn find(
        environment: &Environment,
        own: &Path,
        front: &Front,
        called: &Role,
    ) -> Result<Compiler> {
        let named = match front {
            Front::Direct => None,
            Front::Compiler(name) | Front::Launcher(_, name) => Some(name.as_os_str()),
        };
        let search = Search { path: &environment.path, own };
        if let Some(name) = named {
            let role = ProgramName::of(name).role;
            if let Some(found) = search.program(name) {
                return Ok(Compiler::at(&found, &role));
            }
            // `pathcc pathcc …`: both stand for the compiler that is found without a name.
            if !ProgramName::of(name).is_pathcc() && !search.finds_itself(name) {
                bail!("cannot find the compiler '{}'", name.display());
            }
            return Ok(Compiler::at(
                &search.default_compiler(environment, role.language)?,
                &usual_role(&role),
            ));
        }
        Ok(Compiler::at(
            &search.default_compiler(environment, called.language)?,
            &usual_role(called),
        ))
    }

    /// The compiler in the file `found`, for `role`.
    fn at(found: &Path, role: &Role) -> Compiler {
        let canonical = found.canonicalize().unwrap_or_else(|_| found.to_owned());
        let (language, has_target_prefix) = (role.language, !role.prefix.is_empty());
        let found = found.to_owned();
        if ProgramName::of(canonical.as_os_str()).is_llvm() {
            let name = format!("{}{}{}", role.prefix, language.driver(), role.suffix);
            let argv0 = canonical.with_file_name(name).into_os_string();
            return Compiler {
                program: canonical,
                found,
                argv0,
                mode: None,
                language,
                has_target_prefix,
            };
        }
        // A wrapper or a compiler cache in disguise goes by the name it was found under.
        let is_cxx = ProgramName::of(found.as_os_str()).role.language == Language::Cxx;
        let mode = (language == Language::Cxx && !is_cxx).then_some(CXX_MODE);
        let argv0 = found.as_os_str().to_owned();
        Compiler { program: found.clone(), found, argv0, mode, language, has_target_prefix }
    }

    /// With `-no-canonical-prefixes` clang believes its `argv[0]` and starts that file again, so it
    /// must exist.
    pub(crate) fn with_existing_name(mut self) -> Compiler {
        if !Path::new(&self.argv0).exists() {
            let plain = self.program.with_file_name(self.language.driver());
            if plain.exists() {
                self.argv0 = plain.into_os_string();
            }
        }
        self
    }

    /// Checks that the compiler is clang 22.
    ///
    /// # Errors
    /// Names the compiler, the version found, and what to do.
    pub(crate) fn check_version(&self) -> Result<()> {
        if major_from_path(&self.program).as_deref() == Some(MAJOR) {
            return Ok(());
        }
        let (program, name, variable) =
            (self.program.display(), kind(self.language), variable(self.language));
        if std::env::var_os(ASKING).is_some() {
            bail!(
                "the compiler {program} leads back to pathcc: set {variable} to the real \
                 {name}-{MAJOR}"
            );
        }
        let answer = Command::new(&self.program)
            .arg("--version")
            .env(ASKING, "1")
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output()
            .with_context(|| format!("cannot run the compiler {program}"))?;
        let answer = String::from_utf8_lossy(&answer.stdout);
        let expected = format!(
            "pathcc works with {name} {MAJOR} only: install {name}-{MAJOR} or set {variable} to it"
        );
        match version_in(&answer, name) {
            Some(version) if version.split('.').next() == Some(MAJOR) => Ok(()),
            Some(version) => {
                Err(anyhow!("the compiler {program} is {name} {version}, but {expected}"))
            }
            None => {
                let said = answer.lines().next().unwrap_or("nothing");
                Err(anyhow!(
                    "the compiler {program} is not {name} (--version says '{said}'), but {expected}"
                ))
            }
        }
    }
}

/// A role for a compiler that nobody has named: pathcc is a drop-in for `clang-22`, messages
/// included.
fn usual_role(role: &Role) -> Role {
    Role { suffix: format!("-{MAJOR}"), ..role.clone() }
}

/// The name by which a compiler of this language calls itself.
fn kind(language: Language) -> &'static str {
    if language == Language::Fortran { "flang" } else { "clang" }
}

/// The variable that names another one.
fn variable(language: Language) -> &'static str {
    if language == Language::Fortran { FLANG } else { CLANG }
}

/// The major version that a compiler's canonical path gives away.
fn major_from_path(program: &Path) -> Option<String> {
    let name = ProgramName::of(program.as_os_str());
    if !name.is_llvm() {
        return None;
    }
    if let Some(version) = name.role.suffix.strip_prefix('-') {
        return version.split('.').next().map(str::to_owned);
    }
    if program.components().any(|part| part.as_os_str() == "llvm-22") {
        return Some(MAJOR.to_owned());
    }
    // The resource directory is named after the version; of several, any may be the one.
    let prefix = program.parent()?.parent()?;
    let mut versions = std::fs::read_dir(prefix.join("lib/clang")).ok()?.flatten();
    match (versions.next(), versions.next()) {
        (Some(only), None) => only.file_name().to_str()?.split('.').next().map(str::to_owned),
        _ => None,
    }
}

/// The version in what a compiler of this name answers to `--version`.
fn version_in(answer: &str, name: &str) -> Option<String> {
    let (_, after) = answer.lines().next()?.split_once(&format!("{name} version "))?;
    let end = after.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(after.len());
    (end > 0).then(|| after[..end].to_owned())
}

/// Looks for programs, but never finds pathcc itself.
struct Search<'a> {
    path: &'a OsStr,
    own: &'a Path,
}

impl Search<'_> {
    fn default_compiler(&self, environment: &Environment, language: Language) -> Result<PathBuf> {
        let (kind, variable) = (kind(language), variable(language));
        let named =
            if language == Language::Fortran { &environment.flang } else { &environment.clang };
        if let Some(named) = named {
            return self.program(named).ok_or_else(|| {
                let why = match named {
                    _ if self.finds_itself(named) => "is pathcc itself",
                    _ if Path::new(named).exists() => "is no program",
                    _ => "is not there",
                };
                anyhow!("{variable}={} {why}: set it to the real {kind}-{MAJOR}", named.display())
            });
        }
        let names = [format!("{USUAL}/{kind}"), format!("{kind}-{MAJOR}"), kind.to_owned()];
        names.iter().find_map(|name| self.program(OsStr::new(name))).ok_or_else(|| {
            let [usual, versioned, plain] = &names;
            anyhow!(
                "cannot find {kind} {MAJOR} (looked for {usual}, and for {versioned} and {plain} \
                 on PATH): install {versioned} or set {variable} to it"
            )
        })
    }

    fn program(&self, name: &OsStr) -> Option<PathBuf> {
        let found = programs::named(name, self.path).find(|path| !is_same_file(path, self.own));
        found.map(programs::absolute)
    }

    fn finds_itself(&self, name: &OsStr) -> bool {
        programs::named(name, self.path).any(|path| is_same_file(&path, self.own))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn executable(path: &Path) {
        std::fs::create_dir_all(path.parent().expect("parent")).expect("directory");
        std::fs::write(path, "").expect("file");
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
            .expect("permissions");
    }

    fn role(name: &str) -> Role {
        ProgramName::of(OsStr::new(name)).role
    }

    #[test]
    fn the_name_carries_language_and_target() {
        let at = |found: &str, called: &str| {
            let compiler = Compiler::at(Path::new(found), &usual_role(&role(called)));
            format!(
                "{} as {} {:?}",
                compiler.program.display(),
                compiler.argv0.display(),
                compiler.mode
            )
        };
        assert_eq!(at("/no/clang", "pathcc"), "/no/clang as /no/clang-22 None");
        assert_eq!(at("/no/clang", "pathc++"), "/no/clang as /no/clang++-22 None");
        assert_eq!(
            at("/no/clang-22", "aarch64-linux-gnu-pathc++"),
            "/no/clang-22 as /no/aarch64-linux-gnu-clang++-22 None"
        );
        assert_eq!(at("/no/flang-22", "pathfc"), "/no/flang-22 as /no/flang-22 None");
        assert_eq!(at("/no/wrapper", "pathcc"), "/no/wrapper as /no/wrapper None");
        assert_eq!(
            at("/no/wrapper", "pathc++"),
            "/no/wrapper as /no/wrapper Some(\"--driver-mode=g++\")"
        );
        assert_eq!(at("/no/wrapper++", "pathc++"), "/no/wrapper++ as /no/wrapper++ None");
    }

    #[test]
    fn the_version_is_read_from_the_path_where_it_can() {
        let root = tempfile::tempdir().expect("temporary directory");
        let major = |path: &str| major_from_path(&root.path().join(path));
        assert_eq!(major("bin/clang-21").as_deref(), Some("21"));
        assert_eq!(major("llvm-22/bin/clang").as_deref(), Some("22"));
        assert_eq!(major("llvm-22/bin/ccache"), None);
        assert_eq!(major("bin/clang"), None);
        std::fs::create_dir_all(root.path().join("lib/clang/22")).expect("directory");
        assert_eq!(major("bin/clang").as_deref(), Some("22"));
        std::fs::create_dir_all(root.path().join("lib/clang/19")).expect("directory");
        assert_eq!(major("bin/clang"), None);
    }

    #[test]
    fn versions_are_read_from_what_clang_says() {
        let version = |answer| version_in(answer, "clang");
        assert_eq!(
            version("Debian clang version 22.1.8 (1~deb12u1)\nTarget: x").as_deref(),
            Some("22.1.8")
        );
        assert_eq!(version("clang version 23.0.0git").as_deref(), Some("23.0.0"));
        assert_eq!(version("gcc (Debian 12.2.0-14) 12.2.0"), None);
        assert_eq!(version("Debian flang version 22.1.8 (1~deb12u1)"), None);
        assert_eq!(version(""), None);
    }

    #[test]
    fn pathcc_never_finds_itself() {
        let root = tempfile::tempdir().expect("temporary directory");
        let own = root.path().join("own/pathcc");
        executable(&own);
        executable(&root.path().join("real/clang-22"));
        std::fs::hard_link(&own, root.path().join("own/clang-22")).expect("link");
        let path = std::env::join_paths([root.path().join("own"), root.path().join("real")])
            .expect("path");
        let search = Search { path: &path, own: &own };
        assert_eq!(search.program(OsStr::new("clang-22")), Some(root.path().join("real/clang-22")));
        assert!(search.finds_itself(OsStr::new("clang-22")));

        let environment = Environment {
            clang: Some(own.clone().into()),
            path: path.clone(),
            ..Environment::default()
        };
        let error = search.default_compiler(&environment, Language::C).expect_err("itself");
        assert!(error.to_string().contains("is pathcc itself"), "{error}");
        let named = Front::Compiler("nonesuch-clang".into());
        let error =
            Compiler::find(&environment, &own, &named, &Role::default()).expect_err("missing");
        assert_eq!(error.to_string(), "cannot find the compiler 'nonesuch-clang'");
    }

    #[test]
    fn a_missing_file_of_ours_is_named() {
        let root = tempfile::tempdir().expect("temporary directory");
        let pathcc = root.path().join("bin/pathcc");
        let missing = || format!("{:#}", Installation::of(&pathcc).expect_err("incomplete"));
        for Entry { kind, path } in tree::needed_to_build() {
            assert!(
                missing().contains(&format!("/{path}; this installation of pathcc is incomplete")),
                "{}",
                missing()
            );
            if kind == Kind::Plugin {
                executable(&root.path().join("lib/pathcc/libpathpass-1234.so"));
                std::os::unix::fs::symlink("libpathpass-1234.so", root.path().join(path))
                    .expect("link");
            } else {
                executable(&root.path().join(path));
            }
        }
        let installation = Installation::of(&pathcc).expect("complete");
        assert!(installation.plugin.ends_with("lib/pathcc/libpathpass-1234.so"));
    }
}
