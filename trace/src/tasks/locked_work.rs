//! The work that threads do while they have a lock. Only one thread at a time can do it, so it
//! limits how many times as fast the program can be, whatever happened in this run.
//!
//! Work under two locks counts for both, and under a lock that is taken twice for one. A lock for
//! reading excludes no readers, and is left out. Where records are missing, nobody is known to have
//! a lock.

use std::collections::HashMap;

use pathformat::trace::{Operation, Synchronisation};

use crate::fast_map::FastMap;
use crate::ids::{FunctionId, ThreadId};
use crate::order::item::{Actions, EndedPath};
use crate::order::releases::Links;
use crate::order::walk::{OperationEvent, Visitor};

/// The work by the address of the lock and by the function.
pub type LockedWork = HashMap<(u64, FunctionId), Actions>;

/// The visitor that measures it.
#[derive(Debug, Default)]
pub(crate) struct LockedWorkSearch {
    /// The locks that each thread has.
    held: Vec<Vec<u64>>,
    work: FastMap<(u64, FunctionId), Actions>,
}

impl LockedWorkSearch {
    /// Returns the work of the streams that were walked.
    pub(crate) fn finish(self) -> LockedWork {
        self.work.into_iter().collect()
    }

    /// Notes that a thread gives back a lock, if the operation does that.
    fn give_back(&mut self, thread: ThreadId, event: Option<OperationEvent<'_>>) {
        let lock = match event {
            Some((Operation::Unlock, event)) if event.result.get() == 0 => event.object.get(),
            Some((Operation::WaitCondition, event)) if event.before.get() > 0 => event.other.get(),
            _ => return,
        };
        let held = self.held(thread);
        if let Some(at) = held.iter().rposition(|known| *known == lock) {
            held.remove(at);
        }
    }

    fn held(&mut self, thread: ThreadId) -> &mut Vec<u64> {
        let at = thread.index();
        if self.held.len() <= at {
            self.held.resize_with(at + 1, Vec::new);
        }
        &mut self.held[at]
    }
}

impl Visitor for LockedWorkSearch {
    type Token = ();

    fn began(&mut self, _: ThreadId, _: u64, _: &Links<()>) {}

    fn path_ended(&mut self, thread: ThreadId, done: &EndedPath) {
        let held = self.held.get(thread.index()).map_or(&[][..], Vec::as_slice);
        for (at, &lock) in held.iter().enumerate() {
            if held[..at].contains(&lock) {
                continue;
            }
            self.work.entry((lock, done.function)).or_default().add(&done.actions);
        }
    }

    fn released(&mut self, thread: ThreadId, event: Option<OperationEvent<'_>>) {
        self.give_back(thread, event);
    }

    fn ended(&mut self, thread: ThreadId, _: u64, event: Option<OperationEvent<'_>>) {
        // What has no ticket releases nothing: that of OpenMP may have come too late.
        self.give_back(thread, event.filter(|(_, event)| event.before.get() == 0));
    }

    fn missing(&mut self, thread: ThreadId) {
        self.held(thread).clear();
    }

    fn acquired(
        &mut self,
        thread: ThreadId,
        of: Operation,
        event: &Synchronisation,
        _: &Links<()>,
    ) {
        let lock = match of {
            Operation::Lock if event.result.get() == 0 => event.object.get(),
            Operation::WaitCondition => event.other.get(),
            _ => return,
        };
        self.held(thread).push(lock);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use counts::model::PathId;
    use zerocopy::FromZeros;

    const THREAD: ThreadId = ThreadId(2);

    fn event(object: u64, other: u64, before: u64) -> Synchronisation {
        let (object, other, before) = (object.into(), other.into(), before.into());
        Synchronisation { object, other, before, ..Synchronisation::new_zeroed() }
    }

    fn work(search: &mut LockedWorkSearch, instructions: u64) {
        let actions = Actions { paths: 1, instructions, ..Actions::default() };
        search.path_ended(
            THREAD,
            &EndedPath {
                function: FunctionId(7),
                path: PathId(0),
                last: 0,
                calls_for_user: false,
                calls: None,
                actions,
                accesses: Vec::new(),
            },
        );
    }

    #[test]
    fn work_counts_for_each_lock_once() {
        let mut search = LockedWorkSearch::default();
        let lock = |search: &mut LockedWorkSearch, object| {
            search.acquired(THREAD, Operation::Lock, &event(object, 0, 0), &Links::new());
        };
        let unlock = |search: &mut LockedWorkSearch, object, ticket| {
            let event = event(object, 0, ticket);
            let done = Some((Operation::Unlock, &event));
            if ticket > 0 {
                search.released(THREAD, done);
            }
            search.ended(THREAD, 0, done);
        };
        work(&mut search, 1);
        lock(&mut search, 10);
        work(&mut search, 2);
        lock(&mut search, 10);
        work(&mut search, 4);
        lock(&mut search, 20);
        work(&mut search, 8);
        unlock(&mut search, 10, 5);
        work(&mut search, 16);
        unlock(&mut search, 20, 0);
        unlock(&mut search, 10, 6);
        work(&mut search, 32);
        lock(&mut search, 10);
        // It waits for a condition, and has the lock again behind that.
        let wait = event(30, 10, 7);
        search.released(THREAD, Some((Operation::WaitCondition, &wait)));
        work(&mut search, 64);
        search.acquired(THREAD, Operation::WaitCondition, &wait, &Links::new());
        work(&mut search, 128);
        search.missing(THREAD);
        work(&mut search, 256);
        let work = search.finish();
        let of = |lock| work[&(lock, FunctionId(7))].instructions;
        assert_eq!((of(10), of(20), work.len()), (2 + 4 + 8 + 16 + 128, 8 + 16, 2));
    }
}
