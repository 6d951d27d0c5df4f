//! Finds the functions of the C library that the executable replaces.

use core::ffi::CStr;
use core::mem::transmute;
use core::sync::atomic::{AtomicUsize, Ordering};

process::table_of_others!("__pathcc_trace_next", "", "dlsym");

unsafe extern "C" {
    /// The address of `dlsym`, 0 if the program has none.
    #[link_name = "__pathcc_trace_next"]
    static FIND_SYMBOL: usize;
}

/// The places in which `dlsym` searches: all images, or those behind the caller.
const DEFAULT: usize = 0;
const NEXT: usize = usize::MAX;

fn find(place: usize, name: &CStr) -> usize {
    // SAFETY: it is constant once the image is relocated.
    let find = unsafe { FIND_SYMBOL };
    if find == 0 {
        return 0;
    }
    // SAFETY: the function is `dlsym` of the C library, and the text ends with a NUL.
    unsafe {
        transmute::<usize, unsafe extern "C" fn(usize, usize) -> usize>(find)(
            place,
            name.as_ptr() as usize,
        )
    }
}

/// Returns the function that ours replaces: a sanitizer's, which the program exports under a name
/// of its own, or that of the C library. It is looked up until it is found. Returns 0 if there is
/// none.
pub(crate) fn next(found: &AtomicUsize, sanitizer: Option<&CStr>, name: &CStr) -> usize {
    let known = found.load(Ordering::Relaxed);
    if known != 0 {
        return known;
    }
    let of_sanitizer = sanitizer.map_or(0, |name| find(DEFAULT, name));
    let address = if of_sanitizer != 0 { of_sanitizer } else { find(NEXT, name) };
    found.store(address, Ordering::Relaxed);
    address
}
