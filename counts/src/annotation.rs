//! Counts the lines of a function or a file, and the columns of lines that hold several blocks.
//!
//! A function is chosen by its name. If its code was inlined, all copies are summed, as
//! [`source_files`](crate::source_files) sums them. A column has the count of the code that begins
//! there; a line has columns if their counts differ.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::columns;
use crate::lines::{self, Executions, Meaning};
use crate::model::{Counting, Function, Module, Report};

/// The counts of the lines of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Annotation {
    /// For each line with code, its executions.
    pub lines: BTreeMap<u32, Executions>,
    /// For each line, the columns at which blocks begin, and their executions.
    pub columns: BTreeMap<u32, BTreeMap<u32, Executions>>,
    /// The functions that contain its code: the name of the compiled function, and true if the code
    /// was inlined there.
    pub copies: BTreeSet<(String, bool)>,
    /// True if any of it is optimised code.
    pub is_optimised: bool,
}

/// The code to annotate.
#[derive(Clone, Copy)]
pub struct Chosen<'a> {
    /// The code of this file.
    pub path: &'a Path,
    /// Only that of functions of this name, without parameters, as in debug locations.
    pub function: Option<&'a str>,
}

impl Annotation {
    /// Adds the lines of another annotation of the file between the first line and the last: the
    /// code of functions nested in this one, such as its lambdas.
    pub fn fill_from(&mut self, other: &Self) {
        let ends = self.lines.first_key_value().zip(self.lines.last_key_value());
        let Some(range) = ends.map(|((&first, _), (&last, _))| first..=last) else { return };
        for (&line, &count) in other.lines.range(range) {
            if let Entry::Vacant(place) = self.lines.entry(line) {
                place.insert(count);
                let columns = other.columns.get(&line).map(|columns| (line, columns.clone()));
                self.columns.extend(columns);
                self.is_optimised |= other.is_optimised;
            }
        }
    }
}

/// Annotates the chosen code of all functions of the report that are counted.
pub fn of(report: &Report, chosen: Chosen<'_>) -> Annotation {
    let mut annotation = Annotation::default();
    let mut texts = BTreeSet::new();
    for function in report.with_blocks().filter(|of| of.counting != Counting::Nothing) {
        annotation.add(&report.modules[function.module], function, chosen, &mut texts);
    }
    // Of several functions on a line, such as a lambda and its caller, the optimiser leaves only
    // some.
    let texts: Vec<_> = texts.into_iter().collect();
    for same in texts.chunk_by(|(line, _), (next, _)| line == next).filter(|same| same.len() > 1) {
        annotation.lines.entry(same[0].0).and_modify(|ran| ran.meaning = Meaning::Vague);
    }
    annotation.columns.retain(|_, columns| {
        let mut counts = columns.values();
        let first = counts.next();
        counts.any(|count| Some(count) != first)
    });
    annotation
}

impl Annotation {
    /// Adds a function. For optimised code, adds its lines to `texts`, with the functions whose
    /// text they are.
    fn add<'a>(
        &mut self,
        module: &Module,
        function: &'a Function,
        chosen: Chosen<'_>,
        texts: &mut BTreeSet<(u32, &'a str)>,
    ) {
        let shape = &function.shape;
        let files = shape.locations.iter().map(|at| at.file.as_str()).chain([shape.file.as_str()]);
        let files: BTreeSet<_> = files.collect();
        let files: BTreeSet<_> =
            files.into_iter().filter(|file| module.path(file) == chosen.path).collect();
        if files.is_empty() {
            return;
        }
        let is_named = |name: &str| chosen.function.is_none_or(|chosen| chosen == name);
        // A line of the function has a location in it, or is its first.
        let mut known = BTreeMap::new();
        for at in shape.locations.iter().filter(|at| files.contains(at.file.as_str())) {
            if is_named(&at.function) {
                known.insert((at.file.as_str(), at.line, at.inlined_at), at.function.as_str());
                self.copies.insert((function.demangled.clone(), at.inlined_at.is_some()));
            }
        }
        let is_own = match shape.own_location() {
            Some(own) => is_named(&own.function),
            None => chosen.function.is_none(),
        };
        if is_own && shape.line != 0 && files.contains(shape.file.as_str()) {
            let own = shape.own_location().map_or("", |own| own.function.as_str());
            known.insert((shape.file.as_str(), shape.line, None), own);
        }
        for (line, ran) in lines::in_module(module, function) {
            if let Some(name) = known.get(&line) {
                if module.is_optimised() {
                    texts.insert((line.1, *name));
                }
                self.is_optimised |= module.is_optimised();
                let sum = self.lines.entry(line.1).or_default();
                *sum = sum.and(ran);
            }
        }
        for ((line, column), ran) in columns::of(module, function) {
            if known.contains_key(&line) {
                let sum = self.columns.entry(line.1).or_default().entry(column).or_default();
                *sum = sum.and(ran);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    fn main() -> Chosen<'static> {
        Chosen { path: Path::new("/build/src/main.c"), function: None }
    }

    #[test]
    fn a_file_has_the_lines_of_all_its_functions() {
        let annotation = of(&sample::report(), main());
        let lines: Vec<_> = annotation.lines.keys().copied().collect();
        assert_eq!(lines, [10, 11, 12, 13, 14, 16, 18, 30, 31, 33, 35, 40]);
        assert_eq!(annotation.lines[&14].count, 40_003);
        let copies: Vec<_> = annotation.copies.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(copies, ["collatz", "main"]);
    }

    #[test]
    fn inlined_code_counts_where_its_text_is() {
        let report = sample::report();
        let chosen = Chosen { path: Path::new("/build/include/util.h"), function: Some("f") };
        let annotation = of(&report, chosen);
        // Seven times inlined into main, twelve times as a separate function.
        assert_eq!(annotation.lines[&5].count, 19);
        assert!(annotation.copies.contains(&("main".into(), true)));
        assert!(annotation.copies.contains(&("util::weigh(int)".into(), false)));
    }

    #[test]
    fn a_line_has_columns_if_its_blocks_differ() {
        let mut report = sample::report();
        for (index, column) in [(2, 3), (3, 9)] {
            let at = &mut report.functions[0].shape.locations[index];
            (at.line, at.column) = (13, column);
        }
        let annotation = of(&report, main());
        let columns: Vec<_> = annotation.columns[&13].keys().copied().collect();
        assert_eq!(columns, [1, 3, 9]);
        assert!(!annotation.columns.contains_key(&12), "one block");
    }

    #[test]
    fn a_function_has_the_lines_of_those_that_stand_in_it() {
        let ran = |count| Executions { count, meaning: Meaning::Exact };
        let lines = |lines: &[(u32, u128)]| Annotation {
            lines: lines.iter().map(|&(line, count)| (line, ran(count))).collect(),
            columns: lines.iter().map(|&(line, _)| (line, BTreeMap::new())).collect(),
            ..Annotation::default()
        };
        let mut function = lines(&[(5, 1), (9, 1)]);
        function.fill_from(&lines(&[(4, 7), (5, 8), (6, 7), (9, 9), (10, 7)]));
        assert_eq!(function, lines(&[(5, 1), (6, 7), (9, 1)]));
        let mut none = Annotation::default();
        none.fill_from(&function);
        assert_eq!(none, Annotation::default());
    }
}
