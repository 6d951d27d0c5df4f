//! The task graph of a trace with everything that is shown of it, in two walks.
//!
//! The first walk builds the graph and collects the frees of memory. The second one, which needs
//! both, names locks and barriers and measures the paths on the critical path.

use profile::observer::Observer;

use crate::file::Trace;
use crate::memory::frees::{FreeSearch, Frees};
use crate::memory::locks::{LockNames, LockSearch};
use crate::memory::owner_names::OwnerNames;
use crate::memory::owner_walk::Attribution;
use crate::memory::owners::Owners;
use crate::order::source::{Detail, inputs, workless};
use crate::order::walk::walk;
use crate::steps::program::Program;
use crate::steps::time::Times;
use crate::tasks::builder::{Builder, Tasks};
use crate::tasks::hot::{Heating, Heats, HottestPaths};
use crate::tasks::locked_work::{LockedWork, LockedWorkSearch};
use crate::tasks::parallelism::Parallelism;

/// The number of equal parts of the run for which parallelism is shown.
const PARTS: usize = 30;

/// The task graph of a trace, and the analyses of it.
#[derive(Debug)]
pub struct TaskAnalysis {
    /// The graph, and the waits for locks and at barriers.
    pub tasks: Tasks,
    /// The number of tasks that ran at once.
    pub parallelism: Parallelism,
    /// The paths that the tasks on the span in nanoseconds executed.
    pub heats: Heats,
    /// The hottest path of each task.
    pub hottest: HottestPaths,
    /// The work that threads did with a lock.
    pub locked_work: LockedWork,
    /// The names of locks and barriers.
    pub lock_names: LockNames,
}

impl TaskAnalysis {
    /// Analyses a trace. Reports each chunk to the observer, twice.
    pub fn of(trace: &Trace, program: &Program, times: Times, observer: &dyn Observer) -> Self {
        let streams = || inputs(trace, program, &times, Detail::Tasks, observer);

        let first = streams();
        let (mut builder, mut free_search) =
            (Builder::of(&first, times, workless(trace)), FreeSearch::default());
        if Frees::are_needed(&first) {
            walk(first, &mut (&mut builder, &mut free_search));
        } else {
            walk(first, &mut builder);
        }
        let tasks = builder.finish();

        let second = streams();
        let mut heating = Heating::of(&second, &tasks.graph, &tasks.by_time.way);
        let has_locks =
            !tasks.contention.locks().is_empty() || !tasks.imbalance.barriers().is_empty();
        let mut lock_names = LockNames::default();
        let mut locked = LockedWorkSearch::default();
        if has_locks {
            let owners = Owners::of(program, free_search.frees, trace.run.partial);
            let mut search = LockSearch::default();
            let mut attribution = Attribution { owners, visitor: &mut search };
            walk(second, &mut (&mut heating, &mut (&mut attribution, &mut locked)));
            let owners = attribution.owners;
            lock_names = search.names(&owners, &OwnerNames::of(trace, program));
        } else {
            walk(second, &mut heating);
        }
        let (heats, hottest) = heating.finish();

        let parallelism = Parallelism::of(&tasks.graph, PARTS);
        let locked_work = locked.finish();
        Self { tasks, parallelism, heats, hottest, locked_work, lock_names }
    }
}
