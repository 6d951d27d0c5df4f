//! What threads leave when they end: the place for their records, and memory for other threads.
//!
//! A thread that has recorded little keeps no chunk of the file. Its records move into a chunk that
//! many threads share, and another thread gets its memory. So short threads do not need a mapping
//! each, nor 256 KiB of the file.

use pathformat::trace::{CHUNK_HEAD, SHORT_ALIGNMENT};

use crate::file::CHUNK;
use crate::owners::Chunk;

/// The largest number of bytes that are moved: with more, a chunk is well used.
pub(crate) const MOST: usize = CHUNK / 4;

/// The largest number of mapped chunks that wait for a thread.
const SPARE: usize = 64;

/// All-zero bytes are the state at first.
pub(crate) struct Ended {
    /// The offset in the file of the next short chunk, and the number of bytes that are left there.
    next: (u64, usize),
    spare: [Chunk; SPARE],
    spare_count: usize,
}

impl Ended {
    /// Returns the state at first.
    pub(crate) const fn new() -> Self {
        Self { next: (0, 0), spare: [Chunk::NONE; SPARE], spare_count: 0 }
    }

    /// Forgets the place for records.
    pub(crate) fn forget(&mut self) {
        self.next = (0, 0);
    }

    /// Begins to fill the chunk at this offset, which has a head.
    pub(crate) fn begin(&mut self, offset: u64) {
        self.next = (offset + CHUNK_HEAD as u64, CHUNK - CHUNK_HEAD);
    }

    /// Returns the offset of a short chunk of `used` bytes with its head; `None` if the chunk that
    /// is filled has no room for it.
    pub(crate) fn place(&mut self, used: usize) -> Option<u64> {
        let (offset, left) = self.next;
        let taken = used.next_multiple_of(SHORT_ALIGNMENT);
        self.next = (offset + taken as u64, left.checked_sub(taken)?);
        Some(offset)
    }

    /// Keeps an empty mapped chunk. Returns it if there are enough.
    pub(crate) fn keep(&mut self, chunk: Chunk) -> Option<Chunk> {
        let Some(place) = self.spare.get_mut(self.spare_count) else { return Some(chunk) };
        *place = chunk;
        self.spare_count += 1;
        None
    }

    /// Takes an empty mapped chunk, if there is one.
    pub(crate) fn take(&mut self) -> Option<Chunk> {
        self.spare_count = self.spare_count.checked_sub(1)?;
        self.spare.get(self.spare_count).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_chunks_stand_one_behind_the_other() {
        let mut ended = Ended::new();
        assert_eq!(ended.place(100), None);
        ended.begin(4096);
        let places = [100, 8, CHUNK - 64 - 112].map(|used| ended.place(used));
        assert_eq!(places, [Some(4160), Some(4264), Some(4272)]);
        assert_eq!(ended.place(1), None);
    }

    #[test]
    fn memory_waits_for_other_threads() {
        let mut ended = Ended::new();
        let chunk = |start| {
            let mut chunk = Chunk::NONE;
            chunk.start = start;
            chunk
        };
        assert!(ended.take().is_none());
        assert!((1..=SPARE).all(|start| ended.keep(chunk(start)).is_none()));
        assert_eq!(ended.keep(chunk(99)), Some(chunk(99)));
        assert_eq!(ended.take(), Some(chunk(SPARE)));
        assert_eq!(ended.keep(chunk(99)), None);
        assert_eq!(ended.take(), Some(chunk(99)));
    }
}
