//! The table of coverage, with a row for each file or each function.
//!
//! The variants of a constructor or destructor in the code are one function.
//!
//! Where the limit cuts the paths of a function, the number of its uncut paths is beside them.

use std::collections::HashMap;
use std::path::PathBuf;

use counts::coverage::{Coverage, Selection, paths_of};
use counts::model::{Count, Function, Module, Report};
use counts::possible_paths::Possible;
use counts::select::Filter;
use counts::source_files::{self, Covered, SourceFile};
use pathformat::settings::{Mode, Stage};

use crate::show::document::{Document, Remark};
use crate::show::missing;
use crate::show::notation::base_name;
use crate::show::printable::Printable;
use crate::show::rows::{self, Names};
use crate::show::style::{grouped, plural, shown};
use crate::show::table::{Cell, CellKind, Column, Name, Row, Table};

/// The parts of the coverage to show.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// A row for each function instead of each file.
    pub functions: bool,
    /// A list of the code that was not covered, below the table.
    pub missing: bool,
    /// The functions and files to show.
    pub filter: Filter,
    /// The largest number of possible paths of a function whose missing paths are listed.
    pub most_paths: u64,
    /// The largest number of rows of functions; 0 means all.
    pub most_functions: usize,
    /// The largest number of rows of code that was not covered; 0 means all.
    pub most_missing: usize,
}

/// Returns the table, the list of missing code if `options` have it, and the coverage of all that
/// `options` choose.
pub fn document<'a>(report: &'a Printable, options: &Options) -> (Document<'a>, Coverage) {
    let chosen = Selection::of(report, &options.filter);
    let rows = chosen.rows();
    let all = rows.iter().fold(Coverage::default(), |sum, (_, coverage)| sum.and(*coverage));
    let mut document = Document::default();
    let mut table = match options.functions {
        true => functions(report, &chosen, options.most_functions),
        false => files(rows, all),
    };
    table.notes.extend(rows::left_out_of_system(chosen.of_system, ""));
    table.notes.extend(rows::left_out_of_made(chosen.made));
    document.tables.push(table);
    if chosen.functions.is_empty() && chosen.unknown.is_empty() {
        return (document, all);
    }
    if options.missing {
        document.tables.push(missing::table(
            report,
            not_covered(report, &chosen, options),
            options.most_missing,
        ));
    }
    document.remarks = remarks(report, &chosen);
    (document, all)
}

/// Returns the code that was not covered in each file.
fn not_covered<'a>(
    report: &'a Report,
    chosen: &Selection<'a>,
    options: &Options,
) -> Vec<missing::Missing<'a>> {
    let mut functions: HashMap<PathBuf, Vec<&Function>> = HashMap::new();
    for &function in chosen.functions.iter().filter(|function| !function.shape.file.is_empty()) {
        let module = &report.modules[function.module];
        functions.entry(module.path(&function.shape.file)).or_default().push(function);
    }
    let mut room = missing::MOST_LISTED;
    let of_file = |(path, file): (&PathBuf, &SourceFile)| {
        let of_file = functions.get(path).map(Vec::as_slice).unwrap_or_default();
        let unknown = chosen.unknown_in(path).map(|function| function.shape.line).collect();
        missing::of(report, file, of_file, &unknown, options.most_paths, &mut room)
    };
    chosen.files.iter().flat_map(of_file).collect()
}

fn remarks(report: &Report, chosen: &Selection<'_>) -> Vec<Remark> {
    let is_late = |module: &&Module| module.stage != Stage::Early && module.mode != Mode::Calls;
    let late = report.modules.iter().filter(is_late).count();
    let calls = chosen.functions.iter().filter(|of| !of.counting.knows_blocks()).count();
    let only_calls = (calls > 0).then(|| {
        format!(
            "of {} only calls are counted (-fpath-mode=calls), so nothing is known of their lines, \
             branches and paths",
            plural(calls, "function")
        )
    });
    let ways = chosen.files.values().map(SourceFile::unknown_ways).sum();
    let unknown_ways = (ways > 0).then(|| {
        let has_mode = report.modules.iter().any(|module| module.mode == Mode::Blocks);
        let advice = if has_mode { "; -fpath-mode=edges and paths tell more" } else { "" };
        format!(
            "left out of the branches: {} of which nothing is known{advice}",
            plural(ways, "way")
        )
    });
    let unknown = (!chosen.unknown.is_empty()).then(|| {
        format!(
            "not counted, and so taken as not covered: {}; pathprof report --skipped says why",
            plural(chosen.unknown.len(), "function")
        )
    });
    let late = (late > 0).then(|| {
        format!(
            "{} counted after optimisation, when branches of the source may be gone; compile with \
             -fpath-stage=early for coverage",
            plural(late, "unit")
        )
    });
    let remarks = [unknown, only_calls, unknown_ways, late];
    remarks.into_iter().flatten().map(Remark::note).collect()
}

/// The meaning of the number of uncut paths.
const UNCUT: &str =
    "uncut: how many paths the function would have if -fpath-limit= did not cut them";

/// The text of an empty table.
const NO_MATCH: &str = "No counted function matches.";

fn files(rows: Vec<(String, Coverage)>, all: Coverage) -> Table<'static> {
    let cells = |coverage: Coverage| {
        [coverage.functions, coverage.lines, coverage.branches, coverage.paths].map(cell)
    };
    let row = |(name, coverage): (String, Coverage)| {
        let forms = vec![name.clone(), base_name(&name).to_owned()];
        let name = Cell::Name(Name { forms, ..Name::default() });
        Row::from(cells(coverage).into_iter().chain([name]).collect::<Vec<_>>())
    };
    let sum = cells(all).into_iter().chain([Cell::Text("all".into())]).collect();
    let sum = (!rows.is_empty()).then_some(Row { cells: sum, is_sum: true });
    let columns = ["functions", "lines", "branches", "paths"];
    let columns = columns.map(|title| Column::new(title, CellKind::Ratio));
    Table {
        name: "files",
        columns: columns.into_iter().chain([Column::new("file", CellKind::Name)]).collect(),
        rows: rows.into_iter().map(row).chain(sum).collect(),
        notes: Vec::new(),
        empty: NO_MATCH.into(),
    }
}

fn functions(report: &Report, chosen: &Selection<'_>, top: usize) -> Table<'static> {
    let groups = source_files::by_source(report, &chosen.functions);
    let firsts = groups.iter().map(|group| group[0]);
    let all: Vec<_> = firsts.chain(chosen.unknown.iter().copied()).collect();
    let names = Names::of(report, &all);
    let counted = |group: &Vec<&Function>| {
        let files = source_files::files(report, group.iter().copied());
        let sum = |what: fn(&SourceFile) -> Covered| {
            files.values().map(what).fold(Covered::default(), Covered::and)
        };
        let (lines, branches) = (sum(SourceFile::line_coverage), sum(SourceFile::branch_coverage));
        let paths = group.iter().map(|function| paths_of(function));
        let paths = paths.fold(Covered::default(), Covered::and);
        let entries = group.iter().fold(0, |sum: Count, of| sum.saturating_add(of.entries));
        let is_cut = |function: &&&Function| function.is_cut_short();
        let uncut = match group.iter().find(is_cut) {
            None => Cell::Nothing,
            Some(function) => Cell::Text(possible(Possible::of(&function.shape))),
        };
        let mut cells = vec![Cell::Number(entries)];
        cells.extend([lines, branches, paths].map(cell));
        cells.push(uncut);
        cells.extend(names.cells(group[0]));
        Row::from(cells)
    };
    let unknown = |&function: &&Function| {
        let unknown = || Cell::Unknown;
        let mut cells = vec![unknown(), unknown(), unknown(), unknown(), Cell::Nothing];
        cells.extend(names.cells(function));
        Row::from(cells)
    };
    let numbers = [
        Column::new("entries", CellKind::Number),
        Column::new("lines", CellKind::Ratio),
        Column::new("branches", CellKind::Ratio),
        Column::new("paths", CellKind::Ratio),
        Column::new("uncut", CellKind::Number).key("uncut_paths"),
    ];
    let cut = chosen.functions.iter().any(|function| function.is_cut_short());
    let number = all.len();
    let rows = groups.iter().map(counted).chain(chosen.unknown.iter().map(unknown));
    let rows = rows.take(shown(top, number)).collect();
    let left_out = rows::left_out(top, number, &plural(number, "function"));
    Table {
        name: "functions",
        columns: numbers.into_iter().chain(rows::columns()).collect(),
        notes: left_out.into_iter().chain(cut.then(|| UNCUT.to_owned())).collect(),
        rows,
        empty: NO_MATCH.into(),
    }
}

fn cell(covered: Covered) -> Cell<'static> {
    Cell::Ratio(covered.executed, covered.all)
}

/// Returns a number of paths, in digits or as a power of two.
fn possible(paths: Possible) -> String {
    match paths {
        Possible::Exactly(paths) => grouped(paths.into()),
        Possible::PowerOfTwo(exponent) => format!("2^{exponent}"),
        Possible::Beyond => "more than 2^1023".into(),
    }
}

#[cfg(test)]
mod tests {
    use counts::model::Counting;
    use unicode_width::UnicodeWidthStr;

    use super::*;
    use crate::sample;
    use crate::show::forms;
    use crate::show::text_table::Screen;

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
    fn so_many_functions_are_shown_as_are_asked_for() {
        let text = shown(&Options { functions: true, most_functions: 2, ..Options::default() });
        assert!(text.contains("the first 2 of 5 functions; --top 0 shows all\n"), "{text}");
        let text = shown(&Options { functions: true, ..Options::default() });
        assert!(!text.contains("the first "), "{text}");
    }

    #[test]
    fn what_is_missing() {
        let options = Options { missing: true, most_paths: 64, ..Options::default() };
        insta::assert_snapshot!(shown(&options));
    }

    #[test]
    fn globs_choose() {
        let all = |options: Options| super::document(&sample::report().into(), &options).1;
        let covered = |executed, all| Covered { executed, all };
        let one = all(only("collatz"));
        assert_eq!((one.functions, one.paths), (covered(1, 1), covered(5, 8)));
        let filter = Filter { files: vec!["*.h".into()], ..Filter::default() };
        let header = all(Options { filter, ..Options::default() });
        assert_eq!((header.functions, header.lines), (covered(1, 1), covered(2, 2)));
    }

    #[test]
    fn what_could_not_be_counted_is_not_covered() {
        let mut report = sample::report();
        let all =
            |report: &Report, options: &Options| super::document(&report.clone().into(), options).1;
        let covered = |executed, all| Covered { executed, all };
        assert_eq!(all(&report, &only("start")).functions, covered(0, 1));
        let known = all(&report, &Options::default());
        assert!(!known.lines.reaches(100.0) && !known.functions.reaches(100.0));
        let start = report
            .functions
            .iter_mut()
            .find(|function| function.demangled == "start")
            .expect("there");
        start.shape.skipped = Some("left out by the filter".into());
        let without = all(&report, &Options::default());
        assert_eq!(
            (without.functions.all, without.lines.all),
            (known.functions.all - 1, known.lines.all - 1)
        );
        assert!(without.lines.reaches(100.0));
    }

    fn shown_of(report: Report, options: &Options) -> String {
        fitted(report, options, None)
    }

    fn fitted(report: Report, options: &Options, width: Option<usize>) -> String {
        let report = report.into();
        let (document, _) = super::document(&report, options);
        let text = forms::text(&document, Screen { width, links: true });
        anstream::adapter::strip_str(&text).to_string()
    }

    #[test]
    fn thousands_of_lines_and_paths_have_room_in_one_row() {
        let covered = |executed, all| Covered { executed, all };
        let coverage = Coverage {
            functions: covered(344, 480),
            lines: covered(1_345, 2_041),
            branches: covered(640, 1_042),
            paths: covered(940, 2_020),
        };
        let table = files(vec![("tinyxml2.cpp".into(), coverage)], coverage);
        let document = Document { tables: vec![table], ..Document::default() };
        let text = forms::text(&document, Screen { width: Some(80), links: false });
        assert_eq!(text.lines().count(), 4, "{text}");
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        for width in [60, 80, 120, 200] {
            for (functions, missing) in [(false, false), (true, false), (false, true)] {
                let options = Options { functions, missing, most_paths: 64, ..Options::default() };
                let mut report = sample::report();
                report.functions[0].shape.file = format!("{}.c", "directory/".repeat(30));
                let text = fitted(report, &options, Some(width));
                assert!(text.lines().all(|line| line.width() <= width), "{width}: {text}");
            }
        }
    }

    #[test]
    fn code_of_the_system_is_left_out_and_told() {
        let mut report = sample::report();
        report.functions[0].shape.file = "/usr/include/a.h".into();
        let of = |system| {
            let filter = Filter { system, ..Filter::default() };
            let options = Options { filter, functions: true, ..Options::default() };
            shown_of(report.clone(), &options)
        };
        let said = "1 function of system headers hidden; --system shows it";
        assert!(!of(false).contains("a.h:10") && of(false).contains(said), "{}", of(false));
        assert!(of(true).contains("a.h:10") && !of(true).contains(said), "{}", of(true));
    }

    fn only(glob: &str) -> Options {
        let filter = Filter { functions: vec![glob.into()], ..Filter::default() };
        Options { filter, ..Options::default() }
    }

    #[test]
    fn a_file_of_which_nothing_is_known_has_its_name() {
        let mut report = sample::report();
        let start = report
            .functions
            .iter_mut()
            .find(|function| function.demangled == "start")
            .expect("there");
        start.shape.file = "src/start.c".into();
        let text = shown_of(report, &Options::default());
        let row = text.lines().find(|line| line.ends_with(" src/start.c")).expect("a row");
        assert_eq!(row.split_whitespace().take(2).collect::<Vec<_>>(), ["0/1", "0.0%"], "{text}");
    }

    #[test]
    fn without_debug_information_a_function_is_covered_if_it_was_entered() {
        for (entries, expected) in [(0, 0), (1, 1)] {
            let mut report = sample::report();
            let guard = report
                .functions
                .iter_mut()
                .find(|function| function.shape.file.is_empty())
                .expect("there");
            guard.entries = entries;
            let all = super::document(&report.into(), &only("util::guard*")).1;
            assert_eq!(all.functions, Covered { executed: expected, all: 1 });
        }
    }

    #[test]
    fn only_if_nothing_is_chosen_nothing_matches() {
        for (glob, matches) in [("collatz", true), ("start", true), ("none", false)] {
            let text = shown(&only(glob));
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
            if let Some(module) =
                report.modules.iter_mut().find(|module| module.stage == Stage::Late)
            {
                module.stage = Stage::Early;
            }
        }
    }

    #[test]
    fn what_is_not_known_is_noted() {
        let mut report = sample::report();
        let text = shown_of(report.clone(), &Options::default());
        assert!(!text.contains("nothing is known"), "{text}");
        let edges = &mut report.functions[0].edge_counts;
        edges.iter_mut().for_each(|count| *count = None);
        let text = shown_of(report.clone(), &Options::default());
        let said = "note: left out of the branches: 4 ways of which nothing is known";
        assert!(text.contains(&format!("{said}\n")), "{text}");
        report.modules.iter_mut().for_each(|module| module.mode = Mode::Blocks);
        let text = shown_of(report.clone(), &Options::default());
        assert!(text.contains(&format!("{said}; -fpath-mode=edges ")), "{text}");
        report.functions[0].counting = Counting::Calls;
        report.modules.iter_mut().for_each(|module| module.mode = Mode::Calls);
        let text = shown_of(report, &Options::default());
        assert!(text.contains("note: of 1 function only calls are counted"), "{text}");
        assert!(!text.contains("-fpath-stage"), "{text}");
    }

    #[test]
    fn variants_of_a_constructor_have_one_row() {
        let mut report = sample::report();
        let known = report.functions.iter().position(|of| of.demangled == "collatz");
        let first = &mut report.functions[known.expect("there")];
        first.shape.name = "_ZN1AC1Ev".into();
        let mut second = first.clone();
        second.shape.name = "_ZN1AC2Ev".into();
        second.entries += 1;
        let entries = first.entries + second.entries;
        report.functions.push(second);
        let options = Options { functions: true, ..Options::default() };
        let text = shown_of(report, &options);
        let rows: Vec<_> = text.lines().filter(|line| line.contains("collatz")).collect();
        assert_eq!(rows.len(), 1, "{text}");
        assert!(rows[0].trim_start().starts_with(&grouped(entries)), "{text}");
    }

    #[test]
    fn a_large_number_of_paths_is_a_power_of_two() {
        assert_eq!(possible(Possible::Exactly(1024)), "1,024");
        assert_eq!(possible(Possible::PowerOfTwo(40)), "2^40");
        assert_eq!(possible(Possible::Beyond), "more than 2^1023");
    }
}
