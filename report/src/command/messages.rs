//! Writes problems and warnings to standard error, and says which exit codes go with them.

use std::io;

use anyhow::Error;
use owo_colors::OwoColorize;
use pathprof::show::notices;
use profile::escape::terminal;
use profile::unique_runs::Warning;

use crate::command::arguments::FailureMode;

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
    anstream::eprintln!("{} {}", "error:".red().bold(), terminal(&format!("{error:#}")));
}

/// Says what makes counts wrong.
pub(crate) fn remark(text: &str) {
    anstream::eprintln!("{} {text}", "warning:".yellow().bold());
}

/// Says what does no harm.
pub(crate) fn warn(warnings: &[Warning]) {
    for warning in warnings {
        anstream::eprintln!("{} {}", "warning:".yellow().bold(), notices::warning(warning));
    }
}

/// Tells problems, and gives the exit code.
pub(crate) fn tell(problems: &[Error], mode: FailureMode, usable: bool) -> u8 {
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
    anstream::eprintln!("{} {text}", "note:".yellow().bold());
}
