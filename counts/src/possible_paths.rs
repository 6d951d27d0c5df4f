//! Computes the number of acyclic paths of a function without the limit.
//!
//! Counters are for the paths that remain after the limit has cut some edges. Here these edges are
//! not cut. Loops are still cut, so the number is finite. It may be very large, so beyond a million
//! it is given as a power of two.

use std::collections::HashSet;

use pathformat::manifest::{CutReason, DagEdgeKind, Function};

/// A number of paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Possible {
    /// This number.
    Exactly(u64),
    /// About two to this power.
    PowerOfTwo(u32),
    /// More than two to the power of 1023.
    Beyond,
}

/// Beyond this number, a power of two is clearer than digits.
const MANY: f64 = 1e6;

impl Possible {
    /// Returns the number of paths of a function. For a damaged graph it is the number of counters.
    pub fn of(function: &Function) -> Self {
        Self::about(acyclic(function).unwrap_or(function.num_paths as f64))
    }

    fn about(paths: f64) -> Self {
        match paths {
            paths if paths <= MANY => Self::Exactly(paths as u64),
            paths if paths.is_finite() => Self::PowerOfTwo(paths.log2().round_ties_even() as u32),
            _ => Self::Beyond,
        }
    }
}

/// Returns the number of paths from the entry and from each start that is not due to the limit;
/// `None` if the graph is invalid.
fn acyclic(function: &Function) -> Option<f64> {
    let count = function.blocks.len();
    let mut out: Vec<Vec<Successor>> = vec![Vec::new(); count];
    let mut ends = HashSet::new();
    for edge in &function.edges {
        let is_end = match edge.cut {
            None => false,
            Some((end, _)) => match function.dag.get(end as usize)?.kind {
                DagEdgeKind::End { why, .. } => why != CutReason::Limit,
                _ => return None,
            },
        };
        let way = if is_end { Successor::End } else { Successor::To(edge.to as usize) };
        let out = out.get_mut(edge.from as usize)?;
        // Cut edges that share an end are one successor.
        if !is_end || ends.insert((edge.from, edge.cut?.0)) {
            out.push(way);
        }
    }
    let paths = paths_from(&out)?;
    let starts = function.dag.iter().filter_map(|edge| match edge.kind {
        DagEdgeKind::Start { block, why } if why != CutReason::Limit => Some(block as usize),
        _ => None,
    });
    std::iter::once(0).chain(starts).map(|block| paths.get(block).copied()).sum()
}

/// A successor of a block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Successor {
    /// The path ends.
    End,
    /// The path continues at this block.
    To(usize),
}

/// Returns the number of paths from each block to an end or an exit; `None` if there is a cycle.
fn paths_from(out: &[Vec<Successor>]) -> Option<Vec<f64>> {
    #[derive(Clone, Copy, PartialEq)]
    enum Visit {
        New,
        Open,
        Done,
    }
    let mut state = vec![Visit::New; out.len()];
    let mut paths = vec![0.0; out.len()];
    for root in 0..out.len() {
        let mut stack = vec![(root, 0)];
        while let Some(&mut (block, ref mut position)) = stack.last_mut() {
            if *position == 0 && state[block] == Visit::Done {
                stack.pop();
                continue;
            }
            state[block] = Visit::Open;
            match out[block].get(*position) {
                Some(&way) => {
                    *position += 1;
                    if let Successor::To(to) = way {
                        match state.get(to)? {
                            Visit::Open => return None,
                            Visit::New => stack.push((to, 0)),
                            Visit::Done => {}
                        }
                    }
                }
                None => {
                    let along = |way: &Successor| match *way {
                        Successor::End => 1.0,
                        Successor::To(to) => paths[to],
                    };
                    paths[block] = if out[block].is_empty() {
                        1.0
                    } else {
                        out[block].iter().map(along).sum()
                    };
                    state[block] = Visit::Done;
                    stack.pop();
                }
            }
        }
    }
    Some(paths)
}

#[cfg(test)]
mod tests {
    use pathformat::manifest::{Block, DagEdge, Edge, Outcome};

    use super::*;
    use crate::sample;

    #[test]
    fn where_the_limit_cuts_nothing_it_is_the_number_of_counters() {
        for function in
            sample::report().counted().filter(|function| function.cuts(CutReason::Limit) == 0)
        {
            assert_eq!(
                Possible::of(&function.shape),
                Possible::about(function.shape.num_paths as f64),
                "{}",
                function.demangled
            );
        }
    }

    /// Returns a row of `count` diamonds, all cut before their tops.
    fn diamonds(count: u32) -> Function {
        let end =
            |block| DagEdge { kind: DagEdgeKind::End { block, why: CutReason::Limit }, value: 0 };
        let edges = (0..count).flat_map(|at| {
            let top = 3 * at;
            [(top, top + 1), (top, top + 2), (top + 1, top + 3), (top + 2, top + 3)]
        });
        let cut = |(from, to)| Edge {
            from,
            to,
            outcome: Outcome::Jump,
            cut: (to % 3 == 0).then_some((from, 0)),
            ..Edge::default()
        };
        Function {
            blocks: vec![Block::default(); 3 * count as usize + 1],
            edges: edges.map(cut).collect(),
            dag: (0..=3 * count).map(end).collect(),
            num_paths: 2 * u64::from(count),
            ..Function::default()
        }
    }

    #[test]
    fn edges_that_the_limit_cut_lead_on() {
        let of = |count| Possible::of(&diamonds(count));
        assert_eq!(of(10), Possible::Exactly(1024));
        assert_eq!(of(40), Possible::PowerOfTwo(40));
        assert_eq!(of(2000), Possible::Beyond);
    }

    #[test]
    fn a_damaged_graph_has_as_many_as_counters() {
        let mut function = diamonds(3);
        function.edges[11].to = 0;
        assert_eq!(Possible::of(&function), Possible::Exactly(6));
        function.edges[11].to = 99;
        assert_eq!(Possible::of(&function), Possible::Exactly(6));
    }
}
