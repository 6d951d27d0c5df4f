//! The table of functions, the hottest first.

use counts::model::{Count, Report};
use counts::select;

use crate::show::options::Options;
use crate::show::rows::{self, NO_MATCH, Names, SHARE, hidden, left_out, order};
use crate::show::style::{plural, shown};
use crate::show::table::{Cell, Column, Kind, Row, Table};

/// The functions.
pub(crate) fn table(report: &Report, options: &Options) -> Table<'static> {
    let mut chosen = select::functions(report, &options.filter);
    let hidden = hidden(&chosen, report.executed());
    let functions = &mut chosen.functions;
    select::sort_functions(functions, options.sort);
    let rows = &functions[..shown(options.top, functions.len())];
    let names = Names::of(report, rows);
    let whole = report.executed();
    let mut sum: Count = 0;
    let row = |(at, &function): (usize, &&_)| {
        let function: &counts::model::Function = function;
        let part = function.executed();
        sum = sum.saturating_add(part);
        let mut cells = vec![
            Cell::Rank(at + 1),
            Cell::Number(function.entries),
            Cell::Number(function.completed().count() as Count),
            Cell::Number(function.num_paths().into()),
            Cell::Number(part),
            Cell::Share { part, whole, heat: true },
            Cell::Share { part: sum, whole, heat: false },
        ];
        cells.extend(names.cells(function));
        Row::from(cells)
    };
    let numbers = [
        Column::new("#", Kind::Rank).key("rank"),
        Column::new("entries", Kind::Number),
        Column::new("paths", Kind::Number).key("executed_paths"),
        Column::new("possible", Kind::Number).key("possible_paths"),
        Column::new("instructions", Kind::Number),
        Column::new("share", Kind::Share),
        Column::new("sum", Kind::Share).key("share_sum"),
    ];
    let all = functions.len();
    let notes = [left_out(options.top, all, &plural(all, "function")), hidden];
    let meaning = format!("{}; {SHARE}", order(options.sort, "entries"));
    Table {
        name: "functions",
        columns: numbers.into_iter().chain(rows::columns()).collect(),
        rows: rows.iter().enumerate().map(row).collect(),
        notes: notes.into_iter().flatten().chain([meaning]).collect(),
        empty: NO_MATCH.into(),
    }
}
