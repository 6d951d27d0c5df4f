//! Measures the use of memory in a trace: the amount, the owners, the reuse distances and the
//! sharing.
//!
//! The memory of the analysis is proportional to the number of lines that were accessed, and of the
//! owners and functions of each, not of accesses. Distances are between the accesses of one thread.
//! One thread reads the trace, determines owners and counts accesses. Another one measures lines.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use pathformat::trace::Allocation;

use crate::beside::{Batches, Findings, beside};
use crate::fast_map::FastMap;
use crate::ids::{FunctionId, ThreadId};
use crate::memory::distances::{Distances, Histogram};
use crate::memory::owner_walk::{OwnerVisitor, walk_with_owners};
use crate::memory::owners::{OwnerId, Owners};
use crate::memory::sharing::Sharing;
use crate::memory::small_access::SmallAccess;
use crate::memory::vector_clock::VectorClock;
use crate::order::item::{Item, MemoryAccess};
use crate::order::walk::{OperationEvent, Streams};
use crate::paged::Paged;

/// The number of bytes in a page.
const PAGE: u64 = 4096;

/// The number of pairs of an owner and a function that are found without a search.
const RECENT: usize = 8;

/// The accesses that are measured.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// The number of bytes in a line: a power of two from 8 to 128.
    pub line: u64,
    /// The thread whose accesses are measured; all if `None`.
    pub thread: Option<ThreadId>,
    /// The functions whose accesses are measured; all if `None`.
    pub functions: Option<HashSet<FunctionId>>,
}

impl Selection {
    /// Returns true if all accesses are measured.
    pub fn is_all(&self) -> bool {
        self.thread.is_none() && self.functions.is_none()
    }
}

/// The accesses to some memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryTotals {
    /// The number of accesses that read.
    pub reads: u64,
    /// The number of accesses that write; an update does both.
    pub writes: u64,
    /// The number of bytes that were read.
    pub bytes_read: u64,
    /// The number of bytes that were written.
    pub bytes_written: u64,
    /// The number of distinct bytes that were accessed.
    pub bytes: u64,
    /// The number of distinct lines.
    pub lines: u64,
    /// The number of distinct pages.
    pub pages: u64,
    /// The reuse distances of the accesses to lines.
    pub distances: Histogram,
}

/// A function and an owner whose memory it accesses, by the index in [`Reading::pairs`].
type PairIndex = u32;

/// The accessed bytes of a line, by pair.
#[derive(Debug, Default)]
struct LineUse {
    /// The pair of the last access and its bytes. Most lines have no other one.
    first: (PairIndex, u128),
    others: Vec<(PairIndex, u128)>,
}

impl LineUse {
    #[inline]
    fn add(&mut self, pair: PairIndex, mask: u128) {
        if self.first.0 == pair || self.first.1 == 0 {
            self.first = (pair, self.first.1 | mask);
        } else {
            add_bytes(&mut self.others, pair, mask);
            // The next access is often of the same pair.
            if let Some(at) = self.others.iter().position(|other| other.0 == pair) {
                std::mem::swap(&mut self.first, &mut self.others[at]);
            }
        }
    }

    /// Returns the pairs and their bytes.
    fn pairs(&self) -> impl Iterator<Item = (PairIndex, u128)> {
        let first = Some(self.first).filter(|first| first.1 != 0);
        first.into_iter().chain(self.others.iter().copied())
    }
}

/// Adds bytes that were accessed by a pair, as memory of an owner, or by a function.
fn add_bytes<K: Copy + PartialEq>(known: &mut Vec<(K, u128)>, of: K, mask: u128) {
    match known.iter_mut().find(|known| known.0 == of) {
        Some(known) => known.1 |= mask,
        None => known.push((of, mask)),
    }
}

/// The use of memory in a trace.
#[derive(Debug)]
pub struct Uses<'a> {
    /// The totals of all accesses.
    pub all: MemoryTotals,
    /// The totals by owner.
    pub by_owner: BTreeMap<OwnerId, MemoryTotals>,
    /// The totals by function.
    pub by_function: BTreeMap<FunctionId, MemoryTotals>,
    /// The data that threads share.
    pub sharing: Sharing,
    /// The owners of memory.
    pub owners: Owners<'a>,
    /// The number of gaps in the records.
    pub missing: u64,
    /// The accesses that were measured.
    pub selection: Selection,
}

/// The sums over lines, of what was found so far.
#[derive(Debug, Default)]
struct Measuring {
    sharing: Sharing,
    /// The number of bytes in a line.
    line: u64,
    has_threads: bool,
    /// The clocks of the threads.
    clocks: Vec<Arc<VectorClock>>,
    /// The distances of the accesses of each thread.
    distances: Vec<Distances>,
    /// The owner of each pair, and the distances of its accesses.
    pairs: Vec<(OwnerId, Histogram)>,
    /// The thread that goes on.
    thread: ThreadId,
    /// The bytes that were accessed, by line.
    lines: Paged<LineUse>,
}

impl<'a> Uses<'a> {
    /// Measures the use of memory by these streams.
    pub fn of<I: Iterator<Item = Item>>(
        streams: Streams<I>,
        owners: Owners<'a>,
        selection: Selection,
    ) -> Self {
        let has_threads = streams.num_threads() > 1;
        let Selection { line, .. } = selection;
        let find = |found: &mut Findings<Found>| {
            let mut reading = Reading {
                missing: streams.missing(),
                selection,
                has_threads,
                index: FastMap::default(),
                recent: [None; RECENT],
                pairs: Vec::new(),
                thread: None,
                clocks: Vec::new(),
                found,
            };
            let owners = walk_with_owners(streams, owners, &mut reading);
            let Reading { missing, selection, pairs, .. } = reading;
            (Self::none(owners, missing, selection), pairs)
        };
        let measure = |batches: Batches<Found>| {
            let mut measuring = Measuring { line, has_threads, ..Measuring::default() };
            batches.for_each(|found| measuring.note(found));
            measuring
        };
        let ((uses, pairs), measuring) = beside(find, measure);
        measuring.finish(uses, pairs)
    }

    /// Returns what is known before lines are measured.
    fn none(owners: Owners<'a>, missing: u64, selection: Selection) -> Self {
        let all = MemoryTotals::default();
        let (by_owner, by_function) = (BTreeMap::new(), BTreeMap::new());
        let sharing = Sharing::default();
        Self { all, by_owner, by_function, sharing, owners, missing, selection }
    }
}

/// What one thread finds and the other one measures.
enum Found {
    /// A thread goes on.
    Turn(ThreadId),
    /// A thread has this clock from now on.
    Clock(ThreadId, Arc<VectorClock>),
    /// The next pair is of this owner.
    Pair(OwnerId),
    /// The thread accesses few bytes, as a pair.
    Small(PairIndex, SmallAccess),
    /// It accesses many.
    Large(PairIndex, Box<MemoryAccess>),
    /// This many bytes at an address are a new block of the heap.
    Allocated(u64, u64),
}

/// The reading of a trace, at a moment of the walk.
struct Reading<'f> {
    missing: u64,
    selection: Selection,
    has_threads: bool,
    /// The index of each pair of an owner and a function that accesses its memory.
    index: FastMap<(OwnerId, FunctionId), PairIndex>,
    /// Recent pairs and their indices, by the owner modulo [`RECENT`].
    recent: [Option<((OwnerId, FunctionId), PairIndex)>; RECENT],
    /// What the function of each pair accesses, without bytes, lines, pages and distances.
    pairs: Vec<(OwnerId, FunctionId, MemoryTotals)>,
    /// The thread that has accessed memory last.
    thread: Option<ThreadId>,
    /// The clock that each thread had at its last access.
    clocks: Vec<Option<Arc<VectorClock>>>,
    found: &'f mut Findings<Found>,
}

impl Reading<'_> {
    /// Hands on the clock of a thread, if it has changed since the last access of the thread.
    fn find_clock(&mut self, thread: ThreadId, clock: &Arc<VectorClock>) {
        let at = thread.index();
        if self.clocks.len() <= at {
            self.clocks.resize(at + 1, None);
        }
        if !self.clocks[at].as_ref().is_some_and(|known| Arc::ptr_eq(known, clock)) {
            self.clocks[at] = Some(clock.clone());
            self.found.push(Found::Clock(thread, clock.clone()));
        }
    }

    /// Returns the index of a pair.
    #[inline]
    fn pair(&mut self, owner: OwnerId, function: FunctionId) -> PairIndex {
        let recent = owner.0 as usize % RECENT;
        match self.recent[recent] {
            Some((pair, at)) if pair == (owner, function) => at,
            _ => {
                let at = self.search(owner, function);
                self.recent[recent] = Some(((owner, function), at));
                at
            }
        }
    }

    #[cold]
    fn search(&mut self, owner: OwnerId, function: FunctionId) -> PairIndex {
        let next = self.pairs.len() as PairIndex;
        let at = *self.index.entry((owner, function)).or_insert(next);
        if at == next {
            self.pairs.push((owner, function, MemoryTotals::default()));
            self.found.push(Found::Pair(owner));
        }
        at
    }
}

impl Measuring {
    fn note(&mut self, found: Found) {
        match found {
            Found::Small(pair, access) => self.measure(&access.access(), pair),
            Found::Large(pair, access) => self.measure(&access, pair),
            Found::Pair(owner) => self.pairs.push((owner, Histogram::default())),
            Found::Turn(thread) => {
                self.thread = thread;
                if self.distances.len() <= thread.index() {
                    self.distances.resize_with(thread.index() + 1, Distances::default);
                }
            }
            Found::Clock(thread, clock) => {
                let at = thread.index();
                if self.clocks.len() <= at {
                    self.clocks.resize_with(at + 1, Arc::default);
                }
                self.clocks[at] = clock;
            }
            Found::Allocated(address, bytes) => self.forget(address, bytes),
        }
    }

    fn measure(&mut self, access: &MemoryAccess, pair: PairIndex) {
        let (owner, ref mut of_pair) = self.pairs[pair as usize];
        let size = self.line;
        let last = access.address.saturating_add(access.size - 1);
        let (thread, at) = (self.thread, self.thread.index());
        let distances = &mut self.distances[at];
        // The size of a line is a power of two: a shift divides.
        let power = size.trailing_zeros();
        for line in access.address >> power..=last >> power {
            let mask = mask(line, size, access.address, last);
            of_pair.add(distances.touch(line));
            self.lines.of(line).add(pair, mask);
            if self.has_threads {
                let clock = &self.clocks[at];
                self.sharing.touch(thread, clock, access, line, mask, owner);
            }
        }
    }

    /// Forgets what threads did with bytes that are a new block.
    fn forget(&mut self, address: u64, bytes: u64) {
        let size = self.line;
        let last = address.saturating_add(bytes - 1);
        let of = |line: u64| (line, mask(line, size, address, last));
        let (first, end) = (address / size, last / size);
        self.sharing.forget(of(first), first + 1..end, of(end));
    }

    /// Sums the pairs up, and counts bytes, lines and pages.
    fn finish<'a>(
        self,
        none: Uses<'a>,
        mut pairs: Vec<(OwnerId, FunctionId, MemoryTotals)>,
    ) -> Uses<'a> {
        let Self { lines, sharing, pairs: of_pairs, .. } = self;
        let mut uses = Uses { sharing, ..none };
        for ((_, _, totals), (_, distances)) in pairs.iter_mut().zip(of_pairs) {
            totals.distances = distances;
        }
        for (owner, function, totals) in &pairs {
            uses.all.add(totals);
            uses.by_owner.entry(*owner).or_default().add(totals);
            uses.by_function.entry(*function).or_default().add(totals);
        }
        let mut pages: FastMap<u64, PageUsers> = FastMap::default();
        let (mut of_owners, mut of_functions) = (Vec::new(), Vec::new());
        for (line, of) in lines.iter().filter(|(_, of)| of.first.1 != 0) {
            let page = pages.entry(line * uses.selection.line / PAGE);
            let is_first = matches!(page, Entry::Vacant(_));
            let users = page.or_default();
            for (pair, mask) in of.pairs() {
                let (owner, function, _) = pairs[pair as usize];
                add_bytes(&mut of_owners, owner, mask);
                add_bytes(&mut of_functions, function, mask);
            }
            let all = of_owners.iter().fold(0, |all, of| all | of.1);
            uses.all.add_line(all, is_first);
            for (owner, mask) in of_owners.drain(..) {
                let is_first = users.owners.insert(owner);
                uses.by_owner.entry(owner).or_default().add_line(mask, is_first);
            }
            for (function, mask) in of_functions.drain(..) {
                let is_first = users.functions.insert(function);
                uses.by_function.entry(function).or_default().add_line(mask, is_first);
            }
        }
        uses
    }
}

/// The owners of memory in a page, and the functions that access it.
#[derive(Debug, Default)]
struct PageUsers {
    owners: BTreeSet<OwnerId>,
    functions: BTreeSet<FunctionId>,
}

impl MemoryTotals {
    /// Adds the accessed bytes of a line, which may be the first one in its page.
    fn add_line(&mut self, mask: u128, is_first: bool) {
        self.bytes += u64::from(mask.count_ones());
        self.lines += 1;
        self.pages += u64::from(is_first);
    }

    /// Adds the accesses of other totals, not their bytes, lines and pages.
    fn add(&mut self, other: &Self) {
        self.reads += other.reads;
        self.writes += other.writes;
        self.bytes_read = self.bytes_read.saturating_add(other.bytes_read);
        self.bytes_written = self.bytes_written.saturating_add(other.bytes_written);
        self.distances.add_all(&other.distances);
    }

    fn count(&mut self, access: &MemoryAccess) {
        if access.reads() {
            self.reads += 1;
            self.bytes_read = self.bytes_read.saturating_add(access.size);
        }
        if access.writes() {
            self.writes += 1;
            self.bytes_written = self.bytes_written.saturating_add(access.size);
        }
    }
}

/// Returns the mask of the bytes of a line from one address to another.
fn mask(line: u64, size: u64, first: u64, last: u64) -> u128 {
    let start = line * size;
    let from = first.max(start) - start;
    let to = last.min(start + (size - 1)) - start;
    (u128::MAX >> (127 - (to - from))) << from
}

impl OwnerVisitor for Reading<'_> {
    type Token = ();

    fn released(&mut self, thread: ThreadId, event: Option<OperationEvent<'_>>) {
        // The clocks of many threads that have ended would be large.
        if event.is_none()
            && let Some(known) = self.clocks.get_mut(thread.index())
            && known.take().is_some()
        {
            self.found.push(Found::Clock(thread, Arc::default()));
        }
    }

    fn accessed(&mut self, owners: &mut Owners<'_>, thread: ThreadId, access: &MemoryAccess) {
        let function = access.place.function;
        let is_other = self.selection.thread.is_some_and(|selected| selected != thread)
            || self.selection.functions.as_ref().is_some_and(|of| !of.contains(&function));
        if !is_other {
            let owner = owners.find(thread, access.address).owner;
            if self.has_threads {
                self.find_clock(thread, owners.clocks.kept(thread));
            }
            let pair = self.pair(owner, function);
            self.pairs[pair as usize].2.count(access);
            if self.thread.replace(thread) != Some(thread) {
                self.found.push(Found::Turn(thread));
            }
            let small = SmallAccess::of(access).map(|access| Found::Small(pair, access));
            self.found.push(small.unwrap_or_else(|| Found::Large(pair, Box::new(*access))));
        }
    }

    fn allocated(&mut self, _: ThreadId, allocation: &Allocation) {
        let (address, bytes) = (allocation.address.get(), allocation.size.get());
        if bytes == 0 || allocation.resizes() || !self.has_threads {
            return;
        }
        self.found.push(Found::Allocated(address, bytes));
    }

    fn missing(&mut self) {
        self.missing += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::frees::Frees;
    use counts::model::PathId;
    use pathformat::manifest::AccessKind;

    use crate::ids::StackId;
    use crate::order::item::{Actions, CodePlace, EndedPath};
    use crate::order::walk::Input;
    use crate::steps::program::Program;

    /// Returns an access to this many bytes.
    fn access(address: u64, size: u64, kind: AccessKind) -> MemoryAccess {
        MemoryAccess {
            address,
            size,
            kind,
            place: CodePlace { function: FunctionId(0), at: 0 },
            is_atomic: false,
            stack: StackId::NONE,
            before: 0,
            after: 0,
        }
    }

    /// Returns a path with these accesses.
    fn path(accesses: Vec<MemoryAccess>) -> Item {
        Item::Path(EndedPath {
            function: FunctionId(0),
            path: PathId(0),
            last: 0,
            calls_for_user: false,
            calls: None,
            actions: Actions::default(),
            accesses,
        })
    }

    /// Measures threads that do this.
    fn measured(program: &Program, threads: Vec<Vec<Item>>, line: u64) -> Uses<'_> {
        let input = |(thread, items): (u32, Vec<Item>)| Input {
            thread: ThreadId(thread),
            is_handler: false,
            begun: 0,
            items: items.into_iter(),
        };
        let owners = Owners::of(program, Frees::default(), false);
        let selection = Selection { line, ..Selection::default() };
        Uses::of((0..).zip(threads).map(input).collect(), owners, selection)
    }

    /// Measures one thread that accesses these addresses, 8 bytes each.
    fn uses(program: &Program, addresses: impl Iterator<Item = u64>, line: u64) -> Uses<'_> {
        let accesses = addresses.map(|address| access(address, 8, AccessKind::Load)).collect();
        measured(program, vec![vec![path(accesses)]], line)
    }

    #[test]
    fn accesses_to_many_bytes_are_whole() {
        let program = Program::default();
        for size in [100, 8191, 8192, 1_000_000] {
            let accesses = vec![access(0x10_0000, size, AccessKind::BulkStore)];
            let of = measured(&program, vec![vec![path(accesses)]], 64);
            let lines = size.div_ceil(64);
            assert_eq!((of.all.writes, of.all.bytes_written, of.all.bytes), (1, size, size));
            assert_eq!((of.all.lines, of.all.distances.first), (lines, lines));
        }
    }

    #[test]
    fn what_is_ordered_or_new_is_not_contended() {
        let program = Program::default();
        let store = |at: u64| path(vec![access(0x10_0000 + at, 8, AccessKind::Store)]);
        let allocation = |before: u64| {
            let (address, former) = (0x10_0000.into(), 0.into());
            let (before, after) = (before.into(), before.into());
            Item::Allocated(Allocation { address, former, size: 64.into(), before, after })
        };
        let atomic = |before, after| {
            let access = access(0x20_0000, 8, AccessKind::Update);
            Item::Atomic(MemoryAccess { is_atomic: true, before, after, ..access })
        };
        let contended = |threads| {
            let uses = measured(&program, threads, 64);
            let lines = uses.sharing.lines();
            let line = lines.get(&(0x10_0000 / 64));
            line.map_or(0, |line| line.contended.iter().map(|of| of.accesses).sum())
        };
        assert_eq!(contended(vec![vec![store(0), store(0)], vec![store(8)]]), 3);
        let first = vec![store(0), atomic(1, 0)];
        assert_eq!(contended(vec![first.clone(), vec![atomic(0, 2), store(8)]]), 0);
        // The second access of the first thread is behind what it released.
        let first = [first, vec![store(0)]].concat();
        assert_eq!(contended(vec![first, vec![atomic(0, 2), store(8)]]), 2);
        // The allocation comes behind the store of the other thread.
        let renewed = vec![atomic(0, 2), allocation(3), store(8)];
        assert_eq!(contended(vec![vec![store(0), atomic(1, 0)], renewed]), 0);
    }

    #[test]
    fn a_walk_with_a_stride_has_a_known_footprint() {
        let program = Program::default();
        for (stride, line) in [(8, 64), (24, 64), (64, 64), (100, 64), (8, 128), (24, 8)] {
            let (count, start) = (1000, 0x10_0004);
            let of = uses(&program, (0..2 * count).map(|at| start + at % count * stride), line);
            let all = &of.all;
            let bytes: HashSet<u64> =
                (0..count).flat_map(|at| start + at * stride..start + at * stride + 8).collect();
            let distinct = |size: u64| bytes.iter().map(|at| at / size).collect::<HashSet<_>>();
            assert_eq!((all.reads, all.writes, all.bytes_read), (2 * count, 0, 16 * count));
            assert_eq!(all.bytes, bytes.len() as u64);
            assert_eq!(all.lines, distinct(line).len() as u64, "{stride} {line}");
            assert_eq!(all.pages, distinct(PAGE).len() as u64, "{stride} {line}");
            assert_eq!(all.distances.first, all.lines);
            assert_eq!(of.by_owner[&OwnerId(0)], of.all);
            assert_eq!(of.by_function[&FunctionId(0)], of.all);
        }
    }

    #[test]
    fn masks_are_of_the_bytes_in_the_line() {
        assert_eq!(mask(1, 64, 64, 64), 1);
        assert_eq!(mask(1, 64, 0, 1000), u128::from(u64::MAX));
        assert_eq!(mask(0, 128, 0, 1000), u128::MAX);
        assert_eq!(mask(1, 8, 10, 12), 0b11100);
    }
}
