//! Makes one record of many.
//!
//! * [`sum`] adds up what runs counted.
//! * [`merge`] writes the sums of many profiles into a new one.
//! * [`compact`] sums the older starts within a profile.
//! * [`store`] appends records to a profile, under its lock.

pub mod compact;
pub mod merge;
pub mod store;
pub mod sum;
