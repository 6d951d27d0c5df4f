//! Reads parts of a file for the library that reads ELF files, within a bound.
//!
//! The library trusts the headers of a file. A file can claim the same bytes for any number of
//! sections and symbols. So all reads together may take a few times the length of the file, which
//! is more than a valid file needs. A large read of a hole in the file is refused.

use std::cell::Cell;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;

use object::ReadRef;
use object::read::ReadCache;
use rustix::fs::{SeekFrom, seek};

use crate::open;

/// All reads together may take this many times the length of the file ...
const TIMES: u64 = 8;

/// ... and this many bytes more.
const BESIDES: u64 = 1 << 24;

/// A read of up to this length may lie in a hole.
const SMALL: u64 = 1 << 26;

/// A file that is read in parts.
pub struct Bounded {
    cache: ReadCache<File>,
    file: File,
    length: u64,
    left: Cell<u64>,
}

impl Bounded {
    /// Opens the regular file at `path`.
    ///
    /// # Errors
    /// There is no such file, or it cannot be read.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = open::regular(path)?;
        let length = file.metadata()?.len();
        let left = Cell::new(length.saturating_mul(TIMES).saturating_add(BESIDES));
        Ok(Self { cache: ReadCache::new(file.try_clone()?), file, length, left })
    }

    /// Returns the file.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Returns the length of the file when it was opened.
    pub fn length(&self) -> u64 {
        self.length
    }

    fn spend(&self, size: u64) -> Result<(), ()> {
        self.left.set(self.left.get().checked_sub(size).ok_or(())?);
        Ok(())
    }
}

impl<'a> ReadRef<'a> for &'a Bounded {
    fn len(self) -> Result<u64, ()> {
        Ok(self.length)
    }

    fn read_bytes_at(self, offset: u64, size: u64) -> Result<&'a [u8], ()> {
        let end = offset.checked_add(size).filter(|&end| end <= self.length).ok_or(())?;
        self.spend(size)?;
        if size > SMALL && seek(&self.file, SeekFrom::Hole(offset)).is_ok_and(|hole| hole < end) {
            return Err(());
        }
        self.cache.read_bytes_at(offset, size)
    }

    fn read_bytes_at_until(self, range: Range<u64>, delimiter: u8) -> Result<&'a [u8], ()> {
        let text =
            self.cache.read_bytes_at_until(range.start..range.end.min(self.length), delimiter)?;
        // An empty read has a cost, too.
        self.spend(text.len() as u64 + 1)?;
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_have_a_bound() {
        let folder = tempfile::tempdir().expect("a directory");
        let path = folder.path().join("file");
        std::fs::write(&path, b"one\0two\0").expect("writable");
        let file = Bounded::open(&path).expect("it is there");
        assert_eq!((&file).read_bytes_at(4, 3), Ok(&b"two"[..]));
        assert_eq!((&file).read_bytes_at_until(0..8, 0), Ok(&b"one"[..]));
        assert_eq!((&file).read_bytes_at(4, 5), Err(()));
        assert_eq!((&file).read_bytes_at(u64::MAX, 2), Err(()));
        let times = (0..).take_while(|_| (&file).read_bytes_at(0, 8).is_ok()).count() as u64;
        assert!((BESIDES / 8..BESIDES / 8 + 8).contains(&times), "{times}");
        assert_eq!((&file).read_bytes_at_until(0..8, 0), Err(()));
    }

    #[test]
    fn a_large_hole_is_not_read() {
        let folder = tempfile::tempdir().expect("a directory");
        let path = folder.path().join("file");
        let file = File::create(&path).expect("writable");
        file.set_len(SMALL * 100).expect("holes cost nothing");
        let file = Bounded::open(&path).expect("it is there");
        assert_eq!((&file).read_bytes_at(0, SMALL * 100), Err(()));
        assert_eq!((&file).read_bytes_at(SMALL * 50, 2), Ok(&[0, 0][..]));
    }
}
