//! Says of shared loops of OpenMP that they are loops, where the compiler does not.
//!
//! libomp tells a tool what a team shares by flags that the compiler sets in the description of the
//! place. Where none is set, as in code of flang, it takes the construct for a loop, and prints a
//! warning that the compiler is too old. A program must not print what it prints only because it is
//! traced.

use inkwell::module::Module;
use inkwell::values::{BasicValueEnum, InstructionOpcode};

use crate::llvm;

/// The functions that give a thread its share of a loop begin with this.
const SHARE: &str = "__kmpc_for_static_init";

/// The place of the flags in the description of a place: `ident_t` of libomp.
const FLAGS: u32 = 1;

/// The flag of loops, and those of all constructs: `KMP_IDENT_WORK_LOOP` and others.
const LOOP: u64 = 0x200;
const ANY: u64 = 0xe00;

/// Sets the flag of each shared loop of a unit that has none.
pub(super) fn describe(module: &Module<'_>) {
    let blocks = module.get_functions().flat_map(|function| function.get_basic_blocks());
    let instructions = blocks.flat_map(|block| block.get_instructions());
    let calls = instructions.filter(|at| {
        matches!(at.get_opcode(), InstructionOpcode::Call | InstructionOpcode::Invoke)
            && llvm::callee(*at).is_some_and(|name| name.starts_with(SHARE))
    });
    for call in calls {
        let Some(BasicValueEnum::PointerValue(place)) = llvm::argument(call, 0) else { continue };
        let Some(global) = llvm::global(place) else { continue };
        let Some(BasicValueEnum::StructValue(known)) = global.get_initializer() else { continue };
        let mut fields: Vec<_> = known.get_fields().collect();
        let Some(BasicValueEnum::IntValue(flags)) = fields.get(FLAGS as usize).copied() else {
            continue;
        };
        let Some(set) = flags.get_zero_extended_constant().filter(|set| set & ANY == 0) else {
            continue;
        };
        fields[FLAGS as usize] = flags.get_type().const_int(set | LOOP, false).into();
        let kind = known.get_type();
        let described = if kind.get_name().is_some() {
            kind.const_named_struct(&fields)
        } else {
            module.get_context().const_struct(&fields, kind.is_packed())
        };
        global.set_initializer(&described);
    }
}
