//! The owners of chunks, by which the chunks of threads that ended are found.
//!
//! The end of a thread is not reported: the C library would have to allocate memory for the
//! function to call. Now and then the kernel is therefore asked which of the threads still exist.

use core::ptr::NonNull;
use core::{mem, slice};

use process::sys::mapping::{self, At};

/// A mapped chunk: its number from 1, or 0 for none.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Owner(u32);

impl Owner {
    /// No chunk.
    pub(crate) const NONE: Self = Self(0);
}

/// A chunk and its owner. All-zero bytes are a free entry.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Chunk {
    /// The address of the mapping; 0 if the entry is free.
    pub(crate) start: usize,
    /// The offset in the file; 0 if it is private memory.
    pub(crate) offset: u64,
    /// The kernel's number of the thread.
    pub(crate) thread: u32,
    /// The next free entry.
    free: u32,
}

impl Chunk {
    /// No chunk.
    pub(crate) const NONE: Self = Self { start: 0, offset: 0, thread: 0, free: 0 };
}

/// The number of entries for which there is room at first.
const FIRST: usize = 128;

/// The smallest number of chunks at which threads that ended are searched for.
const FEW: usize = 16;

/// All chunks that are mapped.
pub(crate) struct Owners {
    entries: Option<NonNull<Chunk>>,
    /// The number of entries for which there is memory.
    capacity: usize,
    /// The number of entries that were ever used.
    length: usize,
    /// The first free entry, from 1.
    free: u32,
    used: usize,
    /// The number of chunks from which on a search is due.
    search_at: usize,
}

impl Owners {
    /// Returns an empty list.
    pub(crate) const fn new() -> Self {
        Self { entries: None, capacity: 0, length: 0, free: 0, used: 0, search_at: FEW }
    }

    fn entries(&mut self) -> &mut [Chunk] {
        // SAFETY: `length` entries are in the mapping, which is ours alone.
        self.entries.map_or(&mut [], |start| unsafe {
            slice::from_raw_parts_mut(start.as_ptr(), self.length)
        })
    }

    /// Makes sure that there is memory for one more entry.
    fn reserve(&mut self) -> bool {
        if self.free != 0 || self.length < self.capacity {
            return true;
        }
        let capacity = (self.capacity * 2).max(FIRST);
        let Some(larger) = mapping::map_private(At::Anywhere, capacity * size_of::<Chunk>()) else {
            return false;
        };
        let larger = larger.cast::<Chunk>();
        if let Some(entries) = self.entries {
            // SAFETY: both are at least this long, and the memory that is unmapped is not used any
            // more.
            unsafe {
                larger.as_ptr().copy_from_nonoverlapping(entries.as_ptr(), self.length);
                mapping::unmap(entries.cast(), self.capacity * size_of::<Chunk>());
            }
        }
        (self.entries, self.capacity) = (Some(larger), capacity);
        true
    }

    /// Adds a chunk; `None` if there is no memory for that.
    pub(crate) fn add(&mut self, thread: u32, start: usize, offset: u64) -> Option<Owner> {
        if !self.reserve() {
            return None;
        }
        let place = match self.free {
            0 => {
                self.length += 1;
                self.length - 1
            }
            free => free as usize - 1,
        };
        let known_free = self.free;
        let entry = self.entries().get_mut(place)?;
        let next = if known_free == 0 { 0 } else { entry.free };
        *entry = Chunk { start, offset, thread, free: 0 };
        self.free = next;
        self.used += 1;
        Some(Owner(place as u32 + 1))
    }

    /// Returns a chunk.
    pub(crate) fn get(&mut self, owner: Owner) -> Option<Chunk> {
        let place = (owner.0 as usize).checked_sub(1)?;
        self.entries().get(place).copied().filter(|chunk| chunk.start != 0)
    }

    /// Removes a chunk and returns it.
    pub(crate) fn remove(&mut self, owner: Owner) -> Option<Chunk> {
        let chunk = self.get(owner)?;
        let free = self.free;
        *self.entries().get_mut(owner.0 as usize - 1)? = Chunk { free, ..Chunk::NONE };
        self.free = owner.0;
        self.used -= 1;
        Some(chunk)
    }

    /// Returns true if enough chunks are mapped for a search for threads that ended.
    pub(crate) fn is_time_to_search(&self) -> bool {
        self.used >= self.search_at
    }

    /// Removes the chunks for which `is_lost` returns true, and passes each to `drop`.
    pub(crate) fn search(
        &mut self,
        mut is_lost: impl FnMut(Owner, &Chunk) -> bool,
        mut drop: impl FnMut(Chunk),
    ) {
        for number in 1..=self.length as u32 {
            if self.get(Owner(number)).is_some_and(|chunk| is_lost(Owner(number), &chunk)) {
                self.remove(Owner(number)).into_iter().for_each(&mut drop);
            }
        }
        self.search_at = (self.used * 2).max(FEW);
    }

    /// Unmaps the memory. No chunk may be left.
    pub(crate) fn close(&mut self) {
        let known = mem::replace(self, Self::new());
        if let Some(entries) = known.entries {
            // SAFETY: it was mapped here, and no code has it any more.
            unsafe { mapping::unmap(entries.cast(), known.capacity * size_of::<Chunk>()) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_found_until_they_are_removed() {
        let mut owners = Owners::new();
        let all: Vec<Owner> = (1..=1000u32)
            .map(|number| owners.add(number, number as usize * 8, number.into()).expect("memory"))
            .collect();
        assert_eq!(owners.used, 1000);
        for (number, &owner) in (1..).zip(&all) {
            let chunk = owners.get(owner).expect("it is there");
            assert_eq!(
                (chunk.thread, chunk.start, chunk.offset),
                (number, number as usize * 8, number.into())
            );
        }
        assert_eq!(owners.remove(all[4]).expect("it is there").thread, 5);
        assert_eq!((owners.remove(all[4]), owners.get(all[4])), (None, None));
        assert_eq!(owners.remove(all[6]).expect("it is there").thread, 7);
        let again = [owners.add(7, 8, 0), owners.add(5, 8, 0), owners.add(1001, 8, 0)];
        assert_eq!(again, [Some(all[6]), Some(all[4]), Some(Owner(1001))]);
        assert_eq!(owners.get(Owner::NONE), None);
    }

    #[test]
    fn a_search_takes_what_is_lost() {
        let mut owners = Owners::new();
        assert!(!owners.is_time_to_search());
        (1..=100).for_each(|number| assert!(owners.add(number, 8, 0).is_some()));
        assert!(owners.is_time_to_search());
        let mut dropped = Vec::new();
        owners.search(|_, chunk| chunk.thread % 4 != 0, |chunk| dropped.push(chunk.thread));
        assert_eq!((dropped.len(), owners.used), (75, 25));
        assert!(dropped.iter().all(|thread| thread % 4 != 0));
        assert!(!owners.is_time_to_search(), "not before there are 50");
    }
}
