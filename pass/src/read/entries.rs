//! Which functions begin the part of a run that is traced, when they are entered often enough.
//!
//! They are those whose names the option's glob matches, traced or not. Only code that cannot call
//! anything does not.

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::module::Module;
use inkwell::values::FunctionValue;
use pathformat::glob;
use pathformat::settings::{Mode, Stage};

use super::declaration::Declaration;
use super::eligible;
use crate::llvm::{self, FunctionFacts};
use crate::options::{Options, Part};

/// Whether a function that is declared so begins the part.
pub(crate) fn begins_part(
    function: FunctionValue<'_>,
    declaration: &Declaration,
    part: &Part,
) -> bool {
    let facts = FunctionFacts::of(function);
    let may_call = !facts.is_naked()
        && !facts.is_not_to_be_profiled()
        && !facts.has_funclets()
        && !facts.is_unsplit_coroutine()
        && !llvm::is_called_by_compiler(&declaration.name);
    let names = declaration.names();
    let mut names = names.iter().filter(|name| !name.is_empty());
    may_call && names.any(|name| glob::matches_name(&part.function, name))
}

/// Before optimisation: lets the functions that begin the part stay functions, so that each entry
/// is seen. True if the module was changed.
pub(crate) fn keep_apart(module: &Module<'_>, options: &Options) -> bool {
    let Some(part) = &options.part else { return false };
    if options.mode != Mode::Trace
        || options.stage != Stage::Late
        || !eligible::has_counted_target(module)
        || options.skip.is_some()
    {
        return false;
    }
    let [no_inline, always_inline] =
        ["noinline", "alwaysinline"].map(Attribute::get_named_enum_kind_id);
    let has = |function: FunctionValue<'_>, kind| {
        function.get_enum_attribute(AttributeLoc::Function, kind).is_some()
    };
    let kept = module.get_functions().filter(|&function| {
        function.count_basic_blocks() > 0
            && !has(function, always_inline)
            && !has(function, no_inline)
            && begins_part(function, &Declaration::of(function, ""), part)
    });
    let mut is_changed = false;
    for function in kept {
        let attribute = module.get_context().create_enum_attribute(no_inline, 0);
        function.add_attribute(AttributeLoc::Function, attribute);
        is_changed = true;
    }
    is_changed
}
