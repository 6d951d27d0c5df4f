//! The heaviest spanning tree of an acyclic graph closed by EXIT→ENTRY.
//!
//! Only the edges outside the tree, the chords, step the register; so the tree takes the edges on
//! which a step costs most (Ball & Larus, TOPLAS 16(4), 1994, §3). Kruskal's algorithm over the
//! edges as undirected. EXIT→ENTRY is always in the tree, and so are unwind edges, which cannot
//! hold code: since a block has at most one of them, they form a cycle only if they form a directed
//! one, and the graph has none.

use crate::cfg::{Cfg, ENTRY};
use crate::dag::{Dag, DagEdge};
use crate::union_find::UnionFind;

/// A spanning tree of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpanningTree {
    in_tree: Vec<bool>,
}

impl SpanningTree {
    /// The tree of the greatest total `cost`; of two equal edges the one with the lower index is
    /// preferred.
    pub fn heaviest<C: Ord>(cfg: &Cfg, dag: &Dag, cost: impl Fn(DagEdge) -> C) -> Self {
        let mut order: Vec<_> = dag.edges().collect();
        order.sort_by_key(|&edge| {
            (!dag.holds_no_code(cfg, edge), std::cmp::Reverse(cost(edge)), edge)
        });
        let mut joined = UnionFind::new(dag.num_nodes());
        joined.union(dag.exit().index(), ENTRY.index());
        let mut in_tree = vec![false; dag.num_edges()];
        for edge in order {
            let data = dag.edge(edge);
            let joins = joined.union(data.from.index(), data.to.index());
            assert!(joins || !dag.holds_no_code(cfg, edge), "unwind edges form no cycle");
            in_tree[edge.index()] = joins;
        }
        Self { in_tree }
    }

    /// True if `edge` is in the tree; if not, it is a chord.
    pub fn contains(&self, edge: DagEdge) -> bool {
        self.in_tree[edge.index()]
    }
}
