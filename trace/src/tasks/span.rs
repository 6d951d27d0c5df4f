//! The critical path of a task graph, and the total work.
//!
//! The *work* is the sum of all tasks, the *span* that of the heaviest path along edges. With any
//! number of processors, the speedup is at most work / span.

use crate::ids::TaskId;
use crate::tasks::graph::{Graph, Task};

/// The weight of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Nanoseconds, which differ from run to run.
    Time,
    /// Executed instructions, which are the same if the graph is the same.
    Instructions,
}

impl Measure {
    /// Returns the weight of a task.
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
    /// The sum of the tasks on the heaviest path.
    pub span: u64,
    /// The tasks on that path, from the first to the last.
    pub way: Vec<TaskId>,
}

/// Finds the heaviest path. Among equals it is the one whose last task began first, and so on.
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
