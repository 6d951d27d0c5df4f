//! Computes the number of entries of functions, and the number of frames that did not return from a
//! call.
//!
//! A counter of a path in flight counts arrivals at a call. [`Layout::settle`] turns it into the
//! number of frames that stayed in the call. Then every entry is a path that starts at the entry,
//! ended or in flight.
//!
//! Processes are settled one by one, before they are summed. A forked child ends paths that its
//! parent entered. In a sum, such paths would hide frames that stay in another process.

use std::collections::BTreeMap;

use pathformat::manifest::{DagEdge, DagEdgeKind, Function, Manifest};
use paths::in_flight::{InFlight, Role};

use crate::acyclic;
use crate::model::{Count, counts_paths};

/// The counters of a module's functions, in their order in the array, and their paths in flight.
#[derive(Clone, Debug)]
pub struct Layout(Vec<FunctionCounters>);

/// One function's counters.
#[derive(Clone, Debug)]
struct FunctionCounters {
    /// Its index in the manifest.
    function: usize,
    /// Its first counter in the module's array.
    first: u64,
    /// The end of its paths' counters.
    end: u64,
    /// The end of the counters of paths that start at the entry.
    entries: u64,
    /// `None` if no path is in flight.
    in_flight: Option<InFlight>,
}

impl Layout {
    /// Returns the layout of the functions of a manifest. An invalid graph is reported where paths
    /// are decoded.
    pub fn of(manifest: &Manifest) -> Self {
        let functions =
            manifest.functions.iter().enumerate().filter(|(_, function)| counts_paths(function));
        let place = |(at, function): (usize, &Function)| {
            let start = |edge: &DagEdge| match edge.kind {
                DagEdgeKind::Start { .. } => Some(edge.value),
                _ => None,
            };
            // Starts behind a cut are numbered after all paths from the entry.
            let starts = function.dag.iter().filter_map(start).min().unwrap_or(function.num_paths);
            let first = function.first_counter;
            let (end, entries) =
                (first.saturating_add(function.num_paths), first.saturating_add(starts));
            FunctionCounters { function: at, first, end, entries, in_flight: in_flight(function) }
        };
        let mut places: Vec<_> = functions.map(place).collect();
        places.sort_by_key(|place| place.first);
        Self(places)
    }

    /// Settles the counters of one process: pairs of index and count, in ascending order of index.
    /// A counter of a path in flight is the number of arrivals at the call that ends the path.
    /// Afterwards it is the number of frames that stayed in that call: a negative number, modulo
    /// 2^64, if more returned than arrived. Returns the counters, and the entries of each function
    /// with counts, by its index in the manifest.
    pub fn settle(&self, counts: &[(u64, u64)]) -> (Vec<(u64, u64)>, BTreeMap<usize, Count>) {
        let from = |index| counts.partition_point(|&(counter, _)| counter < index);
        let (mut settled, mut entries) = (Vec::with_capacity(counts.len()), BTreeMap::new());
        let mut done = 0;
        for place in &self.0 {
            let (first, end) = (from(place.first), from(place.end));
            if first < done || first == end {
                continue;
            }
            settled.extend(&counts[done..first]);
            done = end;
            let mut own: Vec<_> = counts[first..end]
                .iter()
                .map(|&(index, count)| (index - place.first, count))
                .collect();
            if let Some(in_flight) = &place.in_flight {
                in_flight.settle(&mut own);
            }
            let own = own.into_iter().map(|(id, count)| (place.first.saturating_add(id), count));
            let begun = own.clone().take_while(|&(index, _)| index < place.entries);
            let entered: i128 = begun.map(|(_, count)| i128::from(count.cast_signed())).sum();
            entries.insert(place.function, Count::try_from(entered).unwrap_or_default());
            settled.extend(own.filter(|&(_, count)| count != 0));
        }
        settled.extend(&counts[done..]);
        (settled, entries)
    }
}

fn in_flight(function: &Function) -> Option<InFlight> {
    let role = |edge: &DagEdge| match edge.kind {
        DagEdgeKind::InFlight { .. } => Role::End,
        DagEdgeKind::Start { .. } => Role::Start,
        _ => Role::Other,
    };
    let roles: Vec<_> = function.dag.iter().map(role).collect();
    InFlight::new(function.blocks.len(), &acyclic::plain_edges(function).ok()?, &roles).ok()?
}

#[cfg(test)]
mod tests {
    use pathformat::manifest::{Block, CutReason, Edge};

    use super::*;

    /// Counters from 10 on: 10 is in flight at block 0, 11 leaves at block 1; 12 starts behind a
    /// back edge.
    fn layout() -> Layout {
        let dag = |kind, value| DagEdge { kind, value };
        let function = Function {
            first_counter: 10,
            num_paths: 3,
            blocks: vec![Block::default(); 2],
            edges: vec![Edge { from: 0, to: 1, ..Edge::default() }],
            dag: vec![
                dag(DagEdgeKind::InFlight { block: 0 }, 0),
                dag(DagEdgeKind::Flow { edge: 0 }, 1),
                dag(DagEdgeKind::Leave { block: 1 }, 0),
                dag(DagEdgeKind::Start { block: 1, why: CutReason::BackEdge }, 2),
            ],
            ..Function::default()
        };
        Layout::of(&Manifest {
            functions: vec![Function::default(), function],
            ..Manifest::default()
        })
    }

    fn settled(counts: &[(u64, u64)]) -> (Vec<(u64, u64)>, BTreeMap<usize, Count>) {
        layout().settle(counts)
    }

    #[test]
    fn entries_end_or_are_in_flight() {
        assert_eq!(
            settled(&[(9, 7), (10, 5), (11, 3), (12, 99), (13, 7)]),
            (vec![(9, 7), (10, 2), (11, 3), (12, 99), (13, 7)], BTreeMap::from([(1, 5)]))
        );
        assert_eq!(settled(&[(10, 1)]), (vec![(10, 1)], BTreeMap::from([(1, 1)])));
        assert_eq!(settled(&[(9, 1)]), (vec![(9, 1)], BTreeMap::new()));
    }

    #[test]
    fn a_child_ends_what_its_parent_entered() {
        assert_eq!(settled(&[(11, 1)]), (vec![(10, u64::MAX), (11, 1)], BTreeMap::from([(1, 0)])));
    }
}
