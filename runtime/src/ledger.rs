//! What earlier segments of a run have, and room for the next one, each laid out like a slot.
//!
//! A slot may be hundreds of megabytes of zeros. A bit for each page of both parts says whether it
//! may have anything else, so that a segment takes no time for the others. The memory stays mapped:
//! the next segment needs no new pages.

use core::ptr::NonNull;

use process::sys::mapping::{self, At};

use crate::counters::{self, Source};
use crate::pages::Pages;

/// The memory of both parts.
#[derive(Clone, Copy)]
pub(crate) struct Ledger {
    start: NonNull<u8>,
    /// The length of a slot.
    size: usize,
}

impl Ledger {
    /// Maps an empty ledger for slots of this length; `None` without memory.
    pub(crate) fn map(size: usize) -> Option<Self> {
        let start = mapping::map_private(At::Anywhere, Self::total(size))?;
        Some(Self { start, size })
    }

    /// Returns the number of bytes of address space that a ledger takes.
    pub(crate) fn total(size: usize) -> usize {
        size.saturating_add(8 + 2 * 8 * Pages::length(size)).saturating_add(size)
    }

    /// Gives its memory back. No copy of it may be used any more.
    pub(crate) fn unmap(self) {
        // SAFETY: it was mapped in `map`, and is not used any more.
        unsafe { mapping::unmap(self.start, Self::total(self.size)) };
    }

    /// Begins the next segment, with counts of this slot alone, or of several ones if it is `None`.
    /// Returns true if earlier segments have counts of the same slot alone, or none.
    pub(crate) fn begin(self, slot: Option<u32>) -> bool {
        const SEVERAL: u64 = u64::MAX;
        // SAFETY: the last word of the memory, which is used as the other parts are.
        unsafe {
            let word = self.start.add(Self::total(self.size) - 8).cast::<u64>();
            let own = slot.map_or(SEVERAL, |slot| u64::from(slot) + 1);
            let is_own = word.read() == 0 || word.read() == own;
            word.write(if is_own { own } else { SEVERAL });
            is_own && own != SEVERAL
        }
    }

    /// Returns the counts of earlier segments.
    fn counts(self) -> NonNull<u8> {
        self.start
    }

    /// Returns the counts of the next segment.
    pub(crate) fn sums(self) -> NonNull<u8> {
        // SAFETY: within the memory, which is twice as long as a slot.
        unsafe { self.start.add(self.size) }
    }

    fn pages(self, index: usize) -> Pages {
        let count = Pages::length(self.size);
        // SAFETY: behind both parts, whose lengths are multiples of eight. The lock of the registry
        // lets one thread at a time use the ledger.
        unsafe { Pages::new(self.start.add(2 * self.size + index * 8 * count).cast(), count) }
    }

    /// Returns the pages of earlier segments.
    pub(crate) fn noted(self) -> Pages {
        self.pages(0)
    }

    /// Returns the pages of the next segment.
    pub(crate) fn changed(self) -> Pages {
        self.pages(1)
    }

    /// Adds a count to the next segment.
    pub(crate) fn add(self, offset: usize, count: u64) {
        self.changed().add(offset);
        // SAFETY: the part is as long as a slot, and only used under the lock of the registry.
        unsafe { counters::add(self.sums(), offset, count) };
    }

    /// Adds what a slot has more than the earlier segments. No other slot has counts.
    ///
    /// Most of the time is spent waiting for the slot's pages. It is not saved by comparing more
    /// bytes at a time, by prefetching, or by leaving out zeros.
    ///
    /// # Safety
    /// The slot must be mapped there. Other threads may write to it meanwhile.
    pub(crate) unsafe fn add_growth(self, start: NonNull<u8>, source: &mut Source<'_>) {
        let mut rest = 0..self.size;
        while let Some(part) = source.next(start.as_ptr() as usize, rest.clone()) {
            rest.start = part.end;
            for offset in part.step_by(8) {
                // SAFETY: the word is within the slot and the ledger. The read of the slot is
                // volatile, since threads may still be counting.
                let (count, before) = unsafe {
                    let count = start.as_ptr().add(offset).cast::<u64>().read_volatile();
                    (count, self.counts().as_ptr().add(offset).cast::<u64>().read())
                };
                if count != before {
                    self.add(offset, count.wrapping_sub(before));
                }
            }
        }
    }

    /// Takes what earlier segments have from the next one.
    pub(crate) fn subtract(self) {
        let mut source = Source::Pages(self.noted());
        let subtract = |offset, count: u64| self.add(offset, count.wrapping_neg());
        // SAFETY: the part is as long as a slot.
        unsafe { counters::visit(self.counts(), 0..self.size, &mut source, subtract) };
    }

    /// Notes that earlier segments have a count.
    pub(crate) fn note(self, offset: usize, count: u64) {
        self.noted().add(offset);
        // SAFETY: as in `add`.
        unsafe { counters::add(self.counts(), offset, count) };
    }

    /// Notes all counts of the next segment.
    pub(crate) fn note_all(self) {
        let mut source = Source::Pages(self.changed());
        let note = |offset, count| self.note(offset, count);
        // SAFETY: the part is as long as a slot.
        unsafe { counters::visit(self.sums(), 0..self.size, &mut source, note) };
    }

    /// Empties the next segment.
    pub(crate) fn clear(self) {
        let changed = self.changed();
        let mut source = Source::Pages(changed);
        let mut rest = 0..self.size;
        while let Some(part) = source.next(self.sums().as_ptr() as usize, rest.clone()) {
            rest.start = part.end;
            changed.remove(part.start);
            // SAFETY: within the part.
            unsafe { self.sums().add(part.start).write_bytes(0, part.len()) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counters::{PageMap, Window};
    use crate::pages::PAGE;

    const SIZE: usize = 200 * PAGE + 24;

    fn sums(ledger: Ledger) -> Vec<(usize, u64)> {
        let (mut seen, mut source) = (Vec::new(), Source::Pages(ledger.changed()));
        // SAFETY: the part is as long.
        unsafe {
            counters::visit(ledger.sums(), 0..SIZE, &mut source, |at, count| seen.push((at, count)))
        };
        seen
    }

    #[test]
    fn a_segment_has_what_has_grown() {
        let slot = mapping::map_private(At::Anywhere, SIZE).expect("memory");
        let ledger = Ledger::map(SIZE).expect("memory");
        let count = |offset, count| {
            // SAFETY: within the slot, which nobody else uses.
            unsafe { counters::add(slot, offset, count) }
        };
        let grown = || {
            let (map, mut window) = (PageMap::open(), Window::new());
            // SAFETY: the slot is mapped.
            unsafe { ledger.add_growth(slot, &mut Source::Memory(&map, &mut window)) };
            let found = sums(ledger);
            found.iter().for_each(|&(at, count)| ledger.note(at, count));
            ledger.clear();
            assert_eq!(sums(ledger), []);
            found
        };
        assert_eq!(grown(), []);
        count(8, 5);
        count(SIZE - 8, 7);
        assert_eq!(grown(), [(8, 5), (SIZE - 8, 7)]);
        assert_eq!(grown(), []);
        count(8, 1);
        count(64 * PAGE, 2);
        assert_eq!(grown(), [(8, 1), (64 * PAGE, 2)]);
        count(8, 0u64.wrapping_sub(6));
        assert_eq!(grown(), [(8, 0u64.wrapping_sub(6))], "it went down to zero");
        // Several slots are added, and earlier segments are subtracted.
        count(16, 3);
        for (at, of) in [(16, 3), (SIZE - 8, 7), (64 * PAGE, 2)] {
            ledger.add(at, of);
        }
        ledger.subtract();
        assert_eq!(sums(ledger), [(16, 3)]);
        assert!(ledger.begin(Some(1)) && ledger.begin(Some(1)));
        assert!(!ledger.begin(Some(0)) && !ledger.begin(Some(1)) && !ledger.begin(None));
        ledger.unmap();
        // SAFETY: mapped here, and not used any more.
        unsafe { mapping::unmap(slot, SIZE) };
    }
}
