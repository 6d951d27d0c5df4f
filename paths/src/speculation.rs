//! Speculative counting: in a loop, paths are counted before the branch that may leave it.
//!
//! Several ways through a loop may meet before its last branch. Then the register keeps them
//! apart, and one instruction counts them all. Whenever another way is taken, that instruction
//! steps another counter, and a processor has to wait for the store before each load
//! (`docs/internals/late.md`). Speculation gives each way an instruction of its own, which
//! counts the path as if the loop went on. Where the loop is left instead, the count is taken back.
//! The register is still set, for the ways out.
//!
//! A path that is counted speculatively has not ended. So this is done only where control cannot
//! stay: no call stands between the counting and the end of the iteration.

use crate::cfg::{Block, Cfg, ENTRY};
use crate::cuts::Reason;
use crate::dag::{CutSite, Dag, DagEdge, DagEdgeKind};
use crate::increments::Increments;

/// More ways into the end of a loop are not worth a copy of the code each.
const MOST_WAYS: usize = 8;

/// The loop must go on so many times more often than it is left there.
const ODDS: u64 = 4;

/// The expectation at a node before which paths are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Bet {
    /// The way on.
    edge: DagEdge,
    /// The sum that is still to be added to the register from the node to EXIT.
    rest: i64,
}

/// The bets at all nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Speculation(Vec<Option<Bet>>);

impl Speculation {
    /// No bet anywhere.
    pub(crate) fn none(dag: &Dag) -> Self {
        Self(vec![None; dag.num_nodes()])
    }

    /// The bets that pay. `counted` has the nodes that need none.
    pub(crate) fn of(
        cfg: &Cfg,
        dag: &Dag,
        increments: &Increments,
        weights: &[u64],
        counted: &[Option<i64>],
    ) -> Self {
        let mut possible: Vec<Option<Bet>> = vec![None; dag.num_nodes()];
        for &node in
            dag.postorder().iter().filter(|&&node| node != ENTRY && counted[node.index()].is_none())
        {
            possible[node.index()] = bet(cfg, dag, increments, weights, node, &possible);
        }
        let mut bets = vec![None; dag.num_nodes()];
        for &node in dag.postorder().iter().rev().filter(|&&node| pays(dag, node)) {
            let mut at = node;
            while let Some(bet) = possible[at.index()]
                && bets[at.index()].is_none()
            {
                bets[at.index()] = Some(bet);
                at = dag.edge(bet.edge).to;
            }
        }
        Self(bets)
    }

    /// True if `edge` is the expected way: what is ahead of it has been counted.
    pub(crate) fn expect(&self, dag: &Dag, edge: DagEdge) -> bool {
        self.0[dag.edge(edge).from.index()].is_some_and(|bet| bet.edge == edge)
    }

    /// If paths along `edge` are counted ahead from here on, what is to be added to the register at
    /// its target.
    pub(crate) fn placed(&self, dag: &Dag, edge: DagEdge) -> Option<i64> {
        self.0[dag.edge(edge).to.index()].filter(|_| !self.expect(dag, edge)).map(|bet| bet.rest)
    }

    /// If another way than `edge` was counted, what is to be added to the register at its source.
    pub(crate) fn lost(&self, dag: &Dag, edge: DagEdge) -> Option<i64> {
        self.0[dag.edge(edge).from.index()].filter(|bet| bet.edge != edge).map(|bet| bet.rest)
    }
}

/// The bet at `node`, given those at its successors: its heaviest edge ends the iteration of a
/// loop or leads to such a bet.
fn bet(
    cfg: &Cfg,
    dag: &Dag,
    increments: &Increments,
    weights: &[u64],
    node: Block,
    possible: &[Option<Bet>],
) -> Option<Bet> {
    let weight = |edge: DagEdge| weights[edge.index()];
    let out = dag.successors(node);
    let edge = *out.iter().max_by_key(|&&edge| weight(edge))?;
    let rest = match dag.edge(edge).kind {
        DagEdgeKind::End(CutSite::OnEdges, Reason::BackEdge) => 0,
        DagEdgeKind::Flow(_) => possible[dag.edge(edge).to.index()]?.rest,
        _ => return None,
    };
    let others = out
        .iter()
        .filter(|&&other| other != edge)
        .fold(0u64, |sum, &other| sum.saturating_add(weight(other)));
    let may = !cfg.may_stay(node)
        && others.saturating_mul(ODDS) <= weight(edge)
        && out.iter().chain(dag.predecessors(node)).all(|&edge| holds_code(cfg, dag, edge));
    may.then(|| Bet { edge, rest: rest.wrapping_add(increments.of(edge)) })
}

fn holds_code(cfg: &Cfg, dag: &Dag, edge: DagEdge) -> bool {
    match dag.edge(edge).kind {
        DagEdgeKind::Flow(_) => !dag.holds_no_code(cfg, edge),
        DagEdgeKind::End(place, _) | DagEdgeKind::Start(place, _) => place == CutSite::OnEdges,
        DagEdgeKind::Leave | DagEdgeKind::InFlight => false,
    }
}

/// True if ways meet at `node`, or every iteration of a loop begins there.
fn pays(dag: &Dag, node: Block) -> bool {
    let ways = dag.predecessors(node);
    let begins =
        |way: &DagEdge| matches!(dag.edge(*way).kind, DagEdgeKind::Start(_, Reason::BackEdge));
    ways.len() <= MOST_WAYS && (ways.len() > 1 || ways.iter().all(begins))
}
