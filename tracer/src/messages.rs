//! The calls of MPI that traced code makes.

use pathformat::trace::{Kind, Operation, Synchronisation};

use crate::clock;
use crate::event;

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
    let operation = Operation::Message as u32;
    let after = event::ticket().into();
    let (begin, end) = (began.into(), clock::ticks().into());
    let object = function.into();
    let told = Synchronisation {
        operation: operation.into(),
        object,
        after,
        begin,
        end,
        ..Synchronisation::default()
    };
    event::write(Kind::Synchronised, &told);
    0
}
