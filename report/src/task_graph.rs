//! The task graph of a trace, as the text, the page and the exports show it.

use std::collections::HashMap;

use pathformat::trace::Operation;
use trace::file::Trace;
use trace::ids::{TaskId, ThreadId};
use trace::order::item::CodePlace;
use trace::steps::program::Program;
use trace::task_analysis::TaskAnalysis;
use trace::tasks::graph::{Graph, TaskEnd};
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

/// What ends tasks, in words. Tasks that end alike have the same name.
pub struct EndNames {
    /// The names, each once. The first is that of tasks that have not ended.
    names: Vec<String>,
    /// The index of the name of each of the graph's ends.
    of_ends: Vec<usize>,
}

impl EndNames {
    /// Returns the names of the ends of a graph.
    pub fn of(report: &TaskGraphReport<'_>) -> Self {
        let mut names = vec!["running".to_owned()];
        let mut known = HashMap::new();
        let of_ends = report.analysis.tasks.graph.ends().iter().map(|end| {
            *known.entry(name_of(report, end)).or_insert_with_key(|name| {
                names.push(name.clone());
                names.len() - 1
            })
        });
        let of_ends = of_ends.collect();
        Self { names, of_ends }
    }

    /// Returns all names, by number.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the number of the name of what ends a task.
    pub fn number(&self, graph: &Graph, task: TaskId) -> usize {
        let end = graph.end_number(task);
        end.and_then(|end| self.of_ends.get(end)).copied().unwrap_or_default()
    }

    /// Returns the name of what ends a task.
    pub fn name(&self, graph: &Graph, task: TaskId) -> &str {
        &self.names[self.number(graph, task)]
    }
}

/// Returns the end of a task in words: the operation, its object, and the line.
fn name_of(report: &TaskGraphReport<'_>, end: &TaskEnd) -> String {
    let TaskGraphReport { program, analysis, .. } = report;
    let mut name = operation_name(end);
    if let Some(object) = object_name(analysis, end) {
        name += &format!(" {object}");
    }
    if let Some(at) = program.end_of_path(end.place) {
        name += &format!(" at {} {}:{}", at.function, base_name(&at.file), at.line);
    }
    name
}

/// Returns the name of the operation that ends a task.
pub fn operation_name(end: &TaskEnd) -> String {
    end.operation.map_or("end", Operation::name).replace('_', " ")
}

/// Returns the name or else the address of the object of that operation, if it has one.
pub fn object_name(analysis: &TaskAnalysis, end: &TaskEnd) -> Option<String> {
    let known = || analysis.lock_names.name(end.object).map(str::to_owned);
    (end.object != 0).then(|| known().unwrap_or_else(|| format!("{:#x}", end.object)))
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
