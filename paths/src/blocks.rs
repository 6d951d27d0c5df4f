//! Which blocks are counted, so that the counts of all others follow.
//!
//! Between blocks there are points: the end of a block and the top of each of its successors are
//! one, so blocks that share a successor share the point behind them. Seen so, a block is an arc
//! between two points, and [what comes to a point leaves it](crate::flow_network): the blocks of a
//! spanning tree follow from the others ("Optimal measurement points for program frequency counts",
//! Knuth & Stevenson, BIT 13, 1973). The tree takes the blocks that run most often. No edge holds
//! code, so every kind of edge will do. Where only some blocks are of interest, such as those with
//! calls, the points that others join are one.

use std::cmp::Reverse;

use crate::cfg::{Block, Cfg, ENTRY};
use crate::flow_network::FlowNetwork;
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

    /// As few as possible of those that are `wanted`, so that the counts of these follow, and those
    /// that run least often. `frequency` gives the executions of every edge, indexed like the edges
    /// of `cfg`. The function must have no call that returns twice.
    pub fn fewest(cfg: &Cfg, frequency: &[u64], wanted: impl Fn(Block) -> bool) -> Self {
        let network = of(cfg).without(|block| !wanted(Block(block as u32)));
        // Code before a return that a call in tail position comes to would make it no tail call.
        let mut order: Vec<Block> = cfg.blocks().filter(|&block| wanted(block)).collect();
        order.sort_by_key(|&block| {
            (!cfg.counts_above(block), Reverse(executions(cfg, frequency, block)))
        });
        let tree = network.tree(order.iter().map(|block| block.index()));
        Self::these(
            cfg.blocks().zip(tree).map(|(block, in_tree)| wanted(block) && !in_tree).collect(),
        )
    }

    /// Those of them that are `wanted`.
    pub fn only(self, wanted: impl Fn(Block) -> bool) -> Self {
        Self::these(
            (0..)
                .zip(self.blocks)
                .map(|(block, counted)| counted && wanted(Block(block)))
                .collect(),
        )
    }

    /// Those for which it is true.
    pub(crate) fn these(blocks: Vec<bool>) -> Self {
        Self { blocks }
    }

    /// True if `block` has a counter.
    pub fn is_counted(&self, block: Block) -> bool {
        self.blocks[block.index()]
    }

    /// The blocks that have one.
    pub fn blocks(&self) -> impl Iterator<Item = Block> + '_ {
        (0..self.blocks.len() as u32).map(Block).filter(|&block| self.is_counted(block))
    }
}

/// For each block whether control may leave the function at its end: it does, or it may stay in a
/// call.
pub(crate) fn leaves(cfg: &Cfg) -> Vec<bool> {
    cfg.blocks().map(|block| cfg.exit(block).is_some() || cfg.may_stay(block)).collect()
}

/// The number of times that `block` runs.
pub(crate) fn executions(cfg: &Cfg, frequency: &[u64], block: Block) -> u64 {
    let edges = if block == ENTRY { cfg.successors(block) } else { cfg.predecessors(block) };
    edges.iter().fold(0, |sum, edge| sum.saturating_add(frequency[edge.index()]))
}

/// The network of the blocks of a graph.
pub(crate) fn of(cfg: &Cfg) -> FlowNetwork {
    let edges: Vec<_> =
        cfg.edges().map(|edge| cfg.edge(edge)).map(|edge| (edge.from.0, edge.to.0)).collect();
    network(&edges, &leaves(cfg))
}

/// The network whose arcs are the blocks. Edges are (source, target), `leaves` says of each block
/// whether control may leave the function at its end, or stay there. An edge that names no block is
/// left out.
pub fn network(edges: &[(u32, u32)], leaves: &[bool]) -> FlowNetwork {
    let blocks = leaves.len();
    let (top, end) = (|block: usize| 2 * block, |block: usize| 2 * block + 1);
    let outside = 2 * blocks;
    let mut same = UnionFind::new(outside + 1);
    if blocks > 0 {
        same.union(outside, top(ENTRY.index()));
    }
    let sound = |&&(from, to): &&(u32, u32)| (from as usize) < blocks && (to as usize) < blocks;
    for &(from, to) in edges.iter().filter(sound) {
        same.union(end(from as usize), top(to as usize));
    }
    for (block, _) in leaves.iter().enumerate().filter(|&(_, &leaves)| leaves) {
        same.union(end(block), outside);
    }
    let arcs = (0..blocks).map(|block| [same.find(top(block)), same.find(end(block))]).collect();
    FlowNetwork { arcs, outside: same.find(outside), points: outside + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;

    /// The names of the blocks that have a counter.
    fn counted(graph: &str) -> String {
        counted_of(graph, |_| true)
    }

    fn counted_of(graph: &str, wanted: impl Fn(Block) -> bool) -> String {
        let named = text::parse(graph).expect("a graph");
        let counted = Counted::fewest(&named.cfg, &named.frequency, wanted);
        counted
            .blocks()
            .map(|block| named.names[block.index()].clone())
            .collect::<Vec<_>>()
            .join(" ")
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
    fn nothing_follows_from_a_block_where_a_frame_may_stay() {
        assert_eq!(counted("A?: B*9 C\n B: D\n C: D\n D:"), "A C D");
        assert_eq!(counted("A: B*9 C\n B?: D\n C: D\n D:"), "B C D");
        assert_eq!(counted("A: B*9 C\n B: D\n C: D\n D?:"), "C D");
        assert_eq!(counted("A?: B\n B:"), "A B");
        assert_eq!(counted("A?:"), "A");
    }

    #[test]
    fn what_is_of_no_interest_needs_no_counter() {
        let diamond = "A: B*9 C\n B: D\n C: D\n D:";
        assert_eq!(counted_of(diamond, |block| block == ENTRY), "A");
        assert_eq!(counted_of(diamond, |block| [ENTRY, Block(3)].contains(&block)), "D");
        assert_eq!(counted_of(diamond, |block| [ENTRY, Block(1)].contains(&block)), "A B");
    }

    #[test]
    fn edges_to_nowhere_are_left_out() {
        let network = network(&[(0, 1), (0, 99), (99, 0)], &[false, true]);
        assert_eq!(network.infer(vec![Some(5), None]), [Some(5), Some(5)]);
    }
}
