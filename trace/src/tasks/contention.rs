//! Who waited for which lock, and who had it meanwhile.
//!
//! A thread *waited* for a lock if somebody else gave it back after the thread had begun to ask for
//! it.

use std::collections::HashMap;

use pathformat::trace::{Operation, Synchronisation};

use crate::order::item::CodePlace;
use crate::order::thread_id::ThreadId;

/// How many waits are kept: the longest.
const LONGEST: usize = 100;

/// The locks of a trace.
#[derive(Clone, Debug, Default)]
pub struct Contention {
    locks: HashMap<u64, Lock>,
    waits: Vec<Wait>,
}

/// What is known of a lock.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lock {
    /// How often it was taken, for reading or for writing.
    pub taken: u64,
    /// How often taking it failed.
    pub failed: u64,
    /// How often somebody waited for it.
    pub waited: u64,
    /// How long, in ticks.
    pub wait: u64,
    /// How long it was held, in ticks: the sum for all who had it.
    pub held: u64,
    /// By where it was asked for: how often somebody waited there, and how long.
    pub places: HashMap<CodePlace, (u64, u64)>,
    /// Who has it, since when, and where it was taken.
    holders: Vec<(ThreadId, u64, CodePlace)>,
    /// Who gave it back last, when, and where that one had taken it.
    last: Option<(ThreadId, u64, CodePlace)>,
}

/// A wait for a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wait {
    /// How long, in ticks.
    pub wait: u64,
    /// The lock.
    pub object: u64,
    /// Who waited.
    pub thread: ThreadId,
    /// Where.
    pub place: CodePlace,
    /// Who had the lock.
    pub holder: ThreadId,
    /// Where that one had taken it.
    pub holder_place: CodePlace,
}

impl Contention {
    /// The locks, those with the longest waits first.
    pub fn locks(&self) -> Vec<(u64, &Lock)> {
        let mut locks: Vec<_> = self.locks.iter().map(|(object, lock)| (*object, lock)).collect();
        locks.sort_by_key(|(object, lock)| {
            (u64::MAX - lock.wait, u64::MAX - lock.waited, u64::MAX - lock.taken, *object)
        });
        locks
    }

    /// The longest waits.
    pub fn longest(&self) -> Vec<Wait> {
        let mut waits = self.waits.clone();
        waits.sort_by(|a, b| b.cmp(a));
        waits.truncate(LONGEST);
        waits
    }

    /// A thread begins an operation.
    pub(super) fn before(
        &mut self,
        thread: ThreadId,
        of: Operation,
        event: &Synchronisation,
        _: CodePlace,
    ) {
        let object = match of {
            Operation::Unlock if event.result.get() == 0 => event.object.get(),
            Operation::WaitCondition => event.other.get(),
            _ => return,
        };
        let Some(lock) = self.locks.get_mut(&object) else { return };
        if let Some(at) = lock.holders.iter().rposition(|holder| holder.0 == thread) {
            let (_, since, place) = lock.holders.remove(at);
            lock.held += event.begin.get().saturating_sub(since);
            lock.last = Some((thread, event.begin.get(), place));
        }
    }

    /// A thread has ended an operation.
    pub(super) fn after(
        &mut self,
        thread: ThreadId,
        of: Operation,
        event: &Synchronisation,
        place: CodePlace,
    ) {
        let (begin, end) = (event.begin.get(), event.end.get());
        match of {
            Operation::Lock | Operation::LockShared => {
                let object = event.object.get();
                let lock = self.locks.entry(object).or_default();
                if event.result.get() != 0 {
                    lock.failed += 1;
                    return;
                }
                lock.taken += 1;
                lock.holders.push((thread, end, place));
                let last = lock.last.filter(|last| last.0 != thread && last.1 > begin);
                if let Some((holder, _, holder_place)) = last {
                    let wait = end.saturating_sub(begin);
                    lock.waited += 1;
                    lock.wait = lock.wait.saturating_add(wait);
                    let at = lock.places.entry(place).or_default();
                    *at = (at.0 + 1, at.1.saturating_add(wait));
                    self.keep(Wait { wait, object, thread, place, holder, holder_place });
                }
            }
            // What was waited for is the condition.
            Operation::WaitCondition => {
                let lock = self.locks.entry(event.other.get()).or_default();
                lock.taken += 1;
                lock.holders.push((thread, end, place));
            }
            _ => {}
        }
    }

    fn keep(&mut self, wait: Wait) {
        self.waits.push(wait);
        if self.waits.len() >= 4 * LONGEST {
            self.waits = self.longest();
        }
    }
}
