//! The table of code that is not counted: functions that are left out, and edges that are cut, with
//! reasons.

use counts::model::{Function, Report};
use pathformat::manifest::CutReason;

use crate::show::options::Options;
use crate::show::rows::{self, Names, left_out, left_out_of_system};
use crate::show::style::{grouped, plural, shown};
use crate::show::table::{Cell, CellKind, Column, Row, Table};

/// Returns the functions that are not counted, and the cuts, with reasons.
pub(crate) fn table(report: &Report, options: &Options) -> Table<'static> {
    let chosen = options.filter.choose(report, report.functions.iter());
    let hidden = left_out_of_system(chosen.of_system, "");
    let mut all = Vec::new();
    for function in chosen.functions {
        let reasons = match &function.shape.skipped {
            Some(reason) => vec![format!("not counted: {reason}")],
            None => cuts(function, report.modules[function.module].limit),
        };
        all.extend(reasons.into_iter().map(|reason| (function, reason)));
    }
    let rows = &all[..shown(options.top, all.len())];
    let names = Names::of(report, &rows.iter().map(|(function, _)| *function).collect::<Vec<_>>());
    let row = |(function, reason): &(&Function, String)| {
        let mut cells = names.cells(function);
        cells.push(Cell::Text(reason.clone()));
        Row::from(cells)
    };
    Table {
        name: "skipped",
        columns: rows::columns().into_iter().chain([Column::new("what", CellKind::Text)]).collect(),
        rows: rows.iter().map(row).collect(),
        notes: [left_out(options.top, all.len(), &plural(all.len(), "row")), hidden]
            .into_iter()
            .flatten()
            .collect(),
        empty: "All functions are counted, and no path is cut.".into(),
    }
}

/// Returns the cuts in `function` besides its loops, in words.
fn cuts(function: &Function, limit: u64) -> Vec<String> {
    let why = [
        (CutReason::Limit, format!("cut at the limit of {} paths", grouped(limit.into()))),
        (CutReason::Register, "cut because no register is free".into()),
        (CutReason::Opaque, "cut because they cannot hold code".into()),
    ];
    let counted = why.into_iter().map(|(reason, text)| (function.cuts(reason), text));
    counted
        .filter(|&(edges, _)| edges > 0)
        .map(|(edges, text)| format!("{} {text}", plural(edges, "edge")))
        .collect()
}
