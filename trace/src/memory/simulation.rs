//! Which accesses of a trace miss in caches: each thread has a first level of its own, and all
//! share the last one.
//!
//! Threads are gone through in the order of their tickets. How accesses between two tickets
//! interleave, a trace does not tell.

use std::collections::BTreeMap;

use pathformat::manifest::AccessKind;
use pathformat::trace::{Operation, Synchronisation};

use crate::memory::cache::{Cache, Layout};
use crate::order::item::{CodePlace, EndedPath, Item, MemoryAccess};
use crate::order::releases::Links;
use crate::order::thread_id::ThreadId;
use crate::order::walk::{Streams, Visitor, walk};

/// How often somewhere memory was accessed, and which of it was missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Misses {
    /// Accesses.
    pub accesses: u64,
    /// Those that missed in the first level.
    pub first: u64,
    /// Those that missed in the last level, too.
    pub last: u64,
}

impl Misses {
    /// Adds others.
    pub fn add(&mut self, other: &Self) {
        self.accesses += other.accesses;
        self.first += other.first;
        self.last += other.last;
    }
}

/// Reads and writes. An atomic update is a read, as in cachegrind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Use {
    /// What was read.
    pub reads: Misses,
    /// What was written.
    pub writes: Misses,
}

impl Use {
    /// Adds others.
    pub fn add(&mut self, other: &Self) {
        self.reads.add(&other.reads);
        self.writes.add(&other.writes);
    }

    /// Misses in the first level.
    pub fn first(&self) -> u64 {
        self.reads.first + self.writes.first
    }
}

/// What caches did.
#[derive(Clone, Debug)]
pub struct Simulation {
    /// By place.
    pub places: BTreeMap<CodePlace, Use>,
    /// How often records were missing.
    pub missing: u64,
    layout: Layout,
    first: BTreeMap<ThreadId, Cache>,
    last: Cache,
}

impl Simulation {
    /// What caches of these layouts do with the accesses of these streams.
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

/// Whether an access misses in the last level, whose lines may be shorter.
fn misses_last(last: &mut Cache, address: u64, size: u64) -> bool {
    last.misses(address, size.min(last.line()))
}

impl Visitor for Simulation {
    type Token = ();

    fn began(&mut self, _: ThreadId, _: u64, _: &Links<()>) {}

    fn path_ended(&mut self, thread: ThreadId, done: &EndedPath) {
        done.accesses.iter().for_each(|access| self.touch(thread, access));
    }

    fn released(&mut self, _: ThreadId) {}

    fn ended(&mut self, _: ThreadId, _: u64, _: Option<(Operation, &Synchronisation)>) {}

    fn atomic_after(&mut self, thread: ThreadId, access: &MemoryAccess) {
        self.touch(thread, access);
    }

    fn missing(&mut self, _: ThreadId) {
        self.missing += 1;
    }
}
