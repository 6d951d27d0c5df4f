//! The waits of a thread in OpenMP and in MPI. While a thread waits it may run other tasks, which
//! wait in their turn. The waits are therefore a stack.

use crate::written::Written;

/// The greatest depth of waits inside other waits at which the end of a wait is told with its
/// object.
const DEPTH: usize = 32;

/// The kind of wait of a call of MPI. OpenMP has no such kind.
pub(crate) const MESSAGE: u32 = u32::MAX;

/// A wait that has begun. All-zero bytes are a valid value.
#[derive(Clone, Copy)]
pub(crate) struct Wait {
    /// The address of OpenMP's word for the task that waits, or the time at which a call of MPI
    /// began.
    pub(crate) task: usize,
    /// The kind of wait, by OpenMP's number, or [`MESSAGE`].
    pub(crate) kind: u32,
    /// The number of threads that wait for each other.
    pub(crate) count: u32,
    /// The object at which they wait.
    pub(crate) object: u64,
    /// The event of its beginning.
    pub(crate) written: Written,
}

impl Wait {
    #[cfg(test)]
    const NONE: Self = Self { task: 0, kind: 0, count: 0, object: 0, written: Written::NONE };
}

/// The waits of a thread. All-zero bytes are a valid value.
pub(crate) struct Waits {
    depth: usize,
    begun: [Wait; DEPTH],
    /// The time at which the thread began to take a lock.
    pub(crate) locking: u64,
}

impl Waits {
    #[cfg(test)]
    pub(crate) const NONE: Self = Self { depth: 0, begun: [Wait::NONE; DEPTH], locking: 0 };

    /// Begins a wait. Returns false, and changes nothing, if there is no room for it.
    pub(crate) fn begin(&mut self, wait: Wait) -> bool {
        let Some(place) = self.begun.get_mut(self.depth) else { return false };
        *place = wait;
        self.depth += 1;
        true
    }

    /// Returns true if the innermost wait is one of a task, of one of these kinds.
    pub(crate) fn is_in(&self, task: usize, kinds: &[u32]) -> bool {
        let last = self.depth.checked_sub(1).and_then(|at| self.begun.get(at));
        last.is_some_and(|wait| wait.task == task && kinds.contains(&wait.kind))
    }

    /// Ends a wait, and with it those inside it that have no end. Returns the wait if it is known.
    pub(crate) fn end(&mut self, task: usize, kind: u32) -> Option<Wait> {
        let begun = self.begun.get(..self.depth)?;
        let at = begun.iter().rposition(|wait| wait.task == task && wait.kind == kind)?;
        self.depth = at;
        self.begun.get(at).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_end_from_the_inside_out() {
        let mut waits = Waits::NONE;
        let wait = |task, kind| Wait { task, kind, object: task as u64, ..Wait::NONE };
        let ended = |waits: &mut Waits, task, kind| waits.end(task, kind).map(|wait| wait.object);
        assert!(!waits.is_in(1, &[3]));
        assert!(waits.begin(wait(1, 3)) && waits.begin(wait(2, 5)) && waits.begin(wait(3, 6)));
        assert!(waits.is_in(3, &[1, 6]) && !waits.is_in(3, &[3]) && !waits.is_in(2, &[5, 6]));
        assert_eq!(ended(&mut waits, 2, 6), None);
        assert_eq!(ended(&mut waits, 2, 5), Some(2));
        assert_eq!(ended(&mut waits, 3, 6), None, "it ended with the one around it");
        assert_eq!(ended(&mut waits, 1, 3), Some(1));
        assert_eq!((1..=DEPTH + 1).filter(|&task| waits.begin(wait(task, 5))).count(), DEPTH);
        assert_eq!(ended(&mut waits, DEPTH + 1, 5), None);
        assert_eq!(ended(&mut waits, DEPTH, 5), Some(DEPTH as u64));
    }
}
