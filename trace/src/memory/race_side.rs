//! An access that races with another one.

use crate::order::item::CodePlace;

/// One of two accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RaceSide {
    /// The place in the code.
    pub place: CodePlace,
    /// True if it writes.
    pub writes: bool,
    /// True if it is atomic.
    pub is_atomic: bool,
}
