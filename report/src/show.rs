//! Shows the model to people, as tables on a terminal.

pub mod branches;
pub mod calls;
pub mod coverage;
pub(crate) mod heading;
pub mod hot_blocks;
pub mod missing;
pub mod notation;
pub mod notices;
pub mod opcodes;
pub mod path_layout;
pub mod printable;
pub mod report;
pub mod starts;
pub mod style;
