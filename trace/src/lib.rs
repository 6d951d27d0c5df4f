//! Reads traces: the steps of each thread, and the analyses of them.
//!
//! Data flows through the modules in one direction. [`ids`] has the numbers of streams, threads,
//! functions and tasks.
//!
//! * [`file`](mod@file) reads a trace: its chunks, their records and the images that ran.
//! * [`steps`] turns the records of a stream into steps.
//! * [`order`] determines the order between threads.
//! * `strands` is the order that the program says, whichever thread executes what.
//! * [`tasks`] builds and measures the task graph.
//! * [`memory`] analyses accesses to memory that threads share.
//! * `beside` lets another thread do a part of the work.
//! * `fast_map` is a hash map by numbers, `paged` has values by numbers that come in runs.
//! * [`task_analysis`] is the task graph with everything that is shown of it, [`race_analysis`] the
//!   races.
#![forbid(unsafe_code)]

mod beside;
mod fast_map;
pub mod file;
pub mod ids;
pub mod memory;
pub mod order;
mod paged;
pub mod race_analysis;
pub mod steps;
mod strands;
pub mod task_analysis;
pub mod tasks;

#[cfg(test)]
mod tests;
