//! Compares two profiles, and ranks what runs executed.
//!
//! * [`structure`] says which functions have the same graph, or even the same code.
//! * [`pairs`] finds for each function of A the one of B that it became.
//! * [`scale`] makes counts comparable that are of more runs, or of more entries.
//! * [`parts`] is a difference in parts, which add up to the whole.
//! * [`paths`], [`blocks`] and [`calls`] take the difference apart; [`source_lines`] finds the
//!   lines of a function again after it has changed.
//! * [`comparison`] is what comes out.
//! * [`spectra`] ranks what runs executed by how well it tells those that failed from those that
//!   passed; [`formulas`] gives the scores.
#![forbid(unsafe_code)]

pub mod blocks;
pub mod calls;
pub mod comparison;
pub mod formulas;
pub mod pairs;
pub mod parts;
pub mod paths;
pub mod scale;
pub mod source_lines;
pub mod spectra;
pub mod structure;
