//! Vector clocks.

use crate::ids::ThreadId;

/// The number of the last known part of each thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct VectorClock(Vec<u64>);

impl VectorClock {
    /// Returns the number of the last known part of a thread.
    pub(super) fn of(&self, thread: ThreadId) -> u64 {
        self.0.get(thread.index()).copied().unwrap_or_default()
    }

    /// Begins the next part of a thread.
    pub(super) fn step(&mut self, thread: ThreadId) {
        let at = thread.index();
        if self.0.len() <= at {
            self.0.resize(at + 1, 0);
        }
        self.0[at] += 1;
    }

    /// Sets each entry to the maximum of both clocks.
    pub(super) fn join(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(known, other)| *known = (*known).max(*other));
    }
}
