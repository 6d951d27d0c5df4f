//! Counts the lines of a function or a file, and the columns of lines that hold several blocks.
//!
//! A function is chosen by its name. If its code was inlined, all copies are summed, as
//! [`source_files`](crate::analyse::source_files) sums them. A column has the count of the block
//! that begins there; a line has columns if its blocks ran differently often.

use std::collections::{BTreeMap, BTreeSet};

use crate::analyse::lines;
use crate::analyse::model::{Count, Counting, Function, Report};

/// The counts of the lines of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Annotation {
    /// For each line with code how often it ran.
    pub lines: BTreeMap<u32, Count>,
    /// For each line the columns at which blocks begin, and how often those ran.
    pub columns: BTreeMap<u32, BTreeMap<u32, Count>>,
    /// Lines of which nothing is left but calls whose code was inlined.
    pub calls: BTreeSet<u32>,
    /// The functions whose code it has: the one that was compiled, and whether the code was inlined
    /// there.
    pub copies: BTreeSet<(String, bool)>,
}

/// What is annotated.
#[derive(Clone, Copy)]
pub enum Chosen<'a> {
    /// The code of a file.
    File(&'a str),
    /// The code of the functions of this name that is in this file.
    Function {
        /// The file.
        file: &'a str,
        /// The name without parameters, as lines give it.
        name: &'a str,
    },
}

impl Chosen<'_> {
    fn has(&self, location: &pathformat::manifest::Location) -> bool {
        match self {
            Self::File(file) => location.file == *file,
            Self::Function { file, name } => location.file == *file && location.function == *name,
        }
    }
}

/// Annotates what is chosen, of all functions of the report that are counted.
pub fn of(report: &Report, chosen: Chosen<'_>) -> Annotation {
    let mut annotation = Annotation::default();
    for function in report.with_blocks() {
        let shape = &function.shape;
        let places: Vec<bool> = shape.locations.iter().map(|at| chosen.has(at)).collect();
        if function.counting == Counting::Nothing || !places.contains(&true) {
            continue;
        }
        for (at, _) in shape.locations.iter().zip(&places).filter(|(_, has)| **has) {
            annotation.copies.insert((function.demangled.clone(), at.inlined_at.is_some()));
        }
        // A line of the function has a location of it, or is its first.
        let chosen_here = shape.locations.iter().zip(&places).filter(|(_, has)| **has);
        let known: BTreeSet<(u32, Option<u32>)> =
            chosen_here.map(|(at, _)| (at.line, at.inlined_at)).collect();
        let is_own = shape.own_location().is_some_and(|own| chosen.has(own));
        for ((file, line, inlined_at), count) in lines::of(function) {
            let is_first = is_own && inlined_at.is_none() && line == shape.line;
            let file_matches = match chosen {
                Chosen::File(chosen) | Chosen::Function { file: chosen, .. } => file == chosen,
            };
            if file_matches && (is_first || known.contains(&(line, inlined_at))) {
                let sum = annotation.lines.entry(line).or_default();
                *sum = sum.saturating_add(count);
            }
        }
        add_columns(function, &places, &mut annotation);
        let calls = shape.locations.iter().filter_map(|at| at.inlined_at).map(|call| call as usize);
        let calls = calls.filter(|&call| places[call]).map(|call| shape.locations[call].line);
        annotation.calls.extend(calls);
    }
    let Annotation { lines, calls, .. } = &mut annotation;
    calls.retain(|line| !lines.contains_key(line));
    annotation.columns.retain(|_, columns| {
        let mut counts = columns.values();
        let first = counts.next();
        counts.any(|count| Some(count) != first)
    });
    annotation
}

/// Adds the blocks of a function: each begins, in each line, at its first column there.
fn add_columns(function: &Function, places: &[bool], annotation: &mut Annotation) {
    for (block, &count) in function.shape.blocks.iter().zip(&function.block_counts) {
        let mut seen = BTreeSet::new();
        for &index in block.locations.iter().filter(|&&index| places[index as usize]) {
            let at = &function.shape.locations[index as usize];
            if at.column > 0 && seen.insert((at.line, at.inlined_at)) {
                let column = annotation.columns.entry(at.line).or_default();
                let sum = column.entry(at.column).or_default();
                *sum = sum.saturating_add(count);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn a_file_has_the_lines_of_all_its_functions() {
        let annotation = of(&sample::report(), Chosen::File("src/main.c"));
        let lines: Vec<_> = annotation.lines.keys().copied().collect();
        assert_eq!(lines, [10, 11, 12, 13, 14, 16, 18, 30, 31, 33, 35, 40]);
        assert_eq!(annotation.lines[&14], 40_003);
        let copies: Vec<_> = annotation.copies.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(copies, ["collatz", "main"]);
    }

    #[test]
    fn inlined_code_counts_where_its_text_is() {
        let report = sample::report();
        let annotation = of(&report, Chosen::Function { file: "include/util.h", name: "f" });
        // Seven times inlined into main, twelve times as a function of its own.
        assert_eq!(annotation.lines.get(&5), Some(&19));
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
        let annotation = of(&report, Chosen::File("src/main.c"));
        let columns: Vec<_> = annotation.columns[&13].keys().copied().collect();
        assert_eq!(columns, [1, 3, 9]);
        assert!(!annotation.columns.contains_key(&12), "one block");
    }
}
