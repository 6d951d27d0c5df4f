//! Which edges are counted, so that the counts of all others follow.
//!
//! Blocks are points and edges are arcs between them, and [what comes to a point leaves it](crate::conservation). Where a function is entered and
//! left there are arcs from and to outside. Edges of a spanning tree have no counter; it takes those that run most often, and first of all those that can
//! hold no code ("Optimally Profiling and Tracing Programs", Ball & Larus, TOPLAS 16(4), 1994, §3). Opaque edges cannot be told apart: they
//! lead through one point that they share, so that only how often a block is left or come to along them is known.

use std::cmp::Reverse;

use crate::blocks::{executions, exits};
use crate::cfg::{Block, Cfg, ENTRY, Edge, EdgeKind};
use crate::conservation::Network;

/// Something that control does, as often as it goes along an arc.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arc {
    /// It takes this edge, which is not opaque.
    Edge(Edge),
    /// It enters the function.
    Enter,
    /// It comes to this block, in which the function is left.
    Leave(Block),
    /// It leaves this block along an opaque edge.
    Depart(Block),
    /// It comes to this block along an opaque edge.
    Arrive(Block),
}

/// The arcs of a function, in the order in which they are numbered.
#[derive(Clone, Debug)]
pub struct Arcs {
    /// Each arc.
    pub list: Vec<Arc>,
    /// The network that they make.
    pub network: Network,
}

impl Arcs {
    /// The arcs of `cfg`.
    pub fn of(cfg: &Cfg) -> Self {
        let edges = cfg.edges().map(|edge| cfg.edge(edge));
        let edges: Vec<_> = edges.map(|edge| (edge.from.0, edge.to.0, edge.kind == EdgeKind::Opaque)).collect();
        Self::new(&edges, &exits(cfg))
    }

    /// The arcs of a graph that was read from a file. Edges are (source, target, whether it is opaque), `exits` says of each block whether the function is left in
    /// it. An edge that names no block is left out of the network.
    pub fn new(edges: &[(u32, u32, bool)], exits: &[bool]) -> Self {
        let blocks = exits.len();
        let (outside, shared) = (blocks, blocks + 1);
        let sound = |&(from, to, _): &(u32, u32, bool)| (from as usize) < blocks && (to as usize) < blocks;
        let mut list = Vec::new();
        let mut arcs = Vec::new();
        let mut add = |arc: Arc, from: usize, to: usize| {
            list.push(arc);
            arcs.push([from, to]);
        };
        for (index, edge) in edges.iter().enumerate().filter(|(_, edge)| sound(edge) && !edge.2) {
            add(Arc::Edge(Edge(index as u32)), edge.0 as usize, edge.1 as usize);
        }
        if blocks > 0 {
            add(Arc::Enter, outside, ENTRY.index());
        }
        for (block, _) in exits.iter().enumerate().filter(|&(_, &leaves)| leaves) {
            add(Arc::Leave(Block(block as u32)), block, outside);
        }
        let opaque = || edges.iter().filter(|edge| sound(edge) && edge.2);
        let mut departs = vec![false; blocks];
        let mut arrives = vec![false; blocks];
        for &(from, to, _) in opaque() {
            departs[from as usize] = true;
            arrives[to as usize] = true;
        }
        for block in (0..blocks).filter(|&block| departs[block]) {
            add(Arc::Depart(Block(block as u32)), block, shared);
        }
        for block in (0..blocks).filter(|&block| arrives[block]) {
            add(Arc::Arrive(Block(block as u32)), shared, block);
        }
        Self { list, network: Network { arcs, outside, points: blocks + 2 } }
    }

    /// The numbers of the arcs that are counted: as few as possible, and those that run least often. The function must have no call
    /// that returns twice.
    pub fn fewest(&self, cfg: &Cfg, frequency: &[u64]) -> Vec<usize> {
        let weight = |arc: Arc| match arc {
            Arc::Edge(edge) => frequency[edge.index()],
            Arc::Enter => executions(cfg, frequency, ENTRY),
            Arc::Leave(block) | Arc::Depart(block) | Arc::Arrive(block) => executions(cfg, frequency, block),
        };
        let holds_code = |arc: Arc| match arc {
            Arc::Edge(edge) => cfg.edge(edge).kind == EdgeKind::Plain,
            Arc::Enter | Arc::Leave(_) | Arc::Depart(_) => true,
            Arc::Arrive(_) => false,
        };
        let makes_no_tail_call = |arc: Arc| matches!(arc, Arc::Leave(block) if cfg.counts_above(block));
        let mut order: Vec<usize> = (0..self.list.len()).collect();
        order.sort_by_key(|&number| {
            let arc = self.list[number];
            (holds_code(arc), !makes_no_tail_call(arc), Reverse(weight(arc)))
        });
        let may_stay = cfg.blocks().any(|block| cfg.may_stay(block) && cfg.exit(block).is_none());
        let tree = self.network.tree(order, may_stay);
        (0..tree.len()).filter(|&number| !tree[number] && holds_code(self.list[number])).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;

    /// The counted arcs of a graph.
    fn counted(graph: &str) -> String {
        let named = text::parse(graph).expect("a graph");
        let arcs = Arcs::of(&named.cfg);
        let name = |block: Block| named.names[block.index()].clone();
        let word = |arc: Arc| match arc {
            Arc::Edge(edge) => format!("{}→{}", name(named.cfg.edge(edge).from), name(named.cfg.edge(edge).to)),
            Arc::Enter => "enter".into(),
            Arc::Leave(block) => format!("leave {}", name(block)),
            Arc::Depart(block) => format!("depart {}", name(block)),
            Arc::Arrive(block) => format!("arrive {}", name(block)),
        };
        let counted = arcs.fewest(&named.cfg, &named.frequency);
        counted.into_iter().map(|number| word(arcs.list[number])).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn one_edge_for_each_cycle_is_counted() {
        assert_eq!(counted("A: B*9 C\n B: D*9\n C: D\n D:"), "B→D, C→D");
        assert_eq!(counted("A: H\n H: B*100 X\n B: H*100\n X:"), "B→H, leave X");
    }

    #[test]
    fn where_a_frame_may_stay_all_arcs_outside_are_counted() {
        assert_eq!(counted("A?: B*9 C\n B: D*9\n C: D\n D:"), "C→D, enter, leave D");
    }

    #[test]
    fn edges_without_code_are_never_counted() {
        assert_eq!(counted("A: B*2 ~C\n B:\n C: D*5 E*4\n D:\n E:"), "enter, leave B, leave E");
        let opaque = counted("A: !B*9 !C*9\n B: !B*9 !C*9\n C:");
        assert!(!opaque.contains("arrive"), "{opaque}");
    }
}
