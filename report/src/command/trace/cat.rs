//! `pathprof trace cat`: every path of a trace in order.

use std::io::{self, IsTerminal, Write};

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use pathprof::export::steps_json;
use pathprof::export::trace_cut::{self, Part};
use pathprof::show::trace_info;
use pathprof::show::trace_steps::StepWriter;
use profile::observer::Observer;
use trace::file::{Stream, Trace};
use trace::ids::StreamId;
use trace::memory::owned::Owned;
use trace::memory::owner_names::OwnerNames;
use trace::steps::chunks::Gap;
use trace::steps::program::Program;
use trace::steps::step::{Steps, StreamEntry};
use trace::steps::time::Times;

use super::interval::{seconds, time};
use super::opening::{Opened, TraceArguments, choose, open_paths};
use crate::command::filters::GlobArguments;
use crate::command::messages::{FAILED, complain, remark};
use crate::command::pages;
use crate::command::progress::tracing;

/// Below the help of `trace cat`.
pub(crate) const CAT_EXAMPLES: &str = "\
Examples:
  pathprof trace cat a.out.4711.pathtrace
  pathprof trace cat a.out.4711.pathtrace --thread 1 --limit 100
  pathprof trace cat a.out.4711.pathtrace --function 'parse_*' --no-accesses
  pathprof trace cat a.out.4711.pathtrace --from 1.5 --to 2
  pathprof trace cat a.out.4711.pathtrace --owners    with variables, blocks
  pathprof trace cat a.out --format json | jq 'select(.depth == 0)'

One stream comes after the other. A line is a path: the number of the stream, the function, \
indented by how many functions are around it, and the path as `pathprof report` tells it, except \
that `call f` stands where a path ends because f is called. A ? before a function says that its \
earlier paths are not in the trace. Below stand the accesses: what was done, how many bytes, the \
address (? if it is not known), and the line. With --owners, the variable, the block of the heap or \
the stack stands behind the address (? if it is not known).

Times are seconds since the first record. Whole chunks are shown, so a little more than was asked \
for.

Exit code: 0; 1 if a part of the trace could not be read, or if nothing matches; 2 for a wrong \
command line.";

#[derive(Args)]
pub(crate) struct CatArguments {
    #[command(flatten)]
    trace: TraceArguments,
    /// Show only this stream, by its number in `pathprof trace info`
    #[arg(long, value_name = "N")]
    thread: Option<u32>,
    /// Show at most N paths (0: all)
    #[arg(long, value_name = "N", default_value_t = 0)]
    limit: u64,
    /// Show what ran from this second on
    #[arg(long, value_name = "SECONDS", default_value_t = 0.0, value_parser = seconds)]
    from: f64,
    /// Show what ran up to this second [default: all]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    to: Option<f64>,
    /// Show what each path accessed [default]
    #[arg(long, overrides_with = "no_accesses")]
    accesses: bool,
    /// Show only the paths
    #[arg(long, overrides_with = "accesses")]
    no_accesses: bool,
    /// Say which variable, block of the heap or stack each address is of
    #[arg(long)]
    owners: bool,
    #[command(flatten)]
    globs: GlobArguments,
    /// In which form to write
    #[arg(long, value_enum, value_name = "FORM", default_value_t = CatFormat::Text)]
    format: CatFormat,
    /// On a terminal, do not start a pager (PAGER, or else less)
    #[arg(long)]
    no_pager: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CatFormat {
    /// For people
    Text,
    /// For programs: an object on each line
    Json,
}

/// Writes the steps of a trace.
pub(crate) fn cat(arguments: CatArguments) -> Result<u8> {
    let filter = arguments.globs.filter();
    let Opened { trace, program, times, mut code } = open_paths(arguments.trace)?;
    let streams: Vec<&Stream> = trace
        .streams
        .iter()
        .filter(|stream| arguments.thread.is_none_or(|number| number == stream.number.0))
        .collect();
    if let (Some(number), []) = (arguments.thread, streams.as_slice()) {
        bail!("there is no stream {number}; `pathprof trace info` lists them");
    }
    let chosen = choose(&program, &filter)?;
    let mut written = Written {
        program: &program,
        times,
        with_events: filter.takes_all(),
        format: arguments.format,
        with_accesses: arguments.accesses || !arguments.no_accesses,
        owned: arguments.owners.then(|| {
            let asked = streams.iter().map(|stream| stream.number).collect();
            tracing(2 * trace.num_chunks(), |observer| {
                Owned::of(&trace, &program, &times, &asked, observer)
            })
        }),
        chosen,
        part: Part { streams: Vec::new(), time: time(arguments.from, arguments.to)? },
        limit: if arguments.limit == 0 { u64::MAX } else { arguments.limit },
        gaps: Vec::new(),
    };
    if trace.run.partial {
        remark(trace_info::PARTIAL);
    }
    let pager = !arguments.no_pager && arguments.format == CatFormat::Text;
    pages::print_stream(pager, |out| {
        // A bar would stand between the lines.
        if io::stdout().is_terminal() {
            return written.write(&trace, &streams, out, &());
        }
        tracing(written.num_chunks(&trace, &streams), |observer| {
            written.write(&trace, &streams, out, observer)
        })
    })?;
    for (stream, gap) in written.gaps {
        complain(&anyhow::anyhow!("{}: stream {stream}: {gap}", trace.path.display()));
        code = FAILED;
    }
    Ok(code)
}

/// What of a trace is written, and how.
struct Written<'a> {
    program: &'a Program,
    times: Times,
    with_events: bool,
    format: CatFormat,
    with_accesses: bool,
    /// Whose memory is touched, if that is asked for.
    owned: Option<Owned<'a>>,
    /// For each function whether it is shown.
    chosen: Vec<bool>,
    /// When what is shown ran.
    part: Part,
    /// The most paths.
    limit: u64,
    /// What could not be read, with the number of its stream.
    gaps: Vec<(StreamId, Gap)>,
}

impl Written<'_> {
    /// How many chunks are read, those before the part among them.
    fn num_chunks(&self, trace: &Trace, streams: &[&Stream]) -> usize {
        let last = |stream: &&Stream| {
            let last = trace_cut::chosen(trace, &self.part, stream).last()?;
            stream.chunks.iter().position(|chunk| chunk.number == last.number)
        };
        streams.iter().filter_map(last).map(|last| last + 1).sum()
    }

    fn write(
        &mut self,
        trace: &Trace,
        streams: &[&Stream],
        out: &mut dyn Write,
        observer: &dyn Observer,
    ) -> Result<()> {
        let names = OwnerNames::of(trace, self.program);
        let mut writer = StepWriter::new(self.program, self.times, self.with_accesses, &names);
        let mut left = self.limit;
        self.gaps.clear();
        for stream in streams {
            if left == 0 {
                break;
            }
            let chunks = trace_cut::chosen(trace, &self.part, stream);
            let (Some(first), Some(last)) = (chunks.first(), chunks.last()) else { continue };
            let shown = first.number..=last.number;
            if self.format == CatFormat::Text {
                writer.stream(stream, out)?;
            }
            let mut steps = Steps::new(trace, self.program, stream, observer);
            let mut objects = self.owned.as_ref().map(|owned| owned.stream(stream.number));
            while let Some(entry) = steps.next() {
                let objects = objects.as_mut().map(|objects| objects.of(&entry));
                let objects = objects.as_deref();
                let touched = steps_json::AccessedObjects { objects, names: &names };
                // What comes before says which functions are around.
                match steps.chunk() {
                    Some(chunk) if chunk < *shown.start() => continue,
                    Some(chunk) if chunk > *shown.end() => break,
                    _ => {}
                }
                match entry {
                    StreamEntry::Step(step) if self.chosen[step.path.function.index()] => {
                        if left == 0 {
                            break;
                        }
                        left -= 1;
                        match self.format {
                            CatFormat::Text => writer.step(stream, &step, objects, out)?,
                            CatFormat::Json => {
                                let with = self.with_accesses;
                                steps_json::step(self.program, stream, &step, with, touched, out)
                                    .map_err(io::Error::from)?;
                            }
                        }
                    }
                    StreamEntry::Event(event) if self.with_events && left > 0 => {
                        match self.format {
                            CatFormat::Text => {
                                writer.event(stream, &event, objects.unwrap_or_default(), out)?
                            }
                            CatFormat::Json => {
                                steps_json::event(stream, &event, &self.times, touched, out)
                                    .map_err(io::Error::from)?
                            }
                        }
                    }
                    StreamEntry::Step(_) | StreamEntry::Event(_) => {}
                    StreamEntry::Gap(gap) => {
                        match self.format {
                            CatFormat::Text => writer.remark(stream, &gap.to_string(), out)?,
                            CatFormat::Json => {
                                steps_json::gap(stream, &gap, out).map_err(io::Error::from)?
                            }
                        }
                        if gap.is_damage() {
                            self.gaps.push((stream.number, gap));
                        }
                    }
                }
            }
        }
        Ok(())
    }
}
