//! Which edges are counted, so that the counts of all others follow.
//!
//! Every block is an arc from its top to its end, and every edge is an arc from an end to a top.
//! The counts of these arcs obey the [conservation of flow](crate::flow_network), so the arcs of a
//! spanning tree need no counter. The tree takes first the arcs that can hold no code, then those
//! that run most often ("Optimally Profiling and Tracing Programs", Ball & Larus, TOPLAS 16(4),
//! 1994, §3).
//!
//! Opaque edges cannot be distinguished, and control may come along them from another frame. They
//! lead through the outside, so that only their sums are known: how often a block is left, or
//! reached, along them. Several arcs that hold no code may form a cycle, as calls do that may throw
//! to one landing pad or not return. Then their counts follow only if
//! [bounds](FlowNetwork::infer_within_bounds) determine them. The counts of all other arcs do not
//! depend on them.

use std::cmp::Reverse;

use crate::blocks::executions;
use crate::cfg::{Block, Cfg, ENTRY, Edge, EdgeKind};
use crate::flow_network::FlowNetwork;

/// Something that control does, as often as it goes along an arc.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arc {
    /// It takes this edge, which is not opaque.
    Edge(Edge),
    /// It comes to this block.
    Block(Block),
    /// It leaves this block along an opaque edge.
    Depart(Block),
    /// It comes to this block along an opaque edge.
    Arrive(Block),
    /// It stays in the call at the end of this block.
    Stay(Block),
}

/// An edge of a graph that was read from a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlainEdge {
    /// Source.
    pub from: u32,
    /// Target.
    pub to: u32,
    /// The code that it can hold.
    pub kind: EdgeKind,
}

/// A block of a graph that was read from a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlainBlock {
    /// True if the function is left in it.
    pub exits: bool,
    /// True if control may stay at its end.
    pub may_stay: bool,
}

/// The arcs of a function, in the order in which they are numbered.
#[derive(Clone, Debug)]
pub struct Arcs {
    /// Each arc.
    pub list: Vec<Arc>,
    /// Whether each arc can hold no code.
    without_code: Vec<bool>,
    /// The network that they make.
    network: FlowNetwork,
}

impl Arcs {
    /// The arcs of `cfg`.
    pub fn of(cfg: &Cfg) -> Self {
        let edges = cfg.edges().map(|edge| cfg.edge(edge));
        let edges: Vec<_> = edges
            .map(|edge| PlainEdge { from: edge.from.0, to: edge.to.0, kind: edge.kind })
            .collect();
        let blocks = cfg.blocks();
        let block =
            |block| PlainBlock { exits: cfg.exit(block).is_some(), may_stay: cfg.may_stay(block) };
        Self::new(&edges, &blocks.map(block).collect::<Vec<_>>())
    }

    /// The arcs of a graph that was read from a file. An edge that names no block is left out of
    /// the network.
    pub fn new(edges: &[PlainEdge], blocks: &[PlainBlock]) -> Self {
        let outside = 2 * blocks.len();
        let top = |block: usize| if block == ENTRY.index() { outside } else { 2 * block };
        let end = |block: usize| if blocks[block].exits { outside } else { 2 * block + 1 };
        let sound = |edge: &&PlainEdge| {
            (edge.from as usize) < blocks.len() && (edge.to as usize) < blocks.len()
        };
        let mut arcs = Self {
            list: Vec::new(),
            without_code: Vec::new(),
            network: FlowNetwork { arcs: Vec::new(), outside, points: 2 * blocks.len() + 1 },
        };
        for (index, edge) in edges
            .iter()
            .enumerate()
            .filter(|(_, edge)| sound(edge) && edge.kind != EdgeKind::Opaque)
        {
            let ends = [end(edge.from as usize), top(edge.to as usize)];
            arcs.add(Arc::Edge(Edge(index as u32)), ends, edge.kind != EdgeKind::Plain);
        }
        for block in 0..blocks.len() {
            arcs.add(Arc::Block(Block(block as u32)), [top(block), end(block)], false);
        }
        let mut departs = vec![false; blocks.len()];
        let mut arrives = vec![false; blocks.len()];
        for edge in edges.iter().filter(sound).filter(|edge| edge.kind == EdgeKind::Opaque) {
            departs[edge.from as usize] = true;
            arrives[edge.to as usize] = true;
        }
        for block in (0..blocks.len()).filter(|&block| departs[block]) {
            arcs.add(Arc::Depart(Block(block as u32)), [end(block), outside], false);
        }
        for block in (0..blocks.len()).filter(|&block| arrives[block]) {
            arcs.add(Arc::Arrive(Block(block as u32)), [outside, top(block)], true);
        }
        for block in
            (0..blocks.len()).filter(|&block| blocks[block].may_stay && !blocks[block].exits)
        {
            arcs.add(Arc::Stay(Block(block as u32)), [end(block), outside], true);
        }
        arcs
    }

    fn add(&mut self, arc: Arc, ends: [usize; 2], without_code: bool) {
        self.list.push(arc);
        self.network.arcs.push(ends);
        self.without_code.push(without_code);
    }

    /// The numbers of the arcs that are counted: as few as possible, and those that run least
    /// often. The function must have no call that returns twice.
    pub fn fewest(&self, cfg: &Cfg, frequency: &[u64]) -> Vec<usize> {
        let weight = |arc: Arc| match arc {
            Arc::Edge(edge) => frequency[edge.index()],
            Arc::Block(block) | Arc::Depart(block) | Arc::Arrive(block) | Arc::Stay(block) => {
                executions(cfg, frequency, block)
            }
        };
        // Code before a return that a call in tail position comes to would make it no tail call.
        let makes_no_tail_call =
            |arc: Arc| matches!(arc, Arc::Block(block) if cfg.counts_above(block));
        let mut order: Vec<usize> = (0..self.list.len()).collect();
        order.sort_by_key(|&number| {
            let arc = self.list[number];
            (!self.without_code[number], !makes_no_tail_call(arc), Reverse(weight(arc)))
        });
        let tree = self.network.tree(order);
        (0..tree.len()).filter(|&number| !tree[number] && !self.without_code[number]).collect()
    }

    /// The number of times that control went along each arc, from the counts of those that are
    /// known; `None` where they do not determine it.
    pub fn infer(&self, counts: Vec<Option<i128>>) -> Vec<Option<i128>> {
        // Cycles of arcs without code would be in the way of the others.
        let with_code = self.network.clone().without(|arc| self.without_code[arc]).infer(counts);
        let known = with_code
            .into_iter()
            .zip(&self.without_code)
            .map(|(count, without)| count.filter(|_| !without));
        self.network.infer_within_bounds(known.collect())
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
            Arc::Edge(edge) => {
                format!("{}→{}", name(named.cfg.edge(edge).from), name(named.cfg.edge(edge).to))
            }
            Arc::Block(block) => name(block),
            Arc::Depart(block) => format!("depart {}", name(block)),
            Arc::Arrive(block) => format!("arrive {}", name(block)),
            Arc::Stay(block) => format!("stay {}", name(block)),
        };
        let counted = arcs.fewest(&named.cfg, &named.frequency);
        counted.into_iter().map(|number| word(arcs.list[number])).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn one_arc_for_each_cycle_is_counted() {
        assert_eq!(counted("A: B*9 C\n B: D*9\n C: D\n D:"), "B, C");
        assert_eq!(counted("A: H\n H: B*100 X\n B: H*100\n X:"), "B, X");
    }

    #[test]
    fn where_a_frame_may_stay_what_comes_and_what_goes_on_are_counted() {
        assert_eq!(counted("A?: B*9 C\n B: D*9\n C: D\n D:"), "A, B, C");
        assert_eq!(counted("A?: B\n B:"), "A, B");
    }

    #[test]
    fn arcs_without_code_are_never_counted() {
        assert_eq!(counted("A: B*2 ~C\n B:\n C: D*5 E*4\n D:\n E:"), "B, C, E");
        // Landing pads of calls that may not come back are counted themselves.
        assert_eq!(counted("A?: B*2 ~C\n B?: D*2 ~C\n C:\n D:"), "A, B, C, D");
        let opaque = counted("A: !B*9 !C*9\n B: !B*9 !C*9\n C:");
        assert!(!opaque.contains("arrive"), "{opaque}");
    }
}
