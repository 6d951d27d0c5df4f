//! The records of a chunk, in order.
//!
//! The length of a path's record is in the manifest of its image. So the caller supplies the length
//! for each path.

use std::fmt;

use pathformat::trace::{RecordKind, Start};

/// A record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Record<'a> {
    /// A path ended.
    Path {
        /// Its number in the process.
        number: u32,
        /// The addresses, sizes and tickets that its accesses recorded.
        addresses: &'a [u8],
    },
    /// An event.
    Event {
        /// The kind; `None` if it is unknown.
        kind: Option<RecordKind>,
        /// The payload.
        payload: &'a [u8],
    },
}

/// The reason why the rest of a chunk cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damage {
    /// A record reaches behind the end of the chunk.
    Beyond {
        /// The offset of the record, in bytes from the start of the content.
        at: usize,
    },
    /// No function has this path.
    NoPath {
        /// The offset of the record.
        at: usize,
        /// The number of the path.
        number: u32,
    },
}

impl fmt::Display for Damage {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Beyond { at } => {
                write!(out, "the record at byte {at} of its content reaches behind its end")
            }
            Self::NoPath { at, number } => {
                write!(
                    out,
                    "the record at byte {at} of its content has the number {number}, which \
                     is no path of an image that is known"
                )
            }
        }
    }
}

impl std::error::Error for Damage {}

/// An iteration over the content of a chunk.
#[derive(Clone, Debug)]
pub struct Records<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Records<'a> {
    /// Returns the records in the content of a chunk.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Returns the records behind the first `at` bytes, which are read already.
    pub fn behind(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at: at.min(bytes.len()) }
    }

    /// Returns the number of bytes of the records that were read so far.
    pub fn used(&self) -> usize {
        self.at
    }

    /// Returns the next record; `None` behind the last one. `length` returns the number of bytes
    /// that follow the number of a path.
    ///
    /// # Errors
    /// The rest of the chunk cannot be read.
    pub fn next(
        &mut self,
        length: impl FnOnce(u32) -> Option<usize>,
    ) -> Result<Option<Record<'a>>, Damage> {
        let at = self.at;
        let Some((start, size)) = Start::read(&self.bytes[at..]) else { return Ok(None) };
        let rest = &self.bytes[at + size..];
        let length = match start {
            Start::Event(_, length) => length,
            Start::Path(number) => length(number).ok_or(Damage::NoPath { at, number })?,
        };
        let content = rest.get(..length).ok_or(Damage::Beyond { at })?;
        self.at += size + length;
        Ok(Some(match start {
            Start::Event(kind, _) => Record::Event { kind, payload: content },
            Start::Path(number) => Record::Path { number, addresses: content },
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8]) -> (Vec<Record<'_>>, Option<Damage>, usize) {
        let mut records = Records::new(bytes);
        let mut found = Vec::new();
        loop {
            match records.next(|number| (number < 10).then_some(number as usize)) {
                Ok(Some(record)) => found.push(record),
                Ok(None) => return (found, None, records.used()),
                Err(damage) => return (found, Some(damage), records.used()),
            }
        }
    }

    #[test]
    fn records_end_at_the_first_word_of_zeros() {
        let mut bytes = Vec::new();
        bytes.extend(7u32.to_le_bytes());
        bytes.extend(*b"abc");
        bytes.extend(RecordKind::Lost.word(2).to_le_bytes());
        bytes.extend(*b"xy");
        let records = vec![
            Record::Path { number: 3, addresses: b"abc" },
            Record::Event { kind: Some(RecordKind::Lost), payload: b"xy" },
        ];
        assert_eq!(all(&bytes), (records.clone(), None, 13));
        // The rest is too short for another word.
        bytes.extend([1, 2]);
        assert_eq!(all(&bytes), (records.clone(), None, 13));
        bytes.truncate(13);
        bytes.extend([0, 0, 1, 0, 0, 0, 7]);
        assert_eq!(all(&bytes), (records, None, 13));
        assert_eq!(all(&[]), (Vec::new(), None, 0));
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        let path = |number: u32| (number << 1 | 1).to_le_bytes();
        let bytes = [&path(1)[..], b"a", &path(11), b"bcd"].concat();
        let first = vec![Record::Path { number: 1, addresses: b"a" }];
        assert_eq!(all(&bytes), (first.clone(), Some(Damage::NoPath { at: 5, number: 11 }), 5));
        let bytes = [&path(1)[..], b"a", &path(3), b"bc"].concat();
        assert_eq!(all(&bytes), (first, Some(Damage::Beyond { at: 5 }), 5));
        let event = (1u32 << 31 | 0x7f << 24 | 1 << 1 | 1).to_le_bytes();
        assert_eq!(all(&event).1, Some(Damage::Beyond { at: 0 }));
        let unknown = [&event[..], b"z"].concat();
        assert_eq!(all(&unknown).0, [Record::Event { kind: None, payload: b"z" }]);
    }
}
