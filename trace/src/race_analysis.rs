//! The races of a trace with everything that is shown of them.

use std::cell::RefCell;
use std::rc::Rc;

use profile::observer::Observer;

use crate::file::Trace;
use crate::memory::frees::{FreeSearch, Frees};
use crate::memory::locks::{LockNames, LockSearch};
use crate::memory::owner_names::OwnerNames;
use crate::memory::owner_walk::Attribution;
use crate::memory::owners::Owners;
use crate::memory::races::Races;
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
    /// Analyses a trace. Reports each chunk to the observer, twice.
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
        let frees = if are_needed { free_search.frees } else { Frees::default() };
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

        let calls = Rc::new(RefCell::new(CallTree::default()));
        let streams = inputs_with_calls(trace, program, times, observer, &calls);
        let owners = Owners::of(program, frees, trace.run.partial);
        let races = Races::of(streams, owners, lock_orders.has_turns, calls.clone());
        Self {
            races,
            calls: calls.take(),
            lock_orders,
            lock_names,
            unrecorded: unrecorded.finish(),
        }
    }
}
