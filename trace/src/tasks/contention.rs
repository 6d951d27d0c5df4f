//! The waits for locks, and the threads that held them.
//!
//! A thread *waited* for a lock if another thread unlocked it after the thread had begun to lock
//! it.

use std::collections::HashMap;

use pathformat::trace::{Operation, Synchronisation};

use crate::ids::ThreadId;
use crate::order::item::CodePlace;

/// The number of waits that are kept: the longest ones.
const LONGEST: usize = 100;

/// The locks of a trace.
#[derive(Clone, Debug, Default)]
pub struct Contention {
    locks: HashMap<u64, Lock>,
    waits: Vec<Wait>,
}

/// The use of a lock.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lock {
    /// The number of times it was taken, for reading or for writing.
    pub taken: u64,
    /// The number of failed attempts to take it.
    pub failed: u64,
    /// The number of waits for it.
    pub waited: u64,
    /// The duration of these waits, in ticks.
    pub wait: u64,
    /// The time for which it was held, in ticks: the sum over all holders.
    pub held: u64,
    /// The number and the duration of waits, by the place of the attempt.
    pub places: HashMap<CodePlace, (u64, u64)>,
    /// The holders, each with the time and the place of taking it.
    holders: Vec<(ThreadId, u64, CodePlace)>,
    /// The thread of the last unlock, its time, and the place where that thread had taken it.
    last: Option<(ThreadId, u64, CodePlace)>,
}

/// A wait for a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wait {
    /// The duration, in ticks.
    pub wait: u64,
    /// The lock.
    pub object: u64,
    /// The thread that waited.
    pub thread: ThreadId,
    /// The place of the wait.
    pub place: CodePlace,
    /// The thread that held the lock.
    pub holder: ThreadId,
    /// The place where that thread had taken it.
    pub holder_place: CodePlace,
}

impl Contention {
    /// Returns the locks, those with the longest waits first.
    pub fn locks(&self) -> Vec<(u64, &Lock)> {
        let mut locks: Vec<_> = self.locks.iter().map(|(object, lock)| (*object, lock)).collect();
        locks.sort_by_key(|(object, lock)| {
            (u64::MAX - lock.wait, u64::MAX - lock.waited, u64::MAX - lock.taken, *object)
        });
        locks
    }

    /// Returns the longest waits.
    pub fn longest(&self) -> Vec<Wait> {
        let mut waits = self.waits.clone();
        waits.sort_by(|a, b| b.cmp(a));
        waits.truncate(LONGEST);
        waits
    }

    /// Notes that a thread begins an operation.
    pub(super) fn before(&mut self, thread: ThreadId, of: Operation, event: &Synchronisation) {
        let object = match of {
            Operation::Unlock if event.result.get() == 0 => event.object.get(),
            Operation::WaitCondition if event.before.get() > 0 => event.other.get(),
            _ => return,
        };
        let Some(lock) = self.locks.get_mut(&object) else { return };
        if let Some(at) = lock.holders.iter().rposition(|holder| holder.0 == thread) {
            let (_, since, place) = lock.holders.remove(at);
            lock.held += event.begin.get().saturating_sub(since);
            lock.last = Some((thread, event.begin.get(), place));
        }
    }

    /// Notes that a thread has ended an operation.
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
            // The wait was for the condition, not for the lock.
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
