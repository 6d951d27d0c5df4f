//! A simulated process: each instruction takes a nanosecond, and operations without a wait take
//! none.

use counts::model::PathId;
use std::collections::BTreeMap;

use pathformat::trace::{Operation, Order, Synchronisation};

use crate::ids::{FunctionId, ThreadId};
use crate::order::item::{Actions, EndedPath, Item};
use crate::order::releases::Link;
use crate::order::walk::{Input, Streams};
use crate::steps::time::Times;
use crate::tasks::builder::Tasks;
use crate::tasks::graph::Graph;

/// The actions of the threads so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scene {
    /// The actions of each thread.
    pub(crate) items: Vec<Vec<Item>>,
    /// The current time of each thread.
    pub(crate) now: Vec<u64>,
    /// The operations that each thread waits in, the innermost one last, and the number of actions
    /// of the thread up to the event of its beginning.
    waiting: Vec<Vec<(Synchronisation, usize)>>,
    /// The last ticket.
    pub(crate) ticket: u64,
}

impl Scene {
    /// Returns threads of which only the first one has begun.
    pub(crate) fn new(threads: usize) -> Self {
        let mut scene = Self {
            items: vec![Vec::new(); threads],
            now: vec![0; threads],
            waiting: vec![Vec::new(); threads],
            ticket: 0,
        };
        scene.event(0, Operation::Begin, 0, 1000);
        scene
    }

    /// Executes instructions on a thread.
    pub(crate) fn work(&mut self, thread: usize, instructions: u64) {
        let actions = Actions { paths: 1, blocks: 2, instructions, ..Actions::default() };
        let done = EndedPath {
            function: FunctionId(thread as u32),
            path: PathId(0),
            last: 0,
            calls_for_user: false,
            calls: None,
            actions,
            accesses: Vec::new(),
        };
        self.items[thread].push(Item::Path(done));
        self.now[thread] += instructions;
    }

    fn ticket(&mut self) -> u64 {
        self.ticket += 1;
        self.ticket
    }

    /// Begins an operation of a thread.
    pub(crate) fn enter(&mut self, thread: usize, of: Operation, object: u64, other: u64) {
        let before = if of.order().releases() { self.ticket() } else { 0 };
        let event = Synchronisation {
            operation: (of as u32).into(),
            object: object.into(),
            other: other.into(),
            before: before.into(),
            begin: self.now[thread].into(),
            end: self.now[thread].into(),
            ..Synchronisation::default()
        };
        let is_first = matches!(
            of,
            Operation::Barrier
                | Operation::TaskWait
                | Operation::TaskGroup
                | Operation::WaitCondition
                | Operation::Message
        );
        if is_first {
            self.items[thread].push(Item::Event(event));
        }
        let behind = if is_first { self.items[thread].len() } else { 0 };
        self.waiting[thread].push((event, behind));
    }

    /// Ends an operation of a thread with a result, at `until` or later.
    pub(crate) fn leave(&mut self, thread: usize, result: u32, until: u64) {
        let (mut event, behind) = self.waiting[thread].pop().expect("it waits");
        self.now[thread] = self.now[thread].max(until);
        if event.operation().expect("known").order().acquires() {
            event.after = self.ticket().into();
        }
        (event.result, event.end) = (result.into(), self.now[thread].into());
        if behind == self.items[thread].len() {
            self.items[thread].pop();
        } else if behind > 0 {
            (event.before, event.begin) = (0.into(), event.end);
            if event.operation() == Some(Operation::Message) {
                event.other = 1.into();
            }
        }
        self.items[thread].push(Item::Event(event));
    }

    /// Performs an operation that ends at once.
    pub(crate) fn event(&mut self, thread: usize, of: Operation, object: u64, other: u64) {
        self.enter(thread, of, object, other);
        self.leave(thread, 0, 0);
    }

    /// Creates a thread, which begins at once.
    pub(crate) fn create(&mut self, by: usize, thread: usize) {
        let (number, pthread) = (thread as u64, 1000 + thread as u64);
        self.event(by, Operation::Create, number, pthread);
        self.now[thread] = self.now[by];
        self.event(thread, Operation::Begin, number, pthread);
    }

    /// Ends a thread.
    pub(crate) fn end(&mut self, thread: usize) {
        self.event(thread, Operation::End, thread as u64, 1000 + thread as u64);
    }

    /// Waits on one thread for another one, which has ended.
    pub(crate) fn join(&mut self, by: usize, thread: usize) {
        self.enter(by, Operation::Join, 0, 1000 + thread as u64);
        self.leave(by, 0, self.now[thread]);
    }

    /// Returns all streams.
    pub(crate) fn inputs(mut self) -> Streams<std::vec::IntoIter<Item>> {
        for (items, now) in self.items.iter_mut().zip(&self.now) {
            items.push(Item::Ticks(*now));
        }
        let input = |(thread, items): (u32, Vec<Item>)| {
            // A thread begins with its first event.
            Input {
                thread: ThreadId(thread),
                is_handler: false,
                begun: 0,
                items: items.into_iter(),
            }
        };
        (0..).zip(self.items).map(input).collect()
    }

    /// Returns the task graph.
    pub(crate) fn tasks(self) -> Tasks {
        let has_paths = |items: &[Item]| items.iter().any(|item| matches!(item, Item::Path(_)));
        let workless = (0..).map(ThreadId).zip(&self.items);
        let workless = workless.filter(|(_, items)| !has_paths(items)).map(|(id, _)| id).collect();
        let tasks = Tasks::of(self.inputs(), Times::default(), workless);
        assert_eq!((tasks.graph.left_out, tasks.missing), (0, 0));
        tasks
    }
}

/// Returns the number of edges for each reason.
pub(crate) fn edges(graph: &Graph) -> BTreeMap<Link, usize> {
    let mut edges = BTreeMap::new();
    for (id, _) in graph.tasks() {
        for (link, from) in graph.edges_to(id) {
            assert!(from < id, "edges lead to later tasks");
            *edges.entry(link).or_default() += 1;
        }
    }
    edges
}

/// Operations that order nothing need no ticket.
#[test]
fn tickets_are_as_operations_want_them() {
    let mut scene = Scene::new(1);
    scene.event(0, Operation::Detach, 0, 7);
    assert_eq!(Operation::Detach.order(), Order::None);
    let Some(Item::Event(event)) = scene.items[0].last() else { panic!("an event") };
    assert_eq!((event.before.get(), event.after.get(), scene.ticket), (0, 0, 1));
}
