//! The task graph, in compact arrays.
//!
//! Tasks are numbered in the order in which they began, so an edge leads from a smaller number to a
//! larger one. The edges to a task stand together.

use std::fmt::{self, Display, Formatter};

use pathformat::trace::Operation;
use serde::Serialize;

use crate::order::item::Actions;
use crate::order::releases::Link;
use crate::order::thread_id::ThreadId;
use crate::steps::time::Times;
use crate::tasks::segmented::Segmented;

/// A task, by its number in the graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct TaskId(pub u32);

impl TaskId {
    /// The same as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl From<TaskId> for u64 {
    fn from(id: TaskId) -> Self {
        id.0.into()
    }
}

impl Display for TaskId {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Task {
    /// When it began, in nanoseconds (in ticks while the graph is made).
    pub begin: u64,
    /// When it ended.
    pub end: u64,
    /// What it did.
    pub actions: Actions,
    /// Index of its thread.
    pub thread: ThreadId,
    /// Which task of its thread, from 0.
    pub index: u32,
}

const _: () = assert!(size_of::<Task>() == 64, "ten million tasks fit into memory");

impl Task {
    /// How long it took.
    pub fn duration(&self) -> u64 {
        self.end.saturating_sub(self.begin)
    }
}

/// What a task is, by the event that ends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum TaskKind {
    /// It ends with its stream, or where a thread, a part of a region or a task of OpenMP begins or
    /// ends.
    Basic,
    /// It makes a thread, a process, a parallel region or a task.
    Create,
    /// It waits for what it made.
    Join,
    /// It comes to a barrier.
    Barrier,
    /// It does anything else that synchronises.
    Sync,
}

impl TaskKind {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Basic, Self::Create, Self::Join, Self::Barrier, Self::Sync];

    /// What people and programs read.
    pub fn name(self) -> &'static str {
        match self {
            Self::Basic => "basic",
            Self::Create => "create",
            Self::Join => "join",
            Self::Barrier => "barrier",
            Self::Sync => "sync",
        }
    }

    /// Of a task that ends so.
    pub fn of(operation: Option<Operation>) -> Self {
        use Operation::*;
        match operation {
            None | Some(Begin | End | ForkChild | Detach | Fence) => Self::Basic,
            Some(MemberBegin | MemberEnd | TaskSwitch | TaskEnd) => Self::Basic,
            Some(TaskIn | TaskOut | TaskInOutSet | TaskMutexInOutSet) => Self::Basic,
            Some(Create | Fork | ParallelBegin | TaskCreate) => Self::Create,
            Some(Join | WaitProcess | ParallelEnd | TaskWait | TaskGroup) => Self::Join,
            Some(Barrier) => Self::Barrier,
            Some(Lock | LockShared | Unlock | WaitCondition | Signal | Broadcast) => Self::Sync,
            Some(Post | Take | Once | Message) => Self::Sync,
            Some(OrderedSource | OrderedSink) => Self::Sync,
        }
    }
}

/// The task graph.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    tasks: Segmented<Task>,
    kinds: Segmented<u8>,
    /// For each task where the edges to it begin.
    first_edges: Segmented<u32>,
    from: Segmented<TaskId>,
    links: Segmented<u8>,
    /// Tasks or edges that found no number.
    pub left_out: u64,
}

impl Graph {
    /// Adds a task, with the edges to it. Gives its number, or `None` if there are too many.
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
        self.kinds.push(TaskKind::Basic as u8);
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

    /// A task, to be changed.
    pub fn task_mut(&mut self, id: TaskId) -> Option<&mut Task> {
        self.tasks.get_mut(id.index())
    }

    /// Says how a task ended.
    pub fn set_kind(&mut self, id: TaskId, kind: TaskKind) {
        if let Some(known) = self.kinds.get_mut(id.index()) {
            *known = kind as u8;
        }
    }

    /// How many tasks there are.
    pub fn len(&self) -> usize {
        self.tasks.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    /// How many edges there are.
    pub fn edge_count(&self) -> usize {
        self.from.len()
    }

    /// A task.
    pub fn task(&self, id: TaskId) -> Task {
        self.tasks.get(id.index()).unwrap_or_default()
    }

    /// What it is.
    pub fn kind(&self, id: TaskId) -> TaskKind {
        let kind = self.kinds.get(id.index()).unwrap_or_default();
        TaskKind::ALL.get(usize::from(kind)).copied().unwrap_or(TaskKind::Basic)
    }

    /// All tasks, by number.
    pub fn tasks(&self) -> impl Iterator<Item = (TaskId, Task)> + '_ {
        (0..).map(TaskId).zip(self.tasks.iter())
    }

    /// The edges to a task: why, and from which.
    pub fn edges_to(&self, id: TaskId) -> impl Iterator<Item = (Link, TaskId)> + '_ {
        let at = id.index();
        let first = self.first_edges.get(at).unwrap_or_default() as usize;
        let end = self.first_edges.get(at + 1).map_or(self.from.len(), |end| end as usize);
        (first..end).filter_map(|edge| {
            let link = Link::ALL.get(usize::from(self.links.get(edge)?))?;
            Some((*link, self.from.get(edge)?))
        })
    }

    /// Turns the ticks of all tasks into nanoseconds.
    pub fn set_clock(&mut self, times: &Times) {
        for at in 0..self.tasks.len() {
            if let Some(task) = self.tasks.get_mut(at) {
                task.begin = times.at(task.begin);
                task.end = times.at(task.end);
            }
        }
    }

    /// How many bytes it takes.
    pub fn memory(&self) -> usize {
        self.tasks.memory()
            + self.kinds.memory()
            + self.first_edges.memory()
            + self.from.memory()
            + self.links.memory()
    }
}
