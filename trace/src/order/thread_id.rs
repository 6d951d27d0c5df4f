//! The number of a thread in a trace.

use std::fmt::{Display, Formatter, Result};

use serde::Serialize;

/// A thread, by its index among the [`threads`](crate::order::source::threads) of a trace. A
/// signal handler's stream is of the thread that it interrupts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct ThreadId(pub u32);

impl ThreadId {
    /// Returns the number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl From<ThreadId> for u64 {
    fn from(id: ThreadId) -> Self {
        id.0.into()
    }
}

impl Display for ThreadId {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        self.0.fmt(f)
    }
}
