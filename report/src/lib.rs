//! Reads path profiles: which paths through which functions ran, and how often.
//!
//! The library has rooms. Each uses only those before it:
//!
//! * [`show`] writes what was counted as tables for people.
//! * [`export`] writes it for other programs.
//! * [`launch`] runs a program, finds its profiles, and says why there are none.
//! * `command` is the command line. It belongs to the program `pathprof` and prints what the other
//!   rooms return.
//!
//! What they show comes from the crates `profile`, `counts`, `compare` and `trace`.
//!
//! Five files serve several rooms: [`schema`] names the JSON documents, [`task_graph`] is what is
//! known of a task graph, [`shell`] quotes command lines, [`suppressions`] reads which races are
//! known, and [`bytes`] is what the fuzzers call.
//!
//! The library never links LLVM.
#![forbid(unsafe_code)]

pub mod bytes;
pub mod export;
pub mod launch;
#[cfg(test)]
mod sample;
pub mod schema;
pub mod shell;
pub mod show;
pub mod suppressions;
pub mod task_graph;
