//! Data races: conflicting accesses to the same memory by two threads that are not ordered.
//!
//! The method is that of FastTrack (Flanagan and Freund, 2009): each thread has a clock, and for
//! each byte the accesses are kept that are not known to happen before a stronger one. A race is
//! found for a byte if and only if the byte has one; not every pair of accesses is found. Atomic
//! accesses do not race with each other. Those with tickets order threads, as releases and acquires
//! of their address.
//!
//! What OpenMP leaves to any thread is ordered as the program says, not as it was executed
//! (`strands`). Of the iterations of a loop that a thread executes, two of each kind are kept for a
//! byte: what races with another one races with one of them.
//!
//! Races at different addresses have nothing to do with each other. So several searches may divide
//! the memory: each walks through the whole trace and looks at its own [`Shard`].

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use pathformat::trace::{Allocation, Operation, Synchronisation};

use crate::ids::{Moment, StackId, ThreadId};
use crate::memory::owner_walk::{OwnerVisitor, walk_with_owners};
use crate::memory::owners::{Owner, OwnerLookup, Owners};
use crate::memory::race_side::RaceSide;
use crate::memory::shadow::{CELL, PastAccess, Shadow, StrandFacts};
use crate::order::item::{EndedPath, Item, MemoryAccess};
use crate::order::releases::Links;
use crate::order::walk::{OperationEvent, Streams};
use crate::paged;
use crate::steps::call_tree::CallTree;
use crate::strands::program_order::Here;
use crate::strands::two_orders::{Ordered, Tokens, TwoOrders};

/// The number of iterations of a share that are kept for a byte.
const SIBLINGS: u32 = 2;

/// The maximum number of pairs of places that are kept.
const MOST: usize = 1 << 16;

/// What the two sides of a race belong to. It tells what could order them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Between {
    /// Iterations of a shared loop.
    Iterations,
    /// A task, and another one or something else.
    Tasks,
    /// Threads of a team of OpenMP.
    Team,
    /// Threads.
    Threads,
}

/// A part of the memory, in which one of several searches looks for races.
#[derive(Clone, Copy, Debug)]
pub struct Shard {
    index: u64,
    count: u64,
}

impl Default for Shard {
    /// Returns all memory.
    fn default() -> Self {
        Self { index: 0, count: 1 }
    }
}

impl Shard {
    /// Returns the parts of all memory, as many as `count`.
    pub fn split(count: u64) -> impl Iterator<Item = Self> {
        (0..count).map(move |index| Self { index, count })
    }

    /// Returns true if a cell is in the part. Cells that are found together are in one part.
    #[inline]
    fn has(self, cell: u64) -> bool {
        const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
        self.count == 1
            || ((cell / paged::PAGE).wrapping_mul(GOLDEN) >> 32) % self.count == self.index
    }
}

/// The races between two places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Race {
    /// The number of races.
    pub count: u64,
    /// The first byte of the first race.
    pub address: u64,
    /// The threads of the two sides in the first race.
    pub threads: (ThreadId, ThreadId),
    /// The stacks of calls of the two sides in the first race.
    pub stacks: (StackId, StackId),
    /// The owner of that byte.
    pub object: OwnerLookup,
    /// What the two sides of the first race belong to.
    pub between: Between,
    /// The number of cells that were accessed up to the first race.
    pub sequence: u64,
}

/// Races by their two sides, the smaller one first.
pub type Pairs = BTreeMap<(RaceSide, RaceSide), Race>;

/// The races of a trace.
#[derive(Debug)]
pub struct Races<'a> {
    /// The races.
    pub pairs: Pairs,
    /// The accesses that only the turns of locks ordered, and that race if locks are taken in
    /// other turns.
    pub possible: Pairs,
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
    shard: Shard,
    pairs: Pairs,
    possible: Pairs,
    count: u64,
    missing: u64,
    orders: TwoOrders,
    /// Where the thread is that has accessed memory last, unless there was an event since.
    here: Option<Here>,
    /// What orders earlier moments before what it does there.
    ordered: Memo,
    /// The stacks of calls.
    calls: Rc<RefCell<CallTree>>,
    /// The atomic access that has released and not yet acquired, by thread.
    pending: HashMap<ThreadId, Pending>,
    /// The number of cells that were accessed.
    sequence: u64,
    /// The accesses that a later one may race with.
    shadow: Shadow,
    /// The races of the access to a cell, each with its first byte, and what ordered them.
    found: Vec<(PastAccess, u64, Ordered)>,
    /// The blocks of the heap, by address.
    blocks: BTreeMap<u64, Block>,
    /// The accessed cells of each stack, by the `pthread_t` of its threads. The C library gives the
    /// stack of a thread that has ended to a new one.
    stacks: HashMap<u64, Vec<u64>>,
}

/// What orders some earlier moments before what a thread does. Memory that is used again was mostly
/// used at few moments.
#[derive(Debug, Default)]
struct Memo {
    known: [Option<(u64, Moment, Ordered)>; 16],
    /// The number of times that all was forgotten.
    forgotten: u64,
}

impl Memo {
    /// Returns what orders a moment before what the thread does, which `find` finds.
    #[inline]
    fn of(&mut self, then: Moment, find: impl FnOnce() -> Ordered) -> Ordered {
        let at = (then.part as usize).wrapping_add(5 * then.thread.index()) % self.known.len();
        match self.known[at] {
            Some((at, known, ordered)) if at == self.forgotten && known == then => ordered,
            _ => self.known[at].insert((self.forgotten, then, find())).2,
        }
    }

    /// Forgets all.
    fn forget(&mut self) {
        self.forgotten += 1;
    }
}

/// A block of the heap.
#[derive(Clone, Copy, Debug)]
struct Block {
    size: u64,
    /// The thread and the region whose part of it allocated the block, unless a task did.
    of: Option<(ThreadId, u64)>,
}

/// An atomic access between its release and its acquire. It happens in this interval.
#[derive(Clone, Debug)]
struct Pending {
    moment: Moment,
    /// The first access of each other thread that happens after the release.
    known: HashMap<ThreadId, u64>,
}

impl<'a> Races<'a> {
    /// Finds the races between the accesses of these streams to a shard of the memory. `has_turns`
    /// is true if the turns in which locks are taken order them. `calls` has the stacks of calls of
    /// the streams.
    pub fn of<I: Iterator<Item = Item>>(
        streams: Streams<I>,
        owners: Owners<'a>,
        has_turns: bool,
        calls: Rc<RefCell<CallTree>>,
        shard: Shard,
    ) -> Self {
        let orders = TwoOrders::new(has_turns);
        let missing = streams.missing();
        let mut search = Search { shard, missing, orders, calls, ..Search::default() };
        let owners = walk_with_owners(streams, owners, &mut search);
        let Search { pairs, mut possible, count, missing, sequence, .. } = search;
        possible.retain(|pair, _| !pairs.contains_key(pair));
        Self { pairs, possible, count, missing, has_accesses: sequence > 0, owners }
    }

    /// Adds the races of the same streams in another shard of the memory.
    pub fn add(&mut self, other: Self) {
        self.count += other.count;
        let into = [&mut self.pairs, &mut self.possible];
        for (pairs, others) in into.into_iter().zip([other.pairs, other.possible]) {
            for (pair, mut race) in others {
                race.object.owner = self.owners.number(other.owners.owner(race.object.owner));
                let known = pairs.entry(pair).or_insert(Race { count: 0, ..race });
                let count = known.count + race.count;
                let first = if race.sequence < known.sequence { race } else { *known };
                *known = Race { count, ..first };
            }
            // As many as one search keeps. Their counts may lack races that a search which was full
            // did not keep.
            if pairs.len() > MOST {
                let mut all: Vec<_> = std::mem::take(pairs).into_iter().collect();
                all.sort_by_key(|(_, race)| race.sequence);
                all.truncate(MOST);
                pairs.extend(all);
            }
        }
        self.possible.retain(|pair, _| !self.pairs.contains_key(pair));
    }
}

impl Search {
    /// Returns the orders, to change them.
    fn orders(&mut self) -> &mut TwoOrders {
        self.here = None;
        self.ordered.forget();
        &mut self.orders
    }

    /// Returns where a thread is.
    #[inline]
    fn here(&mut self, thread: ThreadId) -> &Here {
        let Self { here, ordered, orders, .. } = self;
        if here.as_ref().is_some_and(|here| here.moment.thread != thread) {
            *here = None;
        }
        here.get_or_insert_with(|| {
            ordered.forget();
            orders.here(thread)
        })
    }

    /// Adds an access at a moment of a thread. `known` has the first access of each other thread
    /// that happens after its release.
    fn access(
        &mut self,
        owners: &mut Owners<'_>,
        moment: Moment,
        access: &MemoryAccess,
        known: Option<&HashMap<ThreadId, u64>>,
    ) {
        let last = access.address.saturating_add(access.size - 1);
        let (writes, is_atomic) = (access.writes(), access.is_atomic);
        let side = RaceSide { place: access.place, writes, is_atomic };
        if !writes && !is_atomic && owners.is_made_by_compiler(access.place) {
            return;
        }
        let stack = access.stack;
        let here = self.here(moment.thread);
        let is_own = here.owns(access.address);
        let strand = StrandFacts {
            is_own,
            is_task: here.is_task,
            is_plain: here.plain_share.is_some(),
            is_reducing: here.is_reducing,
        };
        let repeats = writes && !is_atomic && !is_own && here.is_repeated;
        let (share, is_outside) = (here.plain_share, here.is_outside);
        if here.is_lower(access.address) {
            self.orders().strands().touch(moment.thread, access.address);
        }
        for cell in access.address / CELL..=last / CELL {
            let from = access.address.max(cell * CELL) % CELL;
            let to = last.min(cell * CELL + (CELL - 1)) % CELL;
            let mask = ((1u16 << (to + 1)) - (1u16 << from)) as u8;
            self.sequence += 1;
            if !is_outside {
                self.orders().access(moment.thread, cell, mask, writes);
            }
            for (thread, pending) in &mut self.pending {
                if *thread != moment.thread && self.orders.knows(moment.thread, pending.moment) {
                    pending.known.entry(moment.thread).or_insert(self.sequence);
                }
            }
            if !self.shard.has(cell) {
                continue;
            }
            let access = PastAccess::new(moment, strand, self.sequence, mask, stack, side);
            self.access_cell(owners, cell, &access, known, share);
            if repeats {
                self.repeat(owners, &access, cell * CELL + from);
            }
        }
    }

    fn access_cell(
        &mut self,
        owners: &mut Owners<'_>,
        cell: u64,
        now: &PastAccess,
        behind: Option<&HashMap<ThreadId, u64>>,
        share: Option<u64>,
    ) {
        let (writes, is_atomic, own) = (now.writes(), now.is_atomic(), now.strand());
        let past = self.shadow.of(cell);
        if self.pending.is_empty() && past.repeat(now) {
            return;
        }
        if past.is_empty()
            && let Some(stack) = owners.stack_of(cell * CELL)
        {
            self.stacks.entry(stack).or_default().push(cell);
        }
        let orders = &self.orders;
        let (found, memo) = (&mut self.found, &mut self.ordered);
        let (siblings, has_raced) = (Cell::new(0), Cell::new(false));
        let is_kept = |then: &mut PastAccess| {
            if then.moment() == now.moment() {
                return now.leaves(then);
            }
            let is_private = then.thread == now.thread && then.strand().is_own && own.is_own;
            let ordered = memo.of(then.moment(), || orders.ordered(now.thread, then.moment()));
            let is_before = is_private || ordered == Ordered::Always;
            let both = then.mask & now.mask;
            let conflict = (then.writes() || writes)
                && !(then.is_atomic() && is_atomic)
                && !(then.strand().is_reducing && own.is_reducing);
            if !is_before && both != 0 && conflict {
                let known = behind.and_then(|behind| behind.get(&then.thread));
                let is_behind = known.is_some_and(|known| then.sequence >= *known);
                if !is_behind {
                    let address = cell * CELL + u64::from(both.trailing_zeros());
                    found.push((*then, address, ordered));
                }
                has_raced.set(true);
            }
            let is_sibling = then.thread == now.thread
                && then.strand().is_plain
                && share.is_some_and(|share| then.part >= share);
            if !is_before && is_sibling && then.covers(now) {
                siblings.set(siblings.get() + 1);
            }
            // Later accesses that race with it race with this one, too.
            !is_before || now.leaves(then)
        };
        let is_needed = || (siblings.get() < SIBLINGS).then(|| !has_raced.get());
        // While an atomic access is not complete, what came before it must not be one with what
        // came behind.
        past.update(now, self.pending.is_empty(), is_kept, is_needed);
        for (then, address, ordered) in std::mem::take(&mut self.found) {
            if !self.is_of_thread(&then, now, address) {
                self.count_race(owners, &then, now, address, ordered);
            }
        }
    }

    /// Counts a race of a write with the same one by another thread, which its team does not have
    /// in this run.
    fn repeat(&mut self, owners: &mut Owners<'_>, now: &PastAccess, address: u64) {
        let found = owners.find(now.thread, address);
        let is_known = found.is_sure && *owners.owner(found.owner) != Owner::Unknown;
        if is_known && !self.is_of_thread(now, now, address) {
            self.count_race(owners, now, now, address, Ordered::Not);
        }
    }

    /// Returns true if two accesses of a thread are to a block that only this thread has: its part
    /// of the region allocated it.
    fn is_of_thread(&self, then: &PastAccess, now: &PastAccess, address: u64) -> bool {
        if then.thread != now.thread || then.strand().is_task || now.strand().is_task {
            return false;
        }
        let block = self.blocks.range(..=address).next_back();
        let Some((start, block)) = block else { return false };
        let region = self.orders.region(now.thread);
        address - start < block.size
            && block.of.is_some_and(|(thread, of)| thread == now.thread && Some(of) == region)
    }

    /// Counts a race between two accesses to a byte.
    fn count_race(
        &mut self,
        owners: &mut Owners<'_>,
        then: &PastAccess,
        now: &PastAccess,
        address: u64,
        ordered: Ordered,
    ) {
        let calls = self.calls.borrow();
        let (first, second) = (then.side(&calls), now.side(&calls));
        let between = self.between(then, now);
        let pairs = if ordered == Ordered::Not { &mut self.pairs } else { &mut self.possible };
        let is_in_turn = first <= second;
        let (one, other) = if is_in_turn { (then, now) } else { (now, then) };
        let pair = (first.min(second), first.max(second));
        self.count += u64::from(ordered == Ordered::Not);
        if pairs.len() < MOST || pairs.contains_key(&pair) {
            let (threads, stacks) = ((one.thread, other.thread), (one.stack, other.stack));
            let race = pairs.entry(pair).or_insert_with(|| {
                let found = owners.find(now.thread, address);
                // The earlier access may have a sure result: the owner has not changed since.
                let first = if found.is_sure { found } else { owners.search(then.thread, address) };
                let object = if first.is_sure { first } else { found };
                let sequence = now.sequence;
                Race { count: 0, address, threads, stacks, object, between, sequence }
            });
            race.count += 1;
        }
    }

    /// Returns what the two sides of a race belong to.
    fn between(&self, then: &PastAccess, now: &PastAccess) -> Between {
        let (first, second) = (then.strand(), now.strand());
        match () {
            () if first.is_task || second.is_task => Between::Tasks,
            () if first.is_plain && second.is_plain => Between::Iterations,
            () if [then, now].iter().all(|of| self.orders.region(of.thread).is_some()) => {
                Between::Team
            }
            () => Between::Threads,
        }
    }

    /// Drops the accesses to the stacks of strands that have ended.
    fn forget_left(&mut self) {
        for left in self.orders.take_left() {
            self.forget(left.start, left.end - left.start);
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
    type Token = Tokens;

    fn released(&mut self, thread: ThreadId, event: Option<OperationEvent<'_>>) -> Tokens {
        self.orders().released(thread, event)
    }

    fn acquired(
        &mut self,
        thread: ThreadId,
        of: Operation,
        event: &Synchronisation,
        links: &Links<Tokens>,
    ) {
        self.orders().acquired(thread, of, event, links);
        self.forget_left();
    }

    fn noted(&mut self, thread: ThreadId, of: Operation, event: &Synchronisation) {
        self.orders().noted(thread, of, event);
        self.forget_left();
    }

    fn iterated(&mut self, thread: ThreadId) {
        self.orders().iterated(thread);
        self.forget_left();
    }

    fn path_ended(&mut self, thread: ThreadId, done: &EndedPath) {
        if let Some(call) = done.calls.filter(|_| done.actions.paths > 0) {
            self.orders().called(thread, call);
        }
    }

    fn accessed(&mut self, owners: &mut Owners<'_>, thread: ThreadId, access: &MemoryAccess) {
        let moment = self.here(thread).moment;
        self.access(owners, moment, access, None);
    }

    fn atomic_before(&mut self, thread: ThreadId, access: &MemoryAccess) {
        let moment = self.orders.strands().moment(thread);
        self.orders().atomic_before(thread, access);
        self.pending.insert(thread, Pending { moment, known: HashMap::new() });
    }

    fn atomic_after(&mut self, owners: &mut Owners<'_>, thread: ThreadId, access: &MemoryAccess) {
        self.orders().atomic_after(thread, access);
        let now = self.here(thread).moment;
        let pending = if access.before > 0 { self.pending.remove(&thread) } else { None };
        if access.is_access() {
            let moment = pending.as_ref().map_or(now, |pending| pending.moment);
            let known = pending.as_ref().map(|pending| &pending.known);
            self.access(owners, moment, access, known);
        }
    }

    fn freed(&mut self, _: &mut Owners<'_>, _: ThreadId, allocation: &Allocation) {
        let address = allocation.former.get();
        if let Some(block) = self.blocks.remove(&address).filter(|_| !allocation.resizes()) {
            self.forget(address, block.size);
        }
    }

    fn allocated(&mut self, thread: ThreadId, allocation: &Allocation) {
        let (address, size) = (allocation.address.get(), allocation.size.get());
        let region =
            self.orders.strands().region(thread).filter(|_| !self.orders.strands().is_task(thread));
        let of = region.map(|region| (thread, region));
        self.blocks.insert(address, Block { size, of });
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
