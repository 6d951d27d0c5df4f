//! The symbols and sections by which the object joins a program. All global symbols are hidden.

use core::arch::global_asm;
use core::panic::PanicInfo;

use crate::build_id::FileHead;

/// Where a panic would end. Nothing here can panic on any input; should it still happen, hanging would show it.
#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    loop {
        core::hint::spin_loop();
    }
}

// Constructor and destructor. Priorities up to 100 are the implementation's: the program's own constructors run
// after ours, its destructors before.
global_asm!(
    ".pushsection .text.__pathcc_start, \"ax\", @progbits",
    "__pathcc_start:",
    "endbr64",
    "jmp {start}",
    "__pathcc_stop:",
    "endbr64",
    "jmp {stop}",
    ".popsection",
    ".pushsection .init_array.00001, \"aw\", @init_array",
    ".p2align 3",
    ".quad __pathcc_start",
    ".popsection",
    ".pushsection .fini_array.00001, \"aw\", @fini_array",
    ".p2align 3",
    ".quad __pathcc_stop",
    ".popsection",
    start = sym crate::lifetime::start,
    stop = sym crate::lifetime::stop,
);

// The image supports indirect-branch tracking and shadow stacks only if every object in it says so.
global_asm!(
    ".pushsection .note.gnu.property, \"a\", @note",
    ".p2align 3",
    ".long 4, 16, 5",
    ".asciz \"GNU\"",
    ".long 0xc0000002, 4, 3, 0",
    ".popsection",
);

// A word with the address of the image's file head, or 0 if the linker does not define it.
global_asm!(
    ".pushsection .data.rel.ro.__pathcc_file_head, \"aw\", @progbits",
    ".p2align 3",
    ".weak __ehdr_start",
    ".hidden __ehdr_start",
    ".hidden __pathcc_file_head_{member}",
    ".globl __pathcc_file_head_{member}",
    "__pathcc_file_head_{member}:",
    ".quad __ehdr_start",
    ".popsection",
    member = const if cfg!(feature = "log") { 1 } else { 0 },
);

unsafe extern "C" {
    #[cfg_attr(feature = "log", link_name = "__pathcc_file_head_1")]
    #[cfg_attr(not(feature = "log"), link_name = "__pathcc_file_head_0")]
    static FILE_HEAD: *const FileHead;
}

/// The head of this image's file in memory, or null.
pub(crate) fn file_head() -> *const FileHead {
    // SAFETY: the word is constant once the image is relocated.
    unsafe { FILE_HEAD }
}

#[cfg(not(feature = "log"))]
mod counters {
    use core::arch::global_asm;

    use crate::image::Image;

    // What the module made by the linker refers to, and what it defines.
    global_asm!(
        ".globl __pathcc_runtime",
        ".hidden __pathcc_runtime",
        ".type __pathcc_runtime, @function",
        ".set __pathcc_runtime, __pathcc_start",
        ".hidden __pathcc_image",
    );

    unsafe extern "C" {
        #[link_name = "__pathcc_image"]
        static IMAGE: Image;
    }

    /// The descriptor of this image.
    pub(crate) fn image() -> &'static Image {
        // SAFETY: the linker defines it, and it is constant once the image is relocated.
        unsafe { &IMAGE }
    }
}

#[cfg(not(feature = "log"))]
pub(crate) use counters::image;

#[cfg(feature = "log")]
mod log {
    use core::arch::global_asm;

    use crate::log;

    // What code compiled with `-pathcc-mode=log` calls.
    global_asm!(
        ".macro export name, target",
        ".globl \\name",
        ".hidden \\name",
        ".type \\name, @function",
        ".set \\name, \\target",
        ".endm",
        "export __pathcc_log_enter, {enter}",
        "export __pathcc_log_block, {block}",
        "export __pathcc_log_end, {end}",
        ".purgem export",
        enter = sym enter,
        block = sym block,
        end = sym end,
    );

    /// A function is entered; gives its frame's number. `module` points to 16 bytes, the module's id; `function` is
    /// the function's index in the module's manifest.
    unsafe extern "C" fn enter(module: *const log::Record, function: u32) -> u64 {
        // SAFETY: the instrumented code passes a constant of its own.
        log::enter(crate::lifetime::environment(), unsafe { &*module }, function)
    }

    /// A block of a frame is executed.
    extern "C" fn block(frame: u64, block: u32) {
        log::block(crate::lifetime::environment(), frame, block);
    }

    /// A frame ends.
    extern "C" fn end(frame: u64) {
        log::end(crate::lifetime::environment(), frame);
    }
}
