//! Writes problems and warnings to standard error, and says which exit codes go with them.

use std::io;

use anyhow::Error;
use owo_colors::OwoColorize;
use pathprof::show::{forms, notices};
use profile::escape::terminal;
use profile::unique_runs::Warning;

use crate::command::arguments::FailureMode;
use crate::command::screen::width_of;

/// Exit code of a command that could not do all that it was asked for.
pub(crate) const FAILED: u8 = 1;

/// The exit code for `error`, which is told unless it only means that whoever read the output has
/// seen enough.
pub(crate) fn fail(error: &Error) -> u8 {
    let pipe = |cause: &(dyn std::error::Error + 'static)| {
        cause
            .downcast_ref::<io::Error>()
            .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    };
    if error.chain().any(pipe) {
        return 0;
    }
    complain(error);
    FAILED
}

/// Says what went wrong.
pub(crate) fn complain(error: &Error) {
    say(&"error:".red().bold().to_string(), &terminal(&format!("{error:#}")));
}

/// Says what makes counts wrong.
pub(crate) fn remark(text: &str) {
    say(&"warning:".yellow().bold().to_string(), text);
}

/// Says what does no harm.
pub(crate) fn warn(warnings: &[Warning]) {
    for warning in warnings {
        remark(&notices::warning(warning));
    }
}

/// Tells problems, and gives the exit code.
pub(crate) fn report_problems(problems: &[Error], mode: FailureMode, usable: bool) -> u8 {
    problems.iter().for_each(complain);
    let fails = match mode {
        FailureMode::Rest | FailureMode::Any => !problems.is_empty(),
        FailureMode::All => !problems.is_empty() && !usable,
        FailureMode::Warn => false,
    };
    if fails { FAILED } else { 0 }
}

/// Says what somebody may not expect. `text` must be safe to show.
pub(crate) fn hint(text: &str) {
    say(&"note:".yellow().bold().to_string(), text);
}

/// Says something in the name of the program. `text` must be safe to show.
pub(crate) fn announce(text: &str) {
    say(&"pathprof:".bold().to_string(), text);
}

/// Writes a message to standard error, broken between words if that is a terminal.
fn say(word: &str, text: &str) {
    anstream::eprintln!("{}", forms::behind(word, text, width_of(&io::stderr())));
}
