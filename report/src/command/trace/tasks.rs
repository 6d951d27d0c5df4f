//! `pathprof trace graph` and `pathprof trace races`: the order between what threads did.

use std::collections::HashSet;
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use pathprof::export::html::tasks as tasks_html;
#[cfg(feature = "parquet")]
use pathprof::export::tasks_parquet::write as parquet;
use pathprof::export::{tasks_dot, tasks_json, tasks_perfetto};
use pathprof::show::forms::Format;
use pathprof::show::trace_graph;
use pathprof::show::trace_races::{self, RaceChoice};
use pathprof::suppressions::Suppressions;
use pathprof::task_graph::TaskGraphReport;
use profile::escape::terminal;
use profile::output;
use trace::file::Trace;
use trace::ids::FunctionId;
use trace::order::source::threads;
use trace::race_analysis::RaceAnalysis;
use trace::steps::program::Program;
use trace::steps::time::Times;
use trace::task_analysis::TaskAnalysis;

use crate::command::filters::{Form, FormArguments};
use crate::command::html::{page, present};
use crate::command::pages;
use crate::command::progress::tracing;

/// Below the help of `trace graph`.
pub(crate) const GRAPH_EXAMPLES: &str = "\
Examples:
  pathprof trace graph a.out.4711.pathtrace
  pathprof trace graph a.out.4711.pathtrace --format html --open
  pathprof trace graph a.out.4711.pathtrace --format json
  pathprof trace graph a.out.4711.pathtrace --format dot | dot -Tsvg > tasks.svg
  pathprof trace graph a.out.4711.pathtrace --format perfetto > tasks.json
  pathprof trace graph a.out.4711.pathtrace --format parquet -o tasks

A task is what a thread does between two operations that synchronise. The span is the longest way \
along what waited for what. No number of processors makes the run faster than that, unless its \
locks are taken in another order.

Exit code: 0; 1 if something of the trace could not be read; 2 for a wrong command line.";

/// Below the help of `trace races`.
pub(crate) const RACES_EXAMPLES: &str = "\
Examples:
  pathprof trace races a.out.4711.pathtrace
  pathprof trace races a.out --function 'parse_*' --format json
  pathprof trace races a.out --calls --top 3
  pathprof trace races a.out --suppressions known.txt --error-exitcode 66

Two accesses race if one of them writes, not both are atomic, and nothing in the trace orders \
them. What OpenMP leaves to any thread is ordered by what the program says, whichever thread \
executed it. What code does that is not traced may order accesses nevertheless. A race is possible \
if only the turns in which locks were taken order the accesses. The object is the variable, the \
block of the heap or the stack that the address is of.

Exit code: 0, or that of --error-exitcode if there is a race; 1 if something of the trace could \
not be read; 2 for a wrong command line.";

/// The page that is written where it would go to a terminal.
const USUAL_PAGE: &str = "tasks.html";

/// How much is shown of a graph, and how.
#[derive(Args)]
pub(crate) struct GraphView {
    /// Show at most N rows of each table (0: all)
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// In which form to write
    #[arg(long, value_enum, value_name = "FORM", default_value_t = GraphFormat::Text)]
    format: GraphFormat,
    /// File to write, for json, dot, perfetto and html [default: standard output; a page for a
    /// terminal goes to tasks.html]; the directory for parquet
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Open the page of --format html in the browser
    #[arg(long)]
    open: bool,
    /// On a terminal, do not start a pager (PAGER, or else less)
    #[arg(long)]
    no_pager: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum GraphFormat {
    /// For people, fitted to the terminal
    Text,
    /// For people, as a page
    Markdown,
    /// The tables alone, for spreadsheets
    Csv,
    /// For programs: the whole graph
    Json,
    /// For Graphviz
    Dot,
    /// For Perfetto: the events of a Chrome trace
    Perfetto,
    /// For databases: a directory with tasks.parquet and edges.parquet
    Parquet,
    /// For the browser: a timeline and a graph
    Html,
}

impl GraphView {
    /// Before anything is read.
    ///
    /// # Errors
    /// Options that do not go together, and a page that cannot be made.
    pub(crate) fn check(&self) -> Result<()> {
        let is_page = self.format == GraphFormat::Html;
        if self.open && !is_page {
            bail!("only a page can be opened: add `--format html`");
        }
        if self.output.is_some() && self.form().is_some() {
            bail!("tables go to standard output: redirect it, or add `--format html`");
        }
        if self.output.is_none() && self.format == GraphFormat::Parquet {
            bail!("these are two files: name a directory for them with `-o DIRECTORY`");
        }
        if is_page {
            page()?;
        }
        Ok(())
    }

    /// The form of tables; `None` for what is written for other programs.
    fn form(&self) -> Option<Format> {
        match self.format {
            GraphFormat::Text => Some(Format::Text),
            GraphFormat::Markdown => Some(Format::Markdown),
            GraphFormat::Csv => Some(Format::Csv),
            GraphFormat::Json
            | GraphFormat::Dot
            | GraphFormat::Perfetto
            | GraphFormat::Parquet
            | GraphFormat::Html => None,
        }
    }

    /// Writes what is for other programs.
    fn write(&self, mut what: impl FnMut(&mut dyn Write) -> io::Result<()>) -> Result<()> {
        match &self.output {
            Some(path) => output::to_file(path, |out| Ok(what(out)?)),
            None => pages::print_stream(false, |out| Ok(what(out)?)),
        }
    }

    /// Writes a page.
    fn write_page(&self, report: TaskGraphReport<'_>) -> Result<()> {
        let page = page()?;
        let is_seen = self.open || io::stdout().is_terminal();
        let usual = is_seen.then(|| Path::new(USUAL_PAGE));
        match self.output.as_deref().or(usual) {
            Some(path) => {
                let written = tasks_html::write(report, (page.viewer, page.most_bytes), path)?;
                if self.output.is_none() && !self.open {
                    anstream::eprintln!("wrote {}", terminal(&written.start().to_string_lossy()));
                }
                present(&written, self.open)
            }
            None => tasks_html::write_to(report, page.viewer, &mut io::stdout().lock()),
        }
    }
}

/// How much is shown of races, and how.
#[derive(Args)]
pub(crate) struct RacesView {
    /// Show at most N pairs (0: all)
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,
    /// Show only races at objects whose name matches (may be given more than once)
    #[arg(long, value_name = "GLOB")]
    object: Vec<String>,
    /// File with races and orders of locks that are known, as ThreadSanitizer reads it: lines as
    /// race:PATTERN and deadlock:PATTERN
    #[arg(long, value_name = "FILE")]
    suppressions: Option<PathBuf>,
    /// Show how the functions of each pair were called, too
    #[arg(long)]
    calls: bool,
    /// Exit with N if there is a race
    #[arg(long, value_name = "N", default_value_t = 0)]
    error_exitcode: u8,
    /// Exit so, too, if a race or a cycle of locks is possible
    #[arg(long)]
    possible: bool,
    #[command(flatten)]
    form: FormArguments,
}

/// Writes a graph for databases, if this build can.
#[cfg(not(feature = "parquet"))]
fn parquet(_: &TaskGraphReport<'_>, _: &Path) -> Result<()> {
    bail!("this build has no Parquet; `make build` makes one that has")
}

/// Shows the task graph of a trace.
pub(crate) fn graph(
    trace: &Trace,
    program: &Program,
    times: Times,
    view: &GraphView,
) -> Result<()> {
    let analysis = tracing(2 * trace.num_chunks(), |observer| {
        TaskAnalysis::of(trace, program, times, observer)
    });
    let report = TaskGraphReport { trace, program, analysis: &analysis };
    let threads = threads(trace);
    match view.format {
        GraphFormat::Json => view.write(|out| tasks_json::write(&report, &threads, out)),
        GraphFormat::Dot => view.write(|out| tasks_dot::write(&report, out)),
        GraphFormat::Perfetto => view.write(|out| tasks_perfetto::write(&report, &threads, out)),
        GraphFormat::Parquet => parquet(&report, view.output.as_deref().unwrap_or(Path::new("."))),
        _ => {
            let Some(format) = view.form() else { return view.write_page(report) };
            let form = Form { format, full: false, pager: !view.no_pager };
            pages::print(&trace_graph::document(&report, view.top), form)
        }
    }
}

/// Shows the races of a trace, of these functions if there are some. Returns the exit code.
pub(crate) fn races(
    trace: &Trace,
    program: &Program,
    times: &Times,
    functions: Option<HashSet<FunctionId>>,
    view: RacesView,
) -> Result<u8> {
    let suppressions = match &view.suppressions {
        Some(path) => {
            let name = terminal(&path.to_string_lossy()).into_owned();
            let text = fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
            Suppressions::read(&text).context(name)?
        }
        None => Suppressions::default(),
    };
    let RacesView { object: objects, top, calls, .. } = view;
    let choice = RaceChoice { functions, objects, suppressions, top, calls };
    let page = tracing(2 * trace.num_chunks(), |observer| {
        let analysis = RaceAnalysis::of(trace, program, times, observer);
        trace_races::page(trace, program, &analysis, &choice)
    });
    pages::print(&page.document, view.form.form())?;
    let is_found = page.pairs > 0 || (view.possible && page.possible > 0);
    Ok(if is_found { view.error_exitcode } else { 0 })
}
