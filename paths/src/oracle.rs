//! The slow obvious versions: enumerating all paths, and cutting a recorded walk into paths.
//!
//! Nothing here uses numbers; it is what the numbering is checked against.

use crate::Plan;
use crate::cfg::{Block, Cfg, ENTRY, Edge};
use crate::dag::{Dag, DagEdge};
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

/// A walk through `cfg` from the entry: `choose(n)` picks one of n ways on. Ends at an exit, or after `most` edges.
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

/// Cuts a walk into paths as edges of the acyclic graph. The last path is left out unless the walk ended at an exit, or
/// before a cut.
pub(crate) fn cut_walk(cfg: &Cfg, dag: &Dag, walked: &[Edge]) -> Vec<Vec<DagEdge>> {
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
    if cfg.exit(block).is_some() {
        path.extend(dag.successors(block));
        paths.push(path);
    }
    paths
}

/// Executes the placed code along a walk and returns the ids in the order in which they are counted.
pub(crate) fn execute(cfg: &Cfg, plan: &Plan, walked: &[Edge]) -> Vec<u64> {
    // A value that no path leads to, to show a register that is read before it is set.
    let mut r = i64::MIN / 3;
    let mut counted = Vec::new();
    let mut step = |edge: DagEdge, r: &mut i64| match plan.placement.op(edge) {
        None => {}
        Some(Op::Add(n)) => *r = r.wrapping_add(n),
        Some(Op::Set(n)) => *r = n,
        Some(Op::Count(n)) => counted.push(r.wrapping_add(n) as u64),
        Some(Op::CountAt(n)) => counted.push(n),
    };
    let settle = |block: Block, r: &mut i64| {
        if let Some(n) = plan.placement.settled(block) {
            *r = n;
        }
    };
    let mut block = ENTRY;
    for &edge in walked {
        settle(block, &mut r);
        if let Some(flow) = plan.dag.flow(edge) {
            step(flow, &mut r);
        }
        if let Some(cut) = plan.dag.cut(edge) {
            step(cut.end, &mut r);
            step(cut.start, &mut r);
        }
        block = cfg.edge(edge).to;
    }
    if cfg.exit(block).is_some() {
        plan.dag.successors(block).iter().for_each(|&edge| step(edge, &mut r));
    }
    counted
}
