//! Who knows what of whom: the vector clocks of all threads.
//!
//! A thread's own entry grows whenever others may learn what it did so far. So whatever it does has
//! a [`Moment`], and somebody knows of it if the entry of his clock is as large.

use std::collections::HashMap;
use std::rc::Rc;

use crate::memory::vector_clock::VectorClock;
use crate::order::item::MemoryAccess;
use crate::order::releases::Links;
use crate::order::thread_id::ThreadId;

/// When a thread did something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    /// The thread.
    pub(super) thread: ThreadId,
    /// Which of its parts: a part ends where others learn of it.
    pub(super) part: u64,
}

impl Moment {
    /// Whether whoever has this clock knows of it.
    pub(super) fn is_known(self, clock: &VectorClock) -> bool {
        self.part <= clock.of(self.thread)
    }
}

/// The clocks of all threads.
#[derive(Clone, Debug, Default)]
pub(super) struct Clocks {
    threads: Vec<VectorClock>,
    /// By thread, its clock as others keep it.
    kept: HashMap<ThreadId, Rc<VectorClock>>,
    /// By address, what atomic accesses released there.
    addresses: HashMap<u64, VectorClock>,
}

impl Clocks {
    /// The clock of a thread.
    pub(super) fn of(&mut self, thread: ThreadId) -> &VectorClock {
        self.clock(thread)
    }

    fn clock(&mut self, thread: ThreadId) -> &mut VectorClock {
        let at = thread.index();
        while self.threads.len() <= at {
            let mut clock = VectorClock::default();
            clock.step(ThreadId(self.threads.len() as u32));
            self.threads.push(clock);
        }
        &mut self.threads[at]
    }

    /// The same, to be changed.
    fn changed(&mut self, thread: ThreadId) -> &mut VectorClock {
        self.kept.remove(&thread);
        self.clock(thread)
    }

    /// The clock of a thread, to be kept: it is copied only if it has changed.
    pub(super) fn keep(&mut self, thread: ThreadId) -> Rc<VectorClock> {
        if let Some(kept) = self.kept.get(&thread) {
            return kept.clone();
        }
        let kept = Rc::new(self.clock(thread).clone());
        self.kept.insert(thread, kept.clone());
        kept
    }

    /// What a thread does now has this moment.
    pub(super) fn moment(&mut self, thread: ThreadId) -> Moment {
        Moment { thread, part: self.clock(thread).of(thread) }
    }

    /// A task of a thread begins, behind those that it waited for.
    pub(super) fn began(&mut self, thread: ThreadId, links: &Links<Rc<VectorClock>>) {
        if !links.is_empty() {
            let clock = self.changed(thread);
            links.iter().for_each(|(_, released)| clock.join(&released.token));
        }
    }

    /// Others may learn of what a thread did so far.
    pub(super) fn released(&mut self, thread: ThreadId) -> Rc<VectorClock> {
        let released = self.keep(thread);
        self.changed(thread).step(thread);
        released
    }

    /// An atomic access releases its address; gives the part of the thread that it belongs to.
    pub(super) fn atomic_before(&mut self, thread: ThreadId, access: &MemoryAccess) -> u64 {
        let released = self.released(thread);
        self.addresses.entry(access.address).or_default().join(&released);
        released.of(thread)
    }

    /// An atomic access has happened, and acquires its address if it has a ticket for that.
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
