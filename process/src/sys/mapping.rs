//! Memory that the kernel maps for the runtime.

use core::ptr::NonNull;

use linux_raw_sys::general::{
    __NR_madvise, __NR_mincore, __NR_mmap, __NR_munmap, MADV_RANDOM, MADV_WIPEONFORK,
    MAP_ANONYMOUS, MAP_FIXED, MAP_NORESERVE, MAP_PRIVATE, MAP_SHARED, PROT_READ, PROT_WRITE,
};

use pathformat::raw::PAGE;

use super::call::{call, checked};
use super::file::File;

/// The place of a mapping.
#[derive(Clone, Copy)]
pub enum At {
    /// Any free place.
    Anywhere,
    /// This address. The mapping replaces what is there, which must be ours.
    Over(NonNull<u8>),
}

fn map(at: At, length: usize, flags: u32, descriptor: usize, offset: u64) -> Option<NonNull<u8>> {
    let (address, fixed) = match at {
        At::Anywhere => (0, 0),
        At::Over(place) => (place.as_ptr() as usize, MAP_FIXED),
    };
    // SAFETY: a fresh mapping at an address of the kernel's choice disturbs nothing. A mapping that
    // is replaced belongs to the caller.
    let mapped = unsafe {
        call(
            __NR_mmap,
            [
                address,
                length,
                (PROT_READ | PROT_WRITE) as usize,
                (flags | fixed) as usize,
                descriptor,
                offset as usize,
            ],
        )
    };
    checked(mapped).ok().and_then(|start| NonNull::new(start as *mut u8))
}

/// Maps zeroed private memory, which takes up nothing until it is touched.
pub fn map_private(at: At, length: usize) -> Option<NonNull<u8>> {
    map(at, length, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, usize::MAX, 0)
}

/// Maps a part of a file, so that writes to the memory reach the file. Nothing is read ahead: the
/// kernel would fill memory with the zeros around each page that is touched, and treat them as
/// data.
pub fn map_file(at: At, length: usize, file: &File, offset: u64) -> Option<NonNull<u8>> {
    let start = map(at, length, MAP_SHARED, file.descriptor(), offset)?;
    // SAFETY: the mapping is ours.
    unsafe { call(__NR_madvise, [start.as_ptr() as usize, length, MADV_RANDOM as usize, 0, 0, 0]) };
    Some(start)
}

/// Returns which of the pages from there on are in memory. Those of a file that nobody has touched
/// are not, nor are those that the kernel has written to the disk and dropped.
pub fn present<const N: usize>(start: NonNull<u8>, length: usize) -> [bool; N] {
    let mut pages = [1u8; N];
    let length = length.min(N * PAGE as usize);
    let arguments = [start.as_ptr() as usize, length, &raw mut pages as usize, 0, 0, 0];
    // SAFETY: the kernel writes a byte for each page.
    unsafe { call(__NR_mincore, arguments) };
    pages.map(|page| page & 1 != 0)
}

/// Unmaps memory.
///
/// # Safety
/// It was mapped here, and no code uses it any more.
pub unsafe fn unmap(start: NonNull<u8>, length: usize) {
    // SAFETY: the caller vouches for it.
    unsafe { call(__NR_munmap, [start.as_ptr() as usize, length, 0, 0, 0, 0]) };
}

/// Maps zeroed private memory that the kernel zeroes again in a forked child.
pub fn map_wiped_on_fork(length: usize) -> Option<NonNull<u8>> {
    let start = map(At::Anywhere, length, MAP_PRIVATE | MAP_ANONYMOUS, usize::MAX, 0)?;
    // SAFETY: the mapping is ours.
    unsafe {
        call(__NR_madvise, [start.as_ptr() as usize, length, MADV_WIPEONFORK as usize, 0, 0, 0])
    };
    Some(start)
}
