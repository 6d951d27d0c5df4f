//! The slots with which the code of a trace counts the iterations of loops.

use inkwell::values::{IntValue, PointerValue};

use crate::plan::Repetition;

/// A loop whose trace has the number of its iterations.
pub(super) struct LoopCounter<'a, 'ctx> {
    pub(super) repetition: &'a Repetition,
    /// The number of its iterations, less those that are recorded as paths.
    pub(super) number: PointerValue<'ctx>,
    /// The address in the event at which the number is kept up to date.
    pub(super) place: PointerValue<'ctx>,
    /// A slot that nobody reads, for the time before there is an event.
    pub(super) unread: PointerValue<'ctx>,
}

/// The condition that this is one of the first iterations of a loop, the number as above, and
/// the loop.
pub(super) type FirstIterations<'a, 'ctx> = (IntValue<'ctx>, IntValue<'ctx>, &'a Repetition);
