//! Reads path profiles: which paths through which functions ran, and how often.
//!
//! The library has rooms. Data flows through them one way:
//!
//! * [`read`] reads profiles, raw files and images.
//! * [`analyse`] turns counters into a model: paths, blocks, edges, lines and coverage.
//! * [`show`] writes the model as tables for people.
//! * [`export`] writes it for other programs.
//! * [`combine`] makes one record of many.
//! * [`launch`] runs a program, finds its profiles, and says why there are none.
//! * `command` is the command line. It belongs to the program `pathprof` and prints what the other
//!   rooms return.
//!
//! Four files serve several rooms: [`escape`] makes foreign names safe to show, [`shell`] quotes
//! command lines, [`output`] writes complete files, and [`bytes`] is what the fuzzers call.
//!
//! The library never links LLVM.
#![forbid(unsafe_code)]

pub mod analyse;
pub mod bytes;
pub mod combine;
pub mod escape;
pub mod export;
pub mod launch;
pub mod output;
pub mod read;
#[cfg(test)]
mod sample;
pub mod shell;
pub mod show;
