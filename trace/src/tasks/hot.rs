//! Which functions and paths the tasks on a way executed.
//!
//! The streams are gone through once more. What a task executed is divided by instructions; the
//! time of a task is shared in their proportion.

use std::collections::HashMap;

use pathformat::trace::{Operation, Synchronisation};

use crate::order::item::{Done, Item};
use crate::order::releases::Links;
use crate::order::walk::{Input, Visitor, walk};
use crate::tasks::graph::{Graph, TaskId};

/// What a path did in the tasks on a way.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Heat {
    /// How often it ran.
    pub count: u64,
    /// How many instructions it executed.
    pub instructions: u64,
    /// Its part of the nanoseconds.
    pub time: f64,
}

/// By function and path.
pub type Heats = HashMap<(u32, u64), Heat>;

/// Notes what paths do in tasks that are on a way.
struct Observer<'a> {
    graph: &'a Graph,
    is_on_way: Vec<bool>,
    next: TaskId,
    /// The current task of each thread.
    current: Vec<TaskId>,
    heats: Heats,
}

/// What the tasks on a way executed. The streams are those of which the graph was made.
pub fn of<I: Iterator<Item = Item>>(inputs: Vec<Input<I>>, graph: &Graph, way: &[TaskId]) -> Heats {
    let mut is_on_way = vec![false; graph.len()];
    way.iter().for_each(|&task| is_on_way[task as usize] = true);
    let threads = inputs.iter().map(|input| input.thread as usize + 1).max().unwrap_or_default();
    let current = vec![TaskId::MAX; threads];
    let mut observer = Observer { graph, is_on_way, next: 0, current, heats: Heats::new() };
    walk(inputs, &mut observer);
    observer.heats
}

impl Visitor for Observer<'_> {
    type Token = ();

    fn began(&mut self, thread: u32, _: u64, _: &Links<()>) {
        self.current[thread as usize] = self.next;
        self.next = self.next.saturating_add(1);
    }

    fn done(&mut self, thread: u32, done: &Done) {
        let id = self.current[thread as usize];
        if !self.is_on_way.get(id as usize).copied().unwrap_or_default() {
            return;
        }
        let task = self.graph.task(id);
        let heat = self.heats.entry((done.function, done.path)).or_default();
        heat.count += done.actions.paths;
        heat.instructions += done.actions.instructions;
        let whole = task.actions.instructions.max(1) as f64;
        heat.time += task.duration() as f64 * done.actions.instructions as f64 / whole;
    }

    fn released(&mut self, _: u32) {}

    fn ended(&mut self, _: u32, _: u64, _: Option<(Operation, &Synchronisation)>) {}
}
