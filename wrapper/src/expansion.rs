//! Response files are opened, and those that they name in their turn.
//!
//! A file that cannot be read, or that is inside itself, stays a word. So does one whose text is
//! not one that we [can take apart](split). Files that stand for more than a command line can be
//! are too much: whoever they are meant for refuses them.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::response::{Dialect, split};

/// The most response files that are opened, however they name each other. GNU's linkers stop
/// there, too.
pub const MOST_FILES: usize = 2000;

/// The most bytes of them that are read. A file counts each time that it is named.
pub const MOST_BYTES: usize = 256 << 20;

/// Response files hold too much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitExceeded;

/// Opens the response files of one command line. `read` gives the identity of a file and its
/// content; `dialect` is asked for only where there is a response file.
#[derive(Debug)]
pub struct Expansion<R, D, I> {
    read: R,
    dialect: D,
    /// The files that are being opened, the outermost first.
    inside: Vec<I>,
    /// The number of files that may still be opened.
    files: usize,
    /// The number of bytes that they may still have.
    bytes: usize,
}

impl<R, D, I, B> Expansion<R, D, I>
where
    R: Fn(&Path) -> Option<(I, B)>,
    D: Fn() -> Dialect,
    I: PartialEq,
    B: AsRef<[u8]>,
{
    /// Opens up to [`MOST_FILES`] of up to [`MOST_BYTES`].
    pub fn new(read: R, dialect: D) -> Self {
        Self::within(read, dialect, MOST_FILES, MOST_BYTES)
    }

    /// The same with limits of one's own.
    pub fn within(read: R, dialect: D, files: usize, bytes: usize) -> Self {
        Self { read, dialect, inside: Vec::new(), files, bytes }
    }

    /// The words of the response file that `word` names; `None` if it stays a word. Names inside
    /// are relative to the current directory, not to the file.
    ///
    /// # Errors
    /// They are too many.
    pub fn open(&mut self, word: &OsStr) -> Result<Option<Vec<OsString>>, LimitExceeded> {
        let name = word.as_bytes().strip_prefix(b"@");
        let file = name.and_then(|name| (self.read)(Path::new(OsStr::from_bytes(name))));
        let file = file.filter(|(identity, _)| !self.inside.contains(identity));
        let Some((identity, text)) = file else { return Ok(None) };
        let dialect = (self.dialect)();
        let Some(words) = split(text.as_ref(), dialect) else { return Ok(None) };
        self.files = self.files.checked_sub(1).ok_or(LimitExceeded)?;
        self.bytes = self.bytes.checked_sub(text.as_ref().len()).ok_or(LimitExceeded)?;
        if !dialect.nests() {
            return Ok(Some(words));
        }
        self.inside.push(identity);
        let opened = self.open_all(&words);
        self.inside.pop();
        opened.map(Some)
    }

    /// These words, with the words of all response files in place of their names.
    ///
    /// # Errors
    /// They are too many.
    pub fn open_all(&mut self, words: &[OsString]) -> Result<Vec<OsString>, LimitExceeded> {
        let mut opened = Vec::with_capacity(words.len());
        for word in words {
            match self.open(word)? {
                Some(words) => opened.extend(words),
                None => opened.push(word.clone()),
            }
        }
        Ok(opened)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words in which each `@NAME` is replaced by the words of the file.
    fn opened(
        words: &[&str],
        texts: &[(&str, &str)],
        dialect: Dialect,
        [files, bytes]: [usize; 2],
    ) -> Result<String, LimitExceeded> {
        let read = |path: &Path| {
            let known = texts.iter().find(|(name, _)| path == Path::new(name))?;
            Some(*known)
        };
        let words: Vec<_> = words.iter().map(OsString::from).collect();
        let opened = Expansion::within(read, || dialect, files, bytes).open_all(&words)?;
        Ok(opened.iter().map(|word| format!("[{}]", word.display())).collect())
    }

    #[test]
    fn files_name_files() {
        let texts = [("out", "a @in 'b c' @none @out"), ("in", "d @out"), ("open", "'x")];
        let of = |words: &[&str], dialect| opened(words, &texts, dialect, [9, 99]).expect("few");
        assert_eq!(of(&["@out", "e"], Dialect::Llvm), "[a][d][@out][b c][@none][@out][e]");
        assert_eq!(of(&["@in"], Dialect::Mold), "[d][@out]");
        assert_eq!(of(&["@open"], Dialect::Gnu), "[x]");
        assert_eq!(of(&["@open", "@"], Dialect::Mold), "[@open][@]");
    }

    #[test]
    fn there_is_a_limit_of_files_and_of_bytes() {
        let texts = [("in", "aaaa"), ("out", "@in @in")];
        let of = |words: &[&str], limits| opened(words, &texts, Dialect::Gnu, limits);
        assert_eq!(of(&["@out", "b"], [3, 15]), Ok("[aaaa][aaaa][b]".to_owned()));
        // Each time that a file is named counts.
        for limits in [[2, 99], [3, 14], [0, 0]] {
            assert_eq!(of(&["@out", "b"], limits), Err(LimitExceeded), "{limits:?}");
        }
    }
}
