//! Turns counters into a model of what ran.
//!
//! From counters to the model ([`pipeline`] is the order):
//!
//! * [`matching`] finds the image of each record and sums what its runs counted; [`image_places`]
//!   says where images are looked for.
//! * [`counted`] holds these sums, [`tables`] and [`entries`] what each process says of tables and
//!   entries.
//! * `slices` gives each function its counters, [`decode`] makes paths of them.
//! * [`acyclic`] reads paths off the acyclic graph, [`uncut_paths`] those that the limit does not
//!   cut.
//! * [`flow`] counts edges where paths are counted, [`count_inference`] blocks and edges where they
//!   are not.
//! * [`model`] is what comes out, [`placed`] says where its code is.
//!
//! From the model to what people ask:
//!
//! * [`select`] chooses and sorts functions and paths, [`origin`] tells those of the system.
//! * [`lines`] counts lines by their blocks ([`line_blocks`]), [`source_files`] sums them by file,
//!   [`coverage`] says what was covered.
//! * [`path_text`] tells a path as the source reads, [`distinct`] so that no two read the same.
//!   [`listed_paths`] tells those of a list. [`frames`] says which function a line was inlined
//!   from, [`origin`] what is of the system.
//! * [`path_ranks`] numbers the executed paths of a function.
//! * [`annotation`] counts the lines of a function or a file, and the [`columns`] in them.
//! * [`ways`] says where a branch leads.
//! * [`executed_calls`] says which calls were made, and whom they called.
//! * [`possible_paths`] says how many paths there are without the limit.
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
pub mod line_blocks;
pub mod lines;
pub mod listed_paths;
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
mod slices;
pub mod source_files;
pub mod tables;
pub mod uncut_paths;
pub mod ways;
