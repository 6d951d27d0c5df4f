//! Tables as the data of a page: what each cell means, so that the page shows it in its own way.

use serde_json::{Value, json};

use crate::export::html::payload::{Exact, shown};
use crate::show::cell_text::plain;
use crate::show::table::{Cell, CellKind, Column, Name, Table, Visibility};

/// The tables, without columns that are for other programs alone.
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

/// The kinds of which the page knows more than a text.
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

/// What a cell says; `null` if that is nothing, or not known.
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

/// A name without its parameters. A shorter form has parts left out inside, and is none of it.
fn short(name: &Name) -> &str {
    let whole = name.forms.first().map_or("", String::as_str);
    name.forms.get(1).filter(|form| whole.contains(form.as_str())).map_or(whole, String::as_str)
}
