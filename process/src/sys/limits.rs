//! The resource limits of the process.

use linux_raw_sys::general::{__NR_getrlimit, __NR_setrlimit, RLIMIT_AS, RLIMIT_FSIZE, rlimit};

use super::call::{call, checked};

/// Returns the largest length of a file that the process may write. Writing beyond it raises a
/// signal that ends the program, so the runtime must not try.
pub fn file_size_limit() -> u64 {
    limits(RLIMIT_FSIZE).rlim_cur
}

/// Returns the largest size of the address space of the process.
pub fn address_space_limit() -> u64 {
    limits(RLIMIT_AS).rlim_cur
}

/// Returns the limits of a resource; zeros if the kernel does not give them.
pub(super) fn limits(resource: u32) -> rlimit {
    let mut limits = rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the kernel writes `limits`.
    unsafe { call(__NR_getrlimit, [resource as usize, &raw mut limits as usize, 0, 0, 0, 0]) };
    limits
}

/// Sets the limits of a resource. Returns true if that was allowed.
pub(super) fn set_limits(resource: u32, limits: rlimit) -> bool {
    let arguments = [resource as usize, &raw const limits as usize, 0, 0, 0, 0];
    // SAFETY: the kernel reads `limits`.
    checked(unsafe { call(__NR_setrlimit, arguments) }).is_ok()
}
