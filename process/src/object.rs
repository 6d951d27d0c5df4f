//! What every object of the runtime has.

use core::arch::global_asm;
use core::panic::PanicInfo;

/// Where a panic would end. Nothing here can panic on any input; should it still happen, hanging
/// would show it.
#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    loop {
        core::hint::spin_loop();
    }
}

// The image supports indirect-branch tracking and shadow stacks only if every object in it says so.
global_asm!(
    ".pushsection .note.gnu.property, \"a\", @note",
    ".p2align 3",
    ".long 4, 16, 5",
    ".asciz \"GNU\"",
    ".long 0xc0000002, 4, 3, 0",
    ".popsection",
);
