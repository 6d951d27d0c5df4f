//! `pathprof trace memory` and `pathprof trace cache`: which memory is accessed, and what accesses
//! to memory cost.

use std::collections::HashSet;

use anyhow::{Error, Result, bail};
use clap::Args;
use pathprof::show::{trace_cache, trace_memory};
use trace::file::{Stream, Trace};
use trace::ids::{FunctionId, ThreadId};
use trace::memory::cache::Layout;
use trace::memory::frees::Frees;
use trace::memory::owners::Owners;
use trace::memory::simulation::Simulation;
use trace::memory::uses::{Selection, Uses};
use trace::order::source::{Detail, inputs, threads};
use trace::steps::program::Program;
use trace::steps::time::Times;

use crate::command::filters::FormArguments;
use crate::command::pages;
use crate::command::progress::tracing;

/// Below the help of `trace cache`.
pub(crate) const CACHE_EXAMPLES: &str = "\
Examples:
  pathprof trace cache a.out.4711.pathtrace
  pathprof trace cache a.out.4711.pathtrace --size 48K --ways 12 --ll 16M,16,64
  pathprof trace cache a.out.4711.pathtrace --format csv

Each thread has a first level of its own; all share the last one. The least recently used line of a \
set makes room. Only accesses that are in the trace are simulated: -fpath-trace=all-memory records \
those to the stack, too.

Exit code: 0; 1 if something of the trace could not be read; 2 for a wrong command line.";

/// Which caches are simulated.
#[derive(Args)]
pub(crate) struct CacheView {
    /// How many bytes the first level holds; K, M and G are understood
    #[arg(long, value_name = "BYTES", default_value = "32K", value_parser = bytes)]
    size: u64,
    /// How many lines are in a set of it
    #[arg(long, value_name = "N", default_value_t = 8)]
    ways: u64,
    /// How many bytes are in a line of it
    #[arg(long, value_name = "BYTES", default_value = "64", value_parser = bytes)]
    line: u64,
    /// The last level: its size, ways and line
    #[arg(long, value_name = "BYTES,N,BYTES", default_value = "8M,16,64", value_parser = layout)]
    ll: Layout,
    /// Show at most N rows of each table (0: all)
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,
    #[command(flatten)]
    form: FormArguments,
}

/// Below the help of `trace memory`.
pub(crate) const MEMORY_EXAMPLES: &str = "\
Examples:
  pathprof trace memory a.out.4711.pathtrace
  pathprof trace memory a.out --function 'parse_*' --line-size 128
  pathprof trace memory a.out.4711.pathtrace --format json

An object is a variable, a stack, or all blocks of the heap that one line allocates. A line is \
shared falsely if it goes from thread to thread though none uses what another one wrote.

Exit code: 0; 1 if something of the trace could not be read; 2 for a wrong command line.";

/// Which accesses are looked at, and how much is shown.
#[derive(Args)]
pub(crate) struct MemoryView {
    /// Look only at this thread, by the number of its stream in `pathprof trace info`
    #[arg(long, value_name = "N")]
    thread: Option<u32>,
    /// How many bytes are in a line: a power of two from 8 to 128
    #[arg(long, value_name = "BYTES", default_value_t = 64)]
    line_size: u64,
    /// Show at most N rows of each table (0: all)
    #[arg(long, visible_alias = "limit", value_name = "N", default_value_t = 20)]
    top: usize,
    #[command(flatten)]
    form: FormArguments,
}

/// Reads a number of bytes.
fn bytes(text: &str) -> Result<u64, String> {
    let (digits, power) = match text.char_indices().last() {
        Some((at, 'K' | 'k')) => (&text[..at], 10),
        Some((at, 'M' | 'm')) => (&text[..at], 20),
        Some((at, 'G' | 'g')) => (&text[..at], 30),
        _ => (text, 0),
    };
    let number = digits.parse().ok().and_then(|number: u64| number.checked_mul(1 << power));
    number.ok_or_else(|| "it is no number of bytes, as 65536 or 64K".into())
}

/// Reads the layout of a cache.
fn layout(text: &str) -> Result<Layout, String> {
    let parts: Vec<_> = text.split(',').collect();
    let [size, ways, line] = parts[..] else {
        return Err("give its size, its ways and its line, as 8M,16,64".into());
    };
    let ways = ways.parse().map_err(|_| "the ways are no number".to_owned())?;
    Layout { size: bytes(size)?, ways, line: bytes(line)? }.check()
}

/// Shows which accesses of a trace miss in caches.
pub(crate) fn cache(
    trace: &Trace,
    program: &Program,
    times: &Times,
    view: CacheView,
) -> Result<()> {
    let CacheView { size, ways, line, ll, top, form } = view;
    let first = Layout { size, ways, line }.check().map_err(Error::msg)?;
    let simulation = tracing(trace.num_chunks(), |observer| {
        Simulation::of(inputs(trace, program, times, Detail::Accesses, observer), first, ll)
    });
    let document = trace_cache::document(trace, program, &simulation, [first, ll], top);
    pages::print(&document, form.form())
}

/// Shows what a trace does with memory. Only these functions are looked at, if there are some.
pub(crate) fn memory(
    trace: &Trace,
    program: &Program,
    times: &Times,
    functions: Option<HashSet<FunctionId>>,
    view: MemoryView,
) -> Result<()> {
    let line = view.line_size;
    if !line.is_power_of_two() || !(8..=128).contains(&line) {
        bail!("a line of {line} bytes: give a power of two from 8 to 128");
    }
    let thread = match view.thread {
        Some(number) => {
            let is_it = |streams: &Vec<&Stream>| streams.iter().any(|of| of.number.0 == number);
            let Some(at) = threads(trace).iter().position(is_it) else {
                bail!("there is no stream {number}; `pathprof trace info` lists them");
            };
            Some(ThreadId(at as u32))
        }
        None => None,
    };
    let selection = Selection { line, thread, functions };
    // Owners that are not sure are shown, too.
    let owners = Owners::of(program, Frees::default(), trace.run.partial);
    let uses = tracing(trace.num_chunks(), |observer| {
        Uses::of(inputs(trace, program, times, Detail::Accesses, observer), owners, selection)
    });
    let document = trace_memory::document(trace, program, &uses, view.top);
    pages::print(&document, view.form.form())
}
