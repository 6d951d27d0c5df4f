//! Tells the code of the user from that of the system.

use std::path::{Component, Path, PathBuf};

/// Where the headers of the system are, and those of gcc and clang.
const SYSTEM: [&str; 3] = ["/usr/include", "/usr/local/include", "/usr/lib"];

/// Whether a file belongs to the system: it is where headers of the system are, or in one of these
/// directories, which `-isystem` named. A relative file is compared as it is.
pub fn is_system(file: &str, directories: &[String]) -> bool {
    let file = normal(Path::new(file));
    let directories = directories.iter().map(String::as_str).filter(|name| !name.is_empty());
    SYSTEM.into_iter().chain(directories).any(|name| file.starts_with(normal(Path::new(name))))
}

/// The path without `.` and `..`, as far as that can be said without looking at the disk.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        let last = normal.components().next_back();
        match (part, last) {
            (Component::CurDir, _) => {}
            (Component::ParentDir, Some(Component::Normal(_))) => {
                normal.pop();
            }
            (Component::ParentDir, Some(Component::RootDir)) => {}
            (part, _) => normal.push(part),
        }
    }
    normal
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
}
