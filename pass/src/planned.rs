//! A function that was read and planned, and is to be written.

use inkwell::values::FunctionValue;
use pathformat::manifest::TableOf;

use crate::read_cfg::Graph;
use crate::slots::Slots;

/// How the paths of a function are counted.
pub(crate) struct Paths {
    pub(crate) plan: paths::Plan,
    /// Without the limit, if a table is to have the paths that it cuts.
    pub(crate) whole: Option<paths::Plan>,
}

/// A function that will be instrumented.
pub(crate) struct Planned<'ctx, P = Paths> {
    pub(crate) function: FunctionValue<'ctx>,
    pub(crate) graph: Graph<'ctx>,
    pub(crate) plan: P,
    pub(crate) first_counter: u64,
    pub(crate) tables: Vec<(TableOf, Slots)>,
    /// How many counters it has.
    pub(crate) num_counters: u64,
    /// Its index in the manifest.
    pub(crate) index: usize,
}
