//! The calls of MPI that traced code makes.

use pathformat::trace::Operation;

use crate::block::ThreadState;
use crate::clock;
use crate::event;
use crate::operation::Begun;
use crate::waits::{MESSAGE, Wait};
use crate::written::Written;

// The linker makes traced code jump to this symbol. It is hidden from other images.
core::arch::global_asm!(
    ".globl __pathcc_trace_message",
    ".hidden __pathcc_trace_message",
    ".set __pathcc_trace_message, {record}",
    record = sym record,
);

/// Begins a call of the function of MPI with this number if `began` is 0, and returns the time in
/// ticks. Otherwise ends the call that began then.
extern "C" fn record(function: u64, began: u64) -> u64 {
    if began == 0 { begin(function) } else { end(function, began) }
}

fn begin(function: u64) -> u64 {
    let call = Begun::now(Operation::Message, function, 0);
    let began = call.begin;
    let written = call.write_open();
    if let Some(state) = ThreadState::own() {
        let (task, kind, object) = (began as usize, MESSAGE, function);
        state.waits.begin(Wait { task, kind, count: 0, object, written });
    }
    began
}

/// Completes the event of the call. Writes another one, of its end, if the thread has recorded
/// something meanwhile: MPI takes locks and allocates memory.
fn end(function: u64, began: u64) -> u64 {
    let wait = ThreadState::own().and_then(|state| state.waits.end(began as usize, MESSAGE));
    let written = wait.map_or(Written::NONE, |wait| wait.written);
    let after = event::ticket();
    let call = |begin, other| Begun {
        operation: Operation::Message,
        object: function,
        other,
        before: 0,
        begin,
    };
    if !call(began, 0).complete(written, 0, after) {
        call(clock::ticks(), 1).write(0, after);
    }
    0
}
