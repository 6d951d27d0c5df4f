//! The number of a stream.

use std::fmt::{Display, Formatter, Result};

use serde::Serialize;

/// A stream of a trace, by the number that it has in the heads of its chunks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct StreamId(pub u32);

impl Display for StreamId {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        self.0.fmt(f)
    }
}

impl From<StreamId> for u64 {
    fn from(id: StreamId) -> Self {
        id.0.into()
    }
}
