//! Response files: `@file` stands for the arguments in the file.
//!
//! The quoting is LLVM's for GNU command lines, which GNU binutils shares but for empty arguments: white space
//! separates, a backslash takes the next character as it is, also inside quotes of either kind.
//!
//! A file inside itself stays as it is, as LLVM's linkers leave it. Files that stand for more than a command line can be are
//! not expanded at all: that is for the real linker to refuse.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use crate::content::{Identity, content};

/// So many files are expanded; GNU's linkers stop there, too.
const MOST_FILES: usize = 2000;

/// So many bytes of them, counted as often as a file is named.
const MOST_BYTES: usize = 256 << 20;

/// The arguments with all response files replaced by their content; `None` if there are too many. A file that cannot
/// be read, or that is none, stays as it is, as linkers do.
pub(crate) fn expand(arguments: &[OsString]) -> Option<Vec<OsString>> {
    within(arguments, MOST_FILES, MOST_BYTES)
}

/// The same with limits of one's own.
fn within(arguments: &[OsString], files: usize, bytes: usize) -> Option<Vec<OsString>> {
    let mut expansion = Expansion { expanded: Vec::with_capacity(arguments.len()), inside: Vec::new(), files, bytes };
    expansion.add(arguments)?;
    Some(expansion.expanded)
}

/// How far an expansion has come.
struct Expansion {
    expanded: Vec<OsString>,
    /// The files that are being expanded, the outermost first.
    inside: Vec<Identity>,
    /// How many more files may be expanded.
    files: usize,
    /// How many more bytes they may have.
    bytes: usize,
}

impl Expansion {
    /// Adds arguments; `None` if that goes too far.
    fn add(&mut self, arguments: &[OsString]) -> Option<()> {
        for argument in arguments {
            let file = argument.as_bytes().strip_prefix(b"@");
            let file = file.and_then(|file| content(Path::new(OsStr::from_bytes(file))).ok());
            match file.filter(|file| !self.inside.contains(&file.identity)) {
                None => self.expanded.push(argument.clone()),
                Some(file) => {
                    self.files = self.files.checked_sub(1)?;
                    self.bytes = self.bytes.checked_sub(file.len())?;
                    self.inside.push(file.identity);
                    self.add(&tokens(&file))?;
                    self.inside.pop();
                }
            }
        }
        Some(())
    }
}

/// Splits the text of a response file.
fn tokens(text: &[u8]) -> Vec<OsString> {
    let mut tokens = Vec::new();
    let mut token = Vec::new();
    let mut quote = None;
    let mut bytes = text.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match (byte, quote) {
            (b'\\', _) if bytes.peek().is_some() => token.extend(bytes.next()),
            (_, Some(closing)) if byte == closing => quote = None,
            (_, Some(_)) => token.push(byte),
            (b'"' | b'\'', None) => quote = Some(byte),
            (b' ' | b'\t' | b'\r' | b'\n', None) => take(&mut token, &mut tokens),
            (_, None) => token.push(byte),
        }
    }
    take(&mut token, &mut tokens);
    tokens
}

fn take(token: &mut Vec<u8>, tokens: &mut Vec<OsString>) {
    if !token.is_empty() {
        tokens.push(OsString::from_vec(std::mem::take(token)));
    }
}

/// The text of a response file that stands for the arguments.
pub(crate) fn quote(arguments: &[OsString]) -> Vec<u8> {
    let mut text = Vec::new();
    for argument in arguments {
        if argument.is_empty() {
            text.extend(b"\"\"");
        }
        for &byte in argument.as_bytes() {
            if byte.is_ascii_whitespace() || matches!(byte, b'\\' | b'"' | b'\'') {
                text.push(b'\\');
            }
            text.push(byte);
        }
        text.push(b'\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn split(text: &str) -> Vec<OsString> {
        tokens(text.as_bytes())
    }

    #[test]
    fn quotes_and_backslashes() {
        assert_eq!(split("a b\tc\r\nd"), ["a", "b", "c", "d"]);
        assert_eq!(split(r#""a b"c 'd"e' "f'g""#), ["a bc", "d\"e", "f'g"]);
        assert_eq!(split(r"a\ b 'c\d' \\ \'"), ["a b", "cd", "\\", "'"]);
        assert_eq!(split("\"unclosed a"), ["unclosed a"]);
        assert_eq!(split("end\\"), ["end\\"]);
        assert!(split(" '' \n").is_empty());
    }

    #[test]
    fn what_is_quoted_comes_back() {
        let arguments = ["-o", "a b", "it's", "\"q\"", "back\\slash", "new\nline", "\t"].map(OsString::from);
        assert_eq!(tokens(&quote(&arguments)), arguments);
    }

    /// A directory, and what makes an argument for a file in it that has these arguments.
    fn files() -> (tempfile::TempDir, impl Fn(&str, &[OsString]) -> OsString) {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let folder = directory.path().to_owned();
        let write = move |name: &str, arguments: &[OsString]| {
            fs::write(folder.join(name), quote(arguments)).expect("writable");
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
        let expected = ["-o".into(), "-lx".into(), missing.clone(), "end".into(), "-lx".into(), missing];
        assert_eq!(expand(&[outer]).expect("few"), expected);
    }

    #[test]
    fn a_file_inside_itself_is_left_to_the_linker() {
        let (directory, write) = files();
        let own = OsString::from(format!("@{}/own", directory.path().display()));
        write("own", &[own.clone(), "a".into(), own.clone()]);
        assert_eq!(expand(std::slice::from_ref(&own)).expect("few"), [own.clone(), "a".into(), own]);
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
        let length = 20 + quote(std::slice::from_ref(&inner)).len();
        let outer = write("outer", std::slice::from_ref(&inner));
        let arguments = [outer, "b".into()];
        for (most, fits) in [(19, false), (length - 1, false), (length, true), (length + 1, true)] {
            assert_eq!(within(&arguments, 2, most).is_some(), fits, "{most}");
        }
        // Each time that a file is named counts.
        let named = vec![inner; 10];
        assert_eq!(within(&named, 10, 200).expect("few").len(), 10);
        assert_eq!(within(&named, 10, 199), None);
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
}
