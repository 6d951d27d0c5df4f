//! `pathprof trace`: what is in a trace, and what its threads did step by step.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Error, Result, bail};
use clap::{Args, Subcommand, ValueEnum};
use counts::image_places::ImagePlaces;
use counts::model::Report;
use counts::select::Filter;
use jiff::tz::TimeZone;
use pathprof::export::steps_json;
use pathprof::export::trace_cut::{self, Part};
use pathprof::launch::{program, traced};
use pathprof::show::notices;
use pathprof::show::style::grouped;
use pathprof::show::trace_info;
use pathprof::show::trace_steps::StepTeller;
use profile::escape::terminal;
use profile::observer::Observer;
use profile::output;
use trace::file::{Stream, Trace, chosen, images};
use trace::memory::owned::Owned;
use trace::memory::owner_names::OwnerNames;
use trace::steps::chunks::Gap;
use trace::steps::program::Program;
use trace::steps::step::{Steps, Told};
use trace::steps::time::Times;
use trace::steps::totals::Totals;

use crate::command::chosen::named;
use crate::command::filters::{FormArguments, GlobArguments};
use crate::command::messages::{FAILED, announce, complain, remark};
use crate::command::pages;
use crate::command::progress::tracing;
use crate::command::trace_memory::{
    CACHE_EXAMPLES, CacheView, MEMORY_EXAMPLES, MemoryView, cache, memory,
};
use crate::command::trace_tasks::{
    GRAPH_EXAMPLES, GraphView, RACES_EXAMPLES, RacesView, graph, races,
};

/// Below the help of `trace`.
pub(crate) const TRACE_EXAMPLES: &str = "\
Examples:
  pathcc -g -O2 -fpath-mode=trace main.c
  pathprof trace run -- ./a.out   run a program and say where its traces are
  pathprof trace info             what is in the newest trace here
  pathprof trace cat a.out        every path of the last run of a.out in order
  pathprof trace cut -o b.pathtrace --to 0.5
                                  the first half second as a trace of its own
  pathprof trace graph            what waited for what
  pathprof trace races            accesses that nothing orders
  pathprof trace memory           whose memory was touched, and who shares it
  pathprof trace cache            which accesses miss in a cache

A trace is of one process. It has the paths that each thread took, in their order, and the address \
of each access to memory. Without a FILE the newest trace in the current directory is read, for a \
program the newest one that it left.";

/// Below the help of `trace info`.
const INFO_EXAMPLES: &str = "\
Examples:
  pathprof trace info a.out.4711.pathtrace
  pathprof trace info a.out.4711.pathtrace --format json

A stream is a thread, or a signal handler that interrupts one. A gap is a place where records are \
missing.

Exit code: 0; 1 if something of the trace could not be read; 2 for a wrong command line.";

/// Below the help of `trace cat`.
const CAT_EXAMPLES: &str = "\
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

/// Below the help of `trace cut`.
const CUT_EXAMPLES: &str = "\
Examples:
  pathprof trace cut a.out.4711.pathtrace -o part.pathtrace --thread 2
  pathprof trace cut a.out.4711.pathtrace -o part.pathtrace --from 1.5 --to 2

Times are seconds since the first record. Whole chunks are taken, so that the part has a little \
more than was asked for. Functions that were entered before the part begins are not known to be \
around others in it.

Exit code: 0; 1 if the trace cannot be read or nothing of it is in the part; 2 for a wrong command \
line.";

/// Below the help of `trace run`.
const RUN_EXAMPLES: &str = "\
Examples:
  pathprof trace run -- ./a.out input.txt
  pathprof trace run -o traces -- make check

Traces go where -o says, else where PATHCC_PROFILE says, else here. The exit code is the program's \
(128 + n if signal n ended it).";

#[derive(Subcommand)]
pub(crate) enum TraceCommand {
    /// Say what is in a trace, and what is missing
    #[command(after_help = INFO_EXAMPLES)]
    Info(InfoArguments),
    /// Write every path of a trace in order, with its accesses
    #[command(after_help = CAT_EXAMPLES)]
    Cat(CatArguments),
    /// Write a part of a trace as a trace of its own
    #[command(after_help = CUT_EXAMPLES)]
    Cut(CutArguments),
    /// Say what waited for what: tasks, the critical path, locks and barriers
    #[command(after_help = GRAPH_EXAMPLES)]
    Graph(GraphArguments),
    /// Find accesses to the same memory that nothing orders
    #[command(after_help = RACES_EXAMPLES)]
    Races(RacesArguments),
    /// Say whose memory is touched, how soon again, and which threads share it
    #[command(after_help = MEMORY_EXAMPLES)]
    Memory(MemoryArguments),
    /// Say which accesses miss in a cache
    #[command(after_help = CACHE_EXAMPLES)]
    Cache(CacheArguments),
    /// Run a program and say where its traces are
    #[command(after_help = RUN_EXAMPLES)]
    #[command(override_usage = "pathprof trace run [OPTIONS] [--] PROGRAM [ARGUMENT]...")]
    Run(RunArguments),
}

/// Which trace, and where its images are.
#[derive(Args)]
pub(crate) struct TraceArguments {
    /// The trace, or the program that left it [default: the newest trace here]
    #[arg(value_name = "FILE")]
    trace_file: Option<PathBuf>,
    /// The image that the trace is of, if it is no longer where it ran (once for each image)
    #[arg(long, value_name = "PATH")]
    image: Vec<PathBuf>,
    /// Where to look, with what is below, for images that are gone from where they ran, or are
    /// others by now
    #[arg(long, value_name = "DIR", conflicts_with = "image")]
    image_dir: Vec<PathBuf>,
}

#[derive(Args)]
pub(crate) struct InfoArguments {
    #[command(flatten)]
    trace: TraceArguments,
    /// Show at most N streams (0: all)
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,
    #[command(flatten)]
    form: FormArguments,
}

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

/// Reads a time.
fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds: &f64| seconds.is_finite() && *seconds >= 0.0);
    seconds.ok_or_else(|| "it is no number of seconds".into())
}

/// A time in nanoseconds.
///
/// # Errors
/// It ends before it begins.
fn time(from: f64, to: Option<f64>) -> Result<Range<u64>> {
    if let Some(to) = to.filter(|&to| to < from) {
        bail!("--to {to} is before --from {from}");
    }
    let nanoseconds = |seconds: f64| (seconds * 1e9) as u64;
    Ok(nanoseconds(from)..to.map_or(u64::MAX, nanoseconds))
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CatFormat {
    /// For people
    Text,
    /// For programs: an object on each line
    Json,
}

#[derive(Args)]
pub(crate) struct GraphArguments {
    #[command(flatten)]
    trace: TraceArguments,
    #[command(flatten)]
    view: GraphView,
}

#[derive(Args)]
pub(crate) struct RacesArguments {
    #[command(flatten)]
    trace: TraceArguments,
    #[command(flatten)]
    view: RacesView,
}

#[derive(Args)]
pub(crate) struct MemoryArguments {
    #[command(flatten)]
    trace: TraceArguments,
    #[command(flatten)]
    globs: GlobArguments,
    #[command(flatten)]
    view: MemoryView,
}

#[derive(Args)]
pub(crate) struct CacheArguments {
    #[command(flatten)]
    trace: TraceArguments,
    #[command(flatten)]
    view: CacheView,
}

#[derive(Args)]
pub(crate) struct RunArguments {
    /// Where traces go [default: as PATHCC_PROFILE says, or the current directory]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Let the program compress its traces while it writes them (PATHCC_TRACE_COMPRESS=zstd)
    #[arg(long)]
    compress: bool,
    /// The program and its arguments
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "PROGRAM"
    )]
    program: Vec<OsString>,
}

/// Does what is asked of traces.
pub(crate) fn trace(command: TraceCommand) -> Result<u8> {
    match command {
        TraceCommand::Info(arguments) => info(arguments),
        TraceCommand::Cat(arguments) => cat(arguments),
        TraceCommand::Cut(arguments) => cut(arguments),
        TraceCommand::Graph(arguments) => {
            arguments.view.check()?;
            let Opened { trace, program, times, code } = open_paths(arguments.trace)?;
            graph(&trace, &program, times, &arguments.view)?;
            Ok(code)
        }
        TraceCommand::Races(arguments) => {
            let Opened { trace, program, times, code } = open_paths(arguments.trace)?;
            races(&trace, &program, times, arguments.view)?;
            Ok(code)
        }
        TraceCommand::Memory(arguments) => {
            let filter = arguments.globs.filter();
            let Opened { trace, program, times, code } = open_paths(arguments.trace)?;
            let chosen = choose(&program, &filter)?;
            let chosen = (0..).zip(chosen).filter_map(|(at, is_it)| is_it.then_some(at)).collect();
            let functions = if filter.takes_all() { None } else { Some(chosen) };
            memory(&trace, &program, &times, functions, arguments.view)?;
            Ok(code)
        }
        TraceCommand::Cache(arguments) => {
            let Opened { trace, program, times, code } = open_paths(arguments.trace)?;
            cache(&trace, &program, &times, arguments.view)?;
            Ok(code)
        }
        TraceCommand::Run(arguments) => run(arguments),
    }
}

/// A trace that is open.
struct Opened {
    trace: Trace,
    /// The program that it is of.
    program: Program,
    times: Times,
    /// The exit code, as far as they decide it.
    code: u8,
}

/// Opens the trace that an argument names; says which one that is if it does not.
fn opened(argument: Option<&Path>) -> Result<Trace> {
    let chosen = chosen::chosen(argument)?;
    if let Some(notice) = notices::reading_trace(&chosen) {
        anstream::eprintln!("{notice}");
    }
    Trace::open(&chosen.path)
}

/// Opens a trace whose paths are asked for. Without them nothing can be said.
fn open_paths(arguments: TraceArguments) -> Result<Opened> {
    let opened = open(arguments)?;
    if opened.program.functions.is_empty() && !opened.program.is_whole() {
        bail!("{}: nothing is known of its paths", opened.trace.path.display());
    }
    Ok(opened)
}

fn open(arguments: TraceArguments) -> Result<Opened> {
    let places = ImagePlaces {
        given: arguments.image,
        directories: arguments.image_dir,
        ..ImagePlaces::default()
    };
    let trace = opened(arguments.trace_file.as_deref())?;
    let images::Told { images, clocks, problems } = images::of(&trace);
    let times = Times::of(&trace, &clocks);
    let program = Program::of(images, &places);
    let mut all: Vec<&Error> = trace.problems.iter().collect();
    all.extend(&problems);
    all.extend(&program.problems);
    all.iter().for_each(|problem| complain(problem));
    let code = if all.is_empty() { 0 } else { FAILED };
    Ok(Opened { trace, program, times, code })
}

/// Says what is in a trace.
fn info(arguments: InfoArguments) -> Result<u8> {
    let Opened { trace, program, mut code, .. } = open(arguments.trace)?;
    let totals: Vec<_> = tracing(trace.num_chunks(), |observer| {
        let of = |stream| Totals::of(&trace, &program, stream, observer);
        trace.streams.iter().map(of).collect()
    });
    if totals.iter().flat_map(|totals| &totals.gaps).any(Gap::is_damage) {
        code = FAILED;
    }
    let zone = TimeZone::system();
    let document = trace_info::document(&trace, &program, &totals, arguments.top, &zone);
    pages::print(&document, arguments.form.form())?;
    Ok(code)
}

/// Writes the steps of a trace.
fn cat(arguments: CatArguments) -> Result<u8> {
    let filter = arguments.globs.filter();
    let Opened { trace, program, times, mut code } = open_paths(arguments.trace)?;
    let streams: Vec<&Stream> = trace
        .streams
        .iter()
        .filter(|stream| arguments.thread.is_none_or(|number| number == stream.number))
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

/// For each function whether a filter lets it through.
fn choose(program: &Program, filter: &Filter) -> Result<Vec<bool>> {
    let functions = program.functions.iter().map(|of| &of.function);
    let matches = functions.map(|of| filter.matches(&program.modules[of.module], of));
    let chosen: Vec<bool> = matches.collect();
    if !filter.takes_all() {
        let functions = program.functions.iter().map(|of| of.function.clone()).collect();
        let modules = program.modules.clone();
        named(&Report { functions, modules, ..Report::default() }, filter, ["", ""])?;
    }
    Ok(chosen)
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
    gaps: Vec<(u32, Gap)>,
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
        let mut teller = StepTeller::new(self.program, self.times, self.with_accesses, &names);
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
                teller.stream(stream, out)?;
            }
            let mut steps = Steps::new(trace, self.program, stream, observer);
            let mut objects = self.owned.as_ref().map(|owned| owned.stream(stream.number));
            while let Some(told) = steps.next() {
                let objects = objects.as_mut().map(|objects| objects.of(self.program, &told));
                let objects = objects.as_deref();
                let touched = steps_json::Touched { objects, names: &names };
                // What comes before says which functions are around.
                match steps.chunk() {
                    Some(chunk) if chunk < *shown.start() => continue,
                    Some(chunk) if chunk > *shown.end() => break,
                    _ => {}
                }
                match told {
                    Told::Step(step) if self.chosen[step.path.function] => {
                        if left == 0 {
                            break;
                        }
                        left -= 1;
                        match self.format {
                            CatFormat::Text => teller.step(stream, &step, objects, out)?,
                            CatFormat::Json => {
                                let with = self.with_accesses;
                                steps_json::step(self.program, stream, &step, with, touched, out)
                                    .map_err(io::Error::from)?;
                            }
                        }
                    }
                    Told::Event(event) if self.with_events && left > 0 => match self.format {
                        CatFormat::Text => {
                            teller.event(stream, &event, objects.unwrap_or_default(), out)?
                        }
                        CatFormat::Json => {
                            steps_json::event(stream, &event, &self.times, touched, out)
                                .map_err(io::Error::from)?
                        }
                    },
                    Told::Step(_) | Told::Event(_) => {}
                    Told::Gap(gap) => {
                        match self.format {
                            CatFormat::Text => teller.remark(stream, &gap.to_string(), out)?,
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

/// Writes a part of a trace.
fn cut(arguments: CutArguments) -> Result<u8> {
    let trace = opened(arguments.trace_file.as_deref())?;
    trace.problems.iter().for_each(complain);
    let streams = arguments.thread;
    if let Some(number) =
        streams.iter().find(|&&number| trace.streams.iter().all(|of| of.number != number))
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

/// Runs a program and says where its traces are. The exit code is the program's.
fn run(arguments: RunArguments) -> Result<u8> {
    let mut words = arguments.program.into_iter();
    // It is there, since it is required.
    let task = traced::Task {
        program: words.next().unwrap_or_default(),
        arguments: words.collect(),
        directory: arguments.output,
        compress: arguments.compress,
    };
    let finished = match traced::run(&task) {
        Ok(finished) => finished,
        Err(failure) => {
            complain(&failure.error);
            return Ok(failure.code);
        }
    };
    let say = |text: &str| announce(&terminal(text));
    if finished.traces.is_empty() {
        if finished.is_off {
            say("PATHCC_PROFILE says that nothing is to be written, so there is no trace.");
        } else {
            say(&traced::explain(&task.program));
        }
    }
    for (path, length) in &finished.traces {
        say(&format!("trace {} ({} bytes)", path.display(), grouped((*length).into())));
    }
    Ok(program::code(finished.status))
}
