//! The acyclic graph whose paths are counted.
//!
//! Its nodes are the blocks and EXIT; its edges are the control-flow edges that are not cut, one
//! edge to EXIT for every way a path ends and one edge from ENTRY for every way a path starts after
//! a cut. It is a multigraph: a block may have two edges to EXIT, and ENTRY two edges to a loop
//! header. So edges are known by their index, never by their ends.

use std::fmt;

use crate::adjacency::Adjacency;
use crate::cfg::{Block, Cfg, ENTRY, Edge, EdgeKind, id};
use crate::cuts::{Cuts, Reason};

id! {
    /// An edge of an acyclic graph.
    DagEdge, "d"
}

/// Where the code for an end or a start goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CutSite {
    /// On the cut edges themselves.
    OnEdges,
    /// In the block: before its terminator for an end, at its top for a start.
    InBlock,
}

/// The meaning of an edge of the acyclic graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DagEdgeKind {
    /// A control-flow edge that is not cut.
    Flow(Edge),
    /// The function is left.
    Leave,
    /// A path ends, though control goes on.
    End(CutSite, Reason),
    /// A path starts after a cut.
    Start(CutSite, Reason),
    /// Control comes to a call that may not come back. Where it does not, the path ends so.
    InFlight,
}

/// An edge of the acyclic graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DagEdgeData {
    /// Source; ENTRY for a start.
    pub from: Block,
    /// Target; [`Dag::exit`] for a leave or an end.
    pub to: Block,
    /// Its meaning.
    pub kind: DagEdgeKind,
}

/// The two edges that replace a cut control-flow edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The edge to EXIT that ends the path before it.
    pub end: DagEdge,
    /// The edge from ENTRY that starts the path after it.
    pub start: DagEdge,
}

/// The acyclic graph of a function. Blocks that cannot be reached have no edges in it.
#[derive(Clone, Debug)]
pub struct Dag {
    edges: Vec<DagEdgeData>,
    cuts: Vec<Option<Cut>>,
    flow: Vec<Option<DagEdge>>,
    successors: Adjacency<DagEdge>,
    predecessors: Adjacency<DagEdge>,
    postorder: Vec<Block>,
}

impl Dag {
    /// Replaces the cut edges of `cfg`.
    pub fn new(cfg: &Cfg, cuts: &Cuts) -> Self {
        let exit = Block(cfg.num_blocks() as u32);
        let mut edges = Vec::new();
        let mut add = |from, to, kind| {
            edges.push(DagEdgeData { from, to, kind });
            DagEdge(edges.len() as u32 - 1)
        };
        let mut flow = vec![None; cfg.num_edges()];
        let mut ends = vec![None; cfg.num_edges()];
        for block in cfg.blocks().filter(|&block| cuts.is_reachable(block)) {
            // The first, so that its number is the least of those that begin alike
            // (`in_flight.rs`).
            if cfg.has_in_flight(block) {
                add(block, exit, DagEdgeKind::InFlight);
            }
            if cfg.exit(block).is_some() {
                add(block, exit, DagEdgeKind::Leave);
            }
            let shared = cuts.ends_in(block).then(|| {
                let reasons = cfg.successors(block).iter().filter_map(|&edge| cuts.reason(edge));
                add(block, exit, DagEdgeKind::End(CutSite::InBlock, strongest(reasons)))
            });
            for &edge in cfg.successors(block) {
                match cuts.reason(edge) {
                    None => {
                        flow[edge.index()] =
                            Some(add(block, cfg.edge(edge).to, DagEdgeKind::Flow(edge)))
                    }
                    Some(reason) => {
                        let own = || add(block, exit, DagEdgeKind::End(CutSite::OnEdges, reason));
                        ends[edge.index()] = Some(shared.unwrap_or_else(own));
                    }
                }
            }
        }
        let mut cut = vec![None; cfg.num_edges()];
        let mut shared_starts = vec![None; cfg.num_blocks()];
        for edge in cfg.edges() {
            let (Some(end), Some(reason)) = (ends[edge.index()], cuts.reason(edge)) else {
                continue;
            };
            let to = cfg.edge(edge).to;
            let start = if cuts.shares_start(to) {
                *shared_starts[to.index()].get_or_insert_with(|| {
                    let place =
                        if cuts.starts_in(to) { CutSite::InBlock } else { CutSite::OnEdges };
                    let reasons = cfg.predecessors(to).iter().filter_map(|&edge| cuts.reason(edge));
                    add(ENTRY, to, DagEdgeKind::Start(place, strongest(reasons)))
                })
            } else {
                add(ENTRY, to, DagEdgeKind::Start(CutSite::OnEdges, reason))
            };
            cut[edge.index()] = Some(Cut { end, start });
        }
        let nodes = cfg.num_blocks() + 1;
        let numbered = edges.iter().enumerate().map(|(index, edge)| (edge, DagEdge(index as u32)));
        let successors =
            Adjacency::new(nodes, numbered.clone().map(|(edge, id)| (edge.from.index(), id)));
        let predecessors = Adjacency::new(nodes, numbered.map(|(edge, id)| (edge.to.index(), id)));
        let postorder = postorder(&edges, &successors);
        Self { edges, cuts: cut, flow, successors, predecessors, postorder }
    }

    /// The node that every path ends at.
    pub fn exit(&self) -> Block {
        Block(self.num_nodes() as u32 - 1)
    }

    /// Number of nodes, EXIT included.
    pub fn num_nodes(&self) -> usize {
        self.successors.len()
    }

    /// All edges.
    pub fn edges(&self) -> impl DoubleEndedIterator<Item = DagEdge> + use<> {
        (0..self.edges.len() as u32).map(DagEdge)
    }

    /// Number of edges.
    pub fn num_edges(&self) -> usize {
        self.edges.len()
    }

    /// Source, target and meaning of an edge.
    pub fn edge(&self, edge: DagEdge) -> DagEdgeData {
        self.edges[edge.index()]
    }

    /// Edges out of a node, in the order in which they are numbered.
    pub fn successors(&self, node: Block) -> &[DagEdge] {
        self.successors.of(node.index())
    }

    /// Edges into a node.
    pub fn predecessors(&self, node: Block) -> &[DagEdge] {
        self.predecessors.of(node.index())
    }

    /// True if nothing can be inserted on `edge`.
    pub fn holds_no_code(&self, cfg: &Cfg, edge: DagEdge) -> bool {
        matches!(self.edge(edge).kind, DagEdgeKind::Flow(flow) if cfg.edge(flow).kind != EdgeKind::Plain)
    }

    /// True if `edge` leads from a branch to a join, so that code on it needs a block and a jump. A
    /// call that may not come back is taken for a branch, too, though code behind it needs no jump:
    /// the exact answer saved no instructions.
    pub fn is_critical(&self, edge: DagEdge) -> bool {
        let DagEdgeData { from, to, .. } = self.edge(edge);
        self.successors(from).len() > 1 && self.predecessors(to).len() > 1
    }

    /// The edges that replace a control-flow edge, if it is cut.
    pub fn cut(&self, edge: Edge) -> Option<Cut> {
        self.cuts[edge.index()]
    }

    /// The acyclic edge of a control-flow edge that is not cut. `None` if it is cut or cannot be
    /// reached.
    pub fn flow(&self, edge: Edge) -> Option<DagEdge> {
        self.flow[edge.index()]
    }

    /// The reachable nodes without EXIT, every node after its successors; ENTRY is the last.
    pub fn postorder(&self) -> &[Block] {
        &self.postorder
    }

    /// The executions of each edge, from the estimate for the edges of `cfg`.
    pub fn weights(&self, cfg: &Cfg, frequency: &[u64]) -> Vec<u64> {
        let mut weights = vec![0u64; self.num_edges()];
        let mut add = |edge: DagEdge, weight: u64| {
            let sum = &mut weights[edge.index()];
            *sum = sum.saturating_add(weight);
        };
        for edge in cfg.edges() {
            let weight = frequency[edge.index()];
            if let Some(flow) = self.flow(edge) {
                add(flow, weight);
            }
            if let Some(Cut { end, start }) = self.cut(edge) {
                add(end, weight);
                add(start, weight);
            }
        }
        for edge in self.edges().filter(|&edge| self.edge(edge).kind == DagEdgeKind::Leave) {
            let into = cfg.predecessors(self.edge(edge).from);
            into.iter().for_each(|into| add(edge, frequency[into.index()]));
        }
        weights
    }
}

/// The reason to give where several cuts share one end or start.
fn strongest(reasons: impl Iterator<Item = Reason>) -> Reason {
    let rank = |reason: &Reason| match reason {
        Reason::Limit => 0,
        Reason::LoopEntry => 1,
        Reason::BackEdge => 2,
        Reason::Opaque => 3,
    };
    reasons.max_by_key(rank).expect("an end or a start stands for at least one cut")
}

/// Depth-first postorder from ENTRY, without EXIT.
fn postorder(edges: &[DagEdgeData], successors: &Adjacency<DagEdge>) -> Vec<Block> {
    let mut order = Vec::with_capacity(successors.len());
    let mut seen = vec![false; successors.len()];
    let mut stack = vec![(ENTRY, 0)];
    seen[ENTRY.index()] = true;
    seen[successors.len() - 1] = true;
    while let Some((block, position)) = stack.last_mut() {
        match successors.of(block.index()).get(*position) {
            Some(edge) => {
                *position += 1;
                let to = edges[edge.index()].to;
                if !std::mem::replace(&mut seen[to.index()], true) {
                    stack.push((to, 0));
                }
            }
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order
}
