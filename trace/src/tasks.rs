//! The graph of tasks, and what follows from it.
//!
//! * [`graph`] is the graph in compact arrays, [`builder`] the visitor that makes it, [`segmented`]
//!   how an array grows that may be large.
//! * [`span`] finds the longest way through the graph, [`parallelism`] how many tasks ran at once.
//! * [`contention`] has the waits for locks, [`imbalance`] the late arrivals at barriers.
//! * [`hot`] says which functions and paths are on the longest way.

pub mod builder;
pub mod contention;
pub mod graph;
pub mod hot;
pub mod imbalance;
pub mod parallelism;
pub mod segmented;
pub mod span;

#[cfg(test)]
mod tests;
