//! What a command says, as a value: a heading, tables, and remarks below them.

use crate::show::cell_text::wrapped;
use crate::show::command_line::CommandLine;
use crate::show::table::{Flow, Table};

/// What a command says.
#[derive(Default)]
pub struct Document<'a> {
    /// What was read, a line for each fact.
    pub heading: Vec<Fact>,
    /// The tables.
    pub tables: Vec<Table<'a>>,
    /// What else has to be known.
    pub remarks: Vec<Remark>,
}

/// A line of a heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// What it is about, in one word.
    pub label: &'static str,
    /// What is said of it.
    pub text: String,
    /// The command line with which the text begins, if it begins with one.
    pub command: CommandLine,
}

/// What stands below tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// How much it matters.
    pub tone: Tone,
    /// What is said.
    pub text: String,
}

/// How much a remark matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Counts are as they should be, though not all that somebody may expect.
    Note,
    /// Counts are missing or may be wrong.
    Warning,
}

impl Fact {
    /// A fact.
    pub fn new(label: &'static str, text: impl Into<String>) -> Self {
        Self { label, text: text.into(), command: CommandLine::default() }
    }

    /// A fact that begins with a command line.
    pub fn of_command(label: &'static str, command: CommandLine, rest: &str) -> Self {
        Self { label, text: format!("{} {rest}", command.plain()), command }
    }

    /// The text in lines of at most `width` columns; on one line without a width.
    pub(crate) fn lines(&self, width: Option<usize>) -> Vec<String> {
        let command = self.command.plain();
        match self.text.strip_prefix(&command) {
            Some(rest) if !command.is_empty() => self.command.before(rest, width),
            _ => wrapped(&self.text, width),
        }
    }
}

impl Remark {
    /// What somebody may not expect.
    pub fn note(text: impl Into<String>) -> Self {
        Self { tone: Tone::Note, text: text.into() }
    }

    /// What makes counts wrong.
    pub fn warning(text: impl Into<String>) -> Self {
        Self { tone: Tone::Warning, text: text.into() }
    }
}

impl Tone {
    /// The word before a remark.
    pub fn word(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
        }
    }
}
