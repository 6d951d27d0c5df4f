//! What threads do to memory that others use, too.
//!
//! * [`races`] finds accesses that nothing orders. `clocks` says who knows what of whom, with the
//!   help of `vector_clock`.
//! * [`cache`] is a cache, [`simulation`] says which accesses miss in it.
//! * [`distances`] says how many other lines were accessed between two accesses to one.
//! * [`owners`] says whose memory is: `lifetimes` in which block of the heap an address is, `sites`
//!   where blocks are allocated. `owner_walk` keeps them up to date while a trace is walked.
//!   [`owned`] says it of each access, [`owner_names`] in words.
//! * [`frees`] finds out beforehand where memory is freed. [`locks`] says whose memory locks and
//!   barriers are in.
//! * [`sharing`] says which threads share memory.
//! * [`uses`] puts these together: how much memory is used, by whom, and how soon again.
//! * `line_map` is a fast map by lines.

pub mod cache;
mod clocks;
pub mod distances;
pub mod frees;
mod lifetimes;
mod line_map;
pub mod locks;
pub mod owned;
pub mod owner_names;
pub(crate) mod owner_walk;
pub mod owners;
pub mod races;
pub mod sharing;
pub mod simulation;
mod sites;
pub mod uses;
mod vector_clock;

#[cfg(test)]
mod owner_tests;
#[cfg(test)]
mod tests;
