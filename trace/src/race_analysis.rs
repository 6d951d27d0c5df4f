//! The races of a trace with everything that is shown of them.

use std::cell::RefCell;
use std::num::NonZero;
use std::panic::resume_unwind;
use std::rc::Rc;
use std::sync::Arc;
use std::thread;

use profile::observer::Observer;

use crate::file::Trace;
use crate::memory::frees::{FreeSearch, Frees};
use crate::memory::locks::{LockNames, LockSearch};
use crate::memory::owner_names::OwnerNames;
use crate::memory::owner_walk::Attribution;
use crate::memory::owners::Owners;
use crate::memory::races::{Races, Shard};
use crate::order::source::{Detail, inputs, inputs_with_calls};
use crate::order::unrecorded::{Unrecorded, UnrecordedSearch};
use crate::order::walk::walk;
use crate::steps::call_tree::CallTree;
use crate::steps::program::Program;
use crate::steps::time::Times;
use crate::tasks::lock_orders::{LockOrderSearch, LockOrders};

/// The races of a trace, and the orders of its locks.
#[derive(Debug)]
pub struct RaceAnalysis<'a> {
    /// The races.
    pub races: Races<'a>,
    /// The stacks of calls.
    pub calls: CallTree,
    /// The orders in which locks were taken.
    pub lock_orders: LockOrders,
    /// The names of the locks, if any orders are shown.
    pub lock_names: LockNames,
    /// What the trace lacks of the order of its threads.
    pub unrecorded: Option<Unrecorded>,
}

impl<'a> RaceAnalysis<'a> {
    /// Analyses a trace. On several processors, several threads search. Reports each chunk to the
    /// observer, twice.
    pub fn of(
        trace: &'a Trace,
        program: &'a Program,
        times: &Times,
        observer: &'a dyn Observer,
    ) -> Self {
        let streams = inputs(trace, program, times, Detail::Orders, observer);
        let (mut free_search, mut lock_search) =
            (FreeSearch::default(), LockOrderSearch::of(&streams));
        let mut unrecorded = UnrecordedSearch::of(&streams);
        let are_needed = Frees::are_needed(&streams);
        walk(streams, &mut (&mut free_search, &mut (&mut lock_search, &mut unrecorded)));
        let frees = Arc::new(if are_needed { free_search.frees } else { Frees::default() });
        let lock_orders = lock_search.finish();

        let mut lock_names = LockNames::default();
        if !lock_orders.cycles.is_empty() {
            let owners = Owners::of(program, Frees::default(), trace.run.partial);
            let mut search = LockSearch::default();
            let mut attribution = Attribution { owners, visitor: &mut search };
            walk(inputs(trace, program, times, Detail::Tasks, &()), &mut attribution);
            let owners = attribution.owners;
            lock_names = search.names(&owners, &OwnerNames::of(trace, program));
        }

        let has_turns = lock_orders.has_turns;
        let search = |shard, frees: Arc<Frees>, observer| {
            let calls = Rc::new(RefCell::new(CallTree::default()));
            let streams = inputs_with_calls(trace, program, times, observer, &calls);
            let owners = Owners::of(program, frees, trace.run.partial);
            (Races::of(streams, owners, has_turns, calls.clone(), shard), calls.take())
        };
        let (races, calls) = thread::scope(|scope| {
            let mut shards = Shard::split(searches(trace));
            let own = shards.next().unwrap_or_default();
            let others: Vec<_> = shards
                .map(|shard| {
                    let frees = frees.clone();
                    scope.spawn(move || search(shard, frees, &()).0)
                })
                .collect();
            let (mut races, calls) = search(own, frees, observer);
            for other in others {
                races.add(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
            }
            (races, calls)
        });
        Self { races, calls, lock_orders, lock_names, unrecorded: unrecorded.finish() }
    }
}

/// Returns the number of searches that divide the memory. Each reads the whole trace, so that more
/// than a few do not pay, and has clocks for each thread of the program.
fn searches(trace: &Trace) -> u64 {
    const MOST: usize = 4;
    const MOST_STREAMS: usize = 1000;
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let searches = if trace.streams.len() > MOST_STREAMS { 1 } else { processors.min(MOST) };
    searches as u64
}
