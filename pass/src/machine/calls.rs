//! Decides at which calls paths end.
//!
//! A path goes on over a call if only one way leads there from its start: then its number is a
//! constant behind the call, and nothing has to be kept. Where ways have joined before, the path
//! ends before the call and a new one starts behind it. This costs nothing: before a call that may
//! not come back a path is counted in any case.

use paths::cfg::{Block, Cfg, ENTRY, Edge, EdgeKind};
use paths::cuts::Cuts;

use super::graph::Graph;

/// For each node, true if paths end before the call at its end. `loop_entries` says whether paths
/// end where loops are entered, too.
pub(crate) fn ends(graph: &Graph<'_>, loop_entries: bool) -> Vec<bool> {
    let mut is_cut = vec![false; graph.nodes.len()];
    // A loop in which a path ends needs no other end, so that ways join at its head.
    loop {
        let cfg = graph.cfg(&is_cut);
        let cuts = Cuts::necessary(&cfg);
        let cuts = if loop_entries { cuts.with_loop_entries(&cfg) } else { cuts };
        let mut is_known = vec![false; graph.nodes.len()];
        let mut has_changed = false;
        for &block in cuts.postorder().iter().rev() {
            is_known[block.index()] = knows(&cfg, &cuts, block, &is_cut, &is_known);
            let cannot_hold = |&edge: &Edge| cfg.edge(edge).kind == EdgeKind::Opaque;
            let ends = graph.node(block).calls
                && cfg.exit(block).is_none()
                && (!is_known[block.index()]
                    || graph.code.returns_twice
                    || cfg.successors(block).iter().any(cannot_hold));
            if ends && !is_cut[block.index()] {
                is_cut[block.index()] = true;
                has_changed = true;
            }
        }
        if !has_changed {
            return is_cut;
        }
    }
}

/// True if only one way leads to `block` from where its paths start.
fn knows(cfg: &Cfg, cuts: &Cuts, block: Block, is_cut: &[bool], is_known: &[bool]) -> bool {
    let into = cfg.predecessors(block);
    let (ends, flows): (Vec<Edge>, Vec<Edge>) = into
        .iter()
        .partition(|&&edge| cuts.reason(edge).is_some() || is_cut[cfg.edge(edge).from.index()]);
    let starts = match ends.len() {
        0 => 0,
        _ if cuts.shares_start(block) => 1,
        several => several,
    };
    match (flows.as_slice(), starts) {
        ([], _) if block == ENTRY => true,
        ([], 1) => true,
        ([only], 0) => is_known[cfg.edge(*only).from.index()],
        _ => false,
    }
}
