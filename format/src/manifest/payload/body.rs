//! The body of a payload and its table of strings: the encoding of values of every kind.
//!
//! Strings are stored once, in a table; everything else is LEB128. The input is not trusted.

use alloc::string::String;
use alloc::vec::Vec;

use hashbrown::HashMap;

use crate::wire::{Allowance, Error, Reader, Result, Sink};

/// Returns the code of `value` in `table`, which is its position.
pub(super) fn code<T: PartialEq>(table: &[T], value: &T) -> u64 {
    table.iter().position(|entry| entry == value).expect("every value stands in its table") as u64
}

pub(super) fn decoded<T: Copy>(table: &[T], code: u64, what: &'static str) -> Result<T> {
    usize::try_from(code).ok().and_then(|code| table.get(code)).copied().ok_or(Error::Invalid(what))
}

/// Returns the value of a name, or an error if there is none.
pub(super) fn known<T>(value: Option<T>, what: &'static str) -> Result<T> {
    value.ok_or(Error::Invalid(what))
}

/// Collects strings while the body is written; the table goes in front of the body.
#[derive(Default)]
pub(super) struct Writer {
    body: Vec<u8>,
    index: HashMap<String, u64>,
    strings: Vec<String>,
}

impl Sink for Writer {
    fn put(&mut self, bytes: &[u8]) {
        self.body.put(bytes);
    }
}

impl Writer {
    pub(super) fn put_string(&mut self, text: &str) {
        let index = match self.index.get(text) {
            Some(&index) => index,
            None => {
                let index = self.strings.len() as u64;
                self.index.insert(text.into(), index);
                self.strings.push(text.into());
                index
            }
        };
        self.put_varint(index);
    }

    /// Appends an optional number: `None` is 0, `Some(n)` is n + 1.
    pub(super) fn put_optional(&mut self, value: Option<u32>) {
        self.put_varint(value.map_or(0, |value| u64::from(value) + 1));
    }

    pub(super) fn put_list<T>(&mut self, items: &[T], put: impl Fn(&mut Self, &T)) {
        self.put_varint(items.len() as u64);
        items.iter().for_each(|item| put(self, item));
    }

    pub(super) fn finish(self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.body.len() * 2);
        bytes.put_varint(self.strings.len() as u64);
        self.strings.iter().for_each(|text| bytes.put_bytes(text.as_bytes()));
        bytes.put(&self.body);
        bytes
    }
}

pub(super) fn text(bytes: &[u8]) -> Result<&str> {
    core::str::from_utf8(bytes).map_err(|_| Error::Invalid("a string is not UTF-8"))
}

/// Reads the body with the string table at hand.
pub(super) struct Source<'a> {
    pub(super) reader: Reader<'a>,
    strings: Vec<&'a str>,
    /// The limit on the memory for decoded values. A few bytes can stand for a long string or an
    /// empty block, and there may be many of them.
    allowance: &'a Allowance,
}

impl<'a> Source<'a> {
    pub(super) fn new(bytes: &'a [u8], allowance: &'a Allowance) -> Result<Self> {
        let mut source = Self { reader: Reader::new(bytes), strings: Vec::new(), allowance };
        source.strings = source.list(|from| text(from.reader.bytes()?))?;
        Ok(source)
    }

    pub(super) fn string(&mut self) -> Result<String> {
        let index = self.reader.varint32()? as usize;
        let text =
            *self.strings.get(index).ok_or(Error::Invalid("a string's index is out of range"))?;
        self.allowance.take(text.len() as u64)?;
        Ok(text.into())
    }

    /// Reads a text that is not in the table.
    pub(super) fn text(&mut self) -> Result<String> {
        let text = text(self.reader.bytes()?)?;
        self.allowance.take(text.len() as u64)?;
        Ok(text.into())
    }

    pub(super) fn optional(&mut self) -> Result<Option<u32>> {
        Ok(self.reader.varint32()?.checked_sub(1))
    }

    pub(super) fn list<T>(&mut self, read: impl Fn(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let (count, mut list) = self.room()?;
        for _ in 0..count {
            list.push(read(self)?);
        }
        Ok(list)
    }

    /// Reads the number of items that follow. Returns it with an empty list that has room for them.
    pub(super) fn room<T>(&mut self) -> Result<(usize, Vec<T>)> {
        let count = self.reader.count()?;
        self.allowance.take(count.saturating_mul(size_of::<T>()) as u64)?;
        Ok((count, Vec::with_capacity(count)))
    }

    /// Reads an index that must be below `length`.
    pub(super) fn index(&mut self, length: usize, what: &'static str) -> Result<u32> {
        let index = self.reader.varint32()?;
        if (index as usize) < length { Ok(index) } else { Err(Error::Invalid(what)) }
    }
}
