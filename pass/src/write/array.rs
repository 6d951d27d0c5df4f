//! The counter array of a unit, and the code that steps one counter.
//!
//! The array is weak, hidden and in a COMDAT group of its own name, so an object runs whichever
//! linker links it. `ld.pathld` defines the array again, strongly, inside the region of the image.
//!
//! With exact threads, code for executables reads the address of its thread's copy from a
//! thread-local word. Other code moves the array's address by the thread-local word `delta`, which
//! is 0 or the distance from the region to the thread's copy. A variable, not the loader, has
//! where that word is: a library with thread-local variables at a fixed place could not be opened
//! if the program already has many such variables. The executable lends the word to libraries.
//!
//! A counter is stepped by one instruction (see [`StepCode`]). Only in code that is still to be
//! optimised, and unless that is switched off, it is loaded, added to and stored, so that the
//! optimiser may keep it in a register in a loop.

use inkwell::builder::Builder;
use inkwell::context::ContextRef;
use inkwell::module::Module;
use inkwell::values::{
    BasicValue, FunctionValue, GlobalValue, InstructionValue, IntValue, MetadataValue, PointerValue,
};
use inkwell::{AtomicOrdering, AtomicRMWBinOp, ThreadLocalMode};
use pathformat::settings::{Stage, Threads};
use pathformat::{ModuleId, names};

use crate::layout::TableLayout;
use crate::llvm::{self, FunctionFacts};
use crate::options::{Addressing, Options};

use super::assembly::{NO_MEMORY, promise, step_at_address, step_by_parts};
use super::counter::{Counter, Step};
use super::{lookup, note};

/// The way in which a counter is stepped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StepCode {
    /// By one instruction that other threads wait for.
    Atomic,
    /// By a load, an addition and a store, which are optimised like the program's own.
    Optimised,
    /// By a volatile load, an addition and a volatile store, which instruction selection folds into
    /// one instruction (`isFusableLoadOpStorePattern` in LLVM's `X86ISelDAGToDAG.cpp`). Compiles
    /// faster than inline assembly: LLVM parses the constraints of that each time that it looks at
    /// it.
    Folded,
    /// By inline assembly, which is one instruction whatever compiles it.
    Assembly,
}

/// The array of one module.
pub(crate) struct CounterArray<'ctx> {
    context: ContextRef<'ctx>,
    array: GlobalValue<'ctx>,
    /// The number of counters before the keys.
    counters: u64,
    /// The function that looks keys up, if there are any.
    find: Option<FunctionValue<'ctx>>,
    /// The way to the thread's copy: a thread-local word, or a variable that says where one is.
    word: Option<GlobalValue<'ctx>>,
    addressing: Addressing,
    is_position_independent: bool,
    way: StepCode,
    marks: AccessMetadata<'ctx>,
}

/// Metadata for our own loads and stores.
struct AccessMetadata<'ctx> {
    empty: MetadataValue<'ctx>,
    not_sanitized: u32,
}

impl<'ctx> CounterArray<'ctx> {
    /// Defines the array with its counters and the keys of tables behind them, and a thread-local
    /// word if threads need it.
    pub(crate) fn define(
        module: &Module<'ctx>,
        id: ModuleId,
        [counters, keys]: [u64; 2],
        options: &Options,
    ) -> Self {
        let context = module.get_context();
        let word = context.i64_type();
        let length = u32::try_from(counters + keys).unwrap_or(u32::MAX);
        let array_type = word.array_type(length);
        let array = module.add_global(array_type, None, &format!("{}{id}", names::COUNTERS_PREFIX));
        array.set_initializer(&array_type.const_zero());
        array.set_alignment(names::ARRAY_ALIGNMENT);
        llvm::make_replaceable(module, array);
        note::add(module, array, id, [counters, keys], options.threads);
        let leads = (!options.counts_in_place()).then(|| {
            let leads = match options.addressing {
                Addressing::Segment | Addressing::Word => {
                    let address = array.as_pointer_value();
                    let base = module.add_global(
                        address.get_type(),
                        None,
                        &format!("{}{id}", names::BASE_PREFIX),
                    );
                    base.set_initializer(&address);
                    base.set_thread_local_mode(Some(ThreadLocalMode::InitialExecTLSModel));
                    base
                }
                Addressing::Delta | Addressing::Site => {
                    let place =
                        module.add_global(word, None, &format!("{}{id}", names::PLACE_PREFIX));
                    place.set_initializer(&word.const_int(names::NOWHERE, false));
                    place
                }
            };
            llvm::keep(leads);
            llvm::make_replaceable(module, leads);
            leads
        });
        let marks = AccessMetadata {
            empty: context.metadata_node(&[]),
            not_sanitized: context.get_kind_id("nosanitize"),
        };
        let way = match options {
            _ if options.threads == Threads::Atomic => StepCode::Atomic,
            _ if options.stage == Stage::Early && options.promotes() => StepCode::Optimised,
            _ if options.last && options.techniques.folding => StepCode::Folded,
            _ => StepCode::Assembly,
        };
        let find = (keys > 0).then(|| lookup::define(module));
        Self {
            context,
            array,
            counters,
            find,
            word: leads,
            addressing: options.addressing,
            is_position_independent: options.is_position_independent,
            way,
            marks,
        }
    }

    /// The context that the module's types live in.
    pub(crate) fn context(&self) -> ContextRef<'ctx> {
        self.context
    }

    /// The array.
    pub(crate) fn global(&self) -> GlobalValue<'ctx> {
        self.array
    }

    /// The word that has the address of the thread's copy, or the variable that says where that is.
    pub(crate) fn leads(&self) -> Option<GlobalValue<'ctx>> {
        self.word
    }

    /// True if the address of a function's counters is computed once, in its entry block.
    pub(crate) fn is_computed_at_entry(&self) -> bool {
        self.addressing != Addressing::Site
    }

    /// The address of counter `first` in this thread, for a function of these `facts`. With `anew`
    /// LLVM must not take one that was read before.
    pub(crate) fn address(
        &self,
        builder: &Builder<'ctx>,
        first: u64,
        anew: bool,
        facts: FunctionFacts,
    ) -> PointerValue<'ctx> {
        let word = self.context.i64_type();
        let first = word.const_int(first, false);
        let from = |array| {
            // SAFETY: `first` is below the array's length.
            unsafe { builder.build_gep(word, array, &[first], "path.base") }.expect("positioned")
        };
        let array = self.array.as_pointer_value();
        let Some(leads) = self.word.map(|word| word.as_pointer_value()) else { return from(array) };
        if self.addressing == Addressing::Word {
            let copy = self.read_word(builder, leads, anew);
            let is_free = self.is_position_independent && self.is_folded(facts);
            return from(if is_free { self.relative_to_array(builder, copy) } else { copy });
        }
        let delta = self.read_delta(builder, leads, anew);
        let byte = self.context.i8_type();
        // SAFETY: delta leads to a copy of the region that lives as long as the thread.
        from(unsafe { builder.build_gep(byte, array, &[delta], "") }.expect("positioned"))
    }

    /// The address of the thread's copy, written as the array's address and a distance. So LLVM
    /// knows that it leads to a global variable. An address of unknown origin may lead to the stack
    /// frame, for all that LLVM knows, and the frame must exist where it is used. Then registers
    /// are saved before an early return, too (`useOrDefCSROrFI` in LLVM's `ShrinkWrap.cpp`).
    ///
    /// In position-independent code the distance costs no instruction, since selection adds up the
    /// two. In other code it may use the array's address as the displacement of an increment.
    ///
    /// The unit of the distance is the array's alignment. No addressing mode multiplies by that.
    /// With bytes, LLVM might add the array's address and the distance again at each use.
    fn relative_to_array(
        &self,
        builder: &Builder<'ctx>,
        copy: PointerValue<'ctx>,
    ) -> PointerValue<'ctx> {
        let word = self.context.i64_type();
        let unit = word.array_type(names::ARRAY_ALIGNMENT / 8);
        let array = self.array.as_pointer_value();
        let copy = builder.build_ptr_to_int(copy, word, "").expect("positioned");
        let bytes = builder.build_int_sub(copy, array.const_to_int(word), "").expect("positioned");
        let shift = word.const_int(names::ARRAY_ALIGNMENT.ilog2().into(), false);
        let units = builder.build_right_shift(bytes, shift, true, "").expect("positioned");
        let shifted = units.as_instruction_value().expect("what is read is no constant");
        shifted.set_exact_flag(true).expect("a shift to the right can be exact");
        // SAFETY: the distance leads to a copy of the region that lives as long as the thread.
        unsafe { builder.build_gep(unit, array, &[units], "path.copy") }.expect("positioned")
    }

    /// True if counters are stepped by code that instruction selection folds.
    fn is_folded(&self, facts: FunctionFacts) -> bool {
        self.way == StepCode::Folded && !facts.is_left_slow() && !facts.is_sanitized()
    }

    /// The thread's word, by code that links into anything. LLVM would assume that what is not
    /// meant for a library is in an executable, but linkers put it into libraries too. In
    /// executables they make the first load a constant.
    fn read_word(
        &self,
        builder: &Builder<'ctx>,
        word: PointerValue<'ctx>,
        anew: bool,
    ) -> PointerValue<'ctx> {
        let kind = word.get_type().fn_type(&[], false);
        let name = word.get_name().to_string_lossy();
        let text = format!("movq {name}@GOTTPOFF(%rip), $0\n\tmovq %fs:($0), $0");
        let code =
            self.context.create_inline_asm(kind, text, "=r".into(), anew, false, None, false);
        let call = builder.build_indirect_call(kind, code, &[], "path.array").expect("positioned");
        promise(self.context, call, (!anew).then_some(NO_MEMORY));
        call.try_as_basic_value().unwrap_basic().into_pointer_value()
    }

    /// The thread's word whose distance a variable has. It is two instructions, one behind the
    /// other, so that the linker can put others there (`linker-shim/src/words.rs`).
    fn read_delta(
        &self,
        builder: &Builder<'ctx>,
        place: PointerValue<'ctx>,
        anew: bool,
    ) -> IntValue<'ctx> {
        let kind = self.context.i64_type().fn_type(&[], false);
        let name = place.get_name().to_string_lossy();
        let text = format!("movq {name}(%rip), $0\n\tmovq %fs:($0), $0");
        let code =
            self.context.create_inline_asm(kind, text, "=r".into(), anew, false, None, false);
        let call = builder.build_indirect_call(kind, code, &[], "path.delta").expect("positioned");
        promise(self.context, call, (!anew).then_some(NO_MEMORY));
        call.try_as_basic_value().unwrap_basic().into_int_value()
    }

    /// The address of a counter.
    fn address_of(&self, builder: &Builder<'ctx>, counter: Counter<'ctx>) -> PointerValue<'ctx> {
        let word = self.context.i64_type();
        let Counter { base, index, constant } = counter;
        let offset = |base, index| {
            // SAFETY: not `inbounds`: the register may be off by what the constant makes up for;
            // the sum is a path's id.
            unsafe { builder.build_gep(word, base, &[index], "") }.expect("positioned")
        };
        let moved = index.map_or(base, |index| offset(base, index));
        if constant == 0 { moved } else { offset(moved, word.const_int(constant, false)) }
    }

    /// Which counter of a table counts `key`, from the table's first one on.
    pub(crate) fn find(
        &self,
        builder: &Builder<'ctx>,
        key: IntValue<'ctx>,
        table: TableLayout,
    ) -> IntValue<'ctx> {
        let find = self.find.expect("a module with tables has the function");
        let word = self.context.i64_type();
        let number = |value| word.const_int(value, false);
        let first = number(self.counters + table.first_key);
        // SAFETY: the keys stand in the array, behind the counters.
        let keys = unsafe { builder.build_gep(word, self.array.as_pointer_value(), &[first], "") }
            .expect("positioned");
        let call = builder.build_call(
            find,
            &[keys.into(), number(table.slots).into(), key.into()],
            "path.slot",
        );
        let call = call.expect("positioned");
        call.set_call_convention(find.get_call_conventions());
        call.try_as_basic_value().unwrap_basic().into_int_value()
    }

    /// Steps a counter in a function of these `facts`.
    pub(crate) fn step(
        &self,
        builder: &Builder<'ctx>,
        counter: Counter<'ctx>,
        step: Step<'ctx>,
        facts: FunctionFacts,
    ) {
        let sanitized = facts.is_sanitized();
        let way = match self.way {
            // Where the optimiser joins several accesses, it drops the mark that sanitizers obey.
            StepCode::Optimised if sanitized => StepCode::Assembly,
            StepCode::Folded if !self.is_folded(facts) => StepCode::Assembly,
            way => way,
        };
        // The address of a variable needs no instruction.
        let by_parts =
            way == StepCode::Assembly && facts.is_left_slow() && !counter.base.is_const();
        if let Some(displacement) = counter.displacement().filter(|_| by_parts) {
            return step_by_parts(self.context, builder, counter, displacement, step);
        }
        let address = self.address_of(builder, counter);
        match way {
            StepCode::Atomic => {
                let (add, by) = (AtomicRMWBinOp::Add, self.amount(step));
                let add = builder.build_atomicrmw(add, address, by, AtomicOrdering::Monotonic);
                let add = add.expect("a word can be added to").as_instruction_value();
                self.leave_alone(add.expect("an atomic operation is an instruction"), sanitized);
            }
            StepCode::Optimised => self.step_in_three(builder, address, step, false),
            StepCode::Folded => self.step_in_three(builder, address, step, true),
            StepCode::Assembly => step_at_address(self.context, builder, address, step),
        }
    }

    fn step_in_three(
        &self,
        builder: &Builder<'ctx>,
        counter: PointerValue<'ctx>,
        step: Step<'ctx>,
        volatile: bool,
    ) {
        let word = self.context.i64_type();
        let count = builder.build_load(word, counter, "").expect("positioned").into_int_value();
        let stepped = builder.build_int_add(count, self.amount(step), "").expect("positioned");
        let store = builder.build_store(counter, stepped).expect("positioned");
        for access in [count.as_instruction_value().expect("a load is an instruction"), store] {
            access.set_volatile(volatile).expect("loads and stores can be volatile");
        }
    }

    /// By how much a step changes a counter.
    pub(crate) fn amount(&self, step: Step<'ctx>) -> IntValue<'ctx> {
        let word = self.context.i64_type();
        match step {
            Step::Up => word.const_int(1, false),
            Step::Down => word.const_int(u64::MAX, true),
            Step::By(amount) => amount,
        }
    }

    fn leave_alone(&self, instruction: InstructionValue<'ctx>, sanitized: bool) {
        if sanitized {
            self.mark(instruction, self.marks.not_sanitized);
        }
    }

    fn mark(&self, instruction: InstructionValue<'ctx>, kind: u32) {
        instruction
            .set_metadata(self.marks.empty, kind)
            .expect("a node can be attached to an instruction");
    }
}
