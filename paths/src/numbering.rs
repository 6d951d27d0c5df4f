//! Numbers the paths of an acyclic graph so that each has a distinct id in `0..total`.
//!
//! Every edge gets a value; the sum of the values along a path is the path's id. A node has as many
//! paths to EXIT as its successors have together, and an edge's value is the number of paths over
//! the edges before it. From "Efficient Path Profiling" (Ball & Larus, MICRO-29, 1996), Figure 5.
//!
//! ```text
//!        A              paths(D) = 1
//!   +0 /   \ +1         paths(B) = paths(C) = 1
//!     B     C           paths(A) = 2
//!   +0 \   / +0         A B D → 0,  A C D → 1
//!        D
//! ```

use std::cmp::Reverse;

use crate::cfg::{Block, ENTRY};
use crate::dag::{Dag, DagEdge, DagEdgeKind};

/// Path counts of the nodes and values of the edges of one graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbering {
    paths: Vec<u64>,
    values: Vec<u64>,
}

/// A node has 2^64 or more paths to EXIT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyPaths {
    /// The node nearest to EXIT of which that is true.
    pub block: Block,
}

impl Numbering {
    /// Numbers the paths of `dag`, the edges out of each node in their order: a path in flight
    /// comes before those that go on.
    ///
    /// # Errors
    /// [`TooManyPaths`] if an id would not fit in 64 bits.
    pub fn of(dag: &Dag) -> Result<Self, TooManyPaths> {
        Self::ordered(dag, |_| {})
    }

    /// Numbers the paths of `dag`, the edges out of each node from the one with the greatest weight
    /// on. Its value is then 0, and so are more of the increments. Starts after a cut stay behind
    /// the ways on from the entry: readers of a profile see by its id whether a path began with a
    /// call. A path in flight stays before those that go on.
    ///
    /// # Errors
    /// [`TooManyPaths`] if an id would not fit in 64 bits.
    pub fn hottest_first(dag: &Dag, weights: &[u64]) -> Result<Self, TooManyPaths> {
        Self::ordered(dag, |edges| {
            let is_start = |edge| matches!(dag.edge(edge).kind, DagEdgeKind::Start(..));
            let goes_on = |edge| dag.edge(edge).kind != DagEdgeKind::InFlight;
            edges.sort_by_key(|&edge| {
                (is_start(edge), goes_on(edge), Reverse(weights[edge.index()]))
            });
        })
    }

    fn ordered(dag: &Dag, order: impl Fn(&mut [DagEdge])) -> Result<Self, TooManyPaths> {
        let mut paths: Vec<u64> = vec![0; dag.num_nodes()];
        let mut values = vec![0; dag.num_edges()];
        paths[dag.exit().index()] = 1;
        for &block in dag.postorder() {
            let mut sum = 0u64;
            let mut edges = dag.successors(block).to_vec();
            order(&mut edges);
            for edge in edges {
                values[edge.index()] = sum;
                sum = sum
                    .checked_add(paths[dag.edge(edge).to.index()])
                    .ok_or(TooManyPaths { block })?;
            }
            paths[block.index()] = sum;
        }
        Ok(Self { paths, values })
    }

    /// Number of paths of the whole graph.
    pub fn total(&self) -> u64 {
        self.num_paths(ENTRY)
    }

    /// Number of paths from `node` to EXIT.
    pub fn num_paths(&self, node: Block) -> u64 {
        self.paths[node.index()]
    }

    /// The value that `edge` adds to the id of a path.
    pub fn value(&self, edge: DagEdge) -> u64 {
        self.values[edge.index()]
    }
}
