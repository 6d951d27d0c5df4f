//! A set of pages of a slot.

use core::ptr::NonNull;

use pathformat::raw;

/// The size of a page, and of the pieces in which memory is searched.
pub(crate) const PAGE: usize = raw::PAGE as usize;

/// The pages of a slot, a bit for each.
#[derive(Clone, Copy)]
pub(crate) struct Pages {
    words: NonNull<u64>,
    count: usize,
}

impl Pages {
    /// Returns the set in `count` words of memory.
    ///
    /// # Safety
    /// The words must be mapped as long as the set or a copy of it is used, and nothing else may
    /// use them meanwhile.
    pub(crate) unsafe fn new(words: NonNull<u64>, count: usize) -> Self {
        Self { words, count }
    }

    /// Returns the number of words for a slot of this length.
    pub(crate) fn length(size: usize) -> usize {
        size.div_ceil(PAGE).div_ceil(u64::BITS as usize)
    }

    /// Returns the word and the bit of the page at this offset, if there is such a page.
    fn place(self, offset: usize) -> Option<(NonNull<u64>, u64)> {
        let page = offset / PAGE;
        let word = page / u64::BITS as usize;
        // SAFETY: the word is one of those that were mapped.
        (word < self.count).then(|| (unsafe { self.words.add(word) }, 1 << (page % 64)))
    }

    /// Returns true if the page at this offset is in the set.
    pub(crate) fn has(self, offset: usize) -> bool {
        // SAFETY: the word is of the set, whose memory nobody else uses.
        self.place(offset).is_some_and(|(word, bit)| unsafe { word.read() } & bit != 0)
    }

    /// Adds the page at this offset.
    pub(crate) fn add(self, offset: usize) {
        if let Some((word, bit)) = self.place(offset) {
            // SAFETY: as above.
            unsafe { word.write(word.read() | bit) };
        }
    }

    /// Removes the page at this offset.
    pub(crate) fn remove(self, offset: usize) {
        if let Some((word, bit)) = self.place(offset) {
            // SAFETY: as above.
            unsafe { word.write(word.read() & !bit) };
        }
    }
}
