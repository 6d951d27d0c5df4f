//! The C++ edge as Rust sees it: declarations that must match those in `cpp`, and the two symbols
//! clang calls.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::{ptr, slice};

use inkwell::module::Module;
use llvm_sys::prelude::{LLVMBasicBlockRef, LLVMModuleRef, LLVMValueRef};

use pathformat::manifest::{AccessKind, Tickets};
use pathformat::settings::{Level, Stage};

use crate::options::Options;
use crate::parameters::{GivenValues, PARAMETERS, PipelinePoint};

pub(crate) mod machine;

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

/// A `DISubprogram`, only ever handed back to C++.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Subprogram {
    opaque: [u8; 0],
}

/// A named scope around a function. `cpp/debug_info.cpp` has the same list.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(test), expect(dead_code, reason = "C++ makes the values"))]
pub(crate) enum ScopeKind {
    /// The function itself, or one that a class in it is local to.
    Function,
    Namespace,
    /// A namespace whose members are those of the one around it.
    InlineNamespace,
    Class,
    Struct,
    Union,
}

/// Must match `PathpassOption` in `cpp/plugin.cpp`.
#[repr(C)]
pub(crate) struct Parameter {
    /// Null behind the last.
    word: *const c_char,
    meaning: *const c_char,
    is_hidden: bool,
}

/// Must match `PathpassSituation` in `cpp/plugin.cpp`.
#[repr(C)]
pub(crate) struct Situation {
    /// 0 to 3, or negative if no pipeline is known.
    speed: c_int,
    /// 0 to 2.
    size: c_int,
    last: bool,
    is_linked_later: bool,
}

/// Must match `PathpassLocation` in `cpp/debug_info.cpp`. The texts live as long as the module's
/// debug metadata.
#[repr(C)]
pub(crate) struct Location {
    pub(crate) inlined_at: *const DebugLocation,
    /// Null for code of no function.
    pub(crate) function: *const Subprogram,
    pub(crate) file: *const u8,
    pub(crate) directory: *const u8,
    pub(crate) file_length: usize,
    pub(crate) directory_length: usize,
    pub(crate) line: c_uint,
    pub(crate) column: c_uint,
}

/// Must match `PathpassAccess` in `cpp/addresses.cpp`.
#[repr(C)]
pub(crate) struct Access {
    pub(crate) instruction: LLVMValueRef,
    /// Null for a fence and a stride.
    pub(crate) address: LLVMValueRef,
    /// Null if `size` says how many bytes are accessed. Of a stride, what is recorded.
    pub(crate) length: LLVMValueRef,
    pub(crate) size: u64,
    /// The variable that the address is computed from, or null.
    pub(crate) variable: LLVMValueRef,
    /// The number of the access that the address is computed from; all ones for none.
    pub(crate) from: u64,
    pub(crate) by: i64,
    /// The header of the loop with whose iterations the address moves, or null.
    pub(crate) header: LLVMBasicBlockRef,
    /// By how much, unless `stride_from` is the number of an access and not all ones.
    pub(crate) stride: i64,
    pub(crate) stride_from: u64,
    pub(crate) kind: AccessKind,
    pub(crate) tickets: Tickets,
}

/// Must match `PathpassText` in `cpp/demangle.cpp` and `cpp/read.cpp`.
#[repr(C)]
pub(crate) struct Text {
    pub(crate) bytes: *const u8,
    pub(crate) length: usize,
}

unsafe extern "C" {
    fn pathpass_register(pass_builder: *mut c_void);
    fn pathpass_values(
        place: usize,
        visitor: *mut c_void,
        visit: extern "C" fn(*mut c_void, *const c_char, usize),
    );
    pub(crate) fn pathpass_function_facts(function: LLVMValueRef) -> u32;
    pub(crate) fn pathpass_annotation(function: LLVMValueRef, number: usize) -> *const c_char;
    pub(crate) fn pathpass_instruction_facts(instruction: LLVMValueRef) -> u32;
    pub(crate) fn pathpass_opcode_name(instruction: LLVMValueRef) -> *const c_char;
    pub(crate) fn pathpass_tail_call(block: LLVMBasicBlockRef) -> LLVMValueRef;
    pub(crate) fn pathpass_only_returns(block: LLVMBasicBlockRef) -> bool;
    pub(crate) fn pathpass_callee(call: LLVMValueRef) -> LLVMValueRef;
    pub(crate) fn pathpass_hands_over(call: LLVMValueRef) -> bool;
    pub(crate) fn pathpass_only_suspends(block: LLVMBasicBlockRef) -> bool;
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
    pub(crate) fn pathpass_demangle(
        name: *const c_char,
        length: usize,
        visitor: *mut c_void,
        visit: extern "C" fn(*mut c_void, *const [Text; 4]),
    );
    pub(crate) fn pathpass_texts(
        function: LLVMValueRef,
        visitor: *mut c_void,
        visit: extern "C" fn(*mut c_void, LLVMBasicBlockRef, *const Text),
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
    pub(crate) fn pathpass_split_landing_pad(invoke: LLVMValueRef, analyses: *mut Analyses);
    pub(crate) fn pathpass_forget_frequencies(function: LLVMValueRef, analyses: *mut Analyses);
    pub(crate) fn pathpass_join(block: LLVMBasicBlockRef);
    pub(crate) fn pathpass_promote(slots: *const LLVMValueRef, count: usize);
    pub(crate) fn pathpass_forget_purity(function: LLVMValueRef);
    pub(crate) fn pathpass_keep(global: LLVMValueRef);
    pub(crate) fn pathpass_drop_names(module: LLVMModuleRef);
    pub(crate) fn pathpass_module_hash(module: LLVMModuleRef) -> u64;
    pub(crate) fn pathpass_moves_thread_pointer(module: LLVMModuleRef) -> bool;
    pub(crate) fn pathpass_uses_segment(module: LLVMModuleRef) -> bool;
    pub(crate) fn pathpass_is_large(module: LLVMModuleRef) -> bool;
    pub(crate) fn pathpass_link(module: LLVMModuleRef, text: *const c_char) -> bool;
    pub(crate) fn pathpass_verify(function: LLVMValueRef) -> bool;
    pub(crate) fn pathpass_accesses(
        function: LLVMValueRef,
        analyses: *mut Analyses,
        with_stack: bool,
        with_offsets: bool,
        with_loops: bool,
        with_variables: bool,
        visitor: *mut c_void,
        visit: extern "C" fn(*mut c_void, *const Access),
    );
    pub(crate) fn pathpass_is_computed(instruction: LLVMValueRef) -> bool;
    pub(crate) fn pathpass_is_called_by_compiler(name: *const c_char, length: usize) -> bool;
    pub(crate) fn pathpass_add_cold_branch(
        condition: LLVMValueRef,
        before: LLVMValueRef,
    ) -> LLVMValueRef;
    pub(crate) fn pathpass_debug_location(instruction: LLVMValueRef) -> *const DebugLocation;
    pub(crate) fn pathpass_read_location(location: *const DebugLocation, out: *mut Location);
    pub(crate) fn pathpass_read_declaration(function: LLVMValueRef, out: *mut Location) -> bool;
    pub(crate) fn pathpass_parameter_location(function: LLVMValueRef) -> *const DebugLocation;
    pub(crate) fn pathpass_scopes(
        function: *const Subprogram,
        visitor: *mut c_void,
        visit: extern "C" fn(*mut c_void, ScopeKind, *const u8, usize),
    ) -> bool;
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

/// The symbol that clang looks for in a pass plugin. It is exported from Rust because rustc's
/// version script hides the symbols of the C++ archive.
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
/// `module` is a module that the caller owns; `situation` and `analyses` are valid during the call.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn pathpass_run(
    module: LLVMModuleRef,
    situation: *const Situation,
    analyses: *mut Analyses,
) -> bool {
    // SAFETY: the caller keeps the module; `ManuallyDrop` keeps inkwell from disposing of it.
    let module = ManuallyDrop::new(unsafe { Module::new(module) });
    // SAFETY: C++ passes a valid structure.
    let situation = unsafe { &*situation };
    let options = GivenValues { values: &values }.options(situation.level(), situation.last);
    let options = match options.stage {
        // A linker would generate the machine code, and knows none of our options.
        Stage::Machine if situation.is_linked_later => Options { stage: Stage::Late, ..options },
        _ => options,
    };
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

/// Prepares a module, before it is optimised, for what is done behind the optimiser; true if it was
/// changed.
///
/// # Safety
/// `module` is a module that the caller owns.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn pathpass_prepare(module: LLVMModuleRef) -> bool {
    // SAFETY: as above.
    let module = ManuallyDrop::new(unsafe { Module::new(module) });
    let options = GivenValues { values: &values }.options(Level::Unknown, false);
    catch_unwind(AssertUnwindSafe(|| crate::prepare(&module, &options))).unwrap_or(true)
}

impl Situation {
    fn level(&self) -> Level {
        match (self.speed, self.size) {
            (_, 1) => Level::Small,
            (_, 2) => Level::Smallest,
            (0, _) => Level::Zero,
            (1, _) => Level::One,
            (2, _) => Level::Two,
            (3, _) => Level::Three,
            _ => Level::Unknown,
        }
    }
}

/// The option of the plugin at this place of the table.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn pathpass_option(place: usize) -> Parameter {
    let known = PARAMETERS.get(place);
    let text = |text: Option<&'static CStr>| text.map_or(ptr::null(), CStr::as_ptr);
    Parameter {
        word: text(known.map(|known| known.word)),
        meaning: text(known.map(|known| known.meaning)),
        is_hidden: known.is_some_and(|known| known.is_hidden),
    }
}

/// The point of the pipeline at which the pass is to run.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn pathpass_pipeline_point() -> PipelinePoint {
    GivenValues { values: &values }.pipeline_point()
}

/// The values that the option at this place of the table was given, in their order.
fn values(place: usize) -> Vec<String> {
    extern "C" fn push(values: *mut c_void, text: *const c_char, length: usize) {
        // SAFETY: C++ hands back what it was given below, and a text of this length.
        let (values, text) = unsafe {
            (&mut *values.cast::<Vec<String>>(), slice::from_raw_parts(text.cast(), length))
        };
        values.push(String::from_utf8_lossy(text).into_owned());
    }
    let mut values = Vec::<String>::new();
    // SAFETY: `push` is given `values`, which lives as long as the call.
    unsafe { pathpass_values(place, (&raw mut values).cast(), push) };
    values
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use super::machine::{CodeKind, EdgeForm, NO_CONDITION};
    use super::*;

    /// The enumerators of an enumeration in C++.
    fn enumerators<'a>(source: &'a str, name: &str) -> Vec<&'a str> {
        let (_, list) = source.split_once(&format!("enum class {name} : ")).expect("it is defined");
        let (_, list) = list.split_once('{').expect("it has a list");
        let (list, _) = list.split_once('}').expect("the list ends");
        let lines = list.lines().map(str::trim).filter(|line| !line.starts_with("//"));
        lines.flat_map(|line| line.split(',')).map(str::trim).filter(|of| !of.is_empty()).collect()
    }

    #[track_caller]
    fn check<T: Debug>(source: &str, name: &str, variants: impl IntoIterator<Item = (T, u32)>) {
        let (names, numbers): (Vec<_>, Vec<_>) =
            variants.into_iter().map(|(variant, number)| (format!("{variant:?}"), number)).unzip();
        assert_eq!(enumerators(source, name), names, "{name}");
        assert!(numbers.into_iter().eq(0..names.len() as u32), "{name}");
    }

    #[test]
    fn enumerations_of_cpp_have_the_same_lists() {
        let accesses = include_str!("../cpp/accesses.h");
        check(accesses, "AccessKind", AccessKind::ALL.map(|kind| (kind, kind as u32)));
        check(accesses, "Tickets", Tickets::ALL.map(|tickets| (tickets, tickets as u32)));
        let scopes = [
            ScopeKind::Function,
            ScopeKind::Namespace,
            ScopeKind::InlineNamespace,
            ScopeKind::Class,
            ScopeKind::Struct,
            ScopeKind::Union,
        ];
        let debug_info = include_str!("../cpp/debug_info.cpp");
        check(debug_info, "ScopeKind", scopes.map(|kind| (kind, kind as u32)));
        let points = [PipelinePoint::Late, PipelinePoint::Early, PipelinePoint::BehindProfiler];
        let machine = include_str!("../cpp/machine.cpp");
        check(machine, "EdgeForm", EdgeForm::ALL.map(|form| (form, form as u32)));
        check(machine, "CodeKind", CodeKind::ALL.map(|kind| (kind, kind as u32)));
        assert!(machine.contains(&format!("NoCondition = {NO_CONDITION},")));
        let plugin = include_str!("../cpp/plugin.cpp");
        check(plugin, "PipelinePoint", points.map(|point| (point, point as u32)));
    }
}
