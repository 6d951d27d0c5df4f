//! Reads what a command names, and says on standard error what was chosen and noticed.

use std::path::PathBuf;

use anyhow::Result;
use counts::model::Report;
use counts::pipeline;
use pathprof::show::notices;
use profile::escape::terminal;
use profile::file_names;
use profile::inputs::{self, Choice};
use profile::records::Input;
use profile::starts;

use crate::command::arguments::{FailureMode, SourceArguments, Sources};
use crate::command::growth::{profile_limit, sum_long};
use crate::command::messages::{report_problems, warn};
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
    read_starts(sources, usual).map(|read| (read.report, read.code))
}

/// As [`read`]; if all of several starts are read, that is said.
///
/// # Errors
/// As for [`read`].
pub(crate) fn read_all(sources: SourceArguments) -> Result<(Option<Report>, u8)> {
    let read = read_starts(sources, Choice::All)?;
    if let Some(all) = read.all.filter(|&all| all > 1) {
        anstream::eprintln!("reading all {all} starts (--run N reads one)");
    }
    Ok((read.report, read.code))
}

/// What was read, and of which starts it is.
pub(crate) struct Read {
    /// The report if it can be used.
    pub(crate) report: Option<Report>,
    /// The exit code as far as the inputs decide it.
    pub(crate) code: u8,
    /// Which starts were read, in words.
    pub(crate) starts: String,
    /// How many there are, if all were read.
    all: Option<usize>,
}

/// As [`read`], and tells which starts were read.
///
/// # Errors
/// As for [`read`].
pub(crate) fn read_starts(sources: SourceArguments, usual: Choice) -> Result<Read> {
    let limit = profile_limit()?;
    let mode = sources.failure.failure_mode;
    let sources = sources.sources(usual);
    let chosen = inputs::inputs(&sources.profiles, sources.choice)?;
    let start = chosen.start.as_ref();
    if let Some(start) = start {
        anstream::eprintln!("{}", notices::reading(start));
    }
    let records: Vec<_> = chosen.inputs.iter().flat_map(Input::records).collect();
    let all = start.map_or_else(|| starts::starts(&records).len(), |start| start.starts);
    let (mut starts, all) = (notices::of_starts(start, all), start.is_none().then_some(all));
    if let Some(label) = &sources.options.label {
        starts += &format!("; only what has the label `{}`", terminal(label));
    }
    let (report, code) = read_inputs(&chosen.inputs, &sources, mode);
    if let Some(report) = &report {
        let profiles = report.runs.iter().map(|run| file_names::profile_of(&run.profile));
        sum_long(profiles.collect(), limit);
    }
    Ok(Read { report, code, starts, all })
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
    let code = report_problems(&notices.problems, mode, usable);
    (usable.then_some(report), code)
}
