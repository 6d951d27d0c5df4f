//! `pathprof trace info`: what is in a trace, and what is missing.

use anyhow::Result;
use clap::Args;
use jiff::tz::TimeZone;
use pathprof::show::trace_info;
use trace::steps::chunks::Gap;
use trace::steps::totals::Totals;

use super::opening::{Opened, TraceArguments, open};
use crate::command::filters::FormArguments;
use crate::command::messages::FAILED;
use crate::command::pages;
use crate::command::progress::tracing;

/// Below the help of `trace info`.
pub(crate) const INFO_EXAMPLES: &str = "\
Examples:
  pathprof trace info a.out.4711.pathtrace
  pathprof trace info a.out.4711.pathtrace --format json

A stream is a thread, or a signal handler that interrupts one. A gap is a place where records are \
missing.

Exit code: 0; 1 if something of the trace could not be read; 2 for a wrong command line.";

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

/// Says what is in a trace.
pub(crate) fn info(arguments: InfoArguments) -> Result<u8> {
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
