//! The segments of a run: what it counted under one label after the other.
//!
//! A process appends a record for each segment (`runtime/src/segments.rs`), and goes on counting.
//! Its raw file always has all of its counts, and so has a record that says so
//! ([`CUMULATIVE`]). What is left for the last label is found by subtraction, so that each count is
//! in one segment, whenever the process was killed.

use std::collections::{BTreeMap, HashMap, HashSet};

use pathformat::profile::{CUMULATIVE, DISCARDED, Part, RunId};

use crate::modules::{ModuleSums, by_module};

/// Returns the parts of a run: its segments, and what is left in `rest`. Those that the program has
/// reset are left out.
pub(crate) fn settle(segments: Vec<Part>, rest: Vec<Part>) -> Vec<Part> {
    let mut before = ModuleSums::default();
    let mut settled: Vec<Part> = Vec::with_capacity(segments.len() + rest.len());
    for segment in segments {
        settled.push(counted_since(&mut before, segment));
    }
    settled.extend(rest.into_iter().map(|part| without(&mut before, part)));
    settled.retain(|part| part.flags & DISCARDED == 0);
    settled
}

/// Returns the sum of segments.
pub(crate) fn sum_of(segments: Vec<Part>) -> ModuleSums {
    let mut sums = ModuleSums::default();
    for segment in segments {
        counted_since(&mut sums, segment);
    }
    sums
}

/// Returns what a segment has that those before it do not have, and adds it to them.
fn counted_since(before: &mut ModuleSums, segment: Part) -> Part {
    let segment = without(before, segment);
    before.add(&segment.modules);
    segment
}

/// Returns a part without what the segments before it have, if it has all counts of its run.
fn without(before: &mut ModuleSums, mut part: Part) -> Part {
    if part.flags & CUMULATIVE != 0 {
        part.flags &= !CUMULATIVE;
        part.modules = by_module(&part);
        before.subtract_from(&mut part.modules);
    }
    part
}

/// Sums the parts of runs whose segments are in several of them, so that each run is in one part:
/// frames that were in flight when a label changed end in another segment. The sum has no label.
pub fn together(parts: Vec<Part>) -> Vec<Part> {
    // The group of each part, and the first part of each family.
    let mut groups: Vec<usize> = (0..parts.len()).collect();
    let mut of_family: HashMap<[u8; 12], usize> = HashMap::new();
    for (at, part) in parts.iter().enumerate() {
        for run in &part.runs {
            let known = *of_family.entry(run.family()).or_insert(at);
            let (one, other) = (root(&mut groups, known), root(&mut groups, at));
            groups[one.max(other)] = one.min(other);
        }
    }
    let mut joined: BTreeMap<usize, Vec<Part>> = BTreeMap::new();
    for (at, part) in parts.into_iter().enumerate() {
        joined.entry(root(&mut groups, at)).or_default().push(part);
    }
    let sum = |mut group: Vec<Part>| match group.len() {
        1 => group.remove(0),
        _ => Part { label: Vec::new(), ..joined_part(group) },
    };
    joined.into_values().map(sum).collect()
}

fn root(groups: &mut [usize], mut at: usize) -> usize {
    while groups[at] != at {
        groups[at] = groups[groups[at]];
        at = groups[at];
    }
    at
}

/// Sums the parts of each run that have one label. Sums of several runs stay as they are.
pub(crate) fn by_label(parts: Vec<Part>) -> Vec<Part> {
    let mut found: Vec<Vec<Part>> = Vec::new();
    let mut places: HashMap<([u8; 12], Vec<u8>), usize> = HashMap::new();
    for part in parts {
        let one = part.runs.first().filter(|_| count(&part.runs) == 1).map(RunId::family);
        let place =
            one.map(|family| *places.entry((family, part.label.clone())).or_insert(found.len()));
        match place.and_then(|place| found.get_mut(place)) {
            Some(known) => known.push(part),
            None => found.push(vec![part]),
        }
    }
    found.into_iter().map(joined_part).collect()
}

/// Sums parts of one process, whose last readings come last. The sum has the label of the first.
fn joined_part(parts: Vec<Part>) -> Part {
    let mut joined = Part::default();
    let mut sums = ModuleSums::default();
    for (at, part) in parts.into_iter().enumerate() {
        if at == 0 {
            joined.label = part.label;
        }
        joined.runs.extend(part.runs);
        joined.flags |= part.flags;
        // Libraries are loaded as time goes by.
        let is_longer = |map: &Vec<u8>| joined.map.as_ref().is_none_or(|of| of.len() < map.len());
        if let Some(map) = part.map.filter(is_longer) {
            joined.map = Some(map);
        }
        sums.add(&part.modules);
    }
    joined.runs.sort_unstable();
    joined.runs.dedup();
    joined.modules = sums.finish();
    joined
}

/// Returns the number of runs that these are, each of which may have several segments.
pub fn count<'a, R: IntoIterator<Item = &'a RunId>>(runs: R) -> usize {
    runs.into_iter().map(RunId::family).collect::<HashSet<_>>().len()
}

#[cfg(test)]
mod tests {
    use pathformat::ModuleId;
    use pathformat::profile::Module;

    use super::*;

    fn part(run: RunId, label: &str, flags: u32, counts: &[(u64, u64)]) -> Part {
        let module = Module { id: ModuleId([1; 16]), counters: 9, counts: counts.to_vec() };
        let (runs, label) = (vec![run], label.as_bytes().to_vec());
        Part { runs, flags, label, modules: vec![module], ..Part::default() }
    }

    /// The label of a part, and its counts.
    type Shown<'a> = (&'a [u8], Vec<(u64, u64)>);

    fn counts(parts: &[Part]) -> Vec<Shown<'_>> {
        let all = |part: &Part| part.modules.iter().flat_map(|of| of.counts.clone()).collect();
        parts.iter().map(|part| (&part.label[..], all(part))).collect()
    }

    const RUN: RunId = RunId([7; 16]);

    #[test]
    fn what_is_cumulative_loses_what_stands_before() {
        let segments = vec![
            part(RUN.segment(1), "a", 0, &[(0, 5)]),
            part(RUN.segment(2), "b", DISCARDED, &[(0, 1), (3, 2)]),
            // Another process has appended the first two.
            part(RUN.segment(3), "c", CUMULATIVE, &[(0, 8), (3, 2)]),
        ];
        let rest = vec![part(RUN, "d", CUMULATIVE, &[(0, 9), (3, 1), (4, 4)])];
        let settled = settle(segments, rest);
        assert!(settled.iter().all(|part| part.flags == 0));
        // A counter that went down is a negative count.
        let last = vec![(0, 1), (3, u64::MAX), (4, 4)];
        assert_eq!(
            counts(&settled),
            [(&b"a"[..], vec![(0, 5)]), (b"c", vec![(0, 2)]), (b"d", last)]
        );
    }

    #[test]
    fn parts_of_one_run_are_summed() {
        let other = RunId([8; 16]);
        let parts = vec![
            part(RUN.segment(1), "a", 0, &[(0, 5)]),
            part(other.segment(1), "a", 0, &[(0, 7)]),
            part(RunId([9; 16]), "", 0, &[(1, 1)]),
            // It joins two that were apart.
            Part { runs: vec![RUN, other], ..part(RUN, "", 0, &[(0, 1), (2, 3)]) },
        ];
        assert_eq!(count(parts.iter().flat_map(|part| &part.runs)), 3);
        let found = together(parts);
        assert_eq!(counts(&found), [(&b""[..], vec![(0, 13), (2, 3)]), (b"", vec![(1, 1)])]);
        assert_eq!(found[0].runs.len(), 4);
    }

    #[test]
    fn segments_of_one_label_are_summed() {
        let parts = vec![
            part(RUN.segment(1), "a", 0, &[(0, 5)]),
            part(RUN.segment(2), "b", 0, &[(0, 1)]),
            part(RUN.segment(3), "a", 0, &[(0, 2)]),
            part(RUN, "b", 0, &[(4, 1)]),
        ];
        let found = by_label(parts);
        assert_eq!(counts(&found), [(&b"a"[..], vec![(0, 7)]), (b"b", vec![(0, 1), (4, 1)])]);
    }
}
