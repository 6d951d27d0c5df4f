//! The C++ edge as Rust sees it: declarations that must match `cpp/plugin.cpp`, and the two symbols
//! clang calls.

use std::ffi::{CStr, c_char, c_uint, c_void};
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};

use inkwell::module::Module;
use llvm_sys::prelude::{LLVMBasicBlockRef, LLVMModuleRef, LLVMValueRef};

use pathformat::settings::{Mode, Stage, Threads};

use crate::options;

/// The function analyses of LLVM's pass manager, only ever handed back to C++.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Analyses {
    opaque: [u8; 0],
}

/// A `DILocation`, only ever handed back to C++.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct DebugLocation {
    opaque: [u8; 0],
}

/// Must match `PathpassOptions` in `cpp/plugin.cpp`.
#[repr(C)]
pub(crate) struct Options {
    mode: *const c_char,
    stage: *const c_char,
    threads: *const c_char,
    filter: *const c_char,
    skip: *const c_char,
    base: *const c_char,
    placement: *const c_char,
    without: *const c_char,
    weights: *const c_char,
    profile: *const c_char,
    limit: u64,
    callees: c_uint,
    table: c_uint,
    hot: c_uint,
    promotion: bool,
    last: bool,
    verify: bool,
}

/// Must match `PathpassLocation` in `cpp/plugin.cpp`. The texts live as long as the module's debug
/// metadata.
#[repr(C)]
pub(crate) struct Location {
    pub(crate) inlined_at: *const DebugLocation,
    pub(crate) file: *const u8,
    pub(crate) directory: *const u8,
    pub(crate) function: *const u8,
    pub(crate) file_length: usize,
    pub(crate) directory_length: usize,
    pub(crate) function_length: usize,
    pub(crate) line: c_uint,
    pub(crate) column: c_uint,
}

unsafe extern "C" {
    fn pathpass_register(pass_builder: *mut c_void);
    pub(crate) fn pathpass_function_facts(function: LLVMValueRef) -> u32;
    pub(crate) fn pathpass_annotation(function: LLVMValueRef, number: usize) -> *const c_char;
    pub(crate) fn pathpass_instruction_facts(instruction: LLVMValueRef) -> u32;
    pub(crate) fn pathpass_opcode_name(instruction: LLVMValueRef) -> *const c_char;
    pub(crate) fn pathpass_tail_call(block: LLVMBasicBlockRef) -> LLVMValueRef;
    pub(crate) fn pathpass_only_returns(block: LLVMBasicBlockRef) -> bool;
    pub(crate) fn pathpass_callee(call: LLVMValueRef) -> LLVMValueRef;
    pub(crate) fn pathpass_is_on_suspension(switch: LLVMValueRef) -> bool;
    pub(crate) fn pathpass_case_value(
        switch: LLVMValueRef,
        successor: c_uint,
        case: *mut i64,
    ) -> bool;
    pub(crate) fn pathpass_block_frequency(
        analyses: *mut Analyses,
        block: LLVMBasicBlockRef,
    ) -> u64;
    pub(crate) fn pathpass_edge_probability(
        analyses: *mut Analyses,
        block: LLVMBasicBlockRef,
        index: c_uint,
    ) -> u32;
    pub(crate) fn pathpass_peel(
        function: LLVMValueRef,
        analyses: *mut Analyses,
        most: c_uint,
        found: *mut c_void,
        tell: extern "C" fn(*mut c_void, LLVMBasicBlockRef, LLVMBasicBlockRef),
    );
    pub(crate) fn pathpass_demangle(
        name: *const c_char,
        length: usize,
        found: *mut c_void,
        tell: extern "C" fn(*mut c_void, *const c_char, usize, *const c_char, usize),
    );
    pub(crate) fn pathpass_first_insertion(block: LLVMBasicBlockRef) -> LLVMValueRef;
    pub(crate) fn pathpass_split_edge(
        from: LLVMBasicBlockRef,
        to: LLVMBasicBlockRef,
    ) -> LLVMBasicBlockRef;
    pub(crate) fn pathpass_split_after(
        instruction: LLVMValueRef,
        analyses: *mut Analyses,
    ) -> LLVMBasicBlockRef;
    pub(crate) fn pathpass_forget_frequencies(function: LLVMValueRef, analyses: *mut Analyses);
    pub(crate) fn pathpass_join(block: LLVMBasicBlockRef);
    pub(crate) fn pathpass_promote(slot: LLVMValueRef);
    pub(crate) fn pathpass_forget_purity(function: LLVMValueRef);
    pub(crate) fn pathpass_keep(global: LLVMValueRef);
    pub(crate) fn pathpass_module_hash(module: LLVMModuleRef) -> u64;
    pub(crate) fn pathpass_moves_thread_pointer(module: LLVMModuleRef) -> bool;
    pub(crate) fn pathpass_link(module: LLVMModuleRef, text: *const c_char) -> bool;
    pub(crate) fn pathpass_verify(function: LLVMValueRef) -> bool;
    pub(crate) fn pathpass_debug_location(instruction: LLVMValueRef) -> *const DebugLocation;
    pub(crate) fn pathpass_read_location(location: *const DebugLocation, out: *mut Location);
    pub(crate) fn pathpass_read_declaration(function: LLVMValueRef, out: *mut Location) -> bool;
}

/// Must match `llvm::PassPluginLibraryInfo` of LLVM 22 (`llvm/Plugins/PassPlugin.h`, API version
/// 2).
#[repr(C)]
#[derive(Debug)]
pub struct PassPluginLibraryInfo {
    api_version: u32,
    name: *const c_char,
    version: *const c_char,
    register: Option<unsafe extern "C" fn(*mut c_void)>,
    pre_code_gen: Option<unsafe extern "C" fn()>,
}

/// What clang looks for in a pass plugin. It is exported from Rust because rustc's version script
/// hides the symbols of the C++ archive.
#[unsafe(no_mangle)]
pub extern "C" fn llvmGetPassPluginInfo() -> PassPluginLibraryInfo {
    PassPluginLibraryInfo {
        api_version: 2,
        name: c"pathcc".as_ptr(),
        version: c"0.1.0".as_ptr(),
        register: Some(pathpass_register),
        pre_code_gen: None,
    }
}

/// Instruments a module; true if it was changed. A panic of ours leaves the module uncounted, never
/// uncompiled.
///
/// # Safety
/// `module` is a module that the caller owns; `options` and `analyses` are valid during the call.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn pathpass_run(
    module: LLVMModuleRef,
    options: *const Options,
    analyses: *mut Analyses,
) -> bool {
    // SAFETY: the caller keeps the module; `ManuallyDrop` keeps inkwell from disposing of it.
    let module = ManuallyDrop::new(unsafe { Module::new(module) });
    // SAFETY: C++ passes a valid structure of NUL-terminated texts.
    let options = unsafe { (*options).read() };
    catch_unwind(AssertUnwindSafe(|| crate::run(&module, &options, analyses))).unwrap_or_else(
        |_| {
            // Whoever asked for the verifier wants to see that it failed.
            if options.verify {
                std::process::abort();
            }
            true
        },
    )
}

impl Options {
    /// # Safety
    /// All texts are valid and NUL-terminated.
    unsafe fn read(&self) -> options::Options {
        // SAFETY: see above.
        let text =
            |text: *const c_char| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned();
        options::Options {
            mode: Mode::from_name(&text(self.mode)).unwrap_or_default(),
            stage: Stage::from_name(&text(self.stage)).unwrap_or_default(),
            threads: Threads::from_name(&text(self.threads)).unwrap_or_default(),
            filter: options::Filter::new(&text(self.filter)),
            profile: text(self.profile),
            skip: Some(text(self.skip)).filter(|reason| !reason.is_empty()),
            addressing: options::Addressing::named(&text(self.base)),
            placement: options::Placement::named(&text(self.placement)),
            weights: text(self.weights).split_once(':').map(|(_, path)| path.into()),
            techniques: options::Techniques::without(&text(self.without)),
            moves_pointer: false,
            limit: self.limit,
            hot: Some(self.hot).filter(|&percent| percent > 0),
            callees: self.callees,
            table: Some(self.table).filter(|&slots| slots > 0),
            promotion: self.promotion,
            last: self.last,
            verify: self.verify || cfg!(debug_assertions),
        }
    }
}
