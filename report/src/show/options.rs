//! What a report shows, and how.

use counts::model::{Function, Report};
use counts::path_text::{Notation, Wording};
use counts::select::{Filter, Sort};

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
    /// The most rows; 0 means all.
    pub top: usize,
    /// Which functions and files.
    pub filter: Filter,
    /// Order of the rows.
    pub sort: Sort,
    /// What stands for a block.
    pub notation: Notation,
}

impl Options {
    /// How the paths of a function are told.
    pub fn wording<'a>(&self, report: &'a Report, function: &Function) -> Wording<'a> {
        let wording = Wording::of(&report.modules[function.module]);
        Wording { notation: self.notation, unfold: self.filter.system, ..wording }
    }
}
