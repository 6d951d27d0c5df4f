//! What the code of a trace keeps of loops whose iterations are told by their number.

use inkwell::values::{IntValue, PointerValue};

use crate::plan::Repetition;

/// A loop of which the trace tells how often it ran.
pub(super) struct Repeating<'a, 'ctx> {
    pub(super) repetition: &'a Repetition,
    /// How often it ran, less those times that are recorded.
    pub(super) number: PointerValue<'ctx>,
    /// Where that is told.
    pub(super) place: PointerValue<'ctx>,
    /// A place that nobody reads.
    pub(super) unread: PointerValue<'ctx>,
}

/// A place where it is known whether a loop ran only a few times, the number of them as above, and
/// which loop it is.
pub(super) type Few<'a, 'ctx> = (IntValue<'ctx>, IntValue<'ctx>, &'a Repetition);
