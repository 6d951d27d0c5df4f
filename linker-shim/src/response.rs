//! Response files: `@file` stands for the arguments in the file.
//!
//! They are quoted in the real linker's [dialect](Dialect). A file inside itself stays as it is, as
//! LLVM's linkers leave it. So does a file in UTF-16. Files that stand for more than a command line
//! can be are not expanded at all: that is for the real linker to refuse.

use std::ffi::OsString;

use wrapper::expansion::Expansion;
use wrapper::response::Dialect;

use crate::content::content;

/// The arguments with all response files replaced by their content; `None` if there are too many. A
/// file that cannot be read, or that is none, stays as it is, as linkers do.
pub(crate) fn expand(
    arguments: &[OsString],
    dialect: &dyn Fn() -> Dialect,
) -> Option<Vec<OsString>> {
    let read = |path: &_| content(path).ok().map(|file| (file.identity, file));
    Expansion::new(read, dialect).open_all(arguments).ok()
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::fs;

    use wrapper::expansion::MOST_FILES;
    use wrapper::response::join;

    use super::*;

    fn expand(arguments: &[OsString]) -> Option<Vec<OsString>> {
        super::expand(arguments, &|| Dialect::Gnu)
    }

    /// A directory, and what makes an argument for a file in it that has these arguments.
    fn files() -> (tempfile::TempDir, impl Fn(&str, &[OsString]) -> OsString) {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let folder = directory.path().to_owned();
        let write = move |name: &str, arguments: &[OsString]| {
            fs::write(folder.join(name), join(arguments, Dialect::Gnu)).expect("writable");
            OsString::from_iter([OsStr::new("@"), folder.join(name).as_os_str()])
        };
        (directory, write)
    }

    #[test]
    fn nested_files_and_missing_files() {
        let (directory, write) = files();
        let missing = OsString::from(format!("@{}/missing", directory.path().display()));
        let inner = write("inner", &["-lx".into(), missing.clone()]);
        let outer = write("outer", &["-o".into(), inner.clone(), "end".into(), inner]);
        let expected =
            ["-o".into(), "-lx".into(), missing.clone(), "end".into(), "-lx".into(), missing];
        assert_eq!(expand(&[outer]).expect("few"), expected);
    }

    #[test]
    fn a_file_inside_itself_is_left_to_the_linker() {
        let (directory, write) = files();
        let own = OsString::from(format!("@{}/own", directory.path().display()));
        write("own", &[own.clone(), "a".into(), own.clone()]);
        assert_eq!(
            expand(std::slice::from_ref(&own)).expect("few"),
            [own.clone(), "a".into(), own]
        );
        let first = write("first", &[]);
        let second = write("second", &[first.clone(), first.clone()]);
        write("first", &[second.clone(), second.clone()]);
        assert_eq!(
            expand(std::slice::from_ref(&first)).expect("few"),
            [first.clone(), first.clone(), first.clone(), first]
        );
    }

    #[test]
    fn too_many_files_are_left_to_the_linker() {
        let (_directory, write) = files();
        let mut file = write("last", &["a".into()]);
        for depth in 0..40 {
            file = write(&format!("depth{depth}"), &[file.clone(), file]);
        }
        assert_eq!(expand(&[file]), None);
        let single = write("single", &["a".into()]);
        assert_eq!(expand(&vec![single.clone(); MOST_FILES]).expect("few").len(), MOST_FILES);
        assert_eq!(expand(&vec![single; MOST_FILES + 1]), None);
    }

    #[test]
    fn a_mebibyte_is_not_large() {
        let (_directory, write) = files();
        let large = write("large", &["x".repeat(1 << 20).into()]);
        assert_eq!(expand(&[large.clone(), large]).expect("few").len(), 2);
    }

    #[test]
    fn what_is_no_regular_file_stays() {
        let arguments = ["@/dev/zero", "@/", "@", "@/none"].map(OsString::from);
        assert_eq!(expand(&arguments).expect("few"), arguments);
    }

    #[test]
    fn words_are_quoted_as_for_the_real_linker() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("file");
        let file = [OsString::from_iter([OsStr::new("@"), path.as_os_str()])];
        let expanded = |text: &[u8], dialect| {
            fs::write(&path, text).expect("writable");
            super::expand(&file, &|| dialect).expect("few")
        };
        assert_eq!(expanded(b"-rpath '' a.o", Dialect::Gnu), ["-rpath", "", "a.o"]);
        assert_eq!(expanded(b"-rpath '' a.o", Dialect::Llvm), ["-rpath", "a.o"]);
        assert_eq!(expanded(b"\xff\xfea\0", Dialect::Llvm), file);
        assert_eq!(expanded(b"-x'y 'z' @file", Dialect::Mold), ["-x'y", "z", "@file"]);
        assert_eq!(expanded(b"'a.o", Dialect::Mold), file);
    }
}
