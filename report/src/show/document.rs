//! The output of a command, as a value: a heading, tables, and remarks below them.

use crate::show::cell_text::wrapped;
use crate::show::command_line::CommandLine;
use crate::show::table::{Flow, Table};

/// The output of a command.
#[derive(Default)]
pub struct Document<'a> {
    /// The input, with a line for each fact.
    pub heading: Vec<Fact>,
    /// The tables.
    pub tables: Vec<Table<'a>>,
    /// The remarks on the counts.
    pub remarks: Vec<Remark>,
}

/// A line of a heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// The subject, in one word.
    pub label: &'static str,
    /// The text.
    pub text: String,
    /// The command line with which the text begins, if it begins with one.
    pub command: CommandLine,
}

/// A remark below tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// The importance of the remark.
    pub tone: Tone,
    /// The text.
    pub text: String,
}

/// The importance of a remark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// The counts are right, though some may be absent.
    Note,
    /// Counts are missing or may be wrong.
    Warning,
}

impl Fact {
    /// Creates a fact.
    pub fn new(label: &'static str, text: impl Into<String>) -> Self {
        Self { label, text: text.into(), command: CommandLine::default() }
    }

    /// Creates a fact that begins with a command line.
    pub fn of_command(label: &'static str, command: CommandLine, rest: &str) -> Self {
        Self { label, text: format!("{} {rest}", command.plain()), command }
    }

    /// Returns the text in lines of at most `width` columns; on one line without a width.
    pub(crate) fn lines(&self, width: Option<usize>) -> Vec<String> {
        let command = self.command.plain();
        match self.text.strip_prefix(&command) {
            Some(rest) if !command.is_empty() => self.command.before(rest, width),
            _ => wrapped(&self.text, width),
        }
    }
}

impl Remark {
    /// Creates a remark on something unexpected.
    pub fn note(text: impl Into<String>) -> Self {
        Self { tone: Tone::Note, text: text.into() }
    }

    /// Creates a remark on something that makes counts wrong.
    pub fn warning(text: impl Into<String>) -> Self {
        Self { tone: Tone::Warning, text: text.into() }
    }
}

impl Tone {
    /// Returns the word before a remark.
    pub fn word(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
        }
    }
}
