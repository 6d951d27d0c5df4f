//! An observer that counts steps.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::observer::{Observer, Work};

/// Counts the steps of which it is told.
#[derive(Debug, Default)]
pub struct Counted(AtomicUsize);

impl Counted {
    /// How many there were.
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
