//! Steps a counter by inline assembly, which is one instruction whatever compiles it: neither a
//! signal whose handler steps the same counter, nor the end of the process, interrupts it in its
//! middle. Sanitizers see no access in it.

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::builder::Builder;
use inkwell::context::ContextRef;
use inkwell::types::BasicMetadataTypeEnum;
use inkwell::values::{BasicMetadataValueEnum, CallSiteValue, IntValue, PointerValue};

use super::counter::{Counter, Step};

/// LLVM's code for "reads and writes nothing but what its arguments point to"
/// (`llvm/Support/ModRef.h`).
const ARGUMENTS_ONLY: u64 = 3;

/// LLVM's code for "neither reads nor writes memory", as far as LLVM is concerned.
pub(super) const NO_MEMORY: u64 = 0;

/// The registers that the instruction changes besides the counter.
const CLOBBERS: &str = "~{dirflag},~{fpsr},~{flags}";

/// Steps the counter that `address` leads to. LLVM chooses how the instruction says the address.
pub(super) fn step_at_address<'ctx>(
    context: ContextRef<'ctx>,
    builder: &Builder<'ctx>,
    address: PointerValue<'ctx>,
    step: Step<'ctx>,
) {
    let (text, amount) = instruction(step, "$0", 2);
    let of_amount = if amount.is_some() { ",r" } else { "" };
    let constraints = format!("=*m,*m{of_amount},{CLOBBERS}");
    let mut arguments = vec![address.into(), address.into()];
    arguments.extend(amount.map(BasicMetadataValueEnum::from));
    let call = call(context, builder, text, constraints, false, &arguments);
    let element = context.create_type_attribute(
        Attribute::get_named_enum_kind_id("elementtype"),
        context.i64_type().into(),
    );
    call.add_attribute(AttributeLoc::Param(0), element);
    call.add_attribute(AttributeLoc::Param(1), element);
    promise(context, call, Some(ARGUMENTS_ONLY));
}

/// Steps a counter by an instruction that computes the address itself. Without optimisation LLVM
/// would compute it by up to three instructions.
pub(super) fn step_by_parts<'ctx>(
    context: ContextRef<'ctx>,
    builder: &Builder<'ctx>,
    counter: Counter<'ctx>,
    displacement: i32,
    step: Step<'ctx>,
) {
    let displacement = context.i64_type().const_int(i64::from(displacement) as u64, true);
    let mut arguments = vec![counter.base.into(), displacement.into()];
    arguments.extend(counter.index.map(BasicMetadataValueEnum::from));
    let address = if counter.index.is_some() { "${1:c}($0,$2,8)" } else { "${1:c}($0)" };
    let (text, amount) = instruction(step, address, arguments.len());
    arguments.extend(amount.map(BasicMetadataValueEnum::from));
    let registers = ",r".repeat(arguments.len() - 2);
    let constraints = format!("r,i{registers},~{{memory}},{CLOBBERS}");
    let call = call(context, builder, text, constraints, true, &arguments);
    promise(context, call, None);
}

/// The instruction, and the amount that it adds, which is operand `number`.
fn instruction<'ctx>(
    step: Step<'ctx>,
    address: &str,
    number: usize,
) -> (String, Option<IntValue<'ctx>>) {
    match step {
        Step::Up => (format!("incq {address}"), None),
        Step::Down => (format!("decq {address}"), None),
        Step::By(amount) => (format!("addq ${number}, {address}"), Some(amount)),
    }
}

fn call<'ctx>(
    context: ContextRef<'ctx>,
    builder: &Builder<'ctx>,
    text: String,
    constraints: String,
    has_effects: bool,
    arguments: &[BasicMetadataValueEnum<'ctx>],
) -> CallSiteValue<'ctx> {
    let kind = |argument: &BasicMetadataValueEnum<'ctx>| match argument {
        BasicMetadataValueEnum::PointerValue(pointer) => pointer.get_type().into(),
        _ => BasicMetadataTypeEnum::from(context.i64_type()),
    };
    let kinds: Vec<_> = arguments.iter().map(kind).collect();
    let kind = context.void_type().fn_type(&kinds, false);
    let code = context.create_inline_asm(kind, text, constraints, has_effects, false, None, false);
    builder.build_indirect_call(kind, code, arguments, "").expect("positioned")
}

/// Says that a call always comes back, and what memory it touches, if that is known.
pub(super) fn promise<'ctx>(
    context: ContextRef<'ctx>,
    call: CallSiteValue<'ctx>,
    memory: Option<u64>,
) {
    let memory = memory.map(|memory| ("memory", memory));
    for (name, value) in [("nounwind", 0), ("willreturn", 0)].into_iter().chain(memory) {
        let known = context.create_enum_attribute(Attribute::get_named_enum_kind_id(name), value);
        call.add_attribute(AttributeLoc::Function, known);
    }
}
