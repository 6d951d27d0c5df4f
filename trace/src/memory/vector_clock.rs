//! Vector clocks: how much of each thread is known to somebody.

use crate::order::thread_id::ThreadId;

/// For each thread the number of its last part that is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct VectorClock(Vec<u64>);

impl VectorClock {
    /// What is known of a thread.
    pub(super) fn of(&self, thread: ThreadId) -> u64 {
        self.0.get(thread.index()).copied().unwrap_or_default()
    }

    /// The next part of a thread begins.
    pub(super) fn step(&mut self, thread: ThreadId) {
        let at = thread.index();
        if self.0.len() <= at {
            self.0.resize(at + 1, 0);
        }
        self.0[at] += 1;
    }

    /// Whatever is known to another one is known.
    pub(super) fn join(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(known, other)| *known = (*known).max(*other));
    }
}
