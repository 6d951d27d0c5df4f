//! How the entries of a function are known, though its paths are counted only where they end.
//!
//! A frame that is still running when the process ends, or that is jumped over, has entered the function without having
//! ended its first path. A counter of its own tells of such frames. It is stepped on the way into the blocks that
//! control may stay in, so that a call on a way seldom taken costs nothing on the others: the entries are what this
//! counter says, and the paths from the entry that do not step it. Every path from the entry steps it at most
//! once, and no other path does.

use crate::cfg::{Cfg, ENTRY, EdgeKind};
use crate::dag::{Dag, DagEdge, Kind};
use crate::placement::{Op, Placement};
use crate::techniques::Techniques;

/// With more edges than this the counter is stepped at the entry: each is a copy of the code.
const MOST_MARKS: usize = 6;

/// How entries are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entries {
    /// Every frame that entered has counted a path.
    ByPaths,
    /// By a counter that is stepped at the entry.
    Counted,
    /// By a counter that is stepped on these edges, and the paths from the entry that follow none of them.
    Marked(Vec<DagEdge>),
}

impl Entries {
    /// How the entries of this graph are best known.
    pub fn of(cfg: &Cfg, dag: &Dag, placement: &Placement, weights: &[u64], techniques: Techniques) -> Self {
        let in_danger = danger(cfg, dag, placement);
        if !in_danger[ENTRY.index()] {
            return Entries::ByPaths;
        }
        let marks = marks(cfg, dag, placement, &in_danger);
        let weight = |edges: &[DagEdge]| edges.iter().fold(0u64, |sum, edge| sum.saturating_add(weights[edge.index()]));
        let plain =
            |edge: &DagEdge| matches!(dag.edge(*edge).kind, Kind::Flow(flow) if cfg.edge(flow).kind == EdgeKind::Plain);
        let from_entry: Vec<_> = dag.successors(ENTRY).iter().copied().filter(|&edge| is_flow(dag, edge)).collect();
        // A little cheaper is not cheaper: the code at the entry is never on an edge of its own.
        let pays = weight(&marks) <= weight(&from_entry) / 4 * 3;
        if !techniques.marks || cfg.may_stay(ENTRY) || marks.len() > MOST_MARKS || !marks.iter().all(plain) || !pays {
            return Entries::Counted;
        }
        Entries::Marked(marks)
    }

    /// Whether they have a counter.
    pub fn have_counter(&self) -> bool {
        *self != Entries::ByPaths
    }

    /// Whether the counter is stepped on `edge`.
    pub fn mark(&self, edge: DagEdge) -> bool {
        matches!(self, Entries::Marked(marks) if marks.contains(&edge))
    }
}

fn is_flow(dag: &Dag, edge: DagEdge) -> bool {
    matches!(dag.edge(edge).kind, Kind::Flow(_))
}

/// Whether a path goes on along `edge` without having been counted on it.
fn goes_on(dag: &Dag, placement: &Placement, edge: DagEdge) -> bool {
    is_flow(dag, edge) && !matches!(placement.op(edge), Some(Op::Count(_) | Op::CountAt(_)))
}

/// For each node, whether control that gets there may stay before the path is counted.
fn danger(cfg: &Cfg, dag: &Dag, placement: &Placement) -> Vec<bool> {
    let mut in_danger = vec![false; dag.num_nodes()];
    for &node in dag.postorder() {
        let ahead = |&&edge: &&DagEdge| goes_on(dag, placement, edge) && in_danger[dag.edge(edge).to.index()];
        in_danger[node.index()] = cfg.may_stay(node) || dag.successors(node).iter().any(|edge| ahead(&edge));
    }
    in_danger
}

/// The edges along which first paths come into danger. A node that other paths get to as well is entered with the counter
/// stepped, since behind it nobody could tell them apart.
fn marks(cfg: &Cfg, dag: &Dag, placement: &Placement, in_danger: &[bool]) -> Vec<DagEdge> {
    let mut marks = Vec::new();
    // Whether only first paths get to a node, and none has stepped the counter.
    let mut is_clean = vec![false; dag.num_nodes()];
    is_clean[ENTRY.index()] = !cfg.may_stay(ENTRY);
    for &node in dag.postorder().iter().rev().filter(|&&node| node != ENTRY && in_danger[node.index()]) {
        let into = dag.predecessors(node);
        let comes_clean = |edge: DagEdge| is_clean[dag.edge(edge).from.index()] && goes_on(dag, placement, edge);
        if !cfg.may_stay(node) && into.iter().all(|&edge| comes_clean(edge)) {
            is_clean[node.index()] = true;
        } else {
            marks.extend(into.iter().copied().filter(|&edge| comes_clean(edge)));
        }
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{plan, text};

    fn entries(graph: &str) -> Entries {
        let named = text::parse(graph).expect("a sound graph");
        plan(&named.cfg, &named.frequency, 100, Techniques::ALL).entries
    }

    #[test]
    fn only_frames_that_may_stay_uncounted_need_a_counter() {
        assert_eq!(entries("A: B C\nB: D\nC: D\nD:"), Entries::ByPaths);
        assert_eq!(entries("A?:"), Entries::Counted);
        // The path through C is counted before C; that through B is not, since B may be left in the middle.
        assert_eq!(entries("A: B C\nB:\nC:"), Entries::ByPaths);
        // A first path may go around the loop, and then into C; but in the second graph all end before C.
        assert_eq!(entries("A: B\nB: B C\nC?:"), Entries::Counted);
        assert_eq!(entries("A: B\nB: !C\nC?:"), Entries::ByPaths);
    }

    #[test]
    fn a_call_on_one_way_costs_nothing_on_the_other() {
        let into_b = || Entries::Marked(vec![DagEdge(0)]);
        assert_eq!(entries("A: B C*9\nB?: D\nC: D\nD:"), into_b());
        // D is got to by paths that stepped the counter and by others: so all step it before.
        assert_eq!(entries("A: B C\nB?: D\nC: D\nD?:"), Entries::Counted);
        assert_eq!(entries("A: B C*9\nB?: D\nC:\nD?:"), into_b());
    }
}
