//! Writes what begins the part of a run that is traced: code at the entry of a function counts how
//! often it is entered.
//!
//! It stands before everything else that the function does, and the function's first path takes up
//! what the thread's word says behind it. So that path is the first one of the part. Each function
//! has one counter in an image, also where its copies were inlined or come from several units.

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::module::{Linkage, Module};
use inkwell::values::{BasicValue, FunctionValue, GlobalValue, IntValue};
use inkwell::{AtomicOrdering, AtomicRMWBinOp, GlobalVisibility, IntPredicate};
use pathformat::names;
use pathformat::settings::Mode;

use crate::llvm;
use crate::options::{Options, Part};
use crate::read::Unit;
use crate::read::entries::{begins_part, entered};

use super::position::first_after_slots;

/// Writes it for the functions of a unit. All else is written.
pub(super) fn write(module: &Module<'_>, unit: &Unit<'_>, options: &Options) {
    let Some(part) = options.part.as_ref().filter(|_| options.mode == Mode::Trace) else { return };
    if options.skip.is_some() || !options.has_words {
        return;
    }
    let resolvers = llvm::ifunc_resolvers(module);
    let functions = unit.definitions.iter().filter(|definition| {
        begins_part(definition.function, &definition.declaration, part)
            && !resolvers.contains(&definition.function)
    });
    let functions: Vec<_> = functions.map(|definition| definition.function).collect();
    if functions.is_empty() {
        return;
    }
    let counts = define(module);
    for function in functions {
        call(module, function, part, counts);
    }
}

/// Lets a function call what counts its entries, until there is nothing more to count.
fn call<'ctx>(
    module: &Module<'ctx>,
    function: FunctionValue<'_>,
    part: &Part,
    counts: FunctionValue<'ctx>,
) {
    let context = module.get_context();
    let word = context.i64_type();
    let Some(entry) = function.get_first_basic_block() else { return };
    let first = first_after_slots(entry);
    let counter = counter(module, function).as_pointer_value();
    let builder = context.create_builder();
    builder.position_before(&first);
    let entered = builder.build_load(word, counter, "path.entered").expect("positioned");
    let load = entered.as_instruction_value().expect("a load is an instruction");
    load.set_atomic_ordering(AtomicOrdering::Monotonic).expect("a word can be atomic");
    let kind = context.get_kind_id("nosanitize");
    load.set_metadata(context.metadata_node(&[]), kind).expect("a node can be attached");
    let last = word.const_int(part.end.unwrap_or(part.first), false);
    let entered = entered.into_int_value();
    let counting = builder.build_int_compare(IntPredicate::ULT, entered, last, "path.counting");
    let branch = llvm::add_cold_branch(counting.expect("two numbers"), first);
    builder.position_before(&branch);
    let numbers = [part.first, part.end.unwrap_or(0)].map(|number| word.const_int(number, false));
    let arguments = [counter.into(), numbers[0].into(), numbers[1].into()];
    builder.build_call(counts, &arguments, "").expect("positioned");
    llvm::forget_purity(function);
}

/// The number of entries of a function, its copies included. A function that several units define
/// has one counter.
fn counter<'ctx>(module: &Module<'ctx>, function: FunctionValue<'_>) -> GlobalValue<'ctx> {
    let symbol = llvm::name(&function);
    let symbol = entered(&symbol).unwrap_or(&symbol);
    let name = format!("{}{symbol}", names::ENTERED_PREFIX);
    if let Some(counter) = module.get_global(&name) {
        return counter;
    }
    let word = module.get_context().i64_type();
    let counter = module.add_global(word, None, &name);
    counter.set_initializer(&word.const_zero());
    counter.set_alignment(8);
    // A copy belongs to the unit, while other units may enter the function itself.
    let own = module.get_function(symbol).map_or(function.get_linkage(), |of| of.get_linkage());
    match own {
        Linkage::Internal | Linkage::Private | Linkage::LinkerPrivate => {
            counter.set_linkage(Linkage::Internal);
        }
        _ => llvm::make_replaceable(module, counter),
    }
    counter
}

/// Defines what counts an entry, and begins or ends the part. It is given the counter, the entry
/// that begins the part, and the one that ends it or 0.
fn define<'ctx>(module: &Module<'ctx>) -> FunctionValue<'ctx> {
    let context = module.get_context();
    let word = context.i64_type();
    let [ends, begins] = names::REGION_FUNCTIONS.map(|name| switch(module, name));
    let pointer = context.ptr_type(Default::default());
    let kind = context.void_type().fn_type(&[pointer.into(), word.into(), word.into()], false);
    let function = module.add_function(names::ENTERED, kind, Some(Linkage::Internal));
    for name in ["nounwind", "noinline", "cold"] {
        let kind = Attribute::get_named_enum_kind_id(name);
        function.add_attribute(AttributeLoc::Function, context.create_enum_attribute(kind, 0));
    }
    let builder = context.create_builder();
    builder.position_at_end(context.append_basic_block(function, ""));
    let counter = function.get_nth_param(0).expect("it has three").into_pointer_value();
    let one = word.const_int(1, false);
    let before = builder
        .build_atomicrmw(AtomicRMWBinOp::Add, counter, one, AtomicOrdering::Monotonic)
        .expect("a word can be atomic");
    let entry = builder.build_int_add(before, one, "").expect("two numbers");
    for (at, switch) in [(1, begins), (2, ends)] {
        let wanted = function.get_nth_param(at).expect("it has three").into_int_value();
        let [then, behind] = [(); 2].map(|()| context.append_basic_block(function, ""));
        let is_it = builder.build_int_compare(IntPredicate::EQ, entry, wanted, "");
        let is_it: IntValue<'_> = is_it.expect("two numbers");
        builder.build_conditional_branch(is_it, then, behind).expect("positioned");
        builder.position_at_end(then);
        builder.build_call(switch, &[], "").expect("positioned");
        builder.build_unconditional_branch(behind).expect("positioned");
        builder.position_at_end(behind);
    }
    builder.build_return(None).expect("positioned");
    function
}

/// A function that begins or ends a part, as `pathcc/trace.h` has it: it does nothing, unless the
/// linker defines another one in its place.
fn switch<'ctx>(module: &Module<'ctx>, name: &str) -> FunctionValue<'ctx> {
    module.get_function(name).unwrap_or_else(|| {
        let context = module.get_context();
        let switch = module.add_function(name, context.void_type().fn_type(&[], false), None);
        let builder = context.create_builder();
        builder.position_at_end(context.append_basic_block(switch, ""));
        builder.build_return(None).expect("positioned");
        llvm::make_replaceable(module, switch.as_global_value());
        switch.as_global_value().set_visibility(GlobalVisibility::Default);
        switch
    })
}
