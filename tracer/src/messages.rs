//! The calls of MPI that traced code makes.

use pathformat::trace::Operation;

use crate::clock;
use crate::event;
use crate::operation::Begun;

// The linker lets traced code jump here. Nobody outside of the image is to find it.
core::arch::global_asm!(
    ".globl __pathcc_trace_message",
    ".hidden __pathcc_trace_message",
    ".set __pathcc_trace_message, {record}",
    record = sym record,
);

/// Gives the time in ticks if `began` is 0. Else the function of MPI with this number was called
/// then, and has come back.
extern "C" fn record(function: u64, began: u64) -> u64 {
    if began == 0 {
        return clock::ticks();
    }
    let operation = Operation::Message;
    let call = Begun { operation, object: function, other: 0, before: 0, begin: began };
    call.write(0, event::ticket());
    0
}
