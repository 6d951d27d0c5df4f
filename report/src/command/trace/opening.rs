//! Opens a trace: which file is meant, where its images are, and which functions are chosen.

use std::path::{Path, PathBuf};

use anyhow::{Error, Result, bail};
use clap::Args;
use counts::image_places::ImagePlaces;
use counts::select::Filter;
use pathprof::show::notices;
use trace::file::{Trace, chosen, images};
use trace::steps::program::Program;
use trace::steps::time::Times;

use crate::command::chosen::{Candidates, named};
use crate::command::messages::{FAILED, complain};

/// Which trace, and where its images are.
#[derive(Args)]
pub(crate) struct TraceArguments {
    /// The trace, or the program that left it [default: the newest trace here]
    #[arg(value_name = "FILE")]
    pub(crate) trace_file: Option<PathBuf>,
    /// The image that the trace is of, if it is no longer where it ran (once for each image)
    #[arg(long, value_name = "PATH")]
    image: Vec<PathBuf>,
    /// Where to look, with what is below, for images that are gone from where they ran, or are
    /// others by now
    #[arg(long, value_name = "DIR", conflicts_with = "image")]
    image_dir: Vec<PathBuf>,
}

/// A trace that is open.
pub(crate) struct Opened {
    pub(crate) trace: Trace,
    /// The program that it is of.
    pub(crate) program: Program,
    pub(crate) times: Times,
    /// The exit code, as far as they decide it.
    pub(crate) code: u8,
}

/// Opens the trace that an argument names; says which one that is if it does not.
pub(crate) fn opened(argument: Option<&Path>) -> Result<Trace> {
    let chosen = chosen::chosen(argument)?;
    if let Some(notice) = notices::reading_trace(&chosen) {
        anstream::eprintln!("{notice}");
    }
    Trace::open(&chosen.path)
}

/// Opens a trace whose paths are asked for. Without them nothing can be said.
pub(crate) fn open_paths(arguments: TraceArguments) -> Result<Opened> {
    let opened = open(arguments)?;
    if opened.program.functions.is_empty() && !opened.program.is_whole() {
        bail!("{}: nothing is known of its paths", opened.trace.path.display());
    }
    Ok(opened)
}

pub(crate) fn open(arguments: TraceArguments) -> Result<Opened> {
    let places = ImagePlaces {
        given: arguments.image,
        directories: arguments.image_dir,
        ..ImagePlaces::default()
    };
    let trace = opened(arguments.trace_file.as_deref())?;
    let images::ProcessRecords { images, clocks, problems } = images::of(&trace);
    let times = Times::of(&trace, &clocks);
    let program = Program::of(images, &places);
    let mut all: Vec<&Error> = trace.problems.iter().collect();
    all.extend(&problems);
    all.extend(&program.problems);
    all.iter().for_each(|problem| complain(problem));
    let code = if all.is_empty() { 0 } else { FAILED };
    Ok(Opened { trace, program, times, code })
}

/// For each function whether a filter lets it through.
pub(crate) fn choose(program: &Program, filter: &Filter) -> Result<Vec<bool>> {
    let functions = program.functions.iter().map(|of| &of.function);
    let matches = functions.map(|of| filter.matches(&program.modules[of.module], of));
    let chosen: Vec<bool> = matches.collect();
    if !filter.takes_all() {
        let functions = program.functions.iter().map(|of| &of.function).collect();
        let modules = &program.modules;
        named(&Candidates { functions, dropped: &[], modules }, filter, ["", ""])?;
    }
    Ok(chosen)
}
