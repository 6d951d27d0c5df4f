//! Runs a program so that its profiles can be found.

pub mod diagnose;
pub mod doctor;
pub mod lookup;
pub(crate) mod pattern;
pub mod preload;
pub mod program;
pub(crate) mod signals;
