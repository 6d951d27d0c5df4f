//! The table of coverage, with a row for each file or each function.
//!
//! Where the limit cuts the paths of a function, the number of its uncut paths stands beside them.

use std::collections::HashMap;
use std::io::{Result, Write};
use std::path::PathBuf;

use comfy_table::CellAlignment::{Left, Right};
use pathformat::manifest::CutReason;

use crate::analyse::coverage::{Coverage, Selection, paths_of};
use crate::analyse::model::{Function, Report};
use crate::analyse::possible_paths::Possible;
use crate::analyse::source_files::{self, Covered, SourceFile};
use crate::show::missing;
use crate::show::printable::Printable;
use crate::show::remarks::note;
use crate::show::style::{grouped, percent, plural, print, table};
use pathformat::settings::Stage;

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
    /// The paths that a function did not take are listed if it has at most so many possible ones.
    pub most_paths: u64,
}

/// Writes the table, and what is missing if that is asked for. Gives how much was covered of all
/// that `options` choose.
///
/// # Errors
/// Those of `out`.
pub fn write(report: &Printable, options: &Options, out: &mut impl Write) -> Result<Coverage> {
    let chosen = Selection::of(report, options.function.as_deref(), options.file.as_deref());
    let rows = chosen.rows();
    let all = rows.iter().fold(Coverage::default(), |sum, (_, coverage)| sum.and(*coverage));
    if chosen.functions.is_empty() && chosen.unknown.is_empty() {
        writeln!(out, "No counted function matches.")?;
        return Ok(all);
    }
    if options.functions {
        functions(report, &chosen, out)?;
    } else {
        files(rows, all, out)?;
    }
    if options.missing {
        let mut functions: HashMap<PathBuf, Vec<&Function>> = HashMap::new();
        for &function in chosen.functions.iter().filter(|function| !function.shape.file.is_empty())
        {
            let module = &report.modules[function.module];
            functions
                .entry(source_files::absolute(module, &function.shape.file))
                .or_default()
                .push(function);
        }
        let mut room = missing::MOST_LISTED;
        for (path, file) in &chosen.files {
            let of_file = functions.get(path).map(Vec::as_slice).unwrap_or_default();
            let unknown = chosen.unknown_in(path).map(|function| function.shape.line).collect();
            missing::write(file, of_file, &unknown, options.most_paths, &mut room, out)?;
        }
    }
    if !chosen.unknown.is_empty() {
        let text = format!(
            "not counted, and so taken as not covered: {}; pathprof report --skipped says why",
            plural(chosen.unknown.len(), "function")
        );
        note(&text, None, out)?;
    }
    let late = report.modules.iter().filter(|module| module.stage != Stage::Early).count();
    if late > 0 {
        let text = format!(
            "{} counted after optimisation, when branches of the source may be gone; compile with \
             -fpath-stage=early for coverage",
            plural(late, "unit")
        );
        note(&text, None, out)?;
    }
    Ok(all)
}

fn files(rows: Vec<(String, Coverage)>, all: Coverage, out: &mut impl Write) -> Result<()> {
    let columns =
        ["functions", "", "lines", "", "branches", "", "paths", ""].map(|title| (title, Right));
    let mut table = table(&[&[("file", Left)][..], &columns].concat());
    for (name, coverage) in rows.into_iter().chain([("all".to_string(), all)]) {
        let covered = [coverage.functions, coverage.lines, coverage.branches, coverage.paths];
        table.add_row([vec![name], covered.into_iter().flat_map(cells).collect()].concat());
    }
    print(&table, out)?;
    writeln!(out)
}

fn functions(report: &Report, chosen: &Selection<'_>, out: &mut impl Write) -> Result<()> {
    let columns =
        ["entries", "lines", "", "branches", "", "paths", "", "whole"].map(|title| (title, Right));
    let mut table = table(&[&[("function", Left), ("where", Left)][..], &columns].concat());
    for &function in &chosen.functions {
        let files = source_files::files(report, [function]);
        let sum = |what: fn(&SourceFile) -> Covered| {
            files.values().map(what).fold(Covered::default(), Covered::and)
        };
        let (lines, branches) = (sum(SourceFile::line_coverage), sum(SourceFile::branch_coverage));
        let covered = [lines, branches, paths_of(function)].into_iter().flat_map(cells);
        let place = match function.shape.line {
            0 => String::new(),
            line => format!("{}:{line}", function.shape.file),
        };
        let uncut = match function.cuts(CutReason::Limit) {
            0 => String::new(),
            _ => possible(Possible::of(&function.shape)),
        };
        let head = vec![function.demangled.clone(), place, grouped(function.entries)];
        table.add_row([head, covered.collect(), vec![uncut]].concat());
    }
    for function in &chosen.unknown {
        let place = format!("{}:{}", function.shape.file, function.shape.line);
        table.add_row([function.demangled.clone(), place, "?".into(), "?".into()]);
    }
    print(&table, out)?;
    writeln!(out)
}

/// `3/4` and its share.
fn cells(covered: Covered) -> [String; 2] {
    match covered.all {
        0 => ["–".into(), String::new()],
        all => [
            format!("{}/{}", grouped(covered.executed), grouped(all)),
            percent(covered.executed, all),
        ],
    }
}

/// A number of paths, in digits or as a power of two.
fn possible(paths: Possible) -> String {
    match paths {
        Possible::Exactly(paths) => grouped(paths.into()),
        Possible::PowerOfTwo(exponent) => format!("2^{exponent}"),
        Possible::Beyond => "more than 2^1023".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
            write(&sample::report().into(), &options, &mut std::io::sink())
                .expect("nothing to fail")
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
        let mut out = Vec::new();
        write(&report.into(), options, &mut out).expect("in memory");
        anstream::adapter::strip_str(&String::from_utf8_lossy(&out)).to_string()
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
        let row = text.lines().find(|line| line.starts_with("src/start.c ")).expect("a row");
        assert_eq!(
            row.split_whitespace().take(3).collect::<Vec<_>>(),
            ["src/start.c", "0/1", "0.0%"],
            "{text}"
        );
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
            if let Some(module) =
                report.modules.iter_mut().find(|module| module.stage == Stage::Late)
            {
                module.stage = Stage::Early;
            }
        }
    }

    #[test]
    fn a_large_number_of_paths_is_a_power_of_two() {
        assert_eq!(possible(Possible::Exactly(1024)), "1,024");
        assert_eq!(possible(Possible::PowerOfTwo(40)), "2^40");
        assert_eq!(possible(Possible::Beyond), "more than 2^1023");
    }
}
