//! Reports progress to an observer.
//!
//! The library displays nothing itself. A caller that shows progress passes an [`Observer`], any
//! other passes `()`.

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

/// An observer of progress. Several threads may call it at once.
pub trait Observer: Debug + Sync {
    /// Begins work of this many steps.
    fn begin(&self, work: Work, steps: usize);

    /// Ends one step.
    fn step(&self);

    /// Ends the work, possibly before all its steps.
    fn end(&self);
}

/// The observer that ignores progress.
impl Observer for () {
    fn begin(&self, _work: Work, _steps: usize) {}

    fn step(&self) {}

    fn end(&self) {}
}
