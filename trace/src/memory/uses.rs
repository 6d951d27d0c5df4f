//! Measures the use of memory in a trace: the amount, the owners, the reuse distances and the
//! sharing.
//!
//! The memory of the analysis is proportional to the number of lines that were accessed, and of the
//! owners and functions of each, not of accesses. Distances are between the accesses of one thread.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashSet};

use pathformat::trace::Allocation;

use crate::fast_map::FastMap;
use crate::ids::{FunctionId, ThreadId};
use crate::memory::distances::{Distances, Histogram};
use crate::memory::owner_walk::{OwnerVisitor, walk_with_owners};
use crate::memory::owners::{OwnerId, Owners};
use crate::memory::sharing::Sharing;
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

/// A function and an owner whose memory it accesses, by the index in [`Measuring::pairs`].
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

/// The sums at a moment of the walk.
#[derive(Debug, Default)]
struct Measuring {
    /// The index of each pair of an owner and a function that accesses its memory.
    index: FastMap<(OwnerId, FunctionId), PairIndex>,
    /// Recent pairs and their indices, by the owner modulo [`RECENT`].
    recent: [Option<((OwnerId, FunctionId), PairIndex)>; RECENT],
    /// What the function of each pair accesses, without bytes, lines and pages.
    pairs: Vec<(OwnerId, FunctionId, MemoryTotals)>,
    sharing: Sharing,
    missing: u64,
    selection: Selection,
    has_threads: bool,
    /// The distances of the accesses of each thread.
    distances: Vec<Distances>,
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
        let mut measuring = Measuring {
            missing: streams.missing(),
            has_threads: streams.num_threads() > 1,
            selection,
            ..Measuring::default()
        };
        let owners = walk_with_owners(streams, owners, &mut measuring);
        measuring.finish(owners)
    }
}

impl Measuring {
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
        }
        at
    }

    fn count(
        &mut self,
        thread: ThreadId,
        clock: &VectorClock,
        access: &MemoryAccess,
        owner: OwnerId,
    ) {
        let pair = self.pair(owner, access.place.function);
        let totals = &mut self.pairs[pair as usize].2;
        totals.count(access);
        let size = self.selection.line;
        let last = access.address.saturating_add(access.size - 1);
        let at = thread.index();
        if self.distances.len() <= at {
            self.distances.resize_with(at + 1, Distances::default);
        }
        let distances = &mut self.distances[at];
        // The size of a line is a power of two: a shift divides.
        let power = size.trailing_zeros();
        for line in access.address >> power..=last >> power {
            let mask = mask(line, size, access.address, last);
            totals.distances.add(distances.touch(line));
            self.lines.of(line).add(pair, mask);
            if self.has_threads {
                self.sharing.touch(thread, clock, access, line, mask, owner);
            }
        }
    }

    /// Sums the pairs up, and counts bytes, lines and pages.
    fn finish<'a>(self, owners: Owners<'a>) -> Uses<'a> {
        let Self { pairs, lines, sharing, missing, selection, .. } = self;
        let mut uses = Uses {
            all: MemoryTotals::default(),
            by_owner: BTreeMap::new(),
            by_function: BTreeMap::new(),
            sharing,
            owners,
            missing,
            selection,
        };
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

impl OwnerVisitor for Measuring {
    type Token = ();

    fn released(&mut self, _: ThreadId, _: Option<OperationEvent<'_>>) {}

    fn accessed(&mut self, owners: &mut Owners<'_>, thread: ThreadId, access: &MemoryAccess) {
        let function = access.place.function;
        let is_other = self.selection.thread.is_some_and(|selected| selected != thread)
            || self.selection.functions.as_ref().is_some_and(|of| !of.contains(&function));
        if !is_other {
            let owner = owners.find(thread, access.address).owner;
            self.count(thread, owners.clocks.of(thread), access, owner);
        }
    }

    fn allocated(&mut self, _: ThreadId, allocation: &Allocation) {
        let (address, bytes) = (allocation.address.get(), allocation.size.get());
        if bytes == 0 || allocation.resizes() || !self.has_threads {
            return;
        }
        let size = self.selection.line;
        let last = address.saturating_add(bytes - 1);
        let of = |line: u64| (line, mask(line, size, address, last));
        let (first, end) = (address / size, last / size);
        self.sharing.forget(of(first), first + 1..end, of(end));
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

    /// Measures one thread that accesses these addresses, 8 bytes each.
    fn uses(program: &Program, addresses: impl Iterator<Item = u64>, line: u64) -> Uses<'_> {
        let access = |address| MemoryAccess {
            address,
            size: 8,
            kind: AccessKind::Load,
            place: CodePlace { function: FunctionId(0), at: 0 },
            is_atomic: false,
            stack: StackId::NONE,
            before: 0,
            after: 0,
        };
        let accesses = addresses.map(access).collect();
        let actions = Actions::default();
        let done = EndedPath {
            function: FunctionId(0),
            path: PathId(0),
            last: 0,
            calls_for_user: false,
            calls: None,
            actions,
            accesses,
        };
        let items = vec![Item::Path(done)].into_iter();
        let input = Input { thread: ThreadId(0), is_handler: false, begun: 0, items };
        let selection = Selection { line, ..Selection::default() };
        Uses::of(
            Streams::from_iter([input]),
            Owners::of(program, Frees::default(), false),
            selection,
        )
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
