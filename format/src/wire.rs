//! Primitive encodings: little-endian words, LEB128 variable-length integers, and a checked reader.
//!
//! A writer is anything that takes bytes ([`Sink`]); the reader borrows the input and never panics
//! on any input.

use core::fmt;
use core::sync::atomic::{AtomicU64, Ordering};

use xxhash_rust::xxh64::Xxh64;
use zerocopy::FromBytes;

/// An error in the encoding. The text completes "the file is damaged: …".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// The input ends before the value does.
    Truncated,
    /// The first eight bytes are not the magic number.
    BadMagic,
    /// Written by another version of pathcc; holds the version found.
    BadVersion(u32),
    /// A checksum does not match.
    BadChecksum,
    /// A value is out of its range; the text names it.
    Invalid(&'static str),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Truncated => f.write_str("it ends in the middle of a value (truncated?)"),
            Error::BadMagic => f.write_str("it does not start with the expected magic number"),
            Error::BadVersion(found) => {
                write!(f, "it has format version {found}, which this program cannot read")
            }
            Error::BadChecksum => f.write_str("its checksum does not match its content"),
            Error::Invalid(what) => write!(f, "{what}"),
        }
    }
}

impl core::error::Error for Error {}

/// The result of reading.
pub type Result<T> = core::result::Result<T, Error>;

/// A limit on the memory for decoded values, in bytes. Several threads may share one.
#[derive(Debug)]
pub struct Allowance(AtomicU64);

impl Allowance {
    /// Creates an allowance of this many bytes.
    pub const fn new(bytes: u64) -> Self {
        Self(AtomicU64::new(bytes))
    }

    /// Takes some bytes, which are never given back.
    ///
    /// # Errors
    /// Fewer bytes are left.
    pub fn take(&self, bytes: u64) -> Result<()> {
        let less = |left: u64| left.checked_sub(bytes);
        let taken = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        taken
            .map(|_| ())
            .map_err(|_| Error::Invalid("it takes far more memory than what a compiler writes"))
    }

    /// Returns the number of bytes left.
    pub fn left(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// A destination for bytes.
pub trait Sink {
    /// Appends `bytes`.
    fn put(&mut self, bytes: &[u8]);

    /// Appends a little-endian 32-bit word.
    fn put_u32(&mut self, value: u32) {
        self.put(&value.to_le_bytes());
    }

    /// Appends a little-endian 64-bit word.
    fn put_u64(&mut self, value: u64) {
        self.put(&value.to_le_bytes());
    }

    /// Appends an unsigned LEB128 integer: seven bits a byte, the high bit set on all but the last.
    fn put_varint(&mut self, mut value: u64) {
        let mut bytes = [0; 10];
        let mut length = 0;
        loop {
            let byte = (value & 0x7f) as u8;
            value >>= 7;
            bytes[length] = if value == 0 { byte } else { byte | 0x80 };
            length += 1;
            if value == 0 {
                break;
            }
        }
        self.put(&bytes[..length]);
    }

    /// Appends a signed integer, zigzag-coded (0, −1, 1, −2 … become 0, 1, 2, 3 …) and then as
    /// LEB128.
    fn put_signed(&mut self, value: i64) {
        self.put_varint(((value << 1) ^ (value >> 63)) as u64);
    }

    /// Appends the length of `bytes` and then the bytes.
    fn put_bytes(&mut self, bytes: &[u8]) {
        self.put_varint(bytes.len() as u64);
        self.put(bytes);
    }
}

/// A sink that only counts the bytes.
pub(crate) struct Length(pub(crate) u64);

impl Sink for Length {
    fn put(&mut self, bytes: &[u8]) {
        self.0 += bytes.len() as u64;
    }
}

#[cfg(any(feature = "alloc", test))]
impl Sink for alloc::vec::Vec<u8> {
    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

/// Passes bytes on to another sink and keeps their xxHash64 (seed 0).
pub struct Checksummed<'a, S: Sink> {
    inner: &'a mut S,
    hash: Xxh64,
    written: u64,
}

impl<'a, S: Sink> Checksummed<'a, S> {
    /// Creates a checksum over everything that is written through it.
    pub fn new(inner: &'a mut S) -> Self {
        Self { inner, hash: Xxh64::new(0), written: 0 }
    }

    /// Returns the number of bytes that were written through it.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Appends the checksum of all bytes so far to the inner sink.
    pub fn finish(self) {
        let sum = self.hash.digest();
        self.inner.put_u64(sum);
    }
}

impl<S: Sink> Sink for Checksummed<'_, S> {
    fn put(&mut self, bytes: &[u8]) {
        self.hash.update(bytes);
        self.written += bytes.len() as u64;
        self.inner.put(bytes);
    }
}

/// Returns the xxHash64 (seed 0) of `bytes`.
pub fn checksum(bytes: &[u8]) -> u64 {
    xxhash_rust::xxh64::xxh64(bytes, 0)
}

/// Reads values from the front of a byte slice.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Creates a reader at the start of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Reads the beginning of every format: its magic number and its version.
    ///
    /// # Errors
    /// It is another format, or another version of this one.
    pub fn begin(&mut self, magic: [u8; 8], version: u32) -> Result<()> {
        if self.array()? != magic {
            return Err(Error::BadMagic);
        }
        let found = self.u32()?;
        if found == version { Ok(()) } else { Err(Error::BadVersion(found)) }
    }

    /// Returns the bytes that have not been read yet.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Reads the next `length` bytes.
    pub fn take(&mut self, length: usize) -> Result<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(Error::Truncated)?;
        self.rest = rest;
        Ok(taken)
    }

    /// Reads the next `N` bytes as an array.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (taken, rest) = self.rest.split_first_chunk().ok_or(Error::Truncated)?;
        self.rest = rest;
        Ok(*taken)
    }

    /// Reads a value of fixed length.
    pub fn read<T: FromBytes>(&mut self) -> Result<T> {
        let (value, rest) = T::read_from_prefix(self.rest).map_err(|_| Error::Truncated)?;
        self.rest = rest;
        Ok(value)
    }

    /// Reads one byte.
    pub fn u8(&mut self) -> Result<u8> {
        Ok(u8::from_le_bytes(self.array()?))
    }

    /// Reads a little-endian 32-bit word.
    pub fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    /// Reads a little-endian 64-bit word.
    pub fn u64(&mut self) -> Result<u64> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// Reads an unsigned LEB128 integer.
    pub fn varint(&mut self) -> Result<u64> {
        let mut value = 0u64;
        for shift in (0..).step_by(7) {
            let byte = self.u8()?;
            let bits = u64::from(byte & 0x7f);
            if shift > 63 || (shift == 63 && bits > 1) {
                return Err(Error::Invalid("a variable-length integer exceeds 64 bits"));
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                break;
            }
        }
        Ok(value)
    }

    /// Reads an LEB128 integer that must fit in 32 bits.
    pub fn varint32(&mut self) -> Result<u32> {
        u32::try_from(self.varint()?)
            .map_err(|_| Error::Invalid("an index or line exceeds 32 bits"))
    }

    /// Reads a zigzag-coded signed integer.
    pub fn signed(&mut self) -> Result<i64> {
        let coded = self.varint()?;
        Ok((coded >> 1) as i64 ^ -((coded & 1) as i64))
    }

    /// Reads the number of the items that follow, each at least one byte long. It never exceeds the
    /// number of bytes left, so that a damaged count cannot request memory that the input does not
    /// back.
    pub fn count(&mut self) -> Result<usize> {
        let count = self.varint()?;
        if count > self.rest.len() as u64 {
            return Err(Error::Truncated);
        }
        Ok(count as usize)
    }

    /// Reads length-prefixed bytes.
    pub fn bytes(&mut self) -> Result<&'a [u8]> {
        let length = self.count()?;
        self.take(length)
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn integers_come_back() {
        for value in [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX - 1, u64::MAX] {
            let mut bytes = Vec::new();
            bytes.put_varint(value);
            bytes.put_signed(value as i64);
            let mut reader = Reader::new(&bytes);
            assert_eq!(reader.varint(), Ok(value));
            assert_eq!(reader.signed(), Ok(value as i64));
            assert!(reader.rest().is_empty());
        }
    }

    #[test]
    fn overlong_integers_are_refused() {
        assert_eq!(
            Reader::new(&[0xff; 11]).varint(),
            Err(Error::Invalid("a variable-length integer exceeds 64 bits"))
        );
        assert_eq!(Reader::new(&[0x80]).varint(), Err(Error::Truncated));
    }

    #[test]
    fn a_format_begins_with_its_magic_number_and_its_version() {
        let begins = |bytes: &[u8]| {
            let mut reader = Reader::new(bytes);
            reader.begin(*b"12345678", 0x0201).map(|()| reader.rest().len())
        };
        assert_eq!(begins(b"12345678\x01\x02\0\0rest"), Ok(4));
        assert_eq!(begins(b"12345670\x01\x02\0\0rest"), Err(Error::BadMagic));
        assert_eq!(begins(b"12345678\x01\x03\0\0rest"), Err(Error::BadVersion(0x0301)));
        assert_eq!(
            (begins(b"1234567"), begins(b"12345678\x01\x02\0")),
            (Err(Error::Truncated), Err(Error::Truncated))
        );
    }

    #[test]
    fn an_allowance_ends() {
        let allowance = Allowance::new(10);
        assert_eq!(
            (allowance.take(7), allowance.take(3), allowance.take(0)),
            (Ok(()), Ok(()), Ok(()))
        );
        assert!(
            allowance.take(1).is_err()
                && allowance.take(u64::MAX).is_err()
                && allowance.left() == 0
        );
    }

    #[test]
    fn a_count_is_bounded_by_the_input() {
        assert_eq!(Reader::new(&[200, 1, 0]).count(), Err(Error::Truncated));
        assert_eq!(Reader::new(&[1, 0]).count(), Ok(1));
    }
}
