//! What was covered of each source file.
//!
//! Functions that the compiler makes have a row of their own, since no line of the user's is
//! theirs. Functions that could not be counted are unknown, and are said beside what is known.

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

/// Of how many things how many were executed.
type Pair = (Exact, Exact);

/// What is known of all files.
pub(super) struct Coverages {
    /// By the number of the file.
    pub(super) files: BTreeMap<u32, FileCoverage>,
    /// For the index.
    pub(super) rows: Vec<Row>,
}

/// How much of one file was covered.
#[derive(Serialize)]
pub(super) struct Row {
    /// `null` without debug information.
    file: Option<u32>,
    /// Whether it is of functions that the compiler made.
    made: bool,
    functions: Pair,
    lines: Pair,
    branches: Pair,
    paths: Pair,
    /// How many functions could not be counted.
    unknown: usize,
}

/// A label, and how often control went there; `null` if that is not known.
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
    /// Lines of functions that could not be counted.
    unknown: Vec<u32>,
}

/// What is known of one file before it is written.
#[derive(Default)]
struct CoveredFile<'a> {
    source: SourceFile,
    functions: Vec<&'a Function>,
    unknown: Vec<u32>,
}

/// The source files of a report that a filter lets through, by their absolute paths.
pub(super) struct Sources {
    /// With the functions that people wrote.
    written: BTreeMap<PathBuf, SourceFile>,
    /// With those that the compiler made.
    made: BTreeMap<PathBuf, SourceFile>,
}

impl Sources {
    /// A line of a file may be code of a function in another file. So the lines of a file are the
    /// same whichever files the filter lets through.
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

/// The coverage of all files: of `sources`, and of the functions of `report`.
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
    // The lines that made functions have are those of variables, which others have, too.
    let none = (Exact(0), Exact(0));
    let made = made.values().map(|known| Row { lines: none, ..row(None, true, known) });
    let rows = rows.chain(made).collect();
    let files = known.iter().filter_map(|(file, known)| Some(((*file)?, payload(known))));
    Coverages { files: files.collect(), rows }
}

/// Sources and functions by the numbers of their files.
fn known<'a>(
    sources: BTreeMap<PathBuf, SourceFile>,
    functions: &[&'a Function],
    files: &Files<'_>,
) -> BTreeMap<Option<u32>, CoveredFile<'a>> {
    let mut known: BTreeMap<Option<u32>, CoveredFile<'_>> = BTreeMap::new();
    for (path, source) in sources {
        // The page has no file of which no function is shown.
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

/// Where a way leads, behind what decided it if that has a word.
fn label(way: &BranchWay) -> String {
    let (word, target) = &way.target;
    let word = word.as_ref().map(|word| format!("{word} ")).unwrap_or_default();
    shown(&format!("{word}→ {target}")).into_owned()
}
