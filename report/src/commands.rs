//! What each command does: read, then show. Problems go to standard error as they are known.

use std::io::{self, BufWriter, Write};

use anyhow::{Error, Result};
use owo_colors::OwoColorize;
use pathprof::{Sources, diagnose, json, output, run, text};

use crate::cli::{ExportArguments, ReportArguments, RunArguments};

/// Exit code of a command that could not do all that it was asked for.
const FAILED: u8 = 1;

/// Shows a report.
pub(crate) fn report(arguments: ReportArguments) -> Result<u8> {
    show(&arguments.sources.sources(), &arguments.show.options())
}

/// Writes all that is known.
pub(crate) fn export(arguments: ExportArguments) -> Result<u8> {
    let crate::cli::Format::Json = arguments.format;
    let (report, problems) = pathprof::read(&arguments.sources.sources())?;
    let code = tell(&problems);
    if report.images.is_empty() {
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
        if let Err(error) = show(&sources, &arguments.show.options()) {
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

fn show(sources: &Sources, options: &text::Options) -> Result<u8> {
    let (report, problems) = pathprof::read(sources)?;
    let code = tell(&problems);
    if !report.images.is_empty() {
        let mut out = BufWriter::new(anstream::stdout().lock());
        text::write(&report, options, &mut out)?;
        out.flush()?;
    }
    Ok(code)
}

fn tell(problems: &[Error]) -> u8 {
    problems.iter().for_each(complain);
    if problems.is_empty() { 0 } else { FAILED }
}
