//! Selects functions, files and paths.
//!
//! * [`filter`] chooses functions and files by globs.
//! * [`names`] has the names of a function, and finds functions by name.
//! * [`suggestions`] finds names that are similar to a misspelt one.
//! * [`sort`] sorts functions and paths.

pub mod filter;
pub mod names;
pub mod sort;
pub mod suggestions;

pub use filter::{Chosen, Filter, functions, matches_file, narrowed};
pub use names::{all_names, matches, meant, without_arguments};
pub use sort::{Sort, paths, sort_functions};
pub use suggestions::{files, nearest, nearest_files};
