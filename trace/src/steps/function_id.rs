//! The number of a traced function.

use std::fmt::{Display, Formatter, Result};

use serde::Serialize;

/// A traced function, by its index in [`Program::functions`](super::program::Program::functions).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct FunctionId(pub u32);

impl FunctionId {
    /// No function.
    pub const NONE: Self = Self(u32::MAX);

    /// The same as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl Display for FunctionId {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        self.0.fmt(f)
    }
}
