//! Distinguishes code of the user from code of the system, and from code that the compiler made.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use pathformat::manifest;
use profile::source_names::normal;

use crate::model::Module;

/// The directories of the headers of the system, and of gcc and clang.
const SYSTEM: [&str; 3] = ["/usr/include", "/usr/local/include", "/usr/lib"];

/// Returns true if a file belongs to the system: it is in a directory of system headers, or in one
/// of `directories`, which `-isystem` named. A relative path is compared as it is.
pub fn is_system(file: &str, directories: &[String]) -> bool {
    let file = normal(Path::new(file));
    let directories = directories.iter().map(String::as_str).filter(|name| !name.is_empty());
    SYSTEM.into_iter().chain(directories).any(|name| file.starts_with(normal(Path::new(name))))
}

/// The headers of the system, as the compiler runs of some modules define them.
pub struct SystemFiles {
    /// The directories of the headers.
    directories: Vec<PathBuf>,
    /// The compiled source files, which are the user's, wherever they are.
    sources: BTreeSet<PathBuf>,
}

impl SystemFiles {
    /// Collects the directories and sources of these modules.
    pub fn of(modules: &[Module]) -> Self {
        let mut directories: BTreeSet<_> = SYSTEM.map(PathBuf::from).into();
        let mut sources = BTreeSet::new();
        for module in modules {
            let named = module.system_directories.iter().filter(|name| !name.is_empty());
            directories.extend(named.map(|name| normal(&module.path(name))));
            sources.insert(normal(&module.path(&module.source)));
        }
        Self { directories: directories.into_iter().collect(), sources }
    }

    /// Returns true if the file at this absolute path is a header of the system.
    pub fn has(&self, path: &Path) -> bool {
        let path = normal(path);
        let below = |directory: &PathBuf| path.starts_with(directory);
        self.directories.iter().any(below) && !self.sources.contains(&path)
    }
}

/// Prefixes of the symbols of functions that the compiler makes.
const MADE: [&str; 12] = [
    "_GLOBAL__sub_I_",
    "_GLOBAL__sub_D_",
    "_GLOBAL__I_",
    "__cxx_global_var_init",
    "__cxx_global_array_dtor",
    "__clang_call_terminate",
    "__tls_init",
    // Of a thread-local variable: its initialisation and its wrapper.
    "_ZTH",
    "_ZTW",
    // Thunks, which adjust `this` or the return value.
    "_ZTh",
    "_ZTv",
    "_ZTc",
];

/// Returns true if the function with this symbol was made by the compiler.
pub fn is_made_symbol(symbol: &str) -> bool {
    MADE.iter().any(|start| symbol.starts_with(start))
}

/// Returns true if this function was made by the compiler. It may contain code of the source: an
/// initialiser of variables contains their initial values.
pub fn is_made(function: &manifest::Function) -> bool {
    function.is_made || is_made_symbol(&function.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_the_system_are_told_from_others() {
        let given = ["/opt/boost/include".to_owned(), "third/".to_owned(), String::new()];
        for (file, expected) in [
            ("/usr/include/c++/14/bits/vector.tcc", true),
            ("/usr/lib/llvm-22/lib/clang/22/include/immintrin.h", true),
            ("/usr/lib/gcc/x86_64-linux-gnu/14/../../../../include/c++/14/map", true),
            ("/usr/local/include/fmt/core.h", true),
            ("/opt/boost/./include/boost/any.hpp", true),
            ("third/x.h", true),
            ("./third/x.h", true),
            ("/usr/includes/a.h", false),
            ("/usr/include/../src/a.c", false),
            ("/home/usr/include/a.h", false),
            ("thirdly/x.h", false),
            ("../third/x.h", false),
            ("main.c", false),
            ("", false),
        ] {
            assert_eq!(is_system(file, &given), expected, "{file}");
        }
        assert!(!is_system("/../opt/boost/include/x.h", &[]));
        assert!(is_system("/../opt/boost/include/x.h", &given));
    }

    #[test]
    fn what_was_compiled_is_no_header_of_the_system() {
        let module = |directory: &str, source: &str, system: &[&str]| Module {
            directory: directory.into(),
            source: source.into(),
            system_directories: system.iter().map(|&name| name.into()).collect(),
            ..Module::default()
        };
        let system = SystemFiles::of(&[
            module("/a", "./a.c", &[".", "../third", ""]),
            module("/a/b", "../other.c", &[]),
        ]);
        for (file, expected) in [
            ("/a/x.h", true),
            ("/third/y.h", true),
            ("/a/b/../z.h", true),
            ("/usr/include/stdio.h", true),
            ("/a/a.c", false),
            ("/a/other.c", false),
            ("/b/x.h", false),
        ] {
            assert_eq!(system.has(Path::new(file)), expected, "{file}");
        }
    }
}
