//! The slow obvious versions: enumerating all paths, and cutting a recorded walk into paths.
//!
//! Nothing here uses numbers; it is what the numbering is checked against.

use crate::Plan;
use crate::cfg::{Block, Cfg, ENTRY, Edge};
use crate::dag::{Dag, DagEdge, DagEdgeKind};
use crate::placement::Op;

/// Every path of `dag` as its edges, by depth-first search.
pub(crate) fn enumerate(dag: &Dag) -> Vec<Vec<DagEdge>> {
    let mut paths = Vec::new();
    let mut pending = vec![(ENTRY, Vec::new())];
    while let Some((node, path)) = pending.pop() {
        if node == dag.exit() {
            paths.push(path);
            continue;
        }
        for &edge in dag.successors(node) {
            let mut longer = path.clone();
            longer.push(edge);
            pending.push((dag.edge(edge).to, longer));
        }
    }
    paths
}

/// A walk through `cfg` from the entry: `choose(n)` picks one of n ways on. Ends at an exit, or
/// after `most` edges.
pub(crate) fn walk(cfg: &Cfg, most: usize, mut choose: impl FnMut(usize) -> usize) -> Vec<Edge> {
    let mut walked = Vec::new();
    let mut block = ENTRY;
    while walked.len() < most && !cfg.successors(block).is_empty() {
        let edge = cfg.successors(block)[choose(cfg.successors(block).len())];
        walked.push(edge);
        block = cfg.edge(edge).to;
    }
    walked
}

/// Cuts a walk into paths as edges of the acyclic graph. The last path is left out unless the walk
/// ended at an exit, or before a cut. Then the path that stands still in the last block, if that is
/// counted.
pub(crate) fn cut_walk(
    cfg: &Cfg,
    dag: &Dag,
    walked: &[Edge],
) -> (Vec<Vec<DagEdge>>, Option<Vec<DagEdge>>) {
    let mut paths = Vec::new();
    let mut path = Vec::new();
    let mut block = ENTRY;
    for &edge in walked {
        match dag.cut(edge) {
            None => path.extend(dag.flow(edge)),
            Some(cut) => {
                path.push(cut.end);
                paths.push(std::mem::replace(&mut path, vec![cut.start]));
            }
        }
        block = cfg.edge(edge).to;
    }
    let in_flight = stands(dag, block).map(|edge| [path.as_slice(), &[edge]].concat());
    if cfg.exit(block).is_some() {
        path.extend(leaves(dag, block));
        paths.push(path);
    }
    (paths, in_flight)
}

/// The edges along which control leaves the function in `block`.
fn leaves(dag: &Dag, block: Block) -> impl Iterator<Item = DagEdge> {
    dag.successors(block)
        .iter()
        .copied()
        .filter(|&edge| dag.edge(edge).kind != DagEdgeKind::InFlight)
}

/// The edge of a path that stands still in `block`.
fn stands(dag: &Dag, block: Block) -> Option<DagEdge> {
    dag.successors(block).iter().copied().find(|&edge| dag.edge(edge).kind == DagEdgeKind::InFlight)
}

/// Executes the placed code along a walk and returns the ids in the order in which they are
/// counted, and that of the path that stands still in the last block.
pub(crate) fn execute(cfg: &Cfg, plan: &Plan, walked: &[Edge]) -> (Vec<u64>, Option<u64>) {
    let count = |op: Op, r: i64| match op {
        Op::Count(n) => r.wrapping_add(n) as u64,
        Op::CountAt(n) => n,
        Op::Add(_) | Op::Set(_) => panic!("{op:?} counts nothing"),
    };
    let step = |edge: DagEdge, r: &mut i64, counted: &mut Vec<u64>| {
        if let Some(op) = plan.placement.back(edge) {
            assert_eq!(
                counted.pop(),
                Some(count(op, *r)),
                "only what was counted last is taken back"
            );
        }
        match plan.placement.op(edge) {
            Some(Op::Add(n)) => *r = r.wrapping_add(n),
            Some(Op::Set(n)) => *r = n,
            Some(op) => counted.push(count(op, *r)),
            None => {}
        }
        counted.extend(plan.placement.speculative(edge).map(|op| count(op, *r)));
    };
    // A value that no path leads to, to show a register that is read before it is set.
    let mut r = i64::MIN / 3;
    let mut counted = Vec::new();
    let mut block = ENTRY;
    for &edge in walked {
        if let Some(n) = plan.placement.settled(block) {
            r = n;
        }
        let cut = plan.dag.cut(edge).map(|cut| [cut.end, cut.start]);
        let followed = plan.dag.flow(edge).into_iter().chain(cut.into_iter().flatten());
        followed.for_each(|edge| step(edge, &mut r, &mut counted));
        block = cfg.edge(edge).to;
    }
    let in_flight = stands(&plan.dag, block).and_then(|edge| {
        let mut stands = Vec::new();
        step(edge, &mut r, &mut stands);
        stands.pop()
    });
    if cfg.exit(block).is_some() {
        leaves(&plan.dag, block).for_each(|edge| step(edge, &mut r, &mut counted));
    }
    (counted, in_flight)
}
