//! What a report shows, and how.

use crate::analyse::select::Sort;
use crate::show::notation::Notation;
use crate::show::{calls, opcodes};

/// What the table shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum View {
    /// Executed paths.
    #[default]
    Paths,
    /// Functions.
    Functions,
    /// Functions that are not counted and edges that are cut, with reasons.
    Skipped,
    /// Executed instructions by class and opcode.
    Opcodes(opcodes::Rows),
    /// Functions that were called.
    Calls(calls::Rows),
    /// Branches and their ways.
    Branches,
}

/// How to show a report.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What the table shows.
    pub view: View,
    /// So many rows at most; 0 means all.
    pub top: usize,
    /// Only functions whose name matches this glob.
    pub function: Option<String>,
    /// Order of the rows.
    pub sort: Sort,
    /// What stands for a block.
    pub notation: Notation,
    /// Show long names of functions in full.
    pub full_names: bool,
    /// Width to fit into, in characters; `None` shows everything in full, a row on a line.
    pub width: Option<usize>,
}
