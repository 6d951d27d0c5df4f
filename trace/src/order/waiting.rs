//! The waits of a thread in OpenMP and in MPI, from the outside in.
//!
//! A thread that waits at a barrier, at the end of a parallel region, for tasks or in a call of MPI
//! is *idle*: what it does meanwhile is no work of the program, even if it is busy asking whether
//! the wait is over, or takes locks and memory for that. It is not idle while it runs another task.
//!
//! A thread that OpenMP creates is idle up to its first part of a region, unless something else of
//! it is recorded before.

use pathformat::trace::{Operation, Synchronisation};

/// Returns true if the event is the second one of a call of MPI.
pub(super) fn ends_message(event: &Synchronisation) -> bool {
    event.operation() == Some(Operation::Message) && event.other.get() != 0
}

/// What a thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The other threads of a parallel region, at its end, and then the next region.
    Region,
    /// The other threads of its team.
    Barrier,
    /// Tasks.
    Tasks,
    /// Other processes, in a call of MPI.
    Message,
}

/// A wait that has begun.
#[derive(Clone, Copy, Debug)]
struct Wait {
    kind: Kind,
    /// The task that waits, once the thread has left it for another one.
    task: Option<u64>,
    /// True while the thread runs another task.
    is_away: bool,
}

/// The waits of a thread.
#[derive(Clone, Debug, Default)]
pub(super) struct Waiting {
    waits: Vec<Wait>,
    /// True if nothing is recorded of the thread but its beginning.
    has_only_begun: bool,
}

impl Waiting {
    /// Returns true if the thread, which has no running task, waited up to the beginning of this
    /// operation.
    pub(super) fn is_idle_before(&self, of: Operation) -> bool {
        self.is_idle() || (self.has_only_begun && of == Operation::MemberBegin)
    }

    /// Returns true if the thread does nothing but wait.
    pub(super) fn is_idle(&self) -> bool {
        self.waits.last().is_some_and(|wait| !wait.is_away)
    }

    /// Notes an operation of the thread: all of it, its beginning or its end.
    pub(super) fn note(&mut self, of: Operation, event: &Synchronisation) {
        let begins = event.after.get() == 0;
        self.has_only_begun = of == Operation::Begin;
        match of {
            Operation::MemberEnd => self.begin(Kind::Region),
            Operation::MemberBegin | Operation::ParallelEnd => self.end(Kind::Region),
            Operation::Barrier if begins => self.begin(Kind::Barrier),
            // The event may be all of the wait. Then the thread was not idle before.
            Operation::Barrier => self.end(Kind::Barrier),
            Operation::TaskWait | Operation::TaskGroup if begins => self.begin(Kind::Tasks),
            Operation::TaskWait | Operation::TaskGroup => self.end(Kind::Tasks),
            Operation::Message if begins => self.begin(Kind::Message),
            // Any other event is all of a call, which may be inside another one.
            Operation::Message if ends_message(event) => self.end(Kind::Message),
            Operation::TaskSwitch | Operation::TaskEnd => {
                self.change(event.other.get(), event.object.get());
            }
            _ => {}
        }
    }

    /// Takes into account that records are missing: the ends of calls of MPI may be among them, and
    /// whatever a new thread did.
    pub(super) fn miss(&mut self) {
        while self.waits.pop_if(|of| of.kind == Kind::Message).is_some() {}
        self.has_only_begun = false;
    }

    fn begin(&mut self, kind: Kind) {
        self.waits.push(Wait { kind, task: None, is_away: false });
    }

    fn end(&mut self, kind: Kind) {
        // An error handler may have jumped out of a call of MPI.
        while kind != Kind::Message && self.waits.pop_if(|of| of.kind == Kind::Message).is_some() {}
        if self.is_idle() && self.waits.last().is_some_and(|wait| wait.kind == kind) {
            self.waits.pop();
        }
    }

    /// Leaves one task for another one.
    fn change(&mut self, former: u64, next: u64) {
        let Some(wait) = self.waits.last_mut() else { return };
        let task = *wait.task.get_or_insert(former);
        wait.is_away = next != task;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Operation::*;

    fn event(object: u64, other: u64, after: u64) -> Synchronisation {
        let (object, other, after) = (object.into(), other.into(), after.into());
        Synchronisation { object, other, after, ..Synchronisation::default() }
    }

    #[test]
    fn a_thread_that_runs_another_task_is_not_idle() {
        let mut waiting = Waiting::default();
        let mut is_idle = |of, event: Synchronisation| {
            waiting.note(of, &event);
            waiting.is_idle()
        };
        assert!(!is_idle(Barrier, event(0, 2, 5)), "a whole wait");
        assert!(is_idle(Barrier, event(0, 2, 0)));
        assert!(!is_idle(TaskSwitch, event(7, 1, 1)));
        assert!(!is_idle(TaskWait, event(7, 0, 1)), "a whole wait in the other task");
        assert!(is_idle(TaskWait, event(7, 0, 0)));
        assert!(!is_idle(TaskSwitch, event(8, 7, 1)));
        assert!(!is_idle(TaskEnd, event(9, 8, 1)));
        assert!(is_idle(TaskEnd, event(7, 9, 1)));
        assert!(!is_idle(TaskWait, event(7, 0, 1)), "its end");
        assert!(is_idle(TaskEnd, event(1, 7, 1)));
        assert!(!is_idle(Barrier, event(0, 2, 9)));
    }

    #[test]
    fn a_thread_is_idle_between_regions() {
        let mut waiting = Waiting::default();
        let mut is_idle = |of| {
            waiting.note(of, &event(5, 0, 1));
            waiting.is_idle()
        };
        let all = [MemberBegin, MemberEnd, MemberBegin, ParallelBegin, MemberBegin, MemberEnd];
        assert_eq!(all.map(&mut is_idle), [false, true, false, false, false, true]);
        assert_eq!([ParallelEnd, MemberEnd].map(is_idle), [false, true]);
    }

    #[test]
    fn a_new_thread_is_idle_up_to_its_first_region_only() {
        let mut waiting = Waiting::default();
        assert!(!waiting.is_idle_before(MemberBegin));
        waiting.note(Begin, &event(5, 0, 1));
        assert!(waiting.is_idle_before(MemberBegin));
        assert!(!waiting.is_idle_before(Lock), "a thread of the program's");
        waiting.note(Lock, &event(5, 0, 1));
        assert!(!waiting.is_idle_before(MemberBegin));
    }
}
