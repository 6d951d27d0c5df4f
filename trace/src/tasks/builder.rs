//! Builds the task graph, and collects the waits for locks and at barriers, in one walk.

use pathformat::trace::{Operation, Synchronisation};

use crate::ids::{TaskId, ThreadId};
use crate::order::item::{CodePlace, EndedPath, Item};
use crate::order::releases::{Link, Links};
use crate::order::walk::{OperationEvent, Streams, Visitor, walk};
use crate::steps::time::Times;
use crate::tasks::contention::Contention;
use crate::tasks::graph::{Graph, Task, TaskKind};
use crate::tasks::imbalance::Imbalance;

/// The task graph of a trace, and the waits.
#[derive(Debug)]
pub struct Tasks {
    /// The graph.
    pub graph: Graph,
    /// The waits for locks.
    pub contention: Contention,
    /// The waits at barriers.
    pub imbalance: Imbalance,
    /// The number of gaps in the records.
    pub missing: u64,
    /// The number of threads.
    pub threads: u32,
    /// The conversion of ticks to nanoseconds.
    pub times: Times,
}

/// The state of a thread.
#[derive(Clone, Copy, Debug)]
struct Thread {
    task: Option<TaskId>,
    tasks: u32,
    place: CodePlace,
    /// True if the place is in the user's code.
    is_in_users: bool,
}

/// The visitor that builds the graph.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    graph: Graph,
    threads: Vec<Thread>,
    contention: Contention,
    imbalance: Imbalance,
    missing: u64,
}

impl Tasks {
    /// Builds the tasks of these streams.
    pub fn of<I: Iterator<Item = Item>>(streams: Streams<I>, times: Times) -> Self {
        let mut builder = Builder::of(&streams);
        walk(streams, &mut builder);
        builder.finish(times)
    }
}

impl Builder {
    /// Returns a builder for these streams, before the walk.
    pub(crate) fn of<I>(streams: &Streams<I>) -> Self {
        Self { missing: streams.missing(), ..Self::default() }
    }

    /// Returns the tasks of the streams that were walked.
    pub(crate) fn finish(mut self, times: Times) -> Tasks {
        self.graph.set_clock(&times);
        Tasks {
            graph: self.graph,
            contention: self.contention,
            imbalance: self.imbalance,
            missing: self.missing,
            threads: self.threads.len() as u32,
            times,
        }
    }

    fn thread(&mut self, thread: ThreadId) -> &mut Thread {
        let at = thread.index();
        if self.threads.len() <= at {
            let (task, place) = (None, CodePlace::NONE);
            let none = Thread { task, tasks: 0, place, is_in_users: false };
            self.threads.resize(at + 1, none);
        }
        &mut self.threads[at]
    }
}

impl Visitor for Builder {
    /// The last task of the thread, if it had any.
    type Token = Option<TaskId>;

    fn began(&mut self, thread: ThreadId, ticks: u64, links: &Links<Self::Token>) {
        let state = self.thread(thread);
        let (last, index) = (state.task, state.tasks);
        state.tasks = index.saturating_add(1);
        let task = Task { begin: ticks, end: ticks, thread, index, ..Task::default() };
        let program = last.map(|last| (Link::Program, last));
        let waited = links.iter().filter(|(link, _)| *link != Link::Fence);
        let waited = waited.filter_map(|(link, released)| Some((*link, released.token?)));
        let id = self.graph.add(task, program.into_iter().chain(waited));
        let state = self.thread(thread);
        state.task = id.or(state.task);
    }

    fn path_ended(&mut self, thread: ThreadId, done: &EndedPath) {
        let state = self.thread(thread);
        if done.is_next_place(state.is_in_users) {
            (state.place, state.is_in_users) = (done.end(), done.calls_for_user);
        }
        let task = state.task;
        if let Some(task) = task.and_then(|task| self.graph.task_mut(task)) {
            task.actions.add(&done.actions);
        }
    }

    fn released(&mut self, thread: ThreadId, _: Option<OperationEvent<'_>>) -> Self::Token {
        self.thread(thread).task
    }

    fn ended(&mut self, thread: ThreadId, ticks: u64, event: Option<OperationEvent<'_>>) {
        let Thread { task, place, .. } = *self.thread(thread);
        if let Some(id) = task {
            if let Some(task) = self.graph.task_mut(id) {
                task.end = task.end.max(ticks);
            }
            self.graph.set_kind(id, TaskKind::of(event.map(|(operation, _)| operation)));
        }
        if let Some((of, event)) = event {
            self.contention.before(thread, of, event, place);
            self.imbalance.come(thread, of, event, place);
        }
    }

    fn acquired(
        &mut self,
        thread: ThreadId,
        of: Operation,
        event: &Synchronisation,
        _: &Links<Self::Token>,
    ) {
        let place = self.thread(thread).place;
        self.contention.after(thread, of, event, place);
        self.imbalance.go_on(thread, of, event);
    }

    fn missing(&mut self, _: ThreadId) {
        self.missing += 1;
    }
}
