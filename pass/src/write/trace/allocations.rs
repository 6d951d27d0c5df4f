//! Writes what records that memory was allocated or freed.
//!
//! The event stands between two paths: the one that ended before the call, and the one that goes on
//! behind it. So the thread's word says where it goes. What frees is recorded before the call, so
//! that nobody can have the memory again by then, and what allocates behind it. What may do both
//! takes the ticket of the free before the call.

use std::mem::offset_of;

use inkwell::IntPredicate;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::builder::Builder;
use inkwell::module::Module;
use inkwell::values::{
    BasicValue, BasicValueEnum, FunctionValue, InstructionValue, IntValue, PointerValue,
};
use pathformat::names;
use pathformat::trace::{Allocation as Payload, RecordKind};
use paths::cfg::Block;

use crate::llvm;
use crate::read::allocations::{self, AddressSource, Allocation, Size};
use crate::read::graph::Graph;
use crate::write::position::Position;

use super::symbols::Symbols;

/// The parameter of the function that records which is the address that is free now.
const FORMER: usize = 2;

/// Its parameter which is a ticket.
const TICKET: usize = 3;

/// Writes it for all calls of a function, by calls of the `recorder` of the unit. The ends and
/// starts of paths around them are written.
pub(super) fn write<'ctx>(
    graph: &Graph<'ctx>,
    position: &Position<'_, 'ctx>,
    symbols: &Symbols<'ctx>,
    recorder: FunctionValue<'ctx>,
) {
    for block in graph.cfg.blocks() {
        let calls: Vec<_> = graph.calls(block).collect();
        for call in calls {
            if let Some(allocation) = allocations::of(call)
                && let Some(before) = position_at(position, symbols, block, call, allocation)
            {
                let (builder, word) = (&position.builder, symbols.word());
                let number = |value: PointerValue<'ctx>| {
                    builder.build_ptr_to_int(value, word, "").expect("a pointer is a number")
                };
                let address =
                    allocation.address.map(|source| address(builder, symbols, call, source));
                let size = size(builder, symbols, call, allocation);
                let former =
                    allocation.former.map(|at| number(argument(call, at).into_pointer_value()));
                let former = match (address, former) {
                    (Some(address), Some(former)) => freed(builder, [address, size, former]),
                    (_, former) => former.unwrap_or(word.const_zero()),
                };
                let address = address.unwrap_or(word.const_zero());
                let values = [address, size, former, before].map(Into::into);
                builder.build_call(recorder, &values, "").expect("positioned");
            }
        }
    }
}

/// Positions the builder where a call is recorded. Gives the ticket before a call that may free
/// memory and allocate other memory, else 0; none if the call is recorded nowhere.
fn position_at<'ctx>(
    position: &Position<'_, 'ctx>,
    symbols: &Symbols<'ctx>,
    block: Block,
    call: InstructionValue<'ctx>,
    allocation: Allocation,
) -> Option<IntValue<'ctx>> {
    let builder = &position.builder;
    builder.position_before(&call);
    let none = symbols.word().const_zero();
    if allocation.address.is_none() {
        return Some(none);
    }
    let before = if allocation.former.is_some() { symbols.ticket(builder) } else { none };
    position.behind_call(block, call).then_some(before)
}

fn argument<'ctx>(call: InstructionValue<'ctx>, at: u32) -> BasicValueEnum<'ctx> {
    llvm::argument(call, at).expect("the call has its operands")
}

/// Where the new memory starts, or 0.
fn address<'ctx>(
    builder: &Builder<'ctx>,
    symbols: &Symbols<'ctx>,
    call: InstructionValue<'ctx>,
    source: AddressSource,
) -> IntValue<'ctx> {
    let word = symbols.word();
    let number = |value: PointerValue<'ctx>| {
        builder.build_ptr_to_int(value, word, "").expect("a pointer is a number")
    };
    let (failed, address) = match source {
        AddressSource::Returned => return number(llvm::result(call).into_pointer_value()),
        AddressSource::ReturnedOrFailed => {
            let address = number(llvm::result(call).into_pointer_value());
            let failure = word.const_all_ones();
            (builder.build_int_compare(IntPredicate::EQ, address, failure, ""), address)
        }
        AddressSource::Stored(at) => {
            let result = llvm::result(call).into_int_value();
            let success = result.get_type().const_zero();
            let stored = symbols.load(builder, argument(call, at).into_pointer_value());
            (builder.build_int_compare(IntPredicate::NE, result, success, ""), number(stored))
        }
    };
    let failed = failed.expect("two numbers");
    let address = builder.build_select(failed, word.const_zero(), address, "");
    address.expect("two numbers").into_int_value()
}

/// The memory that is free behind a call that moves it to a new `address`, or 0: a call that
/// failed, which asked for some size and got nothing, leaves the memory where it was.
fn freed<'ctx>(
    builder: &Builder<'ctx>,
    [address, size, former]: [IntValue<'ctx>; 3],
) -> IntValue<'ctx> {
    let zero = address.get_type().const_zero();
    let is = |predicate, value| {
        builder.build_int_compare(predicate, value, zero, "").expect("two numbers")
    };
    let (nothing, something) = (is(IntPredicate::EQ, address), is(IntPredicate::NE, size));
    let failed = builder.build_and(nothing, something, "").expect("two bits");
    builder.build_select(failed, zero, former, "").expect("two numbers").into_int_value()
}

/// The size that the operands make up; 0 if there are none.
fn size<'ctx>(
    builder: &Builder<'ctx>,
    symbols: &Symbols<'ctx>,
    call: InstructionValue<'ctx>,
    allocation: Allocation,
) -> IntValue<'ctx> {
    let sizes = allocation.size.operands().map(|at| argument(call, at).into_int_value());
    let size = sizes.reduce(|first, second| {
        let both = match allocation.size {
            Size::Product(_) => builder.build_int_mul(first, second, ""),
            Size::Sum(_) => builder.build_int_add(first, second, ""),
        };
        both.expect("two numbers of one type")
    });
    size.unwrap_or(symbols.word().const_zero())
}

/// Defines the function that records an event with the values it is given: the address, the size,
/// the address that is free now, and the ticket before that. It takes a ticket, for each of the two
/// that has none. It does nothing if the runtime has just recorded the same memory, since the
/// executable hands on the calls of the allocator (`tracer/src/allocations.rs`).
pub(super) fn define<'ctx>(module: &Module<'ctx>, symbols: &Symbols<'ctx>) -> FunctionValue<'ctx> {
    let (context, word) = (symbols.context(), symbols.word());
    let kind = context.void_type().fn_type(&[word.into(); 4], false);
    let function = module.add_function(names::TRACE_ALLOCATED, kind, None);
    llvm::make_replaceable(module, function.as_global_value());
    for name in ["nounwind", "noinline"] {
        let kind = Attribute::get_named_enum_kind_id(name);
        function.add_attribute(AttributeLoc::Function, context.create_enum_attribute(kind, 0));
    }
    let builder = context.create_builder();
    let entry = context.append_basic_block(function, "");
    let [look, test, full, write, done] =
        std::array::from_fn(|_| context.append_basic_block(function, ""));
    builder.position_at_end(entry);
    let known = symbols.block(&builder);
    let next = symbols.load(&builder, known);
    let limit = symbols.load(&builder, symbols.behind(&builder, known, size_of::<u64>()));
    let [reached, limit] = [next, limit]
        .map(|place| builder.build_ptr_to_int(place, word, "").expect("a pointer is a number"));
    let mut values: Vec<_> = function.get_param_iter().collect();
    let [address, former] = [0, FORMER].map(|at| values[at].into_int_value());
    // A thread without room has no records.
    let has_room = builder.build_int_compare(IntPredicate::NE, limit, word.const_zero(), "");
    builder
        .build_conditional_branch(has_room.expect("two numbers"), look, full)
        .expect("positioned");
    builder.position_at_end(look);
    let is_told = is_told(&builder, symbols, reached, [address, former]);
    builder.build_conditional_branch(is_told, done, test).expect("positioned");
    builder.position_at_end(test);
    let is_full = builder.build_int_compare(IntPredicate::UGE, reached, limit, "path.full");
    builder
        .build_conditional_branch(is_full.expect("two numbers"), full, write)
        .expect("positioned");
    builder.position_at_end(full);
    let room = symbols.room(&builder);
    let new = symbols.block(&builder);
    builder.build_unconditional_branch(write).expect("positioned");
    builder.position_at_end(write);
    let either = |before, after, name| {
        let place = builder.build_phi(next.get_type(), name).expect("positioned");
        place.add_incoming(&[(&before as &dyn BasicValue<'ctx>, test), (&after, full)]);
        place.as_basic_value().into_pointer_value()
    };
    let record = either(next, room, "path.record");
    let block = either(known, new, "path.block");
    let mut place = symbols.behind(&builder, record, size_of::<u32>());
    let ticket = symbols.ticket(&builder);
    let before = values[TICKET].into_int_value();
    let is_none = builder.build_int_compare(IntPredicate::EQ, before, word.const_zero(), "");
    let before = builder.build_select(is_none.expect("two numbers"), ticket, before, "");
    values[TICKET] = before.expect("two numbers");
    for value in values.into_iter().chain([ticket.into()]) {
        symbols.store(&builder, place, value);
        place = symbols.behind(&builder, place, size_of::<u64>());
    }
    symbols.store(&builder, record, event(symbols));
    symbols.store(&builder, block, place);
    builder.build_unconditional_branch(done).expect("positioned");
    builder.position_at_end(done);
    builder.build_return(None).expect("positioned");
    function
}

/// The word that an event starts with.
fn event<'ctx>(symbols: &Symbols<'ctx>) -> IntValue<'ctx> {
    let word = RecordKind::Allocated.word(size_of::<Payload>() as u32);
    symbols.context().i32_type().const_int(word.into(), false)
}

/// Whether the last record before `next` is an event that says of these addresses that one is
/// allocated, and that the other one is free. One of them may be 0.
fn is_told<'ctx>(
    builder: &Builder<'ctx>,
    symbols: &Symbols<'ctx>,
    next: IntValue<'ctx>,
    [address, former]: [IntValue<'ctx>; 2],
) -> IntValue<'ctx> {
    let kind = symbols.context().ptr_type(Default::default());
    let length = (size_of::<u32>() + size_of::<Payload>()) as u64;
    let length = symbols.word().const_int(length, false);
    let start = builder.build_int_sub(next, length, "").expect("two numbers");
    let start = builder.build_int_to_ptr(start, kind, "").expect("a number is a pointer");
    let is = |predicate, one, other| {
        builder.build_int_compare(predicate, one, other, "").expect("two numbers")
    };
    let word_at = |offset| {
        let place = symbols.behind(builder, start, size_of::<u32>() + offset);
        symbols.number_at(builder, place, symbols.word())
    };
    let event = event(symbols);
    let first = symbols.number_at(builder, start, event.get_type());
    let either = builder.build_or(address, former, "").expect("two numbers");
    let all = [
        is(IntPredicate::EQ, first, event),
        is(IntPredicate::EQ, word_at(offset_of!(Payload, address)), address),
        is(IntPredicate::EQ, word_at(offset_of!(Payload, former)), former),
        is(IntPredicate::NE, either, symbols.word().const_zero()),
    ];
    let both = |one, other| builder.build_and(one, other, "").expect("two bits");
    all.into_iter().reduce(both).expect("there are some")
}
