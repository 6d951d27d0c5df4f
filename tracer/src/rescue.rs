//! Lets the program go on when its trace becomes shorter, or the disk fails, while chunks of it are
//! memory.
//!
//! The kernel then sends SIGBUS to a thread that touches a page which is missing. The handler maps
//! other memory there, and the trace is marked as partial. It handles the chunks alone, and only
//! while the program leaves the signal at its default. Any other SIGBUS ends the program as it
//! would without the tracer. A thread that blocks the signal cannot be helped.

use core::ptr::NonNull;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use pathformat::raw::PAGE;
use process::sys::mapping::{self, At};
use process::sys::signal::{self, Information};

use crate::file::CHUNK;

/// The largest number of chunks that are watched.
const MOST: usize = 4096;

/// The addresses of mapped chunks of the file, or 0. The handler reads them, so that they are under
/// no lock.
static MAPPED: [AtomicUsize; MOST] = [const { AtomicUsize::new(0) }; MOST];

/// True if records were lost since that was last asked.
static HAS_LOST: AtomicBool = AtomicBool::new(false);

/// True once the handler was installed.
static HAS_BEGUN: AtomicBool = AtomicBool::new(false);

/// Watches a chunk that is mapped at an address. Only one thread may change what is watched.
pub(crate) fn watch(start: usize) {
    if let Some(free) = MAPPED.iter().find(|known| known.load(Ordering::Relaxed) == 0) {
        free.store(start, Ordering::Release);
    }
}

/// Watches a chunk no more, before it is unmapped.
pub(crate) fn forget(start: usize) {
    if let Some(known) = MAPPED.iter().find(|known| known.load(Ordering::Relaxed) == start) {
        known.store(0, Ordering::Release);
    }
}

/// Installs the handler, unless the program has one.
pub(crate) fn begin() {
    HAS_BEGUN.store(true, Ordering::Relaxed);
    signal::handle_with(handle);
}

/// Installs the handler again, if it was installed before the program chose the default.
pub(crate) fn begin_again() {
    if HAS_BEGUN.load(Ordering::Relaxed) {
        signal::handle_with(handle);
    }
}

/// Removes the handler, before this code is unloaded.
pub(crate) fn end() {
    HAS_BEGUN.store(false, Ordering::Relaxed);
    signal::forget(handle);
}

/// Returns true if this is the address of the handler, which the program did not install.
pub(crate) fn is_handler(address: usize) -> bool {
    address == handle as *const () as usize
}

/// Returns true if records were lost since the last call.
pub(crate) fn has_lost() -> bool {
    HAS_LOST.swap(false, Ordering::Relaxed)
}

extern "C" fn handle(_: u32, information: &Information) {
    signal::react(information, replace);
}

/// Maps other memory in the place of a page of a chunk. Returns false if the address is in none.
fn replace(address: usize) -> bool {
    let is_in = |known: &AtomicUsize| {
        let start = known.load(Ordering::Acquire);
        start != 0 && (start..start + CHUNK).contains(&address)
    };
    let page = NonNull::new((address & !(PAGE as usize - 1)) as *mut u8);
    let Some(page) = page.filter(|_| MAPPED.iter().any(is_in)) else { return false };
    HAS_LOST.store(true, Ordering::Relaxed);
    mapping::map_private(At::Over(page), PAGE as usize).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pages_of_chunks_are_replaced() {
        let start = mapping::map_private(At::Anywhere, CHUNK).expect("memory");
        let address = start.as_ptr() as usize;
        let place = (address + 5000) as *mut u8;
        // SAFETY: the mapping is the test's own.
        unsafe { place.write(7) };
        assert!(!replace(address + 5000) && !has_lost());
        watch(address);
        assert!(replace(address + 5000) && has_lost() && !has_lost());
        // SAFETY: as above.
        assert_eq!(unsafe { place.read() }, 0);
        assert!(!replace(address + CHUNK) && !replace(address - 1));
        forget(address);
        assert!(!replace(address + 5000));
    }
}
