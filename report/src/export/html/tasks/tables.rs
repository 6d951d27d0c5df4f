//! Tables as the data of a page: the meaning of each cell, which the page shows in its own form.

use serde_json::{Value, json};

use crate::export::html::payload::{Exact, shown};
use crate::show::cell_text::plain;
use crate::show::table::{Cell, CellKind, Column, Name, Table, Visibility};

/// Returns the tables, without columns that are for other programs alone.
pub(super) fn tables(tables: &[Table<'_>]) -> Vec<Value> {
    tables.iter().map(table).collect()
}

fn table(table: &Table<'_>) -> Value {
    let is_seen = |at: &usize| table.columns[*at].shown != Visibility::Data;
    let seen: Vec<_> = (0..table.columns.len()).filter(is_seen).collect();
    let row = |cells: &[Cell<'_>]| seen.iter().map(|&at| cell(&cells[at])).collect::<Vec<_>>();
    json!({
        "name": table.name,
        "columns": seen.iter().map(|&at| column(&table.columns[at])).collect::<Vec<_>>(),
        "rows": table.rows.iter().map(|of| row(&of.cells)).collect::<Vec<_>>(),
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

/// Returns the content of a cell; `null` if it is empty or unknown.
fn cell(cell: &Cell<'_>) -> Value {
    match cell {
        Cell::Nothing | Cell::Unknown => Value::Null,
        Cell::Number(count) => json!(Exact(*count)),
        Cell::Share { part, whole, .. } => json!([Exact(*part), Exact(*whole)]),
        Cell::Streams(streams) => {
            streams.iter().map(|of| json!([of.0, Exact(of.1.into())])).collect()
        }
        Cell::Name(name) => json!([shown(short(name)), shown(&name.whole())]),
        Cell::PathEnd { function, line } => json!([function, line]),
        cell => json!(shown(&plain(cell))),
    }
}

/// Returns a name without its parameters. A shorter form, with parts left out inside, does not
/// count.
fn short(name: &Name) -> &str {
    let whole = name.forms.first().map_or("", String::as_str);
    name.forms.get(1).filter(|form| whole.contains(form.as_str())).map_or(whole, String::as_str)
}
