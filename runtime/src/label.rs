//! Reads and writes the label in the header of a raw file.

use pathformat::label::Label;
use process::sys::{self, File};

/// Reads the label at this offset of a raw file.
pub(crate) fn read_label(file: &File, offset: u64) -> Option<Label> {
    let mut words = [0u64; size_of::<Label>() / size_of::<u64>()];
    let is_read = file.read_words_at(&mut words, offset) == words.len();
    Label::of(words.map(u64::to_le_bytes).as_flattened()).filter(|_| is_read)
}

/// Writes a label to the header of a raw file, and the number of segments that the process has
/// appended. The number of changes by others stays.
pub(crate) fn write_label(file: &File, offset: u64, text: &[u8], segments: u32) -> bool {
    let mut label = Label::new(text);
    label.segments = segments.into();
    let (start, bytes) = label.own_bytes();
    fits(offset) && file.write_at(bytes, offset + start as u64)
}

/// Writes the number of segments alone.
pub(crate) fn write_segments(file: &File, offset: u64, segments: u32) -> bool {
    fits(offset) && file.write_at(&segments.to_le_bytes(), offset + Label::SEGMENTS_OFFSET)
}

/// Returns true if a label at this offset lies below the limit of file sizes.
fn fits(offset: u64) -> bool {
    offset + size_of::<Label>() as u64 <= sys::file_size_limit()
}
