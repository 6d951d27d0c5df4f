//! Analyses of accesses to memory that threads share.
//!
//! * [`races`] finds conflicting accesses that are not ordered. `clocks` has the vector clocks of
//!   all threads, `vector_clock` a single one.
//! * [`cache`] is a cache, [`simulation`] counts the misses of accesses in it.
//! * [`distances`] computes the number of other lines accessed between two accesses to one line.
//! * [`owners`] determines the owners of memory: `lifetimes` the heap block of an address, `sites`
//!   the places of allocations. `owner_walk` keeps them up to date during a walk through a trace.
//!   [`owned`] gives the owner for each access, [`owner_names`] its name.
//! * [`frees`] collects all frees in advance. [`locks`] names the owners of locks and barriers.
//! * [`sharing`] finds the memory that threads share.
//! * [`uses`] combines these: the amount of memory that is used, by each owner, and the reuse
//!   distances.
//! * `small_access` is an access for another thread of an analysis.
//! * `shadow` has the past accesses to memory that a later one may race with, [`race_side`] one of
//!   the two accesses of a race.

pub mod cache;
mod clocks;
pub mod distances;
pub mod frees;
mod lifetimes;
pub mod locks;
pub mod owned;
pub mod owner_names;
pub(crate) mod owner_walk;
pub mod owners;
pub mod race_side;
pub mod races;
mod shadow;
pub mod sharing;
pub mod simulation;
mod sites;
mod small_access;
pub mod uses;
mod vector_clock;

#[cfg(test)]
mod owner_tests;
#[cfg(test)]
mod tests;
