//! Where the register is set and stepped, and where paths are counted.
//!
//! Two facts about each node save most of the code (Ball & Larus, MICRO-29, 1996, §3.4):
//!
//! * *Initialisation moves down.* Where only one way leads to a node, the register is a known
//!   constant there, and nothing is stored until two ways meet.
//! * *Counting moves up.* Where only one way leads from a node to EXIT, the path can be counted
//!   before the node. It moves only over blocks that control cannot stay in, nor leave in the
//!   middle: otherwise a path would be counted that did not happen. Over a node with several ways
//!   in it moves if that saves an instruction on some of them, and code does not grow much: each
//!   way in then counts by itself. And over a block that returns what a call in tail position gave.
//!
//! In short loops, counting also moves over the branches that may end them: see `speculation.rs`.
//!
//! Where both meet, a path is counted by one instruction and no register: `count[constant]++`.

use crate::cfg::{Block, Cfg, ENTRY, EdgeKind};
use crate::dag::{Dag, DagEdge, Kind};
use crate::increments::Increments;
use crate::speculation::Speculation;
use crate::techniques::Techniques;

/// Counting moves up over a join if not more ways into it than this, or than it saves an
/// instruction on, get a copy that hold no code otherwise.
const COPIES: usize = 4;

/// What is done when an edge of the acyclic graph is followed. `r` is the path register.
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
        weights: &[u64],
        techniques: Techniques,
    ) -> Self {
        let known = known_constants(dag, increments, techniques);
        let pays = |into: &[DagEdge]| {
            techniques.joins && pays_above(dag, increments, &known, weights, into)
        };
        let counted = counted_above(cfg, dag, increments, techniques, pays);
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
                    if known[data.to.index()].is_some() || holds_no_code(cfg, dag, edge) =>
                {
                    None
                }
                (Some(r), None) => Some(Op::Set(r.wrapping_add(step))),
                (None, None) => (step != 0).then_some(Op::Add(step)),
            }
        });
        let settles = |block: Block| {
            let needs_it = |&edge: &DagEdge| {
                holds_no_code(cfg, dag, edge) && known[dag.edge(edge).to.index()].is_none()
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

    /// What is done when `edge` is followed.
    pub fn op(&self, edge: DagEdge) -> Option<Op> {
        self.ops[edge.index()]
    }

    /// What is counted when `edge` has been followed, ahead of the end of the path.
    pub fn speculative(&self, edge: DagEdge) -> Option<Op> {
        self.speculative[edge.index()]
    }

    /// What was counted ahead and is taken back when `edge` is followed, before anything else is
    /// done.
    pub fn back(&self, edge: DagEdge) -> Option<Op> {
        self.back[edge.index()]
    }

    /// Whether a counter is stepped when `edge` is followed.
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

fn holds_no_code(cfg: &Cfg, dag: &Dag, edge: DagEdge) -> bool {
    matches!(dag.edge(edge).kind, Kind::Flow(flow) if cfg.edge(flow).kind != EdgeKind::Plain)
}

/// The register's value at each node that only one way leads to.
fn known_constants(dag: &Dag, increments: &Increments, techniques: Techniques) -> Vec<Option<i64>> {
    let mut known = vec![None; dag.num_nodes()];
    for &node in dag.postorder().iter().rev() {
        known[node.index()] = match *dag.predecessors(node) {
            _ if node == ENTRY => Some(0),
            [edge] if techniques.constants => {
                known[dag.edge(edge).from.index()].map(|r: i64| r.wrapping_add(increments.of(edge)))
            }
            _ => None,
        };
    }
    known
}

/// For each node before which paths are counted, what is still to be added to the register from
/// there to EXIT. `pays` says whether it is better to count on these ways into a join than behind
/// it.
fn counted_above(
    cfg: &Cfg,
    dag: &Dag,
    increments: &Increments,
    techniques: Techniques,
    pays: impl Fn(&[DagEdge]) -> bool,
) -> Vec<Option<i64>> {
    let mut counted = vec![None; dag.num_nodes()];
    for &node in dag.postorder() {
        let [edge] = *dag.successors(node) else { continue };
        let to = dag.edge(edge).to;
        let rest = if to == dag.exit() { Some(0) } else { counted[to.index()] };
        let into = dag.predecessors(node);
        let may_move = node != ENTRY
            && !cfg.may_stay(node)
            && !into.iter().any(|&edge| holds_no_code(cfg, dag, edge))
            && (cfg.counts_above(node) || techniques.above && (into.len() == 1 || pays(into)));
        counted[node.index()] =
            rest.filter(|_| may_move).map(|rest: i64| rest.wrapping_add(increments.of(edge)));
    }
    counted
}

/// Whether counting on the ways `into` a join is better than behind it. Where the register is known
/// or stepped it takes the place of an instruction. Elsewhere it is a copy, and on an edge between
/// a branch and a join also a jump.
fn pays_above(
    dag: &Dag,
    increments: &Increments,
    known: &[Option<i64>],
    weights: &[u64],
    into: &[DagEdge],
) -> bool {
    let (mut saved, mut jumps) = (0u64, 0u64);
    let (mut free, mut copies) = (0, 0);
    for &edge in into {
        let from = dag.edge(edge).from;
        let weight = weights[edge.index()];
        if known[from.index()].is_some() || increments.of(edge) != 0 {
            free += 1;
            saved = saved.saturating_add(weight);
        } else {
            copies += 1;
            jumps = jumps.saturating_add(if dag.successors(from).len() > 1 { weight } else { 0 });
        }
    }
    free > 0 && copies <= free.max(COPIES) && saved >= jumps
}
