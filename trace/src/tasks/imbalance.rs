//! The arrivals at barriers and at the ends of parallel regions, and the time that was lost there.

use std::collections::HashMap;

use pathformat::trace::{Operation, Synchronisation};

use crate::ids::ThreadId;
use crate::order::item::CodePlace;

/// The number of episodes that are kept: those that lost the most time.
const WORST: usize = 100;

/// Where threads wait for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Meeting {
    /// At the barrier with this address.
    Barrier(u64),
    /// At the end of the parallel regions that begin at this place.
    Region(CodePlace),
}

/// The barriers of a trace.
#[derive(Clone, Debug, Default)]
pub struct Imbalance {
    barriers: HashMap<Meeting, Barrier>,
    /// The regions that are not over, by number: where each began, and the arrivals at its end.
    regions: HashMap<u64, (CodePlace, Vec<Arrival>)>,
    episodes: Vec<Episode>,
}

/// The arrival of a thread, with its time and place.
type Arrival = (ThreadId, u64, CodePlace);

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
    came: Vec<Arrival>,
    gone: Vec<ThreadId>,
    is_full: bool,
}

/// One use of a barrier by all its threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Episode {
    /// The total time that threads waited for the last one, in ticks.
    pub lost: u64,
    /// Where they waited.
    pub meeting: Meeting,
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
    pub fn barriers(&self) -> Vec<(Meeting, &Barrier)> {
        let mut all: Vec<_> = self.barriers.iter().map(|(meeting, of)| (*meeting, of)).collect();
        all.sort_by_key(|(meeting, of)| (u64::MAX - of.lost, u64::MAX - of.episodes, *meeting));
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
        let object = event.object.get();
        let arrival = (thread, event.begin.get(), place);
        match of {
            Operation::ParallelBegin => {
                self.regions.insert(object, (place, Vec::new()));
                return;
            }
            Operation::MemberEnd => {
                self.regions.get_mut(&object).into_iter().for_each(|of| of.1.push(arrival));
                return;
            }
            // Without a ticket it is the end of a wait that has an event of its own.
            Operation::Barrier if event.before.get() > 0 => {}
            _ => return,
        }
        let barrier = self.barriers.entry(Meeting::Barrier(object)).or_default();
        if barrier.open.last().is_none_or(|open| open.is_full) {
            barrier.open.push(Open::default());
        }
        if let Some(open) = barrier.open.last_mut() {
            open.came.push(arrival);
            open.is_full = open.came.len() as u64 == event.other.get();
        }
    }

    /// Notes that a thread leaves.
    pub(super) fn go_on(&mut self, thread: ThreadId, of: Operation, event: &Synchronisation) {
        let object = event.object.get();
        if of == Operation::ParallelEnd
            && let Some((place, came)) = self.regions.remove(&object)
            && came.len() > 1
        {
            self.meet(Meeting::Region(place), &came);
        }
        if of != Operation::Barrier {
            return;
        }
        let meeting = Meeting::Barrier(object);
        let Some(barrier) = self.barriers.get_mut(&meeting) else { return };
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
        self.meet(meeting, &came);
    }

    /// Adds an episode with these arrivals.
    fn meet(&mut self, meeting: Meeting, came: &[Arrival]) {
        let barrier = self.barriers.entry(meeting).or_default();
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
        let episode = Episode { lost, meeting, number, members, first, last, last_thread, place };
        self.episodes.push(episode);
        if self.episodes.len() >= 4 * WORST {
            self.episodes = self.worst();
        }
    }
}
