//! The coverage of each source file.
//!
//! Functions that the compiler makes have a row of their own, since they have no lines of the
//! user's. Functions that could not be counted are unknown, and are counted beside the known ones.

use std::collections::BTreeMap;
use std::path::PathBuf;

use counts::coverage::{paths_of, unknown};
use counts::model::{Function, Report};
use counts::origin::{SystemFiles, is_made};
use counts::select::Filter;
use counts::source_files::{self, BranchWay, Covered, SourceFile};
use serde::Serialize;

use super::files::Files;
use super::payload::{Exact, shown};

/// The number of executed things, and the number of all.
type Pair = (Exact, Exact);

/// The coverage of all files.
pub(super) struct Coverages {
    /// The coverage by the number of the file.
    pub(super) files: BTreeMap<u32, FileCoverage>,
    /// The rows of the index.
    pub(super) rows: Vec<Row>,
}

/// The coverage of one file.
#[derive(Serialize)]
pub(super) struct Row {
    /// `null` without debug information.
    file: Option<u32>,
    /// True if it is of functions that the compiler made.
    made: bool,
    functions: Pair,
    lines: Pair,
    branches: Pair,
    paths: Pair,
    /// The number of functions that could not be counted.
    unknown: usize,
}

/// A label, and the number of times that control went there; `null` if it is unknown.
type LabelledWay = (String, Option<Exact>);

/// The payload of a file.
#[derive(Serialize)]
pub(super) struct FileCoverage {
    /// Line, count.
    lines: Vec<(u32, Exact)>,
    /// Line, column, ways.
    branches: Vec<(u32, u32, Vec<LabelledWay>)>,
    /// Line, name, entries.
    functions: Vec<(u32, String, Exact)>,
    /// The lines of functions that could not be counted.
    unknown: Vec<u32>,
}

/// The coverage of one file before it is written.
#[derive(Default)]
struct CoveredFile<'a> {
    source: SourceFile,
    functions: Vec<&'a Function>,
    unknown: Vec<u32>,
}

/// The source files of a report that a filter lets through, by their absolute paths.
pub(super) struct Sources {
    /// The files with the functions that people wrote.
    written: BTreeMap<PathBuf, SourceFile>,
    /// The files with those that the compiler made.
    made: BTreeMap<PathBuf, SourceFile>,
}

impl Sources {
    /// Returns the source files. A line of a file may be code of a function in another file, so the
    /// lines of a file are the same for all files that the filter lets through.
    pub(super) fn of(report: &Report, filter: &Filter) -> Self {
        let functions = report.of_source().filter(|function| filter.takes_name(function));
        let (made, written): (Vec<_>, Vec<_>) =
            functions.partition(|function| is_of_compiler(function));
        let system = SystemFiles::of(&report.modules);
        let sources = |functions: Vec<&Function>| {
            let mut files = source_files::files(report, functions);
            files.retain(|path, _| filter.takes_file(&system, path));
            files
        };
        let (written, made) = rayon::join(|| sources(written), || sources(made));
        Self { written, made }
    }
}

fn is_of_compiler(function: &Function) -> bool {
    is_made(&function.shape)
}

/// Returns the coverage of all files: of `sources`, and of the functions of `report`.
pub(super) fn of(report: &Report, sources: Sources, files: &Files<'_>) -> Coverages {
    let (made, written): (Vec<_>, Vec<_>) =
        report.of_source().partition(|function| is_of_compiler(function));
    let mut known = known(sources.written, &written, files);
    for function in unknown(report, &Filter { system: true, ..Filter::default() }).functions {
        let number = files.number(function.module, &function.shape.file);
        known.entry(number).or_default().unknown.push(function.shape.line);
    }
    let made = self::known(sources.made, &made, files);
    let rows = known.iter().map(|(&file, known)| row(file, false, known));
    // The lines of functions that the compiler made are those of variables, which other functions
    // have, too.
    let none = (Exact(0), Exact(0));
    let made = made.values().map(|known| Row { lines: none, ..row(None, true, known) });
    let rows = rows.chain(made).collect();
    let files = known.iter().filter_map(|(file, known)| Some(((*file)?, payload(known))));
    Coverages { files: files.collect(), rows }
}

/// Returns sources and functions by the numbers of their files.
fn known<'a>(
    sources: BTreeMap<PathBuf, SourceFile>,
    functions: &[&'a Function],
    files: &Files<'_>,
) -> BTreeMap<Option<u32>, CoveredFile<'a>> {
    let mut known: BTreeMap<Option<u32>, CoveredFile<'_>> = BTreeMap::new();
    for (path, source) in sources {
        // The page does not have a file without shown functions.
        if let Some(number) = files.at(&path) {
            known.entry(Some(number)).or_default().source = source;
        }
    }
    for &function in functions {
        let number = files.number(function.module, &function.shape.file);
        known.entry(number).or_default().functions.push(function);
    }
    known
}

fn row(file: Option<u32>, made: bool, known: &CoveredFile<'_>) -> Row {
    let pair = |covered: Covered| (Exact(covered.executed), Exact(covered.all));
    let paths = known.functions.iter().map(|function| paths_of(function));
    let mut functions = known.source.function_coverage();
    if file.is_none() {
        functions = Covered::default();
        known.functions.iter().for_each(|function| functions.add(function.entries > 0));
    }
    Row {
        file,
        made,
        functions: pair(functions),
        lines: pair(known.source.line_coverage()),
        branches: pair(known.source.branch_coverage()),
        paths: pair(paths.fold(Covered::default(), Covered::and)),
        unknown: known.unknown.len(),
    }
}

fn payload(known: &CoveredFile<'_>) -> FileCoverage {
    let SourceFile { functions, lines, branches, .. } = &known.source;
    let way = |way: &BranchWay| (label(way), way.taken.map(Exact));
    FileCoverage {
        lines: lines.iter().map(|(&line, &count)| (line, Exact(count))).collect(),
        branches: branches
            .iter()
            .map(|(place, ways)| (place.line, place.column, ways.iter().map(way).collect()))
            .collect(),
        functions: functions
            .iter()
            .map(|((line, name), &entries)| (*line, shown(name).into_owned(), Exact(entries)))
            .collect(),
        unknown: known.unknown.clone(),
    }
}

/// Returns the target of a way, behind the word for the decision, if there is one.
fn label(way: &BranchWay) -> String {
    let (word, target) = &way.target;
    let word = word.as_ref().map(|word| format!("{word} ")).unwrap_or_default();
    shown(&format!("{word}→ {target}")).into_owned()
}
