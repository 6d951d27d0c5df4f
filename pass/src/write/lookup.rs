//! The look-up of a key in a table, as a function of the module.
//!
//! A table counts how often each of many things was seen, where only few of them ever are. A key
//! says what a slot of the table is for, and the counter of the slot how often it was seen. The
//! keys stand behind the counters of the module in the image's region, where all threads of a
//! process share them: whoever sees a thing first gives it a free slot, by one atomic instruction.
//! The counters are like all others, so each thread has its own and nobody waits. What finds no
//! slot is counted by one more counter.

use inkwell::module::{Linkage, Module};
use inkwell::values::FunctionValue;

use crate::llvm;

/// The function that looks a key up, in LLVM's words.
const LOOKUP: &str = include_str!("lookup.ll");

/// Its name, and that of what it goes on with.
const NAMES: [&str; 2] = ["__pathcc_find", "__pathcc_find_on"];

/// Gives the module its function that looks keys up.
pub(super) fn define<'ctx>(module: &Module<'ctx>) -> FunctionValue<'ctx> {
    llvm::link(module, LOOKUP);
    let [lookup, _] = NAMES.map(|name| {
        let function = module.get_function(name).expect("it was just linked in");
        // LLVM would not have linked in what nothing refers to yet and nobody else sees.
        function.set_linkage(Linkage::Internal);
        function
    });
    lookup
}
