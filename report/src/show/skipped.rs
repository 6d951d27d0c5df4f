//! The table of what is not counted: functions that are left out, and edges that are cut, with
//! reasons.

use std::io::{Result, Write};

use comfy_table::CellAlignment::Left;
use owo_colors::OwoColorize;
use pathformat::manifest::CutReason;

use crate::analyse::model::{Function, Report};
use crate::analyse::select;
use crate::show::options::Options;
use crate::show::rows::{name, place};
use crate::show::style::{elide, grouped, plural, print, table};

/// Writes the functions that are not counted, and the cuts, with reasons.
///
/// # Errors
/// Those of `out`.
pub(crate) fn write(report: &Report, options: &Options, out: &mut impl Write) -> Result<()> {
    let glob = options.function.as_deref();
    let chosen = report
        .functions
        .iter()
        .filter(|function| glob.is_none_or(|glob| select::matches(glob, function)));
    let mut table = table(&[("function", Left), ("where", Left), ("what", Left)]);
    for function in chosen {
        let module = &report.modules[function.module];
        let reasons = match &function.shape.skipped {
            Some(reason) => vec![format!("not counted: {reason}")],
            None => cuts(function, module.limit),
        };
        for reason in reasons {
            let room = options.width.map(|width| width.saturating_sub(5));
            let (name, place) = (name(function, options), place(report, function));
            table.add_row(vec![
                elide(&name, room.map(|room| room * 2 / 5)).cyan().to_string(),
                elide(&place, room.map(|room| room / 5)).dimmed().to_string(),
                elide(&reason, room.map(|room| room * 2 / 5)),
            ]);
        }
    }
    if table.is_empty() {
        return writeln!(out, "All functions are counted, and no path is cut.");
    }
    print(&table, out)
}

/// What is cut in `function` besides its loops, in words.
fn cuts(function: &Function, limit: u64) -> Vec<String> {
    let why = [
        (CutReason::Limit, format!("cut at the limit of {} paths", grouped(limit.into()))),
        (CutReason::Opaque, "cut because they cannot hold code".into()),
    ];
    let counted = why.into_iter().map(|(reason, text)| (function.cuts(reason), text));
    counted
        .filter(|&(edges, _)| edges > 0)
        .map(|(edges, text)| format!("{} {text}", plural(edges, "edge")))
        .collect()
}
