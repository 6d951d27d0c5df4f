//! The record of a manifest: a fixed head, then the compressed payload, in the section
//! [`MANIFEST_SECTION`](crate::names::MANIFEST_SECTION).
//!
//! Linkers concatenate sections of one name, so the section of an image (or of `ld -r` output) is a
//! sequence of records, each padded to eight bytes. The linker needs only the heads. A reader
//! decompresses the payload (zstd) and decodes it with [`manifest`](crate::manifest).
//!
//! ```text
//!  0        8      12     16         32        40     48           56             64        72
//!  | magic  | ver. | flags| module id| counters| keys | raw length | stored length| checksum| stored bytes … pad |
//! ```

use core::fmt;

use crate::MANIFEST_VERSION;
use crate::wire::{Error, Reader, Result, Sink, checksum};

/// First eight bytes of every record.
pub const MAGIC: [u8; 8] = *b"PATHMANI";

/// Length of the fixed head in bytes.
pub const HEAD_LENGTH: usize = 72;

/// Identity of an instrumented module: a hash of its source name, its directory and its content.
///
/// Two objects made from the same source with the same flags have the same identity and share one
/// array.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModuleId(pub [u8; 16]);

impl fmt::Display for ModuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl ModuleId {
    /// Returns the identity under which the keys of the module's tables are stored. The keys follow
    /// the module's counters, and all threads of an image share them. Each key identifies the thing
    /// that the counter at the same place in its table counts.
    pub fn keys(&self) -> Self {
        let mut id = *self;
        id.0[15] ^= 0x80;
        id
    }

    /// Returns the word in [`FUNCTIONS_SECTION`](crate::names::FUNCTIONS_SECTION) for a function of
    /// the module that is in the image; `None` for functions beyond the first 2^24.
    pub fn function_word(&self, index: usize) -> Option<u64> {
        let module = self.0[..5].iter().fold(0, |word, &byte| word << 8 | u64::from(byte));
        (index < 1 << 24).then_some(module << 24 | index as u64)
    }
}

impl fmt::Debug for ModuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "module {self}")
    }
}

/// The fixed head of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// The way threads count, as [`Threads::code`](crate::settings::Threads::code), possibly with
    /// [`OWN_BASE`](crate::raw::OWN_BASE).
    pub flags: u32,
    /// The identity of the module.
    pub id: ModuleId,
    /// Length of the module's counter array, in 64-bit counters.
    pub counters: u64,
    /// The number of [keys](ModuleId::keys) that follow the counters in the array.
    pub keys: u64,
    /// Length of the payload before compression, in bytes.
    pub raw_length: u64,
    /// Length of the payload as stored, in bytes.
    pub stored_length: u64,
    /// xxHash64 of the stored bytes.
    pub checksum: u64,
}

impl Head {
    /// Writes the head.
    pub fn write(&self, sink: &mut impl Sink) {
        sink.put(&MAGIC);
        sink.put_u32(MANIFEST_VERSION);
        sink.put_u32(self.flags);
        sink.put(&self.id.0);
        sink.put_u64(self.counters);
        sink.put_u64(self.keys);
        sink.put_u64(self.raw_length);
        sink.put_u64(self.stored_length);
        sink.put_u64(self.checksum);
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self> {
        reader.begin(MAGIC, MANIFEST_VERSION)?;
        Ok(Self {
            flags: reader.u32()?,
            id: ModuleId(reader.array()?),
            counters: reader.u64()?,
            keys: reader.u64()?,
            raw_length: reader.u64()?,
            stored_length: reader.u64()?,
            checksum: reader.u64()?,
        })
    }
}

/// One record of a section: its head and its stored (compressed) bytes, not yet checked against the
/// checksum.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    /// The fixed head.
    pub head: Head,
    /// The compressed payload.
    pub stored: &'a [u8],
}

impl Record<'_> {
    /// Checks the stored bytes against the checksum.
    pub fn verify(&self) -> Result<()> {
        if checksum(self.stored) == self.head.checksum { Ok(()) } else { Err(Error::BadChecksum) }
    }
}

/// The records of a section, in order. The iterator ends after the first error, since later records
/// cannot be trusted.
#[derive(Clone, Debug)]
pub struct Records<'a> {
    reader: Reader<'a>,
}

impl<'a> Records<'a> {
    /// Returns the records in the content of a
    /// [`MANIFEST_SECTION`](crate::names::MANIFEST_SECTION).
    pub fn new(section: &'a [u8]) -> Self {
        Self { reader: Reader::new(section) }
    }

    fn read(&mut self) -> Result<Record<'a>> {
        let head = Head::read(&mut self.reader)?;
        let length = usize::try_from(head.stored_length).map_err(|_| Error::Truncated)?;
        let stored = self.reader.take(length)?;
        let padding = padding(length).min(self.reader.rest().len());
        self.reader.take(padding)?;
        Ok(Record { head, stored })
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Result<Record<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.reader.rest().iter().all(|&byte| byte == 0) {
            return None;
        }
        let record = self.read();
        if record.is_err() {
            self.reader = Reader::new(&[]);
        }
        Some(record)
    }
}

/// Returns the number of zero bytes that follow `length` stored bytes, so that the next record is
/// eight-byte aligned.
pub fn padding(length: usize) -> usize {
    length.wrapping_neg() % 8
}

/// Builds the record of `stored`, the compressed form of a payload of `raw_length` bytes. `flags`
/// is [`Head::flags`]; the numbers of counters and keys are in brackets.
#[cfg(any(feature = "alloc", test))]
pub fn write(
    id: ModuleId,
    flags: u32,
    [counters, keys]: [u64; 2],
    raw_length: usize,
    stored: &[u8],
) -> alloc::vec::Vec<u8> {
    let mut bytes = alloc::vec::Vec::with_capacity(HEAD_LENGTH + stored.len() + 8);
    let head = Head {
        flags,
        id,
        counters,
        keys,
        raw_length: raw_length as u64,
        stored_length: stored.len() as u64,
        checksum: checksum(stored),
    };
    head.write(&mut bytes);
    bytes.put(stored);
    bytes.put(&[0; 8][..padding(stored.len())]);
    bytes
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::settings::Threads;

    fn section() -> Vec<u8> {
        let mut section = write(ModuleId([1; 16]), Threads::Exact.code(), [10, 0], 5, b"hello");
        section.extend(write(ModuleId([2; 16]), Threads::Atomic.code(), [20, 3], 8, b"eight by"));
        section
    }

    #[test]
    fn concatenated_records_come_back() {
        let section = section();
        let records: Vec<_> = Records::new(&section).map(|record| record.expect("sound")).collect();
        assert_eq!(
            records
                .iter()
                .map(|record| (record.head.counters, record.head.keys))
                .collect::<Vec<_>>(),
            [(10, 0), (20, 3)]
        );
        assert_eq!(records[0].stored, b"hello");
        assert!(records.iter().all(|record| record.verify().is_ok()));
    }

    #[test]
    fn another_version_is_named() {
        let mut section = section();
        section[8] += 1;
        let other = Error::BadVersion(MANIFEST_VERSION + 1);
        assert_eq!(Records::new(&section).next().expect("one").unwrap_err(), other);
    }

    #[test]
    fn a_flipped_bit_is_found() {
        let mut section = section();
        section[HEAD_LENGTH] ^= 1;
        let record = Records::new(&section).next().expect("one").expect("the head is sound");
        assert_eq!(record.verify(), Err(Error::BadChecksum));
    }

    #[test]
    fn functions_have_words() {
        let id = ModuleId([0xab, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
        assert_eq!(id.function_word(7), Some(0xab01_0203_0400_0007));
        assert_eq!(id.function_word(1 << 24), None);
    }

    #[test]
    fn an_id_prints_as_hexadecimal() {
        assert_eq!(alloc::format!("{}", ModuleId([0xab; 16])), "ab".repeat(16));
    }
}
