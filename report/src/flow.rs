//! Counts of the edges of the control-flow graph, from the counts of the acyclic edges.
//!
//! An edge that is not cut was taken as often as the paths that hold it ran. A cut edge is two acyclic edges, one that
//! ends a path and one that starts the next, and several cut edges may share either. Then the rules are,
//! in this order: an edge alone in its group of starts has the group's count (code at the target really ran); an edge in a
//! group with nothing left was never taken; an edge alone in its group of ends has the group's count, unless
//! fewer starts are left (the process ended in between). What no rule settles stays unknown.

use std::collections::HashMap;

use pathformat::manifest::{DagEdgeKind, Function};

use crate::model::Count;

/// For each edge of the control-flow graph its count, or `None` if the acyclic edges' counts do not determine it.
/// `dag_counts` has one count for each acyclic edge.
pub fn edge_counts(shape: &Function, dag_counts: &[Count]) -> Vec<Option<Count>> {
    let mut counts: Vec<Option<Count>> = shape.edges.iter().map(|edge| edge.cut.is_none().then_some(0)).collect();
    for (dag, &count) in shape.dag.iter().zip(dag_counts) {
        if let DagEdgeKind::Flow { edge } = dag.kind {
            counts[edge as usize] = Some(count);
        }
    }
    let mut open: Vec<(usize, u32, u32)> = Vec::new();
    let mut ends: HashMap<u32, Group> = HashMap::new();
    let mut starts: HashMap<u32, Group> = HashMap::new();
    for (index, edge) in shape.edges.iter().enumerate() {
        if let (Some((end, start)), None) = (edge.cut, counts[index]) {
            open.push((index, end, start));
            for (groups, at) in [(&mut ends, end), (&mut starts, start)] {
                let left = dag_counts.get(at as usize).copied().unwrap_or_default();
                groups.entry(at).or_insert(Group { left, members: 0 }).members += 1;
            }
        }
    }
    while !open.is_empty() {
        let settled = RULES.iter().find(|rule| {
            let settles = |&(_, end, start): &(usize, u32, u32)| rule(&ends[&end], &starts[&start]).is_some();
            open.iter().any(settles)
        });
        let Some(rule) = settled else { break };
        open.retain(|&(index, end, start)| {
            let count = rule(&ends[&end], &starts[&start]);
            for group in [ends.get_mut(&end), starts.get_mut(&start)].into_iter().flatten() {
                if let Some(count) = count {
                    group.left = group.left.saturating_sub(count);
                    group.members -= 1;
                }
            }
            counts[index] = counts[index].or(count);
            count.is_none()
        });
    }
    counts
}

/// The edges that share an acyclic edge: how many are not settled yet, and what they sum up to.
struct Group {
    left: Count,
    members: usize,
}

/// Rules in order of preference; each gives the count of an edge in these groups of ends and starts, if it applies.
const RULES: [fn(&Group, &Group) -> Option<Count>; 3] = [
    |_, starts| (starts.members == 1).then_some(starts.left),
    |ends, starts| (ends.left == 0 || starts.left == 0).then_some(0),
    |ends, starts| (ends.members == 1).then_some(ends.left.min(starts.left)),
];

#[cfg(test)]
mod tests {
    use pathformat::manifest::{Block, CutReason, DagEdge, Edge, Outcome};

    use super::*;

    /// A function of cut edges only: (end, start) for each, then a number of ends and starts.
    fn cut_edges(cuts: &[(u32, u32)], dag: usize) -> Function {
        let edge = |&cut| Edge { from: 0, to: 1, outcome: Outcome::Indirect, cut: Some(cut) };
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
        // Two invokes (ends 0 and 1) with a normal edge each (starts 2 and 3) and one landing pad (start 4).
        let shape = cut_edges(&[(0, 2), (0, 4), (1, 3), (1, 4)], 5);
        assert_eq!(edge_counts(&shape, &[10, 20, 10, 19, 0]), [Some(10), Some(0), Some(19), Some(0)]);
    }

    #[test]
    fn an_invoke_that_threw_once_is_told_apart() {
        let shape = cut_edges(&[(0, 2), (0, 4), (1, 3), (1, 4)], 5);
        assert_eq!(edge_counts(&shape, &[10, 20, 10, 19, 1]), [Some(10), Some(0), Some(19), Some(1)]);
    }

    #[test]
    fn what_the_paths_do_not_tell_stays_unknown() {
        // Two indirect branches with the same two targets.
        let shape = cut_edges(&[(0, 2), (0, 3), (1, 2), (1, 3)], 4);
        assert_eq!(edge_counts(&shape, &[4, 4, 4, 4]), [None; 4]);
        assert_eq!(edge_counts(&shape, &[4, 0, 3, 1]), [Some(3), Some(1), Some(0), Some(0)]);
    }
}
