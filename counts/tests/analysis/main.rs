//! Compares the results from counters with walks through graphs.
//!
//! Random graphs are planned by the crate `paths`. Frames walk through them and step the counters
//! of the plan, while their blocks and edges are recorded. The report must reproduce the record
//! from the counters alone.

mod edge_instructions;
mod frames;
mod numbers;
mod tables;
mod uncut_paths;
mod walks;
