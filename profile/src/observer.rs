//! Tells an observer how far long work has come.
//!
//! The library draws nothing itself. A caller that shows progress passes an [`Observer`], any other
//! passes `()`.

use std::fmt::Debug;

/// Work that may take a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Records are read.
    Reading,
    /// Counters are turned into paths.
    Decoding,
    /// Chunks of a trace are read.
    Tracing,
}

/// Is told how far work has come. Several threads may tell it at once.
pub trait Observer: Debug + Sync {
    /// Some work begins, which has this many steps.
    fn begin(&self, work: Work, steps: usize);

    /// One of them is done.
    fn step(&self);

    /// The work is over, whether or not all its steps were made.
    fn end(&self);
}

/// Nobody wants to know.
impl Observer for () {
    fn begin(&self, _work: Work, _steps: usize) {}

    fn step(&self) {}

    fn end(&self) {}
}
