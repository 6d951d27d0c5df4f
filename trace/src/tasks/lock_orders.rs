//! Locks that threads take in turns that may block them for ever.
//!
//! If one thread takes a lock while it has another one, and a second thread takes the two the other
//! way round, then each may wait for the other. That it did not happen in this run was luck. The
//! method is that of lock-order graphs with guards (Havelund, 2000): an edge leads from a lock that
//! a strand has to one that it takes. A cycle is told if its edges are of different threads, if
//! nothing but locks orders them, and if no further lock guards two of them.

use std::collections::BTreeMap;

use pathformat::trace::{Operation, Synchronisation, lock};

use crate::ids::{Moment, ThreadId};
use crate::order::item::{CodePlace, EndedPath, UserPlace};
use crate::order::releases::Links;
use crate::order::walk::{OperationEvent, Streams, Visitor};
use crate::strands::clock::Token;
use crate::strands::program_order::{Strands, Turns};

/// The largest number of locks in a cycle that is told.
const LONGEST: usize = 5;

/// The largest number of edges between two locks that are kept, and of cycles that are told.
const MOST_EDGES: usize = 16;
const MOST_CYCLES: usize = 1000;

/// A lock that a thread takes while it has another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockOrder {
    /// The thread.
    pub thread: ThreadId,
    /// The lock that it has, and where it took it.
    pub has: (u64, CodePlace),
    /// The lock that it takes, and where.
    pub takes: (u64, CodePlace),
}

/// The locks of a trace, and the cycles of their orders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LockOrders {
    /// The cycles: each order begins with the lock that the one before takes.
    pub cycles: Vec<Vec<LockOrder>>,
    /// True if a lock does more than exclude: the turns in which it is taken are an order.
    pub has_turns: bool,
}

/// An edge of the graph.
#[derive(Clone, Debug)]
struct Edge {
    order: LockOrder,
    /// All locks that the thread has, but the two.
    guards: Vec<u64>,
    moment: Moment,
    /// What happens before it, whichever turns locks are taken in.
    before: Token,
}

impl Edge {
    /// Returns true if two edges may be part of one cycle.
    fn may_meet(&self, other: &Self) -> bool {
        self.order.thread != other.order.thread
            && !self.guards.iter().any(|guard| other.guards.contains(guard))
            && !self.before.knows(other.moment)
            && !other.before.knows(self.moment)
    }
}

/// The state of a thread.
#[derive(Clone, Debug, Default)]
struct Thread {
    /// The locks that it has, and where it took them.
    has: Vec<(u64, CodePlace)>,
    at: UserPlace,
}

/// The visitor that finds the orders of locks.
#[derive(Debug)]
pub(crate) struct LockOrderSearch {
    threads: Vec<Thread>,
    strands: Strands,
    edges: BTreeMap<(u64, u64), Vec<Edge>>,
    has_turns: bool,
}

impl LockOrderSearch {
    /// Returns a search in these streams, before the walk.
    pub(crate) fn of<I>(streams: &Streams<I>) -> Self {
        let threads = vec![Thread::default(); streams.num_threads()];
        let (strands, edges) = (Strands::new(Turns::None), BTreeMap::new());
        Self { threads, strands, edges, has_turns: false }
    }

    /// Returns what was found.
    pub(crate) fn finish(self) -> LockOrders {
        LockOrders { cycles: self.cycles(), has_turns: self.has_turns }
    }

    /// Notes that a thread takes a lock. `waits` is true if it waits for it as long as it takes.
    fn take(&mut self, thread: ThreadId, lock: u64, waits: bool) {
        let moment = self.strands.moment(thread);
        let before = self.strands.before(thread);
        let Some(state) = self.threads.get_mut(thread.index()) else { return };
        let place = state.at.place;
        for &has in state.has.iter().filter(|has| waits && has.0 != lock) {
            let order = LockOrder { thread, has, takes: (lock, place) };
            let guards = state.has.iter().map(|of| of.0).filter(|of| *of != has.0).collect();
            let edges = self.edges.entry((has.0, lock)).or_default();
            let is_known = |edge: &Edge| edge.order == order && edge.guards == guards;
            if edges.len() < MOST_EDGES && !edges.iter().any(is_known) {
                edges.push(Edge { order, guards, moment, before: before.clone() });
            }
        }
        state.has.push((lock, place));
    }

    fn give_back(&mut self, thread: ThreadId, lock: u64) {
        let Some(state) = self.threads.get_mut(thread.index()) else { return };
        if let Some(at) = state.has.iter().rposition(|has| has.0 == lock) {
            state.has.remove(at);
        }
    }

    /// Returns the cycles. Each begins with its smallest lock.
    fn cycles(&self) -> Vec<Vec<LockOrder>> {
        let mut found = Vec::new();
        for (first, second) in self.edges.keys().filter(|(first, second)| first < second) {
            self.extend(&mut Vec::new(), *first, (*first, *second), &mut found);
        }
        found
    }

    /// Extends a way that began with a lock by the edges between two locks.
    fn extend<'a>(
        &'a self,
        way: &mut Vec<&'a Edge>,
        first: u64,
        next: (u64, u64),
        found: &mut Vec<Vec<LockOrder>>,
    ) {
        for edge in self.edges.get(&next).into_iter().flatten() {
            if found.len() >= MOST_CYCLES {
                return;
            }
            if !way.iter().all(|before| before.may_meet(edge)) {
                continue;
            }
            way.push(edge);
            if next.1 == first {
                let cycle: Vec<LockOrder> = way.iter().map(|edge| edge.order).collect();
                let is_same = |known: &Vec<LockOrder>| {
                    known.iter().map(|of| of.has.0).eq(cycle.iter().map(|of| of.has.0))
                };
                if !found.iter().any(is_same) {
                    found.push(cycle);
                }
            } else if way.len() < LONGEST {
                let from = (next.1, 0)..=(next.1, u64::MAX);
                let on = self.edges.range(from).map(|(locks, _)| *locks);
                for on in on.filter(|on| on.1 >= first) {
                    self.extend(way, first, on, found);
                }
            }
            way.pop();
        }
    }
}

impl Visitor for LockOrderSearch {
    type Token = Token;

    fn began(&mut self, _: ThreadId, _: u64, _: &Links<Token>) {}

    fn path_ended(&mut self, thread: ThreadId, done: &EndedPath) {
        if let Some(state) = self.threads.get_mut(thread.index()) {
            state.at.note(done);
        }
        if let Some(call) = done.calls {
            self.strands.called(thread, call);
        }
    }

    fn released(&mut self, thread: ThreadId, event: Option<OperationEvent<'_>>) -> Token {
        match event {
            Some((Operation::Unlock, event)) if event.result.get() == 0 => {
                self.give_back(thread, event.object.get());
            }
            Some((Operation::WaitCondition, event)) => self.give_back(thread, event.other.get()),
            _ => {}
        }
        self.strands.released(thread, event)
    }

    fn ended(&mut self, _: ThreadId, _: u64, _: Option<OperationEvent<'_>>) {}

    fn noted(&mut self, thread: ThreadId, of: Operation, event: &Synchronisation) {
        self.strands.noted(thread, of, event);
    }

    fn acquired(
        &mut self,
        thread: ThreadId,
        of: Operation,
        event: &Synchronisation,
        links: &Links<Token>,
    ) {
        self.strands.acquired(thread, of, event, links);
        let succeeded = event.result.get() == 0;
        let (object, other) = (event.object.get(), event.other.get());
        match of {
            Operation::Lock | Operation::LockShared if succeeded => {
                self.has_turns |= other & lock::EXCLUDES == 0;
                self.take(thread, object, other & lock::TRIED == 0);
            }
            // It has waited with the locks that it has, without this one.
            Operation::WaitCondition => self.take(thread, other, true),
            _ => {}
        }
    }
}
