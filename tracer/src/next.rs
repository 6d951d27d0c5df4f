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

/// The name of a function as `dlsym` takes it.
macro_rules! c_name {
    ($name:literal) => {
        match core::ffi::CStr::from_bytes_with_nul(concat!($name, "\0").as_bytes()) {
            Ok(name) => name,
            Err(_) => panic!("a name has no NUL"),
        }
    };
}

pub(crate) use c_name;

/// The place in which `dlsym` searches: the images behind the caller.
const NEXT: usize = usize::MAX;

/// Returns the address of a symbol of the images behind the executable, or 0.
pub(crate) fn find(name: &CStr) -> usize {
    // SAFETY: it is constant once the image is relocated.
    let find = unsafe { FIND_SYMBOL };
    if find == 0 {
        return 0;
    }
    // SAFETY: the function is `dlsym` of the C library, and the text ends with a NUL.
    unsafe {
        transmute::<usize, unsafe extern "C" fn(usize, usize) -> usize>(find)(
            NEXT,
            name.as_ptr() as usize,
        )
    }
}

/// Returns the function of the C library that ours replaces. It is looked up until it is found.
/// Returns 0 if there is none.
pub(crate) fn next(found: &AtomicUsize, name: &CStr) -> usize {
    let known = found.load(Ordering::Relaxed);
    if known != 0 {
        return known;
    }
    let address = find(name);
    found.store(address, Ordering::Relaxed);
    address
}
