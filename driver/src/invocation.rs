//! The command to run: clang, with ours before the user's words.
//!
//! ```text
//! clang --start-no-unused-arguments
//!       -fpass-plugin=… [-Xclang -mllvm -Xclang -pathcc-…]* [-idirafter…/include]
//!       --ld-path=…/ld.pathld --end-no-unused-arguments  <the user's words>
//! ```
//!
//! Everything is prepended: after `--` each word is an input, and what follows `-x c` is compiled
//! as C. Flang knows neither of these options and takes `-mllvm` and `-fuse-ld=/…/ld.pathld` in
//! their place, the latter only where it may link.
//!
//! Inside the no-unused region clang does not say that an argument was of no use, so a `-Werror -c`
//! stays as silent as it was. Nothing is handed to the linker as an input (`-Wl,`, `-l`): that
//! would make `clang -v` a link. This file is pure: values in, a value out.

use crate::command_line::{CommandLine, value_of};
use crate::linker::RealLinker;
use crate::role::{Language, ProgramName};
use crate::settings::options;
use crate::toolchain::{CXX_MODE, Compiler, Installation};
use pathformat::variables::{LINKED_BY, REAL_LINKER, REAL_LINKER_BY};
use std::ffi::OsString;
use std::path::PathBuf;

/// A command, and what it changes in the environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Invocation {
    /// The file to execute; a name without slash is looked up on `PATH`.
    pub(crate) program: PathBuf,
    /// The name under which the program is called.
    pub(crate) argv0: OsString,
    /// The arguments after the name.
    pub(crate) arguments: Vec<OsString>,
    /// Variables to set, or to remove.
    pub(crate) environment: Vec<(&'static str, Option<OsString>)>,
}

/// The additions to the user's command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Counting<'a> {
    /// Our own files.
    pub(crate) installation: &'a Installation,
    /// Options of the plugin, `-pathcc-NAME=VALUE`.
    pub(crate) options: Vec<String>,
    /// The linker behind pathld, if this command may link.
    pub(crate) linker: Option<RealLinker>,
}

/// Composes the command. `counting` is nothing where clang is to run as if pathcc were not there;
/// `launcher` stands before the compiler; `stale_linker` says that an earlier pathcc's choice is
/// still in the environment.
pub(crate) fn compose(
    compiler: &Compiler,
    launcher: Option<&OsString>,
    words: &CommandLine,
    counting: Option<&Counting<'_>>,
    stale_linker: bool,
) -> Invocation {
    let mut arguments: Vec<OsString> = Vec::new();
    let mut environment = Vec::new();
    let mut set_linker = None;
    let mut words = words.without(&options::is_ours);
    arguments.extend(compiler.mode.map(OsString::from));
    if let Some(counting) = counting {
        let ours_links = matches!(counting.linker, Some(RealLinker::Default | RealLinker::At(_)));
        let mut users_choice = "--ld-path=";
        if compiler.language == Language::Fortran {
            users_choice = "-fuse-ld=";
            arguments.extend(for_flang(counting.installation, &counting.options, ours_links));
        } else {
            let links = counting.linker != Some(RealLinker::Missing);
            arguments.extend(for_clang(counting.installation, &counting.options, true, links));
        }
        if ours_links {
            environment.push((LINKED_BY, Some("pathcc".into())));
            words = words.without(&|word| value_of(word, users_choice).is_some());
        }
        if let Some(RealLinker::At(path)) = &counting.linker {
            set_linker = Some(path.clone().into_os_string());
        }
    }
    if set_linker.is_some() || stale_linker {
        let by = set_linker.is_some().then(|| OsString::from("pathcc"));
        environment.extend([(REAL_LINKER, set_linker), (REAL_LINKER_BY, by)]);
    }
    arguments.extend(words.as_written().cloned());
    match launcher {
        None => Invocation {
            program: compiler.program.clone(),
            argv0: compiler.argv0.clone(),
            arguments,
            environment,
        },
        Some(launcher) => {
            let is_cxx = |name| ProgramName::of(name).role.language == Language::Cxx;
            if is_cxx(&compiler.argv0)
                && !is_cxx(compiler.found.as_os_str())
                && compiler.mode.is_none()
            {
                arguments.insert(0, CXX_MODE.into());
            }
            arguments.insert(0, compiler.found.clone().into_os_string());
            Invocation { program: launcher.into(), argv0: launcher.clone(), arguments, environment }
        }
    }
}

/// The plugin's option to drop the names of blocks, which clang keeps only for it.
pub(crate) const DROPS_NAMES: &str = "-pathcc-drop-names=yes";

/// The words that make clang count what it compiles, and link by pathld. Clang says nothing of one
/// that a command has no use for.
pub(crate) fn for_clang(
    installation: &Installation,
    options: &[String],
    compiles: bool,
    links: bool,
) -> Vec<OsString> {
    let mut words = vec!["--start-no-unused-arguments".into()];
    if compiles {
        words.push(joined("-fpass-plugin=", &installation.plugin));
        words.extend(options.iter().flat_map(|option| through_clang(option)));
        if options.iter().any(|option| option == DROPS_NAMES) {
            words.push("-fno-discard-value-names".into());
        }
        // Behind all other directories: nothing of the user's is hidden.
        words.push(joined("-idirafter", &installation.include));
    }
    if links {
        words.push(joined("--ld-path=", &installation.linker));
    }
    words.push("--end-no-unused-arguments".into());
    words
}

/// The same for flang, which says when an argument is of no use.
fn for_flang(installation: &Installation, options: &[String], links: bool) -> Vec<OsString> {
    let mut words = vec![joined("-fpass-plugin=", &installation.plugin)];
    words.extend(options.iter().flat_map(|option| ["-mllvm".into(), option.into()]));
    words.extend(links.then(|| joined("-fuse-ld=", &installation.linker)));
    words
}

/// An option of the plugin as clang takes it, for a plugin that `-fpass-plugin` has loaded.
///
/// Not plain `-mllvm`: that also reaches the assembler (`.S` inputs), which has no plugin and
/// refuses it.
fn through_clang(option: &str) -> [OsString; 4] {
    ["-Xclang", "-mllvm", "-Xclang", option].map(OsString::from)
}

fn joined(option: &str, path: &std::path::Path) -> OsString {
    let mut word = OsString::from(option);
    word.push(path);
    word
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command_line::tests::words;
    use crate::process::shell_line;

    fn compiler() -> Compiler {
        Compiler {
            program: "/llvm/clang".into(),
            found: "/usr/bin/clang-22".into(),
            argv0: "/llvm/clang".into(),
            mode: None,
            language: Language::C,
            has_target_prefix: false,
        }
    }

    fn installation() -> Installation {
        Installation {
            plugin: "/p/lib/pathcc/libpathpass-1.so".into(),
            linker: "/p/bin/ld.pathld".into(),
            include: "/p/include".into(),
        }
    }

    fn shown(line: &str, options: &[&str], linker: Option<RealLinker>, stale: bool) -> String {
        let installation = installation();
        let options = options.iter().map(|option| (*option).to_owned()).collect();
        let counting = Counting { installation: &installation, options, linker };
        shell_line(&compose(&compiler(), None, &words(line), Some(&counting), stale))
    }

    const LINKS: &str = "PATHLD_CALLED_BY=pathcc";
    const START: &str =
        "/llvm/clang --start-no-unused-arguments -fpass-plugin=/p/lib/pathcc/libpathpass-1.so";
    const END: &str = "-idirafter/p/include --ld-path=/p/bin/ld.pathld --end-no-unused-arguments";

    #[test]
    fn ours_comes_first() {
        assert_eq!(shown("-c a.c", &[], None, false), format!("{START} {END} -c a.c"));
        assert_eq!(
            shown(
                "-fpath-stage=early a.c -- b.c",
                &["-pathcc-stage=early"],
                Some(RealLinker::Default),
                false
            ),
            format!("{LINKS} {START} -Xclang -mllvm -Xclang -pathcc-stage=early {END} a.c -- b.c")
        );
        assert_eq!(
            shown("", &[], Some(RealLinker::Default), false),
            format!("{LINKS} {START} {END}")
        );
        assert_eq!(
            shown("-c a.c", &[DROPS_NAMES], None, false),
            format!(
                "{START} -Xclang -mllvm -Xclang {DROPS_NAMES} -fno-discard-value-names {END} -c a.c"
            )
        );
    }

    #[test]
    fn the_users_linker_goes_behind_ours() {
        let lld = || Some(RealLinker::At("/llvm/ld.lld".into()));
        assert_eq!(
            shown("-fuse-ld=lld a.c", &[], lld(), false),
            format!(
                "{LINKS} PATHLD_REAL=/llvm/ld.lld PATHLD_REAL_BY=pathcc {START} {END} -fuse-ld=lld \
                 a.c"
            )
        );
        assert_eq!(
            shown("@r a.c --ld-path=/llvm/ld.lld", &[], lld(), true),
            format!(
                "{LINKS} PATHLD_REAL=/llvm/ld.lld PATHLD_REAL_BY=pathcc {START} {END} -c -O2 a.c"
            )
        );
        let start_only = format!("{START} -idirafter/p/include --end-no-unused-arguments");
        assert_eq!(
            shown("--ld-path=x a.c", &[], Some(RealLinker::Missing), false),
            format!("{start_only} --ld-path=x a.c")
        );
        // A compile step keeps the option, so that clang's warning about it stays.
        assert_eq!(shown("@r a.c", &[], None, false), format!("{START} {END} @r a.c"));
        assert_eq!(
            shown("a.c", &[], Some(RealLinker::Default), true),
            format!("unset PATHLD_REAL PATHLD_REAL_BY; {LINKS} {START} {END} a.c")
        );
    }

    #[test]
    fn fortran_has_a_compiler_of_its_own() {
        let compiler =
            Compiler { program: "/llvm/flang".into(), language: Language::Fortran, ..compiler() };
        let installation = installation();
        let shown = |line, linker| {
            let options = vec!["-pathcc-mode=blocks".to_owned()];
            let counting = Counting { installation: &installation, options, linker };
            let line = shell_line(&compose(&compiler, None, &words(line), Some(&counting), false));
            line.replace(
                "exec -a /llvm/clang /llvm/flang -fpass-plugin=/p/lib/pathcc/libpathpass-1.so",
                "flang",
            )
        };
        assert_eq!(shown("-c a.f90", None), "flang -mllvm -pathcc-mode=blocks -c a.f90");
        let lld = RealLinker::At("/llvm/ld.lld".into());
        assert_eq!(
            shown("-fuse-ld=lld a.f90", Some(lld)),
            "PATHLD_CALLED_BY=pathcc PATHLD_REAL=/llvm/ld.lld PATHLD_REAL_BY=pathcc flang -mllvm \
             -pathcc-mode=blocks -fuse-ld=/p/bin/ld.pathld a.f90"
        );
        assert_eq!(
            shown("-fuse-ld=x a.f90", Some(RealLinker::Missing)),
            "flang -mllvm -pathcc-mode=blocks -fuse-ld=x a.f90"
        );
    }

    #[test]
    fn without_counting_only_our_flags_go() {
        let plain = |line| shell_line(&compose(&compiler(), None, &words(line), None, false));
        assert_eq!(plain("-fpath-mode=x --ld-path=y @r -c"), "/llvm/clang --ld-path=y @r -c");
        assert_eq!(plain("-c -- -fpath-mode=x"), "/llvm/clang -c -- -fpath-mode=x");
    }

    #[test]
    fn a_launcher_and_a_language_are_kept() {
        let compiler = Compiler { argv0: "/llvm/clang++-22".into(), ..compiler() };
        let launcher = OsString::from("ccache");
        let line =
            |launcher| shell_line(&compose(&compiler, launcher, &words("-c a.c"), None, false));

        assert_eq!(line(Some(&launcher)), "ccache /usr/bin/clang-22 --driver-mode=g++ -c a.c");
        assert_eq!(line(None), "exec -a /llvm/clang++-22 /llvm/clang -c a.c");
    }
}
