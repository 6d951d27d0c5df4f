//! Mutexes, read-write locks and spin locks.

use std::collections::HashMap;

use crate::order::releases::{Frontier, Link, Links, Released};
use crate::order::thread_id::ThreadId;

/// A lock.
#[derive(Debug)]
pub(super) struct Lock<T> {
    /// Who gave it back last, after writing.
    written: Option<Released<T>>,
    /// Who gave it back since then, after reading.
    read: Frontier<T>,
    /// Which threads hold it for reading, and how often.
    readers: HashMap<ThreadId, u32>,
}

impl<T> Default for Lock<T> {
    fn default() -> Self {
        Self { written: None, read: Frontier::default(), readers: HashMap::new() }
    }
}

impl<T: Clone> Lock<T> {
    /// It is given back.
    pub(super) fn unlock(&mut self, released: Released<T>) {
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

    /// It is taken for writing: all have given it back, and those who read know who wrote.
    pub(super) fn lock(&mut self, links: &mut Links<T>) {
        if self.read.is_empty() {
            links.extend(self.written.clone().map(|released| (Link::Lock, released)));
        } else {
            self.read.links(Link::Lock, links);
        }
    }

    /// A thread takes it for reading.
    pub(super) fn share(&mut self, thread: ThreadId, links: &mut Links<T>) {
        *self.readers.entry(thread).or_default() += 1;
        links.extend(self.written.clone().map(|released| (Link::Lock, released)));
    }
}
