//! Threads that begin, end and are joined.

use std::collections::HashMap;

use pathformat::trace::once;

use crate::ids::ThreadId;
use crate::order::releases::{Link, Links, Released};

/// The threads of a process.
#[derive(Debug)]
pub(super) struct Threads<T> {
    /// The creation of each thread that has not begun.
    made: HashMap<u64, Released<T>>,
    /// The last thread of each `pthread_t`, and the previous one.
    last: HashMap<u64, EndedThread<T>>,
    /// The `pthread_t` of each running thread, by its index.
    running: HashMap<ThreadId, u64>,
}

#[derive(Debug)]
struct EndedThread<T> {
    ended: Option<Released<T>>,
    /// The end of the previous thread with the same `pthread_t`, if it was not joined.
    former: Option<Released<T>>,
}

impl<T> Default for Threads<T> {
    fn default() -> Self {
        Self { made: HashMap::new(), last: HashMap::new(), running: HashMap::new() }
    }
}

impl<T: Clone> Threads<T> {
    /// Creates a thread.
    pub(super) fn make(&mut self, number: u64, released: Released<T>) {
        self.made.insert(number, released);
    }

    /// Begins a thread.
    pub(super) fn begin(
        &mut self,
        thread: ThreadId,
        number: u64,
        pthread: u64,
        links: &mut Links<T>,
    ) {
        links.extend(self.made.remove(&number).map(|released| (Link::Create, released)));
        let former = self.last.remove(&pthread).and_then(|known| known.ended);
        self.last.insert(pthread, EndedThread { ended: None, former });
        self.running.insert(thread, pthread);
    }

    /// Ends a thread. Only the first end counts.
    pub(super) fn end(&mut self, released: Released<T>) {
        let Some(pthread) = self.running.remove(&released.thread) else { return };
        if let Some(known) = self.last.get_mut(&pthread) {
            known.ended = Some(released);
        }
    }

    /// Completes the join of a thread.
    pub(super) fn join(&mut self, pthread: u64, links: &mut Links<T>) {
        let Some(known) = self.last.get_mut(&pthread) else { return };
        let ended = known.ended.take().or_else(|| known.former.take());
        links.extend(ended.map(|released| (Link::Join, released)));
    }

    /// Detaches a thread, which will not be joined.
    pub(super) fn detach(&mut self, pthread: u64) {
        if let Some(known) = self.last.get_mut(&pthread) {
            known.former = None;
        }
    }
}

/// One-time initialisations, by object.
#[derive(Debug)]
pub(super) struct Once<T>(HashMap<u64, Initialisation<T>>);

/// An initialisation that is done once.
///
/// The trace does not tell which of the threads that arrived before its end did it. Whoever arrived
/// at that time may have.
#[derive(Debug)]
struct Initialisation<T> {
    /// The threads that may have initialised, each with its last arrival.
    arrived: Vec<Released<T>>,
    /// The last ticket of a thread that went on.
    went_on: u64,
}

impl<T> Default for Once<T> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<T: Clone> Once<T> {
    /// Adds the arrival of a thread with this ticket; `state` is what [`once`] says.
    pub(super) fn come(&mut self, object: u64, state: u64, ticket: u64, released: Released<T>) {
        if state == once::DONE {
            return;
        }
        let known = self.0.entry(object);
        let known = known.or_insert_with(|| Initialisation { arrived: Vec::new(), went_on: 0 });
        // It had been done before this thread came, and now it is not: another object is there.
        if ticket > known.went_on && known.went_on > 0 {
            known.arrived.clear();
        }
        known.arrived.retain(|before| before.thread != released.thread);
        known.arrived.push(released);
    }

    /// Completes the wait of a thread, which goes on with this ticket, for an initialisation by
    /// another one.
    pub(super) fn wait(
        &mut self,
        object: u64,
        thread: ThreadId,
        ticket: u64,
        links: &mut Links<T>,
    ) {
        if let Some(known) = self.0.get_mut(&object) {
            known.went_on = known.went_on.max(ticket);
            let others = known.arrived.iter().filter(|arrived| arrived.thread != thread);
            links.extend(others.map(|released| (Link::Once, released.clone())));
        }
    }
}
