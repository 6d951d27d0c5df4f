//! What a function's tables count: the callees of calls through pointers.

use inkwell::values::InstructionValue;
use pathformat::manifest::TableOf;
use paths::cfg::Block;

use crate::describe;
use crate::llvm;
use crate::pen::Pen;
use crate::read_cfg::Graph;
use crate::slots::Slots;

/// The calls through pointers, in the order of their tables.
pub(crate) fn indirect_calls<'ctx>(graph: &Graph<'ctx>) -> Vec<(Block, InstructionValue<'ctx>)> {
    let calls = |block| describe::calls(graph.block(block)).map(move |call| (block, call));
    graph.cfg.blocks().flat_map(calls).filter(|(_, call)| llvm::callee(*call).is_none()).collect()
}

/// Counts what these calls call.
pub(crate) fn watch<'ctx>(pen: &Pen<'_, 'ctx>, calls: &[(Block, InstructionValue<'ctx>)], tables: &[(TableOf, Slots)]) {
    let tables = tables.iter().filter(|(of, _)| matches!(of, TableOf::Callees { .. }));
    for (&(block, call), (_, slots)) in calls.iter().zip(tables) {
        pen.stand_before(block, call);
        let word = pen.word();
        let callee = llvm::called(call);
        let address = pen.builder.build_ptr_to_int(callee, word, "").expect("positioned");
        // Keys are not 0, and a pointer may be.
        let key = pen.builder.build_int_add(address, word.const_int(1, false), "").expect("positioned");
        pen.see(key, *slots);
    }
}
