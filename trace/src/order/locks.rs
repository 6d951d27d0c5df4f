//! Mutexes, read-write locks and spin locks.

use std::collections::HashMap;

use crate::ids::ThreadId;
use crate::order::releases::{Frontier, Link, Links, Released};

/// A lock.
#[derive(Debug)]
pub(crate) struct Lock<T> {
    /// The last unlock by a writer.
    written: Option<Released<T>>,
    /// The unlocks by readers since then.
    read: Frontier<T>,
    /// The number of read locks that each thread holds.
    readers: HashMap<ThreadId, u32>,
}

impl<T> Default for Lock<T> {
    fn default() -> Self {
        Self { written: None, read: Frontier::default(), readers: HashMap::new() }
    }
}

impl<T: Clone> Lock<T> {
    /// Unlocks: adds the release of a reader or of the writer.
    pub(crate) fn unlock(&mut self, released: Released<T>) {
        if let Some(held) = self.readers.get_mut(&released.thread) {
            *held -= 1;
            if *held == 0 {
                self.readers.remove(&released.thread);
            }
            self.read.add(released);
        } else {
            self.read.clear();
            self.written = Some(released);
        }
    }

    /// Locks for writing, after all unlocks. The readers' unlocks are behind the last writer's.
    pub(crate) fn lock(&mut self, links: &mut Links<T>) {
        if self.read.is_empty() {
            links.extend(self.written.clone().map(|released| (Link::Lock, released)));
        } else {
            self.read.links(Link::Lock, links);
        }
    }

    /// Locks for reading on behalf of a thread.
    pub(crate) fn share(&mut self, thread: ThreadId, links: &mut Links<T>) {
        *self.readers.entry(thread).or_default() += 1;
        links.extend(self.written.clone().map(|released| (Link::Lock, released)));
    }
}
