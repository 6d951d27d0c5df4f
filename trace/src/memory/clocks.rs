//! The happens-before relation: the vector clocks of all threads.
//!
//! A thread's own entry grows at each release. So each access has a [`Moment`], and it happens
//! before the current point of another thread if that thread's clock has an entry at least as
//! large.

use std::sync::Arc;

use crate::fast_map::FastMap;
use crate::ids::{Moment, ThreadId};
use crate::memory::vector_clock::VectorClock;
use crate::order::item::MemoryAccess;
use crate::order::releases::Links;

impl Moment {
    /// Returns true if the moment happens before the point that has this clock.
    pub(super) fn is_known(self, clock: &VectorClock) -> bool {
        self.part <= clock.of(self.thread)
    }
}

/// The clocks of all threads.
#[derive(Clone, Debug, Default)]
pub(super) struct Clocks {
    threads: Vec<VectorClock>,
    /// The shared copies of clocks, by thread.
    kept: Vec<Option<Arc<VectorClock>>>,
    /// The clocks that atomic accesses released, by address.
    addresses: FastMap<u64, VectorClock>,
}

impl Clocks {
    /// Returns the clock of a thread.
    pub(super) fn of(&mut self, thread: ThreadId) -> &VectorClock {
        self.clock(thread)
    }

    #[inline]
    fn clock(&mut self, thread: ThreadId) -> &mut VectorClock {
        let at = thread.index();
        if self.threads.len() <= at {
            self.add_up_to(at);
        }
        &mut self.threads[at]
    }

    #[cold]
    fn add_up_to(&mut self, last: usize) {
        while self.threads.len() <= last {
            let mut clock = VectorClock::default();
            clock.step(ThreadId(self.threads.len() as u32));
            self.threads.push(clock);
        }
    }

    /// Returns the clock of a thread for a change.
    fn changed(&mut self, thread: ThreadId) -> &mut VectorClock {
        if let Some(kept) = self.kept.get_mut(thread.index()) {
            *kept = None;
        }
        self.clock(thread)
    }

    /// Returns a shared copy of the clock of a thread. The clock is copied only if it has changed.
    pub(super) fn keep(&mut self, thread: ThreadId) -> Arc<VectorClock> {
        self.kept(thread).clone()
    }

    /// Returns the same without another owner of the copy.
    #[inline]
    pub(super) fn kept(&mut self, thread: ThreadId) -> &Arc<VectorClock> {
        let at = thread.index();
        if self.kept.len() <= at {
            self.kept.resize(at + 1, None);
        }
        if self.kept[at].is_none() {
            self.kept[at] = Some(Arc::new(self.clock(thread).clone()));
        }
        self.kept[at].as_ref().expect("it was set")
    }

    /// Returns the current moment of a thread.
    pub(super) fn moment(&mut self, thread: ThreadId) -> Moment {
        Moment { thread, part: self.clock(thread).of(thread) }
    }

    /// Begins a task of a thread, after the tasks that it waited for.
    pub(super) fn began(&mut self, thread: ThreadId, links: &Links<Arc<VectorClock>>) {
        if !links.is_empty() {
            let clock = self.changed(thread);
            links.iter().for_each(|(_, released)| clock.join(&released.token));
        }
    }

    /// Releases: publishes the clock of a thread, and begins the next part of the thread.
    pub(super) fn released(&mut self, thread: ThreadId) -> Arc<VectorClock> {
        let released = self.keep(thread);
        self.changed(thread).step(thread);
        released
    }

    /// Releases the address of an atomic access.
    pub(super) fn atomic_before(&mut self, thread: ThreadId, access: &MemoryAccess) {
        let released = self.released(thread);
        self.addresses.entry(access.address).or_default().join(&released);
    }

    /// Completes an atomic access, which acquires its address if it has a ticket for that.
    pub(super) fn atomic_after(&mut self, thread: ThreadId, access: &MemoryAccess) {
        if access.after > 0 && self.addresses.contains_key(&access.address) {
            self.changed(thread);
            let (addresses, threads) = (&self.addresses, &mut self.threads);
            if let Some((clock, known)) =
                threads.get_mut(thread.index()).zip(addresses.get(&access.address))
            {
                clock.join(known);
            }
        }
    }
}
