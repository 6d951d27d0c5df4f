//! The table of executed paths, the hottest first.

use std::collections::BTreeSet;
use std::io::{Result, Write};

use comfy_table::CellAlignment::{Left, Right};
use owo_colors::OwoColorize;

use crate::analyse::model::{Count, Report};
use crate::analyse::select;
use crate::show::notation::{self, Notation};
use crate::show::options::Options;
use crate::show::path_layout::lay_out;
use crate::show::remarks::note;
use crate::show::rows::{Row, columns_width, name, names_width, nothing, place, push_name};
use crate::show::style::{grouped, left_out, percent, plural, print, share, shown, table};

/// Writes the executed paths.
///
/// # Errors
/// Those of `out`.
pub(crate) fn write(report: &Report, options: &Options, out: &mut impl Write) -> Result<()> {
    let chosen = select::functions(report, options.function.as_deref());
    let rows = select::paths(&chosen, options.sort);
    let shown = shown(options.top, rows.len());
    if rows.is_empty() {
        return nothing(options, &chosen, out);
    }
    let total = report.executed();
    let mut columns =
        vec![("#", Right), ("count", Right), ("share", Right), ("sum", Right), ("function", Left)];
    columns.extend(options.width.is_none().then_some(("where", Left)));
    columns.push(("path", Left));
    let mut sum: Count = 0;
    let rows: Vec<_> = rows
        .iter()
        .take(shown)
        .enumerate()
        .map(|(rank, &(function, path))| {
            sum = sum.saturating_add(path.executed());
            let numbers = vec![
                (rank + 1).to_string().dimmed().to_string(),
                grouped(path.count),
                share(path.executed(), total),
                percent(sum, total),
            ];
            Row { numbers, name: name(function, options), function, path: Some(path) }
        })
        .collect();
    let taken = columns_width(&columns, &rows);
    let names = options.width.map(|width| names_width(width, taken, &rows));
    let room =
        options.width.map(|width| width.saturating_sub(taken + names.unwrap_or(0) + 3).max(12));
    let mut table = table(&columns);
    let mut without_lines = BTreeSet::new();
    let mut shortened = false;
    for Row { numbers: mut cells, name, function, path } in rows {
        if !function.has_lines() {
            without_lines.insert((function.image, function.module, &function.shape.name));
        }
        push_name(&mut cells, &name, &place(report, function), names);
        let written =
            path.map(|path| notation::PathWriter::new(function, options.notation).write(path));
        let fitted = written.map(|written| lay_out(&written, room)).unwrap_or_default();
        shortened |= fitted.contains('…');
        cells.push(fitted);
        table.add_row(cells);
    }
    print(&table, out)?;
    if shortened {
        writeln!(out, "{}", "… stands for a part of a path; --full shows all of it".dimmed())?;
    }
    let all = chosen.iter().map(|function| function.paths.len()).sum();
    left_out(shown, all, &plural(all, "executed path"), out)?;
    writeln!(out)?;
    no_lines(without_lines.len(), options, out)
}

fn no_lines(functions: usize, options: &Options, out: &mut impl Write) -> Result<()> {
    if functions > 0 && options.notation == Notation::Lines {
        let functions = plural(functions, "function");
        let text = "without debug information, shown as basic blocks (bb0 …); compile with -g to \
                    see source lines";
        note(&format!("{functions} {text}"), options.width, out)?;
    }
    Ok(())
}
