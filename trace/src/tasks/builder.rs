//! Builds the task graph, and collects the waits for locks and at barriers, in one walk.
//!
//! A thread that never runs traced code does no work. It belongs to a library, and mostly waits.
//! Only its locks and its memory are recorded.

use std::collections::HashSet;

use pathformat::trace::{Operation, Synchronisation};

use crate::ids::{TaskId, ThreadId};
#[cfg(test)]
use crate::order::item::Item;
use crate::order::item::{EndedPath, UserPlace};
use crate::order::releases::{Link, Links};
#[cfg(test)]
use crate::order::walk::walk;
use crate::order::walk::{OperationEvent, Streams, Visitor, split};
use crate::steps::time::Times;
use crate::strands::clock::Token;
use crate::strands::program_order::{Strands, Turns};
use crate::tasks::contention::Contention;
use crate::tasks::graph::{Graph, Task, TaskEnd};
use crate::tasks::imbalance::Imbalance;
use crate::tasks::span::{Measure, Span};

/// The task graph of a trace, and the waits.
#[derive(Debug)]
pub struct Tasks {
    /// The graph.
    pub graph: Graph,
    /// The work and span in nanoseconds, along what the program orders.
    pub by_time: Span,
    /// The work and span in executed instructions, along what the program orders.
    pub by_instructions: Span,
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
    /// True if the task is running.
    is_open: bool,
    /// The time up to which its work is known to its strand, in ticks, and the instructions.
    counted: (u64, u64),
    at: UserPlace,
}

/// The visitor that builds the graph.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    graph: Graph,
    threads: Vec<Thread>,
    contention: Contention,
    imbalance: Imbalance,
    missing: u64,
    /// The threads that never run traced code.
    workless: HashSet<ThreadId>,
    /// What the program orders, whichever thread executes it.
    strands: Strands,
    times: Times,
}

#[cfg(test)]
impl Tasks {
    /// Builds the tasks of these streams. The `workless` threads never run traced code.
    pub(crate) fn of<I: Iterator<Item = Item>>(
        streams: Streams<I>,
        times: Times,
        workless: HashSet<ThreadId>,
    ) -> Self {
        let mut builder = Builder::of(&streams, times, workless);
        walk(streams, &mut builder);
        builder.finish()
    }
}

impl Builder {
    /// Returns a builder for these streams, before the walk. The `workless` threads never run
    /// traced code.
    pub(crate) fn of<I>(streams: &Streams<I>, times: Times, workless: HashSet<ThreadId>) -> Self {
        let strands = Strands::new(Turns::All);
        Self { missing: streams.missing(), workless, strands, times, ..Self::default() }
    }

    /// Returns the tasks of the streams that were walked.
    pub(crate) fn finish(mut self) -> Tasks {
        let times = self.times;
        self.graph.set_clock(&times);
        let span = |measure: Measure| {
            let work = self.graph.tasks().map(|(_, task)| measure.of(&task));
            let work = work.fold(0, u64::saturating_add);
            let (span, way) = self.strands.ways().heaviest(measure as usize);
            Span { work, span, way }
        };
        Tasks {
            by_time: span(Measure::Time),
            by_instructions: span(Measure::Instructions),
            graph: self.graph,
            contention: self.contention,
            imbalance: self.imbalance,
            missing: self.missing,
            threads: self.threads.len() as u32,
            times,
        }
    }

    /// Adds what a thread has done since to its strand. `ticks` is the time, if it is known.
    fn advance(&mut self, thread: ThreadId, ticks: Option<u64>) {
        let Thread { task, is_open, counted, .. } = *self.thread(thread);
        let Some(id) = task.filter(|_| is_open && !self.workless.contains(&thread)) else { return };
        let ticks = ticks.unwrap_or(counted.0).max(counted.0);
        let instructions = self.graph.task_mut(id).map_or(0, |task| task.actions.instructions);
        let weights =
            [self.times.between(counted.0, ticks), instructions.saturating_sub(counted.1)];
        self.thread(thread).counted = (ticks, instructions);
        self.strands.work(thread, id, weights);
    }

    fn thread(&mut self, thread: ThreadId) -> &mut Thread {
        let index = thread.index();
        if self.threads.len() <= index {
            let (task, at) = (None, UserPlace::default());
            let none = Thread { task, tasks: 0, is_open: false, counted: (0, 0), at };
            self.threads.resize(index + 1, none);
        }
        &mut self.threads[index]
    }
}

impl Visitor for Builder {
    /// The last task of the thread, if it had any, and what happens before.
    type Token = (Option<TaskId>, Token);

    fn began(&mut self, thread: ThreadId, ticks: u64, links: &Links<Self::Token>) {
        let state = self.thread(thread);
        let (last, index) = (state.task, state.tasks);
        state.tasks = index.saturating_add(1);
        let task = Task { begin: ticks, end: ticks, thread, index, ..Task::default() };
        let program = last.map(|last| (Link::Program, last));
        let waited = links.iter().filter(|(link, _)| *link != Link::Fence);
        let waited = waited.filter_map(|(link, released)| Some((*link, released.token.0?)));
        let id = self.graph.add(task, program.into_iter().chain(waited));
        let state = self.thread(thread);
        state.task = id.or(state.task);
        (state.is_open, state.counted) = (id.is_some(), (ticks, 0));
    }

    fn path_ended(&mut self, thread: ThreadId, done: &EndedPath) {
        let state = self.thread(thread);
        state.at.note(done);
        let task = state.task;
        if let Some(task) = task.and_then(|task| self.graph.task_mut(task)) {
            task.actions.add(&done.actions);
        }
        if let Some(call) = done.calls {
            self.advance(thread, None);
            self.strands.called(thread, call);
        }
    }

    fn released(&mut self, thread: ThreadId, event: Option<OperationEvent<'_>>) -> Self::Token {
        self.advance(thread, event.map(|(_, event)| event.begin.get()));
        if let Some((of, event)) = event {
            self.contention.before(thread, of, event);
        }
        (self.thread(thread).task, self.strands.released(thread, event))
    }

    fn noted(&mut self, thread: ThreadId, of: Operation, event: &Synchronisation) {
        self.advance(thread, Some(event.begin.get()));
        self.strands.noted(thread, of, event);
    }

    fn ended(&mut self, thread: ThreadId, ticks: u64, event: Option<OperationEvent<'_>>) {
        self.advance(thread, Some(ticks));
        self.thread(thread).is_open = false;
        let Thread { task, at: UserPlace { place, .. }, .. } = *self.thread(thread);
        if let Some(id) = task {
            let works = !self.workless.contains(&thread);
            if let Some(task) = self.graph.task_mut(id).filter(|_| works) {
                task.end = task.end.max(ticks);
            }
            let operation = event.map(|(of, _)| of);
            let object = event.map_or(0, |(of, event)| {
                let is_wait = of == Operation::WaitCondition;
                if is_wait { event.other.get() } else { event.object.get() }
            });
            // Numbers tell tasks apart that wait for the same.
            let object = if operation.is_some_and(Operation::names_numbers) { 0 } else { object };
            self.graph.set_end(id, TaskEnd { operation, object, place });
        }
        if let Some((of, event)) = event {
            if event.before.get() == 0 {
                self.contention.before(thread, of, event);
            }
            self.imbalance.come(thread, of, event, place);
        }
    }

    fn acquired(
        &mut self,
        thread: ThreadId,
        of: Operation,
        event: &Synchronisation,
        links: &Links<Self::Token>,
    ) {
        self.strands.acquired(thread, of, event, &split(links).1);
        let place = self.thread(thread).at.place;
        self.contention.after(thread, of, event, place);
        self.imbalance.go_on(thread, of, event);
    }

    fn missing(&mut self, _: ThreadId) {
        self.missing += 1;
    }
}
