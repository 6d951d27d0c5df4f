//! Visits the counters that are not zero, without reading pages that nobody touched.
//!
//! A region may be hundreds of megabytes of zeros of which a run touches little; reading them all would cost time
//! and, for each page, a page fault. The kernel's `/proc/self/pagemap` tells which pages exist. Without it, all
//! are read.

use core::ptr;

use crate::sys::File;

const PAGE: usize = 4096;

/// In an entry of the page map: the page is in memory, or in swap.
const TOUCHED: u64 = 0b11 << 62;

/// Entries that are read at a time.
const ENTRIES: usize = 256;

/// The kernel's page map of this process, if it lets us read it.
pub(crate) struct PageMap(Option<File>);

impl PageMap {
    /// Opens the page map.
    pub(crate) fn open() -> Self {
        Self(File::open(c"/proc/self/pagemap").ok())
    }
}

/// A window of the page map.
pub(crate) struct Pages {
    /// Number of the page that the first entry is about.
    first: usize,
    /// How many entries are valid.
    valid: usize,
    entries: [u64; ENTRIES],
}

impl Pages {
    /// An empty window.
    pub(crate) const fn new() -> Self {
        Self { first: 0, valid: 0, entries: [0; ENTRIES] }
    }

    /// Whether the page at `address` may contain something other than zeros.
    fn touched(&mut self, map: &PageMap, address: usize) -> bool {
        let PageMap(Some(map)) = map else { return true };
        let page = address / PAGE;
        if !(self.first..self.first + self.valid).contains(&page) {
            self.first = page;
            self.valid = map.read_words_at(&mut self.entries, page as u64 * 8);
        }
        // A page that the map does not tell about is read.
        self.entries[..self.valid].get(page - self.first).is_none_or(|entry| entry & TOUCHED != 0)
    }

    /// Calls `visit` with index and value of each counter of an array that is not zero, in ascending order.
    ///
    /// # Safety
    /// The array must be mapped for its whole length. Others may write to it meanwhile.
    pub(crate) unsafe fn visit(
        &mut self,
        map: &PageMap,
        array: *const u64,
        counters: u64,
        mut visit: impl FnMut(u64, u64),
    ) {
        let start = array as usize;
        let end = start + counters as usize * 8;
        let mut address = start;
        while address < end {
            let page_end = (address & !(PAGE - 1)).saturating_add(PAGE).min(end);
            if self.touched(map, address) {
                for counter in (address..page_end).step_by(8) {
                    // SAFETY: within the array; read as volatile, since threads may still be counting.
                    let count = unsafe { ptr::read_volatile(counter as *const u64) };
                    if count != 0 {
                        visit(((counter - start) / 8) as u64, count);
                    }
                }
            }
            address = page_end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys;

    fn visited(map: &PageMap, array: *const u64, counters: u64) -> Vec<(u64, u64)> {
        let mut seen = Vec::new();
        // SAFETY: the tests below pass memory that they own.
        unsafe { Pages::new().visit(map, array, counters, |index, count| seen.push((index, count))) };
        seen
    }

    #[test]
    fn scattered_counts_are_found_with_and_without_a_page_map() {
        const COUNTERS: usize = 1 << 20;
        let memory = sys::map_wiped_on_fork(COUNTERS * 8).expect("memory").cast::<u64>().as_ptr();
        let expected = [(0, 1), (511, 2), (512, 3), (300_000, 4), (COUNTERS as u64 - 1, 5)];
        for (index, count) in expected {
            // SAFETY: inside the mapping.
            unsafe { memory.add(index as usize).write(count) };
        }
        assert_eq!(visited(&PageMap::open(), memory, COUNTERS as u64), expected);
        assert_eq!(visited(&PageMap(None), memory, COUNTERS as u64), expected);
    }

    #[test]
    fn an_array_need_not_start_at_a_page() {
        let memory = sys::map_wiped_on_fork(3 * PAGE).expect("memory").cast::<u64>().as_ptr();
        // SAFETY: inside the mapping.
        let array = unsafe {
            memory.add(8).write(7);
            memory.add(600).write(8);
            memory.add(700).write(9);
            memory.add(8)
        };
        assert_eq!(visited(&PageMap::open(), array, 601), [(0, 7), (592, 8)]);
        assert_eq!(visited(&PageMap::open(), array, 0), []);
    }

    #[test]
    fn untouched_pages_are_known() {
        let memory = sys::map_wiped_on_fork(2 * PAGE).expect("memory").as_ptr();
        // SAFETY: inside the mapping.
        unsafe { memory.add(PAGE).write(1) };
        let (map, mut pages) = (PageMap::open(), Pages::new());
        assert!(pages.touched(&map, memory as usize + PAGE));
        assert!(!pages.touched(&map, memory as usize));
    }
}
