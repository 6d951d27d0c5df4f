//! The symbols by which this object joins a program. All global symbols are hidden.

use core::arch::global_asm;

use process::sys;

use crate::shared_registry::{self, REGISTRY};
use crate::{lifetime, threads};

// The symbols to which the linker's module refers, and the symbols that it defines.
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
    "export __pathcc_begin, {begin}",
    "export __pathcc_label, {label}",
    ".purgem export",
    create = sym threads::create,
    leave = sym leave,
    label = sym label,
    begin = sym lifetime::begin,
    registry = sym REGISTRY,
);

/// Serves the functions of `pathcc/profile.h`, by their index. `text` is null, or ends with a NUL.
extern "C" fn label(text: *const u8, change: u32) {
    let text = match change {
        // SAFETY: the program passes a text or null, as the header says.
        0 if !text.is_null() => unsafe { process::text::c_string(text) }.to_bytes(),
        _ => &[],
    };
    shared_registry::get().with(|shared| {
        // A child of vfork shares the memory of its parent, whose label stays.
        if shared.process == process::sys::process() {
            shared.change_label(change, text);
        }
    });
}

/// Replaces `_exit`: the process ends at once, by the `_exit` of a sanitizer if there is one.
/// `linker-shim/src/threads.rs` and `static/exit.s` call it.
extern "C" fn leave(status: usize, sanitizer_exit: Option<extern "C" fn(usize)>) {
    shared_registry::get().leave();
    if let Some(exit) = sanitizer_exit {
        exit(status);
    }
    sys::exit(status);
}
