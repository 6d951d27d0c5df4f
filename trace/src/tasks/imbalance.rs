//! The arrivals at barriers, and the time that was lost there.

use std::collections::HashMap;

use pathformat::trace::{Operation, Synchronisation};

use crate::ids::ThreadId;
use crate::order::item::CodePlace;

/// The number of episodes that are kept: those that lost the most time.
const WORST: usize = 100;

/// The barriers of a trace.
#[derive(Clone, Debug, Default)]
pub struct Imbalance {
    barriers: HashMap<u64, Barrier>,
    episodes: Vec<Episode>,
}

/// The use of a barrier.
#[derive(Clone, Debug, Default)]
pub struct Barrier {
    /// The number of its episodes.
    pub episodes: u64,
    /// The time that threads waited for the last one, in ticks.
    pub lost: u64,
    /// The number of times that each thread came last.
    pub last: HashMap<ThreadId, u64>,
    /// The arrivals at episodes that are not over, each with its time and place.
    open: Vec<Open>,
}

#[derive(Clone, Debug, Default)]
struct Open {
    came: Vec<(ThreadId, u64, CodePlace)>,
    gone: Vec<ThreadId>,
    is_full: bool,
}

/// One use of a barrier by all its threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Episode {
    /// The total time that threads waited for the last one, in ticks.
    pub lost: u64,
    /// The barrier.
    pub object: u64,
    /// Its number at the barrier, from 0, in the order in which episodes ended.
    pub number: u64,
    /// The number of threads that arrived.
    pub members: u32,
    /// The time of the first arrival, in ticks.
    pub first: u64,
    /// The time of the last arrival, in ticks.
    pub last: u64,
    /// The thread that arrived last.
    pub last_thread: ThreadId,
    /// The place of the last arrival.
    pub place: CodePlace,
}

impl Imbalance {
    /// Returns the barriers, those that lost the most time first.
    pub fn barriers(&self) -> Vec<(u64, &Barrier)> {
        let mut all: Vec<_> = self.barriers.iter().map(|(object, of)| (*object, of)).collect();
        all.sort_by_key(|(object, of)| (u64::MAX - of.lost, u64::MAX - of.episodes, *object));
        all
    }

    /// Returns the episodes that lost the most time.
    pub fn worst(&self) -> Vec<Episode> {
        let mut episodes = self.episodes.clone();
        episodes.sort_by(|a, b| b.cmp(a));
        episodes.truncate(WORST);
        episodes
    }

    /// Notes that a thread arrives.
    pub(super) fn come(
        &mut self,
        thread: ThreadId,
        of: Operation,
        event: &Synchronisation,
        place: CodePlace,
    ) {
        if of != Operation::Barrier {
            return;
        }
        let barrier = self.barriers.entry(event.object.get()).or_default();
        if barrier.open.last().is_none_or(|open| open.is_full) {
            barrier.open.push(Open::default());
        }
        if let Some(open) = barrier.open.last_mut() {
            open.came.push((thread, event.begin.get(), place));
            open.is_full = open.came.len() as u64 == event.other.get();
        }
    }

    /// Notes that a thread leaves.
    pub(super) fn go_on(&mut self, thread: ThreadId, of: Operation, event: &Synchronisation) {
        if of != Operation::Barrier {
            return;
        }
        let object = event.object.get();
        let Some(barrier) = self.barriers.get_mut(&object) else { return };
        let is_in = |open: &Open| {
            open.came.iter().any(|came| came.0 == thread) && !open.gone.contains(&thread)
        };
        let Some(at) = barrier.open.iter().position(is_in) else { return };
        let open = &mut barrier.open[at];
        open.is_full = true;
        open.gone.push(thread);
        if open.gone.len() < open.came.len() {
            return;
        }
        let came = barrier.open.remove(at).came;
        let Some(&(last_thread, last, place)) = came.iter().max_by_key(|came| (came.1, came.0))
        else {
            return;
        };
        let lost = came.iter().map(|came| last - came.1).fold(0, u64::saturating_add);
        let first = came.iter().map(|came| came.1).min().unwrap_or_default();
        let (number, members) = (barrier.episodes, came.len() as u32);
        barrier.episodes += 1;
        barrier.lost = barrier.lost.saturating_add(lost);
        *barrier.last.entry(last_thread).or_default() += 1;
        let episode = Episode { lost, object, number, members, first, last, last_thread, place };
        self.episodes.push(episode);
        if self.episodes.len() >= 4 * WORST {
            self.episodes = self.worst();
        }
    }
}
