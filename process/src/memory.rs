//! `memcpy` and similar functions, to which the compiler adds calls of its own.
//!
//! The names are local to this object. The runtime therefore needs no C library, and the program
//! does not get other functions of these names.

use core::arch::asm;

// The tests use those of the C library.
#[cfg(not(test))]
core::arch::global_asm!(
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

/// The largest number of bytes that are copied without a string instruction.
const LITTLE: usize = 16;

/// `memcpy`.
unsafe extern "C" fn copy(to: *mut u8, from: *const u8, length: usize) -> *mut u8 {
    // A string instruction takes long to begin, and most copies are of a number.
    if length <= LITTLE {
        // SAFETY: the caller passes two ranges of this length.
        unsafe { copy_little(to, from, length) };
        return to;
    }
    // SAFETY: the caller passes two separate ranges. This is assembly, because the compiler would
    // replace a loop by a call of `memcpy`.
    unsafe {
        asm!("rep movsb", inout("rcx") length => _, inout("rdi") to => _, inout("rsi") from => _,
             options(nostack, preserves_flags));
    }
    to
}

/// Copies at most [`LITTLE`] bytes between ranges that may overlap, as two words, one at each end.
unsafe fn copy_little(to: *mut u8, from: *const u8, length: usize) {
    macro_rules! words {
        ($word:ty) => {{
            let last = length - size_of::<$word>();
            // SAFETY: both words are inside the ranges. They are read before one is written.
            unsafe {
                let (first, second) = (
                    from.cast::<$word>().read_unaligned(),
                    from.add(last).cast::<$word>().read_unaligned(),
                );
                to.cast::<$word>().write_unaligned(first);
                to.add(last).cast::<$word>().write_unaligned(second);
            }
        }};
    }
    match length {
        8.. => words!(u64),
        4.. => words!(u32),
        2.. => words!(u16),
        // SAFETY: the ranges have one byte.
        1 => unsafe { to.write(from.read()) },
        0 => {}
    }
}

/// `memmove`.
unsafe extern "C" fn copy_overlapping(to: *mut u8, from: *const u8, length: usize) -> *mut u8 {
    if length <= LITTLE || (to as usize).wrapping_sub(from as usize) >= length {
        // SAFETY: copying forward never overwrites bytes that are still to be read, and a short
        // range is read at once.
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
        let (left, right) =
            unsafe { (left.add(at).read_volatile(), right.add(at).read_volatile()) };
        if left != right {
            return i32::from(left) - i32::from(right);
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_lengths_and_overlaps_are_copied() {
        const SIZE: usize = 96;
        let fresh: [u8; SIZE] = core::array::from_fn(|at| at as u8);
        for length in 0..=40 {
            for from in 0..40 {
                let mut bytes = fresh;
                let (source, room) = bytes.split_at_mut(40);
                let taken = &source[..length];
                // SAFETY: both ranges have this length, and they are separate.
                unsafe { copy(room[3..].as_mut_ptr(), taken.as_ptr(), length) };
                let mut expected = fresh;
                expected.copy_within(..length, 43);
                assert_eq!(bytes, expected, "{length}");
                for to in 0..40 {
                    let mut bytes = fresh;
                    let start = bytes.as_mut_ptr();
                    // SAFETY: both ranges are in the array.
                    unsafe { copy_overlapping(start.add(to), start.add(from), length) };
                    let mut expected = fresh;
                    expected.copy_within(from..from + length, to);
                    assert_eq!(bytes, expected, "{length} bytes from {from} to {to}");
                }
            }
        }
    }

    #[test]
    fn bytes_are_set_and_compared() {
        let mut bytes = [1, 2, 3, 4];
        // SAFETY: inside the array.
        unsafe { set(bytes[1..].as_mut_ptr(), 0x107, 2) };
        assert_eq!(bytes, [1, 7, 7, 4]);
        for (left, right, order) in
            [([1, 2], [1, 2], 0), ([1, 2], [1, 3], -1), ([200, 0], [1, 9], 199)]
        {
            // SAFETY: both have two bytes.
            assert_eq!(unsafe { compare(left.as_ptr(), right.as_ptr(), 2) }, order);
        }
    }
}
