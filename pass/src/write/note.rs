//! The note by which the array of a unit is found in an image that another linker made.
//!
//! Nothing in the code refers to the note. It is in the array's COMDAT group, so a linker keeps
//! both or drops both: `ld.pathld` brings its own array, and other linkers may collect garbage.
//! Only link-time optimisation may keep the array without the note.

use inkwell::module::{Linkage, Module};
use inkwell::values::{BasicValueEnum, GlobalValue, IntValue};
use pathformat::settings::Threads;
use pathformat::{ModuleId, note};

use crate::llvm;

/// Adds the note of a module's array, which stands before its keys.
pub(super) fn add<'ctx>(
    module: &Module<'ctx>,
    array: GlobalValue<'ctx>,
    id: ModuleId,
    [counters, keys]: [u64; 2],
    threads: Threads,
) {
    let context = module.get_context();
    let (byte, half, word) = (context.i8_type(), context.i32_type(), context.i64_type());
    let bytes = |bytes: &[u8]| {
        let values: Vec<IntValue<'_>> =
            bytes.iter().map(|&value| byte.const_int(value.into(), false)).collect();
        BasicValueEnum::from(byte.const_array(&values))
    };
    let number = |value: u32| BasicValueEnum::from(half.const_int(value.into(), false));
    let long = |value: u64| BasicValueEnum::from(word.const_int(value, false));
    let head = note::head(note::Kind::Array);
    let tail = [long(counters), long(keys), number(threads.code()), number(0)];
    let parts = |distance| {
        let content = [bytes(&id.0), distance];
        [&[bytes(&head)][..], &content, &tail].concat()
    };
    let kind = context.const_struct(&parts(long(0)), true).get_type();
    let global = module.add_global(kind, None, "path.note");
    // The distance is counted from its own word.
    let before = half.const_int((head.len() + id.0.len()) as u64, false);
    // LLVM knows a distance that needs no relocation by this form.
    // SAFETY: the word is in the note.
    let place = unsafe { global.as_pointer_value().const_in_bounds_gep(byte, &[before]) };
    let distance = array.as_pointer_value().const_to_int(word).const_sub(place.const_to_int(word));
    global.set_initializer(&context.const_struct(&parts(distance.into()), true));
    global.set_constant(true);
    global.set_alignment(note::ALIGNMENT);
    global.set_section(Some(note::SECTION));
    global.set_linkage(Linkage::Private);
    if let Some(group) = array.get_comdat() {
        global.set_comdat(group);
    }
    llvm::keep(global);
}
