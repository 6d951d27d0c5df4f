//! Computes the coverage of functions, lines, branches and paths.
//!
//! Lines and branches are those of [`source_files`]. A path is covered if it was executed to its
//! end at least once. All paths that the control-flow graph allows are possible, even if no input
//! leads there. Where the limit cuts paths, their pieces are counted. Coverage is meant for
//! `-fpath-stage=early`: later stages no longer have the branches of the source.
//!
//! Some functions have no counts:
//!
//! * A function that the optimiser or the linker dropped because nothing calls it did not run. It
//!   is not covered.
//! * A function that could not be counted, such as a coroutine that is not split yet, is unknown.
//!   The function and the line on which it begins count as not covered.
//! * A function that the user left out is not part of the result.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::model::{Count, Function, Report};
use crate::origin::{SystemFiles, is_made, is_made_symbol};
use crate::select::{Chosen, Filter};
use crate::source_files::{self, Covered, SourceFile};

/// The coverage of functions, lines, branches and paths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Functions that were entered.
    pub functions: Covered,
    /// Lines that ran.
    pub lines: Covered,
    /// Outcomes of branches that were taken.
    pub branches: Covered,
    /// Paths that were executed to their end.
    pub paths: Covered,
}

impl Coverage {
    /// Returns the sum of both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            functions: self.functions.and(other.functions),
            lines: self.lines.and(other.lines),
            branches: self.branches.and(other.branches),
            paths: self.paths.and(other.paths),
        }
    }
}

/// The functions and files of a report whose coverage is requested.
pub struct Selection<'a> {
    report: &'a Report,
    /// The functions that are counted, and those that no image contains.
    pub functions: Vec<&'a Function>,
    /// The functions that could not be counted.
    pub unknown: Vec<&'a Function>,
    /// The counts of each file, by its absolute path.
    pub files: BTreeMap<PathBuf, SourceFile>,
    /// The number of functions that are left out because they are of system headers.
    pub of_system: usize,
    /// The number of functions that are left out because the compiler made them.
    pub made: usize,
}

impl<'a> Selection<'a> {
    /// Selects the functions and files that pass a filter.
    pub fn of(report: &'a Report, filter: &Filter) -> Self {
        let known = filter.choose(report, report.of_source());
        let unknown = unknown(report, filter);
        // A line of a file may be code of a function of another file, into which it was inlined or
        // included. So the lines of a file do not depend on which files are chosen.
        let with_lines = report.of_source().filter(|function| filter.takes_name(function));
        let mut files = source_files::files(report, with_lines);
        let is_left = |symbol: &str| !(filter.hides_made() && is_made_symbol(symbol));
        // A function that the compiler made may run code of the source, such as an initialisation:
        // only the function is left out, its lines stay.
        files.values_mut().for_each(|file| file.functions.retain(|(_, symbol), _| is_left(symbol)));
        let system = SystemFiles::of(&report.modules);
        files.retain(|path, _| filter.takes_file(&system, path));
        for function in &unknown.functions {
            let path = report.modules[function.module].path(&function.shape.file);
            let name = function.shape.file.clone();
            files.entry(path).or_insert_with(|| SourceFile { name, ..SourceFile::default() });
        }
        let is_left = |function: &Function| !(filter.hides_made() && is_made(&function.shape));
        let (functions, made): (Vec<_>, Vec<_>) =
            known.functions.into_iter().partition(|function| is_left(function));
        Self {
            report,
            functions,
            unknown: unknown.functions,
            files,
            of_system: known.of_system + unknown.of_system,
            made: made.len(),
        }
    }

    /// Returns the coverage of paths by the file of their function. Functions without a file are
    /// under the empty name.
    fn paths(&self) -> BTreeMap<PathBuf, Covered> {
        let mut paths: BTreeMap<_, Covered> = BTreeMap::new();
        for function in &self.functions {
            let module = &self.report.modules[function.module];
            let named = Some(&function.shape.file).filter(|file| !file.is_empty());
            let file = named.map_or_else(PathBuf::new, |file| module.path(file));
            let sum = paths.entry(file).or_default();
            *sum = sum.and(paths_of(function));
        }
        paths
    }

    /// Returns the functions in the file at `path` that could not be counted.
    pub fn unknown_in(&self, path: &Path) -> impl Iterator<Item = &&'a Function> {
        let place =
            |function: &Function| self.report.modules[function.module].path(&function.shape.file);
        self.unknown.iter().filter(move |function| place(function) == path)
    }

    /// Returns the names of the files and the coverage of each. Functions without debug information
    /// share [one row](NO_SOURCE).
    pub fn rows(&self) -> Vec<(String, Coverage)> {
        let mut paths = self.paths();
        let file = |(path, file): (&PathBuf, &SourceFile)| {
            let unknown = Covered { executed: 0, all: self.unknown_in(path).count() as Count };
            let of_file = of_file(file, paths.remove(path).unwrap_or_default());
            let unknown = Coverage { functions: unknown, lines: unknown, ..Coverage::default() };
            (file.name.clone(), of_file.and(unknown))
        };
        let mut rows: Vec<_> = self.files.iter().map(file).collect();
        let rest = self.functions.iter().filter(|function| function.shape.file.is_empty());
        let entered = rest.map(|function| function.entries > 0);
        if let Some(left) = paths.remove(&PathBuf::new()) {
            let mut functions = Covered::default();
            entered.for_each(|entered| functions.add(entered));
            rows.push((
                NO_SOURCE.into(),
                Coverage { functions, paths: left, ..Coverage::default() },
            ));
        }
        rows
    }
}

/// Returns the functions that pass a filter and could not be counted.
pub fn unknown<'a>(report: &'a Report, filter: &Filter) -> Chosen<'a> {
    filter.choose(report, report.functions.iter().filter(|function| is_unknown(function)))
}

/// Returns true if a function of the source was skipped although the user did not ask for it.
fn is_unknown(function: &Function) -> bool {
    // The reasons that the pass gives for functions left out by the user
    // (`pass/src/read/eligible.rs`).
    let asked = ["attribute no_profile", "annotated with", "left out by the filter", "not hot"];
    let reason = function.shape.skipped.as_deref();
    let known = |reason: &str| asked.iter().any(|asked| reason.starts_with(asked));
    reason.is_some_and(|reason| !known(reason))
        && function.shape.line != 0
        && !function.shape.file.is_empty()
}

/// The name of the row for functions without debug information.
pub const NO_SOURCE: &str = "(no debug information)";

/// Returns how many of the possible paths of a function were executed to their end.
pub fn paths_of(function: &Function) -> Covered {
    Covered { executed: function.completed().count() as Count, all: function.num_paths().into() }
}

fn of_file(file: &SourceFile, paths: Covered) -> Coverage {
    Coverage {
        functions: file.function_coverage(),
        lines: file.line_coverage(),
        branches: file.branch_coverage(),
        paths,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn a_filter_of_files_leaves_the_numbers_of_a_file_alone() {
        let mut report = sample::report();
        // Code of the header was inlined into main, and main has none of its own file.
        let main = report.functions.iter_mut().find(|of| of.demangled == "main").expect("there");
        main.shape.file.clear();
        let all = Selection::of(&report, &Filter::default()).files;
        assert_eq!(all.len(), 2);
        for (path, file) in &all {
            let only = vec![path.to_string_lossy().into_owned()];
            let others = all.keys().filter(|other| *other != path);
            let others = others.map(|other| other.to_string_lossy().into_owned()).collect();
            let filters = [
                Filter { files: only, ..Filter::default() },
                Filter { hidden: others, ..Filter::default() },
            ];
            for filter in filters {
                let chosen = Selection::of(&report, &filter).files;
                assert_eq!(chosen, BTreeMap::from([(path.clone(), file.clone())]));
            }
        }
    }
}
