//! Accesses to memory, as C++ tells them.

use std::ffi::c_void;

use inkwell::basic_block::BasicBlock;
use inkwell::values::{AsValueRef, FunctionValue, InstructionValue, IntValue, PointerValue};

use crate::ffi;

pub(crate) use crate::ffi::{AccessKind, Tickets};

/// An access to memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access<'ctx> {
    /// What accesses it.
    pub(crate) instruction: InstructionValue<'ctx>,
    pub(crate) kind: AccessKind,
    /// None for a fence and a stride.
    pub(crate) address: Option<PointerValue<'ctx>>,
    /// How many bytes, if that is not known. The stride.
    pub(crate) length: Option<IntValue<'ctx>>,
    /// How many bytes, if that is known.
    pub(crate) size: u64,
    /// The access that the address is computed from, as a place in the list, and what is added.
    pub(crate) from: Option<(usize, i64)>,
    /// The loop with whose iterations the address moves, by its header, and by how much.
    pub(crate) moving: Option<(BasicBlock<'ctx>, Stride)>,
    pub(crate) tickets: Tickets,
}

/// How far an address moves with each iteration of a loop.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stride {
    /// So many bytes.
    Constant(i64),
    /// What the access at this place in the list tells.
    Told(usize),
}

/// The accesses of a function, in their order within each block. Those to stack slots that nobody
/// else can reach are left out unless `with_stack`. With `with_offsets`, addresses are computed
/// from others where that is possible; with `with_loops`, from where loops are entered: then
/// instructions are inserted there, which [`is_computed`] tells.
pub(crate) fn accesses(
    function: FunctionValue<'_>,
    analyses: *mut ffi::Analyses,
    with_stack: bool,
    with_offsets: bool,
    with_loops: bool,
) -> Vec<Access<'_>> {
    extern "C" fn tell(found: *mut c_void, access: *const ffi::Access) {
        // SAFETY: `found` is the list below; the instruction, its address and its length are live,
        // and of these types.
        unsafe {
            let (found, access) = (&mut *found.cast::<Vec<Access<'_>>>(), &*access);
            found.push(Access {
                instruction: InstructionValue::new(access.instruction),
                kind: access.kind,
                address: (!access.address.is_null()).then(|| PointerValue::new(access.address)),
                length: (!access.length.is_null()).then(|| IntValue::new(access.length)),
                size: access.size,
                from: (access.from != u64::MAX).then_some((access.from as usize, access.by)),
                moving: BasicBlock::new(access.header).map(|header| {
                    let told = access.stride_from != u64::MAX;
                    let constant = Stride::Constant(access.stride);
                    (
                        header,
                        if told { Stride::Told(access.stride_from as usize) } else { constant },
                    )
                }),
                tickets: access.tickets,
            });
        }
    }
    let mut found: Vec<Access<'_>> = Vec::new();
    // SAFETY: a live function, and the analyses of its pass manager.
    unsafe {
        ffi::pathpass_accesses(
            function.as_value_ref(),
            analyses,
            with_stack,
            with_offsets,
            with_loops,
            (&raw mut found).cast(),
            tell,
        )
    };
    found
}

/// Whether an instruction was inserted to compute what a trace records.
pub(crate) fn is_computed(instruction: InstructionValue<'_>) -> bool {
    // SAFETY: a live instruction.
    unsafe { ffi::pathpass_is_computed(instruction.as_value_ref()) }
}

/// Whether code generation may call a function of this name where the source has no call.
pub(crate) fn is_called_by_compiler(name: &str) -> bool {
    // SAFETY: a text of this length.
    unsafe { ffi::pathpass_is_called_by_compiler(name.as_ptr().cast(), name.len()) }
}
