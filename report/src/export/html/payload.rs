//! Makes payloads of values, and writes exact numbers into them.
//!
//! Payloads of functions are small and much alike, so they are compressed with a dictionary: the
//! beginnings of some of them. A browser does not take a dictionary as such. It gets the dictionary
//! as the first piece of a stream, which is not compressed and whose text is dropped.

use std::borrow::Cow;
use std::cell::RefCell;

use anyhow::{Context, Result};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use counts::model::Count;
use flate2::{Compress, Compression, FlushCompress, Status};
use profile::escape::{Json, terminal};
use serde::{Serialize, Serializer};

/// The largest whole number up to which JavaScript's numbers are exact.
const EXACT: Count = 1 << 53;

/// The level of compression. Above it files become hardly smaller and take much longer.
const LEVEL: u32 = 6;

/// The largest length of a piece of a stream that is not compressed.
const LONGEST_DICTIONARY: usize = (1 << 16) - 1;

/// The reach of back references.
const WINDOW: usize = 1 << 15;

thread_local! {
    /// One for each thread, since creating one takes longer than using it.
    static COMPRESS: RefCell<Compress> =
        RefCell::new(Compress::new(Compression::new(LEVEL), false));
}

/// A named piece of data, compressed and in base64.
pub(super) struct Payload {
    /// Letters, digits and dots.
    pub(super) name: String,
    /// In base64.
    pub(super) text: String,
}

impl Payload {
    pub(super) fn new(name: String, text: String) -> Self {
        Self { name, text }
    }
}

/// The text to which other payloads refer back.
#[derive(Default)]
pub(super) struct Dictionary(Vec<u8>);

impl Dictionary {
    /// Returns the beginnings of values.
    pub(super) fn of<T: Serialize>(values: impl ExactSizeIterator<Item = T>) -> Result<Self> {
        let each = WINDOW / values.len().max(1);
        let mut bytes = Vec::new();
        for value in values {
            let json = json(&value)?;
            bytes.extend_from_slice(&json[..json.len().min(each)]);
        }
        bytes.truncate(LONGEST_DICTIONARY);
        Ok(Self(bytes))
    }

    /// Returns the dictionary as a payload: in base64, not compressed.
    pub(super) fn payload(&self) -> Payload {
        Payload::new("dictionary".into(), STANDARD.encode(&self.0))
    }

    /// Does the same as [`pack`], with this dictionary.
    pub(super) fn pack(&self, value: &impl Serialize) -> Result<String> {
        deflate(&json(value)?, &self.0)
    }
}

/// Returns the JSON of a value, compressed and in base64.
pub(super) fn pack(value: &impl Serialize) -> Result<String> {
    deflate(&json(value)?, &[])
}

fn json(value: &impl Serialize) -> Result<Vec<u8>> {
    let mut json = Vec::new();
    serde_json::to_writer(Json(&mut json), value)?;
    Ok(json)
}

fn deflate(bytes: &[u8], dictionary: &[u8]) -> Result<String> {
    COMPRESS.with_borrow_mut(|compress| {
        compress.reset();
        if !dictionary.is_empty() {
            compress.set_dictionary(dictionary).context("the dictionary of payloads")?;
        }
        let mut out = Vec::with_capacity(bytes.len() / 2 + 64);
        loop {
            let rest = &bytes[compress.total_in() as usize..];
            if compress.compress_vec(rest, &mut out, FlushCompress::Finish)? == Status::StreamEnd {
                return Ok(STANDARD.encode(&out));
            }
            out.reserve(bytes.len().max(64));
        }
    })
}

/// A count: a number, or a text with its digits where a number would not be exact.
#[derive(Clone, Copy)]
pub(super) struct Exact(pub(super) Count);

impl Serialize for Exact {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match u64::try_from(self.0) {
            Ok(count) if self.0 <= EXACT => serializer.serialize_u64(count),
            _ => serializer.collect_str(&self.0),
        }
    }
}

/// A number with a sign, as [`Exact`] writes counts.
#[derive(Clone, Copy)]
pub(super) struct Signed(pub(super) i128);

impl Serialize for Signed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match i64::try_from(self.0) {
            Ok(number) if self.0.unsigned_abs() <= EXACT => serializer.serialize_i64(number),
            _ => serializer.collect_str(&self.0),
        }
    }
}

/// Returns a name without invisible characters.
pub(super) fn shown(name: &str) -> Cow<'_, str> {
    terminal(name)
}
