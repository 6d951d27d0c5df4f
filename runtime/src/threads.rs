//! The threads of an instrumented executable, each of which gets a slot before it starts.
//!
//! The executable defines `pthread_create` and `thrd_create` (`linker-shim/src/threads.rs`); a
//! static one defines only the first (`static/threads.s`). Both call this code, so libraries call
//! it too. The thread begins in `__pathcc_thread_start`, which leaves no frame on its stack.

use core::arch::{asm, global_asm};

use crate::imports::{self, ThreadFunction};
use crate::slots::Slot;
use crate::{counting, shared_registry};

// The start of a registered thread, with the number of its slot as its argument. The thread then
// runs its own function, with no frame of ours on its stack, so that it ends, unwinds and looks in
// a debugger as without the runtime.
global_asm!(
    ".pushsection .text.__pathcc_thread_start, \"ax\", @progbits",
    ".p2align 4",
    ".type __pathcc_thread_start, @function",
    "__pathcc_thread_start:",
    ".cfi_startproc",
    "endbr64",
    "sub $8, %rsp",
    ".cfi_adjust_cfa_offset 8",
    "call {begin}",
    "add $8, %rsp",
    ".cfi_adjust_cfa_offset -8",
    "mov %rdx, %rdi",
    "jmp *%rax",
    ".cfi_endproc",
    ".size __pathcc_thread_start, . - __pathcc_thread_start",
    ".popsection",
    begin = sym begin,
    options(att_syntax)
);

/// Returns the address of the start of a registered thread.
fn thread_start() -> usize {
    let address: usize;
    // SAFETY: computes an address.
    unsafe {
        asm!("lea {}, [rip + __pathcc_thread_start]", out(reg) address, options(nomem, nostack, preserves_flags));
    }
    address
}

/// The function of the C library.
type Create = unsafe extern "C" fn(usize, usize, usize, usize) -> i32;

/// The results of the functions when there are no resources: `EAGAIN`, and glibc's `thrd_nomem`.
const NOT_CREATED: [i32; 2] = [11, 3];

/// Creates a thread. `real` is the C library's function, or 0 to look it up.
pub(crate) unsafe extern "C" fn create(
    thread: usize,
    attributes: usize,
    start: usize,
    argument: usize,
    real: usize,
    kind: u32,
) -> i32 {
    let kind = if kind == 0 { ThreadFunction::Posix } else { ThreadFunction::C };
    let real = if real == 0 { imports::next_create(kind) } else { real };
    if real == 0 {
        return NOT_CREATED[kind as usize];
    }
    let call = |start, argument| {
        // SAFETY: it is the C library's function, with arguments of its type.
        unsafe {
            let real = core::mem::transmute::<usize, Create>(real);
            match kind {
                ThreadFunction::Posix => real(thread, attributes, start, argument),
                ThreadFunction::C => real(thread, start, argument, 0),
            }
        }
    };
    let registry = shared_registry::get();
    let given = registry.with(|shared| {
        // No thread counts yet. The constructor of a library may be earlier than ours, and count.
        if shared.used == 0 {
            return None;
        }
        let slot = shared.take()?;
        shared.prepare(slot);
        let task = shared.task(slot)?;
        (task.start, task.argument) = (start, argument);
        Some(slot)
    });
    // Without a slot the thread counts in the region, where it is noticed. A thread begins with the
    // segment of the thread that creates it.
    let Some(slot) = given else {
        return counting::without_segment(|| call(start, argument));
    };
    let result = call(thread_start(), slot.0 as usize);
    if result != 0 {
        registry.with(|shared| shared.give_back(slot));
    }
    result
}

/// The function of a thread, and its argument.
#[repr(C)]
pub(crate) struct Task {
    start: usize,
    argument: usize,
}

/// Begins to count in the new thread. Returns the function that it runs.
pub(crate) extern "C" fn begin(slot: usize) -> Task {
    let slot = Slot(slot as u32);
    shared_registry::get().with(|shared| {
        shared.begin(slot);
        let task = shared.task(slot);
        // The slot was given to this thread, so that there is a task.
        task.map_or(Task { start: 0, argument: 0 }, |task| Task {
            start: task.start,
            argument: task.argument,
        })
    })
}
