//! The task graph, and the analyses of it.
//!
//! * [`graph`] is the graph in compact arrays, [`builder`] the visitor that builds it,
//!   [`segmented`] an array that grows without copies.
//! * [`span`] has the work and the critical path, [`parallelism`] the number of concurrent tasks.
//! * [`contention`] has the waits for locks, [`imbalance`] the late arrivals at barriers
//!   and at the ends of regions.
//! * [`locked_work`] has the work that threads do with a lock, [`lock_orders`] the locks that they
//!   take crosswise.
//! * [`hot`] finds the functions and paths on the critical path.

pub mod builder;
pub mod contention;
pub mod graph;
pub mod hot;
pub mod imbalance;
pub mod lock_orders;
pub mod locked_work;
pub mod parallelism;
pub mod segmented;
pub mod span;

#[cfg(test)]
mod tests;
