//! `pathld`, a drop-in linker. It finds the instrumented modules among the inputs, generates an object that defines
//! their counters, and calls the real linker with that object in front. Everything else is the real linker's
//! business: a command line without instrumented inputs is handed on untouched.
//!
//! ```text
//! arguments → response → args → inputs → scan → module → link → real linker → scan of the output
//! ```
#![deny(unsafe_code)]

mod args;
mod content;
mod depfile;
mod early;
mod entry;
mod inputs;
mod link;
mod module;
mod process;
mod real;
mod response;
mod scan;
mod script;
#[cfg(test)]
mod tests;
mod threads;
mod words;
mod workspace;

use std::env;
use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = env::args_os().skip(1).collect();
    match link::run(&arguments) {
        Ok(outcome) => outcome.exit(),
        Err(error) => {
            eprintln!("pathld: error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Tells the user about something that does not keep the program from being linked.
fn warn(message: &str) {
    // If nobody listens, the program is linked all the same.
    let _ = writeln!(io::stderr(), "pathld: warning: {message}");
}
