//! A list of things with numbers before them, for text of 80 columns and for Markdown.
//!
//! In text, numbers stand in columns, and behind them what they are of. More words follow in lines
//! of their own, so that neither a path nor the name of a template needs a wide terminal.

use std::io::{Result, Write};

use owo_colors::OwoColorize;

use crate::show::style::elide;

/// How a document is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// For a terminal of this width; without one, no line is broken.
    Text(Option<usize>),
    /// Markdown, with a table for each list.
    Markdown,
}

/// The most lines of more words in a row, each.
const MOST_LINES: usize = 3;

/// A list.
#[derive(Default)]
pub(crate) struct Listing {
    /// What it lists.
    pub(crate) title: String,
    /// Heads of the columns of numbers.
    pub(crate) numbers: Vec<&'static str>,
    /// Head of what they are of.
    pub(crate) what: &'static str,
    /// Heads of columns that only Markdown has, whose rows have no more words.
    pub(crate) more: Vec<&'static str>,
    /// The rows.
    pub(crate) rows: Vec<Line>,
    /// Sentences below it.
    pub(crate) notes: Vec<String>,
}

/// A row of a list.
#[derive(Default)]
pub(crate) struct Line {
    /// A number for each column.
    pub(crate) numbers: Vec<String>,
    /// What they are of.
    pub(crate) what: String,
    /// The same in more words: each begins a line.
    pub(crate) details: Vec<String>,
    /// What Markdown has in further columns.
    pub(crate) more: Vec<String>,
    /// Whether it sums the others.
    pub(crate) is_sum: bool,
}

/// Writes a paragraph.
///
/// # Errors
/// Those of `out`.
pub(crate) fn paragraph(text: &str, form: Form, out: &mut impl Write) -> Result<()> {
    match form {
        Form::Text(width) => {
            for line in wrap(text, width) {
                writeln!(out, "{line}")?;
            }
            writeln!(out)
        }
        Form::Markdown => writeln!(out, "{}\n", cell(text)),
    }
}

impl Listing {
    /// Writes it.
    ///
    /// # Errors
    /// Those of `out`.
    pub(crate) fn write(&self, form: Form, out: &mut impl Write) -> Result<()> {
        match form {
            Form::Text(width) => self.text(width, out)?,
            Form::Markdown => self.markdown(out)?,
        }
        for note in &self.notes {
            paragraph(note, form, out)?;
        }
        Ok(())
    }

    fn text(&self, width: Option<usize>, out: &mut impl Write) -> Result<()> {
        writeln!(out, "{}\n", self.title.bold())?;
        if self.rows.is_empty() {
            return Ok(());
        }
        let wide = |text: &str| text.chars().count();
        let width_of = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.numbers.get(column));
            let head = self.numbers.get(column).map_or(0, |head| wide(head));
            cells.map(|cell| wide(cell)).chain([head]).max().unwrap_or_default()
        };
        let widths: Vec<_> = (0..self.numbers.len()).map(width_of).collect();
        let indent = widths.iter().map(|width| width + 2).sum::<usize>();
        let room = width.map(|width| width.saturating_sub(indent).max(20));
        let padded = |numbers: &mut dyn Iterator<Item = &str>| {
            let cells = numbers.zip(&widths).map(|(number, width)| format!("{number:>width$}  "));
            cells.collect::<String>()
        };
        let head = padded(&mut self.numbers.iter().copied());
        writeln!(out, "{}", format!("{head}{}", self.what).dimmed())?;
        for row in &self.rows {
            let mut before = padded(&mut row.numbers.iter().map(String::as_str));
            for line in wrap(&row.what, room) {
                let line =
                    if row.is_sum { line.dimmed().to_string() } else { line.cyan().to_string() };
                writeln!(out, "{before}{line}")?;
                before = " ".repeat(indent);
            }
            for detail in &row.details {
                for line in at_most(wrap(detail, room), room) {
                    writeln!(out, "{}{line}", " ".repeat(indent))?;
                }
            }
        }
        writeln!(out)
    }

    fn markdown(&self, out: &mut impl Write) -> Result<()> {
        writeln!(out, "## {}\n", cell(&self.title))?;
        if self.rows.is_empty() {
            return Ok(());
        }
        let numbers = self.numbers.iter().copied();
        let heads: Vec<_> = numbers.chain(self.more.iter().copied()).chain([self.what]).collect();
        writeln!(out, "| {} |", heads.join(" | "))?;
        let right = self.numbers.len() + self.more.len();
        let lines = std::iter::repeat_n("---:", right).chain(["---"]);
        writeln!(out, "| {} |", lines.collect::<Vec<_>>().join(" | "))?;
        for row in &self.rows {
            let mut more = row.more.iter().map(String::as_str).collect::<Vec<_>>();
            more.resize(self.more.len(), "");
            let numbers = row.numbers.iter().map(String::as_str);
            let cells: Vec<_> = numbers.chain(more).chain([row.what.as_str()]).map(cell).collect();
            writeln!(out, "| {} |", cells.join(" | "))?;
        }
        writeln!(out)
    }
}

/// Text in a table of Markdown: what means something there is written so that it does not.
fn cell(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if "\\`*_[]<>|#~&".contains(c) {
            escaped.push('\\');
        }
        escaped.push(if c == '\n' { ' ' } else { c });
    }
    escaped
}

/// Text in lines of so many characters, broken between words if that can be done.
fn wrap(text: &str, width: Option<usize>) -> Vec<String> {
    let Some(width) = width else { return vec![text.into()] };
    let mut lines = vec![String::new()];
    let mut taken = 0;
    for word in text.split(' ') {
        let letters: Vec<char> = word.chars().collect();
        if taken > 0 && taken + 1 + letters.len() > width {
            lines.push(String::new());
            taken = 0;
        }
        for (at, piece) in letters.chunks(width).enumerate() {
            if at > 0 {
                lines.push(String::new());
                taken = 0;
            }
            let last = lines.len() - 1;
            if taken > 0 {
                lines[last].push(' ');
                taken += 1;
            }
            lines[last].extend(piece);
            taken += piece.len();
        }
    }
    lines
}

/// The first and the last of these lines, if there are too many.
fn at_most(lines: Vec<String>, width: Option<usize>) -> Vec<String> {
    match (lines.as_slice(), width) {
        ([first, .., last], Some(width)) if lines.len() > MOST_LINES => {
            let left_out = lines.len() + 1 - MOST_LINES;
            let middle = elide(&format!("… {left_out} lines; --full shows them …"), Some(width));
            vec![first.clone(), middle, last.clone()]
        }
        _ => lines,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(form: Form) -> String {
        let line = |number: &str, what: &str, details: &[&str]| Line {
            numbers: vec![number.into(), "1".into()],
            what: what.into(),
            details: details.iter().map(|&detail| detail.into()).collect(),
            more: vec!["9".into()],
            is_sum: false,
        };
        let long = (0..40).map(|step| format!("{step}(true)")).collect::<Vec<_>>().join(" ");
        let listing = Listing {
            title: "Things: 2 of 2".into(),
            numbers: vec!["difference", "x"],
            what: "thing",
            more: vec!["A"],
            rows: vec![
                line("+1,234,567,890", "f<int>(a|b)", &["twice as many", &long]),
                line("-1", &"template".repeat(9), &[]),
            ],
            notes: vec!["All of it.".into()],
        };
        let mut out = Vec::new();
        listing.write(form, &mut out).expect("memory");
        anstream::adapter::strip_str(&String::from_utf8_lossy(&out)).to_string()
    }

    #[test]
    fn text_keeps_to_its_width() {
        for width in [40, 80, 120] {
            let text = written(Form::Text(Some(width)));
            assert!(text.lines().all(|line| line.chars().count() <= width), "{text}");
        }
        let full = written(Form::Text(None));
        assert!(full.contains("39(true)") && full.contains(&"template".repeat(9)), "{full}");
        insta::assert_snapshot!(written(Form::Text(Some(60))));
    }

    #[test]
    fn markdown_has_a_table_whatever_names_are() {
        insta::assert_snapshot!(written(Form::Markdown));
    }

    #[test]
    fn words_are_broken_only_if_they_must() {
        assert_eq!(wrap("one two three", Some(7)), ["one two", "three"]);
        assert_eq!(wrap("abcdefghij k", Some(4)), ["abcd", "efgh", "ij k"]);
        assert_eq!(wrap("", Some(4)), [""]);
    }
}
