//! The functions and paths that the tasks on a critical path executed, and the hottest path of each
//! task.
//!
//! The streams are walked once more. The time of a task is divided among its paths in proportion to
//! their instructions.

use std::collections::HashMap;

use crate::fast_map::FastMap;
use crate::ids::{FunctionId, TaskId, ThreadId};
use crate::order::item::EndedPath;
use crate::order::releases::Links;
use crate::order::walk::{OperationEvent, Streams, Visitor};
use crate::tasks::graph::Graph;
use counts::model::PathId;

/// The work of a path in the tasks on a critical path.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Heat {
    /// The number of times it ran.
    pub count: u64,
    /// The number of instructions it executed.
    pub instructions: u64,
    /// Its share of the time, in nanoseconds.
    pub time: f64,
}

/// The heats by function and path.
pub type Heats = HashMap<(FunctionId, PathId), Heat>;

/// The path of each task that executed most of its instructions, the first one of several; `None`
/// if the task executed no instruction.
pub type HottestPaths = Vec<Option<(FunctionId, PathId)>>;

/// The visitor that measures the paths of tasks.
pub(crate) struct Heating<'a> {
    graph: &'a Graph,
    is_on_way: Vec<bool>,
    next: TaskId,
    /// The current task of each thread.
    current: Vec<TaskId>,
    /// The instructions of each path in the last task of each thread that executed it.
    work: Vec<FastMap<(FunctionId, PathId), (TaskId, u64)>>,
    /// The most instructions of a path in the current task of each thread.
    most: Vec<u64>,
    heats: Heats,
    hottest: HottestPaths,
}

impl<'a> Heating<'a> {
    /// Returns a visitor for these streams, before the walk.
    pub(crate) fn of<I>(streams: &Streams<I>, graph: &'a Graph, way: &[TaskId]) -> Self {
        let mut is_on_way = vec![false; graph.len()];
        way.iter().for_each(|&task| is_on_way[task.index()] = true);
        let current = vec![TaskId(u32::MAX); streams.num_threads()];
        let work = vec![FastMap::default(); streams.num_threads()];
        let most = vec![0; streams.num_threads()];
        let (heats, hottest) = (Heats::new(), vec![None; graph.len()]);
        Self { graph, is_on_way, next: TaskId(0), current, work, most, heats, hottest }
    }

    /// Returns what was measured, after the walk.
    pub(crate) fn finish(self) -> (Heats, HottestPaths) {
        (self.heats, self.hottest)
    }

    /// Adds the instructions of a path to a task of a thread.
    fn warm(&mut self, thread: usize, task: TaskId, path: (FunctionId, PathId), more: u64) {
        let (of, sum) = self.work[thread].entry(path).or_insert((task, 0));
        if *of != task {
            (*of, *sum) = (task, 0);
        }
        *sum += more;
        let Some(hottest) = self.hottest.get_mut(task.index()) else { return };
        let most = &mut self.most[thread];
        // Sums only grow, so that the hottest path is always known.
        if *sum > *most || *sum == *most && hottest.is_some_and(|hottest| path < hottest) {
            (*most, *hottest) = (*sum, Some(path));
        }
    }
}

impl Visitor for Heating<'_> {
    type Token = ();

    fn began(&mut self, thread: ThreadId, _: u64, _: &Links<()>) {
        self.most[thread.index()] = 0;
        self.current[thread.index()] = self.next;
        self.next = TaskId(self.next.0.saturating_add(1));
    }

    fn path_ended(&mut self, thread: ThreadId, done: &EndedPath) {
        let id = self.current[thread.index()];
        let path = (done.function, done.path);
        self.warm(thread.index(), id, path, done.actions.instructions);
        if !self.is_on_way.get(id.index()).copied().unwrap_or_default() {
            return;
        }
        let task = self.graph.task(id);
        let heat = self.heats.entry(path).or_default();
        heat.count += done.actions.paths;
        heat.instructions += done.actions.instructions;
        let whole = task.actions.instructions.max(1) as f64;
        heat.time += task.duration() as f64 * done.actions.instructions as f64 / whole;
    }

    fn released(&mut self, _: ThreadId, _: Option<OperationEvent<'_>>) {}

    fn ended(&mut self, _: ThreadId, _: u64, _: Option<OperationEvent<'_>>) {}
}
