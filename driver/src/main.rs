//! `pathcc` and `pathc++`: a drop-in for clang 22 that counts paths.
//!
//! The flow, one file per step: who we were called as ([`role`]) and in front of what ([`launcher`]),
//! the words of the command line ([`words`]), our own flags and `pathcc.toml` ([`flags`], [`config`]),
//! where clang and our own files are ([`toolchain`]), the real linker ([`linker`]), the command to run
//! ([`invocation`]). That command replaces this process ([`process`]); only when several sources are
//! to be compiled does it first become a plan ([`plan`]) whose jobs run side by side ([`parallel`]).
//!
//! Nothing is printed unless something is wrong or [`help`] was asked for, no option of clang's is interpreted for the user, and
//! nothing is ever appended to a command line: after `--` or `-x c` it would mean something else.
#![forbid(unsafe_code)]

mod config;
mod driver;
mod environment;
mod flags;
mod help;
mod invocation;
mod jobserver;
mod launcher;
mod linker;
mod parallel;
mod plan;
mod process;
mod regular;
mod role;
mod show;
mod terminal;
mod toolchain;
mod trust;
mod words;

use std::process::ExitCode;

fn main() -> ExitCode {
    match driver::run(environment::Environment::of_process()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("pathcc: error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
