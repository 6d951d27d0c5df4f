//! The longest way through a task graph, and how much is done on all ways.
//!
//! The *work* is the sum of all tasks, the *span* that of the heaviest way along edges. With
//! however many processors, it does not go faster than work / span times.

use crate::tasks::graph::{Graph, Task, TaskId};

/// What a task weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Nanoseconds. They differ from run to run.
    Time,
    /// Executed instructions. If the graph is the same, they are.
    Instructions,
}

impl Measure {
    /// Of a task.
    pub fn of(self, task: &Task) -> u64 {
        match self {
            Self::Time => task.duration(),
            Self::Instructions => task.actions.instructions,
        }
    }
}

/// Work and span.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// The sum of all tasks.
    pub work: u64,
    /// The sum of those on the heaviest way.
    pub span: u64,
    /// The tasks on it, from the first to the last.
    pub way: Vec<TaskId>,
}

/// The heaviest way. Among equals it is the one whose last task began first, and so on.
pub fn span(graph: &Graph, measure: Measure) -> Span {
    const NONE: TaskId = TaskId(u32::MAX);
    let mut sums: Vec<u64> = Vec::with_capacity(graph.len());
    let mut before: Vec<TaskId> = Vec::with_capacity(graph.len());
    let (mut work, mut span, mut last) = (0u64, 0, NONE);
    for (id, task) in graph.tasks() {
        let weight = measure.of(&task);
        let mut best = (0, NONE);
        for (_, from) in graph.edges_to(id) {
            let sum = sums.get(from.index()).copied().unwrap_or_default();
            if best.1 == NONE || sum > best.0 {
                best = (sum, from);
            }
        }
        let sum = best.0.saturating_add(weight);
        sums.push(sum);
        before.push(best.1);
        work = work.saturating_add(weight);
        if last == NONE || sum > span {
            (span, last) = (sum, id);
        }
    }
    let mut way = Vec::new();
    while let Some(&from) = before.get(last.index()) {
        way.push(last);
        last = from;
    }
    way.reverse();
    Span { work, span, way }
}
