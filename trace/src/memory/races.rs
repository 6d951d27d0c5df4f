//! Data races: conflicting accesses to the same memory by two threads that are not ordered.
//!
//! The method is that of FastTrack (Flanagan and Freund, 2009): each thread has a vector clock, and
//! for each byte the accesses are kept that are not known to happen before a stronger one. A race
//! is found for a byte if and only if the byte has one; not every pair of accesses is found. Atomic
//! accesses do not race with each other. Those with tickets order threads, as releases and acquires
//! of their address.

use std::collections::{BTreeMap, HashMap};

use pathformat::trace::Allocation;

use crate::ids::ThreadId;
use crate::memory::owner_walk::{OwnerVisitor, walk_with_owners};
use crate::memory::owners::{OwnerLookup, Owners};
use crate::memory::race_side::RaceSide;
use crate::memory::shadow::{CELL, PastAccess, Shadow};
use crate::order::item::{Item, MemoryAccess};
use crate::order::walk::Streams;

/// The maximum number of pairs of places that are kept.
const MOST: usize = 1 << 16;

/// The races between two places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Race {
    /// The number of races.
    pub count: u64,
    /// The first byte of the first race.
    pub address: u64,
    /// The two threads of the first race.
    pub threads: (ThreadId, ThreadId),
    /// The owner of that byte.
    pub object: OwnerLookup,
}

/// The races of a trace.
#[derive(Debug)]
pub struct Races<'a> {
    /// The races by their two sides, the smaller one first.
    pub pairs: BTreeMap<(RaceSide, RaceSide), Race>,
    /// The number of all races.
    pub count: u64,
    /// The number of gaps in the records. Order may be missing there, too.
    pub missing: u64,
    /// True if there was any access that could race.
    pub has_accesses: bool,
    /// The owners of memory.
    pub owners: Owners<'a>,
}

/// The search for races, at a moment of the walk.
#[derive(Debug, Default)]
struct Search {
    pairs: BTreeMap<(RaceSide, RaceSide), Race>,
    count: u64,
    missing: u64,
    /// The atomic access that has released and not yet acquired, by thread.
    pending: HashMap<ThreadId, Pending>,
    /// The number of cells that were accessed.
    sequence: u64,
    /// The accesses that a later one may race with.
    shadow: Shadow,
    /// The races of the access to a cell, each with its first byte.
    found: Vec<(PastAccess, u64)>,
    /// The sizes of heap blocks, by address.
    sizes: HashMap<u64, u64>,
    /// The accessed cells of each stack, by the `pthread_t` of its threads. The C library gives the
    /// stack of a thread that has ended to a new one.
    stacks: HashMap<u64, Vec<u64>>,
}

/// An atomic access between its release and its acquire. It happens in this interval.
#[derive(Clone, Debug, Default)]
struct Pending {
    /// The part of the thread that it belongs to.
    part: u64,
    /// The first access of each other thread that happens after the release.
    known: HashMap<ThreadId, u64>,
}

impl<'a> Races<'a> {
    /// Finds the races between the accesses of these streams.
    pub fn of<I: Iterator<Item = Item>>(streams: Streams<I>, owners: Owners<'a>) -> Self {
        let mut search = Search { missing: streams.missing(), ..Search::default() };
        let owners = walk_with_owners(streams, owners, &mut search);
        let Search { pairs, count, missing, sequence, .. } = search;
        Self { pairs, count, missing, has_accesses: sequence > 0, owners }
    }
}

impl Search {
    /// Adds an access of a part of a thread. `known` has the first access of each other thread that
    /// happens after its release.
    fn access(
        &mut self,
        owners: &mut Owners<'_>,
        thread: ThreadId,
        part: u64,
        access: &MemoryAccess,
        known: Option<&HashMap<ThreadId, u64>>,
    ) {
        let last = access.address.saturating_add(access.size - 1);
        let (writes, is_atomic) = (access.writes(), access.is_atomic);
        let side = RaceSide { place: access.place, writes, is_atomic };
        for cell in access.address / CELL..=last / CELL {
            let from = access.address.max(cell * CELL) % CELL;
            let to = last.min(cell * CELL + (CELL - 1)) % CELL;
            let mask = ((1u16 << (to + 1)) - (1u16 << from)) as u8;
            self.sequence += 1;
            let sequence = self.sequence;
            let access = PastAccess::new((thread, part), sequence, mask, side);
            self.access_cell(owners, cell, access, known);
        }
    }

    fn access_cell(
        &mut self,
        owners: &mut Owners<'_>,
        cell: u64,
        now: PastAccess,
        behind: Option<&HashMap<ThreadId, u64>>,
    ) {
        if self.shadow.is_free(cell)
            && let Some(stack) = owners.stack_of(cell * CELL)
        {
            self.stacks.entry(stack).or_default().push(cell);
        }
        let clock = owners.clocks.of(now.thread);
        for (thread, pending) in &mut self.pending {
            if *thread != now.thread && pending.part <= clock.of(*thread) {
                pending.known.entry(now.thread).or_insert(now.sequence);
            }
        }
        let found = &mut self.found;
        self.shadow.update(cell, now, |then| {
            let is_before = then.thread == now.thread || then.part <= clock.of(then.thread);
            let both = then.mask & now.mask;
            let (first, second) = (then.side(), now.side());
            let conflict =
                (first.writes || second.writes) && !(first.is_atomic && second.is_atomic);
            if !is_before && both != 0 && conflict {
                let known = behind.and_then(|behind| behind.get(&then.thread));
                let is_behind = known.is_some_and(|known| then.sequence >= *known);
                if !is_behind {
                    found.push((*then, cell * CELL + u64::from(both.trailing_zeros())));
                }
            }
            // Later accesses that race with it race with this one, too.
            let is_weaker = then.mask & !now.mask == 0
                && (second.writes || !first.writes)
                && (first.is_atomic || !second.is_atomic);
            !(is_before && is_weaker)
        });
        for (then, address) in std::mem::take(&mut self.found) {
            self.count_race(owners, &then, &now, address);
        }
    }

    /// Counts a race between two accesses to a byte.
    fn count_race(
        &mut self,
        owners: &mut Owners<'_>,
        then: &PastAccess,
        now: &PastAccess,
        address: u64,
    ) {
        self.count += 1;
        let (first, second) = (then.side(), now.side());
        let pair = (first.min(second), first.max(second));
        if self.pairs.len() < MOST || self.pairs.contains_key(&pair) {
            let threads = (then.thread, now.thread);
            let race = self.pairs.entry(pair).or_insert_with(|| {
                let found = owners.find(now.thread, address);
                // The earlier access may have a sure result: the owner has not changed since.
                let first = if found.is_sure { found } else { owners.search(then.thread, address) };
                let object = if first.is_sure { first } else { found };
                Race { count: 0, address, threads, object }
            });
            race.count += 1;
        }
    }

    /// Drops the accesses to memory that has a new owner.
    fn forget(&mut self, address: u64, size: u64) {
        let Some(last) = size.checked_sub(1).and_then(|more| address.checked_add(more)) else {
            return;
        };
        self.shadow.forget(address / CELL..=last / CELL);
    }
}

impl OwnerVisitor for Search {
    fn accessed(&mut self, owners: &mut Owners<'_>, thread: ThreadId, access: &MemoryAccess) {
        let part = owners.clocks.of(thread).of(thread);
        self.access(owners, thread, part, access, None);
    }

    fn atomic_before(&mut self, thread: ThreadId, part: u64) {
        self.pending.insert(thread, Pending { part, known: HashMap::new() });
    }

    fn atomic_after(&mut self, owners: &mut Owners<'_>, thread: ThreadId, access: &MemoryAccess) {
        let now = owners.clocks.of(thread).of(thread);
        let pending = self.pending.remove(&thread).filter(|_| access.before > 0);
        if access.is_access() {
            let part = pending.as_ref().map_or(now, |pending| pending.part);
            let known = pending.as_ref().map(|pending| &pending.known);
            self.access(owners, thread, part, access, known);
        }
    }

    fn freed(&mut self, _: &mut Owners<'_>, _: ThreadId, allocation: &Allocation) {
        let address = allocation.former.get();
        if let Some(size) = self.sizes.remove(&address).filter(|_| !allocation.resizes()) {
            self.forget(address, size);
        }
    }

    fn allocated(&mut self, allocation: &Allocation) {
        let (address, size) = (allocation.address.get(), allocation.size.get());
        self.sizes.insert(address, size);
        if !allocation.resizes() {
            self.forget(address, size);
        }
    }

    fn thread_began(&mut self, descriptor: u64) {
        for cell in self.stacks.remove(&descriptor).into_iter().flatten() {
            self.shadow.forget(cell..=cell);
        }
    }

    fn missing(&mut self) {
        self.missing += 1;
    }
}
