//! The note that locates a counter array in an image that another linker made.
//!
//! It is in the COMDAT group of its array. `ld.pathld`, which defines the arrays of an image, makes
//! the linker drop the groups of objects, and adds a note that it linked the image: some notes of
//! arrays are left over from link-time optimisation. Notes are loaded, in segments `PT_NOTE`, and
//! stay in a stripped image.

use core::mem::offset_of;

use zerocopy::little_endian::{U32, U64};
use zerocopy::{FromBytes, Immutable, KnownLayout, Unaligned};

use crate::ModuleId;
use crate::settings::Threads;

/// The section of an object that holds the note.
pub const SECTION: &str = ".note.pathcc";

/// The owner of the notes: its name, closed by a NUL.
pub const OWNER: [u8; 7] = *b"pathcc\0";

/// The alignment of notes in bytes.
pub const ALIGNMENT: u32 = 4;

/// The content of a note of an array, as in the image.
#[repr(C)]
#[derive(FromBytes, Immutable, KnownLayout, Unaligned)]
struct Content {
    id: [u8; 16],
    /// The distance of the array from this word.
    distance: U64,
    counters: U64,
    keys: U64,
    threads: U32,
    unused: U32,
}

/// The kind of a note. Tools give their own meanings to small numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Kind {
    /// The place of an array.
    Array = u32::from_le_bytes(*b"path"),
    /// The image was linked by `ld.pathld`. The note has no content.
    Linked = u32::from_le_bytes(*b"link"),
}

/// Returns the head of a note, before its content.
pub fn head(kind: Kind) -> [u8; 20] {
    let length = if kind == Kind::Array { size_of::<Content>() } else { 0 };
    let words = [OWNER.len() as u32, length as u32, kind as u32].map(u32::to_le_bytes);
    let mut head = [0; 20];
    let (before, owner) = head.split_at_mut(12);
    before.copy_from_slice(words.as_flattened());
    owner[..OWNER.len()].copy_from_slice(&OWNER);
    head
}

/// The content of a note of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Array {
    /// Its module.
    pub id: ModuleId,
    /// Its address.
    pub address: usize,
    /// Its length in counters.
    pub counters: u64,
    /// The number of keys behind the counters.
    pub keys: u64,
    /// The way threads count.
    pub threads: Threads,
}

impl Array {
    /// Reads the content of a note, which is at `address`; `None` if it is damaged.
    pub fn decode(content: &[u8], address: usize) -> Option<Self> {
        let (content, _) = Content::ref_from_prefix(content).ok()?;
        let word = address.wrapping_add(offset_of!(Content, distance));
        Some(Self {
            id: ModuleId(content.id),
            address: word.wrapping_add(content.distance.get() as usize),
            counters: content.counters.get(),
            keys: content.keys.get(),
            threads: Threads::from_code(content.threads.get()),
        })
    }

    /// Returns the address behind the array; `None` if it overflows.
    pub fn end(&self) -> Option<usize> {
        let words = self.counters.checked_add(self.keys)?;
        self.address.checked_add(usize::try_from(words.checked_mul(8)?).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LENGTH: usize = 48;

    fn content(distance: i64, counters: u64, keys: u64) -> [u8; LENGTH] {
        let mut bytes = [7; LENGTH];
        bytes[16..24].copy_from_slice(&distance.to_le_bytes());
        bytes[24..32].copy_from_slice(&counters.to_le_bytes());
        bytes[32..40].copy_from_slice(&keys.to_le_bytes());
        bytes[40..].copy_from_slice(&[2, 0, 0, 0, 0, 0, 0, 0]);
        bytes
    }

    #[test]
    fn an_array_is_found_from_its_note() {
        let array = Array::decode(&content(-0x10, 5, 3), 0x1000).expect("whole");
        let id = ModuleId([7; 16]);
        assert_eq!(
            array,
            Array { id, address: 0x1000, counters: 5, keys: 3, threads: Threads::Atomic }
        );
        assert_eq!(array.end(), Some(0x1040));
        for (counters, keys) in [(u64::MAX, 1), (u64::MAX / 8, 1), (1 << 61, 0)] {
            assert_eq!(
                Array::decode(&content(0, counters, keys), 0x1000).and_then(|array| array.end()),
                None
            );
        }
        for length in 0..LENGTH {
            assert_eq!(Array::decode(&content(0, 1, 1)[..length], 0), None);
        }
    }
}
