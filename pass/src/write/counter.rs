//! Which counter is stepped, and by how much.

use inkwell::values::{IntValue, PointerValue};

/// The counter at `base[index + constant]`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counter<'ctx> {
    /// The address of the function's counters.
    pub base: PointerValue<'ctx>,
    /// The register that is added to the constant, if there is one.
    pub index: Option<IntValue<'ctx>>,
    /// In counters.
    pub constant: u64,
}

impl Counter<'_> {
    /// The constant in bytes, if an instruction can hold it.
    pub(crate) fn displacement(&self) -> Option<i32> {
        i32::try_from((self.constant as i64).checked_mul(8)?).ok()
    }
}

/// A step of a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step<'ctx> {
    /// By one more.
    Up,
    /// By one less: a path in flight goes on.
    Down,
    /// By this much more.
    By(IntValue<'ctx>),
}
