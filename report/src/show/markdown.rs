//! Writes a document as Markdown, with tables in GitHub's form.

use crate::show::cell_text::plain;
use crate::show::document::Document;
use crate::show::table::{Column, Row, Table};

/// Returns the document.
pub(crate) fn of(document: &Document<'_>) -> String {
    let heading = document.heading.iter();
    let heading =
        heading.map(|fact| format!("* **{}** {}\n", fact.label, escaped(&fact.text))).collect();
    let tables = document.tables.iter().map(table);
    let remarks = document.remarks.iter();
    let remarks = remarks
        .map(|remark| format!("* **{}:** {}\n", remark.tone.word(), escaped(&remark.text)))
        .collect();
    let parts: Vec<String> = std::iter::once(heading).chain(tables).chain([remarks]).collect();
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

/// Returns a table below its name.
fn table(table: &Table<'_>) -> String {
    let mut text = format!("### {}\n\n", table.name.replace('_', " "));
    let seen = table.seen();
    if table.rows.is_empty() {
        text += &format!("{}\n", escaped(&table.empty));
    } else {
        let columns: Vec<&Column> = seen.iter().map(|&at| &table.columns[at]).collect();
        text += &line(columns.iter().map(|column| escaped(column.title)));
        let side = |column: &&Column| if column.kind.is_number() { "--:" } else { ":--" }.into();
        text += &line(columns.iter().map(side));
        table.rows.iter().for_each(|of| text += &row(of, &seen));
    }
    for note in &table.notes {
        text += &format!("\n{}\n", escaped(note));
    }
    text
}

fn row(row: &Row<'_>, seen: &[usize]) -> String {
    let cells = seen.iter().map(|&at| {
        let words: Vec<_> = plain(&row.cells[at]).split_whitespace().map(escaped).collect();
        let text = words.join(" ");
        if row.is_sum && !text.is_empty() { format!("**{text}**") } else { text }
    });
    line(cells)
}

fn line(cells: impl Iterator<Item = String>) -> String {
    format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
}

/// Returns text without markup in Markdown.
fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if "\\`*_[]<>|#&~$".contains(c) {
            shown.push('\\');
        }
        shown.push(c);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_name_is_markup() {
        assert_eq!(escaped("a<b>*|`_"), r"a\<b\>\*\|\`\_");
    }
}
