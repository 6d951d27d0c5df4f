//! Tests owners with random programs, whose threads hand over blocks by a lock while an allocator
//! reuses the same memory again and again.

use counts::model::PathId;
use pathformat::manifest::AccessKind;
use pathformat::trace::{Allocation, Operation, Synchronisation};

use crate::ids::{FunctionId, StackId, ThreadId};
use crate::memory::frees::Frees;
use crate::memory::owner_walk::{OwnerVisitor, walk_with_owners};
use crate::memory::owners::{Owner, OwnerLookup, Owners};
use crate::memory::tests::Random;
use crate::order::item::{Actions, CodePlace, EndedPath, Item, MemoryAccess};
use crate::order::walk::{Input, OperationEvent, Streams};
use crate::steps::program::Program;

const THREADS: usize = 3;
const LOCK: u64 = 0x10;
const HEAP: u64 = 0x1000;
const UNIT: u64 = 16;

/// A block. The path that allocates it has the number of the block as its function.
#[derive(Clone, Copy, Debug)]
struct Block {
    number: u32,
    start: u64,
    size: u64,
}

/// A random program.
struct Run {
    random: Random,
    items: Vec<Vec<Item>>,
    /// The blocks that a thread uses alone, by thread.
    owned: Vec<Vec<Block>>,
    /// The blocks that a thread can take.
    shared: Vec<Block>,
    ticket: u64,
    count: u32,
    /// True if threads also exchange blocks in a way that the trace does not record.
    has_pipes: bool,
}

fn touch(block: &Block, offset: u64) -> MemoryAccess {
    MemoryAccess {
        address: block.start + offset,
        size: 1,
        kind: AccessKind::Store,
        // The expected owner.
        place: CodePlace { function: FunctionId(0), at: block.number },
        is_atomic: false,
        stack: StackId::NONE,
        before: 0,
        after: 0,
    }
}

fn event(of: Operation, before: u64, after: u64) -> Item {
    Item::Event(Synchronisation {
        operation: (of as u32).into(),
        object: LOCK.into(),
        before: before.into(),
        after: after.into(),
        ..Synchronisation::default()
    })
}

impl Run {
    fn live(&self) -> impl Iterator<Item = &Block> {
        self.owned.iter().flatten().chain(&self.shared)
    }

    /// Allocates a block in free memory, if there is room.
    fn allocate(&mut self) -> Option<Block> {
        let (start, size) = (self.random.below(8), 1 + self.random.below(3));
        let (start, size) = (HEAP + start * UNIT, size * UNIT);
        if self.live().any(|of| of.start < start + size && start < of.start + of.size) {
            return None;
        }
        self.count += 1;
        Some(Block { number: self.count, start, size })
    }

    fn some(&mut self, thread: usize) -> Option<usize> {
        let many = self.owned[thread].len() as u64;
        (many > 0).then(|| self.random.below(many) as usize)
    }

    fn end_path(&mut self, thread: usize, function: u32) {
        let mut accesses = Vec::new();
        if let Some(at) = self.some(thread) {
            let block = self.owned[thread][at];
            accesses.push(touch(&block, self.random.below(block.size)));
        }
        let actions = Actions { paths: 1, ..Actions::default() };
        let done = EndedPath {
            function: FunctionId(function),
            path: PathId(0),
            last: 0,
            calls_for_user: false,
            calls: None,
            actions,
            accesses,
        };
        self.items[thread].push(Item::Path(done));
    }

    /// Frees and allocates at random, each by a call at the end of a path.
    fn work(&mut self, thread: usize) {
        if self.random.below(3) == 0
            && let Some(at) = self.some(thread)
        {
            self.end_path(thread, 0);
            let block = self.owned[thread].remove(at);
            let former = block.start.into();
            self.ticket += 1;
            let before = self.ticket.into();
            self.items[thread].push(Item::Allocated(Allocation {
                former,
                before,
                ..Allocation::default()
            }));
        }
        if self.random.below(2) == 0
            && let Some(block) = self.allocate()
        {
            self.end_path(thread, block.number);
            let (address, size) = (block.start.into(), block.size.into());
            self.ticket += 1;
            let after = self.ticket.into();
            let made = Allocation { address, size, after, ..Allocation::default() };
            self.items[thread].push(Item::Allocated(made));
            self.owned[thread].push(block);
        }
        self.end_path(thread, 0);
    }

    /// Gives a block to another thread, without a record.
    fn send(&mut self, thread: usize) {
        if let Some(at) = self.some(thread) {
            let block = self.owned[thread].remove(at);
            let other = self.random.below(THREADS as u64) as usize;
            self.owned[other].push(block);
        }
    }

    /// Takes the lock, and gives a block away or takes one.
    fn exchange(&mut self, thread: usize) {
        self.ticket += 1;
        self.items[thread].push(event(Operation::Lock, 0, self.ticket));
        if self.random.below(2) == 0 {
            if let Some(at) = self.some(thread) {
                let block = self.owned[thread].remove(at);
                self.shared.push(block);
            }
        } else if let Some(block) = self.shared.pop() {
            self.owned[thread].push(block);
        }
        self.ticket += 1;
        self.items[thread].push(event(Operation::Unlock, self.ticket, 0));
    }
}

/// Returns the items of threads that ran in some real order.
fn run(seed: u64, has_pipes: bool) -> Vec<Vec<Item>> {
    let mut run = Run {
        random: Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1),
        items: vec![Vec::new(); THREADS],
        owned: vec![Vec::new(); THREADS],
        shared: Vec::new(),
        ticket: 0,
        count: 0,
        has_pipes,
    };
    for _ in 0..60 {
        let thread = run.random.below(THREADS as u64) as usize;
        if run.has_pipes && run.random.below(6) == 0 {
            run.send(thread);
        }
        if run.random.below(4) == 0 { run.exchange(thread) } else { run.work(thread) }
    }
    run.items
}

/// Does the same with a gap in one thread: recording was off, or records are missing.
fn holed(mut items: Vec<Vec<Item>>, seed: u64, gap: &Item) -> Vec<Vec<Item>> {
    let of = &mut items[seed as usize % THREADS];
    let from = seed as usize % of.len().max(1);
    let end = (from + 1 + seed as usize % 5).min(of.len());
    let is_kept = |item: &Item| *gap == Item::Off && matches!(item, Item::Event(_));
    let kept: Vec<_> = of[from..end].iter().filter(|item| is_kept(item)).cloned().collect();
    of.splice(from..end, kept.into_iter().chain([gap.clone()]));
    items
}

/// Determines the owner of each access.
#[derive(Default)]
struct Looker {
    found: Vec<(u32, Owner, bool)>,
}

impl OwnerVisitor for Looker {
    type Token = ();

    fn released(&mut self, _: ThreadId, _: Option<OperationEvent<'_>>) {}

    fn accessed(&mut self, owners: &mut Owners<'_>, thread: ThreadId, access: &MemoryAccess) {
        let OwnerLookup { owner, is_sure, .. } = owners.find(thread, access.address);
        self.found.push((access.place.at, owners.owner(owner).clone(), is_sure));
    }
}

/// Returns the number of accesses, of sure owners, and of correct guesses.
fn look(seed: u64, items: Vec<Vec<Item>>) -> [usize; 3] {
    let nothing = Program::default();
    let input = |(thread, of): (u32, Vec<Item>)| Input {
        thread: ThreadId(thread),
        is_handler: false,
        begun: 0,
        items: of.into_iter(),
    };
    let inputs = || (0..).zip(items.clone()).map(input).collect::<Streams<_>>();
    let owners = Owners::of(&nothing, Frees::of(inputs()), false);
    let mut looker = Looker::default();
    walk_with_owners(inputs(), owners, &mut looker);
    let mut counts = [looker.found.len(), 0, 0];
    for (number, owner, is_sure) in looker.found {
        let is_it = matches!(owner, Owner::Heap { function: Some(of), .. } if of.0 == number);
        assert!(is_it || !is_sure, "seed {seed}: {number} is told to be {owner:?}");
        counts[1] += usize::from(is_sure);
        counts[2] += usize::from(is_it);
    }
    counts
}

#[test]
fn what_is_sure_is_true() {
    let mut sums = [0; 3];
    for seed in 1..3000 {
        let counts = look(seed, run(seed, false));
        sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
    }
    let [all, sure, right] = sums;
    assert!(sure * 10 > all * 8, "{sure} of {all} are sure, {right} right");
    // The tickets of allocations have the order in which threads had the same memory.
    assert_eq!(right, all);
}

#[test]
fn what_comes_back_unseen_has_no_name() {
    let mut sure = 0;
    for seed in 1..6000 {
        sure += look(seed, run(seed, true))[1];
    }
    assert!(sure > 10_000, "{sure}");
}

#[test]
fn gaps_make_nothing_untrue() {
    for gap in [Item::Off, Item::Missing] {
        let mut sure = 0;
        for seed in 1..3000 {
            sure += look(seed, holed(run(seed, seed % 2 == 0), seed, &gap))[1];
        }
        assert!(sure > 10_000, "{gap:?}: {sure}");
    }
}
