//! The block log: every executed block is reported by a call. It is slow and obvious, and tests
//! compare counts with it.
//!
//! Each activation of a function gets a number, so that recursion and threads can be separated
//! offline. The end of a path is reported exactly where a path that ends in a block would be
//! counted. `block-log/src/log.rs` writes the file.

use inkwell::module::{Linkage, Module};
use inkwell::types::BasicMetadataTypeEnum;
use inkwell::values::{BasicMetadataValueEnum, FunctionValue, InstructionValue};
use pathformat::{ModuleId, names};
use paths::dag::{CutSite, DagEdgeKind};

use crate::llvm;
use crate::plan::PathPlan;

use super::function::Function;

/// Adds the calls to a function of module `id`.
pub(super) fn instrument<'ctx>(
    module: &Module<'ctx>,
    function: &Function<'_, 'ctx>,
    plan: &PathPlan,
    id: ModuleId,
) {
    let context = module.get_context();
    let (word, half, pointer) =
        (context.i64_type(), context.i32_type(), context.ptr_type(Default::default()));
    let declare = |name: &str, result: bool, parameters: &[BasicMetadataTypeEnum<'ctx>]| {
        module.get_function(name).unwrap_or_else(|| {
            let kind = if result {
                word.fn_type(parameters, false)
            } else {
                context.void_type().fn_type(parameters, false)
            };
            module.add_function(name, kind, None)
        })
    };
    let [enter, block, end] = names::LOG_FUNCTIONS;
    let enter = declare(enter, true, &[pointer.into(), half.into()]);
    let block = declare(block, false, &[word.into(), half.into()]);
    let end = declare(end, false, &[word.into()]);
    let identity = identity(module, id);

    let builder = context.create_builder();
    let call = |at: InstructionValue<'ctx>,
                callee: FunctionValue<'ctx>,
                arguments: &[BasicMetadataValueEnum<'ctx>]| {
        builder.position_before(&at);
        let call = builder.build_call(callee, arguments, "").expect("positioned");
        call.try_as_basic_value().basic()
    };
    let graph = function.graph;
    let frame: BasicMetadataValueEnum<'ctx> = {
        let at = llvm::first_insertion(graph.blocks[0]).expect("an entry block can hold code");
        let index = half.const_int(function.layout.index.0 as u64, false);
        call(at, enter, &[identity.as_pointer_value().into(), index.into()])
            .expect("enter gives a number")
            .into()
    };
    let dag = &plan.cut.dag;
    for edge in dag.edges() {
        let data = dag.edge(edge);
        if matches!(data.kind, DagEdgeKind::Leave | DagEdgeKind::End(CutSite::InBlock, _))
            && !graph.cfg.counts_above(data.from)
        {
            call(graph.end_point(data.from), end, &[frame]);
        }
    }
    for edge in graph.cfg.edges().filter(|&edge| graph.cfg.counts_above(graph.cfg.edge(edge).to)) {
        let data = graph.cfg.edge(edge);
        let at = if graph.cfg.successors(data.from).len() == 1 {
            graph.end_point(data.from)
        } else {
            let (from, to) = graph.ends(edge);
            let between = llvm::split_edge(from, to).unwrap_or(to);
            between.get_terminator().expect("every block has a terminator")
        };
        call(at, block, &[frame, half.const_int(u64::from(data.to.0), false).into()]);
        call(at, end, &[frame]);
    }
    for number in graph.cfg.blocks().filter(|&number| !graph.cfg.counts_above(number)) {
        let mut at = llvm::first_insertion(graph.block(number)).expect("a block can hold code");
        if number == paths::cfg::ENTRY {
            // Behind the call that gave the frame its number.
            at = at.get_next_instruction().expect("a block has a terminator");
        }
        call(at, block, &[frame, half.const_int(u64::from(number.0), false).into()]);
    }
    llvm::forget_purity(function.function);
}

/// A constant with the module's identity.
pub(super) fn identity<'ctx>(
    module: &Module<'ctx>,
    id: ModuleId,
) -> inkwell::values::GlobalValue<'ctx> {
    const NAME: &str = "__pathcc_log_module";
    module.get_global(NAME).unwrap_or_else(|| {
        let bytes = module.get_context().const_string(&id.0, false);
        let global = module.add_global(bytes.get_type(), None, NAME);
        global.set_initializer(&bytes);
        global.set_constant(true);
        global.set_linkage(Linkage::Private);
        global
    })
}
