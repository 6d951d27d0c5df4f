//! The table of functions, the hottest first.

use counts::model::{Count, Function, Report};
use counts::select;

use crate::show::options::Options;
use crate::show::rows::{self, NO_MATCH, Names, hidden, left_out, order, share};
use crate::show::style::{plural, shown};
use crate::show::table::{Cell, CellKind, Column, Row, Table};

/// Returns the table of functions.
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
        let function: &Function = function;
        let part = function.executed();
        sum = sum.saturating_add(part);
        let (has_paths, has_blocks) =
            (function.counting.is_of_paths(), function.counting.knows_blocks());
        let mut cells = vec![
            Cell::Rank(at + 1),
            Cell::Number(function.entries),
            Cell::Number(function.completed().count() as Count).only_if(has_paths),
            Cell::Number(function.num_paths().into()).only_if(has_paths),
            Cell::Number(part).only_if(has_blocks),
            Cell::Share { part, whole, heat: true }.only_if(has_blocks),
            Cell::Share { part: sum, whole, heat: false }.only_if(has_blocks),
        ];
        cells.extend(names.cells(function));
        Row::from(cells)
    };
    let numbers = [
        Column::new("#", CellKind::Rank).key("rank"),
        Column::new("entries", CellKind::Number),
        Column::new("paths", CellKind::Number).key("executed_paths"),
        Column::new("possible", CellKind::Number).key("possible_paths"),
        Column::new("instructions", CellKind::Number),
        Column::new("share", CellKind::Share),
        Column::new("sum", CellKind::Share).key("share_sum"),
    ];
    let all = functions.len();
    let notes = [left_out(options.top, all, &plural(all, "function")), hidden];
    let meaning = format!("{}; {}", order(options.sort, "entries"), share(report));
    Table {
        name: "functions",
        columns: numbers.into_iter().chain(rows::columns()).collect(),
        rows: rows.iter().enumerate().map(row).collect(),
        notes: notes.into_iter().flatten().chain([meaning]).chain(without_paths(rows)).collect(),
        empty: NO_MATCH.into(),
    }
}

/// Returns a note on the number of rows without paths, whose blocks are counted instead. A remark
/// covers the functions of which only calls are counted.
fn without_paths(rows: &[&Function]) -> Option<String> {
    let functions = rows.iter().filter(|function| function.counting.is_of_blocks()).count();
    (functions > 0).then(|| {
        format!("paths: not counted in {} (see -fpath-mode=)", plural(functions, "function"))
    })
}

#[cfg(test)]
mod tests {
    use counts::model::Counting;

    use super::*;
    use crate::sample;

    #[test]
    fn what_a_mode_does_not_count_is_no_zero() {
        let known = |counting| {
            let mut report = sample::report();
            report.functions[0].counting = counting;
            let table = table(&report, &Options::default());
            let is_own = |row: &&Row<'_>| matches!(&row.cells[7], Cell::Name(name) if name.whole() == "collatz");
            let numbers = &table.rows.iter().find(is_own).expect("a row").cells[2..7];
            let is_known = numbers.iter().map(|cell| !matches!(cell, Cell::Nothing));
            (is_known.collect::<Vec<_>>(), table.notes[1..].to_vec())
        };
        assert_eq!(known(Counting::Paths), (vec![true; 5], Vec::new()));
        let note = "paths: not counted in 1 function (see -fpath-mode=)".to_owned();
        let blocks = (vec![false, false, true, true, true], vec![note]);
        assert_eq!(known(Counting::Blocks), blocks);
        assert_eq!(known(Counting::Calls), (vec![false; 5], Vec::new()));
    }
}
