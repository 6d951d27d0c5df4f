//! Reads the results of runs: profiles, raw files, and the images that ran.
//!
//! * [`inputs`] chooses profiles, and starts in them.
//! * [`file_names`] names profiles, [`directories`] lists files.
//! * [`open`] opens regular files only, [`bounded`] reads them within bounds.
//! * [`record`] is the head of a record, [`record_content`] its counts.
//! * `record_search` finds the records in a file, [`records`] those of a profile.
//! * [`starts`] groups records by the command that began them, [`builds`] checks that the images of
//!   records are still there.
//! * [`segments`] is the arithmetic on what a run counted under one label after the other, on
//!   `modules` of counts; `segment_records` finds its records.
//! * [`unique_runs`] reads many records and takes each run once, [`observer`] reports progress.
//! * [`run`] is the process that ran, [`image`] the content of an image, [`uncounted`] the reason
//!   why a file leaves no profile.
//! * [`arrays`] finds the counters of an image, [`machine_code`] reads its instructions.
//! * [`source`] reads source files, [`source_names`] gives each of them one name.
//! * [`symbols`] names the function at an address, [`globals`] lists variables, [`names`] writes
//!   names as the source does, and [`escape`] makes them safe to show.
//!
//! [`combine`] combines many records into one, and [`output`] writes complete files. `sample` has
//! records for tests.
#![forbid(unsafe_code)]

pub mod arrays;
pub mod bounded;
pub mod builds;
pub mod combine;
pub mod directories;
pub mod escape;
pub mod file_names;
pub mod globals;
pub mod image;
pub mod inputs;
pub mod machine_code;
mod modules;
pub mod names;
pub mod observer;
pub mod open;
pub mod output;
pub mod record;
pub mod record_content;
mod record_search;
pub mod records;
pub mod run;
#[cfg(any(test, feature = "sample"))]
pub mod sample;
mod segment_records;
pub mod segments;
pub mod source;
pub mod source_names;
pub mod starts;
pub mod symbols;
pub mod uncounted;
pub mod unique_runs;
