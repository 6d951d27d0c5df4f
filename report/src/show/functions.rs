//! The table of functions, the hottest first.

use std::io::{Result, Write};

use comfy_table::CellAlignment::{Left, Right};
use owo_colors::OwoColorize;

use crate::analyse::model::{Count, Report};
use crate::analyse::select;
use crate::show::options::Options;
use crate::show::rows::{Row, columns_width, name, nothing, place, push_name};
use crate::show::style::{grouped, left_out, percent, plural, print, share, shown, table};

/// Writes the functions.
///
/// # Errors
/// Those of `out`.
pub(crate) fn write(report: &Report, options: &Options, out: &mut impl Write) -> Result<()> {
    let mut chosen = select::functions(report, options.function.as_deref());
    select::sort_functions(&mut chosen, options.sort);
    let shown = shown(options.top, chosen.len());
    if chosen.is_empty() {
        return nothing(options, &chosen, out);
    }
    let total = report.executed();
    let numeric = ["#", "entries", "executed", "possible", "instructions", "share", "sum"];
    let mut columns: Vec<_> = numeric.iter().map(|&title| (title, Right)).collect();
    columns.push(("function", Left));
    let mut sum: Count = 0;
    let rows: Vec<_> = chosen[..shown]
        .iter()
        .enumerate()
        .map(|(rank, &function)| {
            let executed = function.executed();
            sum = sum.saturating_add(executed);
            let numbers = vec![
                (rank + 1).to_string().dimmed().to_string(),
                grouped(function.entries),
                grouped(function.completed().count() as Count),
                grouped(function.num_paths().into()),
                grouped(executed),
                share(executed, total),
                percent(sum, total),
            ];
            Row { numbers, name: name(function, options), function, path: None }
        })
        .collect();
    let taken = columns_width(&columns, &rows);
    let longest = |text: fn(&Row<'_>, &Report) -> usize| {
        rows.iter().map(|row| text(row, report)).max().unwrap_or(0)
    };
    let side_by_side = taken
        + longest(|row, _| row.name.chars().count())
        + longest(|row, report| place(report, row.function).chars().count())
        + 3;
    let names = options
        .width
        .filter(|&width| width < side_by_side)
        .map(|width| width.saturating_sub(taken + 1).max(12));
    columns.extend(names.is_none().then_some(("where", Left)));
    let mut table = table(&columns);
    for Row { numbers: mut cells, name, function, .. } in rows {
        push_name(&mut cells, &name, &place(report, function), names);
        table.add_row(cells);
    }
    print(&table, out)?;
    left_out(shown, chosen.len(), &plural(chosen.len(), "function"), out)?;
    writeln!(out)
}
