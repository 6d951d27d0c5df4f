//! Barriers.
//!
//! An *episode* is one use of a barrier by all its threads. All of them arrive before the first one
//! leaves.

use std::collections::VecDeque;

use crate::ids::ThreadId;
use crate::order::releases::{Link, Links, Released};

/// A barrier.
#[derive(Debug)]
pub(crate) struct Barrier<T> {
    /// The episodes. Threads may still arrive at the last one, unless it is full or a thread has
    /// left it.
    episodes: VecDeque<Episode<T>>,
}

#[derive(Debug)]
struct Episode<T> {
    members: Vec<Released<T>>,
    is_full: bool,
    /// The threads that have left.
    gone: Vec<ThreadId>,
}

impl<T> Default for Barrier<T> {
    fn default() -> Self {
        Self { episodes: VecDeque::new() }
    }
}

impl<T> Episode<T> {
    /// Returns true if a thread has arrived and not left.
    fn has(&self, thread: ThreadId) -> bool {
        self.members.iter().any(|member| member.thread == thread) && !self.gone.contains(&thread)
    }

    /// Returns the arrivals of the other threads.
    fn others(&self, thread: ThreadId) -> impl Iterator<Item = &Released<T>> {
        self.members.iter().filter(move |member| member.thread != thread)
    }
}

impl<T: Clone> Barrier<T> {
    /// Adds the arrival of a thread. `expected` is the number of threads of the barrier, 0 if it is
    /// not known.
    pub(crate) fn come(&mut self, expected: u64, released: Released<T>) {
        if self.episodes.back().is_none_or(|episode| episode.is_full) {
            let (members, gone) = (Vec::new(), Vec::new());
            self.episodes.push_back(Episode { members, is_full: false, gone });
        }
        if let Some(episode) = self.episodes.back_mut() {
            episode.members.push(released);
            episode.is_full = episode.members.len() as u64 == expected;
        }
    }

    /// Begins to combine what the threads that have arrived reduced, on a thread that has arrived.
    pub(crate) fn reduce(&self, thread: ThreadId, links: &mut Links<T>) {
        let Some(episode) = self.episodes.iter().find(|episode| episode.has(thread)) else {
            return;
        };
        links.extend(episode.others(thread).map(|member| (Link::Barrier, member.clone())));
    }

    /// Adds a later release of a thread that has arrived.
    pub(crate) fn add(&mut self, released: Released<T>) {
        let members = self
            .episodes
            .iter_mut()
            .filter(|episode| episode.has(released.thread))
            .flat_map(|episode| &mut episode.members);
        if let Some(member) = members.into_iter().find(|of| of.thread == released.thread) {
            *member = released;
        }
    }

    /// Lets a thread leave, so no other thread can join its episode.
    pub(crate) fn go_on(&mut self, thread: ThreadId, links: &mut Links<T>) {
        let is_in = |episode: &&mut Episode<T>| episode.has(thread);
        let Some(episode) = self.episodes.iter_mut().find(is_in) else { return };
        episode.is_full = true;
        episode.gone.push(thread);
        links.extend(episode.others(thread).map(|member| (Link::Barrier, member.clone())));
        self.episodes.retain(|episode| episode.gone.len() < episode.members.len());
    }
}
