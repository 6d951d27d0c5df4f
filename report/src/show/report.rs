//! The report as text: a heading, a table, and remarks below it.
//!
//! The text always carries colours. The stream that it is written to drops them where they are not
//! wanted. On a terminal cells are fitted to its width. Elsewhere every row is one line with
//! everything in it.

use std::io::{Result, Write};

use crate::analyse::model::Counting;
use crate::analyse::select;
use crate::show::options::{Options, View};
use crate::show::printable::Printable;
use crate::show::{
    branches, calls, functions, heading, hot_blocks, hot_paths, opcodes, remarks, skipped,
};

/// Writes the report.
///
/// # Errors
/// Those of `out`.
pub fn write(report: &Printable, options: &Options, out: &mut impl Write) -> Result<()> {
    heading::write(report, options.width, out)?;
    let chosen = || select::functions(report, options.function.as_deref());
    let with_blocks = || {
        chosen()
            .into_iter()
            .filter(|function| function.counting != Counting::Calls)
            .collect::<Vec<_>>()
    };
    match options.view {
        View::Paths => {
            let mixed = report
                .counted()
                .any(|function| matches!(function.counting, Counting::Paths | Counting::Nothing));
            if report.counted().any(|function| function.counting.is_of_blocks()) {
                hot_blocks::write(report, &with_blocks(), options.sort, options.top, out)?;
            }
            if report.counted().any(|function| function.counting == Counting::Calls) {
                let calls: Vec<_> = chosen()
                    .into_iter()
                    .filter(|function| function.counting == Counting::Calls)
                    .collect();
                calls::write(report, &calls, calls::Rows::Callees, options.top, out)?;
            }
            if mixed || report.counted().next().is_none() {
                hot_paths::write(report, options, out)?;
            }
        }
        View::Functions => functions::write(report, options, out)?,
        View::Skipped => return skipped::write(report, options, out),
        View::Opcodes(rows) => opcodes::write(report, &with_blocks(), rows, options.top, out)?,
        View::Branches => branches::write(&with_blocks(), options.top, out)?,
        View::Calls(rows) => calls::write(report, &chosen(), rows, options.top, out)?,
    }
    remarks::write(report, options, out)
}

#[cfg(test)]
mod tests {
    use pathformat::manifest::{CutReason, DagEdge, DagEdgeKind};

    use super::*;
    use crate::analyse::model::Report;
    use crate::analyse::select::Sort;
    use crate::sample::{self, samples};

    fn written(report: &Report, options: &Options) -> String {
        let mut out = Vec::new();
        write(&report.clone().into(), options, &mut out).expect("memory does not fail");
        let text = String::from_utf8(out).expect("the report is text");
        anstream::adapter::strip_str(&text).to_string()
    }

    #[test]
    fn hot_paths_in_full() {
        insta::assert_snapshot!("paths", written(&sample::report(), &Options::default()));
    }

    #[test]
    fn hot_paths_on_a_narrow_terminal() {
        let options = Options { width: Some(80), ..Options::default() };
        let text = written(&sample::report(), &options);
        let wide = text.lines().filter(|line| line.chars().count() > 80);
        assert_eq!(wide.collect::<Vec<_>>(), [""; 0]);
        insta::assert_snapshot!("paths-80", text);
    }

    #[test]
    fn selected_paths() {
        let options = Options {
            function: Some("coll*".into()),
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
        let (report, problems) = crate::analyse::decode::decode(vec![first, second], &());
        assert!(problems.is_empty(), "{problems:?}");
        insta::assert_snapshot!(
            "two-images",
            written(&report, &Options { top: 3, ..Options::default() })
        );
    }

    #[test]
    fn nothing_to_show() {
        let options = Options { function: Some("no_such_*".into()), ..Options::default() };
        let text = written(&sample::report(), &options);
        assert!(text.contains("No counted function matches `no_such_*`."), "{text}");
        let mut idle = sample::counted_image();
        idle.modules.iter_mut().for_each(|module| module.counts.clear());
        let text = written(&crate::analyse::decode::decode(vec![idle], &()).0, &Options::default());
        assert!(text.contains("No path was executed."), "{text}");
    }

    #[test]
    fn no_damage_to_a_graph_panics() {
        let sound = samples::main_unit();
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
                    let (report, _) = crate::analyse::decode::decode(vec![loaded], &());
                    write(&report.into(), &Options::default(), &mut Vec::new()).expect("in memory");
                }
            }
        }
    }
}
