//! Tables as the data of a page: the meaning of each cell, which the page shows in its own form.

use serde_json::{Value, json};

use crate::export::html::payload::{Exact, shown};
use crate::show::cell_text::plain;
use crate::show::fitted_names;
use crate::show::table::{Cell, CellKind, Column, Table, Visibility};

/// The most characters of a name. A wider one is shown in a shorter form.
const NAME_WIDTH: usize = 48;

/// Returns the tables, without columns that are for other programs alone.
pub(super) fn tables(tables: &[Table<'_>]) -> Vec<Value> {
    tables.iter().map(table).collect()
}

fn table(table: &Table<'_>) -> Value {
    let is_seen = |at: &usize| table.columns[*at].shown != Visibility::Data;
    let seen: Vec<_> = (0..table.columns.len()).filter(is_seen).collect();
    let columns: Vec<_> = seen.iter().map(|&at| cells(table, at)).collect();
    let row = |at| columns.iter().map(|cells| &cells[at]).collect::<Vec<_>>();
    json!({
        "name": table.name,
        "columns": seen.iter().map(|&at| column(&table.columns[at])).collect::<Vec<_>>(),
        "rows": (0..table.rows.len()).map(row).collect::<Vec<_>>(),
        "empty": table.empty,
    })
}

fn column(column: &Column) -> Value {
    json!({
        "key": column.key,
        // The page writes the unit behind each time.
        "title": column.title.strip_suffix(" ns").unwrap_or(column.title),
        "kind": kind(column.kind),
        "is_number": column.kind.is_number(),
        "stacks": column.stacks,
    })
}

/// Returns the kinds that the page does not show as plain text.
fn kind(kind: CellKind) -> &'static str {
    match kind {
        CellKind::Number => "count",
        CellKind::Nanoseconds => "nanoseconds",
        CellKind::Share => "share",
        CellKind::Stream => "stream",
        CellKind::Streams => "streams",
        CellKind::Name => "name",
        CellKind::PathEnd => "path_end",
        CellKind::Flow => "path",
        _ => "text",
    }
}

/// Returns the cells of a column.
fn cells(table: &Table<'_>, column: usize) -> Vec<Value> {
    let cells = || table.rows.iter().map(|row| &row.cells[column]);
    let names = cells().filter_map(|cell| match cell {
        Cell::Name(name) => Some(name),
        _ => None,
    });
    // Names of one column are fitted together, so that different ones look different.
    let mut fitted = fitted_names::shown(&names.collect::<Vec<_>>(), NAME_WIDTH).into_iter();
    let with_name = |of: &Cell<'_>| match of {
        Cell::Name(name) => {
            let text = fitted.next().unwrap_or_default();
            json!([shown(&text), shown(&name.whole())])
        }
        of => cell(of),
    };
    cells().map(with_name).collect()
}

/// Returns the content of a cell; `null` if it is empty or unknown.
fn cell(cell: &Cell<'_>) -> Value {
    match cell {
        Cell::Nothing | Cell::Unknown => Value::Null,
        Cell::Number(count) => json!(Exact(*count)),
        Cell::Share { part, whole, .. } => json!([Exact(*part), Exact(*whole)]),
        Cell::Streams(streams) => {
            streams.iter().map(|of| json!([of.0, Exact(of.1.into())])).collect()
        }
        Cell::PathEnd { function, line } => json!([function, line]),
        cell => json!(shown(&plain(cell))),
    }
}
