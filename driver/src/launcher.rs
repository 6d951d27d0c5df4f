//! pathcc in front of another program: `pathcc clang-22 -c x.c`, `pathcc ccache clang-22 -c x.c`.
//!
//! Build systems put a "compiler launcher" before the compiler they have found (CMake's
//! `CMAKE_C_COMPILER_LAUNCHER`). The first word is taken as a compiler only if its last component
//! is a name of an LLVM driver: an input of that name has to be written `./clang`-like with an
//! extension, as inputs are.

use crate::role::ProgramName;
use anyhow::{Result, bail};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Compiler caches and distributors that take the compiler as their first argument.
const LAUNCHERS: [&str; 5] = ["ccache", "sccache", "distcc", "icecc", "buildcache"];

/// The words between pathcc and the compiler's arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Front {
    /// Nothing: pathcc is the compiler.
    Direct,
    /// The compiler to use.
    Compiler(OsString),
    /// A launcher, and the compiler that it is to use.
    Launcher(OsString, OsString),
}

/// Splits a command line into what stands before the compiler's arguments, and these.
///
/// # Errors
/// If the compiler is gcc: its passes are not LLVM's.
pub(crate) fn split(arguments: &[OsString]) -> Result<(Front, &[OsString])> {
    let Some(first) = arguments.first() else { return Ok((Front::Direct, arguments)) };
    if LAUNCHERS.iter().any(|name| Path::new(first).file_name() == Some(OsStr::new(name)))
        && let Some(second) = arguments.get(1)
        && is_compiler(second)?
    {
        return Ok((Front::Launcher(first.clone(), second.clone()), &arguments[2..]));
    }
    if is_compiler(first)? {
        return Ok((Front::Compiler(first.clone()), &arguments[1..]));
    }
    Ok((Front::Direct, arguments))
}

fn is_compiler(word: &OsStr) -> Result<bool> {
    if matches!(word.as_bytes().first(), None | Some(b'-' | b'@')) {
        return Ok(false);
    }
    let name = ProgramName::of(word);
    if matches!(&*name.stem, "gcc" | "g++" | "gfortran") {
        bail!(
            "'{}' is gcc, but counting is done by a pass of LLVM 22: name clang-22, clang++-22 or \
             flang-22 instead",
            word.display()
        );
    }
    Ok(name.is_llvm() || name.is_pathcc() || matches!(&*name.stem, "cc" | "c++"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(line: &str) -> String {
        let arguments: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        match split(&arguments) {
            Ok((front, rest)) => format!("{front:?} {}", rest.len()),
            Err(error) => format!("{error:#}"),
        }
    }

    #[test]
    fn a_compiler_in_front_is_recognised() {
        assert_eq!(shown(""), "Direct 0");
        assert_eq!(shown("-c clang"), "Direct 2");
        assert_eq!(shown("clang.c"), "Direct 1");
        assert_eq!(shown("clang-22 -c x.c"), "Compiler(\"clang-22\") 2");
        assert_eq!(shown("/usr/bin/clang++-22 x.cc"), "Compiler(\"/usr/bin/clang++-22\") 1");
        assert_eq!(shown("ccache clang -c x.c"), "Launcher(\"ccache\", \"clang\") 2");
        assert_eq!(shown("ccache -s"), "Direct 2");
        assert!(
            shown("/usr/bin/x86_64-linux-gnu-g++-12 x.cc")
                .starts_with("'/usr/bin/x86_64-linux-gnu-g++-12' is gcc")
        );
        assert!(shown("ccache gcc x.c").starts_with("'gcc' is gcc"));
    }
}
