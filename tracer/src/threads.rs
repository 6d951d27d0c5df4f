//! The beginning and the end of threads.
//!
//! The function that creates a thread gets our start function in place of the program's, and the
//! number of a slot that holds the program's. There are slots for threads that are created and have
//! not begun. If all are taken, the thread begins without an event.

use core::arch::{asm, global_asm};
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use pathformat::trace::Operation;

use crate::block::Block;
use crate::clock;
use crate::event;
use crate::operation::{self, Begun};

/// The largest number of threads that may be about to begin at the same time.
const SLOTS: usize = 256;

/// A thread that was created and has not begun.
struct Slot {
    /// The program's function, or [`FREE`] or [`TAKEN`].
    start: AtomicUsize,
    argument: AtomicUsize,
    number: AtomicU64,
}

const FREE: usize = 0;
const TAKEN: usize = 1;

static CREATED: [Slot; SLOTS] = [const {
    Slot { start: AtomicUsize::new(FREE), argument: AtomicUsize::new(0), number: AtomicU64::new(0) }
}; SLOTS];

/// The number of threads that were created.
static LAST: AtomicU64 = AtomicU64::new(0);

// The start function of threads. Unwinders know its frame, since a thread may end by
// `pthread_exit`, or be cancelled.
global_asm!(
    ".pushsection .text.__pathcc_trace_thread, \"ax\", @progbits",
    ".p2align 4",
    ".type __pathcc_trace_thread, @function",
    "__pathcc_trace_thread:",
    ".cfi_startproc",
    "endbr64",
    "pushq %rbp",
    ".cfi_def_cfa_offset 16",
    ".cfi_offset %rbp, -16",
    "movq %rsp, %rbp",
    ".cfi_def_cfa_register %rbp",
    "pushq %rbx",
    ".cfi_offset %rbx, -24",
    "subq $8, %rsp",
    "call {begin}",
    "movq %rdx, %rdi",
    "call *%rax",
    "movq %rax, %rbx",
    "call {end}",
    "movq %rbx, %rax",
    "addq $8, %rsp",
    "popq %rbx",
    "popq %rbp",
    ".cfi_def_cfa %rsp, 8",
    "ret",
    ".cfi_endproc",
    ".size __pathcc_trace_thread, . - __pathcc_trace_thread",
    ".popsection",
    begin = sym begin,
    end = sym end,
    options(att_syntax)
);

/// A thread that is created: its number, and its start function and argument.
pub(crate) struct Creation {
    pub(crate) number: u64,
    pub(crate) start: usize,
    pub(crate) argument: usize,
}

/// Prepares a thread with this start function and argument.
pub(crate) fn prepare(start: usize, argument: usize) -> Creation {
    let number = LAST.fetch_add(1, Ordering::Relaxed) + 1;
    let take = |slot: &Slot| {
        slot.start.compare_exchange(FREE, TAKEN, Ordering::Acquire, Ordering::Relaxed).is_ok()
    };
    let Some(at) = CREATED.iter().position(take) else {
        return Creation { number, start, argument };
    };
    let slot = &CREATED[at];
    slot.argument.store(argument, Ordering::Relaxed);
    slot.number.store(number, Ordering::Relaxed);
    slot.start.store(start, Ordering::Release);
    Creation { number, start: ours(), argument: at }
}

/// Frees the slot of a thread that could not be created.
pub(crate) fn forget(creation: &Creation) {
    if creation.start == ours()
        && let Some(slot) = CREATED.get(creation.argument)
    {
        slot.start.store(FREE, Ordering::Release);
    }
}

/// Returns the address of our start function.
fn ours() -> usize {
    address_of!("__pathcc_trace_thread")
}

/// The program's start function of a thread, and its argument.
#[repr(C)]
struct Started {
    start: usize,
    argument: usize,
}

/// Records the beginning of a thread with this slot.
extern "C" fn begin(slot: usize) -> Started {
    let begin = clock::ticks();
    let slot = &CREATED[slot % SLOTS];
    let number = slot.number.load(Ordering::Relaxed);
    let argument = slot.argument.load(Ordering::Relaxed);
    let start = slot.start.swap(FREE, Ordering::AcqRel);
    record(Operation::Begin, number, begin);
    // SAFETY: the thread's own memory, which exists once it has a stream.
    if let Some(state) = unsafe { (*Block::own()).state.as_mut() } {
        state.thread = number;
    }
    Started { start, argument }
}

/// Records the end of the calling thread.
pub(crate) extern "C" fn end() {
    // SAFETY: as above.
    let number = unsafe { (*Block::own()).state.as_ref() }.map_or(0, |state| state.thread);
    record(Operation::End, number, clock::ticks());
    event::end_thread();
    // SAFETY: the thread's own memory.
    unsafe { (*Block::own()).set_quiet(true) };
}

fn record(operation: Operation, number: u64, begin: u64) {
    let (other, before) = (own() as u64, operation::release(operation));
    Begun { operation, object: number, other, before, begin }.end();
}

/// Returns the `pthread_t` of the calling thread.
pub(crate) fn own() -> usize {
    let address: usize;
    // SAFETY: reads the thread's pointer to itself, which both C libraries use as `pthread_t`.
    unsafe {
        asm!("mov {}, fs:[0]", out(reg) address, options(pure, readonly, nostack, preserves_flags));
    }
    address
}
