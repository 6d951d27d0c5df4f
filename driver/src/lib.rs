//! `pathcc`, `pathc++` and `pathfc`: a drop-in for clang 22 and flang 22 that counts paths.
//!
//! A command line goes in. It becomes the command of the real compiler, with our pass and our
//! linker in front, and this process becomes that command. Nothing is printed unless something is
//! wrong or somebody asked for it. No option of clang's is interpreted for the user. Nothing is
//! ever appended to a command line: after `--` or `-x c` it would mean something else.
//!
//! The files, in reading order:
//!
//! * `driver` does what a command line asks for
//! * `task` decides what that is
//! * `environment` what the process was started with
//! * `role` what the program's name says
//! * `launcher` what stands between us and the compiler's arguments
//! * `command_line` its words, with response files opened
//! * [`options`] the table of our own options
//! * [`setting`] what the table has of each
//! * [`values`] the kinds of values that they take
//! * `settings` the values that were given
//! * `config` those in `pathcc.toml`
//! * `regular_file` files that are read whole
//! * `trust` whose files are obeyed
//! * `help` our part of `--help`
//! * `print_config` our answer to `--print-config`
//! * `clang_options` what clang's own options mean for counting
//! * `system_directories` which directories of system headers they name
//! * `toolchain` where the compiler and our own files are
//! * `linker` which linker the user asked for
//! * `invocation` the command to run
//! * `process` runs it in our place, or shows it
//! * `plan` the jobs that clang's driver would run for several sources
//! * `parallel` runs them side by side
//! * `jobserver` as many as make allows
//! * `terminal` with messages as on a terminal
#![forbid(unsafe_code)]

mod clang_options;
mod command_line;
mod config;
mod driver;
mod environment;
mod help;
mod invocation;
mod jobserver;
mod launcher;
mod linker;
pub mod options;
mod parallel;
mod plan;
mod print_config;
mod process;
mod regular_file;
mod role;
pub mod setting;
mod settings;
mod system_directories;
mod task;
mod terminal;
mod toolchain;
mod trust;
pub mod values;

use std::io::{self, Write};
use std::process::ExitCode;

/// Does what this process was started for.
pub fn run() -> ExitCode {
    match driver::run(environment::Environment::of_process()) {
        Ok(code) => code,
        Err(error) => {
            // Nobody is left to tell if this fails.
            let _ = writeln!(io::stderr(), "pathcc: error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
