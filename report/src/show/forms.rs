//! Writes documents in each form: as text, Markdown, CSV and JSON.

use std::io::{Result, Write};

use owo_colors::OwoColorize;

use crate::show::cell_text::wrapped;
use crate::show::document::{Document, Remark, Tone};
use crate::show::style::visible_width;
use crate::show::text_table::{self, Screen};
use crate::show::{comma_separated, json_tables, markdown};

/// The form of a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// For people, on a terminal.
    #[default]
    Text,
    /// For people, in a page.
    Markdown,
    /// For spreadsheets: only the tables.
    Csv,
    /// For programs.
    Json,
}

/// Writes a document. Text is fitted to `screen`.
///
/// # Errors
/// The errors of `out`.
pub fn write(
    document: &Document<'_>,
    format: Format,
    screen: Screen,
    out: &mut impl Write,
) -> Result<()> {
    match format {
        Format::Text => out.write_all(text(document, screen).as_bytes()),
        Format::Markdown => out.write_all(markdown::of(document).as_bytes()),
        Format::Csv => comma_separated::write(document, out),
        Format::Json => json_tables::write(document, out),
    }
}

/// Writes a document as JSON on one line.
///
/// # Errors
/// The errors of `out`.
pub fn write_json_line(document: &Document<'_>, out: &mut impl Write) -> Result<()> {
    json_tables::write_line(document, out)
}

/// The width of the labels of a heading.
const LABELS: usize = 9;

/// Returns the document as text with styles. The writer drops the styles where they are not wanted.
pub fn text(document: &Document<'_>, screen: Screen) -> String {
    let mut parts: Vec<String> = Vec::new();
    let room = screen.width.map(|width| width.saturating_sub(LABELS + 1).max(1));
    let mut heading = String::new();
    for fact in &document.heading {
        for (at, line) in fact.lines(room).iter().enumerate() {
            let label = if at == 0 { fact.label } else { "" };
            heading += &format!("{:<LABELS$} {line}\n", label.dimmed());
        }
    }
    parts.push(heading);
    for table in &document.tables {
        let mut text = String::new();
        if document.tables.len() > 1 {
            text += &format!("{}\n", table.name.replace('_', " ").bold());
        }
        if table.rows.is_empty() {
            wrapped(&table.empty, screen.width)
                .iter()
                .for_each(|line| text += &format!("{line}\n"));
        } else {
            text_table::write(table, screen, &mut text);
        }
        for line in table.notes.iter().flat_map(|note| wrapped(note, screen.width)) {
            text += &format!("{}\n", line.dimmed());
        }
        parts.push(text);
    }
    let remarks = document.remarks.iter().map(|remark| written(remark, screen.width));
    parts.push(remarks.collect());
    parts.retain(|part| !part.is_empty());
    parts.join("\n")
}

/// Returns a remark behind the word for its tone.
fn written(remark: &Remark, width: Option<usize>) -> String {
    let word = format!("{}:", remark.tone.word());
    let word = match remark.tone {
        Tone::Note => word.cyan().bold().to_string(),
        Tone::Warning => word.yellow().bold().to_string(),
    };
    format!("{}\n", behind(&word, &remark.text, width))
}

/// Returns text behind a word for its kind, in lines of at most `width` columns.
pub fn behind(word: &str, text: &str, width: Option<usize>) -> String {
    let first = visible_width(word) + 1;
    // The first line has less room. A word that is too long for it is broken as any other.
    let lines = match width {
        None => vec![text.to_owned()],
        Some(width) => {
            let blank = " ".repeat(first);
            let options = textwrap::Options::new(width).initial_indent(&blank);
            let lines = textwrap::wrap(text, options);
            lines.iter().map(|line| line.strip_prefix(&blank).unwrap_or(line).to_string()).collect()
        }
    };
    let between = if lines.first().is_some_and(String::is_empty) { "" } else { " " };
    format!("{word}{between}{}", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use counts::model::Count;

    use super::*;
    use crate::show::document::Fact;
    use crate::show::table::{
        Cell, CellKind, Column, Counted, Name, Row, SourceLine, Table, Visibility, Words,
    };

    /// Returns a table with a column of each kind.
    fn table(rows: usize) -> Table<'static> {
        let kinds = [
            ("#", CellKind::Rank),
            ("count", CellKind::Number),
            ("calls", CellKind::Estimate),
            ("share", CellKind::Share),
            ("lines", CellKind::Ratio),
            ("seconds", CellKind::Seconds),
            ("function", CellKind::Name),
            ("where", CellKind::SourceLine),
            ("why", CellKind::Text),
            ("path", CellKind::Flow),
            ("ways", CellKind::Counts),
        ];
        let cells = |row: usize| -> Vec<Cell<'static>> {
            let forms = ["whole(int, long)", "whole"].map(|form| form.repeat(row % 7 + 1)).to_vec();
            let place = SourceLine {
                file: "src/a.c".into(),
                line: 7,
                text: "a.c:7".repeat(row),
                ..SourceLine::default()
            };
            vec![
                Cell::Rank(row + 1),
                Cell::Number(Count::MAX >> (row * 10)),
                Cell::Estimate(1 << row, row == 2),
                Cell::Share { part: 1, whole: row as Count, heat: true },
                Cell::Ratio(row as Count, 1000),
                Cell::Time(1_500_000_000, row == 1),
                Cell::Name(Name { forms, ..Name::default() }),
                Cell::SourceLine(place),
                Cell::Text(vec!["because | it is \"so\","; row].join(" ")),
                Cell::Flow(Box::new(Words(vec!["word".into(); row * 5]))),
                Cell::Counts(vec![Counted::new("case 1", Some(5)), Counted::new("default", None)]),
            ]
        };
        Table {
            name: "things",
            columns: kinds.map(|(title, kind)| Column::new(title, kind)).to_vec(),
            rows: (0..rows).map(|row| Row::from(cells(row))).collect(),
            notes: vec!["by rank, and one sentence that says what the shares are of".into()],
            empty: "There is nothing.".into(),
        }
    }

    fn document(table: Table<'static>) -> Document<'static> {
        Document {
            heading: vec![Fact::new("image", ["a name that may be long"; 5].join(" "))],
            tables: vec![table],
            remarks: vec![
                Remark::note(["what somebody may not expect"; 5].join(" ")),
                Remark::warning("x".repeat(100)),
            ],
        }
    }

    fn written(document: &Document<'_>, format: Format, width: Option<usize>) -> String {
        let mut out = Vec::new();
        let screen = Screen { width, links: false };
        write(document, format, screen, &mut out).expect("memory does not fail");
        let text = String::from_utf8(out).expect("it is text");
        anstream::adapter::strip_str(&text).to_string()
    }

    #[test]
    fn no_line_is_wider_than_the_screen_whatever_columns_there_are() {
        let all = table(8);
        // Each subset of the columns is a table.
        for subset in 1_u32..1 << all.columns.len() {
            let mut some = table(3);
            let keep: Vec<_> = (0..all.columns.len()).map(|at| subset >> at & 1 == 1).collect();
            let kept = |at: usize| keep[at];
            some.columns =
                (0..keep.len()).filter(|&at| kept(at)).map(|at| all.columns[at]).collect();
            for row in &mut some.rows {
                let mut at = 0..;
                row.cells.retain(|_| at.next().is_some_and(kept));
            }
            let text = written(&document(some), Format::Text, Some(60 + subset as usize % 80));
            let widest = text.lines().map(visible_width).max().unwrap_or_default();
            assert!(widest <= 60 + subset as usize % 80, "{widest}:\n{text}");
        }
    }

    #[test]
    fn no_line_ends_with_blanks() {
        for width in [None, Some(60), Some(80), Some(120), Some(200)] {
            let text = written(&document(table(8)), Format::Text, width);
            let blanks = text.lines().filter(|line| line.ends_with(' '));
            assert_eq!(blanks.count(), 0, "{text}");
        }
    }

    #[test]
    fn elsewhere_a_row_is_one_line_with_everything_in_it() {
        let (table, document) = (table(5), document(table(5)));
        let text = written(&document, Format::Text, None);
        for row in &table.rows {
            let cells: Vec<_> = row.cells.iter().map(crate::show::cell_text::plain).collect();
            let has_all = |line: &&str| cells.iter().all(|cell| line.contains(cell.trim()));
            assert_eq!(text.lines().filter(has_all).count(), 1, "{cells:?}\n{text}");
        }
    }

    #[test]
    fn sections_and_cells_that_repeat_are_shown_once() {
        let rows = [("a.c", "x", 1), ("a.c", "x", 2), ("b.c", "x", 3)];
        let mut sections = Table {
            name: "things",
            columns: vec![
                Column::new("file", CellKind::Text).shown(Visibility::Section),
                Column::new("class", CellKind::Text).shown(Visibility::OnChange),
                Column::new("count", CellKind::Number),
                Column::new("more", CellKind::Text).shown(Visibility::Data),
            ],
            ..Table::default()
        };
        let cells = |(file, class, count): (&str, &str, Count)| {
            let cells =
                vec![Cell::Text(file.into()), Cell::Text(class.into()), Cell::Number(count)];
            Row::from(cells.into_iter().chain([Cell::Unknown]).collect::<Vec<_>>())
        };
        sections.rows = rows.map(cells).into_iter().collect();
        let document = Document { tables: vec![sections], ..Document::default() };
        insta::assert_snapshot!(written(&document, Format::Text, Some(80)), @r"
        class  count
        ────────────
        a.c
        x          1
                   2

        b.c
        x          3
        ");
    }

    #[test]
    fn markdown() {
        insta::assert_snapshot!(written(&document(table(3)), Format::Markdown, None));
    }

    #[test]
    fn comma_separated_values_can_be_read_back() {
        let (table, text) = (table(4), written(&document(table(4)), Format::Csv, None));
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let fields: Vec<_> = table.columns.iter().flat_map(|column| column.fields()).collect();
        assert_eq!(reader.headers().expect("names").iter().collect::<Vec<_>>(), fields);
        let rows: Vec<_> = reader.records().map(|row| row.expect("a row")).collect();
        assert_eq!(rows.len(), 4);
        let at = |name: &str| fields.iter().position(|field| field == name).expect("a column");
        assert_eq!(rows[0][at("count")], Count::MAX.to_string());
        assert_eq!(rows[2][at("why")], *"because | it is \"so\", because | it is \"so\",");
        assert_eq!(rows[2][at("calls_in_doubt")], *"true");
        assert_eq!((&rows[1][at("file")], &rows[1][at("line")]), ("src/a.c", "7"));
    }

    #[test]
    fn json_holds_numbers_as_numbers() {
        let text = written(&document(table(4)), Format::Json, None);
        let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let row = &json["tables"][0]["rows"][2];
        assert_eq!(row["#"], 3);
        assert_eq!((&row["lines_covered"], &row["lines_all"]), (&2.into(), &1000.into()));
        assert_eq!(row["share"], 0.5);
        assert_eq!(row["ways"][1]["count"], serde_json::Value::Null);
        assert_eq!(json["remarks"][0]["tone"], "note");
        assert!(text.contains(&Count::MAX.to_string()), "{text}");
    }

    #[test]
    fn a_table_without_rows_says_so() {
        let empty =
            document(Table { name: "things", empty: "There is nothing.".into(), ..table(0) });
        for format in [Format::Text, Format::Markdown] {
            let text = written(&empty, format, Some(80));
            assert!(text.contains("There is nothing."), "{text}");
        }
        assert_eq!(written(&empty, Format::Csv, None).lines().count(), 1);
    }
}
