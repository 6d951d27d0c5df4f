//! `pathprof trace`: what is in a trace, and what its threads did step by step.
//!
//! A file for each command: [`info`], [`cat`], [`cut`] and [`run`]; [`tasks`] has `graph` and
//! `races`, [`memory`] has `memory` and `cache`. [`opening`] opens traces for all of them,
//! [`interval`] reads times.

use std::collections::HashSet;

use anyhow::Result;
use clap::{Args, Subcommand};
use counts::select::filter::Filter;
use trace::ids::FunctionId;
use trace::steps::program::Program;

use crate::command::filters::GlobArguments;

pub(crate) mod cat;
pub(crate) mod cut;
pub(crate) mod info;
pub(crate) mod interval;
pub(crate) mod memory;
pub(crate) mod opening;
pub(crate) mod run;
pub(crate) mod tasks;

use cat::CatArguments;
use cut::CutArguments;
use info::InfoArguments;
use memory::{CacheView, MemoryView};
use opening::{Opened, TraceArguments, choose, open_paths};
use run::RunArguments;
use tasks::{GraphView, RacesView};

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

#[derive(Subcommand)]
pub(crate) enum TraceCommand {
    /// Say what is in a trace, and what is missing
    #[command(after_help = info::INFO_EXAMPLES)]
    Info(InfoArguments),
    /// Write every path of a trace in order, with its accesses
    #[command(after_help = cat::CAT_EXAMPLES)]
    Cat(CatArguments),
    /// Write a part of a trace as a trace of its own
    #[command(after_help = cut::CUT_EXAMPLES)]
    Cut(CutArguments),
    /// Say what waited for what: tasks, the critical path, locks and barriers
    #[command(after_help = tasks::GRAPH_EXAMPLES)]
    Graph(GraphArguments),
    /// Find accesses to the same memory that nothing orders
    #[command(after_help = tasks::RACES_EXAMPLES)]
    Races(RacesArguments),
    /// Say whose memory is touched, how soon again, and which threads share it
    #[command(after_help = memory::MEMORY_EXAMPLES)]
    Memory(MemoryArguments),
    /// Say which accesses miss in a cache
    #[command(after_help = memory::CACHE_EXAMPLES)]
    Cache(CacheArguments),
    /// Run a program and say where its traces are
    #[command(after_help = run::RUN_EXAMPLES)]
    #[command(override_usage = "pathprof trace run [OPTIONS] [--] PROGRAM [ARGUMENT]...")]
    Run(RunArguments),
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
    globs: GlobArguments,
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

/// Returns the functions that a filter lets through; `None` if those are all.
fn chosen(program: &Program, filter: &Filter) -> Result<Option<HashSet<FunctionId>>> {
    let chosen = (0..).map(FunctionId).zip(choose(program, filter)?);
    let functions = chosen.filter_map(|(at, is_it)| is_it.then_some(at)).collect();
    Ok((!filter.takes_all()).then_some(functions))
}

/// Does what is asked of traces.
pub(crate) fn trace(command: TraceCommand) -> Result<u8> {
    match command {
        TraceCommand::Info(arguments) => info::info(arguments),
        TraceCommand::Cat(arguments) => cat::cat(arguments),
        TraceCommand::Cut(arguments) => cut::cut(arguments),
        TraceCommand::Graph(arguments) => {
            arguments.view.check()?;
            let Opened { trace, program, times, code } = open_paths(arguments.trace)?;
            tasks::graph(&trace, &program, times, &arguments.view)?;
            Ok(code)
        }
        TraceCommand::Races(arguments) => {
            let filter = arguments.globs.filter();
            let Opened { trace, program, times, code } = open_paths(arguments.trace)?;
            let functions = chosen(&program, &filter)?;
            let found = tasks::races(&trace, &program, &times, functions, arguments.view)?;
            Ok(if found > 0 { found } else { code })
        }
        TraceCommand::Memory(arguments) => {
            let filter = arguments.globs.filter();
            let Opened { trace, program, times, code } = open_paths(arguments.trace)?;
            let functions = chosen(&program, &filter)?;
            memory::memory(&trace, &program, &times, functions, arguments.view)?;
            Ok(code)
        }
        TraceCommand::Cache(arguments) => {
            let Opened { trace, program, times, code } = open_paths(arguments.trace)?;
            memory::cache(&trace, &program, &times, arguments.view)?;
            Ok(code)
        }
        TraceCommand::Run(arguments) => run::run(arguments),
    }
}
