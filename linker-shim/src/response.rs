//! Response files: `@file` stands for the arguments in the file.
//!
//! They are quoted in the real linker's [dialect](Dialect). A file inside itself stays as it is, as
//! LLVM's linkers leave it. So does a file in UTF-16. Files that stand for more than a command line
//! can be are not expanded at all: that is for the real linker to refuse.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use wrapper::response::{Dialect, split};

use crate::content::{Identity, content};

/// So many files are expanded; GNU's linkers stop there, too.
const MOST_FILES: usize = 2000;

/// So many bytes of them, counted as often as a file is named.
const MOST_BYTES: usize = 256 << 20;

/// The arguments with all response files replaced by their content; `None` if there are too many. A
/// file that cannot be read, or that is none, stays as it is, as linkers do.
pub(crate) fn expand(
    arguments: &[OsString],
    dialect: &dyn Fn() -> Dialect,
) -> Option<Vec<OsString>> {
    within(arguments, dialect, MOST_FILES, MOST_BYTES)
}

/// The same with limits of one's own.
fn within(
    arguments: &[OsString],
    dialect: &dyn Fn() -> Dialect,
    files: usize,
    bytes: usize,
) -> Option<Vec<OsString>> {
    let expanded = Vec::with_capacity(arguments.len());
    let mut expansion = Expansion { dialect, expanded, inside: Vec::new(), files, bytes };
    expansion.add(arguments)?;
    Some(expansion.expanded)
}

/// How far an expansion has come.
struct Expansion<'a> {
    /// The dialect of the real linker, which is asked for only where there is a response file.
    dialect: &'a dyn Fn() -> Dialect,
    expanded: Vec<OsString>,
    /// The files that are being expanded, the outermost first.
    inside: Vec<Identity>,
    /// How many more files may be expanded.
    files: usize,
    /// How many more bytes they may have.
    bytes: usize,
}

impl Expansion<'_> {
    /// Adds arguments; `None` if that goes too far.
    fn add(&mut self, arguments: &[OsString]) -> Option<()> {
        for argument in arguments {
            let file = argument.as_bytes().strip_prefix(b"@");
            let file = file.and_then(|file| content(Path::new(OsStr::from_bytes(file))).ok());
            let file = file.filter(|file| !self.inside.contains(&file.identity));
            let opened = file.and_then(|file| Some((split(&file, (self.dialect)())?, file)));
            match opened {
                None => self.expanded.push(argument.clone()),
                Some((words, file)) => {
                    self.files = self.files.checked_sub(1)?;
                    self.bytes = self.bytes.checked_sub(file.len())?;
                    self.inside.push(file.identity);
                    self.add(&words)?;
                    self.inside.pop();
                }
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

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
    fn files_that_are_too_large_together_are_left_to_the_linker() {
        let (_directory, write) = files();
        let inner = write("inner", &["a".repeat(19).into()]);
        let length = 22 + join(std::slice::from_ref(&inner), Dialect::Gnu).len();
        let outer = write("outer", std::slice::from_ref(&inner));
        let arguments = [outer, "b".into()];
        for (most, fits) in [(21, false), (length - 1, false), (length, true), (length + 1, true)] {
            assert_eq!(within(&arguments, &|| Dialect::Gnu, 2, most).is_some(), fits, "{most}");
        }
        // Each time that a file is named counts.
        let named = vec![inner; 10];
        assert_eq!(within(&named, &|| Dialect::Gnu, 10, 220).expect("few").len(), 10);
        assert_eq!(within(&named, &|| Dialect::Gnu, 10, 219), None);
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
    }
}
