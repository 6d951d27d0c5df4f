//! Writes what records calls of MPI: that each begins, and behind it that it has ended.
//!
//! The call of a function that the linker defines again stands before and behind it. An event goes
//! between two paths, as for [allocations](super::allocations).

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::module::Module;
use inkwell::values::FunctionValue;
use pathformat::names;

use crate::llvm;
use crate::read::graph::Graph;
use crate::read::messages;
use crate::write::position::Position;

use super::symbols::Symbols;

/// Writes it for all calls of a function. The ends and starts of paths around them are written.
pub(super) fn write<'ctx>(
    graph: &Graph<'ctx>,
    position: &Position<'_, 'ctx>,
    symbols: &Symbols<'ctx>,
    module: &Module<'ctx>,
) {
    let (builder, word) = (&position.builder, symbols.word());
    for block in graph.cfg.blocks() {
        let calls: Vec<_> = graph.calls(block).collect();
        for call in calls {
            let Some(number) = messages::of(call) else { continue };
            let number = word.const_int(number as u64, false);
            let recorder = recorder(module, symbols);
            builder.position_before(&call);
            let values = [number.into(), word.const_zero().into()];
            let began = builder.build_call(recorder, &values, "path.began").expect("positioned");
            if position.behind_call(block, call) {
                let began = began.try_as_basic_value().unwrap_basic();
                let values = [number.into(), began.into()];
                builder.build_call(recorder, &values, "").expect("positioned");
            }
        }
    }
}

/// The function that records. That of an object does nothing.
fn recorder<'ctx>(module: &Module<'ctx>, symbols: &Symbols<'ctx>) -> FunctionValue<'ctx> {
    if let Some(known) = module.get_function(names::TRACE_MESSAGE) {
        return known;
    }
    let (context, word) = (symbols.context(), symbols.word());
    let kind = word.fn_type(&[word.into(); 2], false);
    let function = module.add_function(names::TRACE_MESSAGE, kind, None);
    llvm::make_replaceable(module, function.as_global_value());
    for name in ["nounwind", "noinline"] {
        let kind = Attribute::get_named_enum_kind_id(name);
        function.add_attribute(AttributeLoc::Function, context.create_enum_attribute(kind, 0));
    }
    let builder = context.create_builder();
    builder.position_at_end(context.append_basic_block(function, ""));
    builder.build_return(Some(&word.const_zero())).expect("positioned");
    function
}
