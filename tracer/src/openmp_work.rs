//! What the library reports of the work that the threads of a team share, and where the parts of a
//! thread begin.
//!
//! An analysis tells by it what the program leaves to any thread: an iteration, a section, a task.
//! None of these events orders anything.

use core::hint::black_box;

use pathformat::trace::{Operation, Work};

use crate::ompt::{SCOPE_BEGIN, dispatch, work};
use crate::operation::Begun;
use crate::team::team;
use crate::threads;

/// The stack that the library's functions between the caller of a task and this one use may belong
/// to the task, too.
const LIBRARY_FRAMES: u64 = 256;

/// A part of a loop, as the library gives it.
#[repr(C)]
pub(crate) struct Part {
    first: u64,
    count: u64,
}

/// Returns the kind of a construct, `None` if it leaves nothing to any thread.
///
/// A team of one thread gets all iterations of a loop as one part, whatever the program asks for.
fn kind(of: u32) -> Option<Work> {
    match of {
        work::LOOP_STATIC => Some(Work::Static),
        work::LOOP | work::LOOP_GUIDED | work::LOOP_OTHER => Some(Work::Iterations),
        work::SECTIONS | work::DISTRIBUTE | work::WORKSHARE => Some(Work::Iterations),
        work::LOOP_DYNAMIC if team().1 == 1 => Some(Work::Iterations),
        work::LOOP_DYNAMIC => Some(Work::Parts),
        work::SINGLE_EXECUTOR => Some(Work::Single),
        _ => None,
    }
}

/// Records that a thread begins or ends its share of a construct.
pub(crate) extern "C" fn share(
    of: u32,
    endpoint: u32,
    _region: *mut u64,
    _task: *mut u64,
    count: u64,
    _code: usize,
) {
    let Some(kind) = kind(of) else { return };
    let begins = endpoint == SCOPE_BEGIN;
    let operation = if begins { Operation::WorkBegin } else { Operation::WorkEnd };
    Begun::now(operation, kind as u64, count).end();
}

/// Records that a thread takes a part of a loop.
pub(crate) extern "C" fn take(
    _region: *mut u64,
    _task: *mut u64,
    kind: u32,
    instance: *const Part,
) {
    if kind != dispatch::LOOP_CHUNK {
        return;
    }
    // SAFETY: the library gives the address of a part, by the standard.
    if let Some(part) = unsafe { instance.as_ref() } {
        Begun::now(Operation::WorkPart, part.first, part.count).end();
    }
}

/// Records where the stack of the part or the task that begins now ends.
#[inline(never)]
pub(crate) fn begin_memory() {
    let here = 0u8;
    let end = black_box(&raw const here) as u64 + LIBRARY_FRAMES;
    Begun::now(Operation::ThreadMemory, end, threads::own() as u64).end();
}
