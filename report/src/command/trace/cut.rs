//! `pathprof trace cut`: a part of a trace as a trace of its own.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args;
use pathprof::export::trace_cut::{self, Part};
use profile::output;

use super::interval::{seconds, time};
use super::opening::opened;
use crate::command::messages::{FAILED, complain};
use crate::command::progress::tracing;

/// Below the help of `trace cut`.
pub(crate) const CUT_EXAMPLES: &str = "\
Examples:
  pathprof trace cut a.out.4711.pathtrace -o part.pathtrace --thread 2
  pathprof trace cut a.out.4711.pathtrace -o part.pathtrace --from 1.5 --to 2

Times are seconds since the first record. Whole chunks are taken, so that the part has a little \
more than was asked for. Functions that were entered before the part begins are not known to be \
around others in it.

Exit code: 0; 1 if the trace cannot be read or nothing of it is in the part; 2 for a wrong command \
line.";

#[derive(Args)]
pub(crate) struct CutArguments {
    /// The trace, or the program that left it [default: the newest trace here]
    #[arg(value_name = "FILE")]
    trace_file: Option<PathBuf>,
    /// Where to write the part
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Take this stream, by its number in `pathprof trace info` (may be repeated) [default: all]
    #[arg(long, value_name = "N")]
    thread: Vec<u32>,
    /// Take what ran from this second on
    #[arg(long, value_name = "SECONDS", default_value_t = 0.0, value_parser = seconds)]
    from: f64,
    /// Take what ran up to this second [default: all]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    to: Option<f64>,
    /// Compress the chunks that are not yet compressed
    #[arg(long)]
    compress: bool,
}

/// Writes a part of a trace.
pub(crate) fn cut(arguments: CutArguments) -> Result<u8> {
    let trace = opened(arguments.trace_file.as_deref())?;
    trace.problems.iter().for_each(complain);
    let streams = arguments.thread;
    if let Some(number) =
        streams.iter().find(|&&number| trace.streams.iter().all(|of| of.number.0 != number))
    {
        bail!("there is no stream {number}; `pathprof trace info` lists them");
    }
    let part = Part { streams, time: time(arguments.from, arguments.to)? };
    let taken = trace_cut::taken(&trace, &part);
    if taken.chunks == 0 {
        bail!("{}: nothing is recorded in that time", trace.path.display());
    }
    let is_same = |path: &Path| {
        let of = |path: &Path| std::fs::metadata(path).ok();
        of(path).zip(of(&trace.path)).is_some_and(|(one, other)| output::is_one_file(&one, &other))
    };
    if is_same(&arguments.output) {
        bail!("{} is the trace itself; write to another file", arguments.output.display());
    }
    let compress = arguments.compress;
    let chunks = trace.process.chunks.len() + taken.chunks;
    tracing(chunks, |observer| {
        output::to_sparse_file(&arguments.output, |out| {
            trace_cut::write(&trace, &part, compress, out, observer)
        })
    })?;
    Ok(if trace.problems.is_empty() { 0 } else { FAILED })
}
