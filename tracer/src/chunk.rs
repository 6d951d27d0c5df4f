//! The chunk of the file that a stream has as memory.
//!
//! A stream keeps its mapped chunk. When the chunk is full, its content moves to a fresh chunk of
//! the file by an ordinary write, and the memory is used again. Its pages thus stay in the
//! processor's caches, and the kernel provides no new ones. Writing 512 MiB of records through one
//! mapped chunk takes half the time on a tmpfs that mapping one chunk after the other takes, and a
//! fifth on ext4.
//!
//! A process may be killed at any instruction. Nothing is lost then: the chunk in the file gets its
//! head when all the rest is there, and only then the memory loses its own. In between both are in
//! the file, with the same content.

use core::mem::offset_of;
use core::ops::Range;
use core::ptr::NonNull;
use core::slice;
use core::sync::atomic::{Ordering, compiler_fence};

use pathformat::raw::PAGE;
use pathformat::trace::{CHUNK_HEAD, ChunkHead, LONGEST_RECORD, RESERVE};
use process::sys::File;
use process::sys::mapping;
use zerocopy::little_endian::U32;
use zerocopy::{FromBytes, IntoBytes};

use crate::compressor::Compressor;
use crate::file::{CHUNK, TraceFile};
use crate::owners::Chunk;
use crate::rescue;

/// Returns the address from which on a chunk is full.
pub(crate) fn limit(start: NonNull<u8>) -> usize {
    start.as_ptr() as usize + CHUNK - RESERVE
}

/// Begins an empty mapped chunk.
pub(crate) fn begin(start: NonNull<u8>, head: &ChunkHead) {
    // SAFETY: a chunk of ours, which is longer.
    unsafe { start.cast::<ChunkHead>().write(ChunkHead { stream: U32::ZERO, ..*head }) };
    set_stream(start, head.stream);
}

/// Sets the stream of a mapped chunk. Only with a stream the rest of the head is valid.
fn set_stream(start: NonNull<u8>, stream: U32) {
    compiler_fence(Ordering::SeqCst);
    // SAFETY: a chunk of ours, which is longer.
    unsafe {
        let place = start.add(offset_of!(ChunkHead, stream)).cast::<U32>();
        place.as_ptr().write_volatile(stream);
    }
    compiler_fence(Ordering::SeqCst);
}

/// Returns the number of bytes in use of a mapped chunk of the file.
pub(crate) fn used(chunk: &Chunk) -> usize {
    // SAFETY: it is mapped, and the thread that filled it has ended.
    let words = unsafe { slice::from_raw_parts(chunk.start as *const u64, CHUNK / 8) };
    words.iter().rposition(|&word| word != 0).map_or(0, |last| (last + 1) * 8)
}

/// Moves the content of a full chunk to another place in the file, compressed if compression is on.
/// Returns the memory, empty and not begun. Returns `None`, with nothing changed, if the file takes
/// no more.
pub(crate) fn empty(
    chunk: &Chunk,
    compressor: &mut Compressor,
    known: &TraceFile,
    file: &File,
    offset: u64,
) -> Option<NonNull<u8>> {
    let start = NonNull::new(chunk.start as *mut u8)?;
    // SAFETY: mapped, and only the calling thread fills it.
    let content = unsafe { slice::from_raw_parts(start.as_ptr(), CHUNK) };
    let (head, records) = content.split_at(CHUNK_HEAD);
    let mut head = ChunkHead::read_from_bytes(head).ok()?;
    let records = match compressor.frame(records) {
        Some(frame) => {
            head.frame = (frame.len() as u32).into();
            frame
        }
        None => records,
    };
    if !known.append(file, records, offset + CHUNK_HEAD as u64)
        || !known.write(file, head.as_bytes(), offset)
    {
        return None;
    }
    set_stream(start, U32::ZERO);
    // SAFETY: as above, and the content is not read any more.
    unsafe { start.as_ptr().write_bytes(0, CHUNK) };
    Some(start)
}

/// Writes the first `used` bytes of a chunk as a short chunk, at another place in the file. The
/// memory is empty then, and not begun. Returns false, with nothing changed, if the file takes no
/// more.
pub(crate) fn shorten(
    chunk: &Chunk,
    used: usize,
    known: &TraceFile,
    file: &File,
    offset: u64,
) -> bool {
    let Some(start) = NonNull::new(chunk.start as *mut u8) else { return false };
    // SAFETY: mapped, and only the calling thread fills it.
    let content = unsafe { slice::from_raw_parts(start.as_ptr(), used) };
    let Some((head, records)) = content.split_at_checked(CHUNK_HEAD) else { return false };
    let Ok(mut head) = ChunkHead::read_from_bytes(head) else { return false };
    head.length = (records.len() as u32).into();
    let write_head = |part: Range<usize>| {
        let bytes = head.as_bytes().get(part.clone()).unwrap_or_default();
        bytes.is_empty() || known.write(file, bytes, offset + part.start as u64)
    };
    if !known.write(file, records, offset + CHUNK_HEAD as u64)
        || !parts_of_head(offset).into_iter().all(write_head)
    {
        return false;
    }
    set_stream(start, U32::ZERO);
    clear(start, used);
    true
}

/// Returns the parts of a head at this offset of the file, in the order in which they are written.
/// A head may lie on two pages, and a process may be killed between them: the number of the stream
/// makes it a head, and so comes last.
fn parts_of_head(offset: u64) -> [Range<usize>; 2] {
    let first = (PAGE - offset % PAGE).min(CHUNK_HEAD as u64) as usize;
    [first..CHUNK_HEAD, 0..first]
}

/// Fills memory of which `used` bytes are records with zeros. Behind them may stand addresses of a
/// path that has just not ended. Pages that nobody has touched stay so.
fn clear(start: NonNull<u8>, used: usize) {
    const SIZE: usize = PAGE as usize;
    const BEHIND: usize = LONGEST_RECORD / SIZE + 1;
    let touched = used.next_multiple_of(SIZE).min(CHUNK);
    // SAFETY: within the chunk, which nobody reads any more.
    let fill = |at: usize, length: usize| unsafe { start.add(at).write_bytes(0, length) };
    fill(0, touched);
    // SAFETY: within the chunk, or its end.
    let pages = mapping::present::<BEHIND>(unsafe { start.add(touched) }, CHUNK - touched);
    for (page, _) in (touched..CHUNK).step_by(SIZE).zip(pages).filter(|&(_, present)| present) {
        fill(page, SIZE);
    }
}

/// Unmaps the memory of a chunk.
pub(crate) fn unmap(chunk: &Chunk) {
    if let Some(start) = NonNull::new(chunk.start as *mut u8) {
        rescue::forget(chunk.start);
        // SAFETY: it was mapped here, and its stream has another chunk.
        unsafe { mapping::unmap(start, CHUNK) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_on_two_pages_is_one_when_its_first_page_is_written() {
        assert_eq!(parts_of_head(PAGE), [64..64, 0..64]);
        assert_eq!(parts_of_head(3 * PAGE - 64), [64..64, 0..64]);
        assert_eq!(parts_of_head(3 * PAGE - 8), [8..64, 0..8]);
    }
}
