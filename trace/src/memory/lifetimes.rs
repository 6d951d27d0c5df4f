//! The heap blocks that an address has been in, and the one that is valid for a given clock.
//!
//! Threads that do not wait for each other may allocate the same memory one after the other, and
//! the trace does not order them: allocators have locks of their own. So each piece of memory has a
//! list of candidate blocks. The clock of a thread selects one. Live blocks do not overlap. So the
//! block is the latest one whose allocation is known to the clock, unless its free is known, too.
//! All other blocks with a known allocation and no known free must be allocated before it.
//! Otherwise the result is unsure.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use crate::ids::Moment;
use crate::memory::vector_clock::VectorClock;

/// The maximum number of blocks kept for each piece of memory.
const MOST: usize = 4;

/// A block of the heap, from its allocation to its free.
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// The number of its allocation.
    pub(super) number: u64,
    /// The address of its first byte.
    pub(super) start: u64,
    /// The address behind its last byte.
    pub(super) end: u64,
    /// The number of its owner.
    pub(super) owner: u32,
    /// The moment of its allocation.
    pub(super) birth: Moment,
    /// The clock at its allocation.
    pub(super) known: Arc<VectorClock>,
    /// The moment of its free.
    pub(super) death: Option<Moment>,
    /// True if no missing record could contradict it.
    pub(super) is_sure: bool,
}

impl Block {
    /// Returns true if it was allocated after a moment.
    pub(super) fn is_behind(&self, moment: Moment) -> bool {
        moment.is_known(&self.known)
    }

    fn is_gone(&self, clock: &VectorClock) -> bool {
        self.death.is_some_and(|death| death.is_known(clock))
    }
}

/// A range of memory that has been in the same blocks.
#[derive(Clone, Debug)]
struct Piece {
    end: u64,
    /// The blocks, the latest last.
    blocks: Vec<Block>,
}

/// The result of a search for the block of an address.
#[derive(Clone, Copy, Debug)]
pub(super) enum Verdict<'a> {
    /// The address is in no block.
    Free,
    /// The address is in this block.
    In(&'a Block),
    /// The block cannot be determined.
    Unsure,
}

/// All blocks of the heap.
#[derive(Debug, Default)]
pub(super) struct Lifetimes {
    pieces: BTreeMap<u64, Piece>,
}

impl Lifetimes {
    fn piece(&self, address: u64) -> Option<(Range<u64>, &Piece)> {
        let (start, piece) = self.pieces.range(..=address).next_back()?;
        (address < piece.end).then_some((*start..piece.end, piece))
    }

    /// Returns the block of an address for a clock, and the range of addresses with the same
    /// result.
    pub(super) fn find(
        &self,
        address: u64,
        clock: &VectorClock,
    ) -> Option<(Range<u64>, Verdict<'_>)> {
        let (range, piece) = self.piece(address)?;
        Some((range, piece.verdict(clock)))
    }

    /// Returns the block that was inserted last, if it is not freed.
    pub(super) fn latest(&self, address: u64) -> Option<(Range<u64>, &Block)> {
        let (range, piece) = self.piece(address)?;
        let block = piece.blocks.last().filter(|block| block.death.is_none())?;
        Some((range, block))
    }

    /// Returns the block that begins at an address, for a thread with this clock that frees it.
    pub(super) fn freed(&self, start: u64, clock: &VectorClock) -> Option<Block> {
        let (_, piece) = self.piece(start)?;
        let here = || piece.blocks.iter().rev().filter(|block| block.start == start);
        let known = here().find(|block| block.birth.is_known(clock) && !block.is_gone(clock));
        match known {
            Some(block) => Some(block.clone()),
            None => here().next().map(|block| Block { is_sure: false, ..block.clone() }),
        }
    }

    /// Adds an allocated block.
    pub(super) fn insert(&mut self, block: &Block) {
        let (start, end) = (block.start, block.end);
        if start >= end {
            return;
        }
        self.split(start);
        self.split(end);
        let old: Vec<u64> = self.pieces.range(start..end).map(|of| *of.0).collect();
        let mut made: Vec<(u64, Piece)> = Vec::new();
        let mut at = start;
        for from in old {
            let Some(mut piece) = self.pieces.remove(&from) else { continue };
            if at < from {
                join(&mut made, at, Piece { end: from, blocks: vec![block.clone()] });
            }
            piece.add(block);
            at = piece.end;
            join(&mut made, from, piece);
        }
        if at < end {
            join(&mut made, at, Piece { end, blocks: vec![block.clone()] });
        }
        self.pieces.extend(made);
    }

    /// Changes all copies of a block.
    pub(super) fn change(&mut self, block: (u64, u64, u64), change: impl Fn(&mut Block)) {
        let (start, end, number) = block;
        if start >= end {
            return;
        }
        let pieces = self.pieces.range_mut(start..end);
        let blocks = pieces.flat_map(|(_, piece)| &mut piece.blocks);
        blocks.filter(|block| block.number == number).for_each(change);
    }

    /// Returns true if no block has ever been in a range.
    pub(super) fn is_free(&self, range: &Range<u64>) -> bool {
        let before = self.pieces.range(..range.end).next_back();
        before.is_none_or(|(_, piece)| piece.end <= range.start)
    }

    fn split(&mut self, at: u64) {
        if let Some((_, piece)) = self.pieces.range_mut(..at).next_back()
            && at < piece.end
        {
            let behind = piece.clone();
            piece.end = at;
            self.pieces.insert(at, behind);
        }
    }
}

/// Appends a piece, or extends the last one if that has been in the same blocks.
fn join(pieces: &mut Vec<(u64, Piece)>, start: u64, piece: Piece) {
    if let Some((_, last)) = pieces.last_mut()
        && last.end == start
        && last.blocks.len() == piece.blocks.len()
        && last
            .blocks
            .iter()
            .zip(&piece.blocks)
            .all(|(one, other)| (one.number, one.is_sure) == (other.number, other.is_sure))
    {
        last.end = piece.end;
    } else {
        pieces.push((start, piece));
    }
}

impl Piece {
    fn add(&mut self, block: &Block) {
        // Blocks that were freed before the allocation are no longer candidates.
        self.blocks.retain(|old| !old.is_gone(&block.known));
        self.blocks.push(block.clone());
        if self.blocks.len() > MOST {
            let first = self.blocks.remove(0);
            let unrelated = self.blocks.iter_mut().filter(|block| !block.is_behind(first.birth));
            unrelated.for_each(|block| block.is_sure = false);
        }
    }

    fn verdict(&self, clock: &VectorClock) -> Verdict<'_> {
        let mut known = self.blocks.iter().rev().filter(|block| block.birth.is_known(clock));
        let Some(last) = known.next() else { return Verdict::Unsure };
        let doubt = |other: &Block| !other.is_gone(clock) && !last.is_behind(other.birth);
        if !last.is_sure || known.any(doubt) {
            Verdict::Unsure
        } else if last.is_gone(clock) {
            Verdict::Free
        } else {
            Verdict::In(last)
        }
    }
}
