//! A report: a heading, its tables, and remarks below them.

use std::io::{Result, Write};

use counts::model::{Counting, Function};
use counts::select::{self, Chosen, Filter};
use jiff::tz::TimeZone;

use crate::show::document::Document;
use crate::show::forms::{self, Format};
use crate::show::options::{Options, View};
use crate::show::printable::Printable;
use crate::show::text_table::Screen;
use crate::show::{
    branches, calls, functions, heading, hot_blocks, hot_paths, opcodes, remarks, skipped,
};

/// Returns the report, with times in a zone.
pub fn document<'a>(report: &'a Printable, options: &Options, zone: &TimeZone) -> Document<'a> {
    let mut document = Document { heading: heading::facts(report, zone), ..Document::default() };
    let chosen = || select::functions(report, &options.filter);
    let all = || select::functions(report, &Filter { system: true, ..options.filter.clone() });
    let with_blocks = |chosen| of_counting(chosen, Counting::knows_blocks);
    document.tables = match options.view {
        View::Paths => return hot(report, options, document),
        View::Functions => vec![functions::table(report, options)],
        View::Skipped => {
            document.tables = vec![skipped::table(report, options)];
            return document;
        }
        // The callees and the instructions of system code belong to the program.
        View::Opcodes(rows @ opcodes::Rows::Program) => {
            vec![opcodes::table(report, &with_blocks(all()), rows, options.top)]
        }
        View::Calls(rows @ calls::Rows::Callees) => {
            vec![calls::table(report, &all(), rows, options.top)]
        }
        View::Opcodes(rows) => {
            vec![opcodes::table(report, &with_blocks(chosen()), rows, options.top)]
        }
        View::Branches => vec![branches::table(report, &with_blocks(chosen()), options)],
        View::Calls(rows) => vec![calls::table(report, &chosen(), rows, options.top)],
    };
    document.remarks.extend(remarks::of(report, options.view));
    document
}

/// Returns the hot blocks, calls and paths, as far as each is counted.
fn hot<'a>(report: &'a Printable, options: &Options, mut document: Document<'a>) -> Document<'a> {
    let counts = |what: fn(Counting) -> bool| {
        report.counted().any(|function: &Function| what(function.counting))
    };
    let chosen = || select::functions(report, &options.filter);
    if counts(Counting::is_of_blocks) {
        let blocks = of_counting(chosen(), Counting::is_of_blocks);
        document.tables.push(hot_blocks::table(report, &blocks, options));
    }
    if counts(|counting| counting == Counting::Calls) {
        let only = of_counting(chosen(), |counting| counting == Counting::Calls);
        document.tables.push(calls::table(report, &only, calls::Rows::Callees, options.top));
    }
    let has_paths = counts(Counting::is_of_paths);
    if has_paths || report.counted().next().is_none() {
        let (table, remarks) = hot_paths::table(report, options);
        document.tables.push(table);
        document.remarks.extend(remarks);
    }
    document.remarks.extend(remarks::of(report, options.view));
    document
}

/// Returns the functions with this counting.
fn of_counting<'a>(mut chosen: Chosen<'a>, what: impl Fn(Counting) -> bool) -> Chosen<'a> {
    chosen.functions.retain(|function| what(function.counting));
    chosen
}

/// Writes the report as text without a width, times in UTC.
///
/// # Errors
/// The errors of `out`.
pub fn write(report: &Printable, options: &Options, out: &mut impl Write) -> Result<()> {
    let document = document(report, options, &TimeZone::UTC);
    forms::write(&document, Format::Text, Screen::default(), out)
}

#[cfg(test)]
mod tests {
    use counts::model::Report;
    use counts::select::Sort;
    use pathformat::manifest::{CutReason, DagEdge, DagEdgeKind};
    use unicode_width::UnicodeWidthStr;

    use super::*;
    use crate::sample::{self, units};

    fn written(report: &Report, options: &Options) -> String {
        fitted(report, options, None)
    }

    fn fitted(report: &Report, options: &Options, width: Option<usize>) -> String {
        let report = report.clone().into();
        let document = document(&report, options, &TimeZone::UTC);
        let text = forms::text(&document, Screen { width, links: true });
        anstream::adapter::strip_str(&text).to_string()
    }

    /// All views of a report.
    const VIEWS: [View; 9] = [
        View::Paths,
        View::Functions,
        View::Skipped,
        View::Opcodes(opcodes::Rows::Program),
        View::Opcodes(opcodes::Rows::Functions),
        View::Opcodes(opcodes::Rows::Blocks),
        View::Calls(calls::Rows::Callees),
        View::Calls(calls::Rows::Sites),
        View::Branches,
    ];

    /// Returns the sample program, with long counts and longer names.
    fn large() -> Report {
        let mut report = sample::report();
        for function in &mut report.functions {
            let many = |count: &mut u128| *count = count.saturating_mul(1 << 60);
            function.block_counts.iter_mut().for_each(many);
            function.paths.iter_mut().for_each(|path| many(&mut path.count));
            function.edge_counts.iter_mut().flatten().for_each(many);
            many(&mut function.entries);
            let arguments = "std::map<std::string, int>, ".repeat(9);
            function.shape.short_name = format!("{}<{arguments}int>", function.demangled);
            function.demangled = format!("void {}(int)", function.shape.short_name);
        }
        report
    }

    #[test]
    fn no_line_of_any_view_is_wider_than_the_terminal() {
        let mut blocks = sample::report();
        blocks.functions[0].counting = Counting::Blocks;
        blocks.functions[1].counting = Counting::Calls;
        for (report, view) in
            [sample::report(), large(), blocks].iter().flat_map(|of| VIEWS.map(|view| (of, view)))
        {
            for width in [60, 80, 120, 200] {
                let options = Options { view, ..Options::default() };
                let text = fitted(report, &options, Some(width));
                for line in text.lines() {
                    assert!(line.width() <= width, "{view:?} in {width}: {line}\n{text}");
                    assert!(!line.ends_with(' '), "{view:?} in {width}: {line:?}");
                }
            }
        }
    }

    #[test]
    fn elsewhere_nothing_is_left_out_or_padded() {
        for view in VIEWS {
            let report = large();
            let text = fitted(&report, &Options { view, ..Options::default() }, None);
            assert!(!text.contains('─'), "{text}");
            assert!(text.lines().all(|line| !line.ends_with(' ')), "{text}");
            for line in text.lines().filter(|line| !line.starts_with("note:")) {
                assert!(!line.contains(&" ".repeat(50)), "{view:?}: {line}");
                assert!(!line.contains('…'), "{view:?}: {line}");
            }
        }
    }

    #[test]
    fn functions_of_system_headers_are_hidden_and_counted() {
        let mut report = sample::report();
        report.functions[0].shape.file = "/usr/include/c++/14/vector".into();
        for view in [View::Paths, View::Functions, View::Branches] {
            let said = |filter: Filter| {
                let options = Options { view, filter, ..Options::default() };
                let text = written(&report, &options);
                (text.contains("collatz"), text.contains("1 function of system headers"))
            };
            assert_eq!(said(Filter::default()), (false, true), "{view:?}");
            let all = Filter { system: true, ..Filter::default() };
            assert_eq!(said(all), (true, false), "{view:?}");
            let named = Filter { functions: vec!["coll*".into()], ..Filter::default() };
            assert_eq!(said(named), (true, false), "{view:?}");
        }
        // The code in system headers ran all the same.
        let text = written(&report, &Options { view: View::Functions, ..Options::default() });
        assert!(text.contains("executed  11,431,261 LLVM instructions"), "{text}");
    }

    #[test]
    fn hot_paths_in_full() {
        insta::assert_snapshot!("paths", written(&sample::report(), &Options::default()));
    }

    #[test]
    fn hot_paths_on_a_narrow_terminal() {
        let text = fitted(&sample::report(), &Options::default(), Some(80));
        let wide = text.lines().filter(|line| line.chars().count() > 80);
        assert_eq!(wide.collect::<Vec<_>>(), [""; 0]);
        insta::assert_snapshot!("paths-80", text);
    }

    #[test]
    fn selected_paths() {
        let options = Options {
            filter: Filter { functions: vec!["coll*".into()], ..Filter::default() },
            sort: Sort::Length,
            top: 2,
            ..Options::default()
        };
        insta::assert_snapshot!("paths-selected", written(&sample::report(), &options));
    }

    #[test]
    fn functions() {
        insta::assert_snapshot!(
            "functions",
            written(&sample::report(), &Options { view: View::Functions, ..Options::default() })
        );
    }

    #[test]
    fn skipped() {
        insta::assert_snapshot!(
            "skipped",
            written(&sample::report(), &Options { view: View::Skipped, ..Options::default() })
        );
    }

    #[test]
    fn several_flagged_runs_of_two_images() {
        let mut first = sample::counted_image();
        let mut second = first.clone();
        second.image.path = "/lib/libdemo.so".into();
        second.runs[0].profile = "libdemo.so.42.pathprof".into();
        second.runs[0].unregistered_threads = true;
        first.runs.extend(first.runs.clone());
        first.runs.iter_mut().for_each(|run| run.incomplete = true);
        let (report, problems) = counts::decode::decode(vec![first, second], &());
        assert!(problems.is_empty(), "{problems:?}");
        insta::assert_snapshot!(
            "two-images",
            written(&report, &Options { top: 3, ..Options::default() })
        );
    }

    #[test]
    fn nothing_to_show() {
        let filter = Filter { functions: vec!["no_such_*".into()], ..Filter::default() };
        let text = written(&sample::report(), &Options { filter, ..Options::default() });
        assert!(text.contains("No counted function matches."), "{text}");
        let mut idle = sample::counted_image();
        idle.modules.iter_mut().for_each(|module| module.counts.clear());
        let text = written(&counts::decode::decode(vec![idle], &()).0, &Options::default());
        assert!(text.contains("No path was executed."), "{text}");
    }

    #[test]
    fn no_damage_to_a_graph_panics() {
        let sound = units::main_unit();
        for edge in 0..sound.functions[0].dag.len() {
            for kind in [
                DagEdgeKind::Flow { edge: 5 },
                DagEdgeKind::Leave { block: 0 },
                DagEdgeKind::Start { block: 0, why: CutReason::Limit },
                DagEdgeKind::End { block: 1, why: CutReason::Opaque },
            ] {
                for value in [0, 3, u64::MAX] {
                    let mut loaded = sample::counted_image();
                    loaded.modules[0].manifest.functions[0].dag[edge] = DagEdge { kind, value };
                    let (report, _) = counts::decode::decode(vec![loaded], &());
                    write(&report.into(), &Options::default(), &mut Vec::new()).expect("in memory");
                }
            }
        }
    }
}
