//! The parts that every object of the runtime needs.

use core::arch::global_asm;
use core::panic::PanicInfo;

/// The panic handler. No code here can panic on any input. If one did, the hang would show it.
#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    loop {
        core::hint::spin_loop();
    }
}

// The image supports indirect-branch tracking and shadow stacks only if every object in it declares
// so.
global_asm!(
    ".pushsection .note.gnu.property, \"a\", @note",
    ".p2align 3",
    ".long 4, 16, 5",
    ".asciz \"GNU\"",
    ".long 0xc0000002, 4, 3, 0",
    ".popsection",
);
