//! Resolvers of ifuncs run before there are thread-local variables, and so does what they call,
//! wherever that is compiled.
//!
//! So a resolver first calls a function that makes the words of the thread, which `ld.pathld`
//! defines. In an object that another linker links this function does nothing, and nothing is
//! counted either.

use inkwell::module::Module;
use inkwell::values::FunctionValue;
use pathformat::names;
use pathformat::settings::Mode;

use crate::llvm::{self, FunctionFacts};
use crate::options::{Addressing, Options};

use super::position::first_after_slots;

/// Lets the resolvers of a module call it, if its code, or that of others like it, reads a word.
pub(crate) fn prepare(module: &Module<'_>, options: &Options) {
    if options.addressing != Addressing::Word || matches!(options.mode, Mode::Log | Mode::Trace) {
        return;
    }
    let resolvers = llvm::ifunc_resolvers(module);
    let resolvers = resolvers.into_iter().filter(|resolver| {
        resolver.count_basic_blocks() > 0 && !FunctionFacts::of(*resolver).is_naked()
    });
    for resolver in resolvers {
        let builder = module.get_context().create_builder();
        let Some(entry) = resolver.get_first_basic_block() else { continue };
        builder.position_before(&first_after_slots(entry));
        builder.build_call(early(module), &[], "").expect("positioned");
        llvm::forget_purity(resolver);
    }
}

/// The function, as an object has it.
fn early<'ctx>(module: &Module<'ctx>) -> FunctionValue<'ctx> {
    module.get_function(names::EARLY).unwrap_or_else(|| {
        let context = module.get_context();
        let early =
            module.add_function(names::EARLY, context.void_type().fn_type(&[], false), None);
        let builder = context.create_builder();
        builder.position_at_end(context.append_basic_block(early, ""));
        builder.build_return(None).expect("positioned");
        llvm::make_replaceable(module, early.as_global_value());
        early
    })
}
