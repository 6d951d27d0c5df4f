//! What threads do to memory that others use, too.
//!
//! * [`races`] finds accesses that nothing orders, with the help of `vector_clock`.
//! * [`cache`] is a cache, [`simulation`] says which accesses miss in it.
//! * [`distances`] says how many other lines were accessed between two accesses to one.
//! * [`owners`] says whose memory is, [`sharing`] which threads share it.
//! * [`uses`] puts these together: how much memory is used, by whom, and how soon again.
//! * `line_map` is a fast map by lines.

pub mod cache;
pub mod distances;
mod line_map;
pub mod owners;
pub mod races;
pub mod sharing;
pub mod simulation;
pub mod uses;
mod vector_clock;

#[cfg(test)]
mod tests;
