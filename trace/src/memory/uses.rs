//! What a trace does with memory: how much of it, whose, how soon again, and who shares it.
//!
//! All that is kept is proportional to the lines that were touched, not to the accesses. Distances
//! are between the accesses of one thread.

use std::collections::{BTreeMap, HashMap, HashSet};

use pathformat::manifest::AccessKind;
use pathformat::trace::{Allocation, Operation, Synchronisation};

use crate::memory::distances::{Distances, Histogram};
use crate::memory::line_map::LineMap;
use crate::memory::owners::{OwnerId, Owners};
use crate::memory::sharing::Sharing;
use crate::order::item::{Done, Item, Touch};
use crate::order::releases::Links;
use crate::order::walk::{Input, Visitor, walk};

/// The bytes of a page.
const PAGE: u64 = 4096;

/// Which accesses are looked at.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// The bytes of a line: a power of two from 8 to 128.
    pub line: u64,
    /// Those of this thread, or all.
    pub thread: Option<u32>,
    /// Those of these functions, or all.
    pub functions: Option<HashSet<u32>>,
}

impl Asked {
    /// Whether all accesses are looked at.
    pub fn is_all(&self) -> bool {
        self.thread.is_none() && self.functions.is_none()
    }
}

/// What was done with some memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touched {
    /// Accesses that read.
    pub reads: u64,
    /// Accesses that write; an update does both.
    pub writes: u64,
    /// How many bytes were read.
    pub bytes_read: u64,
    /// How many bytes were written.
    pub bytes_written: u64,
    /// How many bytes were touched, each counted once.
    pub bytes: u64,
    /// How many lines.
    pub lines: u64,
    /// How many pages.
    pub pages: u64,
    /// The distances of accesses to lines.
    pub distances: Histogram,
}

/// The touched bytes of the lines of somebody.
type Footprint = LineMap<(u32, u64), u128>;

/// What a trace does with memory.
#[derive(Debug)]
pub struct Uses<'a> {
    /// Of all.
    pub all: Touched,
    /// By owner.
    pub owners: BTreeMap<OwnerId, Touched>,
    /// By function.
    pub functions: BTreeMap<u32, Touched>,
    /// What threads share.
    pub sharing: Sharing,
    /// The owners of memory.
    pub known: Owners<'a>,
    /// How often records were missing.
    pub missing: u64,
    /// What was asked for.
    pub asked: Asked,
    has_threads: bool,
    distances: HashMap<u32, Distances>,
    /// Of all, of owners, of functions.
    footprints: [Footprint; 3],
}

impl<'a> Uses<'a> {
    /// What these streams do with memory.
    pub fn of<I: Iterator<Item = Item>>(
        inputs: Vec<Input<I>>,
        owners: Owners<'a>,
        asked: Asked,
    ) -> Self {
        let mut uses = Self {
            all: Touched::default(),
            owners: BTreeMap::new(),
            functions: BTreeMap::new(),
            sharing: Sharing::default(),
            known: owners,
            missing: 0,
            has_threads: inputs.iter().any(|input| input.thread > 0),
            asked,
            distances: HashMap::new(),
            footprints: Default::default(),
        };
        walk(inputs, &mut uses);
        uses.finish();
        uses
    }

    fn touch(&mut self, thread: u32, touch: &Touch) {
        if touch.size == 0 || touch.kind == AccessKind::Fence {
            return;
        }
        let function = touch.place.function;
        let is_other = self.asked.thread.is_some_and(|asked| asked != thread)
            || self.asked.functions.as_ref().is_some_and(|asked| !asked.contains(&function));
        if is_other {
            return;
        }
        let owner = self.known.find(thread, touch.address).owner;
        let of_owner = self.owners.entry(owner).or_default();
        let of_function = self.functions.entry(function).or_default();
        for of in [&mut self.all, &mut *of_owner, &mut *of_function] {
            of.count(touch);
        }
        let size = self.asked.line;
        let last = touch.address.saturating_add(touch.size - 1);
        let distances = self.distances.entry(thread).or_default();
        for line in touch.address / size..=last / size {
            let mask = mask(line, size, touch.address, last);
            let distance = distances.touch(line);
            for of in [&mut self.all, &mut *of_owner, &mut *of_function] {
                of.distances.add(distance);
            }
            for (footprint, of) in self.footprints.iter_mut().zip([0, owner.0, function]) {
                *footprint.entry((of, line)).or_default() |= mask;
            }
            if self.has_threads {
                self.sharing.touch(thread, touch, line, mask, owner);
            }
        }
    }

    /// Counts bytes, lines and pages.
    fn finish(&mut self) {
        self.distances.clear();
        let size = self.asked.line;
        let footprints = std::mem::take(&mut self.footprints);
        for (kind, footprint) in footprints.into_iter().enumerate() {
            let mut pages: LineMap<(u32, u64), ()> = LineMap::default();
            for ((of, line), mask) in footprint {
                let touched = match kind {
                    0 => &mut self.all,
                    1 => self.owners.entry(OwnerId(of)).or_default(),
                    _ => self.functions.entry(of).or_default(),
                };
                touched.bytes += u64::from(mask.count_ones());
                touched.lines += 1;
                if pages.insert((of, line * size / PAGE), ()).is_none() {
                    touched.pages += 1;
                }
            }
        }
    }
}

impl Touched {
    fn count(&mut self, touch: &Touch) {
        if touch.reads() {
            self.reads += 1;
            self.bytes_read = self.bytes_read.saturating_add(touch.size);
        }
        if touch.writes() {
            self.writes += 1;
            self.bytes_written = self.bytes_written.saturating_add(touch.size);
        }
    }
}

/// Which bytes of a line are from one address to another.
fn mask(line: u64, size: u64, first: u64, last: u64) -> u128 {
    let start = line * size;
    let from = first.max(start) - start;
    let to = last.min(start + (size - 1)) - start;
    (u128::MAX >> (127 - (to - from))) << from
}

impl Visitor for Uses<'_> {
    type Token = ();

    fn began(&mut self, _: u32, _: u64, _: &Links<()>) {}

    fn done(&mut self, thread: u32, done: &Done) {
        done.touches.iter().for_each(|touch| self.touch(thread, touch));
        // Parts of a path have no paths; the last one has.
        if done.actions.paths > 0 {
            self.known.end_path(done);
        }
    }

    fn released(&mut self, _: u32) {}

    fn ended(&mut self, _: u32, _: u64, _: Option<(Operation, &Synchronisation)>) {}

    fn acquired(&mut self, thread: u32, of: Operation, event: &Synchronisation, _: &Links<()>) {
        self.known.acquired(thread, of, event);
    }

    fn atomic_after(&mut self, thread: u32, touch: &Touch) {
        self.touch(thread, touch);
    }

    fn allocated(&mut self, thread: u32, allocation: &Allocation) {
        let (address, bytes) = (allocation.address.get(), allocation.size.get());
        self.known.allocate(thread, allocation);
        if address == 0 || bytes == 0 || address == allocation.former.get() || !self.has_threads {
            return;
        }
        let size = self.asked.line;
        let last = address.saturating_add(bytes - 1);
        let of = |line: u64| (line, mask(line, size, address, last));
        let (first, end) = (address / size, last / size);
        self.sharing.forget(of(first), first + 1..end, of(end));
    }

    fn missing(&mut self, _: u32) {
        self.missing += 1;
    }

    fn turn(&mut self, stream: usize, is_handler: bool) {
        self.known.turn(stream, is_handler);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::frees::Frees;
    use crate::order::item::{Actions, Place};
    use crate::steps::program::Program;

    /// What one thread does with these addresses, 8 bytes each.
    fn uses(program: &Program, addresses: impl Iterator<Item = u64>, line: u64) -> Uses<'_> {
        let touch = |address| Touch {
            address,
            size: 8,
            kind: AccessKind::Load,
            place: Place { function: 0, at: 0 },
            is_atomic: false,
            before: 0,
            after: 0,
        };
        let touches = addresses.map(touch).collect();
        let actions = Actions::default();
        let done = Done { function: 0, path: 0, last: 0, actions, touches };
        let items = vec![Item::Done(done)].into_iter();
        let input = Input { thread: 0, is_handler: false, begun: 0, items };
        let asked = Asked { line, ..Asked::default() };
        Uses::of(vec![input], Owners::of(program, Frees::default(), false), asked)
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
            assert_eq!(of.owners[&OwnerId(0)], of.all);
            assert_eq!(of.functions[&0], of.all);
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
