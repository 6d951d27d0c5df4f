//! Counts the callees of calls through pointers, in a table for each call.

use inkwell::values::InstructionValue;
use pathformat::manifest::TableOf;
use paths::cfg::Block;

use crate::layout::TableLayout;
use crate::llvm;
use crate::read::graph::Graph;

use super::insertion::Insertion;

/// A call, and the block that it stands in.
type Call<'ctx> = (Block, InstructionValue<'ctx>);

/// The calls through pointers, in the order of their tables.
pub(super) fn indirect_calls<'ctx>(graph: &Graph<'ctx>) -> Vec<Call<'ctx>> {
    let calls = |block| graph.calls(block).map(move |call| (block, call));
    let calls = graph.cfg.blocks().flat_map(calls);
    calls.filter(|(_, call)| llvm::callee(*call).is_none()).collect()
}

/// Counts what these calls call.
pub(super) fn count<'ctx>(
    code: &Insertion<'_, 'ctx>,
    calls: &[Call<'ctx>],
    tables: &[(TableOf, TableLayout)],
) {
    let tables = tables.iter().filter(|(of, _)| matches!(of, TableOf::Callees { .. }));
    for (&(block, call), (_, table)) in calls.iter().zip(tables) {
        code.position_before(block, call);
        let word = code.word();
        let callee = llvm::called(call);
        let address = code.builder().build_ptr_to_int(callee, word, "").expect("positioned");
        // Keys are not 0, and a pointer may be.
        let one = word.const_int(1, false);
        let key = code.builder().build_int_add(address, one, "").expect("positioned");
        code.see(key, *table);
    }
}
