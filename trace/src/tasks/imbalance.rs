//! Who came when to a barrier, and how much time was lost there.

use std::collections::HashMap;

use pathformat::trace::{Operation, Synchronisation};

use crate::order::item::CodePlace;
use crate::order::thread_id::ThreadId;

/// How many episodes are kept: those that lost most.
const WORST: usize = 100;

/// The barriers of a trace.
#[derive(Clone, Debug, Default)]
pub struct Imbalance {
    barriers: HashMap<u64, Barrier>,
    episodes: Vec<Episode>,
}

/// What is known of a barrier.
#[derive(Clone, Debug, Default)]
pub struct Barrier {
    /// How many episodes it had.
    pub episodes: u64,
    /// How long threads waited for the last one, in ticks.
    pub lost: u64,
    /// How often each thread came last.
    pub last: HashMap<ThreadId, u64>,
    /// Who came to the episodes that are not over: when, where, and whether it went on.
    open: Vec<Open>,
}

#[derive(Clone, Debug, Default)]
struct Open {
    came: Vec<(ThreadId, u64, CodePlace)>,
    gone: Vec<ThreadId>,
    is_full: bool,
}

/// All waited for each other once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Episode {
    /// How long threads waited for the last one, in ticks, together.
    pub lost: u64,
    /// The barrier.
    pub object: u64,
    /// Which of its episodes, from 0, in the order in which they ended.
    pub number: u64,
    /// How many came.
    pub members: u32,
    /// When the first one came, in ticks.
    pub first: u64,
    /// When the last one came.
    pub last: u64,
    /// Which thread came last.
    pub last_thread: ThreadId,
    /// Where that was.
    pub place: CodePlace,
}

impl Imbalance {
    /// The barriers, those at which most was lost first.
    pub fn barriers(&self) -> Vec<(u64, &Barrier)> {
        let mut all: Vec<_> = self.barriers.iter().map(|(object, of)| (*object, of)).collect();
        all.sort_by_key(|(object, of)| (u64::MAX - of.lost, u64::MAX - of.episodes, *object));
        all
    }

    /// The episodes that lost most.
    pub fn worst(&self) -> Vec<Episode> {
        let mut episodes = self.episodes.clone();
        episodes.sort_by(|a, b| b.cmp(a));
        episodes.truncate(WORST);
        episodes
    }

    /// A thread comes.
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

    /// A thread goes on.
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
