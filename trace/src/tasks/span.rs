//! The critical path, and the total work.
//!
//! The *work* is the sum of all tasks, the *span* that of the heaviest way along what the program
//! orders, whichever thread executed it. With any number of processors, the speedup is at most
//! work / span.

use crate::ids::TaskId;
use crate::tasks::graph::Task;

/// The weight of a task. Its number is that of the measure in [`ways`](crate::strands::ways).
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
    /// The sum of the work on the heaviest way.
    pub span: u64,
    /// The tasks on that way, from the first to the last.
    pub way: Vec<TaskId>,
}
