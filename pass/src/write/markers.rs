//! Function markers: they show which functions are in an image, since the linker may drop any of
//! them.
//!
//! A marker is a word in a section that is linked to the section of its function, and in the
//! function's COMDAT group if there is one. So `--gc-sections` and the removal of duplicate inline
//! functions take the marker with the function. The section is loaded, so a marker stays in a
//! stripped image. Nobody reads it at run time.
//!
//! Assembly in the entry block writes the marker. Assembly goes where the code goes, also where
//! link-time optimisation inlines it; a variable would have to be kept alive by something.
//!
//! The addresses of variables, from which those of a trace are computed, are written in the same
//! way.

use inkwell::AddressSpace;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::builder::Builder;
use inkwell::context::ContextRef;
use inkwell::types::BasicMetadataTypeEnum;
use inkwell::values::GlobalValue;
use pathformat::{ModuleId, names};

use crate::layout::FunctionIndex;

/// The most variables that one statement names.
const NAMED: usize = 16;

/// Adds the word of function `index` of module `id`, where the builder stands.
pub(super) fn declare<'ctx>(
    context: ContextRef<'ctx>,
    builder: &Builder<'ctx>,
    id: ModuleId,
    index: FunctionIndex,
) {
    let Some(word) = id.function_word(index.0) else { return };
    add(context, builder, names::FUNCTIONS_SECTION, &format!("\t.quad {word:#x}\n"), &[]);
}

/// Assembly of the same word, for the machine code of the function.
pub(super) fn text(id: ModuleId, index: FunctionIndex) -> Option<String> {
    let word = id.function_word(index.0)?;
    Some(assembly(names::FUNCTIONS_SECTION, &format!("\t.quad {word:#x}\n")))
}

/// Adds the addresses of the variables that function `index` of module `id` names.
pub(super) fn declare_variables<'ctx>(
    context: ContextRef<'ctx>,
    builder: &Builder<'ctx>,
    id: ModuleId,
    index: FunctionIndex,
    variables: &[GlobalValue<'ctx>],
) {
    let Some(word) = id.function_word(index.0) else { return };
    for (chunk, variables) in variables.chunks(NAMED).enumerate() {
        let line = |at: usize| {
            let variable = chunk * NAMED + at;
            format!("\t.quad {word:#x}, {variable}\n\t.quad ${{{at}:c}}-.\n")
        };
        let lines: String = (0..variables.len()).map(line).collect();
        add(context, builder, names::VARIABLES_SECTION, &lines, variables);
    }
}

/// Adds assembly to a section that is linked to that of the code where the builder stands.
fn add<'ctx>(
    context: ContextRef<'ctx>,
    builder: &Builder<'ctx>,
    section: &str,
    lines: &str,
    variables: &[GlobalValue<'ctx>],
) {
    let text = assembly(section, lines);
    let pointer = BasicMetadataTypeEnum::from(context.ptr_type(AddressSpace::default()));
    let kind = context.void_type().fn_type(&vec![pointer; variables.len()], false);
    let places = vec!["i"; variables.len()].join(",");
    let code = context.create_inline_asm(kind, text, places, true, false, None, false);
    let variables: Vec<_> = variables.iter().map(|of| of.as_pointer_value().into()).collect();
    let call = builder.build_indirect_call(kind, code, &variables, "").expect("positioned");
    for (name, value) in [("nounwind", 0), ("willreturn", 0), ("memory", 0)] {
        let attribute =
            context.create_enum_attribute(Attribute::get_named_enum_kind_id(name), value);
        call.add_attribute(AttributeLoc::Function, attribute);
    }
}

/// Assembly that puts `lines` into a section that is linked to that of the code around it.
fn assembly(section: &str, lines: &str) -> String {
    // A flag `o` links the section to that of the label, and `?` puts it into the group of the
    // section before. The relocation does nothing but keep the section where the code is kept: gold
    // and older releases of mold do not look at the link.
    let label = ".Lpathcc${:uid}";
    format!(
        "{label}:\n\t.reloc {label}, R_X86_64_NONE, {label}.kept\n\
         \t.pushsection {section},\"ao?\",@progbits,{label}\n{label}.kept:\n{lines}\t.popsection"
    )
}
