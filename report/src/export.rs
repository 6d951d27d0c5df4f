//! Writes the model for other programs.

pub mod json;
pub mod lcov;
pub mod weights;
