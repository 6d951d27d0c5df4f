//! Simulates caches: each thread has a first level of its own, and all share the last level.
//!
//! Threads are processed in the order of their tickets. The trace does not record the interleaving
//! of accesses between two tickets.

use std::collections::BTreeMap;

use pathformat::manifest::AccessKind;

use crate::ids::ThreadId;
use crate::memory::cache::{Cache, Layout};
use crate::order::item::{CodePlace, EndedPath, Item, MemoryAccess};
use crate::order::releases::Links;
use crate::order::walk::{OperationEvent, Streams, Visitor, walk};

/// The numbers of accesses and misses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Misses {
    /// The number of accesses.
    pub accesses: u64,
    /// The number of accesses that missed in the first level.
    pub first: u64,
    /// The number of accesses that missed in the last level, too.
    pub last: u64,
}

impl Misses {
    /// Adds other counts.
    pub fn add(&mut self, other: &Self) {
        self.accesses += other.accesses;
        self.first += other.first;
        self.last += other.last;
    }
}

/// Reads and writes. An atomic update is a read, as in cachegrind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Use {
    /// The reads.
    pub reads: Misses,
    /// The writes.
    pub writes: Misses,
}

impl Use {
    /// Adds other counts.
    pub fn add(&mut self, other: &Self) {
        self.reads.add(&other.reads);
        self.writes.add(&other.writes);
    }

    /// Returns the number of misses in the first level.
    pub fn first(&self) -> u64 {
        self.reads.first + self.writes.first
    }
}

/// The results of a simulation.
#[derive(Clone, Debug)]
pub struct Simulation {
    /// The reads and writes by place.
    pub places: BTreeMap<CodePlace, Use>,
    /// The number of gaps in the records.
    pub missing: u64,
    layout: Layout,
    first: BTreeMap<ThreadId, Cache>,
    last: Cache,
}

impl Simulation {
    /// Simulates caches of these layouts with the accesses of these streams.
    pub fn of<I: Iterator<Item = Item>>(streams: Streams<I>, first: Layout, last: Layout) -> Self {
        let mut simulation = Self {
            places: BTreeMap::new(),
            missing: streams.missing(),
            layout: first,
            first: BTreeMap::new(),
            last: Cache::new(last),
        };
        walk(streams, &mut simulation);
        simulation
    }

    fn touch(&mut self, thread: ThreadId, access: &MemoryAccess) {
        if !access.is_access() {
            return;
        }
        let line = self.layout.line;
        let is_bulk = matches!(access.kind, AccessKind::BulkLoad | AccessKind::BulkStore);
        let first = self.first.entry(thread).or_insert_with(|| Cache::new(self.layout));
        let end = access.address.saturating_add(access.size);
        let mut misses = Misses::default();
        let mut at = access.address;
        while at < end {
            let next = (at / line).saturating_add(1).saturating_mul(line);
            let to = if is_bulk || access.size > line { end.min(next) } else { end };
            misses.accesses += 1;
            if first.misses(at, to - at) {
                misses.first += 1;
                misses.last += u64::from(misses_last(&mut self.last, at, to - at));
            }
            at = to;
        }
        let place = self.places.entry(access.place).or_default();
        let of = if access.reads() { &mut place.reads } else { &mut place.writes };
        of.add(&misses);
    }
}

/// Returns true if an access misses in the last level, whose lines may be shorter.
fn misses_last(last: &mut Cache, address: u64, size: u64) -> bool {
    last.misses(address, size.min(last.line()))
}

impl Visitor for Simulation {
    type Token = ();

    fn began(&mut self, _: ThreadId, _: u64, _: &Links<()>) {}

    fn path_ended(&mut self, thread: ThreadId, done: &EndedPath) {
        done.accesses.iter().for_each(|access| self.touch(thread, access));
    }

    fn released(&mut self, _: ThreadId, _: Option<OperationEvent<'_>>) {}

    fn ended(&mut self, _: ThreadId, _: u64, _: Option<OperationEvent<'_>>) {}

    fn atomic_after(&mut self, thread: ThreadId, access: &MemoryAccess) {
        self.touch(thread, access);
    }

    fn missing(&mut self, _: ThreadId) {
        self.missing += 1;
    }
}
