//! Shows the model to people, as tables on a terminal.

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
