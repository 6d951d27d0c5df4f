//! Collects bytes in memory, so that one system call writes them all.
//!
//! The bytes start in a static buffer. When the buffer is full they move to mapped memory, and from
//! there to a larger mapping.

use core::ptr::{self, NonNull};
use core::slice;

use pathformat::wire::Sink;
use process::sys::mapping::{self, At};

/// The number of bytes that are collected without mapping memory.
pub(crate) const BUFFER: usize = 1 << 14;

/// The size of new memory, as a multiple of the bytes that need it.
const GROWTH: usize = 4;

/// Bytes that are written one behind the other.
pub(crate) struct Collected<'a> {
    buffer: &'a mut [u8; BUFFER],
    mapped: Option<(NonNull<u8>, usize)>,
    length: usize,
    failed: bool,
}

impl<'a> Collected<'a> {
    /// Creates an empty collection.
    pub(crate) fn new(buffer: &'a mut [u8; BUFFER]) -> Self {
        Self { buffer, mapped: None, length: 0, failed: false }
    }

    /// Returns the bytes; `None` if there was no memory for all of them.
    pub(crate) fn bytes(&self) -> Option<&[u8]> {
        let start = self.mapped.map_or(self.buffer.as_ptr(), |(start, _)| start.as_ptr());
        // SAFETY: `length` bytes were written there, and nothing changes them while `self` is
        // borrowed.
        (!self.failed).then(|| unsafe { slice::from_raw_parts(start, self.length) })
    }

    fn capacity(&self) -> usize {
        self.mapped.map_or(BUFFER, |(_, capacity)| capacity)
    }

    /// Returns the start of memory with room for `length` bytes.
    fn reserve(&mut self, length: usize) -> Option<NonNull<u8>> {
        let start = self.mapped.map_or(NonNull::from(&mut *self.buffer).cast(), |(start, _)| start);
        if length <= self.capacity() {
            return Some(start);
        }
        let capacity = length.checked_mul(GROWTH)?;
        let larger = mapping::map_private(At::Anywhere, capacity)?;
        // SAFETY: both are at least this long, and the larger one is fresh.
        unsafe { ptr::copy_nonoverlapping(start.as_ptr(), larger.as_ptr(), self.length) };
        if let Some((start, capacity)) = self.mapped.replace((larger, capacity)) {
            // SAFETY: it was mapped here, and its content has moved.
            unsafe { mapping::unmap(start, capacity) };
        }
        Some(larger)
    }
}

impl Drop for Collected<'_> {
    fn drop(&mut self) {
        if let Some((start, capacity)) = self.mapped {
            // SAFETY: it was mapped in `reserve`, and is not used any more.
            unsafe { mapping::unmap(start, capacity) };
        }
    }
}

impl Sink for Collected<'_> {
    fn put(&mut self, bytes: &[u8]) {
        let after = self.length + bytes.len();
        match self.reserve(after) {
            Some(start) if !self.failed => {
                // SAFETY: there is room, and the bytes are in other memory.
                unsafe {
                    ptr::copy_nonoverlapping(
                        bytes.as_ptr(),
                        start.as_ptr().add(self.length),
                        bytes.len(),
                    )
                };
                self.length = after;
            }
            _ => self.failed = true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_grow_as_long_as_there_is_memory() {
        let mut buffer = Box::new([0; BUFFER]);
        let mut collected = Collected::new(&mut buffer);
        let mut expected = Vec::new();
        for round in 0..200_000u32 {
            collected.put(&round.to_le_bytes());
            expected.extend(round.to_le_bytes());
        }
        collected.put(&[]);
        assert!(collected.mapped.is_some_and(|(_, capacity)| capacity >= expected.len()));
        assert_eq!(collected.bytes(), Some(&expected[..]));
        collected.failed = true;
        collected.put(b"more");
        assert_eq!(collected.bytes(), None);
    }
}
