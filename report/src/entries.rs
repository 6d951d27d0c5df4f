//! How often functions were entered, and how many frames never ended their first path.
//!
//! Both are found in each process by itself, before processes are summed: a forked child ends paths that its parent entered,
//! and that must not hide frames that stay in another process. Where entries have a counter, it says how many
//! there were, and what is missing in the paths that start at the entry is still in flight. If the counter is stepped on
//! some ways only (marks), that holds for the paths along these, and the others are entries by themselves. Elsewhere every
//! entry becomes a path that starts there; paths in flight count as signed numbers, so that their sum is right also in a
//! child.

use pathformat::manifest::{DagEdgeKind, Function, Manifest};

use crate::decode;
use crate::model::Count;

/// What one process says of one function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entries {
    /// How often it was entered.
    pub entered: Count,
    /// Frames whose first path is in flight, if entries have a counter.
    pub staying: Count,
}

impl Entries {
    /// Both for two processes.
    pub fn and(self, other: Self) -> Self {
        Self {
            entered: self.entered.saturating_add(other.entered),
            staying: self.staying.saturating_add(other.staying),
        }
    }
}

/// The entries of each function of a module that has any, from the counters of one process: index and count, in
/// ascending order of index.
pub fn of_process<'a>(manifest: &'a Manifest, counts: &'a [(u64, u64)]) -> impl Iterator<Item = (usize, Entries)> + 'a {
    let own = |function: &Function| {
        let from = |index| counts.partition_point(|&(counter, _)| counter < index);
        let end = function.first_counter.saturating_add(function.counters());
        counts.get(from(function.first_counter)..from(end)).unwrap_or_default()
    };
    let functions = manifest.functions.iter().enumerate().map(move |(at, function)| (at, function, own(function)));
    functions.filter(|(_, _, own)| !own.is_empty()).map(|(at, function, own)| (at, of_function(function, own)))
}

fn of_function(function: &Function, own: &[(u64, u64)]) -> Entries {
    let start = |edge: &pathformat::manifest::DagEdge| match edge.kind {
        DagEdgeKind::Start { .. } => Some(edge.value),
        _ => None,
    };
    // Starts behind a cut are numbered after all ways on from the entry.
    let others = function.dag.iter().filter_map(start).min().unwrap_or(function.num_paths);
    let behind = |index| own.partition_point(|&(counter, _)| counter - function.first_counter < index);
    let signed = |&(_, count): &(u64, u64)| i128::from(count.cast_signed());
    let ended: i128 = own[..behind(others)].iter().map(signed).sum();
    let positive = |count: i128| Count::try_from(count).unwrap_or_default();
    if !function.counts_entries {
        return Entries { entered: positive(ended), staying: 0 };
    }
    // A damaged graph is told of where all paths are decoded.
    let decoder = decode::decoder(function).ok();
    let passes_mark = |id| {
        let path = decoder.as_ref().and_then(|decoder| decoder.path(id).ok()).unwrap_or_default();
        path.iter().any(|&edge| function.marks.contains(&(edge as u32)))
    };
    let counted: i128 = own[behind(function.num_paths)..].iter().map(signed).sum();
    let marked: i128 = if function.marks.is_empty() {
        ended
    } else {
        let passes = |&&(counter, _): &&(u64, u64)| passes_mark(counter - function.first_counter);
        own[..behind(others)].iter().filter(passes).map(signed).sum()
    };
    Entries { entered: positive(counted + ended - marked), staying: positive(counted - marked) }
}

#[cfg(test)]
mod tests {
    use pathformat::manifest::{Block, CutReason, DagEdge, Edge, Outcome};

    use super::*;

    /// Ids 0 and 1 start at the entry, 2 and 3 behind a back edge.
    fn function(counts_entries: bool) -> Function {
        let start = DagEdgeKind::Start { block: 1, why: CutReason::BackEdge };
        let dag = vec![DagEdge { kind: start, value: 2 }];
        Function { first_counter: 10, num_paths: 4, counts_entries, dag, ..Function::default() }
    }

    fn entries(counts_entries: bool, counts: &[(u64, u64)]) -> (Count, Count) {
        let manifest =
            Manifest { functions: vec![Function::default(), function(counts_entries)], ..Manifest::default() };
        let found: Vec<_> = of_process(&manifest, counts).collect();
        assert!(found.len() <= 1 && found.iter().all(|(at, _)| *at == 1));
        found.first().map_or((0, 0), |(_, entries)| (entries.entered, entries.staying))
    }

    #[test]
    fn a_counter_tells_entries_and_what_stays() {
        assert_eq!(entries(true, &[(10, 5), (11, 1), (12, 99), (14, 8)]), (8, 2));
        assert_eq!(entries(true, &[(14, 1)]), (1, 1));
        // A child that ends what its parent entered.
        assert_eq!(entries(true, &[(11, 1)]), (0, 0));
        assert_eq!(entries(true, &[(9, 7), (15, 7)]), (0, 0));
    }

    #[test]
    fn marked_paths_are_told_from_others() {
        // Block 0 leads to 1 and 2, which leave; the way to 2 is marked.
        let flow = |edge, value| DagEdge { kind: DagEdgeKind::Flow { edge }, value };
        let leave = |block| DagEdge { kind: DagEdgeKind::Leave { block }, value: 0 };
        let edge = |to| Edge { from: 0, to, outcome: Outcome::Jump, cut: None };
        let function = Function {
            num_paths: 2,
            counts_entries: true,
            marks: vec![1],
            blocks: vec![Block::default(); 3],
            edges: vec![edge(1), edge(2)],
            dag: vec![flow(0, 0), flow(1, 1), leave(1), leave(2)],
            ..Function::default()
        };
        let entries = |counts: &[(u64, u64)]| of_function(&function, counts);
        assert_eq!(entries(&[(0, 7), (1, 3), (2, 5)]), Entries { entered: 12, staying: 2 });
        assert_eq!(entries(&[(0, 7)]), Entries { entered: 7, staying: 0 });
    }

    #[test]
    fn without_a_counter_the_paths_tell() {
        assert_eq!(entries(false, &[(10, 5), (11, 1), (12, 99), (14, 8)]), (6, 0));
        // A path in flight of the parent, taken back in the child that ends it.
        assert_eq!(entries(false, &[(10, u64::MAX), (11, 1)]), (0, 0));
    }
}
