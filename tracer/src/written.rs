//! The place of an event that may be completed.

/// The end of an event that was written. All-zero bytes stand for none.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Written {
    /// The address behind it.
    pub(crate) behind: usize,
    /// The number of chunks that its stream had.
    pub(crate) chunks: u64,
}

impl Written {
    /// No event.
    pub(crate) const NONE: Self = Self { behind: 0, chunks: 0 };
}
