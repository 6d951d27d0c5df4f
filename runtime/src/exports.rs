//! The symbols and sections by which this object joins a program. All global symbols are hidden.

use core::arch::global_asm;

// Constructor and destructor. Priorities up to 100 are the implementation's: the program's own
// constructors run after ours, its destructors before.
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

#[cfg(not(feature = "log"))]
mod counters {
    use core::arch::global_asm;

    use crate::shared_registry::{self, REGISTRY};
    use crate::threads;

    // What the module made by the linker refers to, and what it defines.
    global_asm!(
        ".macro export name, target",
        ".globl \\name",
        ".hidden \\name",
        ".set \\name, \\target",
        ".endm",
        "export __pathcc_runtime, __pathcc_start",
        "export __pathcc_create_thread, {create}",
        "export __pathcc_registry, {registry}",
        "export __pathcc_leave, {leave}",
        ".purgem export",
        create = sym threads::create,
        leave = sym leave,
        registry = sym REGISTRY,
    );

    /// In place of `_exit`: the process ends at once, by the `_exit` of a sanitizer if there is
    /// one. `linker-shim/src/threads.rs` and `static/exit.s` call it.
    extern "C" fn leave(status: usize, sanitizer_exit: Option<extern "C" fn(usize)>) {
        shared_registry::get().leave();
        if let Some(exit) = sanitizer_exit {
            exit(status);
        }
        crate::sys::exit(status);
    }
}

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

    /// A function is entered; gives its frame's number. `module` points to 16 bytes, the module's
    /// id; `function` is the function's index in the module's manifest.
    unsafe extern "C" fn enter(module: *const log::Record, function: u32) -> u64 {
        // SAFETY: the instrumented code passes a constant of its own.
        log::enter(crate::environment::of_image(), unsafe { &*module }, function)
    }

    /// A block of a frame is executed.
    extern "C" fn block(frame: u64, block: u32) {
        log::block(crate::environment::of_image(), frame, block);
    }

    /// A frame ends.
    extern "C" fn end(frame: u64) {
        log::end(crate::environment::of_image(), frame);
    }
}
