//! Turns counters into a model of an execution.
//!
//! From counters to the model ([`pipeline`] runs these steps in order):
//!
//! * [`matching`] finds the image of each record and sums the counters of its runs;
//!   [`image_places`] has the places to search for images.
//! * [`counted`] holds these sums. [`tables`] reads the tables of each process, [`entries`]
//!   computes its entries.
//! * `slices` gives each function its counters, [`decode`] turns them into paths, whose lengths are
//!   sums of [`sizes`].
//! * [`acyclic`] reads paths off the acyclic graph, [`uncut_paths`] reads paths that the limit does
//!   not cut.
//! * [`flow`] computes the counts of edges where paths are counted, [`count_inference`] those of
//!   blocks and edges where paths are not counted.
//! * [`model`] is the result, [`placed`] locates its code in source files.
//!
//! * [`labels`] does the same for each label alone.
//!
//! From the model to answers:
//!
//! * [`select`] chooses and sorts functions and paths, [`origin`] identifies those of the system.
//! * [`lines`] counts lines by their blocks ([`line_blocks`]), [`source_files`] sums them by file,
//!   [`coverage`] computes coverage.
//! * [`path_text`] describes a path as the source reads, [`distinct`] makes the texts of several
//!   paths differ, [`listed_paths`] describes the paths of a list. [`frames`] finds the function
//!   from which a line was inlined.
//! * [`path_ranks`] numbers the executed paths of a function.
//! * [`annotation`] counts the lines of a function or a file, and the [`columns`] in them.
//! * [`ways`] describes the targets of a branch.
//! * [`executed_calls`] lists the calls that were made, and their callees.
//! * [`machine_code`] has the instructions of what is counted in machine code.
//! * [`possible_paths`] computes the number of paths without the limit.
//!
//! `sample` is the program of the tests.
#![forbid(unsafe_code)]

pub mod acyclic;
pub mod annotation;
pub mod columns;
pub mod count_inference;
pub mod counted;
pub mod coverage;
pub mod decode;
pub mod distinct;
pub mod entries;
pub mod executed_calls;
pub mod flow;
pub mod frames;
pub mod image_places;
pub mod labels;
pub mod line_blocks;
pub mod lines;
pub mod listed_paths;
pub mod machine_code;
pub mod matching;
pub mod model;
pub mod origin;
pub mod path_ranks;
pub mod path_text;
pub mod pipeline;
pub mod placed;
pub mod possible_paths;
#[cfg(any(test, feature = "sample"))]
pub mod sample;
pub mod select;
pub mod sizes;
mod slices;
pub mod source_files;
pub mod tables;
pub mod uncut_paths;
pub mod ways;
