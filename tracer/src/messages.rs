//! The calls of MPI that traced code makes.

use pathformat::trace::Operation;

use crate::clock;
use crate::event;
use crate::operation::Begun;

// The linker makes traced code jump to this symbol. It is hidden from other images.
core::arch::global_asm!(
    ".globl __pathcc_trace_message",
    ".hidden __pathcc_trace_message",
    ".set __pathcc_trace_message, {record}",
    record = sym record,
);

/// Returns the time in ticks if `began` is 0. Otherwise records a call of the function of MPI with
/// this number, which was called then and has returned.
extern "C" fn record(function: u64, began: u64) -> u64 {
    if began == 0 {
        return clock::ticks();
    }
    let operation = Operation::Message;
    let call = Begun { operation, object: function, other: 0, before: 0, begin: began };
    call.write(0, event::ticket());
    0
}
