//! The payload of a pair of functions: the paths that differ, step by step.

use std::collections::BTreeMap;

use compare::comparison::Comparison;
use counts::listed_paths;
use serde::Serialize;

use super::lists::way;
use crate::export::html::path_steps::{PathSteps, StepCollector, StepColumns};

/// A pair of functions, and the rows of its paths in the list.
pub(super) struct PairPaths {
    /// The index of the pair.
    pub(super) number: usize,
    rows: Vec<usize>,
}

/// The payload.
#[derive(Serialize)]
pub(super) struct Payload {
    steps: StepColumns,
    /// The row of each path in the list.
    rows: Vec<usize>,
    paths: Vec<PathSteps>,
}

/// Returns the pairs with a path that differs.
pub(super) fn of(comparison: &Comparison<'_>) -> Vec<PairPaths> {
    let mut pairs: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (row, part) in comparison.paths.differing.iter().enumerate() {
        if way(comparison, &part.what).is_some() {
            pairs.entry(part.what.pair).or_default().push(row);
        }
    }
    pairs.into_iter().map(|(number, rows)| PairPaths { number, rows }).collect()
}

impl PairPaths {
    /// Returns its payload. A path that only A has is written by the function of A.
    pub(super) fn payload(&self, comparison: &Comparison<'_>) -> Payload {
        let parts = &comparison.paths.differing;
        let known = |&row: &usize| Some((row, way(comparison, &parts[row].what)?));
        let (numbers, list): (Vec<_>, Vec<_>) = self.rows.iter().filter_map(known).unzip();
        let mut collector = StepCollector::default();
        let (mut rows, mut paths) = (Vec::new(), Vec::new());
        for group in listed_paths::by_function(&list) {
            let listed = list[group[0]];
            let of_one: Vec<_> = group.iter().map(|&at| list[at].path).collect();
            paths.extend(collector.collect(listed.function, listed.wording, &of_one));
            rows.extend(group.iter().map(|&at| numbers[at]));
        }
        Payload { steps: collector.into_steps(), rows, paths }
    }
}
