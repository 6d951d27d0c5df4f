//! The label under which a process counts: a text of the user's, stored in the header of its raw
//! file.
//!
//! A program names what it does from here on (`pathcc/profile.h`), or its starter does
//! ([`LABEL`](crate::variables::LABEL)). At each change, what was counted under the last label is
//! appended to the profile as a [segment](crate::profile::SEGMENT) of the run. The counters
//! themselves go on growing, so that the raw file always has all counts of its process: a reader
//! subtracts the segments, and what is left belongs to the label in the header.
//!
//! ```text
//!  0                 4          8        12            512
//!  | foreign changes | segments | length | text, zeros |
//! ```

use core::mem::offset_of;

use zerocopy::little_endian::U32;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The largest length of a label, in bytes. Longer ones are cut, at a character of UTF-8.
pub const LONGEST: usize = 500;

/// The label of a process. All-zero bytes are no label.
#[repr(C)]
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned,
)]
pub struct Label {
    /// The number of times that another process has changed it. The segments that others append are
    /// unknown to the process, which therefore writes [all counts](crate::profile::CUMULATIVE)
    /// once.
    pub foreign: U32,
    /// The number of segments that the process itself has appended. A reader that knows fewer has
    /// read the profile too early.
    pub segments: U32,
    length: U32,
    text: [u8; LONGEST],
}

/// The length of a label in a header, in bytes.
pub const ROOM: u64 = size_of::<Label>() as u64;

const _: () = assert!(ROOM == 512);

impl Label {
    /// No label.
    pub const NONE: Self =
        Self { foreign: U32::ZERO, segments: U32::ZERO, length: U32::ZERO, text: [0; LONGEST] };

    /// The offset of the number of segments.
    pub const SEGMENTS_OFFSET: u64 = offset_of!(Self, segments) as u64;

    /// Returns the label with this text, or with as much of it as is [kept](LONGEST).
    pub fn new(text: &[u8]) -> Self {
        let mut label = Self::NONE;
        let kept = kept(text);
        label.length = (kept.len() as u32).into();
        label.text.iter_mut().zip(kept).for_each(|(to, from)| *to = *from);
        label
    }

    /// Reads a label; `None` if these are too few bytes.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        Self::read_from_prefix(bytes).ok().map(|(label, _)| label)
    }

    /// Returns its bytes behind the number of changes by others, and their offset.
    pub fn own_bytes(&self) -> (usize, &[u8]) {
        let start = size_of_val(&self.foreign);
        (start, self.as_bytes().get(start..).unwrap_or_default())
    }

    /// Returns the bytes of its text with the length in front, and their offset.
    pub fn text_bytes(&self) -> (usize, &[u8]) {
        let start = offset_of!(Self, length);
        (start, self.as_bytes().get(start..).unwrap_or_default())
    }

    /// Returns the number of all segments that were appended until the label was written.
    pub fn number(&self) -> u64 {
        u64::from(self.foreign.get()) + u64::from(self.segments.get())
    }

    /// Returns its text; empty if there is no label.
    pub fn text(&self) -> &[u8] {
        self.text.get(..self.length.get() as usize).unwrap_or_default()
    }
}

/// Returns as much of a text as a label keeps.
pub fn kept(text: &[u8]) -> &[u8] {
    let is_continuation = |at: usize| text.get(at).is_some_and(|byte| byte & 0xc0 == 0x80);
    let mut end = text.len().min(LONGEST);
    // A character has at most four bytes. What is not UTF-8 is cut anywhere.
    for _ in 0..3 {
        if is_continuation(end) {
            end -= 1;
        }
    }
    text.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_keeps_its_text() {
        for text in [&b""[..], b"parse", "\u{e9}t\u{e9}".as_bytes()] {
            assert_eq!(Label::new(text).text(), text);
        }
        assert_eq!(Label::of(&[0; ROOM as usize]), Some(Label::NONE));
        let (start, bytes) = Label::NONE.own_bytes();
        assert_eq!((start, bytes.len() as u64), (4, ROOM - 4));
        assert_eq!(Label { length: 501.into(), ..Label::NONE }.text(), b"");
    }

    #[test]
    fn a_long_one_is_cut_at_a_character() {
        assert_eq!(kept(&[b'x'; 600]).len(), LONGEST);
        let text = alloc::format!("{}\u{1f600}", "x".repeat(LONGEST - 2));
        assert_eq!(kept(text.as_bytes()), "x".repeat(LONGEST - 2).as_bytes());
        assert_eq!(kept(&[0x80; 600]).len(), LONGEST - 3);
    }
}
