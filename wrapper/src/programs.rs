//! Programs: the executable that a name stands for, and whether two paths lead to the same one.

use rustix::fs::Access;
use std::env;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The executables that a program's name stands for: the file itself if the name has a slash, else
/// the files of that name in the directories of `path`, a list like `PATH`.
///
/// The rules are those of clang's own look-up (`llvm::sys::findProgramByName`): an empty entry of
/// the list stands for nothing, and a tilde for itself. The crate `which` takes them for the
/// current directory and for the user's home, and so finds other programs than clang.
pub fn named(name: &OsStr, path: &OsStr) -> impl Iterator<Item = PathBuf> {
    let places: Vec<PathBuf> = if name.as_bytes().contains(&b'/') {
        vec![PathBuf::from(name)]
    } else {
        let directories = env::split_paths(path).filter(|entry| !entry.as_os_str().is_empty());
        directories.map(|directory| directory.join(name)).collect()
    };
    places.into_iter().filter(|place| is_executable(place))
}

/// The same path from the root on. Without a current directory it stays as it is.
pub fn absolute(path: PathBuf) -> PathBuf {
    std::path::absolute(&path).unwrap_or(path)
}

/// True if a path leads to a regular file that this process may execute.
pub fn is_executable(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, Access::EXEC_OK).is_ok()
}

/// True if two paths lead to the same file, through symbolic or hard links.
///
/// The crate `same-file` answers only for files that may be read: it opens them. A program need not
/// be readable to run.
pub fn is_same_file(a: &Path, b: &Path) -> bool {
    match (a.metadata(), b.metadata()) {
        (Ok(a), Ok(b)) => (a.dev(), a.ino()) == (b.dev(), b.ino()),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    fn file(path: &Path, mode: u32) {
        fs::write(path, "").expect("writable");
        fs::set_permissions(path, Permissions::from_mode(mode)).expect("ours");
    }

    #[test]
    fn a_name_is_looked_up_and_a_path_is_taken() {
        let root = tempfile::tempdir().expect("a temporary directory");
        let [first, second] = ["first", "second"].map(|name| root.path().join(name));
        for directory in [&first, &second] {
            fs::create_dir(directory).expect("writable");
        }
        let path = env::join_paths([root.path(), &first, &second]).expect("no colon");
        let found = |name: &OsStr| named(name, &path).collect::<Vec<_>>();

        file(&first.join("tool"), 0o644);
        file(&second.join("tool"), 0o755);
        assert_eq!(found(OsStr::new("tool")), [second.join("tool")]);
        file(&first.join("tool"), 0o755);
        assert_eq!(found(OsStr::new("tool")), [first.join("tool"), second.join("tool")]);
        // A directory may be searched, but it is no program.
        assert_eq!(found(OsStr::new("first")), [""; 0].map(PathBuf::from));
        assert_eq!(found(OsStr::new("none")), [""; 0].map(PathBuf::from));
        assert_eq!(found(second.join("tool").as_os_str()), [second.join("tool")]);
        assert_eq!(found(root.path().join("tool").as_os_str()), [""; 0].map(PathBuf::from));
    }

    #[test]
    fn entries_of_a_path_are_taken_as_they_are() {
        let root = tempfile::tempdir().expect("a temporary directory");
        let odd = root.path().join("~");
        fs::create_dir(&odd).expect("writable");
        file(&odd.join("tool"), 0o755);
        let name = OsStr::new("tool");
        let list = |entries: &[&OsStr]| entries.join(OsStr::new(":"));
        let dotted = root.path().join("./~//");
        let found = |path: &OsStr| named(name, path).collect::<Vec<_>>();
        assert_eq!(found(odd.as_os_str()), [odd.join("tool")]);
        // The name of a program is part of what it says, so it is not written anew.
        assert_eq!(
            found(dotted.as_os_str())[0].as_os_str().as_bytes(),
            dotted.join(name).as_os_str().as_bytes()
        );
        // Neither an empty entry nor a tilde leads anywhere, whatever the current directory is.
        let nothing = list(&[OsStr::new(""), OsStr::new("~"), OsStr::new("")]);
        assert_eq!(found(&nothing), [""; 0].map(PathBuf::from));
        assert_eq!(named(odd.join("tool/").as_os_str(), OsStr::new("")).count(), 0);
        assert_eq!(absolute("/a/b".into()), PathBuf::from("/a/b"));
        assert!(absolute("a".into()).is_absolute());
    }

    #[test]
    fn a_program_is_a_file_that_may_be_executed() {
        let root = tempfile::tempdir().expect("a temporary directory");
        let [program, text] = ["program", "text"].map(|name| root.path().join(name));
        file(&program, 0o755);
        file(&text, 0o644);
        assert!(is_executable(&program) && !is_executable(&text));
        assert!(!is_executable(root.path()) && !is_executable(&root.path().join("none")));
    }

    #[test]
    fn links_of_both_kinds_lead_to_the_same_file() {
        let root = tempfile::tempdir().expect("a temporary directory");
        let [original, soft, hard, other] =
            ["original", "soft", "hard", "other"].map(|name| root.path().join(name));
        file(&original, 0o111);
        file(&other, 0o111);
        std::os::unix::fs::symlink(&original, &soft).expect("writable");
        fs::hard_link(&original, &hard).expect("writable");
        assert!(is_same_file(&original, &soft) && is_same_file(&soft, &hard));
        assert!(!is_same_file(&original, &other));
        assert!(!is_same_file(&original, &root.path().join("none")));
    }
}
