//! Says in the image which functions are in it: the linker may drop any of them.
//!
//! Each instrumented function has a word that shares its fate: the word's section is linked to the function's
//! (`!associated`), and in its COMDAT group if there is one. So `--gc-sections`, duplicate inline functions and
//! link-time optimisation take the word along, and it stays in a stripped image, since it is loaded with it. Nobody reads it
//! at run time.

use inkwell::module::{Linkage, Module};
use inkwell::values::{AsValueRef, FunctionValue, GlobalValue};
use pathformat::{ModuleId, names};

use crate::llvm;

/// Adds the word of function number `index` in the manifest of module `id`.
pub(crate) fn declare<'ctx>(module: &Module<'ctx>, function: FunctionValue<'ctx>, id: ModuleId, index: usize) {
    // The word would not go where the function goes if the linker cannot see its name.
    let Some(word) = id.function_word(index) else { return };
    let kind = module.get_context().i64_type();
    let global: GlobalValue<'ctx> = module.add_global(kind, None, "__pathcc_function");
    global.set_initializer(&kind.const_int(word, false));
    global.set_constant(true);
    global.set_linkage(Linkage::Private);
    global.set_section(Some(names::FUNCTIONS_SECTION));
    global.set_alignment(8);
    llvm::tie(global.as_value_ref(), function);
}
