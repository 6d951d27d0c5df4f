//! The work that threads do while they have a lock. Only one thread at a time can do it, so it
//! limits how many times as fast the program can be, whatever happened in this run.
//!
//! Work under two locks counts for both. A lock for reading excludes no readers, and is left out.

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
        for &lock in held {
            self.work.entry((lock, done.function)).or_default().add(&done.actions);
        }
    }

    fn released(&mut self, thread: ThreadId, event: Option<OperationEvent<'_>>) {
        let lock = match event {
            Some((Operation::Unlock, event)) if event.result.get() == 0 => event.object.get(),
            Some((Operation::WaitCondition, event)) => event.other.get(),
            _ => return,
        };
        let held = self.held(thread);
        if let Some(at) = held.iter().rposition(|known| *known == lock) {
            held.remove(at);
        }
    }

    fn ended(&mut self, _: ThreadId, _: u64, _: Option<OperationEvent<'_>>) {}

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
