//! Reads what runs left: profiles, raw files, and the images that ran.
//!
//! * [`inputs`] chooses profiles, and starts in them.
//! * [`file_names`] says what profiles are called, [`directories`] lists files.
//! * [`open`] opens regular files only, [`bounded`] reads them within bounds.
//! * [`record`] is what the head of a record says, [`record_content`] what it counted.
//! * `record_search` finds the records in a file, [`records`] those of a profile.
//! * [`starts`] groups records by the command that began them, [`builds`] says whether the images
//!   of records are still there.
//! * [`unique_runs`] reads many records and takes each run once, [`observer`] hears how far it is.
//! * [`run`] tells what ran, [`image`] what is in an image, [`uncounted`] why a file leaves no
//!   profile.
//! * [`arrays`] says where the counters of an image are.
//! * [`source`] reads source files, [`source_names`] gives each of them one name.
//! * [`symbols`] names the function at an address, [`globals`] lists variables, [`names`] writes
//!   names as the source does, and [`escape`] makes them safe to show.
//!
//! [`combine`] makes one record of many, and [`output`] writes complete files. `sample` is what
//! tests read.
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
pub mod source;
pub mod source_names;
pub mod starts;
pub mod symbols;
pub mod uncounted;
pub mod unique_runs;
