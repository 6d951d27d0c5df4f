//! Writes the model for other programs.
//!
//! * [`json`] has everything, in a schema of our own.
//! * [`lcov`] has coverage, as `genhtml` reads it.
//! * [`weights`] has what a second compilation wants to know.

pub mod json;
pub mod lcov;
pub mod weights;
