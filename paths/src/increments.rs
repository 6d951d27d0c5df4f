//! Computes what each chord adds to the path register.
//!
//! A chord closes one cycle with the tree; its increment is the signed sum of the values around
//! that cycle, and the increments along any path add up to the path's id (Ball & Larus, TOPLAS
//! 16(4), 1994, §3.3). With a potential φ for each node, the sum of the values on the tree path
//! from the root to it, the increment of u→v is value + φ(u) − φ(v), which is 0 on the tree.
//!
//! Arithmetic wraps at 64 bits: the register may be anything on the way, but ends as an id.

use crate::cfg::{Block, ENTRY};
use crate::dag::{Dag, DagEdge};
use crate::numbering::Numbering;
use crate::spanning_tree::SpanningTree;

/// The increments of the edges of one graph, 0 on the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Increments {
    of: Vec<i64>,
}

impl Increments {
    /// The increments of the chords of `tree`.
    pub fn of_chords(dag: &Dag, numbering: &Numbering, tree: &SpanningTree) -> Self {
        let value = |edge: DagEdge| numbering.value(edge) as i64;
        let potential = potentials(dag, numbering, tree);
        let increment = |edge: DagEdge| {
            let data = dag.edge(edge);
            let around = potential[data.from.index()].wrapping_sub(potential[data.to.index()]);
            value(edge).wrapping_add(around)
        };
        Self { of: dag.edges().map(increment).collect() }
    }

    /// The value that `edge` adds to the register.
    pub fn of(&self, edge: DagEdge) -> i64 {
        self.of[edge.index()]
    }
}

/// The signed sum of the values on the tree path from ENTRY (and EXIT, which is one with it) to
/// each node.
fn potentials(dag: &Dag, numbering: &Numbering, tree: &SpanningTree) -> Vec<i64> {
    let mut potential: Vec<Option<i64>> = vec![None; dag.num_nodes()];
    potential[ENTRY.index()] = Some(0);
    potential[dag.exit().index()] = Some(0);
    let mut pending = vec![ENTRY, dag.exit()];
    while let Some(node) = pending.pop() {
        let here = potential[node.index()].expect("a pending node has a potential");
        let mut reach = |to: Block, at: i64| {
            if potential[to.index()].is_none() {
                potential[to.index()] = Some(at);
                pending.push(to);
            }
        };
        for &edge in dag.successors(node).iter().filter(|&&edge| tree.contains(edge)) {
            reach(dag.edge(edge).to, here.wrapping_add(numbering.value(edge) as i64));
        }
        for &edge in dag.predecessors(node).iter().filter(|&&edge| tree.contains(edge)) {
            reach(dag.edge(edge).from, here.wrapping_sub(numbering.value(edge) as i64));
        }
    }
    potential.into_iter().map(|potential| potential.unwrap_or(0)).collect()
}
