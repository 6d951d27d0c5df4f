//! What is known of the task graph of a trace: of it the text, the page and the exports are made.

use trace::file::Trace;
use trace::ids::ThreadId;
use trace::memory::locks::LockNames;
use trace::order::item::CodePlace;
use trace::steps::program::Program;
use trace::tasks::builder::Tasks;
use trace::tasks::hot::Heats;
use trace::tasks::parallelism::Parallelism;
use trace::tasks::span::Span;

/// What is known of a task graph.
#[derive(Clone, Copy)]
pub struct TaskGraphReport<'a> {
    /// The trace.
    pub trace: &'a Trace,
    /// Its program.
    pub program: &'a Program,
    /// Its tasks.
    pub tasks: &'a Tasks,
    /// The longest way by time.
    pub by_time: &'a Span,
    /// The longest way by instructions.
    pub by_instructions: &'a Span,
    /// What is on the longest way by time.
    pub heats: &'a Heats,
    /// How many tasks ran when.
    pub parallelism: &'a Parallelism,
    /// What its locks and barriers are.
    pub lock_names: &'a LockNames,
}

/// A lock. Times are in nanoseconds.
pub struct LockUse<'a> {
    /// Its address.
    pub address: u64,
    /// What is there, if that is known.
    pub name: Option<&'a str>,
    /// How often it was taken.
    pub taken: u64,
    /// How often taking it failed.
    pub failed: u64,
    /// How often a thread waited for it.
    pub waited: u64,
    /// For how long threads waited for it.
    pub wait: u64,
    /// For how long threads held it.
    pub held: u64,
    /// Where threads waited for it longest.
    pub place: Option<CodePlace>,
}

/// A barrier. Times are in nanoseconds.
pub struct BarrierUse<'a> {
    /// Its address.
    pub address: u64,
    /// What is there, if that is known.
    pub name: Option<&'a str>,
    /// How often threads met there.
    pub episodes: u64,
    /// For how long all threads waited for the last ones.
    pub lost: u64,
    /// How often each thread came last, in the order of the threads.
    pub last: Vec<(ThreadId, u64)>,
}

/// The locks of a task graph, those that threads waited for longest first.
pub fn locks<'a>(tasks: &Tasks, names: &'a LockNames) -> Vec<LockUse<'a>> {
    let locks = tasks.contention.locks().into_iter();
    locks
        .map(|(address, lock)| LockUse {
            address,
            name: names.name(address),
            taken: lock.taken,
            failed: lock.failed,
            waited: lock.waited,
            wait: tasks.times.nanoseconds(lock.wait),
            held: tasks.times.nanoseconds(lock.held),
            place: lock.places.iter().max_by_key(|(place, of)| (of.1, **place)).map(|of| *of.0),
        })
        .collect()
}

/// The barriers of a task graph, those at which most was lost first.
pub fn barriers<'a>(tasks: &Tasks, names: &'a LockNames) -> Vec<BarrierUse<'a>> {
    let barriers = tasks.imbalance.barriers().into_iter();
    barriers
        .map(|(address, of)| {
            let mut last: Vec<_> =
                of.last.iter().map(|(thread, times)| (*thread, *times)).collect();
            last.sort_unstable();
            BarrierUse {
                address,
                name: names.name(address),
                episodes: of.episodes,
                lost: tasks.times.nanoseconds(of.lost),
                last,
            }
        })
        .collect()
}
