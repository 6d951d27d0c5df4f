//! Finds the functions of the C library that the executable defines in their place.

use core::ffi::CStr;
use core::mem::transmute;
use core::sync::atomic::{AtomicUsize, Ordering};

process::table_of_others!("__pathcc_trace_next", "", "dlsym");

unsafe extern "C" {
    /// The address of `dlsym`, 0 if the program has none.
    #[link_name = "__pathcc_trace_next"]
    static FIND_SYMBOL: usize;
}

/// Where `dlsym` looks: in all images, or in those behind the one that calls.
const DEFAULT: usize = 0;
const NEXT: usize = usize::MAX;

fn find(place: usize, name: &CStr) -> usize {
    // SAFETY: constant once the image is relocated.
    let find = unsafe { FIND_SYMBOL };
    if find == 0 {
        return 0;
    }
    // SAFETY: `dlsym` of the C library, with a text that ends with a NUL.
    unsafe {
        transmute::<usize, unsafe extern "C" fn(usize, usize) -> usize>(find)(
            place,
            name.as_ptr() as usize,
        )
    }
}

/// The function that follows ours: a sanitizer's, which the program exports under a name of its
/// own, or that of the C library. It is looked for until it is found. 0 if there is none.
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
