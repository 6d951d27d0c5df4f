//! `ld.pathld`: a drop-in linker that makes programs count paths.
//!
//! It finds the instrumented modules among the inputs, generates an object that defines their
//! counters, and calls the real linker with that object in front. Everything else is the real
//! linker's business: a command line without instrumented inputs is handed on untouched.
//!
//! The files, in reading order:
//!
//! * `link` one link from start to end
//! * `response` the command line with response files opened
//! * `args` what the command line says
//! * `pipes` the same with files where it names pipes
//! * `inputs` the files that its inputs stand for
//! * `script` those that a linker script names
//! * `content` files as bytes
//! * `bitcode` reads bitcode before it is linked
//! * `discard` scripts that throw away what counting needs
//! * `restored` copies of objects whose symbols a tool has changed
//! * `neutral` copies of objects that count into nowhere
//! * `scan` the modules that objects, archives and images have
//! * `image_kind` the kind of image that is linked
//! * `allocator` whose functions allocate memory in it
//! * `elements` sections and symbols of an object that is generated
//! * `assembly` machine code, assembled from `assembly/*.s` when pathld is built
//! * `module` the object with the region of counters and the table of modules
//! * `threads` in it `pthread_create` and its like, as an executable defines them
//! * `traces` in it what traced modules need
//! * `labels` in it the functions by which a program names what it counts
//! * `early` in it what makes thread-local words before the C library does
//! * `workspace` the directory with files for the real linker
//! * `real` the real linker
//! * `process` runs it
//! * `entry` the entry of a static program, changed in the image
//! * `strays` modules whose counters are not where they should be
//! * `finished` a finished image, of which bytes are changed
//! * `words` code in the image that must do without thread-local words
//! * `segments` code in the image that must do without segment `%gs`
//! * `depfile` the list of dependencies, without our files
#![deny(unsafe_code)]

mod allocator;
mod args;
mod assembly;
mod bitcode;
mod content;
mod depfile;
mod discard;
mod early;
mod elements;
mod entry;
mod finished;
mod image_kind;
mod inputs;
mod labels;
mod link;
mod module;
mod neutral;
mod pipes;
mod process;
mod real;
mod response;
mod restored;
mod scan;
mod script;
mod segments;
mod strays;
#[cfg(test)]
mod tests;
mod threads;
mod traces;
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
            // A closed stream has no reader.
            let _ = writeln!(io::stderr(), "pathld: error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
