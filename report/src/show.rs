//! Writes the model as tables for people.
//!
//! * [`report`] is a report: `heading`, one table, `remarks`. [`options`] says which and how.
//! * Its tables are `hot_paths`, [`hot_blocks`], `functions`, `skipped`, [`opcodes`],
//!   [`calls`] and [`branches`].
//! * [`coverage`] is the table of coverage, [`missing`] the list of what was not covered.
//! * [`starts`] is the table of starts, [`notices`] what is said while reading.
//! * [`notation`] writes a path in words, [`path_layout`] fits it into a cell.
//! * `rows` and [`style`] say how names, numbers and tables look.
//! * [`printable`] is a report whose names are safe to show.

pub mod branches;
pub mod calls;
pub mod coverage;
pub(crate) mod functions;
pub(crate) mod heading;
pub mod hot_blocks;
pub(crate) mod hot_paths;
pub mod missing;
pub mod notation;
pub mod notices;
pub mod opcodes;
pub mod options;
pub mod path_layout;
pub mod printable;
pub(crate) mod remarks;
pub mod report;
pub(crate) mod rows;
pub(crate) mod skipped;
pub mod starts;
pub mod style;
