//! The calls of a function that exchange messages between processes: those of MPI, by name.

use inkwell::values::InstructionValue;
use pathformat::messages;

use crate::llvm::{self, InstructionFacts};

/// The number of the function of MPI that a call calls. One that the unit defines itself is like
/// any other function.
pub(crate) fn of(call: InstructionValue<'_>) -> Option<usize> {
    let facts = InstructionFacts::of(call);
    if !facts.calls_function() || facts.must_be_last() || facts.does_not_return() {
        return None;
    }
    messages::number(&llvm::external_callee(call)?)
}
