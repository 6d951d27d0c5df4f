//! Lets another thread do what a walk through a trace need not wait for.
//!
//! One thread finds, the other one uses what was found, in the same order: the result is that of
//! one thread. What is found goes over in batches, whose memory comes back. They are small enough
//! for the second caches of both processors.

use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

/// The number of things in a batch.
const BATCH: usize = 1 << 12;

/// The number of batches that wait for the other thread.
const WAITING: usize = 4;

/// Where a thread leaves what it finds.
pub(crate) struct Findings<T> {
    batch: Vec<T>,
    full: SyncSender<Vec<T>>,
    empty: Receiver<Vec<T>>,
}

/// The batches that a thread uses, in order.
pub(crate) struct Batches<T> {
    full: Receiver<Vec<T>>,
    empty: Sender<Vec<T>>,
}

impl<T> Findings<T> {
    /// Hands one thing on.
    #[inline]
    pub(crate) fn push(&mut self, found: T) {
        if self.batch.len() == BATCH {
            self.send();
        }
        self.batch.push(found);
    }

    #[cold]
    fn send(&mut self) {
        let next = self.empty.try_recv().unwrap_or_else(|_| Vec::with_capacity(BATCH));
        // The other thread ends early only if it panics, which the caller then does, too.
        let _ = self.full.send(std::mem::replace(&mut self.batch, next));
    }
}

impl<T> Batches<T> {
    /// Uses all that is found.
    pub(crate) fn for_each(self, mut use_one: impl FnMut(T)) {
        for mut batch in self.full {
            batch.drain(..).for_each(&mut use_one);
            // The other thread may have found all.
            let _ = self.empty.send(batch);
        }
    }
}

/// Lets this thread find, and another one use what it finds. Returns both results.
pub(crate) fn beside<T: Send, F, U: Send>(
    find: impl FnOnce(&mut Findings<T>) -> F,
    use_all: impl FnOnce(Batches<T>) -> U + Send,
) -> (F, U) {
    let (full, to_use) = sync_channel(WAITING);
    let (used, empty) = channel();
    thread::scope(|scope| {
        let user = scope.spawn(|| use_all(Batches { full: to_use, empty: used }));
        let mut findings = Findings { batch: Vec::with_capacity(BATCH), full, empty };
        let found = find(&mut findings);
        findings.send();
        drop(findings);
        let used = user.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        (found, used)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_is_used_in_order() {
        for count in [0, 1, BATCH, BATCH + 1, 20 * BATCH + 7] {
            let find = |findings: &mut Findings<usize>| {
                (0..count).for_each(|at| findings.push(at));
                count
            };
            let use_all = |batches: Batches<usize>| {
                let mut used = Vec::new();
                batches.for_each(|at| used.push(at));
                used
            };
            let (found, used) = beside(find, use_all);
            assert_eq!((found, used), (count, (0..count).collect()));
        }
    }

    #[test]
    #[should_panic(expected = "no number")]
    fn a_panic_of_the_other_thread_is_this_ones() {
        let find =
            |findings: &mut Findings<usize>| (0..20 * BATCH).for_each(|at| findings.push(at));
        beside(find, |batches: Batches<usize>| batches.for_each(|_| panic!("no number")));
    }
}
