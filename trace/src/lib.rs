//! Reads traces: what each thread did, step by step, and what follows from it.
//!
//! Data flows through the rooms one way:
//!
//! * [`file`](mod@file) reads a trace: its chunks, their records and the images that ran.
//! * [`steps`] turns the records of a stream into steps.
//! * [`order`] says what waited for what.
//! * [`tasks`] is the graph of tasks, and what follows from it.
//! * [`memory`] says what threads do to memory that others use, too.
//! * [`task_analysis`] is the graph with all that is shown of it.
#![forbid(unsafe_code)]

pub mod file;
pub mod memory;
pub mod order;
pub mod steps;
pub mod task_analysis;
pub mod tasks;

#[cfg(test)]
mod tests;
