//! Lays out the array of a unit: the counters of each function, and the keys of its tables.

use std::fmt;

use pathformat::manifest::{Function, Manifest, TableOf};
use pathformat::settings::Mode;

/// The counters of a unit, and of each of its functions, in the order of the manifest.
pub(crate) struct Layout {
    /// The number of its counters.
    pub(crate) counters: u64,
    /// The number of keys behind them.
    pub(crate) keys: u64,
    /// The counters of each function.
    pub(crate) functions: Vec<FunctionLayout>,
}

/// The index of a function in the manifest of its unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FunctionIndex(pub(crate) usize);

impl fmt::Display for FunctionIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "f{}", self.0)
    }
}

/// The counters of a function.
pub(crate) struct FunctionLayout {
    /// Which function.
    pub(crate) index: FunctionIndex,
    /// Its first counter in the unit's array.
    pub(crate) first_counter: u64,
    /// The number of its counters.
    pub(crate) counters: u64,
    /// Its tables, with what is in them.
    pub(crate) tables: Vec<(TableOf, TableLayout)>,
}

/// A table of a function: slots, each of which is a key and a counter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TableLayout {
    /// Its first key among those of the unit.
    pub(crate) first_key: u64,
    /// Its first counter among those of the function. Behind the slots' counters stands one more,
    /// for what found no slot.
    pub(crate) first_counter: u64,
    /// The number of its slots.
    pub(crate) slots: u64,
}

impl Layout {
    /// The layout that a manifest leads to.
    pub(crate) fn of(manifest: &Manifest) -> Self {
        let functions = &manifest.functions;
        // In a trace the counters begin behind a word that says which number that has.
        let first = u64::from(manifest.mode == Mode::Trace);
        Self {
            counters: first + functions.iter().map(Function::counters).sum::<u64>(),
            keys: functions.iter().map(Function::keys).sum(),
            functions: functions.iter().enumerate().map(function).collect(),
        }
    }
}

fn function((index, function): (usize, &Function)) -> FunctionLayout {
    let first_counter = function.first_counter;
    let tables = function.tables().map(|table| {
        let first = table.first_counter - first_counter;
        let layout =
            TableLayout { first_key: table.first_key, first_counter: first, slots: table.slots };
        (table.of, layout)
    });
    let tables = tables.collect();
    FunctionLayout {
        index: FunctionIndex(index),
        first_counter,
        counters: function.counters(),
        tables,
    }
}
