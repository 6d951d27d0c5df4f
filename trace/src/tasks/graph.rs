//! The task graph, in compact arrays.
//!
//! Tasks are numbered in the order in which they began, so an edge leads from a smaller number to a
//! larger one. The edges to a task are contiguous.

use std::collections::HashMap;

use pathformat::trace::Operation;

use crate::ids::{TaskId, ThreadId};
use crate::order::item::{Actions, CodePlace};
use crate::order::releases::Link;
use crate::steps::time::Times;
use crate::tasks::segmented::Segmented;

/// A task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Task {
    /// The beginning, in nanoseconds (in ticks while the graph is built).
    pub begin: u64,
    /// The end, in the same unit.
    pub end: u64,
    /// The work that it did.
    pub actions: Actions,
    /// The index of its thread.
    pub thread: ThreadId,
    /// Its number within the thread, from 0.
    pub index: u32,
}

const _: () = assert!(size_of::<Task>() == 64, "ten million tasks fit into memory");

impl Task {
    /// Returns its duration.
    pub fn duration(&self) -> u64 {
        self.end.saturating_sub(self.begin)
    }
}

/// The kind of a task, by the event that ends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum TaskKind {
    /// It ends with its stream, or where a thread, a part of a region or an OpenMP task begins or
    /// ends.
    Basic,
    /// It creates a thread, a process, a parallel region or a task.
    Create,
    /// It waits for threads, processes, regions or tasks that it created.
    Join,
    /// It arrives at a barrier.
    Barrier,
    /// It performs another operation of synchronisation.
    Sync,
}

impl TaskKind {
    /// All kinds, by number.
    pub const ALL: [Self; 5] = [Self::Basic, Self::Create, Self::Join, Self::Barrier, Self::Sync];

    /// Returns the name in outputs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Basic => "basic",
            Self::Create => "create",
            Self::Join => "join",
            Self::Barrier => "barrier",
            Self::Sync => "sync",
        }
    }

    /// Returns the kind of a task that ends with an operation.
    pub fn of(operation: Option<Operation>) -> Self {
        use Operation::*;
        match operation {
            None | Some(Begin | End | ForkChild | Detach | Fence) => Self::Basic,
            Some(MemberBegin | MemberEnd | TaskSwitch | TaskEnd) => Self::Basic,
            Some(TaskIn | TaskOut | TaskInOutSet | TaskMutexInOutSet) => Self::Basic,
            Some(WorkBegin | WorkEnd | WorkPart | TaskUndeferred | ThreadMemory) => Self::Basic,
            Some(Create | Fork | ParallelBegin | TaskCreate) => Self::Create,
            Some(Join | WaitProcess | ParallelEnd | TaskWait | TaskGroup) => Self::Join,
            Some(Barrier) => Self::Barrier,
            Some(Lock | LockShared | Unlock | WaitCondition | Signal | Broadcast) => Self::Sync,
            Some(Post | Take | Once | Message) => Self::Sync,
            Some(OrderedSource | OrderedSink | ReduceBegin | ReduceEnd) => Self::Sync,
        }
    }
}

/// How a task ends: the operation that ends it, if any, its object, and where its thread is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TaskEnd {
    /// The operation.
    pub operation: Option<Operation>,
    /// The address of the lock, the barrier or another object of the operation, 0 if it has none.
    pub object: u64,
    /// The place.
    pub place: CodePlace,
}

/// The task graph.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    tasks: Segmented<Task>,
    /// The end of each task, one more than its index among the ends; 0 while the task runs.
    ends: Segmented<u32>,
    known_ends: Vec<TaskEnd>,
    end_numbers: HashMap<TaskEnd, u32>,
    /// The index of the first edge to each task.
    first_edges: Segmented<u32>,
    from: Segmented<TaskId>,
    links: Segmented<u8>,
    /// The number of tasks and edges that were dropped.
    pub left_out: u64,
}

impl Graph {
    /// Adds a task, with the edges to it. Returns its number, or `None` if there are too many.
    pub fn add(
        &mut self,
        task: Task,
        edges: impl IntoIterator<Item = (Link, TaskId)>,
    ) -> Option<TaskId> {
        let full = |of: usize| of >= u32::MAX as usize;
        if full(self.tasks.len()) || full(self.from.len()) {
            self.left_out += 1;
            return None;
        }
        let id = TaskId(self.tasks.len() as u32);
        self.first_edges.push(self.from.len() as u32);
        self.tasks.push(task);
        self.ends.push(0);
        for (link, from) in edges {
            if from >= id || full(self.from.len()) {
                self.left_out += 1;
                continue;
            }
            self.from.push(from);
            self.links.push(link as u8);
        }
        Some(id)
    }

    /// Returns a task for a change.
    pub fn task_mut(&mut self, id: TaskId) -> Option<&mut Task> {
        self.tasks.get_mut(id.index())
    }

    /// Sets the end of a task.
    pub fn set_end(&mut self, id: TaskId, end: TaskEnd) {
        let known = &mut self.known_ends;
        let number = *self.end_numbers.entry(end).or_insert_with(|| {
            known.push(end);
            known.len() as u32
        });
        if let Some(of) = self.ends.get_mut(id.index()) {
            *of = number;
        }
    }

    /// Returns the end of a task, if it has ended.
    pub fn end(&self, id: TaskId) -> Option<TaskEnd> {
        self.known_ends.get(self.end_number(id)?).copied()
    }

    /// Returns the index of the end of a task among the [ends](Self::ends), if it has ended.
    pub fn end_number(&self, id: TaskId) -> Option<usize> {
        Some(self.ends.get(id.index())?.checked_sub(1)? as usize)
    }

    /// Returns the ends of all tasks, each once.
    pub fn ends(&self) -> &[TaskEnd] {
        &self.known_ends
    }

    /// Returns the number of tasks.
    pub fn len(&self) -> usize {
        self.tasks.len()
    }

    /// Returns true if there are no tasks.
    pub fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    /// Returns the number of edges.
    pub fn edge_count(&self) -> usize {
        self.from.len()
    }

    /// Returns a task.
    pub fn task(&self, id: TaskId) -> Task {
        self.tasks.get(id.index()).unwrap_or_default()
    }

    /// Returns the kind of a task.
    pub fn kind(&self, id: TaskId) -> TaskKind {
        TaskKind::of(self.end(id).and_then(|end| end.operation))
    }

    /// Returns all tasks, by number.
    pub fn tasks(&self) -> impl Iterator<Item = (TaskId, Task)> + '_ {
        (0..).map(TaskId).zip(self.tasks.iter())
    }

    /// Returns the edges to a task: the reason and the origin of each.
    pub fn edges_to(&self, id: TaskId) -> impl Iterator<Item = (Link, TaskId)> + '_ {
        let at = id.index();
        let first = self.first_edges.get(at).unwrap_or_default() as usize;
        let end = self.first_edges.get(at + 1).map_or(self.from.len(), |end| end as usize);
        (first..end).filter_map(|edge| {
            let link = Link::ALL.get(usize::from(self.links.get(edge)?))?;
            Some((*link, self.from.get(edge)?))
        })
    }

    /// Converts the ticks of all tasks to nanoseconds.
    pub fn set_clock(&mut self, times: &Times) {
        for at in 0..self.tasks.len() {
            if let Some(task) = self.tasks.get_mut(at) {
                task.begin = times.at(task.begin);
                task.end = times.at(task.end);
            }
        }
    }

    /// Returns the memory of the graph, in bytes.
    pub fn memory(&self) -> usize {
        self.tasks.memory()
            + self.ends.memory()
            + size_of::<TaskEnd>() * self.known_ends.capacity()
            + self.first_edges.memory()
            + self.from.memory()
            + self.links.memory()
    }
}
