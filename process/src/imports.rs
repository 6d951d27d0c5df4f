//! What the linker and the build say of an image. A symbol that is asked for here is declared where
//! it is used, so that an object that does not ask does not refer to it.

use core::arch::asm;

use crate::notes::FileHead;
use crate::sys::thread;
use crate::text;

/// The pattern of the profile's name that the build asked for, or nothing: a text in an object of
/// the program (`pass/src/write/profile_path.rs`).
pub(crate) fn chosen_pattern() -> &'static [u8] {
    let (pattern, nowhere): (*const u8, *const u8);
    // Nobody defines the other symbol: gold gives such a one the distance by which the image was
    // moved.
    // SAFETY: reads words of the image's own that are constant once the image is relocated.
    unsafe {
        asm!(
            ".weak __pathcc.profile",
            ".hidden __pathcc.profile",
            ".weak __pathcc.nowhere",
            ".hidden __pathcc.nowhere",
            "mov {}, qword ptr [rip + __pathcc.profile@GOTPCREL]",
            "mov {}, qword ptr [rip + __pathcc.nowhere@GOTPCREL]",
            out(reg) pattern,
            out(reg) nowhere,
            options(nostack, preserves_flags, pure, readonly),
        );
    }
    if pattern == nowhere {
        return &[];
    }
    // SAFETY: the pass closes the text with a NUL.
    unsafe { text::c_string(pattern) }.to_bytes()
}

/// The head of this image's file in memory, if the linker defines it, or null.
pub(crate) fn file_head() -> *const FileHead {
    let head: *const FileHead;
    // The address comes from the global offset table: of a word in other data GNU ld forgets the
    // relocation if it packs relative ones.
    // SAFETY: reads a word of the image's own that is constant once the image is relocated.
    unsafe {
        asm!(
            ".weak __ehdr_start",
            ".hidden __ehdr_start",
            "mov {}, qword ptr [rip + __ehdr_start@GOTPCREL]",
            out(reg) head,
            options(nostack, preserves_flags, pure, readonly),
        );
    }
    // Some linkers give the image's start even where no head is there.
    if thread::is_readable(head as usize) { head } else { core::ptr::null() }
}
