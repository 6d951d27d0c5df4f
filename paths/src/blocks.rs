//! Which blocks are counted, so that the counts of all others follow.
//!
//! Between blocks there are points: the end of a block and the top of each of its successors are one, so blocks that share a successor share
//! the point behind them. Control that comes to a point leaves it, so the blocks that end there ran as often as those that
//! begin there. Seen so, a block is an edge between two points, and the blocks of a spanning tree follow from
//! the others ("Optimal measurement points for program frequency counts", Knuth & Stevenson, BIT 13, 1973). The tree takes the
//! blocks that run most often. No edge holds code, so every kind of edge will do.
//!
//! One point is special: outside, where functions are entered and left. What comes to it is never used.
//!
//! A frame that stays in a block, in a call that does not come back, breaks the rule for the point behind it. Where that may happen, the blocks at the outside are all
//! counted: then one point of the rest is not needed to derive anything, and tells how many frames stay.

use std::cmp::Reverse;

use crate::cfg::{Block, Cfg, ENTRY};
use crate::union_find::UnionFind;

/// Which blocks of one function have a counter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counted {
    blocks: Vec<bool>,
}

impl Counted {
    /// All blocks.
    pub fn every(cfg: &Cfg) -> Self {
        Self { blocks: vec![true; cfg.num_blocks()] }
    }

    /// As few as possible, and those that run least often. `frequency` gives the executions of every edge, indexed like the edges of `cfg`.
    /// The function must have no call that returns twice.
    pub fn fewest(cfg: &Cfg, frequency: &[u64]) -> Self {
        let ways = cfg.edges().map(|edge| cfg.edge(edge)).map(|edge| (edge.from.0, edge.to.0));
        let exits = cfg.blocks().map(|block| cfg.exit(block).is_some());
        let points = Points::new(cfg.num_blocks(), ways, exits);
        let without_check = Self::outside_tree(cfg, frequency, &points, |_| true);
        // A frame that stays where the function is left anyway breaks no rule.
        let may_stay = cfg.blocks().any(|block| cfg.may_stay(block) && cfg.exit(block).is_none());
        if may_stay && without_check.blocks.contains(&false) {
            Self::outside_tree(cfg, frequency, &points, |block| !points.ends(block).contains(&points.outside))
        } else {
            without_check
        }
    }

    /// The blocks outside the heaviest spanning tree of those that may be in it.
    fn outside_tree(cfg: &Cfg, frequency: &[u64], points: &Points, may: impl Fn(usize) -> bool) -> Self {
        let executions = |block: Block| {
            let edges = if block == ENTRY { cfg.successors(block) } else { cfg.predecessors(block) };
            edges.iter().fold(0u64, |sum, edge| sum.saturating_add(frequency[edge.index()]))
        };
        let mut order: Vec<Block> = cfg.blocks().filter(|block| may(block.index())).collect();
        // Code before a return that a call in tail position comes to would make it no tail call.
        order.sort_by_key(|&block| (!cfg.counts_above(block), Reverse(executions(block))));
        let mut joined = UnionFind::new(points.count);
        let mut blocks = vec![true; cfg.num_blocks()];
        for block in order {
            let [top, end] = points.ends(block.index());
            blocks[block.index()] = !joined.union(top, end);
        }
        Self { blocks }
    }

    /// Whether `block` has a counter.
    pub fn is_counted(&self, block: Block) -> bool {
        self.blocks[block.index()]
    }

    /// The blocks that have one.
    pub fn blocks(&self) -> impl Iterator<Item = Block> + '_ {
        (0..self.blocks.len() as u32).map(Block).filter(|&block| self.is_counted(block))
    }
}

/// The counts of all blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Derived {
    /// How often each block ran; `None` if the counters do not tell.
    pub counts: Vec<Option<i128>>,
    /// By how much what comes to points differs from what leaves them: so many frames stay in the function, or were left in its
    /// middle, or came back to a call that returns twice.
    pub staying: u128,
}

/// Derives the counts of all blocks from those of the counted ones. Edges are (source, target), `exits` says which blocks the
/// function is left in. Numbers come from a file: whatever they are, it ends and does not panic.
pub fn derive(edges: &[(u32, u32)], exits: &[bool], mut counts: Vec<Option<i128>>) -> Derived {
    let blocks = counts.len();
    let sound = |&(from, to): &(u32, u32)| (from as usize) < blocks && (to as usize) < blocks;
    let points = Points::new(blocks, edges.iter().copied().filter(sound), exits.iter().copied().take(blocks));
    let mut at: Vec<Vec<usize>> = vec![Vec::new(); points.count];
    for block in 0..blocks {
        let [top, end] = points.ends(block);
        if top != end {
            at[top].push(block);
            at[end].push(block);
        }
    }
    // What ends at a point less what begins there, without the blocks that are not known.
    let surplus = |counts: &[Option<i128>], point: usize| {
        let signed = |&block: &usize| {
            let count = counts[block].unwrap_or_default();
            if points.ends(block)[1] == point { count } else { count.wrapping_neg() }
        };
        at[point].iter().map(signed).fold(0i128, i128::wrapping_add)
    };
    let mut unknown: Vec<usize> =
        at.iter().map(|blocks| blocks.iter().filter(|&&block| counts[block].is_none()).count()).collect();
    let mut used = vec![false; points.count];
    used[points.outside] = true;
    let mut pending: Vec<usize> = (0..points.count).filter(|&point| unknown[point] == 1 && !used[point]).collect();
    while let Some(point) = pending.pop() {
        let Some(&block) = at[point].iter().find(|&&block| counts[block].is_none()) else { continue };
        let [top, end] = points.ends(block);
        let surplus = surplus(&counts, point);
        counts[block] = Some(if end == point { surplus.wrapping_neg() } else { surplus });
        used[point] = true;
        for other in [top, end] {
            unknown[other] -= 1;
            if unknown[other] == 1 && !used[other] {
                pending.push(other);
            }
        }
    }
    let checks = (0..points.count).filter(|&point| !used[point] && unknown[point] == 0);
    let staying = checks.map(|point| surplus(&counts, point).unsigned_abs()).fold(0u128, u128::saturating_add);
    Derived { counts, staying }
}

/// The points between blocks.
struct Points {
    /// For each block the points before and behind it.
    ends: Vec<[usize; 2]>,
    outside: usize,
    count: usize,
}

impl Points {
    fn new(blocks: usize, edges: impl Iterator<Item = (u32, u32)>, exits: impl Iterator<Item = bool>) -> Self {
        let (top, end) = (|block: usize| 2 * block, |block: usize| 2 * block + 1);
        let outside = 2 * blocks;
        let mut same = UnionFind::new(outside + 1);
        if blocks > 0 {
            same.union(outside, top(ENTRY.index()));
        }
        for (from, to) in edges {
            same.union(end(from as usize), top(to as usize));
        }
        for (block, _) in exits.enumerate().filter(|&(_, leaves)| leaves) {
            same.union(end(block), outside);
        }
        let ends = (0..blocks).map(|block| [same.find(top(block)), same.find(end(block))]).collect();
        Self { ends, outside: same.find(outside), count: outside + 1 }
    }

    fn ends(&self, block: usize) -> [usize; 2] {
        self.ends[block]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;

    /// The names of the blocks that have a counter.
    fn counted(graph: &str) -> String {
        let named = text::parse(graph).expect("a graph");
        let counted = Counted::fewest(&named.cfg, &named.frequency);
        counted.blocks().map(|block| named.names[block.index()].clone()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn one_side_of_a_diamond_and_the_whole_are_counted() {
        assert_eq!(counted("A: B*9 C\n B: D\n C: D\n D:"), "C D");
    }

    #[test]
    fn a_loop_is_counted_where_it_runs_least() {
        assert_eq!(counted("A: H\n H: B*100 X\n B: H*100\n X:"), "B X");
        assert_eq!(counted("A: B\n B: B*100 X\n X:"), "B X");
    }

    #[test]
    fn where_a_frame_may_stay_entry_and_exits_are_counted() {
        assert_eq!(counted("A?: B*9 C\n B: D\n C: D\n D:"), "A C D");
        assert_eq!(counted("A: B*9 C\n B: D\n C: D\n D?:"), "C D");
        assert_eq!(counted("A?: B\n B:"), "A B");
        assert_eq!(counted("A?:"), "A");
    }

    #[test]
    fn damaged_numbers_do_not_panic() {
        let counts = vec![Some(i128::MAX), None, Some(i128::MIN)];
        let derived = derive(&[(0, 1), (1, 2), (0, 99), (99, 0), (2, 1)], &[false; 9], counts);
        assert_eq!(derived.counts.len(), 3);
        assert_eq!(derive(&[(0, 0)], &[], Vec::new()), Derived { counts: Vec::new(), staying: 0 });
    }
}
