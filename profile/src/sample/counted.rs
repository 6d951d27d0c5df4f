//! An observer that counts steps.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::observer::{Observer, Work};

/// Counts the steps that are reported to it.
#[derive(Debug, Default)]
pub struct Counted(AtomicUsize);

impl Counted {
    /// Returns the number of steps.
    pub fn steps(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

impl Observer for Counted {
    fn begin(&self, _: Work, _: usize) {}

    fn step(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    fn end(&self) {}
}
