//! Reads source files as the compiler saw them.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

/// Larger files are not read as source.
const LARGEST: u64 = 1 << 26;

/// The text of a source file.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// Its lines, without their ends.
    pub lines: Vec<String>,
    /// The time of the last change.
    pub changed: Option<SystemTime>,
}

/// Returns the length of each line of a file, in bytes and without its end; `None` if the file
/// cannot be read.
pub fn line_lengths(path: &Path) -> Option<Vec<usize>> {
    Some(bytes(path)?.0.split(|&byte| byte == b'\n').map(<[u8]>::len).collect())
}

/// Reads a file; `None` if it is missing, too large or not a regular file. Invalid UTF-8 is
/// replaced.
pub fn read(path: &Path) -> Option<Source> {
    let (text, about) = bytes(path)?;
    let text = String::from_utf8_lossy(&text);
    let lines = text.lines().map(str::to_string).collect();
    Some(Source { lines, changed: about.modified().ok() })
}

fn bytes(path: &Path) -> Option<(Vec<u8>, fs::Metadata)> {
    let about = fs::metadata(path).ok()?;
    let is_source = about.is_file() && about.len() <= LARGEST;
    is_source.then(|| fs::read(path).ok()).flatten().map(|text| (text, about))
}

impl Source {
    /// Returns a line, counted from 1; empty if there is none.
    pub fn line(&self, number: u32) -> &str {
        let index = (number as usize).checked_sub(1);
        index.and_then(|index| self.lines.get(index)).map_or("", String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_by_lines() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.c");
        fs::write(&path, b"int a;\r\n\xffb\n").expect("written");
        let source = read(&path).expect("a file");
        assert_eq!((source.line(1), source.line(2), source.line(3)), ("int a;", "\u{fffd}b", ""));
        assert_eq!(source.line(0), "");
        assert!(source.changed.is_some());
        assert_eq!(line_lengths(&path), Some(vec![7, 2, 0]));
        assert!(read(folder.path()).is_none(), "a directory is no file");
    }
}
