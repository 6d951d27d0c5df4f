//! A table as a value: columns, rows of typed cells, and the notes below.
//!
//! Every view returns one, and [`document`](crate::show::document) writes it: as text that fits a
//! terminal, as Markdown, CSV or JSON. A cell holds a meaning, not a form. Content with another
//! form at each width, a path above all, is a [`Flow`].

use std::path::{Path, PathBuf};

use counts::model::Count;

use crate::show::style::visible_width;

/// A table.
#[derive(Default)]
pub struct Table<'a> {
    /// The kind of its rows, in one word: `functions`.
    pub name: &'static str,
    /// Its columns. Those of numbers come first, since text in the last column needs no padding.
    pub columns: Vec<Column>,
    /// Its rows.
    pub rows: Vec<Row<'a>>,
    /// Sentences below it: the order of its rows, the whole of a share, the parts that are left
    /// out.
    pub notes: Vec<String>,
    /// The text in its place if it has no rows.
    pub empty: String,
}

/// A column of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// The title for people.
    pub title: &'static str,
    /// The name for other programs: letters and `_`.
    pub key: &'static str,
    /// The kind of its cells.
    pub kind: CellKind,
    /// The condition under which the text form shows its cells.
    pub shown: Visibility,
    /// True if its cells may be below those of the column before, where there is little room.
    pub stacks: bool,
}

/// The kind of the cells of a column. Each has a form as [data](Cell::fields), in one field or
/// more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellKind {
    /// The place of the row among all: 1 is the first.
    Rank,
    /// A count.
    Number,
    /// A count that may be wrong. A second field is true if it may be.
    Estimate,
    /// A count with a sign, or one that was divided.
    Amount,
    /// A part of a whole. As data it is a number from 0 to 1, or beyond where parts have signs.
    Share,
    /// A part and its whole, in two fields.
    Ratio,
    /// A part and its whole where both are few, so that no percentage is wanted.
    Fraction,
    /// The place of the row among all at best and at worst, in two fields.
    Ranks,
    /// A number with a fraction.
    Score,
    /// Seconds. A second field is true if the end of the time is known.
    Seconds,
    /// A count of nanoseconds.
    Nanoseconds,
    /// The number of a stream of a trace, which identifies its thread.
    Stream,
    /// Streams, each with the number of its occurrences, the most frequent first. The text has the
    /// first one.
    Streams,
    /// The name of a function.
    Name,
    /// A line of a file, in two fields.
    SourceLine,
    /// A function and the line where a path of it ended.
    PathEnd,
    /// Any other text.
    Text,
    /// Text that is fitted into a width: see [`Flow`].
    Flow,
    /// Names with their counts.
    Counts,
}

/// The condition under which the text form shows the cells of a column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Visibility {
    /// In every row.
    #[default]
    Always,
    /// Where the cell differs from the one above.
    OnChange,
    /// As a line of its own above the rows for which it is the same.
    Section,
    /// Never: it is for other programs alone.
    Data,
}

/// A row of a table.
#[derive(Default)]
pub struct Row<'a> {
    /// A cell for each column.
    pub cells: Vec<Cell<'a>>,
    /// True if it sums other rows.
    pub is_sum: bool,
}

/// A cell of a table.
pub enum Cell<'a> {
    /// Not applicable: `–`.
    Nothing,
    /// Unknown: `?`.
    Unknown,
    /// The place of the row among all.
    Rank(usize),
    /// A count.
    Number(Count),
    /// A count, and true if it may be wrong: `~`.
    Estimate(Count, bool),
    /// A part of a whole, coloured by its weight if it is a possible hot spot.
    Share {
        /// The part.
        part: Count,
        /// The whole.
        whole: Count,
        /// True if its weight has a colour.
        heat: bool,
    },
    /// A count in units.
    Amount(Amount),
    /// A part of a whole, either of which may be below 0.
    SignedShare(i128, i128),
    /// A part of a whole.
    Ratio(Count, Count),
    /// A part of a whole, both few.
    Fraction(Count, Count),
    /// The place of the row among all at best and at worst.
    Ranks(usize, usize),
    /// A number with a fraction; it may be infinite.
    Score(f64),
    /// Nanoseconds, and true if they are complete.
    Time(u64, bool),
    /// Streams, if their numbers are known, and the number of occurrences of each.
    Streams(Vec<(Option<u64>, u64)>),
    /// The name of a function.
    Name(Name),
    /// A line of a file.
    SourceLine(SourceLine),
    /// The place where a path ended.
    PathEnd {
        /// The function.
        function: String,
        /// The line, if that is known: `main.c:10`.
        line: Option<String>,
    },
    /// Any other text.
    Text(String),
    /// Text that is fitted into a width.
    Flow(Box<dyn Flow + 'a>),
    /// Names with their counts.
    Counts(Vec<Counted>),
}

/// A count in units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amount {
    /// The number of units.
    pub number: i128,
    /// The number of units in 1; at least 1.
    pub unit: i128,
    /// True if a positive number has a sign.
    pub has_sign: bool,
}

/// A name with its count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counted {
    /// The name for other programs.
    pub key: String,
    /// The text for people.
    pub text: String,
    /// Its count, if that is known.
    pub count: Option<Count>,
}

impl Counted {
    /// Creates a count whose name is the same for people and programs.
    pub fn new(name: impl Into<String>, count: Option<Count>) -> Self {
        let name = name.into();
        Self { key: name.clone(), text: name, count }
    }
}

/// Text that is fitted into a width.
pub trait Flow {
    /// Returns all of it on one line, without styles.
    fn plain(&self) -> String;

    /// Returns the text in lines of at most `width` columns; in full on one line without a width.
    /// Lines may carry styles.
    fn fit(&self, width: Option<usize>) -> Vec<String>;
}

/// Words that are broken into lines between them, the plainest [`Flow`]. A word may carry styles. A
/// word that is wider than a line goes on in the next.
#[derive(Clone, Debug, Default)]
pub struct Words(pub Vec<String>);

impl Flow for Words {
    fn plain(&self) -> String {
        anstream::adapter::strip_str(&self.0.join(" ")).to_string()
    }

    fn fit(&self, width: Option<usize>) -> Vec<String> {
        let Some(width) = width else { return vec![self.0.join(" ")] };
        let mut lines: Vec<(String, usize)> = Vec::new();
        for word in &self.0 {
            let wide = visible_width(word);
            match lines.last_mut() {
                Some((line, taken)) if *taken + 1 + wide <= width => {
                    *line = format!("{line} {word}");
                    *taken += 1 + wide;
                }
                _ if wide <= width => lines.push((word.clone(), wide)),
                _ => {
                    let plain = anstream::adapter::strip_str(word).to_string();
                    let pieces = textwrap::wrap(&plain, width);
                    lines.extend(
                        pieces.iter().map(|piece| (piece.to_string(), visible_width(piece))),
                    );
                }
            }
        }
        lines.into_iter().map(|(line, _)| line).collect()
    }
}

/// The name of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Name {
    /// Its forms, the whole name first and each next one shorter: without parameters, without
    /// arguments of templates.
    pub forms: Vec<String>,
    /// The qualifier that distinguishes it from another function of the same name: its file, or its
    /// image.
    pub qualifier: Option<String>,
    /// The text behind it: the number of a path of it, say.
    pub suffix: String,
    /// The place of the function.
    pub link: Option<Link>,
}

impl Name {
    /// Returns the complete name.
    pub fn whole(&self) -> String {
        self.form(0)
    }

    /// Returns one of its forms, with qualifier and suffix.
    pub fn form(&self, at: usize) -> String {
        let mut text = self.forms.get(at).or(self.forms.last()).cloned().unwrap_or_default();
        if let Some(qualifier) = &self.qualifier {
            text += &format!(" ({qualifier})");
        }
        text + &self.suffix
    }
}

/// A line of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceLine {
    /// The file as given to the compiler; empty if it is unknown.
    pub file: String,
    /// The line; 0 if only the file is known.
    pub line: u32,
    /// The text for people, mostly without directories.
    pub text: String,
    /// The place of the line.
    pub link: Option<Link>,
}

/// A place that a terminal may open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The absolute path of a file.
    pub path: PathBuf,
    /// The line; 0 if none.
    pub line: u32,
}

impl Link {
    /// Creates a link to a line of a file, if it has an absolute path.
    pub fn new(path: &Path, line: u32) -> Option<Self> {
        path.is_absolute().then(|| Self { path: path.to_path_buf(), line })
    }
}

/// A field of a row as data.
#[derive(Clone, Debug, PartialEq)]
pub enum Field {
    /// Nothing, or unknown.
    Null,
    /// A count.
    Count(Count),
    /// A count with a sign.
    Signed(i128),
    /// A number with a fraction.
    Real(f64),
    /// A truth value.
    Flag(bool),
    /// Text.
    Text(String),
    /// Names with their counts.
    Counts(Vec<(String, Option<Count>)>),
}

impl Column {
    /// Creates a column whose title is also its key.
    pub const fn new(title: &'static str, kind: CellKind) -> Self {
        Self { title, key: title, kind, shown: Visibility::Always, stacks: false }
    }

    /// Returns the column with another key.
    #[must_use]
    pub const fn key(self, key: &'static str) -> Self {
        Self { key, ..self }
    }

    /// Returns the column with cells that may be below those of the column before.
    #[must_use]
    pub const fn stacked(self) -> Self {
        Self { stacks: true, ..self }
    }

    /// Returns the column with another visibility.
    #[must_use]
    pub const fn shown(self, shown: Visibility) -> Self {
        Self { shown, ..self }
    }

    /// Returns the names of its fields in data.
    pub fn fields(&self) -> Vec<String> {
        let with = |suffixes: &[&str]| {
            suffixes.iter().map(|suffix| format!("{}{suffix}", self.key)).collect()
        };
        match self.kind {
            CellKind::Estimate => with(&["", "_in_doubt"]),
            CellKind::Ratio => with(&["_covered", "_all"]),
            CellKind::Fraction => with(&["", "_of"]),
            CellKind::Ranks => with(&["_best", "_worst"]),
            CellKind::Seconds => with(&["", "_complete"]),
            CellKind::SourceLine => vec!["file".into(), "line".into()],
            _ => with(&[""]),
        }
    }
}

impl CellKind {
    /// Returns true if its cells are aligned at their right side and never shortened.
    pub fn is_number(self) -> bool {
        matches!(
            self,
            Self::Rank
                | Self::Number
                | Self::Estimate
                | Self::Amount
                | Self::Share
                | Self::Ratio
                | Self::Fraction
                | Self::Ranks
                | Self::Score
                | Self::Seconds
                | Self::Nanoseconds
                | Self::Stream
                | Self::Streams
        )
    }
}

impl Cell<'_> {
    /// Returns the cell, or [`Nothing`](Self::Nothing) unless a condition holds.
    #[must_use]
    pub fn only_if(self, is_known: bool) -> Self {
        if is_known { self } else { Self::Nothing }
    }

    /// Returns the cell as data, in as many fields as its column has.
    pub fn fields(&self, column: &Column) -> Vec<Field> {
        match self {
            Self::Nothing | Self::Unknown => vec![Field::Null; column.fields().len()],
            Self::Rank(rank) => vec![Field::Count(*rank as Count)],
            Self::Number(count) => vec![Field::Count(*count)],
            Self::Estimate(count, in_doubt) => {
                vec![Field::Count(*count), Field::Flag(*in_doubt)]
            }
            Self::Share { part, whole, .. } => {
                let share = if *whole == 0 { 0.0 } else { *part as f64 / *whole as f64 };
                vec![Field::Real(share)]
            }
            Self::Amount(Amount { number, unit, .. }) => vec![match unit {
                1 => Field::Signed(*number),
                unit => Field::Real(*number as f64 / *unit as f64),
            }],
            Self::SignedShare(_, 0) => vec![Field::Null],
            Self::SignedShare(part, whole) => vec![Field::Real(*part as f64 / *whole as f64)],
            Self::Ratio(part, all) | Self::Fraction(part, all) => {
                vec![Field::Count(*part), Field::Count(*all)]
            }
            Self::Ranks(best, worst) => {
                [best, worst].map(|rank| Field::Count(*rank as Count)).to_vec()
            }
            Self::Score(score) => vec![Field::Real(*score)],
            Self::Time(nanoseconds, complete) => {
                vec![Field::Real(*nanoseconds as f64 / 1e9), Field::Flag(*complete)]
            }
            Self::Name(name) => {
                // The qualifier and the suffix have fields of their own.
                let name = Name { qualifier: None, suffix: String::new(), ..name.clone() };
                vec![Field::Text(name.whole())]
            }
            Self::SourceLine(place) => vec![
                if place.file.is_empty() { Field::Null } else { Field::Text(place.file.clone()) },
                if place.line == 0 { Field::Null } else { Field::Count(place.line.into()) },
            ],
            Self::Streams(streams) => match streams.first() {
                Some((Some(stream), _)) => vec![Field::Count((*stream).into())],
                _ => vec![Field::Null],
            },
            Self::PathEnd { function, line } => {
                vec![Field::Text(path_end(function, line.as_deref()))]
            }
            Self::Text(text) => vec![Field::Text(text.clone())],
            Self::Flow(flow) => vec![Field::Text(flow.plain())],
            Self::Counts(counts) => {
                let counts = counts.iter().map(|of| (of.key.clone(), of.count));
                vec![Field::Counts(counts.collect())]
            }
        }
    }
}

/// Returns the end of a path, in words.
pub(crate) fn path_end(function: &str, line: Option<&str>) -> String {
    line.map_or_else(|| function.to_owned(), |line| format!("{function} {line}"))
}

impl Table<'_> {
    /// Returns the columns that people see: those with content in any row.
    pub fn seen(&self) -> Vec<usize> {
        let says = |cell: &Cell<'_>| match cell {
            Cell::Nothing => false,
            Cell::Text(text) => !text.is_empty(),
            _ => true,
        };
        let is_seen = |&at: &usize| {
            self.columns[at].shown != Visibility::Data
                && self.rows.iter().any(|row| says(&row.cells[at]))
        };
        (0..self.columns.len()).filter(is_seen).collect()
    }
}

impl<'a> From<Vec<Cell<'a>>> for Row<'a> {
    fn from(cells: Vec<Cell<'a>>) -> Self {
        Self { cells, is_sum: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cell_has_as_many_fields_as_its_column() {
        let cells = [
            (CellKind::Rank, Cell::Rank(1)),
            (CellKind::Number, Cell::Number(1)),
            (CellKind::Estimate, Cell::Estimate(1, true)),
            (CellKind::Share, Cell::Share { part: 1, whole: 2, heat: false }),
            (CellKind::Amount, Cell::Amount(Amount { number: -3, unit: 2, has_sign: true })),
            (CellKind::Share, Cell::SignedShare(-1, 2)),
            (CellKind::Ratio, Cell::Ratio(1, 2)),
            (CellKind::Fraction, Cell::Fraction(1, 2)),
            (CellKind::Ranks, Cell::Ranks(1, 2)),
            (CellKind::Score, Cell::Score(0.5)),
            (CellKind::Seconds, Cell::Time(1, true)),
            (CellKind::Name, Cell::Name(Name::default())),
            (CellKind::Streams, Cell::Streams(vec![(Some(1), 2)])),
            (CellKind::SourceLine, Cell::SourceLine(SourceLine::default())),
            (CellKind::PathEnd, Cell::PathEnd { function: "f".into(), line: None }),
            (CellKind::Text, Cell::Text(String::new())),
            (CellKind::Flow, Cell::Flow(Box::new(Words::default()))),
            (CellKind::Counts, Cell::Counts(Vec::new())),
        ];
        for (kind, cell) in cells {
            let column = Column::new("x", kind);
            assert_eq!(cell.fields(&column).len(), column.fields().len(), "{kind:?}");
            assert_eq!(Cell::Unknown.fields(&column).len(), column.fields().len(), "{kind:?}");
        }
    }

    #[test]
    fn words_fill_lines_and_long_ones_are_broken() {
        let words = Words(["a", "bc", "d", "efghijkl"].map(String::from).to_vec());
        assert_eq!(words.fit(Some(4)), ["a bc", "d", "efgh", "ijkl"]);
        assert_eq!(words.fit(None), ["a bc d efghijkl"]);
        assert_eq!(words.plain(), "a bc d efghijkl");
    }
}
