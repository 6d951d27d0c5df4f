//! The mark by which a forked child is recognised.

use core::ptr::NonNull;

use process::sys::mapping;

/// A page that is empty in a forked child, whatever code forked, but not in a child that shares its
/// parent's memory.
#[derive(Clone, Copy)]
pub(crate) struct Mark(NonNull<u8>);

impl Mark {
    const LENGTH: usize = 4096;

    /// Maps a page in this process; `None` if there is no memory for it.
    pub(crate) fn new() -> Option<Self> {
        let mark = Self(mapping::map_wiped_on_fork(Self::LENGTH)?);
        mark.set();
        Some(mark)
    }

    /// Records that this is no new child.
    pub(crate) fn set(self) {
        // SAFETY: a page of ours.
        unsafe { self.0.as_ptr().write_volatile(1) };
    }

    /// Returns true if the process is a child in which this was not [set](Self::set).
    pub(crate) fn was_wiped(self) -> bool {
        // SAFETY: a page of ours.
        unsafe { self.0.as_ptr().read_volatile() == 0 }
    }

    /// Unmaps the page.
    pub(crate) fn unmap(self) {
        // SAFETY: a page of ours, which is not read any more.
        unsafe { mapping::unmap(self.0, Self::LENGTH) };
    }
}
