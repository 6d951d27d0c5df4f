//! Combines many records into one.
//!
//! * [`sum`] adds up the counts of runs, [`between`] takes what was counted between two readings.
//! * [`merge`] writes the sums of many profiles into a new one.
//! * [`compact`] sums the older starts within a profile.
//! * [`store`] appends records to a profile, under its lock.
//! * [`label`] names what a running process does, from outside.
//! * [`standing`] takes in the files in which one process counts after the other.

pub mod between;
pub mod compact;
pub mod label;
pub mod merge;
pub mod standing;
pub mod store;
pub mod sum;
