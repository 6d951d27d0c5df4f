//! Finds the memory of a slot that is not zero, without reading untouched pages.
//!
//! A region may be hundreds of megabytes of zeros of which a run touches little. To read them all
//! would cost time and, for each page, a page fault. For private memory the kernel's
//! `/proc/self/pagemap` lists the pages that exist. For a file it does not suffice: a page that was
//! written to disk and dropped is still part of the counts. There the file system distinguishes
//! data from holes, if it is one that counts what is still in memory as data. Otherwise all pages
//! are read.

use core::ops::Range;
use core::ptr::{self, NonNull};

use process::sys::File;

use crate::pages::{PAGE, Pages};

/// The bits of an entry of the page map that are set if the page is in memory or in swap.
const TOUCHED: u64 = 0b11 << 62;

/// The bit that is set if the page is of a file.
const OF_FILE: u64 = 1 << 61;

/// The number of entries that are read at a time.
const ENTRIES: usize = 256;

/// The kernel's page map of this process, if it can be read.
pub(crate) struct PageMap(Option<File>);

impl PageMap {
    /// Opens the page map.
    pub(crate) fn open() -> Self {
        Self(File::open(c"/proc/self/pagemap").ok())
    }

    /// A map without entries, so that all pages are read.
    pub(crate) const NONE: &Self = &Self(None);
}

/// A window of the page map.
pub(crate) struct Window {
    /// The number of the page of the first entry.
    first: usize,
    /// The number of valid entries.
    valid: usize,
    entries: [u64; ENTRIES],
}

impl Window {
    /// Creates an empty window.
    pub(crate) const fn new() -> Self {
        Self { first: 0, valid: 0, entries: [0; ENTRIES] }
    }

    /// Forgets its entries, since pages may have been touched that were not when they were read.
    pub(crate) fn forget(&mut self) {
        self.valid = 0;
    }

    /// Returns true if the page at `address` may contain something other than zeros.
    fn touched(&mut self, map: &PageMap, address: usize) -> bool {
        self.entry(map, address).is_none_or(|entry| entry & TOUCHED != 0)
    }

    /// Returns true if the page at `address` is known to be this process's alone.
    fn is_private(&mut self, map: &PageMap, address: usize) -> bool {
        self.entry(map, address).is_some_and(|entry| entry & TOUCHED != 0 && entry & OF_FILE == 0)
    }

    /// Returns the entry of the page at `address`; `None` if there is none in the map.
    fn entry(&mut self, map: &PageMap, address: usize) -> Option<u64> {
        let map = map.0.as_ref()?;
        let page = address / PAGE;
        if !(self.first..self.first + self.valid).contains(&page) {
            self.first = page;
            self.valid = map.read_words_at(&mut self.entries, page as u64 * 8);
        }
        self.entries[..self.valid].get(page - self.first).copied()
    }
}

/// The source of the touched pages of a slot.
pub(crate) enum Source<'a> {
    /// Private memory.
    Memory(&'a PageMap, &'a mut Window),
    /// Private memory in place of lost pages of a file. All other pages are left out.
    Private(&'a PageMap, &'a mut Window),
    /// A part of a file in which the slot starts at this offset, and the last search in it. Some
    /// pages may be known to be data.
    File(&'a File, u64, Search, Option<Pages>),
    /// Private memory whose pages with counts are known.
    Pages(Pages),
}

/// A search for data in a file: a hole from `from` on, then `data`.
///
/// It is kept because an image may have a thousand modules, most of which lie in the same few
/// holes.
pub(crate) struct Search {
    /// The offset at which the search began.
    from: u64,
    /// Some of the first data from there on; an empty range at [`u64::MAX`] if there is none.
    data: Range<u64>,
}

impl Search {
    /// A search that covers no offset.
    const NONE: Self = Self { from: 0, data: 0..0 };

    /// Searches a file from an offset. `last` is the search before.
    ///
    /// Most data is a page between holes, for which a system call to find the end of the data would
    /// be wasted. The end is therefore looked up only for data that goes on beyond a page.
    fn new(file: &File, from: u64, last: &Self) -> Self {
        let Some(first) = file.next_data(from) else {
            return Self { from, data: u64::MAX..u64::MAX };
        };
        let goes_on = first == from && from == last.data.end;
        let page = (first & !(PAGE as u64 - 1)) + PAGE as u64;
        let end = if goes_on { file.next_hole(first).unwrap_or(page) } else { page };
        Self { from, data: first..end }
    }

    /// Returns true if the search covers an offset.
    fn covers(&self, place: u64) -> bool {
        (self.from..self.data.end).contains(&place)
    }
}

impl<'a> Source<'a> {
    /// Returns the source for a slot at this offset of a file, if holes of the file can be relied
    /// on.
    pub(crate) fn file(file: &'a File, offset: u64) -> Option<Self> {
        file.file_system().is_some_and(|system| system.keeps_pages()).then_some(Self::File(
            file,
            offset,
            Search::NONE,
            None,
        ))
    }

    /// Adds pages of the slot that are known to have been touched: they need no search.
    pub(crate) fn know(&mut self, pages: Pages) {
        if let Self::File(.., known) = self {
            *known = Some(pages);
        }
    }

    /// Returns the next part of `range` that may have been touched, for a slot that starts at
    /// `start`. The bytes before it are zero.
    pub(crate) fn next(&mut self, start: usize, range: Range<usize>) -> Option<Range<usize>> {
        match self {
            Self::Memory(map, window) => next_page(range, |at| window.touched(map, start + at)),
            Self::Private(map, window) => next_page(range, |at| window.is_private(map, start + at)),
            Self::Pages(pages) => next_page(range, |at| pages.has(at)),
            Self::File(.., Some(known)) if range.start < range.end && known.has(range.start) => {
                next_page(range, |_| true)
            }
            Self::File(file, offset, search, _) => {
                let start = *offset + range.start as u64;
                if !search.covers(start) {
                    *search = Search::new(file, start, search);
                }
                let from =
                    usize::try_from(search.data.start.max(start) - *offset).unwrap_or(usize::MAX);
                let end =
                    usize::try_from(search.data.end - *offset).unwrap_or(usize::MAX).min(range.end);
                (from < range.end).then_some(from..end)
            }
        }
    }
}

/// Returns the next part of `range` that is in one of the pages that are wanted.
fn next_page(
    range: Range<usize>,
    mut is_wanted: impl FnMut(usize) -> bool,
) -> Option<Range<usize>> {
    let mut from = range.start;
    while from < range.end && !is_wanted(from) {
        from = (from & !(PAGE - 1)) + PAGE;
    }
    let end = ((from & !(PAGE - 1)) + PAGE).min(range.end);
    (from < range.end).then_some(from..end)
}

/// Calls `visit` with the offset and the value of each nonzero word in a range of a slot, in
/// ascending order.
///
/// # Safety
/// The slot must be mapped there. The range must start and end at words. Other threads may write to
/// it meanwhile.
pub(crate) unsafe fn visit(
    start: NonNull<u8>,
    range: Range<usize>,
    source: &mut Source<'_>,
    mut visit: impl FnMut(usize, u64),
) {
    let mut rest = range;
    while let Some(part) = source.next(start.as_ptr() as usize, rest.clone()) {
        rest.start = part.end;
        for offset in part.step_by(8) {
            // SAFETY: the word is within the slot. The read is volatile, since threads may still be
            // counting.
            let count = unsafe { ptr::read_volatile(start.as_ptr().add(offset).cast::<u64>()) };
            if count != 0 {
                visit(offset, count);
            }
        }
    }
}

/// Adds `count` to the word at `offset` of private memory.
///
/// # Safety
/// The memory must be mapped there, and no other code may use it.
pub(crate) unsafe fn add(start: NonNull<u8>, offset: usize, count: u64) {
    // SAFETY: the caller vouches for the place. Offsets of counters are multiples of eight.
    unsafe {
        let word = start.as_ptr().add(offset).cast::<u64>();
        word.write(word.read().wrapping_add(count));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use process::sys;
    use process::sys::mapping::{self, At};

    fn visited(
        start: NonNull<u8>,
        range: Range<usize>,
        mut source: Source<'_>,
    ) -> Vec<(usize, u64)> {
        let mut seen = Vec::new();
        // SAFETY: the tests below pass memory that they own.
        unsafe { visit(start, range, &mut source, |offset, count| seen.push((offset, count))) };
        seen
    }

    const LENGTH: usize = 8 << 20;
    const COUNTS: [(usize, u64); 5] =
        [(0, 1), (4088, 2), (4096, 3), (2_400_000, 4), (LENGTH - 8, 5)];

    fn fill(start: NonNull<u8>) {
        for (offset, count) in COUNTS {
            // SAFETY: the tests below pass memory of LENGTH bytes that they own.
            unsafe { add(start, offset, count) };
        }
    }

    #[test]
    fn scattered_counts_are_found_in_memory() {
        let memory = mapping::map_private(At::Anywhere, LENGTH).expect("memory");
        fill(memory);
        for map in [&PageMap::open(), PageMap::NONE] {
            assert_eq!(visited(memory, 0..LENGTH, Source::Memory(map, &mut Window::new())), COUNTS);
            let part = visited(memory, 8..LENGTH - 8, Source::Memory(map, &mut Window::new()));
            assert_eq!(part, COUNTS[1..4]);
        }
    }

    #[test]
    fn scattered_counts_are_found_in_a_file() {
        let path =
            format!("{}/pathrt-counters-{}\0", std::env::temp_dir().display(), std::process::id());
        let path = core::ffi::CStr::from_bytes_with_nul(path.as_bytes()).expect("one NUL");
        // Once with holes, and once with room for everything, where only pages that were written
        // are data.
        for reserved in [false, true] {
            let file = File::create(path.into()).expect("writable");
            sys::unlink(path.into());
            let offset = 3 * PAGE as u64;
            let made = if reserved {
                file.allocate(0, offset + LENGTH as u64)
            } else {
                file.grow(1 << 30) && file.grow(1)
            };
            assert!(made);
            let memory = mapping::map_file(At::Anywhere, LENGTH, &file, offset).expect("memory");
            fill(memory);
            let source = Source::file(&file, offset).expect("a usual file system");
            assert_eq!(visited(memory, 0..LENGTH, source), COUNTS);
            // The data is searched again and again, forwards and back.
            let mut source = Source::file(&file, offset).expect("as above");
            let mut seen = Vec::new();
            for step in [PAGE, 64 * PAGE] {
                for at in (0..LENGTH).step_by(step) {
                    // SAFETY: inside the mapping.
                    unsafe {
                        visit(memory, at..at + step, &mut source, |offset, count| {
                            seen.push((offset, count))
                        })
                    };
                }
            }
            assert_eq!(seen, [COUNTS, COUNTS].concat());
            for (range, counts) in
                [(8..4096, &COUNTS[1..2]), (4096..LENGTH - 8, &COUNTS[2..4]), (4104..8192, &[])]
            {
                let source = Source::file(&file, offset).expect("as above");
                assert_eq!(visited(memory, range, source), counts);
            }
        }
    }

    #[test]
    fn pages_that_are_touched_later_are_seen_again() {
        let memory = mapping::map_private(At::Anywhere, 2 * PAGE).expect("memory");
        let (map, mut window) = (PageMap::open(), Window::new());
        let start = memory.as_ptr() as usize;
        assert!(!window.touched(&map, start) && !window.touched(&map, start + PAGE));
        // SAFETY: inside the mapping.
        unsafe { add(memory, PAGE, 1) };
        window.forget();
        assert!(window.touched(&map, start + PAGE));
    }

    #[test]
    fn untouched_pages_are_known() {
        let memory = mapping::map_private(At::Anywhere, 2 * PAGE).expect("memory");
        // SAFETY: inside the mapping.
        unsafe { add(memory, PAGE, 1) };
        let (map, mut window) = (PageMap::open(), Window::new());
        let start = memory.as_ptr() as usize;
        assert!(window.touched(&map, start + PAGE));
        assert!(!window.touched(&map, start));
    }
}
