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
use crate::llvm::{self, Demangled, FunctionFacts};
use crate::options::{Options, Part};

/// True if a function that is declared so begins the part, and has code now that can say so.
pub(crate) fn begins_part(
    function: FunctionValue<'_>,
    declaration: &Declaration,
    part: &Part,
) -> bool {
    !FunctionFacts::of(function).is_unsplit_coroutine() && is_meant(function, declaration, part)
}

/// True if a function that is declared so begins the part.
fn is_meant(function: FunctionValue<'_>, declaration: &Declaration, part: &Part) -> bool {
    let facts = FunctionFacts::of(function);
    let may_call = !facts.is_naked()
        && !facts.is_not_to_be_profiled()
        && !facts.has_funclets()
        && !llvm::is_called_by_compiler(&declaration.name);
    let Some(symbol) = entered(&declaration.name).filter(|_| may_call) else { return false };
    let matches = |names: [&str; 6]| {
        let mut names = names.into_iter().filter(|name| !name.is_empty());
        names.any(|name| glob::matches_name(&part.function, name))
    };
    if symbol == declaration.name {
        return matches(declaration.names());
    }
    let Demangled { whole, short, plain, base } = &llvm::demangled(symbol);
    matches([symbol, whole, short, plain, base, &declaration.qualified])
}

/// The symbol of the function that is entered where the function with this symbol is: that of which
/// it is a copy for some arguments. `None` if it is the rest of a coroutine.
pub(crate) fn entered(symbol: &str) -> Option<&str> {
    let of_copy = |symbol: &str| {
        let (copy, number) = symbol.rsplit_once('.')?;
        let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
        copy.strip_suffix(".specialized").filter(|_| is_number).map(str::len)
    };
    let mut symbol = symbol;
    while let Some(length) = of_copy(symbol) {
        symbol = &symbol[..length];
    }
    let is_rest = [".resume", ".destroy", ".cleanup"].iter().any(|end| symbol.ends_with(end));
    let is_rest = is_rest || symbol.contains(".__await_suspend_wrapper__");
    (!is_rest).then_some(symbol)
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
            && is_meant(function, &Declaration::of(function, ""), part)
    });
    let mut is_changed = false;
    for function in kept {
        let attribute = module.get_context().create_enum_attribute(no_inline, 0);
        function.add_attribute(AttributeLoc::Function, attribute);
        is_changed = true;
    }
    is_changed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_entries_of_their_function() {
        for symbol in ["f", "f.specialized.1", "f.specialized.12.specialized.3"] {
            assert_eq!(entered(symbol), Some("f"), "{symbol}");
        }
        for symbol in ["f.specialized", "f.1", "specialized.1", "f.llvm.7", "f.specialized.x"] {
            assert_eq!(entered(symbol), Some(symbol));
        }
        for symbol in [
            "f.resume",
            "f.destroy",
            "f.cleanup",
            "f.resume.specialized.1",
            "f.__await_suspend_wrapper__init",
        ] {
            assert_eq!(entered(symbol), None, "{symbol}");
        }
    }
}
