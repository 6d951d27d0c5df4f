//! The team of the calling thread, as the runtime library of OpenMP knows it.

use core::mem::transmute;
use core::ptr;
use core::sync::atomic::{AtomicUsize, Ordering};

/// The function that returns the team of the calling thread, 0 if there is none.
static LOOKUP: AtomicUsize = AtomicUsize::new(0);

/// Sets the function that returns the team of the calling thread: `ompt_get_parallel_info`.
pub(crate) fn set_lookup(function: usize) {
    LOOKUP.store(function, Ordering::Relaxed);
}

/// Returns the word of the calling thread's region, null if there is none, and the number of
/// threads in its team, 0 if that is not known.
pub(crate) fn team() -> (*const u64, u32) {
    let find = LOOKUP.load(Ordering::Relaxed);
    let (mut region, mut size) = (ptr::null_mut::<u64>(), 0u32);
    if find != 0 {
        type Team = extern "C" fn(i32, *mut *mut u64, *mut u32) -> i32;
        // SAFETY: the function has this type, by the standard.
        unsafe { transmute::<usize, Team>(find)(0, &raw mut region, &raw mut size) };
    }
    (region, size)
}
