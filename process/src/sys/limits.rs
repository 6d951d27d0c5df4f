//! What the process may use.

use linux_raw_sys::general::{__NR_getrlimit, __NR_setrlimit, RLIMIT_AS, RLIMIT_FSIZE, rlimit};

use super::call::{call, checked};

/// The longest file that the process may write. Writing beyond it raises a signal that ends the
/// program, so nobody may try.
pub fn file_size_limit() -> u64 {
    limits(RLIMIT_FSIZE).rlim_cur
}

/// How much address space the process may have.
pub fn address_space_limit() -> u64 {
    limits(RLIMIT_AS).rlim_cur
}

/// The limits of a resource; zeros if the kernel does not tell.
pub(super) fn limits(resource: u32) -> rlimit {
    let mut limits = rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limits` is what the kernel writes.
    unsafe { call(__NR_getrlimit, [resource as usize, &raw mut limits as usize, 0, 0, 0, 0]) };
    limits
}

/// Sets the limits of a resource; whether that was allowed.
pub(super) fn set_limits(resource: u32, limits: rlimit) -> bool {
    let arguments = [resource as usize, &raw const limits as usize, 0, 0, 0, 0];
    // SAFETY: the kernel reads `limits`.
    checked(unsafe { call(__NR_setrlimit, arguments) }).is_ok()
}
