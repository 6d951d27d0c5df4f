//! `pathprof trace run`: runs a program and says where its traces are.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use pathprof::launch::{program, traced};
use pathprof::show::style::grouped;
use profile::escape::terminal;

use crate::command::messages::{announce, complain};

/// Below the help of `trace run`.
pub(crate) const RUN_EXAMPLES: &str = "\
Examples:
  pathprof trace run -- ./a.out input.txt
  pathprof trace run -o traces -- make check

Traces go where -o says, else where PATHCC_PROFILE says, else here. The exit code is the program's \
(128 + n if signal n ended it).";

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

/// Runs a program and says where its traces are. The exit code is the program's.
pub(crate) fn run(arguments: RunArguments) -> Result<u8> {
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
