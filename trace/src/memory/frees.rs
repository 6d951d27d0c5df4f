//! The frees of all threads, collected before the owners of memory are determined.
//!
//! Streams are processed one after the other. The owner of an access may be determined before the
//! walk reaches a free by another thread. If the two are not ordered, the memory may belong to
//! another block by then: the thread may have received it by a pipe, for instance. So all frees of
//! each address are collected first.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use pathformat::trace::Allocation;

use crate::ids::{Moment, ThreadId};
use crate::memory::clocks::Clocks;
use crate::memory::vector_clock::VectorClock;
use crate::order::item::{Item, MemoryAccess};
use crate::order::releases::Links;
use crate::order::walk::{OperationEvent, Streams, Visitor, walk};

/// The frees of one address by one thread: the parts of the thread with a free, and the clock at
/// the first free of each. Both grow.
type OfThread = Vec<(u64, Arc<VectorClock>)>;

/// The frees of a trace.
#[derive(Debug, Default)]
pub struct Frees {
    /// The frees by address and thread.
    known: HashMap<u64, HashMap<ThreadId, OfThread>>,
    /// The places where any address may be freed, by thread: recording was off, or records are
    /// missing.
    anywhere: HashMap<ThreadId, OfThread>,
    /// The addresses that signal handlers free, at an unknown place in the thread.
    by_handlers: HashSet<u64>,
}

impl Frees {
    /// True if these streams need a search. A single stream knows what it freed.
    pub(crate) fn are_needed<I>(streams: &Streams<I>) -> bool {
        streams.inputs.len() > 1
    }

    /// Collects the frees of these streams, as far as they need it.
    pub fn of<I: Iterator<Item = Item>>(streams: Streams<I>) -> Self {
        if !Self::are_needed(&streams) {
            return Self::default();
        }
        let mut search = FreeSearch::default();
        walk(streams, &mut search);
        search.frees
    }

    /// Returns true if no free of `address` can fall between an allocation there and an access to
    /// the block. `allocation` is the clock at the allocation.
    pub(super) fn spare(&self, address: u64, allocation: &VectorClock, access: Moment) -> bool {
        if self.by_handlers.contains(&address) {
            return false;
        }
        // A thread's own frees are ordered with its accesses, except for those that are missing.
        let known = self.known.get(&address).into_iter().flatten();
        let others = known.filter(|(thread, _)| **thread != access.thread);
        others.chain(&self.anywhere).all(|(thread, frees)| {
            // The first free that is not before the allocation has the smallest clock.
            let before = allocation.of(*thread);
            let first = frees.partition_point(|(part, _)| *part <= before);
            frees.get(first).is_none_or(|(_, clock)| access.is_known(clock))
        })
    }
}

/// Adds a free at the current moment of a thread.
fn add(of: &mut OfThread, clocks: &mut Clocks, thread: ThreadId) {
    let part = clocks.of(thread).of(thread);
    if of.last().is_none_or(|(last, _)| *last < part) {
        of.push((part, clocks.keep(thread)));
    }
}

/// The visitor that collects frees.
#[derive(Debug, Default)]
pub(crate) struct FreeSearch {
    clocks: Clocks,
    /// The frees that were found.
    pub(crate) frees: Frees,
    is_handler: bool,
}

impl Visitor for FreeSearch {
    type Token = Arc<VectorClock>;

    fn began(&mut self, thread: ThreadId, _: u64, links: &Links<Self::Token>) {
        self.clocks.began(thread, links);
    }

    fn released(&mut self, thread: ThreadId, _: Option<OperationEvent<'_>>) -> Self::Token {
        self.clocks.released(thread)
    }

    fn ended(&mut self, _: ThreadId, _: u64, _: Option<OperationEvent<'_>>) {}

    fn atomic_before(&mut self, thread: ThreadId, access: &MemoryAccess) {
        self.clocks.atomic_before(thread, access);
    }

    fn atomic_after(&mut self, thread: ThreadId, access: &MemoryAccess) {
        self.clocks.atomic_after(thread, access);
    }

    fn freed(&mut self, thread: ThreadId, allocation: &Allocation) {
        let address = allocation.former.get();
        if self.is_handler {
            self.frees.by_handlers.insert(address);
            return;
        }
        let of = self.frees.known.entry(address).or_default().entry(thread).or_default();
        add(of, &mut self.clocks, thread);
    }

    fn missing(&mut self, thread: ThreadId) {
        add(self.frees.anywhere.entry(thread).or_default(), &mut self.clocks, thread);
    }

    fn off(&mut self, thread: ThreadId) {
        self.missing(thread);
    }

    fn turn(&mut self, _: usize, is_handler: bool) {
        self.is_handler = is_handler;
    }
}
