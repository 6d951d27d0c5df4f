//! What the process may use.

use super::call::{call, checked};

const GETRLIMIT: usize = 97;
const SETRLIMIT: usize = 160;

/// The longest file that the process may write. Writing beyond it raises a signal that ends the
/// program, so nobody may try.
pub(crate) fn file_size_limit() -> u64 {
    limit(1)
}

/// How much address space the process may have.
pub(crate) fn address_space_limit() -> u64 {
    limit(9)
}

/// The limits of a resource: a `struct rlimit`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Limits {
    /// What holds.
    pub(crate) soft: u64,
    /// How far it may be raised.
    pub(crate) hard: u64,
}

impl Limits {
    /// Those of this process; zeros if the kernel does not tell.
    pub(crate) fn of(resource: usize) -> Self {
        let mut limits = Self { soft: 0, hard: 0 };
        // SAFETY: `limits` is what the kernel writes.
        unsafe { call(GETRLIMIT, [resource, &raw mut limits as usize, 0, 0, 0, 0]) };
        limits
    }

    /// Makes them hold; whether that was allowed.
    pub(crate) fn set(self, resource: usize) -> bool {
        // SAFETY: the kernel reads `self`.
        checked(unsafe { call(SETRLIMIT, [resource, &raw const self as usize, 0, 0, 0, 0]) })
            .is_ok()
    }
}

/// The soft limit of a resource.
fn limit(resource: usize) -> u64 {
    Limits::of(resource).soft
}
