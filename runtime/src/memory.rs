//! `memcpy` and the like, which the compiler calls behind our back. The names are made local to this object, so
//! that we neither need a C library nor give the program another one's functions.

use core::arch::{asm, global_asm};

global_asm!(
    ".set memcpy, {copy}",
    ".set memmove, {copy_overlapping}",
    ".set memset, {set}",
    ".set memcmp, {compare}",
    ".set bcmp, {compare}",
    copy = sym copy,
    copy_overlapping = sym copy_overlapping,
    set = sym set,
    compare = sym compare,
);

/// `memcpy`.
unsafe extern "C" fn copy(to: *mut u8, from: *const u8, length: usize) -> *mut u8 {
    // SAFETY: the caller passes two separate ranges. Written in assembly, since the compiler would see `memcpy` in a loop.
    unsafe {
        asm!("rep movsb", inout("rcx") length => _, inout("rdi") to => _, inout("rsi") from => _,
             options(nostack, preserves_flags));
    }
    to
}

/// `memmove`.
unsafe extern "C" fn copy_overlapping(to: *mut u8, from: *const u8, length: usize) -> *mut u8 {
    if (to as usize).wrapping_sub(from as usize) >= length {
        // SAFETY: copying forward never overwrites what is still to be read.
        return unsafe { copy(to, from, length) };
    }
    // SAFETY: the ranges overlap with `to` above `from`, so they are copied backward.
    unsafe {
        asm!("std", "rep movsb", "cld", inout("rcx") length => _,
             inout("rdi") to.wrapping_add(length).wrapping_sub(1) => _,
             inout("rsi") from.wrapping_add(length).wrapping_sub(1) => _, options(nostack));
    }
    to
}

/// `memset`.
unsafe extern "C" fn set(to: *mut u8, byte: i32, length: usize) -> *mut u8 {
    // SAFETY: the caller passes a writable range.
    unsafe {
        asm!("rep stosb", inout("rcx") length => _, inout("rdi") to => _, in("al") byte as u8,
             options(nostack, preserves_flags));
    }
    to
}

/// `memcmp` and `bcmp`.
unsafe extern "C" fn compare(left: *const u8, right: *const u8, length: usize) -> i32 {
    for at in 0..length {
        // SAFETY: the caller passes two readable ranges.
        let (left, right) = unsafe { (left.add(at).read_volatile(), right.add(at).read_volatile()) };
        if left != right {
            return i32::from(left) - i32::from(right);
        }
    }
    0
}
