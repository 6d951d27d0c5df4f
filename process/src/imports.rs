//! The values that the linker and the build give to an image. A symbol is declared in the function
//! that reads it, so that an object that does not read it does not refer to it.

use core::arch::asm;

use crate::notes::FileHead;
use crate::sys::thread;
use crate::text;

/// Returns the pattern of the profile's name that the build chose, or an empty slice. The pattern
/// is a text in an object of the program (`pass/src/write/profile_path.rs`).
pub(crate) fn chosen_pattern() -> &'static [u8] {
    let (pattern, nowhere): (*const u8, *const u8);
    // No object defines the other symbol. gold gives an undefined symbol the distance by which the
    // image was moved.
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

/// Returns the head of this image's file in memory, or null if the linker does not define it.
pub(crate) fn file_head() -> *const FileHead {
    let head: *const FileHead;
    // The address comes from the global offset table. GNU ld forgets the relocation of a word in
    // other data if it packs relative relocations.
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
    // Some linkers define the symbol as the image's start even if no head is there.
    if thread::is_readable(head as usize) { head } else { core::ptr::null() }
}
