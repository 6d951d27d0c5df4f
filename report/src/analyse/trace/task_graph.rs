//! The tasks of a trace and the order between them.
//!
//! A *task* is what a thread does between two events by which it synchronises. Events have tickets,
//! which are one order of all of them, so the streams are gone through together and once:
//!
//! * [`item`] is what a stream does next, [`source`] reads it from a trace.
//! * [`releases`] holds what lets others go on; `conditions`, `barriers`, `threads`, `locks`,
//!   `openmp` and `dependences` say what an operation waited for, [`objects`] puts them together.
//! * [`walk`] merges the streams in the order of tickets and shows all to a visitor.
//! * [`graph`] is the graph in compact arrays, [`builder`] the visitor that makes it.
//! * [`clock`] turns ticks into nanoseconds.
//! * [`span`] finds the longest way through the graph, [`parallelism`] how many tasks ran at once.
//! * [`contention`] says who waited for locks, [`imbalance`] who came late to barriers.
//! * [`hot`] says which functions and paths are on the longest way.

mod barriers;
pub mod builder;
mod conditions;
pub mod contention;
mod dependences;
pub mod graph;
pub mod hot;
pub mod imbalance;
pub mod item;
mod locks;
pub mod objects;
mod openmp;
pub mod parallelism;
pub mod releases;
pub mod segmented;
pub mod source;
pub mod span;
mod threads;
pub mod walk;

#[cfg(test)]
mod tests;
