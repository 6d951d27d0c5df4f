//! Tables: how often each of many things was seen, where only few of them ever are.
//!
//! A key says what a slot of a table is for, and the counter of the slot how often it was seen. The keys stand behind the counters of the module in
//! the image's region, where all threads of a process share them: whoever sees a thing first gives it a free slot, by one atomic
//! instruction. The counters are like all others, so each thread has its own and nobody waits. What finds no slot is counted by
//! one more counter.

use inkwell::module::{Linkage, Module};
use inkwell::values::FunctionValue;
use pathformat::manifest::{Function, Table, TableOf};

use crate::llvm;

/// The function that looks a key up, in LLVM's words.
const FIND: &str = include_str!("find.ll");

/// Its name, and that of what it goes on with.
const NAMES: [&str; 2] = ["__pathcc_find", "__pathcc_find_on"];

/// Gives the module its function that looks keys up.
pub(crate) fn define<'ctx>(module: &Module<'ctx>) -> FunctionValue<'ctx> {
    llvm::link(module, FIND);
    let [find, _] = NAMES.map(|name| {
        let function = module.get_function(name).expect("it was just linked in");
        // LLVM would not have linked in what nothing refers to yet and nobody else sees.
        function.set_linkage(Linkage::Internal);
        function
    });
    find
}

/// A table of a function, its counters numbered from the function's first one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slots {
    /// Its first key among the module's.
    pub(crate) first_key: u64,
    /// Its first counter.
    pub(crate) first_counter: u64,
    /// How many slots it has.
    pub(crate) count: u64,
}

impl Slots {
    /// All tables of a function with what is in them.
    pub(crate) fn of(record: &Function) -> Vec<(TableOf, Self)> {
        let slots = |table: Table| {
            let first_counter = table.first_counter - record.first_counter;
            (table.of, Self { first_key: table.first_key, first_counter, count: table.slots })
        };
        record.tables().map(slots).collect()
    }
}
