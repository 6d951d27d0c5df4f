//! Function markers: they tell which functions are in an image, since the linker may drop any of
//! them.
//!
//! A marker is a word in a section that is linked to the section of its function, and in the
//! function's COMDAT group if there is one. So `--gc-sections` and the removal of duplicate inline
//! functions take the marker with the function. The section is loaded, so a marker stays in a
//! stripped image. Nobody reads it at run time.
//!
//! Assembly in the entry block writes the marker. Assembly goes where the code goes, also where
//! link-time optimisation inlines it; a variable would have to be kept alive by something.

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::builder::Builder;
use inkwell::context::ContextRef;
use pathformat::{ModuleId, names};

/// Adds the word of function number `index` in the manifest of module `id`, where the builder
/// stands.
pub(super) fn declare<'ctx>(
    context: ContextRef<'ctx>,
    builder: &Builder<'ctx>,
    id: ModuleId,
    index: usize,
) {
    let Some(word) = id.function_word(index) else { return };
    let section = names::FUNCTIONS_SECTION;
    // A flag `o` links the section to that of the label, and `?` puts it into the group of the
    // section before.
    let text = format!(
        ".Lpathcc${{:uid}}:\n\t.pushsection {section},\"ao?\",@progbits,.Lpathcc${{:uid}}\n\t.quad {word:#x}\n\t.popsection"
    );
    let kind = context.void_type().fn_type(&[], false);
    let code = context.create_inline_asm(kind, text, String::new(), true, false, None, false);
    let call = builder.build_indirect_call(kind, code, &[], "").expect("positioned");
    for (name, value) in [("nounwind", 0), ("willreturn", 0), ("memory", 0)] {
        let attribute =
            context.create_enum_attribute(Attribute::get_named_enum_kind_id(name), value);
        call.add_attribute(AttributeLoc::Function, attribute);
    }
}
