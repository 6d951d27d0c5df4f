//! The contents of a report, and their form.

use counts::model::{Function, Report};
use counts::path_text::{Notation, Wording};
use counts::select::{Filter, Sort};

use crate::show::{calls, opcodes};

/// The contents of the table.
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

/// The form of a report.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The contents of the table.
    pub view: View,
    /// The largest number of rows; 0 means all.
    pub top: usize,
    /// The functions and files to show.
    pub filter: Filter,
    /// The order of the rows.
    pub sort: Sort,
    /// The notation of a block.
    pub notation: Notation,
}

impl Options {
    /// Returns the wording of the paths of a function.
    pub fn wording<'a>(&self, report: &'a Report, function: &Function) -> Wording<'a> {
        let wording = Wording::of(&report.modules[function.module]);
        Wording { notation: self.notation, unfold: self.filter.system, ..wording }
    }
}
