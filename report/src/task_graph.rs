//! The task graph of a trace, as the text, the page and the exports show it.

use pathformat::trace::Operation;
use trace::file::Trace;
use trace::ids::{TaskId, ThreadId};
use trace::order::item::CodePlace;
use trace::steps::program::Program;
use trace::task_analysis::TaskAnalysis;
use trace::tasks::imbalance::Meeting;

use crate::show::notation::base_name;

/// A task graph with its trace.
#[derive(Clone, Copy)]
pub struct TaskGraphReport<'a> {
    /// The trace.
    pub trace: &'a Trace,
    /// Its program.
    pub program: &'a Program,
    /// Its task graph, and what follows from it.
    pub analysis: &'a TaskAnalysis,
}

/// A lock. Times are in nanoseconds.
pub struct LockUse<'a> {
    /// Its address.
    pub address: u64,
    /// The name of the object there, if it is known.
    pub name: Option<&'a str>,
    /// The number of times that it was taken.
    pub taken: u64,
    /// The number of failed attempts to take it.
    pub failed: u64,
    /// The number of times that a thread waited for it.
    pub waited: u64,
    /// The sum of the waits for it.
    pub wait: u64,
    /// The time for which threads held it.
    pub held: u64,
    /// The place at which threads waited for it longest.
    pub place: Option<CodePlace>,
}

/// A barrier, or the end of parallel regions. Times are in nanoseconds.
pub struct BarrierUse<'a> {
    /// Where threads wait for each other.
    pub meeting: Meeting,
    /// The name of the object there, if it is known.
    pub name: Option<&'a str>,
    /// The number of times that threads met there.
    pub episodes: u64,
    /// The time for which all threads waited for the last ones.
    pub lost: u64,
    /// The number of times that each thread came last, in the order of the threads.
    pub last: Vec<(ThreadId, u64)>,
}

/// Returns what ends a task, in words: the operation, its object, and the line.
pub fn end_name(report: &TaskGraphReport<'_>, task: TaskId) -> String {
    let TaskGraphReport { program, analysis, .. } = report;
    let Some(end) = analysis.tasks.graph.end(task) else { return "running".into() };
    let mut name = end.operation.map_or("end", Operation::name).replace('_', " ");
    if end.object != 0 {
        match analysis.lock_names.name(end.object) {
            Some(object) => name += &format!(" {object}"),
            None => name += &format!(" {:#x}", end.object),
        }
    }
    if let Some(at) = program.end_of_path(end.place) {
        name += &format!(" at {} {}:{}", at.function, base_name(&at.file), at.line);
    }
    name
}

/// Returns the locks of a task graph, those with the longest waits first.
pub fn locks(analysis: &TaskAnalysis) -> Vec<LockUse<'_>> {
    let TaskAnalysis { tasks, lock_names, .. } = analysis;
    let locks = tasks.contention.locks().into_iter();
    locks
        .map(|(address, lock)| LockUse {
            address,
            name: lock_names.name(address),
            taken: lock.taken,
            failed: lock.failed,
            waited: lock.waited,
            wait: tasks.times.nanoseconds(lock.wait),
            held: tasks.times.nanoseconds(lock.held),
            place: lock.places.iter().max_by_key(|(place, of)| (of.1, **place)).map(|of| *of.0),
        })
        .collect()
}

/// Returns the barriers of a task graph, those at which most was lost first.
pub fn barriers(analysis: &TaskAnalysis) -> Vec<BarrierUse<'_>> {
    let TaskAnalysis { tasks, lock_names, .. } = analysis;
    let barriers = tasks.imbalance.barriers().into_iter();
    barriers
        .map(|(meeting, of)| {
            let mut last: Vec<_> =
                of.last.iter().map(|(thread, times)| (*thread, *times)).collect();
            last.sort_unstable();
            BarrierUse {
                meeting,
                name: match meeting {
                    Meeting::Barrier(address) => lock_names.name(address),
                    Meeting::Region(_) => None,
                },
                episodes: of.episodes,
                lost: tasks.times.nanoseconds(of.lost),
                last,
            }
        })
        .collect()
}
