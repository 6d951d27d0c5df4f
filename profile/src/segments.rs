//! The segments of a run: what it counted under one label after the other.
//!
//! A process appends a record for each segment (`runtime/src/segments.rs`), and goes on counting.
//! Its raw file always has all of its counts, and so has a record that says so
//! ([`CUMULATIVE`]). What is left for the last label is found by subtraction, so that each count is
//! in one segment, whenever the process was killed.

use std::collections::{HashMap, HashSet};

use pathformat::profile::{CUMULATIVE, DISCARDED, Part, RunId};

use crate::modules::{add, add_modules, by_module, change_by};

/// Returns the parts of a run: its segments, and what is left in `rest`. Those that the program has
/// reset are left out.
pub(crate) fn settle(segments: Vec<Part>, rest: Vec<Part>) -> Vec<Part> {
    let mut settled: Vec<Part> = Vec::with_capacity(segments.len() + rest.len());
    for mut part in segments.into_iter().chain(rest) {
        if part.flags & CUMULATIVE != 0 {
            part.flags &= !CUMULATIVE;
            part.modules = by_module(&part);
            for earlier in &settled {
                subtract(&mut part, earlier);
            }
        }
        settled.push(part);
    }
    settled.retain(|part| part.flags & DISCARDED == 0);
    settled
}

/// Subtracts the counts of a segment.
fn subtract(part: &mut Part, segment: &Part) {
    change_by(&mut part.modules, &segment.modules, |sums, counts| {
        let negative = counts.iter().map(|&(index, count)| (index, count.wrapping_neg()));
        add(sums, negative.collect());
    });
}

/// Sums the parts of runs whose segments are in several of them, so that each run is in one part:
/// frames that were in flight when a label changed end in another segment. The sum has no label.
pub fn together(parts: Vec<Part>) -> Vec<Part> {
    let mut found: Vec<Part> = Vec::new();
    let mut of_family: HashMap<[u8; 12], usize> = HashMap::new();
    for part in parts {
        let places: HashSet<usize> =
            part.runs.iter().filter_map(|run| of_family.get(&run.family())).copied().collect();
        let Some(&first) = places.iter().min() else {
            part.runs.iter().for_each(|run| _ = of_family.insert(run.family(), found.len()));
            found.push(part);
            continue;
        };
        // A part may join others that were apart.
        for place in places.into_iter().filter(|&place| place != first) {
            let other = std::mem::take(&mut found[place]);
            join(&mut found[first], other);
        }
        found[first].label.clear();
        join(&mut found[first], part);
        let runs = found[first].runs.clone();
        runs.iter().for_each(|run| _ = of_family.insert(run.family(), first));
    }
    found.retain(|part| !part.runs.is_empty());
    found
}

/// Sums the parts of each run that have one label. Sums of several runs stay as they are.
pub(crate) fn by_label(parts: Vec<Part>) -> Vec<Part> {
    let mut found: Vec<Part> = Vec::new();
    let mut places: HashMap<([u8; 12], Vec<u8>), usize> = HashMap::new();
    for part in parts {
        let one = part.runs.first().filter(|_| count(&part.runs) == 1).map(RunId::family);
        let place =
            one.map(|family| *places.entry((family, part.label.clone())).or_insert(found.len()));
        match place.and_then(|place| found.get_mut(place)) {
            Some(known) => join(known, part),
            None => found.push(part),
        }
    }
    found
}

/// Adds a part to another one.
fn join(to: &mut Part, mut from: Part) {
    to.runs.append(&mut from.runs);
    to.runs.sort_unstable();
    to.runs.dedup();
    to.flags |= from.flags;
    to.map = to.map.take().or(from.map);
    to.modules = by_module(to);
    add_modules(&mut to.modules, from.modules);
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
