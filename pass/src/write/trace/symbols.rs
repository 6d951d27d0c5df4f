//! The symbols that the code of a trace uses: the common block of threads, the distance from there
//! to a thread's own, the function that makes room, the tickets, and the unit's array.
//!
//! An object has definitions of its own of all of them, so that it runs whichever linker links it.
//! `ld.pathld` defines all but the tickets again. All but the array are those of the process, not
//! of the image: its other images may have been compiled otherwise, and the order of all that runs
//! is one.

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::builder::Builder;
use inkwell::context::ContextRef;
use inkwell::module::{Linkage, Module};
use inkwell::types::{FunctionType, IntType};
use inkwell::values::{
    BasicValue, BasicValueEnum, FunctionValue, GlobalValue, InstructionValue, IntValue,
    MetadataValue, PointerValue,
};
use inkwell::{
    AddressSpace, AtomicOrdering, AtomicRMWBinOp, GlobalVisibility, IntPredicate, ThreadLocalMode,
};
use pathformat::descriptor::trace_block;
use pathformat::trace::LONGEST_RECORD;
use pathformat::{ModuleId, names};

use crate::llvm;
use crate::plan::{NUMBER, Records};

/// LLVM's number of the calling convention `preserve_allcc`, which keeps all registers.
const PRESERVE_ALL: u32 = 15;

/// LLVM's address space of what `%fs` points to.
const THREAD_SEGMENT: u16 = 257;

/// The symbols of a unit.
pub(crate) struct Symbols<'ctx> {
    context: ContextRef<'ctx>,
    array: GlobalValue<'ctx>,
    room: FunctionValue<'ctx>,
    not_sanitized: (MetadataValue<'ctx>, u32),
    /// True if thread-local memory has to be reached without a segment.
    is_shadowed: bool,
}

impl<'ctx> Symbols<'ctx> {
    /// Defines them in a unit whose array has `length` words.
    pub(crate) fn define(
        module: &Module<'ctx>,
        id: ModuleId,
        length: u64,
        is_shadowed: bool,
    ) -> Self {
        let context = module.get_context();
        let word = context.i64_type();
        let kind = word.array_type(u32::try_from(length).unwrap_or(u32::MAX));
        let array = module.add_global(kind, None, &format!("{}{id}", names::COUNTERS_PREFIX));
        array.set_initializer(&kind.const_zero());
        array.set_alignment(64);
        llvm::make_replaceable(module, array);
        // The index of a ThinLTO that other tools distribute knows no other definition, and would
        // make it a constant.
        llvm::keep(array);

        let kind = word.array_type((trace_block::SIZE / 8) as u32);
        let block = module.add_global(kind, None, names::TRACE_BLOCK);
        block.set_initializer(&kind.const_zero());
        block.set_alignment(trace_block::ALIGNMENT as u32);
        share(module, block);

        let distance = module.add_global(word, None, names::TRACE_DISTANCE);
        distance.set_initializer(&word.const_zero());
        distance.set_alignment(8);
        distance.set_thread_local_mode(Some(ThreadLocalMode::InitialExecTLSModel));
        share(module, distance);

        let tickets = module.add_global(word, None, names::TRACE_TICKETS);
        tickets.set_initializer(&word.const_zero());
        // Threads write it often: nothing else is to be in its line.
        tickets.set_alignment(64);
        share(module, tickets);

        let not_sanitized = (context.metadata_node(&[]), context.get_kind_id("nosanitize"));
        Self { context, array, room: room(module), not_sanitized, is_shadowed }
    }

    /// The context that the module's types live in.
    pub(crate) fn context(&self) -> ContextRef<'ctx> {
        self.context
    }

    /// The type of numbers.
    pub(crate) fn word(&self) -> IntType<'ctx> {
        self.context.i64_type()
    }

    /// The address of the thread's block, which begins with its two words, by code that links into
    /// anything. LLVM would assume that what is not meant for a library is in an executable, but
    /// linkers put it into libraries too. In executables they may replace both loads from the table
    /// of addresses.
    ///
    /// Shadow memory is found by an address without a segment.
    pub(crate) fn block(&self, builder: &Builder<'ctx>) -> PointerValue<'ctx> {
        let mut text = format!("movq {}@GOTTPOFF(%rip), $0", names::TRACE_DISTANCE);
        let mut segment = THREAD_SEGMENT;
        if self.is_shadowed {
            text.push_str("\n\taddq %fs:0, $0");
            segment = 0;
        }
        let word = self.word();
        let place = self.constant_code(builder, word.fn_type(&[], false), text, "path.own");
        let kind = self.context.ptr_type(AddressSpace::from(segment));
        let place = builder.build_int_to_ptr(place.into_int_value(), kind, "");
        let distance = self.number_at(builder, place.expect("a number is a pointer"), word);
        let common = self.address(builder, names::TRACE_BLOCK, "path.common");
        // SAFETY: not `inbounds`.
        unsafe { builder.build_gep(self.context.i8_type(), common, &[distance], "path.block") }
            .expect("positioned")
    }

    /// The address of a variable that images share, by code that links into anything.
    fn address(&self, builder: &Builder<'ctx>, variable: &str, name: &str) -> PointerValue<'ctx> {
        let pointer = self.context.ptr_type(AddressSpace::default());
        let text = format!("movq {variable}@GOTPCREL(%rip), $0");
        self.constant_code(builder, pointer.fn_type(&[], false), text, name).into_pointer_value()
    }

    /// The result of an instruction that reads only constants of the process.
    fn constant_code(
        &self,
        builder: &Builder<'ctx>,
        kind: FunctionType<'ctx>,
        text: String,
        name: &str,
    ) -> BasicValueEnum<'ctx> {
        let constraints = if self.is_shadowed { "=r,~{flags}" } else { "=r" };
        let code = self.context.create_inline_asm(
            kind,
            text,
            constraints.into(),
            false,
            false,
            None,
            false,
        );
        let call = builder.build_indirect_call(kind, code, &[], name).expect("positioned");
        for name in ["nounwind", "willreturn", "memory"] {
            let kind = Attribute::get_named_enum_kind_id(name);
            let known = self.context.create_enum_attribute(kind, 0);
            call.add_attribute(AttributeLoc::Function, known);
        }
        call.try_as_basic_value().unwrap_basic()
    }

    /// The address `by` bytes behind another one.
    pub(crate) fn behind(
        &self,
        builder: &Builder<'ctx>,
        place: PointerValue<'ctx>,
        by: usize,
    ) -> PointerValue<'ctx> {
        if by == 0 {
            return place;
        }
        let by = self.word().const_int(by as u64, false);
        // SAFETY: not `inbounds`.
        unsafe { builder.build_gep(self.context.i8_type(), place, &[by], "") }.expect("positioned")
    }

    /// The place that a word holds.
    pub(crate) fn load(
        &self,
        builder: &Builder<'ctx>,
        from: PointerValue<'ctx>,
    ) -> PointerValue<'ctx> {
        let pointer = self.context.ptr_type(AddressSpace::default());
        let place = builder.build_load(pointer, from, "").expect("positioned");
        self.leave_alone(place.as_instruction_value().expect("a load is an instruction"));
        place.into_pointer_value()
    }

    /// The number of this type at any address.
    pub(crate) fn number_at(
        &self,
        builder: &Builder<'ctx>,
        at: PointerValue<'ctx>,
        kind: IntType<'ctx>,
    ) -> IntValue<'ctx> {
        let number = builder.build_load(kind, at, "").expect("positioned").into_int_value();
        let load = number.as_instruction_value().expect("a load is an instruction");
        load.set_alignment(1).expect("a load has an alignment");
        self.leave_alone(load);
        number
    }

    /// Stores a value of eight bytes at any address.
    pub(crate) fn store(
        &self,
        builder: &Builder<'ctx>,
        at: PointerValue<'ctx>,
        value: impl BasicValue<'ctx>,
    ) {
        self.store_at_any(builder, at, value);
    }

    /// Ends the record of the path that has this number in the unit, with what it `records` up to
    /// `next`. Gives the place behind it.
    pub(crate) fn end_record(
        &self,
        builder: &Builder<'ctx>,
        record: PointerValue<'ctx>,
        next: PointerValue<'ctx>,
        number: IntValue<'ctx>,
        records: Records,
    ) -> PointerValue<'ctx> {
        let bit = self.context.bool_type();
        let has_addresses = match records {
            Records::Never => bit.const_zero(),
            Records::Always => bit.const_all_ones(),
            Records::Sometimes => {
                let none = self.behind(builder, record, NUMBER);
                let differs = builder.build_int_compare(IntPredicate::NE, next, none, "");
                differs.expect("two places")
            }
        };
        let bare = self.behind_start(builder, record);
        let behind = builder.build_select(has_addresses, next, bare, "path.behind");
        self.store_start(builder, record, number, has_addresses);
        behind.expect("two places").into_pointer_value()
    }

    /// Stores what the record of the path starts with that has this number in the unit, and whose
    /// lowest bit is set if it `has_addresses`.
    fn store_start(
        &self,
        builder: &Builder<'ctx>,
        at: PointerValue<'ctx>,
        number: IntValue<'ctx>,
        has_addresses: IntValue<'ctx>,
    ) {
        let half = self.context.i32_type();
        let one = half.const_int(1, false);
        let number = builder.build_int_truncate(number, half, "").expect("a word is longer");
        let twice = builder.build_left_shift(number, one, "").expect("positioned");
        let first = self.half_of_array(builder, 0);
        let start = builder.build_int_add(twice, first, "path.number").expect("positioned");
        let bit = builder.build_int_z_extend(has_addresses, half, "").expect("a bit is shorter");
        let start = builder.build_or(start, bit, "").expect("positioned");
        self.store_at_any(builder, at, start);
    }

    /// Stores the number in the process of the path that has this number in the unit.
    pub(crate) fn store_number(
        &self,
        builder: &Builder<'ctx>,
        at: PointerValue<'ctx>,
        number: IntValue<'ctx>,
    ) {
        let half = self.context.i32_type();
        let one = half.const_int(1, false);
        let first = self.half_of_array(builder, 0);
        let first = builder.build_right_shift(first, one, false, "").expect("positioned");
        let number = builder.build_int_truncate(number, half, "").expect("a word is longer");
        let number = builder.build_int_add(number, first, "").expect("positioned");
        self.store_at_any(builder, at, number);
    }

    /// The place behind a record without addresses.
    fn behind_start(
        &self,
        builder: &Builder<'ctx>,
        record: PointerValue<'ctx>,
    ) -> PointerValue<'ctx> {
        let bytes = self.half_of_array(builder, 1);
        let bytes = builder.build_int_z_extend(bytes, self.word(), "").expect("a half is shorter");
        // SAFETY: not `inbounds`.
        unsafe { builder.build_gep(self.context.i8_type(), record, &[bytes], "") }
            .expect("positioned")
    }

    /// A half of the array's first word: see [`array_word`](pathformat::trace::array_word).
    fn half_of_array(&self, builder: &Builder<'ctx>, which: u64) -> IntValue<'ctx> {
        let half = self.context.i32_type();
        let array = self.array.as_pointer_value();
        // SAFETY: an array has a word.
        let place = unsafe {
            builder.build_in_bounds_gep(half, array, &[self.word().const_int(which, false)], "")
        };
        let name = ["path.first", "path.bytes"][which as usize];
        let value = builder.build_load(half, place.expect("positioned"), name);
        let value = value.expect("positioned").into_int_value();
        self.leave_alone(value.as_instruction_value().expect("a load is an instruction"));
        value
    }

    fn store_at_any(
        &self,
        builder: &Builder<'ctx>,
        at: PointerValue<'ctx>,
        value: impl BasicValue<'ctx>,
    ) {
        let store = builder.build_store(at, value).expect("positioned");
        store.set_alignment(1).expect("a store has an alignment");
        // Ends of records must not be written before what is in them.
        store.set_volatile(true).expect("a store can be volatile");
        self.leave_alone(store);
    }

    /// Asks for a place in a chunk that has room.
    pub(crate) fn room(&self, builder: &Builder<'ctx>) -> PointerValue<'ctx> {
        let call = builder.build_call(self.room, &[], "path.room").expect("positioned");
        call.set_call_convention(PRESERVE_ALL);
        call.try_as_basic_value().unwrap_basic().into_pointer_value()
    }

    /// Takes a ticket: a number that nobody else in the process has.
    pub(crate) fn ticket(&self, builder: &Builder<'ctx>) -> IntValue<'ctx> {
        let place = self.address(builder, names::TRACE_TICKETS, "path.tickets");
        let (one, order) = (self.word().const_int(1, false), AtomicOrdering::Monotonic);
        let taken = builder.build_atomicrmw(AtomicRMWBinOp::Add, place, one, order);
        let taken = taken.expect("a word can be atomic");
        self.leave_alone(taken.as_instruction_value().expect("an update is an instruction"));
        builder.build_int_add(taken, one, "path.ticket").expect("two numbers")
    }

    fn leave_alone(&self, instruction: InstructionValue<'ctx>) {
        let (empty, kind) = self.not_sanitized;
        instruction.set_metadata(empty, kind).expect("a node can be attached to an instruction");
    }
}

/// Lets the images of a process share a variable that each of them defines.
fn share<'ctx>(module: &Module<'ctx>, variable: GlobalValue<'ctx>) {
    llvm::make_replaceable(module, variable);
    variable.set_visibility(GlobalVisibility::Default);
    llvm::keep(variable);
}

/// The function that makes room. That of an object gives all threads the same memory, which nobody
/// reads.
fn room<'ctx>(module: &Module<'ctx>) -> FunctionValue<'ctx> {
    let context = module.get_context();
    let pointer = context.ptr_type(AddressSpace::default());
    let room = module.add_function(names::TRACE_ROOM, pointer.fn_type(&[], false), None);
    room.set_call_conventions(PRESERVE_ALL);
    for name in ["nounwind", "cold", "noinline", "willreturn"] {
        let kind = Attribute::get_named_enum_kind_id(name);
        room.add_attribute(AttributeLoc::Function, context.create_enum_attribute(kind, 0));
    }
    llvm::make_replaceable(module, room.as_global_value());
    room.as_global_value().set_visibility(GlobalVisibility::Default);

    let kind = context.i64_type().array_type((LONGEST_RECORD / 8) as u32 + 1);
    let unread = module.add_global(kind, None, "path.unread");
    unread.set_initializer(&kind.const_zero());
    unread.set_linkage(Linkage::Private);
    let group = room.as_global_value().get_comdat().expect("it was given one");
    unread.set_comdat(group);
    let builder = context.create_builder();
    builder.position_at_end(context.append_basic_block(room, ""));
    builder.build_return(Some(&unread.as_pointer_value())).expect("positioned");
    room
}
