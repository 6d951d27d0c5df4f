//! Makes one record of many.

pub mod compact;
pub mod merge;
pub mod store;
pub mod sum;
