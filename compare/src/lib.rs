//! Compares two profiles, and ranks the elements that runs executed.
//!
//! * [`structure`] checks if functions have the same graph, or even the same code.
//! * [`pairs`] finds for each function of A its counterpart in B.
//! * [`scale`] makes counts comparable if the numbers of runs or of entries differ.
//! * [`parts`] splits a difference into parts, which add up to the whole.
//! * [`paths`], [`blocks`] and [`calls`] split the difference by paths, blocks and calls;
//!   [`source_lines`] matches the lines of a function that has changed.
//! * [`comparison`] is the result.
//! * [`spectra`] ranks executed elements by how well they distinguish failing runs from passing
//!   ones; [`formulas`] computes the scores.
//! * [`labels`] finds the paths that labels share.
#![forbid(unsafe_code)]

pub mod blocks;
pub mod calls;
pub mod comparison;
pub mod formulas;
pub mod labels;
pub mod pairs;
pub mod parts;
pub mod paths;
pub mod scale;
pub mod source_lines;
pub mod spectra;
pub mod structure;
