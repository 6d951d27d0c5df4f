//! Writes the tables of a document as comma-separated values: a line of names, and a line for each
//! row except sums of other rows. An empty line separates two tables.

use std::io::{Error, Result, Write};

use csv::Writer;

use crate::show::document::Document;
use crate::show::table::{Field, Table};

/// Writes the tables.
///
/// # Errors
/// The errors of `out`.
pub(crate) fn write(document: &Document<'_>, out: &mut impl Write) -> Result<()> {
    for (at, table) in document.tables.iter().enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        let mut bytes = Vec::new();
        rows(table, &mut bytes)?;
        out.write_all(&bytes)?;
    }
    Ok(())
}

fn rows(table: &Table<'_>, bytes: &mut Vec<u8>) -> Result<()> {
    let mut writer = Writer::from_writer(bytes);
    let names = table.columns.iter().flat_map(|column| column.fields());
    writer.write_record(names).map_err(Error::other)?;
    for row in table.rows.iter().filter(|row| !row.is_sum) {
        let cells = row.cells.iter().zip(&table.columns);
        let fields = cells.flat_map(|(cell, column)| cell.fields(column));
        writer.write_record(fields.map(|field| text(&field))).map_err(Error::other)?;
    }
    writer.flush()
}

fn text(field: &Field) -> String {
    let of_count = |(name, count): &(String, Option<_>)| match count {
        Some(count) => format!("{name} {count}"),
        None => format!("{name} ?"),
    };
    match field {
        Field::Null => String::new(),
        Field::Count(count) => count.to_string(),
        Field::Signed(count) => count.to_string(),
        Field::Real(number) => number.to_string(),
        Field::Flag(flag) => flag.to_string(),
        Field::Text(text) => text.clone(),
        Field::Counts(counts) => counts.iter().map(of_count).collect::<Vec<_>>().join("; "),
    }
}
