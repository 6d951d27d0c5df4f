//! Simulates caches: each thread has a first level of its own, and all share the last level.
//!
//! Threads are processed in the order of their tickets. The trace does not record the interleaving
//! of accesses between two tickets. The trace is read in one thread and the caches are simulated in
//! another one.

use std::collections::BTreeMap;

use pathformat::manifest::AccessKind;

use crate::beside::{Batches, Findings, beside};
use crate::fast_map::FastMap;
use crate::ids::ThreadId;
use crate::memory::cache::{Cache, Layout};
use crate::memory::small_access::SmallAccess;
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
}

impl Simulation {
    /// Simulates caches of these layouts with the accesses of these streams.
    pub fn of<I: Iterator<Item = Item>>(streams: Streams<I>, first: Layout, last: Layout) -> Self {
        let find = |found: &mut Findings<Found>| {
            let mut reading = Reading { missing: streams.missing(), thread: None, found };
            walk(streams, &mut reading);
            reading.missing
        };
        let simulate = |batches: Batches<Found>| {
            let mut caches = Caches {
                places: FastMap::default(),
                layout: first,
                first: Vec::new(),
                thread: 0,
                last: Cache::new(last),
            };
            batches.for_each(|found| match found {
                Found::Turn(thread) => caches.turn(thread),
                Found::Small(access) => caches.touch(&access.access()),
                Found::Large(access) => caches.touch(&access),
            });
            caches.places.into_iter().collect()
        };
        let (missing, places) = beside(find, simulate);
        Self { places, missing }
    }
}

/// What one thread finds, for the caches of the other one.
enum Found {
    /// A thread goes on.
    Turn(ThreadId),
    /// It accesses few bytes.
    Small(SmallAccess),
    /// It accesses many.
    Large(Box<MemoryAccess>),
}

/// The reading of a trace, at a moment of the walk.
struct Reading<'f> {
    missing: u64,
    /// The thread that has accessed memory last.
    thread: Option<ThreadId>,
    found: &'f mut Findings<Found>,
}

impl Reading<'_> {
    fn find(&mut self, thread: ThreadId, access: &MemoryAccess) {
        if !access.is_access() {
            return;
        }
        if self.thread.replace(thread) != Some(thread) {
            self.found.push(Found::Turn(thread));
        }
        let small = SmallAccess::of(access).map(Found::Small);
        self.found.push(small.unwrap_or_else(|| Found::Large(Box::new(*access))));
    }
}

/// The caches at a moment of the simulation, and what they have counted.
struct Caches {
    places: FastMap<CodePlace, Use>,
    layout: Layout,
    /// The first level of each thread, and the thread that goes on.
    first: Vec<Option<Cache>>,
    thread: usize,
    last: Cache,
}

impl Caches {
    /// Lets a thread go on.
    fn turn(&mut self, thread: ThreadId) {
        self.thread = thread.index();
        if self.first.len() <= self.thread {
            self.first.resize(self.thread + 1, None);
        }
    }

    fn touch(&mut self, access: &MemoryAccess) {
        let first = self.first[self.thread].get_or_insert_with(|| Cache::new(self.layout));
        let misses = misses_of(first, &mut self.last, access);
        let place = self.places.entry(access.place).or_default();
        let of = if access.reads() { &mut place.reads } else { &mut place.writes };
        of.add(&misses);
    }
}

/// Performs an access with the first level of its thread and the last level. Returns what it adds.
fn misses_of(first: &mut Cache, last: &mut Cache, access: &MemoryAccess) -> Misses {
    let line = first.line();
    let is_bulk = matches!(access.kind, AccessKind::BulkLoad | AccessKind::BulkStore);
    let end = access.address.saturating_add(access.size);
    let mut misses = Misses::default();
    let mut at = access.address;
    while at < end {
        let is_split = is_bulk || access.size > line;
        let to = if is_split { end.min((at | (line - 1)).saturating_add(1)) } else { end };
        misses.accesses += 1;
        if first.misses(at, to - at) {
            misses.first += 1;
            misses.last += u64::from(misses_last(last, at, to - at));
        }
        at = to;
    }
    misses
}

/// Returns true if an access misses in the last level, whose lines may be shorter.
fn misses_last(last: &mut Cache, address: u64, size: u64) -> bool {
    last.misses(address, size.min(last.line()))
}

impl Visitor for Reading<'_> {
    type Token = ();

    fn began(&mut self, _: ThreadId, _: u64, _: &Links<()>) {}

    fn path_ended(&mut self, thread: ThreadId, done: &EndedPath) {
        done.accesses.iter().for_each(|access| self.find(thread, access));
    }

    fn released(&mut self, _: ThreadId, _: Option<OperationEvent<'_>>) {}

    fn ended(&mut self, _: ThreadId, _: u64, _: Option<OperationEvent<'_>>) {}

    fn atomic_after(&mut self, thread: ThreadId, access: &MemoryAccess) {
        self.find(thread, access);
    }

    fn missing(&mut self, _: ThreadId) {
        self.missing += 1;
    }
}
