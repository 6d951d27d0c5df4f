//! Turns counters into a model of what ran.

pub(crate) mod acyclic;
pub mod count_inference;
pub mod counted;
pub mod coverage;
pub mod decode;
pub mod entries;
pub mod flow;
pub mod lines;
pub mod matching;
pub mod model;
pub mod pipeline;
pub mod possible_paths;
pub mod select;
pub(crate) mod slices;
pub mod source_files;
pub mod tables;
pub mod uncut_paths;
