//! The counter array of a module and the code that steps one counter.
//!
//! The array is weak, hidden and in a COMDAT group of its own name, so that an object that is linked by any linker
//! runs; `ld.pathld` defines the array again, strongly, inside the image's region. With exact threads the address is
//! moved by the thread-local word `delta`: 0, or the distance from the region to the thread's private copy.

use inkwell::builder::Builder;
use inkwell::comdat::ComdatSelectionKind;
use inkwell::context::ContextRef;
use inkwell::module::{Linkage, Module};
use inkwell::values::{BasicValue, GlobalValue, InstructionValue, IntValue, MetadataValue, PointerValue};
use inkwell::{AtomicOrdering, AtomicRMWBinOp, GlobalVisibility, ThreadLocalMode};
use pathformat::{ModuleId, names};

use crate::options::Options;

/// The array of one module.
pub(crate) struct Counters<'ctx> {
    context: ContextRef<'ctx>,
    array: GlobalValue<'ctx>,
    delta: Option<GlobalValue<'ctx>>,
    atomic: bool,
    at_entry: bool,
    marks: Marks<'ctx>,
}

/// Metadata for our own loads and stores.
struct Marks<'ctx> {
    empty: MetadataValue<'ctx>,
    invariant: u32,
    not_sanitized: u32,
}

impl<'ctx> Counters<'ctx> {
    /// Defines the array with `length` counters, and `delta` if threads need it.
    pub(crate) fn define(module: &Module<'ctx>, id: ModuleId, length: u64, options: &Options) -> Self {
        let context = module.get_context();
        let word = context.i64_type();
        let length = u32::try_from(length).unwrap_or(u32::MAX);
        let array_type = word.array_type(length);
        let array = module.add_global(array_type, None, &format!("{}{id}", names::COUNTERS_PREFIX));
        array.set_initializer(&array_type.const_zero());
        array.set_alignment(64);
        make_replaceable(module, array);
        let delta = (options.threads == "exact").then(|| {
            let delta = module.add_global(word, None, &format!("{}{id}", names::DELTA_PREFIX));
            delta.set_initializer(&word.const_zero());
            delta.set_thread_local_mode(Some(ThreadLocalMode::InitialExecTLSModel));
            make_replaceable(module, delta);
            delta
        });
        let marks = Marks {
            empty: context.metadata_node(&[]),
            invariant: context.get_kind_id("invariant.load"),
            not_sanitized: context.get_kind_id("nosanitize"),
        };
        Self { context, array, delta, atomic: options.threads == "atomic", at_entry: options.base == "entry", marks }
    }

    /// The context that the module's types live in.
    pub(crate) fn context(&self) -> ContextRef<'ctx> {
        self.context
    }

    /// Whether the address of a function's counters is computed once, in its entry block.
    pub(crate) fn is_computed_at_entry(&self) -> bool {
        self.at_entry && self.delta.is_some()
    }

    /// The address of counter `first` in this thread. In code that a sanitizer will rewrite (`sanitized`), our accesses are
    /// marked so that it leaves them alone.
    pub(crate) fn address(&self, builder: &Builder<'ctx>, first: u64, sanitized: bool) -> PointerValue<'ctx> {
        let word = self.context.i64_type();
        let first = word.const_int(first, false);
        let array = self.array.as_pointer_value();
        // SAFETY: `first` is below the array's length.
        let base = unsafe { builder.build_gep(word, array, &[first], "") }.expect("positioned");
        let Some(delta) = self.delta else { return base };
        let moved = builder.build_load(word, delta.as_pointer_value(), "path.delta").expect("positioned");
        let load = moved.as_instruction_value().expect("a load is an instruction");
        self.mark(load, self.marks.invariant);
        self.leave_alone(load, sanitized);
        let byte = self.context.i8_type();
        // SAFETY: delta leads to a copy of the region that lives as long as the thread.
        unsafe { builder.build_gep(byte, base, &[moved.into_int_value()], "path.base") }.expect("positioned")
    }

    /// Adds one to the counter at `base[index + constant]`.
    pub(crate) fn step(
        &self,
        builder: &Builder<'ctx>,
        base: PointerValue<'ctx>,
        index: Option<IntValue<'ctx>>,
        constant: u64,
        sanitized: bool,
    ) {
        let word = self.context.i64_type();
        let offset = |base, index| {
            // SAFETY: not `inbounds`: the register may be off by what the constant makes up for; the sum is a path's id.
            unsafe { builder.build_gep(word, base, &[index], "") }.expect("positioned")
        };
        let moved = index.map_or(base, |index| offset(base, index));
        let counter = if constant == 0 { moved } else { offset(moved, word.const_int(constant, false)) };
        let one = word.const_int(1, false);
        if self.atomic {
            let add = builder.build_atomicrmw(AtomicRMWBinOp::Add, counter, one, AtomicOrdering::Monotonic);
            let add = add.expect("a word can be added to").as_instruction_value();
            self.leave_alone(add.expect("an atomic operation is an instruction"), sanitized);
            return;
        }
        let count = builder.build_load(word, counter, "").expect("positioned").into_int_value();
        let more = builder.build_int_add(count, one, "").expect("positioned");
        let store = builder.build_store(counter, more).expect("positioned");
        self.leave_alone(count.as_instruction_value().expect("a load is an instruction"), sanitized);
        self.leave_alone(store, sanitized);
    }

    fn leave_alone(&self, instruction: InstructionValue<'ctx>, sanitized: bool) {
        if sanitized {
            self.mark(instruction, self.marks.not_sanitized);
        }
    }

    fn mark(&self, instruction: InstructionValue<'ctx>, kind: u32) {
        instruction.set_metadata(self.marks.empty, kind).expect("a node can be attached to an instruction");
    }
}

/// Makes a definition that any other definition of its name, such as the linker's, takes the place of.
fn make_replaceable<'ctx>(module: &Module<'ctx>, global: GlobalValue<'ctx>) {
    let name = global.get_name().to_string_lossy().into_owned();
    let comdat = module.get_or_insert_comdat(&name);
    comdat.set_selection_kind(ComdatSelectionKind::Any);
    global.set_comdat(comdat);
    global.set_linkage(Linkage::WeakAny);
    global.set_visibility(GlobalVisibility::Hidden);
}
