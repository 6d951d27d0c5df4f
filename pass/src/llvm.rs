//! Safe wrappers for what inkwell lacks: one call into LLVM per function.
//!
//! * `facts` what LLVM knows of functions and instructions
//! * `texts` blocks in LLVM's language, and demangled names
//! * `debug_info` debug metadata
//! * `accesses` accesses to memory

use std::ffi::{CStr, CString};

use inkwell::GlobalVisibility;
use inkwell::attributes::Attribute;
use inkwell::basic_block::BasicBlock;
use inkwell::comdat::ComdatSelectionKind;
use inkwell::module::{Linkage, Module};
use inkwell::values::{
    AsValueRef, BasicValueEnum, FunctionValue, GlobalValue, InstructionValue, IntValue,
    PointerValue,
};
use llvm_sys::LLVMAttributeFunctionIndex;
use llvm_sys::core as c;

use crate::ffi;
use crate::options::CodeFacts;

mod accesses;
mod debug_info;
mod facts;
mod texts;

pub(crate) use self::accesses::{Base, Stride, accesses, is_called_by_compiler, is_computed};
pub(crate) use self::debug_info::{
    DebugLocation, Position, Scope, ScopeKind, Subprogram, debug_location, declaration,
    last_parameter, position, scopes,
};
pub(crate) use self::facts::{FunctionFacts, InstructionFacts};
pub(crate) use self::texts::{Demangled, demangled, texts};

/// The annotations of a function.
pub(crate) fn annotations(function: FunctionValue<'_>) -> impl Iterator<Item = String> {
    // SAFETY: a live function; the texts live as long as the module, and are copied here.
    let text = move |number| unsafe {
        let text = ffi::pathpass_annotation(function.as_value_ref(), number);
        (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
    };
    (0..).map_while(text)
}

/// Name of what an instruction does: `load`, `asm`, or the intrinsic `llvm.fmuladd`.
pub(crate) fn opcode_name(instruction: InstructionValue<'_>) -> &'static str {
    // SAFETY: a live instruction; LLVM's names are static.
    let name = unsafe { CStr::from_ptr(ffi::pathpass_opcode_name(instruction.as_value_ref())) };
    name.to_str().unwrap_or("unknown")
}

/// The call that ends a block, if the function does nothing behind it but return what it gave,
/// there or in a block that does only that.
pub(crate) fn tail_call(block: BasicBlock<'_>) -> Option<InstructionValue<'_>> {
    // SAFETY: a live block; a null result is left out.
    unsafe {
        let call = ffi::pathpass_tail_call(block.as_mut_ptr());
        (!call.is_null()).then(|| InstructionValue::new(call))
    }
}

/// True if a block does nothing but return.
pub(crate) fn only_returns(block: BasicBlock<'_>) -> bool {
    // SAFETY: a live block.
    unsafe { ffi::pathpass_only_returns(block.as_mut_ptr()) }
}

/// Symbol of the function that a call names; `None` for an indirect call.
pub(crate) fn callee(call: InstructionValue<'_>) -> Option<String> {
    // SAFETY: a live call.
    let function = unsafe { FunctionValue::new(ffi::pathpass_callee(call.as_value_ref())) };
    function.map(|function| name(&function))
}

/// The name of the function that a call calls, if it is defined elsewhere.
pub(crate) fn external_callee(call: InstructionValue<'_>) -> Option<String> {
    // SAFETY: a live call.
    let function = unsafe { FunctionValue::new(ffi::pathpass_callee(call.as_value_ref())) };
    function.filter(|function| function.count_basic_blocks() == 0).map(|function| name(&function))
}

/// The value of the attribute `allocsize` of a call or of what it calls: the numbers of the
/// operands whose product is the size of what the call allocates.
pub(crate) fn allocated_size(call: InstructionValue<'_>) -> Option<u64> {
    let kind = Attribute::get_named_enum_kind_id("allocsize");
    // SAFETY: a live call and the function that it names; null results are left out.
    unsafe {
        let at = LLVMAttributeFunctionIndex;
        let mut found = c::LLVMGetCallSiteEnumAttribute(call.as_value_ref(), at, kind);
        let callee = ffi::pathpass_callee(call.as_value_ref());
        if found.is_null() && !callee.is_null() {
            found = c::LLVMGetEnumAttributeAtIndex(callee, at, kind);
        }
        (!found.is_null()).then(|| c::LLVMGetEnumAttributeValue(found))
    }
}

/// An argument of a call, from 0.
pub(crate) fn argument(call: InstructionValue<'_>, at: u32) -> Option<BasicValueEnum<'_>> {
    // SAFETY: a live call, whose first operands are its arguments.
    unsafe {
        (at < c::LLVMGetNumArgOperands(call.as_value_ref()))
            .then(|| BasicValueEnum::new(c::LLVMGetOperand(call.as_value_ref(), at)))
    }
}

/// The variable that a pointer is the address of.
pub(crate) fn global(pointer: PointerValue<'_>) -> Option<GlobalValue<'_>> {
    // SAFETY: a live value, and a variable if it is one.
    unsafe {
        let global = c::LLVMIsAGlobalVariable(pointer.as_value_ref());
        (!global.is_null()).then(|| GlobalValue::new(global))
    }
}

/// The result of a call.
pub(crate) fn result(call: InstructionValue<'_>) -> BasicValueEnum<'_> {
    // SAFETY: a live call that gives something.
    unsafe { BasicValueEnum::new(call.as_value_ref()) }
}

/// Says that a call does not stand in tail position.
pub(crate) fn keep_frame(call: InstructionValue<'_>) {
    // SAFETY: a live call, not an `invoke`.
    unsafe { c::LLVMSetTailCall(call.as_value_ref(), 0) };
}

/// The callee of a call.
pub(crate) fn called(call: InstructionValue<'_>) -> PointerValue<'_> {
    // SAFETY: a live call, whose callee is a pointer.
    unsafe { PointerValue::new(c::LLVMGetCalledValue(call.as_value_ref())) }
}

/// Adds what `text`, in LLVM's own language, defines to a module.
pub(crate) fn link(module: &Module<'_>, text: &str) {
    let text = CString::new(text).expect("our own code has no NUL");
    // SAFETY: a live module, and a text with its end.
    let done = unsafe { ffi::pathpass_link(module.as_mut_ptr(), text.as_ptr()) };
    assert!(done, "our own code is sound");
}

/// Name of a function.
pub(crate) fn name(function: &FunctionValue<'_>) -> String {
    function.get_name().to_string_lossy().into_owned()
}

/// Successors of a terminator, repeated ones included.
pub(crate) fn successors<'a>(terminator: InstructionValue<'a>) -> Vec<BasicBlock<'a>> {
    let terminator = terminator.as_value_ref();
    // SAFETY: a live terminator, asked for as many successors as it has; none of them is null.
    unsafe {
        let count = c::LLVMGetNumSuccessors(terminator);
        (0..count).filter_map(|at| BasicBlock::new(c::LLVMGetSuccessor(terminator, at))).collect()
    }
}

/// True if a call hands over from a coroutine to another one (`llvm.coro.await.suspend.handle`).
pub(crate) fn hands_over(call: InstructionValue<'_>) -> bool {
    // SAFETY: a live instruction.
    unsafe { ffi::pathpass_hands_over(call.as_value_ref()) }
}

/// True if a block does nothing but suspend a coroutine, and leads to one other block.
pub(crate) fn only_suspends(block: BasicBlock<'_>) -> bool {
    // SAFETY: a live block.
    unsafe { ffi::pathpass_only_suspends(block.as_mut_ptr()) }
}

/// Drops the names of a module's values and blocks.
pub(crate) fn drop_names(module: &Module<'_>) {
    // SAFETY: a live module.
    unsafe { ffi::pathpass_drop_names(module.as_mut_ptr()) }
}

/// True if a `switch` asks what becomes of a coroutine that was just suspended
/// (`llvm.coro.suspend`).
pub(crate) fn is_on_suspension(switch: InstructionValue<'_>) -> bool {
    // SAFETY: a live switch.
    unsafe { ffi::pathpass_is_on_suspension(switch.as_value_ref()) }
}

/// The value of the case that takes a successor of a `switch`; `None` for the default.
pub(crate) fn case_value(switch: InstructionValue<'_>, successor: usize) -> Option<i64> {
    let mut value = 0;
    // SAFETY: a live switch and one of its successors.
    let is_case = unsafe {
        ffi::pathpass_case_value(switch.as_value_ref(), successor as u32, &raw mut value)
    };
    is_case.then_some(value)
}

/// Estimated executions of the edge from `block` to its successor number `index`.
pub(crate) fn edge_frequency(
    analyses: *mut ffi::Analyses,
    block: BasicBlock<'_>,
    index: usize,
) -> u64 {
    // SAFETY: the pass manager's analyses live as long as the pass runs; the block is live.
    let (executions, probability) = unsafe {
        (
            ffi::pathpass_block_frequency(analyses, block.as_mut_ptr()),
            ffi::pathpass_edge_probability(analyses, block.as_mut_ptr(), index as u32),
        )
    };
    u64::try_from((u128::from(executions) * u128::from(probability)) >> 31).unwrap_or(u64::MAX)
}

/// The first place in `block` where an ordinary instruction may stand.
pub(crate) fn first_insertion(block: BasicBlock<'_>) -> Option<InstructionValue<'_>> {
    // SAFETY: a live block; a null result is left out.
    unsafe {
        let at = ffi::pathpass_first_insertion(block.as_mut_ptr());
        (!at.is_null()).then(|| InstructionValue::new(at))
    }
}

/// A new block on all edges from one block to another.
pub(crate) fn split_edge<'a>(from: BasicBlock<'a>, to: BasicBlock<'a>) -> Option<BasicBlock<'a>> {
    // SAFETY: live blocks joined by an edge.
    unsafe { BasicBlock::new(ffi::pathpass_split_edge(from.as_mut_ptr(), to.as_mut_ptr())) }
}

/// Moves what follows `instruction` into a new block, unless something there must stay where it is.
pub(crate) fn split_after<'ctx>(
    instruction: InstructionValue<'ctx>,
    analyses: *mut ffi::Analyses,
) -> Option<BasicBlock<'ctx>> {
    // SAFETY: a live instruction that is not a terminator, and the analyses of its pass manager.
    unsafe { BasicBlock::new(ffi::pathpass_split_after(instruction.as_value_ref(), analyses)) }
}

/// Gives an `invoke` a landing pad that no other one leads to.
pub(crate) fn split_landing_pad(invoke: InstructionValue<'_>, analyses: *mut ffi::Analyses) {
    // SAFETY: a live `invoke`, and the analyses of its pass manager.
    unsafe { ffi::pathpass_split_landing_pad(invoke.as_value_ref(), analyses) }
}

/// Forgets what is known of a function of which blocks were split, but what splitting keeps true.
pub(crate) fn forget_frequencies(function: FunctionValue<'_>, analyses: *mut ffi::Analyses) {
    // SAFETY: a live function, and the analyses of its pass manager.
    unsafe { ffi::pathpass_forget_frequencies(function.as_value_ref(), analyses) }
}

/// Lets control go through a new block that rarely runs if `condition` holds; gives the end of that
/// block.
pub(crate) fn add_cold_branch<'ctx>(
    condition: IntValue<'ctx>,
    before: InstructionValue<'ctx>,
) -> InstructionValue<'ctx> {
    // SAFETY: a live condition that is known at a live instruction.
    unsafe {
        InstructionValue::new(ffi::pathpass_add_cold_branch(
            condition.as_value_ref(),
            before.as_value_ref(),
        ))
    }
}

/// Makes `block` the end of the one before it, if that leads nowhere else.
pub(crate) fn join(block: BasicBlock<'_>) {
    // SAFETY: a live block, which nobody uses any more.
    unsafe { ffi::pathpass_join(block.as_mut_ptr()) }
}

/// Turns stack slots of one function that are only loaded and stored into SSA values.
pub(crate) fn promote(slots: &[PointerValue<'_>]) {
    let slots: Vec<_> = slots.iter().map(|slot| slot.as_value_ref()).collect();
    // SAFETY: live allocas of one function and their number; their only uses are loads and stores
    // of their types.
    unsafe { ffi::pathpass_promote(slots.as_ptr(), slots.len()) }
}

/// Takes back what LLVM knows about the memory that a function touches: from now on it touches
/// counters.
pub(crate) fn forget_purity(function: FunctionValue<'_>) {
    // SAFETY: a live function.
    unsafe { ffi::pathpass_forget_purity(function.as_value_ref()) }
}

/// Keeps a definition that only inline assembly names.
pub(crate) fn keep(global: GlobalValue<'_>) {
    // SAFETY: a live global variable.
    unsafe { ffi::pathpass_keep(global.as_value_ref()) }
}

/// Makes a definition that any other definition of its name, such as the linker's, takes the place
/// of.
pub(crate) fn make_replaceable<'ctx>(module: &Module<'ctx>, global: GlobalValue<'ctx>) {
    let name = global.get_name().to_string_lossy().into_owned();
    let comdat = module.get_or_insert_comdat(&name);
    comdat.set_selection_kind(ComdatSelectionKind::Any);
    global.set_comdat(comdat);
    global.set_linkage(Linkage::WeakAny);
    global.set_visibility(GlobalVisibility::Hidden);
}

/// A hash of all code and constants of a module.
pub(crate) fn module_hash(module: &Module<'_>) -> u64 {
    // SAFETY: a live module.
    unsafe { ffi::pathpass_module_hash(module.as_mut_ptr()) }
}

/// Facts about the code of a module. It may give threads other thread pointers by a system call
/// whose number is not known to be another one's, or by an instruction.
pub(crate) fn code_facts(module: &Module<'_>) -> CodeFacts {
    let has = |name: &&str| module.get_function(name).is_some();
    let changes_label = pathformat::names::LABEL_FUNCTIONS.iter().any(has);
    let module = module.as_mut_ptr();
    // SAFETY: a live module.
    unsafe {
        CodeFacts {
            moves_pointer: ffi::pathpass_moves_thread_pointer(module),
            uses_segment: ffi::pathpass_uses_segment(module),
            changes_label,
            is_large: ffi::pathpass_is_large(module),
        }
    }
}

/// True if LLVM's verifier accepts a function; it says on standard error why not.
pub(crate) fn verify(function: FunctionValue<'_>) -> bool {
    // SAFETY: a live function.
    unsafe { ffi::pathpass_verify(function.as_value_ref()) }
}

/// Appends to a module's inline assembly.
pub(crate) fn append_assembly(module: &Module<'_>, text: &str) {
    // SAFETY: a live module and a text of the given length.
    unsafe { c::LLVMAppendModuleInlineAsm(module.as_mut_ptr(), text.as_ptr().cast(), text.len()) }
}

/// The functions that resolve the ifuncs of a module.
pub(crate) fn ifunc_resolvers<'a>(module: &Module<'a>) -> Vec<FunctionValue<'a>> {
    let mut resolvers = Vec::new();
    // SAFETY: walks the module's own list; a resolver that is not a function is left out.
    unsafe {
        let mut ifunc = c::LLVMGetFirstGlobalIFunc(module.as_mut_ptr());
        while !ifunc.is_null() {
            let resolver = c::LLVMGetGlobalIFuncResolver(ifunc);
            if !c::LLVMIsAFunction(resolver).is_null() {
                resolvers.extend(FunctionValue::new(resolver));
            }
            ifunc = c::LLVMGetNextGlobalIFunc(ifunc);
        }
    }
    resolvers
}
