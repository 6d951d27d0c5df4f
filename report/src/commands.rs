//! What each command does: read, then show. Problems go to standard error as they are known.

use std::ffi::OsStr;
use std::io::{self, BufWriter, Write};

use anyhow::{Error, Result};
use owo_colors::OwoColorize;
use pathprof::{Sources, diagnose, doctor, inputs, json, merge, output, run, text, weights};

use crate::cli::{ExportArguments, FailureMode, MergeArguments, ReportArguments, RunArguments, WeightsArguments};

/// Exit code of a command that could not do all that it was asked for.
const FAILED: u8 = 1;

/// Shows a report.
pub(crate) fn report(arguments: ReportArguments) -> Result<u8> {
    let mode = arguments.sources.failure.failure_mode;
    show(&arguments.sources.sources(), mode, &arguments.show.options())
}

/// Writes all that is known.
pub(crate) fn export(arguments: ExportArguments) -> Result<u8> {
    let crate::cli::Format::Json = arguments.format;
    let mode = arguments.sources.failure.failure_mode;
    let (report, problems) = pathprof::read(&arguments.sources.sources())?;
    let usable = mode.lets_use(!report.images.is_empty(), &problems);
    let code = tell(&problems, mode, usable);
    if !usable {
        return Ok(code);
    }
    let write = |out: &mut dyn Write| -> Result<()> {
        json::write(&report, arguments.pretty, &mut *out).map_err(io::Error::from)?;
        Ok(writeln!(out)?)
    };
    match &arguments.output {
        Some(path) => output::to_file(path, write)?,
        None => {
            let mut out = BufWriter::new(io::stdout().lock());
            write(&mut out)?;
            out.flush()?;
        }
    }
    Ok(code)
}

/// Joins profiles.
pub(crate) fn merge(arguments: &MergeArguments) -> Result<u8> {
    let profiles = inputs::profiles(&arguments.profiles)?;
    let mode = arguments.failure.failure_mode;
    let (images, problems) = merge::read(&profiles);
    let usable = mode.lets_use(!images.is_empty(), &problems);
    let code = tell(&problems, mode, usable);
    if usable {
        merge::write(&images, &arguments.output)?;
    }
    Ok(code)
}

/// Writes weights for a second build.
pub(crate) fn weights(arguments: WeightsArguments) -> Result<u8> {
    let mode = arguments.sources.failure.failure_mode;
    let (report, problems) = pathprof::read(&arguments.sources.sources())?;
    let usable = mode.lets_use(!report.images.is_empty(), &problems);
    let code = tell(&problems, mode, usable);
    if usable {
        let text = weights::of(&report).to_text();
        output::to_file(&arguments.output, |out| Ok(out.write_all(text.as_bytes())?))?;
    }
    Ok(code)
}

/// Says what would make counts be lost.
pub(crate) fn doctor(program: Option<&OsStr>) -> Result<u8> {
    let findings = doctor::examine(program);
    let mut out = anstream::stdout().lock();
    for text in &findings.good {
        writeln!(out, "{} {text}", "ok".green())?;
    }
    for text in &findings.bad {
        writeln!(out, "{} {text}", "problem".red().bold())?;
    }
    Ok(if findings.bad.is_empty() { 0 } else { FAILED })
}

/// Runs a program, then shows a report. The exit code is the program's, whatever becomes of the report.
pub(crate) fn run(arguments: RunArguments) -> Result<u8> {
    let task = arguments.task();
    let finished = match run::run(&task) {
        Ok(finished) => finished,
        Err(failure) => {
            complain(&failure.error);
            return Ok(failure.code);
        }
    };
    if let Some(problem) = &finished.problem {
        complain(problem);
    }
    match finished.profiles.as_slice() {
        [] => anstream::eprintln!("{} {}", "pathprof:".bold(), diagnose::explain(&task.program, finished.status)),
        [profile] => anstream::eprintln!("{} profile {}", "pathprof:".bold(), profile.display()),
        [first, .., last] => {
            let count = finished.profiles.len();
            anstream::eprintln!("{} {count} profiles, {} … {}", "pathprof:".bold(), first.display(), last.display());
        }
    }
    if !finished.profiles.is_empty() && !arguments.quiet {
        let sources = Sources { profiles: finished.profiles.clone(), images: Vec::new() };
        if let Err(error) = show(&sources, FailureMode::Rest, &arguments.show.options()) {
            fail(&error);
        }
    }
    Ok(finished.code())
}

/// The exit code for `error`, which is told unless it only means that whoever read the output has seen enough.
pub(crate) fn fail(error: &Error) -> u8 {
    let pipe = |cause: &(dyn std::error::Error + 'static)| {
        cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    };
    if error.chain().any(pipe) {
        return 0;
    }
    complain(error);
    FAILED
}

fn complain(error: &Error) {
    anstream::eprintln!("{} {error:#}", "error:".red().bold());
}

fn show(sources: &Sources, mode: FailureMode, options: &text::Options) -> Result<u8> {
    let (report, problems) = pathprof::read(sources)?;
    let usable = mode.lets_use(!report.images.is_empty(), &problems);
    let code = tell(&problems, mode, usable);
    if usable {
        let mut out = BufWriter::new(anstream::stdout().lock());
        text::write(&report, options, &mut out)?;
        out.flush()?;
    }
    Ok(code)
}

/// Tells problems, and gives the exit code.
fn tell(problems: &[Error], mode: FailureMode, usable: bool) -> u8 {
    problems.iter().for_each(complain);
    let fails = match mode {
        FailureMode::Rest | FailureMode::Any => !problems.is_empty(),
        FailureMode::All => !problems.is_empty() && !usable,
        FailureMode::Warn => false,
    };
    if fails { FAILED } else { 0 }
}
