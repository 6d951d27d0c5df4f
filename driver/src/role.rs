//! Which compiler a program name stands for: C, C++ or Fortran, and for which target.
//!
//! clang reads its own `argv[0]`: a name ending in `++` makes it a C++ driver, and a prefix that it
//! knows as a target (`x86_64-linux-gnu-clang`) selects that target. pathcc hands both on by
//! building clang's `argv[0]` from its own, so the rules stay clang's.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The language whose driver a compiler is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Language {
    /// C's: `clang`.
    #[default]
    C,
    /// C++'s: `clang++`.
    Cxx,
    /// Fortran's: `flang`.
    Fortran,
}

impl Language {
    /// The name of LLVM's driver.
    pub(crate) fn driver(self) -> &'static str {
        match self {
            Self::C => "clang",
            Self::Cxx => "clang++",
            Self::Fortran => "flang",
        }
    }

    /// The language of a driver with this stem.
    fn of(stem: &str) -> Self {
        match stem {
            "pathfc" | "flang" => Self::Fortran,
            _ if stem.ends_with("++") => Self::Cxx,
            _ => Self::C,
        }
    }
}

/// The meaning of a program's name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Role {
    /// The language of the driver.
    pub(crate) language: Language,
    /// The prefix of the compiler's own name, with its hyphen: `x86_64-linux-gnu-`, or
    /// nothing.
    pub(crate) prefix: String,
    /// The version after the name, with its hyphen: `-22`, or nothing.
    pub(crate) suffix: String,
}

/// A program name, taken apart.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ProgramName {
    /// The last hyphenated word of the name without its version: `clang`, `pathcc`, `g++`.
    pub(crate) stem: String,
    /// The role that the rest of the name stands for.
    pub(crate) role: Role,
}

impl ProgramName {
    /// Takes the last component of `path` apart. Names that are not text are taken as plain C.
    pub(crate) fn of(path: &OsStr) -> ProgramName {
        let name = Path::new(path).file_name().map_or(&b""[..], OsStr::as_bytes);
        let name = String::from_utf8_lossy(name);
        let (unversioned, suffix) = match name.rsplit_once('-') {
            Some((head, tail)) if is_version(tail) => (head, name[head.len()..].to_owned()),
            _ => (&*name, String::new()),
        };
        let start = unversioned.rfind('-').map_or(0, |hyphen| hyphen + 1);
        let (prefix, stem) = unversioned.split_at(start);
        ProgramName {
            stem: stem.to_owned(),
            role: Role { language: Language::of(stem), prefix: prefix.to_owned(), suffix },
        }
    }

    /// True if this is a name of a driver of LLVM's.
    pub(crate) fn is_llvm(&self) -> bool {
        matches!(&*self.stem, "clang" | "clang++" | "flang")
    }

    /// True if this is a name of pathcc itself.
    pub(crate) fn is_pathcc(&self) -> bool {
        matches!(&*self.stem, "pathcc" | "pathc++" | "pathfc")
    }
}

fn is_version(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_digit() || c == '.')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(name: &str) -> String {
        let ProgramName { stem, role } = ProgramName::of(OsStr::new(name));
        format!("{}|{stem}|{} {:?}", role.prefix, role.suffix, role.language)
    }

    #[test]
    fn names_are_taken_apart() {
        assert_eq!(shown("pathcc"), "|pathcc| C");
        assert_eq!(shown("/opt/bin/pathc++"), "|pathc++| Cxx");
        assert_eq!(shown("pathfc"), "|pathfc| Fortran");
        assert_eq!(shown("x86_64-linux-gnu-pathc++"), "x86_64-linux-gnu-|pathc++| Cxx");
        assert_eq!(shown("clang-22"), "|clang|-22 C");
        assert_eq!(shown("flang-22"), "|flang|-22 Fortran");
        assert_eq!(shown("aarch64-linux-gnu-clang++-22.1"), "aarch64-linux-gnu-|clang++|-22.1 Cxx");
        assert_eq!(shown("ccache-clang"), "ccache-|clang| C");
        assert_eq!(shown(""), "|| C");
    }
}
