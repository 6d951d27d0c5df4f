//! Where the register is set and stepped, and where paths are counted.
//!
//! Initialisation has moved down and counting has moved up (`moves.rs`). What remains are the
//! constants: the register's value where it is known, and the number of the counter where a path is
//! counted.
//!
//! In short loops, counting also moves over the branches that may end them: see `speculation.rs`.

use crate::cfg::{Block, Cfg};
use crate::dag::{Dag, DagEdge};
use crate::increments::Increments;
use crate::moves::Moves;
use crate::speculation::Speculation;
use crate::techniques::Techniques;

/// An operation on an edge of the acyclic graph. `r` is the path register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// `r += n`
    Add(i64),
    /// `r = n`
    Set(i64),
    /// `count[r + n]++`
    Count(i64),
    /// `count[n]++`
    CountAt(u64),
}

/// The code of one function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    ops: Vec<Option<Op>>,
    settled: Vec<Option<i64>>,
    speculative: Vec<Option<Op>>,
    back: Vec<Option<Op>>,
}

impl Placement {
    /// Places the code for `increments`. `weights` estimates how often each edge is followed.
    pub fn of(
        cfg: &Cfg,
        dag: &Dag,
        increments: &Increments,
        moves: &Moves,
        weights: &[u64],
        techniques: Techniques,
    ) -> Self {
        let known = known_constants(dag, increments, moves);
        let counted = rests_above(dag, increments, moves);
        let speculation = if techniques.speculation {
            Speculation::of(cfg, dag, increments, weights, &counted)
        } else {
            Speculation::none(dag)
        };
        let count = |r: Option<i64>, rest: i64| match r {
            Some(r) => Op::CountAt(r.wrapping_add(rest) as u64),
            None => Op::Count(rest),
        };
        let before = |edge: DagEdge| known[dag.edge(edge).from.index()];
        let behind = |edge: DagEdge| before(edge).map(|r| r.wrapping_add(increments.of(edge)));
        let speculative = dag
            .edges()
            .map(|edge| speculation.placed(dag, edge).map(|rest| count(behind(edge), rest)));
        let back = dag
            .edges()
            .map(|edge| speculation.lost(dag, edge).map(|rest| count(before(edge), rest)));
        let ops = dag.edges().map(|edge| {
            let data = dag.edge(edge);
            let step = increments.of(edge);
            let rest = if data.to == dag.exit() { Some(0) } else { counted[data.to.index()] };
            match (before(edge), rest) {
                (_, Some(_))
                    if counted[data.from.index()].is_some() || speculation.expect(dag, edge) =>
                {
                    None
                }
                (r, Some(rest)) => Some(count(r, step.wrapping_add(rest))),
                (Some(_), None)
                    if known[data.to.index()].is_some() || dag.holds_no_code(cfg, edge) =>
                {
                    None
                }
                (Some(r), None) => Some(Op::Set(r.wrapping_add(step))),
                (None, None) => (step != 0).then_some(Op::Add(step)),
            }
        });
        let settles = |block: Block| {
            let needs_it = |&edge: &DagEdge| {
                dag.holds_no_code(cfg, edge) && known[dag.edge(edge).to.index()].is_none()
            };
            known[block.index()].filter(|_| dag.successors(block).iter().any(needs_it))
        };
        Self {
            ops: ops.collect(),
            settled: cfg.blocks().map(settles).collect(),
            speculative: speculative.collect(),
            back: back.collect(),
        }
    }

    /// The operation on `edge`.
    pub fn op(&self, edge: DagEdge) -> Option<Op> {
        self.ops[edge.index()]
    }

    /// The count behind `edge`, ahead of the end of the path.
    pub fn speculative(&self, edge: DagEdge) -> Option<Op> {
        self.speculative[edge.index()]
    }

    /// The count that was made ahead and is taken back on `edge`, before any other operation.
    pub fn back(&self, edge: DagEdge) -> Option<Op> {
        self.back[edge.index()]
    }

    /// True if a counter is stepped when `edge` is followed.
    pub fn counts(&self, edge: DagEdge) -> bool {
        let op = self.op(edge).filter(|op| matches!(op, Op::Count(_) | Op::CountAt(_)));
        op.or(self.speculative(edge)).or(self.back(edge)).is_some()
    }

    /// The constant that the register must be set to before the terminator of `block`, because an
    /// edge out of it needs the register but cannot hold code.
    pub fn settled(&self, block: Block) -> Option<i64> {
        self.settled[block.index()]
    }
}

/// The register's value at each node where it is known.
fn known_constants(dag: &Dag, increments: &Increments, moves: &Moves) -> Vec<Option<i64>> {
    let mut known = vec![None; dag.num_nodes()];
    for &node in dag.postorder().iter().rev().filter(|&&node| moves.is_known(node)) {
        let behind = |&edge: &DagEdge| {
            known[dag.edge(edge).from.index()].map(|r: i64| r.wrapping_add(increments.of(edge)))
        };
        known[node.index()] = dag.predecessors(node).first().map_or(Some(0), behind);
    }
    known
}

/// For each node before which paths are counted, what is still to be added to the register from
/// there to EXIT.
fn rests_above(dag: &Dag, increments: &Increments, moves: &Moves) -> Vec<Option<i64>> {
    let mut rests = vec![None; dag.num_nodes()];
    for &node in dag.postorder().iter().filter(|&&node| moves.is_counted(node)) {
        let edge = dag.successors(node)[0];
        let to = dag.edge(edge).to;
        let rest = if to == dag.exit() { Some(0) } else { rests[to.index()] };
        rests[node.index()] = rest.map(|rest: i64| rest.wrapping_add(increments.of(edge)));
    }
    rests
}
