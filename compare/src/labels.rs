//! Compares what was executed under labels: which paths several of them share, and which only one
//! has.

use std::collections::HashMap;

use counts::model::{Count, Function, PathId, Report};
use counts::select::{self, Filter};

/// The identity of a function in several reports of the same images.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FunctionKey {
    build_id: Vec<u8>,
    symbol: String,
    file: String,
}

impl FunctionKey {
    /// Returns the identity of a function of a report.
    pub fn of(report: &Report, function: &Function) -> Self {
        let image = report.images.get(function.image);
        Self {
            build_id: image.map(|image| image.build_id.clone()).unwrap_or_default(),
            symbol: function.shape.name.clone(),
            file: function.shape.file.clone(),
        }
    }
}

/// What was executed under one label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelRow {
    /// The label; empty for what has none.
    pub label: String,
    /// The number of runs.
    pub runs: usize,
    /// The number of functions that were entered.
    pub functions: usize,
    /// The number of paths that were executed.
    pub paths: usize,
    /// The number of those that no other label has.
    pub own_paths: usize,
    /// The number of executed instructions.
    pub instructions: Count,
}

/// All labels that were seen so far.
#[derive(Debug, Default)]
pub struct SeenLabels {
    rows: Vec<LabelRow>,
    functions: HashMap<FunctionKey, usize>,
    /// The label that has a path; `None` if there are several.
    paths: HashMap<(usize, PathId), Option<usize>>,
}

impl SeenLabels {
    /// Adds what was executed under a label, each label once, as far as the filter lets it through.
    pub fn add(&mut self, label: &str, report: &Report, filter: &Filter) {
        let at = self.rows.len();
        let chosen = select::functions(report, filter).functions;
        let mut row = LabelRow {
            label: label.to_owned(),
            runs: report.runs.iter().map(|run| run.count).sum(),
            functions: 0,
            paths: 0,
            own_paths: 0,
            instructions: 0,
        };
        for function in chosen {
            let next = self.functions.len();
            let key = FunctionKey::of(report, function);
            let known = *self.functions.entry(key).or_insert(next);
            row.functions += usize::from(function.entries > 0);
            row.instructions = row.instructions.saturating_add(function.executed());
            for path in function.completed() {
                row.paths += 1;
                let owner = self.paths.entry((known, path.id)).or_insert(Some(at));
                *owner = owner.filter(|&owner| owner == at);
            }
        }
        self.rows.push(row);
    }

    /// Returns a row for each label, in the order in which they were added.
    pub fn finish(mut self) -> Vec<LabelRow> {
        for owner in self.paths.into_values().flatten() {
            self.rows[owner].own_paths += 1;
        }
        self.rows
    }
}

/// Returns how often a path was executed in a report.
pub fn executions(report: &Report, function: &FunctionKey, path: PathId) -> Count {
    let is_it = |of: &&Function| FunctionKey::of(report, of) == *function;
    let found = report.functions.iter().find(is_it);
    let path = found.and_then(|of| of.paths.iter().find(|known| known.id == path));
    path.map_or(0, |path| path.count)
}
