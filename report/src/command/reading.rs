//! Reads what a command names, and says on standard error what was chosen and noticed.

use std::path::PathBuf;

use anyhow::Result;
use pathprof::analyse::model::Report;
use pathprof::analyse::pipeline;
use pathprof::read::file_names;
use pathprof::read::inputs::{self, Choice};
use pathprof::read::records::Input;
use pathprof::show::notices;

use crate::command::arguments::{FailureMode, SourceArguments, Sources};
use crate::command::growth::{profile_limit, sum_long};
use crate::command::messages::{tell, warn};
use crate::command::progress::Progress;

/// The profiles that arguments name. If one start of several is read, that is said.
///
/// # Errors
/// Those of [`inputs::inputs`].
pub(crate) fn choose(arguments: &[PathBuf], choice: Choice) -> Result<Vec<Input>> {
    let chosen = inputs::inputs(arguments, choice)?;
    if let Some(start) = &chosen.start {
        anstream::eprintln!("{}", notices::reading(start));
    }
    Ok(chosen.inputs)
}

/// Reads what a command names: the report if it can be used, and the exit code as far as the inputs
/// decide it. Afterwards profiles that have become long are summed.
///
/// # Errors
/// There is nothing to read.
pub(crate) fn read(sources: SourceArguments, usual: Choice) -> Result<(Option<Report>, u8)> {
    let limit = profile_limit()?;
    let mode = sources.failure.failure_mode;
    let sources = sources.sources(usual);
    let inputs = choose(&sources.profiles, sources.choice)?;
    let (report, code) = read_inputs(&inputs, &sources, mode);
    if let Some(report) = &report {
        let profiles = report.runs.iter().map(|run| file_names::profile_of(&run.profile));
        sum_long(profiles.collect(), limit);
    }
    Ok((report, code))
}

/// The same of inputs that are known; nothing is summed.
pub(crate) fn read_inputs(
    inputs: &[Input],
    sources: &Sources,
    mode: FailureMode,
) -> (Option<Report>, u8) {
    let progress = Progress::default();
    let (report, notices) = pipeline::report(inputs, &sources.images, &sources.options, &progress);
    warn(&notices.warnings);
    let usable = mode.lets_use(!report.images.is_empty(), &notices.problems);
    let code = tell(&notices.problems, mode, usable);
    (usable.then_some(report), code)
}
