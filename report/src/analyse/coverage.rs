//! What a run covered: functions, lines, branches and paths, of each file or of each function.
//!
//! Lines and branches are those of [`source`](crate::analyse::source_files). A path is covered if it was executed
//! to its end at least once; what is possible is what the control-flow graph allows, though no
//! input may lead there. Where the limit cuts paths, their pieces are counted, and the number of
//! whole paths stands beside them. Meant for `-fpath-stage=early`: later, branches of the source
//! have become something else.
//!
//! A function that the optimiser or the linker dropped, since nothing calls it, did not run: it is
//! not covered.
//!
//! A function that could not be counted, as a coroutine that is not split yet, is unknown: it and
//! the line that it begins on count as not covered. Those that the user left out are not there at
//! all.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Write as _;
use std::io::{Result, Write};
use std::path::{Path, PathBuf};

use comfy_table::CellAlignment::{Left, Right};
use owo_colors::OwoColorize;
use pathformat::manifest::{CutReason, Outcome};

use crate::analyse::acyclic;
use crate::analyse::model::{self, Count, End, Function, Report};
use crate::analyse::possible_paths::Possible;
use crate::analyse::select;
use crate::analyse::source_files::{self, Covered, SourceFile};
use crate::analyse::uncut_paths::without_limit;
use crate::show::notation::{self, Notation};
use crate::show::path_layout;
use crate::show::printable::Printable;
use crate::show::style::{grouped, percent, plural, table};

/// What to show.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// A row for each function instead of each file.
    pub functions: bool,
    /// Below the table, what was not covered.
    pub missing: bool,
    /// Only functions whose name matches this glob.
    pub function: Option<String>,
    /// Only files whose name matches this glob.
    pub file: Option<String>,
    /// Paths that were not executed are listed for functions of so many possible ones at most.
    pub most_paths: u64,
}

/// How much of everything was covered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Functions that were entered.
    pub functions: Covered,
    /// Lines that ran.
    pub lines: Covered,
    /// Ways on from branches that were taken.
    pub branches: Covered,
    /// Paths that were executed to their end.
    pub paths: Covered,
}

impl Coverage {
    fn and(self, other: Self) -> Self {
        Self {
            functions: self.functions.and(other.functions),
            lines: self.lines.and(other.lines),
            branches: self.branches.and(other.branches),
            paths: self.paths.and(other.paths),
        }
    }
}

/// What is to be shown of a report.
struct Chosen<'a> {
    report: &'a Report,
    functions: Vec<&'a Function>,
    /// Those that could not be counted.
    unknown: Vec<&'a Function>,
    files: BTreeMap<PathBuf, SourceFile>,
}

impl<'a> Chosen<'a> {
    fn of(report: &'a Report, options: &Options) -> Self {
        let matches = |file: &str| options.file.as_deref().is_none_or(|glob| glob_match::glob_match(glob, file));
        let named =
            |function: &&Function| options.function.as_deref().is_none_or(|glob| select::matches(glob, function));
        let functions = report.of_source().filter(named).filter(|function| matches(&function.shape.file));
        let functions: Vec<_> = functions.collect();
        let mut files = source_files::files(report, functions.iter().copied());
        files.retain(|_, file| matches(&file.name));
        let unknown = report.functions.iter().filter(|function| is_unknown(function));
        let unknown: Vec<_> = unknown.filter(|function| named(function) && matches(&function.shape.file)).collect();
        for function in &unknown {
            let path = source_files::absolute(&report.modules[function.module], &function.shape.file);
            let name = function.shape.file.clone();
            files.entry(path).or_insert_with(|| SourceFile { name, ..SourceFile::default() });
        }
        Self { report, functions, unknown, files }
    }

    /// Paths by the file of their function; the empty name is that of functions without one.
    fn paths(&self) -> BTreeMap<PathBuf, Covered> {
        let mut paths: BTreeMap<_, Covered> = BTreeMap::new();
        for function in &self.functions {
            let module = &self.report.modules[function.module];
            let named = Some(&function.shape.file).filter(|file| !file.is_empty());
            let file = named.map_or_else(PathBuf::new, |file| source_files::absolute(module, file));
            let sum = paths.entry(file).or_default();
            *sum = sum.and(paths_of(function));
        }
        paths
    }

    fn unknown_in(&self, path: &Path) -> impl Iterator<Item = &&'a Function> {
        let place =
            |function: &Function| source_files::absolute(&self.report.modules[function.module], &function.shape.file);
        self.unknown.iter().filter(move |function| place(function) == path)
    }

    fn rows(&self) -> Vec<(String, Coverage)> {
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
            rows.push((NO_SOURCE.into(), Coverage { functions, paths: left, ..Coverage::default() }));
        }
        rows
    }
}

/// Whether a function has code in the source of which nothing is known, though nobody asked for
/// that.
fn is_unknown(function: &Function) -> bool {
    // What the pass says of what users leave out (`pass/src/eligible.rs`).
    let asked = ["attribute no_profile", "annotated with", "left out by the filter", "not hot"];
    let reason = function.shape.skipped.as_deref();
    let known = |reason: &str| asked.iter().any(|asked| reason.starts_with(asked));
    reason.is_some_and(|reason| !known(reason)) && function.shape.line != 0 && !function.shape.file.is_empty()
}

/// Stands for the file of functions without debug information.
const NO_SOURCE: &str = "(no debug information)";

fn paths_of(function: &Function) -> Covered {
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

/// Writes the table, and what is missing if that is asked for. Gives how much was covered of all
/// that `options` choose.
///
/// # Errors
/// Those of `out`.
pub fn write(report: &Printable, options: &Options, out: &mut impl Write) -> Result<Coverage> {
    let chosen = Chosen::of(report, options);
    let rows = chosen.rows();
    let all = rows.iter().fold(Coverage::default(), |sum, (_, coverage)| sum.and(*coverage));
    if chosen.functions.is_empty() && chosen.unknown.is_empty() {
        writeln!(out, "No counted function matches.")?;
        return Ok(all);
    }
    if options.functions {
        functions(&chosen, out)?;
    } else {
        files(rows, all, out)?;
    }
    if options.missing {
        let mut functions: HashMap<PathBuf, Vec<&Function>> = HashMap::new();
        for &function in chosen.functions.iter().filter(|function| !function.shape.file.is_empty()) {
            let module = &report.modules[function.module];
            functions.entry(source_files::absolute(module, &function.shape.file)).or_default().push(function);
        }
        let mut room = MOST_LISTED;
        for (path, file) in &chosen.files {
            let of_file = functions.get(path).map(Vec::as_slice).unwrap_or_default();
            let unknown = chosen.unknown_in(path).map(|function| function.shape.line).collect();
            missing(file, of_file, &unknown, options.most_paths, &mut room, out)?;
        }
    }
    if !chosen.unknown.is_empty() {
        let text = format!(
            "not counted, and so taken as not covered: {}; pathprof report --skipped says why",
            plural(chosen.unknown.len(), "function")
        );
        writeln!(out, "{}", path_layout::remark(&"note:".cyan().bold().to_string(), &text, None))?;
    }
    let late = report.modules.iter().filter(|module| module.stage != "early").count();
    if late > 0 {
        let text = format!(
            "{} counted after optimisation, when branches of the source may be gone; compile with \
             -fpath-stage=early for coverage",
            plural(late, "unit")
        );
        writeln!(out, "{}", path_layout::remark(&"note:".cyan().bold().to_string(), &text, None))?;
    }
    Ok(all)
}

fn files(rows: Vec<(String, Coverage)>, all: Coverage, out: &mut impl Write) -> Result<()> {
    let columns = ["functions", "", "lines", "", "branches", "", "paths", ""].map(|title| (title, Right));
    let mut table = table(&[&[("file", Left)][..], &columns].concat());
    for (name, coverage) in rows.into_iter().chain([("all".to_string(), all)]) {
        let covered = [coverage.functions, coverage.lines, coverage.branches, coverage.paths];
        table.add_row([vec![name], covered.into_iter().flat_map(cells).collect()].concat());
    }
    writeln!(out, "{}\n", table.trim_fmt())
}

fn functions(chosen: &Chosen<'_>, out: &mut impl Write) -> Result<()> {
    let columns = ["entries", "lines", "", "branches", "", "paths", "", "whole"].map(|title| (title, Right));
    let mut table = table(&[&[("function", Left), ("where", Left)][..], &columns].concat());
    for &function in &chosen.functions {
        let files = source_files::files(chosen.report, [function]);
        let sum = |what: fn(&SourceFile) -> Covered| files.values().map(what).fold(Covered::default(), Covered::and);
        let (lines, branches) = (sum(SourceFile::line_coverage), sum(SourceFile::branch_coverage));
        let covered = [lines, branches, paths_of(function)].into_iter().flat_map(cells);
        let place = match function.shape.line {
            0 => String::new(),
            line => format!("{}:{line}", function.shape.file),
        };
        let whole = match function.cuts(CutReason::Limit) {
            0 => String::new(),
            _ => Possible::of(&function.shape).to_string(),
        };
        let head = vec![function.demangled.clone(), place, grouped(function.entries)];
        table.add_row([head, covered.collect(), vec![whole]].concat());
    }
    for function in &chosen.unknown {
        let place = format!("{}:{}", function.shape.file, function.shape.line);
        table.add_row([function.demangled.clone(), place, "?".into(), "?".into()]);
    }
    writeln!(out, "{}\n", table.trim_fmt())
}

/// `3/4` and its share.
fn cells(covered: Covered) -> [String; 2] {
    match covered.all {
        0 => ["–".into(), String::new()],
        all => [format!("{}/{}", grouped(covered.executed), grouped(all)), percent(covered.executed, all)],
    }
}

/// The list of paths that were not taken ends when this many blocks were looked at.
const MOST_LISTED: usize = 1 << 25;

fn missing(
    file: &SourceFile,
    functions: &[&Function],
    unknown: &BTreeSet<u32>,
    most_paths: u64,
    room: &mut usize,
    out: &mut impl Write,
) -> Result<()> {
    let mut text = String::new();
    let mut line = |title: &str, what: &str| {
        if !what.is_empty() {
            let _ = writeln!(text, "  {title:<10} {what}");
        }
    };
    line("unknown", &unknown.iter().map(u32::to_string).collect::<Vec<_>>().join(", "));
    line("lines", &ranges(file.lines.iter().map(|(&line, &count)| (line, count > 0))));
    line("branches", &branches(file));
    for function in functions {
        paths(function, most_paths, room, &mut text);
    }
    if text.is_empty() { Ok(()) } else { writeln!(out, "not covered in {}\n{text}", file.name.bold()) }
}

/// `12-15, 18`: the lines that did not run; those without code between them do not end a range.
fn ranges(lines: impl Iterator<Item = (u32, bool)>) -> String {
    let mut found: Vec<(u32, u32)> = Vec::new();
    let mut goes_on = false;
    for (line, ran) in lines {
        match found.last_mut() {
            Some((_, last)) if !ran && goes_on => *last = line,
            _ if !ran => found.push((line, line)),
            _ => {}
        }
        goes_on = !ran;
    }
    let text = |(first, last)| if first == last { format!("{first}") } else { format!("{first}-{last}") };
    found.into_iter().map(text).collect::<Vec<_>>().join(", ")
}

/// `13(false), 31(case 2)`: ways that were not taken from branches that were reached.
fn branches(file: &SourceFile) -> String {
    let mut found = BTreeSet::new();
    for (place, ways) in &file.branches {
        let reached = ways.iter().any(|way| way.taken != Some(0));
        let left = ways.iter().filter(|way| reached && way.taken == Some(0));
        found.extend(left.map(|way| (place.line, words(&way.outcome))));
    }
    found.into_iter().map(|(line, way)| format!("{line}({way})")).collect::<Vec<_>>().join(", ")
}

fn words(outcome: &Outcome) -> String {
    notation::words(outcome).map_or_else(String::new, |(_, words)| words)
}

/// The paths that a function did not take, if they are few enough to list. `room` is for so many
/// blocks.
fn paths(function: &Function, most: u64, room: &mut usize, text: &mut String) {
    let covered = paths_of(function);
    if covered.executed >= covered.all {
        return;
    }
    let left = covered.all - covered.executed;
    let _ = writeln!(text, "  {:<10} {}: {} of {}", "paths", function.demangled, grouped(left), grouped(covered.all));
    if function.num_paths() > most || function.entries == 0 {
        return;
    }
    let whole = function.shape.whole.as_ref();
    let unlimited = whole.map(|whole| Function { shape: without_limit(&function.shape, whole), ..function.clone() });
    let function = unlimited.as_ref().unwrap_or(function);
    let Ok(decoder) = acyclic::decoder(&function.shape) else { return };
    let writer = notation::Writer::new(function, Notation::Lines);
    let taken: HashSet<u64> = function.completed().map(|path| path.id).collect();
    for id in (0..model::num_ids(&function.shape)).filter(|id| !taken.contains(id)) {
        if *room == 0 {
            let _ = writeln!(text, "               … and more, too many to list");
            return;
        }
        // Each id is work, even one that no path has.
        *room = room.saturating_sub(function.shape.blocks.len() + 1);
        let path = acyclic::possible(&function.shape, &decoder, id);
        if let Some(path) = path.ok().filter(|path| path.end != End::InFlight) {
            let _ = writeln!(text, "               {}", path_layout::fit(&writer.write(&path), None));
        }
    }
}

#[cfg(test)]
mod tests {
    use pathformat::manifest::{DagEdge, DagEdgeKind, Whole};

    use super::*;
    use crate::analyse::source_files::{Place, Way};
    use crate::sample;

    fn shown(options: &Options) -> String {
        shown_of(sample::report(), options)
    }

    #[test]
    fn a_row_for_each_file() {
        insta::assert_snapshot!(shown(&Options::default()));
    }

    #[test]
    fn a_row_for_each_function() {
        insta::assert_snapshot!(shown(&Options { functions: true, ..Options::default() }));
    }

    #[test]
    fn what_is_missing() {
        let options = Options { missing: true, most_paths: 64, ..Options::default() };
        insta::assert_snapshot!(shown(&options));
    }

    #[test]
    fn globs_choose() {
        let all = |options: Options| {
            write(&sample::report().into(), &options, &mut std::io::sink()).expect("nothing to fail")
        };
        let covered = |executed, all| Covered { executed, all };
        let one = all(Options { function: Some("collatz".into()), ..Options::default() });
        assert_eq!((one.functions, one.paths), (covered(1, 1), covered(5, 8)));
        let header = all(Options { file: Some("**/*.h".into()), ..Options::default() });
        assert_eq!((header.functions, header.lines), (covered(1, 1), covered(2, 2)));
    }

    #[test]
    fn what_could_not_be_counted_is_not_covered() {
        let mut report = sample::report();
        let all = |report: &Report, options: &Options| {
            write(&report.clone().into(), options, &mut std::io::sink()).expect("nothing to fail")
        };
        let covered = |executed, all| Covered { executed, all };
        let only = Options { function: Some("start".into()), ..Options::default() };
        assert_eq!(all(&report, &only).functions, covered(0, 1));
        let known = all(&report, &Options::default());
        assert!(!known.lines.reaches(100.0) && !known.functions.reaches(100.0));
        let start = report.functions.iter_mut().find(|function| function.demangled == "start").expect("there");
        start.shape.skipped = Some("left out by the filter".into());
        let without = all(&report, &Options::default());
        assert_eq!((without.functions.all, without.lines.all), (known.functions.all - 1, known.lines.all - 1));
        assert!(without.lines.reaches(100.0));
    }

    fn shown_of(report: Report, options: &Options) -> String {
        let mut out = Vec::new();
        write(&report.into(), options, &mut out).expect("in memory");
        anstream::adapter::strip_str(&String::from_utf8_lossy(&out)).to_string()
    }

    fn named(name: &str) -> Function {
        sample::report().functions.into_iter().find(|function| function.demangled == name).expect("there")
    }

    #[test]
    fn a_file_of_which_nothing_is_known_has_its_name() {
        let mut report = sample::report();
        let start = report.functions.iter_mut().find(|function| function.demangled == "start").expect("there");
        start.shape.file = "src/start.c".into();
        let text = shown_of(report, &Options::default());
        let row = text.lines().find(|line| line.starts_with("src/start.c ")).expect("a row");
        assert_eq!(row.split_whitespace().take(3).collect::<Vec<_>>(), ["src/start.c", "0/1", "0.0%"], "{text}");
    }

    #[test]
    fn without_debug_information_a_function_is_covered_if_it_was_entered() {
        for (entries, expected) in [(0, 0), (1, 1)] {
            let mut report = sample::report();
            let guard = report.functions.iter_mut().find(|function| function.shape.file.is_empty()).expect("there");
            guard.entries = entries;
            let only = Options { function: Some("util::guard*".into()), ..Options::default() };
            let all = write(&report.into(), &only, &mut std::io::sink()).expect("nothing to fail");
            assert_eq!(all.functions, Covered { executed: expected, all: 1 });
        }
    }

    #[test]
    fn only_if_nothing_is_chosen_nothing_matches() {
        for (glob, matches) in [("collatz", true), ("start", true), ("none", false)] {
            let text = shown(&Options { function: Some(glob.into()), ..Options::default() });
            assert_eq!(text != "No counted function matches.\n", matches, "{text}");
        }
    }

    #[test]
    fn units_counted_after_optimisation_are_noted() {
        let mut report = sample::report();
        for late in (0..=2).rev() {
            let text = shown_of(report.clone(), &Options::default());
            let noted = ["", "1 unit counted", "2 units counted"][late];
            assert_eq!(text.contains("counted after optimisation"), late > 0, "{text}");
            assert!(text.contains(noted), "{text}");
            if let Some(module) = report.modules.iter_mut().find(|module| module.stage == "late") {
                module.stage = "early".into();
            }
        }
    }

    #[test]
    fn lines_and_ways_that_were_not_taken_are_listed() {
        let way = |outcome, taken| Way { outcome, taken };
        let branch = |line, ways| (Place { line, column: 1, copy: 0 }, ways);
        let file = SourceFile {
            name: "a.c".into(),
            lines: [(1, 5), (2, 0), (3, 0), (7, 1)].into(),
            branches: BTreeMap::from([
                branch(2, vec![way(Outcome::True, Some(3)), way(Outcome::False, Some(0))]),
                // Never reached, and one of which less is known.
                branch(3, vec![way(Outcome::True, Some(0)), way(Outcome::False, Some(0))]),
                branch(4, vec![way(Outcome::Default, None), way(Outcome::Cases(vec![7]), Some(0))]),
            ]),
            ..SourceFile::default()
        };
        let mut out = Vec::new();
        missing(&file, &[], &BTreeSet::new(), 64, &mut 1, &mut out).expect("in memory");
        let text = anstream::adapter::strip_str(&String::from_utf8_lossy(&out)).to_string();
        assert_eq!(text, "not covered in a.c\n  lines      2-3\n  branches   2(false), 4(case 7)\n\n");
    }

    /// What is said of the paths of a function that were not taken, line by line.
    fn missing_paths(function: &Function, most: u64) -> Vec<String> {
        let mut text = String::new();
        paths(function, most, &mut 1000, &mut text);
        let plain = anstream::adapter::strip_str(&text).to_string();
        plain.lines().map(|line| line.trim().to_owned()).collect()
    }

    #[test]
    fn the_paths_of_what_ran_are_listed_if_they_are_few() {
        let mut function = named("collatz");
        assert_eq!(missing_paths(&function, 7).len(), 1, "it has eight");
        assert_eq!(missing_paths(&function, 8).len(), 1 + 3);
        function.entries = 0;
        assert_eq!(missing_paths(&function, 8).len(), 1);
    }

    #[test]
    fn missing_paths_are_whole_where_those_are_known() {
        let mut function = named("util::guard(int)");
        function.paths.clear();
        // As in the sample, but nothing is cut behind the landing pad.
        let mut dag = function.shape.dag.clone();
        dag[3] = DagEdge { kind: DagEdgeKind::Flow { edge: 2 }, value: 0 };
        dag.remove(4);
        let cuts = function.shape.edges.iter().map(|edge| edge.cut.filter(|cut| cut.0 == 0)).collect();
        function.shape.whole = Some(Whole { num_paths: 4, slots: 64, dag, cuts });
        let ways = [
            "bb0 -> cut",
            "resume: bb1 -> return",
            "resume: bb2(true) bb3 -> return",
            "resume: bb2(false) bb4 -> unwind",
        ];
        assert_eq!(missing_paths(&function, 64)[1..], ways);
    }

    #[test]
    fn the_list_of_paths_ends_where_the_work_does() {
        let report = sample::report();
        let function = report.functions.iter().find(|of| of.demangled == "collatz").expect("there");
        // Room for the blocks of one path.
        let (mut room, mut text) = (function.shape.blocks.len() + 1, String::new());
        paths(function, 64, &mut room, &mut text);
        let lines: Vec<_> = text.lines().map(str::trim).collect();
        assert!(lines.len() == 3 && lines[2] == "… and more, too many to list", "{text}");
        assert_eq!(room, 0);
    }

    #[test]
    fn ranges_go_over_lines_without_code() {
        let lines = [(1, true), (3, false), (5, false), (6, true), (8, false), (9, true), (12, false)];
        assert_eq!(ranges(lines.into_iter()), "3-5, 8, 12");
    }
}
