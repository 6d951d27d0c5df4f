//! Reads what runs left: profiles, raw files, and the images that ran.
//!
//! * [`inputs`] chooses profiles and, in them, starts; [`file_names`] says what profiles are
//!   called, [`directories`] finds files.
//! * [`open`] opens regular files only, [`bounded`] reads no more of them than they can justify.
//! * [`records`] finds the records of a profile, [`starts`] groups them by start, [`profile`] reads
//!   one.
//! * [`unique_runs`] reads many records and takes each run once.
//! * [`image`] reads the manifests of an image.
//! * [`symbols`] names the function at an address, [`names`] writes names as the source does.

pub mod bounded;
pub mod directories;
pub mod file_names;
pub mod image;
pub mod inputs;
pub mod names;
pub mod observer;
pub mod open;
pub mod record;
pub mod record_content;
pub(crate) mod record_search;
pub mod records;
pub mod run;
pub mod starts;
pub mod symbols;
pub mod unique_runs;
