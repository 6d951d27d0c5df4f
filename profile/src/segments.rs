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
