//! Memory that the kernel maps for us.

use core::ptr::NonNull;

use super::call::{call, checked};
use super::file::File;

const MMAP: usize = 9;
const MUNMAP: usize = 11;
const MADVISE: usize = 28;

const PROT_READ_WRITE: usize = 3;
const MAP_SHARED: usize = 0x01;
const MAP_PRIVATE: usize = 0x02;
const MAP_FIXED: usize = 0x10;
const MAP_ANONYMOUS: usize = 0x20;
const MAP_NORESERVE: usize = 0x4000;
const MADV_RANDOM: usize = 1;
const MADV_WIPEONFORK: usize = 18;

/// Where to map.
#[derive(Clone, Copy)]
pub(crate) enum At {
    /// Where there is room.
    Anywhere,
    /// At this address, in place of what is there, which must be ours.
    Over(NonNull<u8>),
}

fn map(at: At, length: usize, flags: usize, descriptor: usize, offset: u64) -> Option<NonNull<u8>> {
    let (address, fixed) = match at {
        At::Anywhere => (0, 0),
        At::Over(place) => (place.as_ptr() as usize, MAP_FIXED),
    };
    // SAFETY: a fresh mapping at an address of the kernel's choice disturbs nothing; what is
    // replaced is the caller's.
    let mapped = unsafe {
        call(MMAP, [address, length, PROT_READ_WRITE, flags | fixed, descriptor, offset as usize])
    };
    checked(mapped).ok().and_then(|start| NonNull::new(start as *mut u8))
}

/// Maps zeroed memory that is this process's alone and takes up nothing until it is touched.
pub(crate) fn map_private(at: At, length: usize) -> Option<NonNull<u8>> {
    map(at, length, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, usize::MAX, 0)
}

/// Maps a part of a file, so that the file sees what is written to memory. Nothing is read ahead:
/// the kernel would fill memory with the zeros around each page that is touched, and take them for
/// data.
pub(crate) fn map_file(at: At, length: usize, file: &File, offset: u64) -> Option<NonNull<u8>> {
    let start = map(at, length, MAP_SHARED, file.descriptor(), offset)?;
    // SAFETY: the mapping is ours.
    unsafe { call(MADVISE, [start.as_ptr() as usize, length, MADV_RANDOM, 0, 0, 0]) };
    Some(start)
}

/// Gives memory back.
///
/// # Safety
/// It was mapped here, and nobody uses it any more.
pub(crate) unsafe fn unmap(start: NonNull<u8>, length: usize) {
    // SAFETY: the caller vouches for it.
    unsafe { call(MUNMAP, [start.as_ptr() as usize, length, 0, 0, 0, 0]) };
}

/// Maps zeroed private memory that a forked child sees zeroed again.
pub(crate) fn map_wiped_on_fork(length: usize) -> Option<NonNull<u8>> {
    let start = map(At::Anywhere, length, MAP_PRIVATE | MAP_ANONYMOUS, usize::MAX, 0)?;
    // SAFETY: the mapping is ours.
    unsafe { call(MADVISE, [start.as_ptr() as usize, length, MADV_WIPEONFORK, 0, 0, 0]) };
    Some(start)
}
