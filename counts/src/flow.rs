//! Computes the counts of the control-flow edges from those of the acyclic edges.
//!
//! The count of an edge that is not cut is the sum of the counts of the paths that contain it. A
//! cut edge corresponds to two acyclic edges: its end finishes a path, and its start begins the
//! next. Several cut edges may share either one, as a group. Their counts follow from three rules,
//! in this order:
//!
//! 1. An edge alone in its group of starts has the count of the group, since code at the target
//!    really ran.
//! 2. An edge in a group whose remaining count is 0 was never taken.
//! 3. An edge alone in its group of ends has the count of the group, unless fewer starts are left,
//!    because the process ended in between.
//!
//! All other counts stay unknown.

use std::collections::HashMap;

use pathformat::manifest::{DagEdgeKind, Function};

use crate::model::Count;

/// Returns the count of each edge of the control-flow graph, or `None` if the counts of the acyclic
/// edges do not determine it. `dag_counts` has one count for each acyclic edge.
pub fn edge_counts(shape: &Function, dag_counts: &[Count]) -> Vec<Option<Count>> {
    let mut counts: Vec<Option<Count>> =
        shape.edges.iter().map(|edge| edge.cut.is_none().then_some(0)).collect();
    for (dag, &count) in shape.dag.iter().zip(dag_counts) {
        if let DagEdgeKind::Flow { edge } = dag.kind {
            counts[edge as usize] = Some(count);
        }
    }
    let open = shape.edges.iter().zip(&counts).enumerate();
    let open = open.filter(|(_, (_, count))| count.is_none());
    let open = open
        .filter_map(|(index, (edge, _))| edge.cut.map(|(end, start)| Pair { index, end, start }));
    let sum = |at: u32| Some(dag_counts.get(at as usize).copied().unwrap_or_default());
    for (index, count) in pair(open.collect(), sum, sum) {
        counts[index] = Some(count);
    }
    counts
}

/// An edge of which only the two ends are counted, each possibly together with other edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Index of the edge.
    pub index: usize,
    /// The group of edges that share its end.
    pub end: u32,
    /// The group of edges that share its start.
    pub start: u32,
}

/// Returns the counts of the edges that follow from the sums over all edges of one end, and over
/// all edges of one start, where these sums are known.
pub fn pair(
    mut open: Vec<Pair>,
    of_ends: impl Fn(u32) -> Option<Count>,
    of_starts: impl Fn(u32) -> Option<Count>,
) -> Vec<(usize, Count)> {
    let mut ends: HashMap<u32, Group> = HashMap::new();
    let mut starts: HashMap<u32, Group> = HashMap::new();
    for pair in &open {
        ends.entry(pair.end)
            .or_insert_with(|| Group { left: of_ends(pair.end), members: 0 })
            .members += 1;
        starts
            .entry(pair.start)
            .or_insert_with(|| Group { left: of_starts(pair.start), members: 0 })
            .members += 1;
    }
    let mut settled = Vec::new();
    while let Some(rule) = RULES.iter().find(|rule| {
        let settles = |pair: &Pair| rule(&ends[&pair.end], &starts[&pair.start]).is_some();
        open.iter().any(settles)
    }) {
        open.retain(|pair| {
            let Some(count) = rule(&ends[&pair.end], &starts[&pair.start]) else { return true };
            for group in
                [ends.get_mut(&pair.end), starts.get_mut(&pair.start)].into_iter().flatten()
            {
                group.left = group.left.map(|left| left.saturating_sub(count));
                group.members -= 1;
            }
            settled.push((pair.index, count));
            false
        });
    }
    settled
}

/// The edges that share an end or a start: the number of those that are not settled yet, and the
/// sum of their counts, if known.
struct Group {
    left: Option<Count>,
    members: usize,
}

/// The rules in order of preference. Each returns the count of an edge in these groups of ends and
/// starts, if it applies.
const RULES: [fn(&Group, &Group) -> Option<Count>; 3] = [
    |_, starts| starts.left.filter(|_| starts.members == 1),
    |ends, starts| (ends.left == Some(0) || starts.left == Some(0)).then_some(0),
    |ends, starts| {
        ends.left.zip(starts.left).map(|(end, start)| end.min(start)).filter(|_| ends.members == 1)
    },
];

#[cfg(test)]
mod tests {
    use pathformat::manifest::{Block, CutReason, DagEdge, Edge, Outcome};

    use super::*;

    /// Returns a function of cut edges only. `cuts` has (end, start) of each, `dag` is the number
    /// of ends and starts.
    fn cut_edges(cuts: &[(u32, u32)], dag: usize) -> Function {
        let edge = |&cut| Edge {
            from: 0,
            to: 1,
            outcome: Outcome::Indirect,
            cut: Some(cut),
            ..Edge::default()
        };
        let kind = DagEdgeKind::End { block: 0, why: CutReason::Opaque };
        Function {
            blocks: vec![Block::default(), Block::default()],
            edges: cuts.iter().map(edge).collect(),
            dag: vec![DagEdge { kind, value: 0 }; dag],
            ..Function::default()
        }
    }

    #[test]
    fn back_edges_of_one_header_have_their_own_ends() {
        let shape = cut_edges(&[(0, 2), (1, 2)], 3);
        assert_eq!(edge_counts(&shape, &[5, 3, 8]), [Some(5), Some(3)]);
    }

    #[test]
    fn an_invoke_that_never_threw_gives_all_to_the_normal_edge() {
        // Two invokes (ends 0 and 1) with a normal edge each (starts 2 and 3) and one landing pad
        // (start 4).
        let shape = cut_edges(&[(0, 2), (0, 4), (1, 3), (1, 4)], 5);
        assert_eq!(
            edge_counts(&shape, &[10, 20, 10, 19, 0]),
            [Some(10), Some(0), Some(19), Some(0)]
        );
    }

    #[test]
    fn an_invoke_that_threw_once_is_told_apart() {
        let shape = cut_edges(&[(0, 2), (0, 4), (1, 3), (1, 4)], 5);
        assert_eq!(
            edge_counts(&shape, &[10, 20, 10, 19, 1]),
            [Some(10), Some(0), Some(19), Some(1)]
        );
    }

    #[test]
    fn what_the_paths_do_not_tell_stays_unknown() {
        // Two indirect branches with the same two targets.
        let shape = cut_edges(&[(0, 2), (0, 3), (1, 2), (1, 3)], 4);
        assert_eq!(edge_counts(&shape, &[4, 4, 4, 4]), [None; 4]);
        assert_eq!(edge_counts(&shape, &[4, 0, 3, 1]), [Some(3), Some(1), Some(0), Some(0)]);
    }
}
