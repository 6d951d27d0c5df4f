//! Machine code behind register allocation, as `cpp/machine.cpp` shows it, and our code in it.

use std::ffi::{c_char, c_void};
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};

use inkwell::module::Module;
use llvm_sys::prelude::{LLVMModuleRef, LLVMValueRef};
use pathformat::names;
use pathformat::settings::{Level, Stage};

use super::{DebugLocation, values};
use crate::parameters::GivenValues;

/// The code generator's functions, only ever handed back to C++.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Context {
    opaque: [u8; 0],
}

/// A function that was read, only ever handed back to C++.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct ReadFunction {
    opaque: [u8; 0],
}

/// No block, and no instruction.
pub(crate) const NONE: u32 = u32::MAX;

/// Of an instruction that does not read the flags. Larger numbers are of those that read more than
/// a condition. Must match `NoCondition` in `cpp/machine.cpp`.
pub(crate) const NO_CONDITION: u32 = 16;

/// Must match `PathpassMachineInstruction` in `cpp/machine.cpp`.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Instruction {
    /// Null if it belongs to no line.
    pub(crate) location: *const DebugLocation,
    /// The function that a call names, or null.
    pub(crate) callee: LLVMValueRef,
    /// The name of a callee that the module does not have, or null.
    pub(crate) symbol: *const c_char,
    /// LLVM's name for what it does; static.
    pub(crate) name: *const c_char,
    pub(crate) facts: u32,
    pub(crate) live: u16,
    pub(crate) touched: u16,
    /// The condition that it reads from the flags, or [`NO_CONDITION`] or larger.
    pub(crate) condition: u32,
    pub(crate) landing_pad: u32,
}

/// What can be done with an edge of the code generator's graph. Must match `EdgeForm` in
/// `cpp/machine.cpp`.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EdgeForm {
    /// The target stands behind its source, without a jump.
    FallsThrough,
    /// A jump names the target, and can name another one.
    Jumps,
    /// No code can be put there.
    Fixed,
    /// An exception takes it.
    Unwinds,
}

impl EdgeForm {
    /// All of them; C++ makes the values.
    #[cfg_attr(not(test), expect(dead_code, reason = "only a test needs the list"))]
    pub(crate) const ALL: [Self; 4] = [Self::FallsThrough, Self::Jumps, Self::Fixed, Self::Unwinds];
}

/// Must match `PathpassMachineEdge` in `cpp/machine.cpp`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct MachineEdge {
    pub(crate) to: u32,
    pub(crate) form: EdgeForm,
    pub(crate) frequency: u64,
    pub(crate) last: u32,
}

/// Must match `PathpassMachineBlock` in `cpp/machine.cpp`.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct MachineBlock {
    pub(crate) instructions: *const Instruction,
    pub(crate) edges: *const MachineEdge,
    pub(crate) name: *const u8,
    pub(crate) num_instructions: usize,
    pub(crate) num_edges: usize,
    pub(crate) name_length: usize,
    pub(crate) frequency: u64,
    pub(crate) live_out: u16,
}

/// Must match `CodeKind` in `cpp/machine.cpp`.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CodeKind {
    ReadWord,
    ReadDelta,
    LoadAddress,
    AddUp,
    Copy,
    Clear,
    AddTo,
    Add,
    Increment,
    Decrement,
    LockedIncrement,
    LockedDecrement,
    SaveFlags,
    RestoreFlags,
    Save,
    Restore,
    SaveCondition,
    RestoreCondition,
    MoveStack,
    SaveInVector,
    RestoreFromVector,
    Assembly,
    PushNumber,
    PushWord,
    CallSymbol,
}

impl CodeKind {
    /// All of them.
    #[cfg_attr(not(test), expect(dead_code, reason = "only a test needs the list"))]
    pub(crate) const ALL: [Self; 25] = [
        Self::ReadWord,
        Self::ReadDelta,
        Self::LoadAddress,
        Self::AddUp,
        Self::Copy,
        Self::Clear,
        Self::AddTo,
        Self::Add,
        Self::Increment,
        Self::Decrement,
        Self::LockedIncrement,
        Self::LockedDecrement,
        Self::SaveFlags,
        Self::RestoreFlags,
        Self::Save,
        Self::Restore,
        Self::SaveCondition,
        Self::RestoreCondition,
        Self::MoveStack,
        Self::SaveInVector,
        Self::RestoreFromVector,
        Self::Assembly,
        Self::PushNumber,
        Self::PushWord,
        Self::CallSymbol,
    ];
}

/// Must match `PathpassMachineCode` in `cpp/machine.cpp`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Code {
    pub(crate) kind: CodeKind,
    pub(crate) register: u32,
    pub(crate) index: u32,
    pub(crate) value: i64,
    pub(crate) global: LLVMValueRef,
    pub(crate) text: *const c_char,
    pub(crate) segment: bool,
}

/// Must match `PathpassMachinePosition` in `cpp/machine.cpp`.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Position {
    pub(crate) block: u32,
    pub(crate) instruction: u32,
    pub(crate) to: u32,
    pub(crate) code: *const Code,
    pub(crate) length: usize,
}

/// Where a node begins, or an edge is. Must match `PathpassMachineMark` in `cpp/machine.cpp`.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Mark {
    pub(crate) block: u32,
    pub(crate) instruction: u32,
    pub(crate) to: u32,
    pub(crate) number: u32,
}

unsafe extern "C" {
    pub(crate) fn pathpass_machine_read(
        context: *mut Context,
        function: LLVMValueRef,
        blocks: *mut *const MachineBlock,
        length: *mut usize,
    ) -> *mut ReadFunction;
    pub(crate) fn pathpass_machine_returns_twice(function: *const ReadFunction) -> bool;
    pub(crate) fn pathpass_machine_free_vector(
        context: *mut Context,
        function: *const ReadFunction,
        block: u32,
        instruction: u32,
    ) -> u32;
    pub(crate) fn pathpass_machine_free_vectors(
        context: *mut Context,
        function: *const ReadFunction,
        block: u32,
    ) -> u16;
    pub(crate) fn pathpass_machine_assembly(
        context: *mut Context,
        function: LLVMValueRef,
        text: *const c_char,
    );
    pub(crate) fn pathpass_machine_mark(
        function: *mut ReadFunction,
        word: u64,
        marks: *const Mark,
        length: usize,
    );
    pub(crate) fn pathpass_machine_write(
        context: *mut Context,
        function: *mut ReadFunction,
        positions: *const Position,
        length: usize,
    );
}

/// True if the code generator is to be given our pass.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn pathpass_is_machine_stage() -> bool {
    // Marks tell whether the code of a module was optimised.
    GivenValues { values: &values }.options(Level::Two, true).stage == Stage::Machine
}

/// The name of the section of the map of the code.
///
/// # Safety
/// `length` is valid for writing.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn pathpass_code_section(length: *mut usize) -> *const u8 {
    // SAFETY: as the caller promises.
    unsafe { *length = names::CODE_SECTION.len() };
    names::CODE_SECTION.as_ptr()
}

/// Counts in the functions of a module whose machine code exists. A panic of ours before anything
/// is written leaves the module uncounted.
///
/// # Safety
/// `module` is a module that the caller owns; `context` is valid during the call.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn pathpass_machine_run(module: LLVMModuleRef, context: *mut c_void) {
    // SAFETY: the caller keeps the module; `ManuallyDrop` keeps inkwell from disposing of it.
    let module = ManuallyDrop::new(unsafe { Module::new(module) });
    let options = |level| GivenValues { values: &values }.options(level, true);
    let run = || crate::count_in_machine_code(&module, context.cast(), options);
    if catch_unwind(AssertUnwindSafe(run)).is_err() && options(Level::Unknown).verify {
        std::process::abort();
    }
}
