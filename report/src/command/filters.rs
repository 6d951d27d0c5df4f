//! The options of all commands that show tables: what is chosen, and in which form it is written.

use clap::{Args, ValueEnum};
use counts::select::Filter;
use pathprof::show::forms::Format;

/// Which functions are shown.
#[derive(Args, Clone, Default)]
pub(crate) struct GlobArguments {
    /// Show only functions whose name matches: mangled or not, with or without parameters,
    /// arguments of templates, and what they are in (may be given more than once)
    #[arg(long, value_name = "GLOB")]
    function: Vec<String>,
    /// Show only functions in files that match, as in .gitignore (may be given more than once)
    #[arg(long, value_name = "GLOB")]
    file: Vec<String>,
    /// Show no functions whose name or file matches (may be given more than once)
    #[arg(long, value_name = "GLOB")]
    hide: Vec<String>,
}

impl GlobArguments {
    /// What they let through, system headers included.
    pub(crate) fn filter(self) -> Filter {
        Filter { functions: self.function, files: self.file, hidden: self.hide, system: true }
    }
}

/// Which functions and files are shown, those of the system left out unless they are wanted.
#[derive(Args, Clone, Default)]
pub(crate) struct FilterArguments {
    #[command(flatten)]
    globs: GlobArguments,
    /// Show the functions of system headers, too; without this, only where --function or --file
    /// names them
    #[arg(long)]
    system: bool,
}

impl FilterArguments {
    /// What they let through.
    pub(crate) fn filter(self) -> Filter {
        Filter { system: self.system, ..self.globs.filter() }
    }
}

/// In which form tables are written.
#[derive(Args, Clone, Copy, Default)]
pub(crate) struct FormArguments {
    /// In which form to write
    #[arg(long, value_enum, value_name = "FORM", default_value_t = TableFormat::Text)]
    format: TableFormat,
    /// Show long names and, on a terminal, long paths in full
    #[arg(long)]
    full: bool,
    /// On a terminal, do not start a pager (PAGER, or else less) for what is longer than the screen
    #[arg(long)]
    no_pager: bool,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum TableFormat {
    /// For people, fitted to the terminal
    #[default]
    Text,
    /// For people, as a page
    Markdown,
    /// The tables alone, for spreadsheets
    Csv,
    /// For programs
    Json,
}

/// How a document is written.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Form {
    /// As what.
    pub(crate) format: Format,
    /// Whether everything is shown in full, even on a terminal.
    pub(crate) full: bool,
    /// Whether a pager may be started.
    pub(crate) pager: bool,
}

impl FormArguments {
    /// Whether people read what is written, and no other program.
    pub(crate) fn is_for_people(self) -> bool {
        matches!(self.format, TableFormat::Text | TableFormat::Markdown)
    }

    /// How to write.
    pub(crate) fn form(self) -> Form {
        let format = match self.format {
            TableFormat::Text => Format::Text,
            TableFormat::Markdown => Format::Markdown,
            TableFormat::Csv => Format::Csv,
            TableFormat::Json => Format::Json,
        };
        Form { format, full: self.full, pager: !self.no_pager }
    }
}
