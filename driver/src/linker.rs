//! Which linker the user has asked for, so that pathld can be put before it.
//!
//! Measured with clang 22: `--ld-path=` wins over `-fuse-ld=` in either order, and of each the last
//! one wins. Our own `--ld-path=` comes first on the command line. So `-fuse-ld=lld` may stay
//! (clang then also writes the linker's arguments in lld's style), but a `--ld-path=` of the user's
//! has to go.
//!
//! Names are resolved by clang itself (`-print-prog-name=`), which knows of `-B`, targets and GCC
//! installations. A choice that does not resolve is left to clang, for its own message. What a
//! configuration file of clang's (`--config=`) chooses is not seen.

use crate::command_line::{CommandLine, value_of};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use wrapper::programs;

/// Options after which clang does not link, whatever else is said.
const NO_LINK: [&str; 9] =
    ["-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "--compile", "--assemble", "--preprocess"];

/// Beginnings of options that change where clang looks for the default linker.
const ELSEWHERE: [&str; 7] =
    ["-B", "--prefix", "--target=", "-target", "--gcc-", "--sysroot", "-ccc-install-dir"];

/// The linker that does the real work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RealLinker {
    /// `ld`, as pathld finds it.
    Default,
    /// This file.
    At(PathBuf),
    /// Something that is not there: clang has to say so.
    Missing,
}

/// The linker that clang's options choose.
#[derive(Debug, PartialEq, Eq)]
enum Choice<'a> {
    Default,
    /// `-fuse-ld=NAME`: the program `ld.NAME`, or a path.
    Named(&'a OsStr),
    /// `--ld-path=PATH`: a path, or a program's name.
    Path(&'a OsStr),
}

/// True if a command line may link at all. Only a hint, but it errs on no side that matters: a word
/// of another option's that looks like `-c` leaves the user's own linker in charge.
pub(crate) fn may_link(words: &CommandLine) -> bool {
    !words.own().any(|word| NO_LINK.iter().any(|option| word == *option))
}

/// True if the default linker may be elsewhere than first on `PATH`.
fn looks_elsewhere(words: &CommandLine) -> bool {
    words
        .own()
        .any(|word| ELSEWHERE.iter().any(|option| word.as_bytes().starts_with(option.as_bytes())))
}

fn choice(words: &CommandLine) -> Choice<'_> {
    let (mut named, mut path) = (None, None);
    for word in words.own() {
        named = value_of(word, "-fuse-ld=").or(named);
        path = value_of(word, "--ld-path=").or(path);
    }
    match (path, named) {
        (Some(path), _) => Choice::Path(path),
        (None, Some(name)) if !name.is_empty() && name != "ld" => Choice::Named(name),
        _ => Choice::Default,
    }
}

/// Finds the real linker.
///
/// `ask` is clang's answer to `-print-prog-name=`, absolute if there is such a program; `elsewhere`
/// says that something outside the command line changes where clang looks; `default` is what pathld
/// finds.
pub(crate) fn real(
    words: &CommandLine,
    pathld: &Path,
    elsewhere: bool,
    default: Option<&Path>,
    ask: &dyn Fn(&OsStr) -> Option<PathBuf>,
) -> RealLinker {
    let found = match choice(words) {
        Choice::Default if elsewhere || looks_elsewhere(words) => ask(OsStr::new("ld")),
        Choice::Default => return RealLinker::Default,
        Choice::Path(path) if path.as_bytes().contains(&b'/') => existing(Path::new(path)),
        Choice::Path(name) if name.is_empty() => None,
        Choice::Path(name) => ask(name),
        Choice::Named(name) if Path::new(name).is_absolute() => existing(Path::new(name)),
        // ld.pathld need not be on any path for us to be the linker.
        Choice::Named(name) if name == "pathld" => return RealLinker::Default,
        Choice::Named(name) => {
            let mut program = std::ffi::OsString::from("ld.");
            program.push(name);
            ask(&program)
        }
    };
    match found {
        Some(path) if programs::is_same_file(&path, pathld) || Some(&*path) == default => {
            RealLinker::Default
        }
        Some(path) => RealLinker::At(path),
        None => RealLinker::Missing,
    }
}

fn existing(path: &Path) -> Option<PathBuf> {
    programs::is_executable(path)
        .then(|| std::path::absolute(path).unwrap_or_else(|_| path.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command_line::tests::words;

    #[test]
    fn the_last_choice_wins_and_a_path_wins_over_a_name() {
        let shown = |line: &str| format!("{:?}", choice(&words(line)));
        assert_eq!(shown("a.c"), "Default");
        assert_eq!(shown("-fuse-ld=lld -fuse-ld=bfd"), "Named(\"bfd\")");
        assert_eq!(shown("-fuse-ld=lld -fuse-ld="), "Default");
        assert_eq!(shown("-fuse-ld=ld"), "Default");
        assert_eq!(shown("--ld-path=a --ld-path=b -fuse-ld=lld"), "Path(\"b\")");
        assert_eq!(shown("@r -fuse-ld=lld"), "Path(\"x\")");
        assert_eq!(shown("-Xlinker --ld-path=a -- -fuse-ld=lld"), "Default");
    }

    #[test]
    fn a_choice_becomes_a_file_or_is_left_to_clang() {
        let shown = |line: &str| {
            let ask = |name: &OsStr| match name.to_str() {
                Some("ld.lld") => Some(PathBuf::from("/llvm/ld.lld")),
                Some("ld") => Some(PathBuf::from("/cross/ld")),
                _ => None,
            };
            format!(
                "{:?}",
                real(
                    &words(line),
                    Path::new("/bin/true"),
                    false,
                    Some(Path::new("/usr/bin/ld")),
                    &ask
                )
            )
        };
        assert_eq!(shown("a.c"), "Default");
        assert_eq!(shown("-fuse-ld=lld"), "At(\"/llvm/ld.lld\")");
        assert_eq!(shown("-fuse-ld=nope"), "Missing");
        assert_eq!(shown("--ld-path="), "Missing");
        assert_eq!(shown("--ld-path=ld.lld"), "At(\"/llvm/ld.lld\")");
        assert_eq!(shown("--ld-path=/bin/sh"), "At(\"/bin/sh\")");
        assert_eq!(shown("--ld-path=/bin/true"), "Default");
        assert_eq!(shown("--ld-path=/"), "Missing");
        assert_eq!(shown("-fuse-ld=pathld"), "Default");
        assert_eq!(shown("--target=aarch64-linux-gnu"), "At(\"/cross/ld\")");
        assert_eq!(shown("-B/cross"), "At(\"/cross/ld\")");
    }

    #[test]
    fn compile_steps_do_not_link() {
        assert!(may_link(&words("a.c -o c")));
        assert!(may_link(&words("-Xclang -c a.c")));
        assert!(!may_link(&words("@r a.c")));
        assert!(!may_link(&words("-fsyntax-only a.c")));
    }
}
