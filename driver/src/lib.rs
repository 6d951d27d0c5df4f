//! `pathcc`, `pathc++` and `pathfc`: a drop-in for clang 22 and flang 22 that counts paths.
//!
//! A command line goes in. It becomes the command of the real compiler, with our pass and our
//! linker in front, and this process becomes that command. Nothing is printed unless something is
//! wrong or somebody asked for it. No option of clang's is interpreted for the user. Nothing is
//! ever appended to a command line: after `--` or `-x c` it would mean something else.
//!
//! A command line becomes a task, and the task is done. The files, in reading order:
//!
//! * `driver` does the task: prints, becomes clang, or compiles side by side
//! * `task` decides what the task is
//! * `environment` the variables and the name that the process was started with
//! * `role` the language and the target that this name stands for
//! * `launcher` a compiler cache or a compiler before the arguments
//! * `command_line` the words of the command line, with response files opened
//! * [`settings`] our own options: flags, variables and `pathcc.toml`
//! * `regular_file` files that are read whole
//! * `help` our part of `--help`
//! * `print_config` our answer to `--print-config`
//! * `clang_options` clang's own options that matter for counting
//! * `system_directories` the directories of system headers that they name
//! * `toolchain` the compiler, and our own files
//! * `linker` the linker that the user asked for
//! * `invocation` the command to run
//! * `process` runs it in our place, or shows it
//! * `plan` the jobs that clang's driver would run for several sources
//! * `parallel` runs them side by side
//! * `jobserver` as many as make allows
//! * `terminal` with messages as on a terminal
#![forbid(unsafe_code)]

mod clang_options;
mod command_line;
mod driver;
mod environment;
mod help;
mod invocation;
mod jobserver;
mod launcher;
mod linker;
mod parallel;
mod plan;
mod print_config;
mod process;
mod regular_file;
mod role;
pub mod settings;
mod system_directories;
mod task;
mod terminal;
mod toolchain;

use std::io::{self, Write};
use std::process::ExitCode;

/// Does what this process was started for.
pub fn run() -> ExitCode {
    match driver::run(environment::Environment::of_process()) {
        Ok(code) => code,
        Err(error) => {
            // A closed stream has no reader.
            let _ = writeln!(io::stderr(), "pathcc: error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
