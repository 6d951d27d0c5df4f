//! Accesses to the same memory by two threads, one of which writes, that nothing orders.
//!
//! The method is that of FastTrack (Flanagan and Freund, 2009): each thread has a vector clock, and
//! for each byte the accesses are kept that are not known to be before a stronger one. A byte has a
//! race if and only if one is found for it; not every pair of accesses is. Atomic accesses do not
//! race with each other. Those that have tickets order what threads do, as releases and acquires of
//! their address.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use pathformat::manifest::AccessKind;
use pathformat::trace::{Allocation, Operation, Synchronisation};

use crate::memory::owners::{Found, Owners};
use crate::memory::vector_clock::VectorClock;
use crate::order::item::{Done, Item, Place, Touch};
use crate::order::releases::Links;
use crate::order::walk::{Input, Visitor, walk};

/// How many bytes are looked at together.
const CELL: u64 = 8;

/// The most pairs of places that are kept.
const MOST: usize = 1 << 16;

/// One of two accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Side {
    /// Where.
    pub place: Place,
    /// Whether it writes.
    pub writes: bool,
    /// Whether it is atomic.
    pub is_atomic: bool,
}

/// Two places between which there are races.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Race {
    /// How many times.
    pub count: u64,
    /// The first byte of the first time.
    pub address: u64,
    /// The two threads of the first time.
    pub threads: (u32, u32),
    /// Whose that byte was.
    pub object: Found,
}

/// The races of a trace.
#[derive(Debug)]
pub struct Races<'a> {
    /// By the two places, the smaller first.
    pub pairs: BTreeMap<(Side, Side), Race>,
    /// How many there were.
    pub count: u64,
    /// How often records were missing: order may be missing, too.
    pub missing: u64,
    /// The owners of memory.
    pub known: Owners<'a>,
    /// By thread, the atomic access that has released and not yet acquired.
    pending: HashMap<u32, Pending>,
    /// How many cells were accessed.
    sequence: u64,
    cells: HashMap<u64, Vec<Known>>,
    sizes: HashMap<u64, u64>,
}

/// An atomic access that has released and not yet acquired. It happens meanwhile.
#[derive(Clone, Debug, Default)]
struct Pending {
    /// The part of the thread that it belongs to.
    part: u64,
    /// From which access on other threads know that it has happened.
    known: HashMap<u32, u64>,
}

/// An access that is remembered.
#[derive(Clone, Copy, Debug)]
struct Known {
    thread: u32,
    part: u64,
    /// Which access it is.
    sequence: u64,
    mask: u8,
    side: Side,
}

impl<'a> Races<'a> {
    /// Those of these streams, whose accesses are told.
    pub fn of<I: Iterator<Item = Item>>(inputs: Vec<Input<I>>, owners: Owners<'a>) -> Self {
        let mut races = Self {
            pairs: BTreeMap::new(),
            count: 0,
            missing: 0,
            known: owners,
            pending: HashMap::new(),
            sequence: 0,
            cells: HashMap::new(),
            sizes: HashMap::new(),
        };
        walk(inputs, &mut races);
        races.cells = HashMap::new();
        races
    }

    /// Whether there was any access that could race.
    pub fn has_accesses(&self) -> bool {
        self.sequence > 0
    }

    /// An access of a part of a thread, which others know from some access on.
    fn touch(&mut self, thread: u32, part: u64, touch: &Touch, known: &HashMap<u32, u64>) {
        if touch.size == 0 || touch.kind == AccessKind::Fence {
            return;
        }
        let last = touch.address.saturating_add(touch.size - 1);
        let (writes, is_atomic) = (touch.writes(), touch.is_atomic);
        let side = Side { place: touch.place, writes, is_atomic };
        for cell in touch.address / CELL..=last / CELL {
            let from = touch.address.max(cell * CELL) % CELL;
            let to = last.min(cell * CELL + (CELL - 1)) % CELL;
            let mask = ((1u16 << (to + 1)) - (1u16 << from)) as u8;
            self.sequence += 1;
            let sequence = self.sequence;
            self.touch_cell(cell, Known { thread, part, sequence, mask, side }, known);
        }
    }

    fn touch_cell(&mut self, cell: u64, now: Known, behind: &HashMap<u32, u64>) {
        let clock = self.known.clocks.keep(now.thread);
        for (thread, pending) in &mut self.pending {
            if *thread != now.thread && pending.part <= clock.of(*thread) {
                pending.known.entry(now.thread).or_insert(now.sequence);
            }
        }
        let known = self.cells.entry(cell).or_default();
        let mut found = Vec::new();
        known.retain(|then| {
            let is_before = then.thread == now.thread || then.part <= clock.of(then.thread);
            let both = then.mask & now.mask;
            let conflict = (then.side.writes || now.side.writes)
                && !(then.side.is_atomic && now.side.is_atomic);
            let is_behind = behind.get(&then.thread).is_some_and(|first| then.sequence >= *first);
            if !is_before && !is_behind && both != 0 && conflict {
                found.push((*then, cell * CELL + u64::from(both.trailing_zeros())));
            }
            // Whatever races with it later races with this one, too.
            let is_weaker = then.mask & !now.mask == 0
                && (now.side.writes || !then.side.writes)
                && (then.side.is_atomic || !now.side.is_atomic);
            !(is_before && is_weaker)
        });
        known.push(now);
        found.into_iter().for_each(|(then, address)| self.found(&then, &now, address));
    }

    fn found(&mut self, then: &Known, now: &Known, address: u64) {
        self.count += 1;
        let pair = (then.side.min(now.side), then.side.max(now.side));
        if self.pairs.len() < MOST || self.pairs.contains_key(&pair) {
            let threads = (then.thread, now.thread);
            let known = &mut self.known;
            let race = self.pairs.entry(pair).or_insert_with(|| {
                let found = known.find(now.thread, address);
                // Who came first may know more: whose the memory was has not changed since.
                let first = if found.is_sure { found } else { known.search(then.thread, address) };
                let object = if first.is_sure { first } else { found };
                Race { count: 0, address, threads, object }
            });
            race.count += 1;
        }
    }

    /// What was known of memory is of another owner.
    fn forget(&mut self, address: u64, size: u64) {
        let Some(last) = size.checked_sub(1).and_then(|more| address.checked_add(more)) else {
            return;
        };
        let cells = address / CELL..=last / CELL;
        if last / CELL - address / CELL > self.cells.len() as u64 {
            self.cells.retain(|cell, _| !cells.contains(cell));
        } else {
            cells.for_each(|cell| {
                self.cells.remove(&cell);
            });
        }
    }
}

impl Visitor for Races<'_> {
    type Token = Rc<VectorClock>;

    fn began(&mut self, thread: u32, _: u64, links: &Links<Self::Token>) {
        self.known.began(thread, links);
    }

    fn done(&mut self, thread: u32, done: &Done) {
        let part = self.known.clocks.of(thread).of(thread);
        let nobody = HashMap::new();
        done.touches.iter().for_each(|touch| self.touch(thread, part, touch, &nobody));
        // Parts of a path have no paths; the last one has.
        if done.actions.paths > 0 {
            self.known.end_path(done);
        }
    }

    fn released(&mut self, thread: u32) -> Self::Token {
        self.known.clocks.released(thread)
    }

    fn ended(&mut self, _: u32, _: u64, _: Option<(Operation, &Synchronisation)>) {}

    fn acquired(
        &mut self,
        thread: u32,
        of: Operation,
        event: &Synchronisation,
        _: &Links<Self::Token>,
    ) {
        self.known.acquired(thread, of, event);
    }

    fn atomic_before(&mut self, thread: u32, touch: &Touch) {
        let part = self.known.clocks.atomic_before(thread, touch);
        self.pending.insert(thread, Pending { part, known: HashMap::new() });
    }

    fn atomic_after(&mut self, thread: u32, touch: &Touch) {
        self.known.atomic_after(thread, touch);
        let now = self.known.clocks.of(thread).of(thread);
        let pending = self.pending.remove(&thread).filter(|_| touch.before > 0);
        let pending = pending.unwrap_or(Pending { part: now, known: HashMap::new() });
        self.touch(thread, pending.part, touch, &pending.known);
    }

    fn allocated(&mut self, thread: u32, allocation: &Allocation) {
        self.known.allocate(thread, allocation);
        let (address, size) = (allocation.address.get(), allocation.size.get());
        let former = allocation.former.get();
        if former != 0
            && former != address
            && let Some(size) = self.sizes.remove(&former)
        {
            self.forget(former, size);
        }
        if address != 0 {
            self.sizes.insert(address, size);
            if former != address {
                self.forget(address, size);
            }
        }
    }

    fn missing(&mut self, thread: u32) {
        self.missing += 1;
        self.known.missing(thread);
    }

    fn off(&mut self, _: u32) {
        self.known.off();
    }

    fn turn(&mut self, stream: usize, is_handler: bool) {
        self.known.turn(stream, is_handler);
    }
}
