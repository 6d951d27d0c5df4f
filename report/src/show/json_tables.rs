//! Writes a document as JSON: an object with the heading, the tables and the remarks. A row is an
//! object with a member for each field. Rows that sum others are in a list of their own.

use std::io::{Result, Write};

use counts::model::Count;
use profile::escape::Json;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use crate::schema;
use crate::show::document::Document;
use crate::show::table::{Field, Row, Table};

/// Writes the document.
///
/// # Errors
/// The errors of `out`.
pub(crate) fn write(document: &Document<'_>, out: &mut impl Write) -> Result<()> {
    serde_json::to_writer_pretty(Json(&mut *out), &DocumentEntry::of(document))?;
    writeln!(out)
}

/// Writes the document on one line.
///
/// # Errors
/// The errors of `out`.
pub(crate) fn write_line(document: &Document<'_>, out: &mut impl Write) -> Result<()> {
    serde_json::to_writer(Json(&mut *out), &DocumentEntry::of(document))?;
    writeln!(out)
}

#[derive(Serialize)]
struct DocumentEntry<'a> {
    schema: &'static str,
    heading: Vec<FactEntry<'a>>,
    tables: Vec<TableEntry<'a>>,
    remarks: Vec<RemarkEntry<'a>>,
}

#[derive(Serialize)]
struct FactEntry<'a> {
    label: &'a str,
    text: &'a str,
}

#[derive(Serialize)]
struct RemarkEntry<'a> {
    tone: &'a str,
    text: &'a str,
}

#[derive(Serialize)]
struct TableEntry<'a> {
    name: &'a str,
    rows: Vec<RowEntry>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sums: Vec<RowEntry>,
    notes: &'a [String],
}

impl<'a> DocumentEntry<'a> {
    fn of(document: &'a Document<'_>) -> Self {
        let facts = document.heading.iter();
        let remarks = document.remarks.iter();
        Self {
            schema: schema::TABLES,
            heading: facts.map(|of| FactEntry { label: of.label, text: &of.text }).collect(),
            tables: document.tables.iter().map(table).collect(),
            remarks: remarks
                .map(|of| RemarkEntry { tone: of.tone.word(), text: &of.text })
                .collect(),
        }
    }
}

fn table<'a>(table: &'a Table<'_>) -> TableEntry<'a> {
    let rows = |sums: bool| {
        let rows = table.rows.iter().filter(move |row| row.is_sum == sums);
        rows.map(|row| RowEntry::of(table, row)).collect()
    };
    TableEntry { name: table.name, rows: rows(false), sums: rows(true), notes: &table.notes }
}

/// The fields of a row by name.
struct RowEntry(Vec<(String, Field)>);

impl RowEntry {
    fn of(table: &Table<'_>, row: &Row<'_>) -> Self {
        let cells = row.cells.iter().zip(&table.columns);
        let fields = cells.flat_map(|(cell, of)| of.fields().into_iter().zip(cell.fields(of)));
        Self(fields.collect())
    }
}

impl Serialize for RowEntry {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, field) in &self.0 {
            match field {
                Field::Null => map.serialize_entry(name, &())?,
                Field::Count(count) => map.serialize_entry(name, count)?,
                Field::Signed(count) => map.serialize_entry(name, count)?,
                Field::Real(number) => map.serialize_entry(name, number)?,
                Field::Flag(flag) => map.serialize_entry(name, flag)?,
                Field::Text(text) => map.serialize_entry(name, text)?,
                Field::Counts(counts) => {
                    let counts =
                        counts.iter().map(|(name, count)| CountEntry { name, count: *count });
                    map.serialize_entry(name, &counts.collect::<Vec<_>>())?;
                }
            }
        }
        map.end()
    }
}

/// A name and its count.
#[derive(Serialize)]
struct CountEntry<'a> {
    name: &'a str,
    count: Option<Count>,
}
