//! The tasks and edges of a page, in columns.

use serde::Serialize;
use trace::ids::TaskId;

use crate::export::html::payload::{Exact, Signed};
use crate::task_graph::{EndNames, TaskGraphReport};

/// An entry for each task of the page.
#[derive(Serialize)]
pub(super) struct Columns {
    /// Its number among all tasks, as the difference from that of the task before.
    number: Vec<u32>,
    thread: Vec<u32>,
    /// The index of the task in its thread.
    index: Vec<u32>,
    /// The index among the kinds.
    kind: Vec<u8>,
    /// The index among the names of what ends tasks.
    name: Vec<u32>,
    /// The time at which it began, in nanoseconds, as the difference from that of the task before.
    begin: Vec<Signed>,
    /// The duration.
    duration: Vec<Exact>,
    paths: Vec<Exact>,
    instructions: Vec<Exact>,
    accesses: Vec<Exact>,
    bytes: Vec<Exact>,
    /// The tasks on the critical path: their places here, each as the difference from the one
    /// before.
    way: Vec<u32>,
}

/// The edges between the tasks of a page.
#[derive(Default, Serialize)]
pub(super) struct Edges {
    /// The number of edges that lead to each task.
    count: Vec<u32>,
    /// The distance in places from the source of each edge to its target.
    back: Vec<u32>,
    /// The index among the links.
    link: Vec<u8>,
}

/// Returns the columns of these tasks, which are in order.
pub(super) fn of(
    report: &TaskGraphReport<'_>,
    chosen: &[TaskId],
    names: &EndNames,
) -> (Columns, Edges) {
    let graph = &report.analysis.tasks.graph;
    let place = |id: TaskId| chosen.binary_search(&id).ok();
    let tasks: Vec<_> = chosen.iter().map(|&id| graph.task(id)).collect();
    let mut before = report.analysis.parallelism.begin;
    let begin = tasks.iter().map(|task| {
        let last = std::mem::replace(&mut before, task.begin);
        Signed(i128::from(task.begin) - i128::from(last))
    });
    let begin = begin.collect();
    let exact = |number: u64| Exact(number.into());
    let way = report.analysis.tasks.by_time.way.iter().filter_map(|&id| Some(place(id)? as u32));
    let columns = Columns {
        number: differences(chosen.iter().map(|id| id.0)),
        thread: tasks.iter().map(|task| task.thread.0).collect(),
        index: tasks.iter().map(|task| task.index).collect(),
        kind: chosen.iter().map(|&id| graph.kind(id) as u8).collect(),
        name: chosen.iter().map(|&id| names.number(graph, id) as u32).collect(),
        begin,
        duration: tasks.iter().map(|task| exact(task.duration())).collect(),
        paths: tasks.iter().map(|task| exact(task.actions.paths)).collect(),
        instructions: tasks.iter().map(|task| exact(task.actions.instructions)).collect(),
        accesses: tasks.iter().map(|task| exact(task.actions.accesses)).collect(),
        bytes: tasks.iter().map(|task| exact(task.actions.bytes)).collect(),
        way: differences(way),
    };
    let mut edges = Edges::default();
    for (at, &id) in chosen.iter().enumerate() {
        let first = edges.back.len();
        for (link, from) in graph.edges_to(id) {
            let Some(from) = place(from) else { continue };
            edges.back.push((at - from) as u32);
            edges.link.push(link as u8);
        }
        edges.count.push((edges.back.len() - first) as u32);
    }
    (columns, edges)
}

/// Returns numbers that grow as differences from the one before.
fn differences(numbers: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut last = 0;
    numbers.map(|number| number - std::mem::replace(&mut last, number)).collect()
}
