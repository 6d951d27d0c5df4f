//! Accesses to memory, as C++ finds them.

use std::ffi::c_void;
use std::fmt;

use inkwell::basic_block::BasicBlock;
use inkwell::values::{
    AsValueRef, FunctionValue, GlobalValue, InstructionValue, IntValue, PointerValue,
};
use pathformat::manifest::{AccessKind, Tickets};

use crate::ffi;
use crate::options::Techniques;

/// An access to memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access<'ctx> {
    /// The instruction.
    pub(crate) instruction: InstructionValue<'ctx>,
    pub(crate) kind: AccessKind,
    /// None for a fence and a stride.
    pub(crate) address: Option<PointerValue<'ctx>>,
    /// The number of bytes, if it is computed; or the stride.
    pub(crate) length: Option<IntValue<'ctx>>,
    /// The number of bytes, if it is known.
    pub(crate) size: u64,
    /// The base of the address, and the constant that is added.
    pub(crate) from: Option<(Base<'ctx>, i64)>,
    /// The loop with whose iterations the address moves, by its header, and by how much.
    pub(crate) moving: Option<(BasicBlock<'ctx>, Stride)>,
    pub(crate) tickets: Tickets,
}

/// The index of an access in the list of its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AccessIndex(usize);

impl AccessIndex {
    /// The index, unless it is that of no access.
    fn new(index: u64) -> Option<Self> {
        (index != u64::MAX).then_some(Self(index as usize))
    }

    /// The index as a position in a vector.
    pub(crate) fn index(self) -> usize {
        self.0
    }
}

impl fmt::Display for AccessIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a{}", self.0)
    }
}

/// The base of an address that is computed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Base<'ctx> {
    /// The address of another access.
    Access(AccessIndex),
    /// The address of a variable.
    Variable(GlobalValue<'ctx>),
}

/// The distance that an address moves with each iteration of a loop.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stride {
    /// This many bytes.
    Constant(i64),
    /// The number that this access records.
    Recorded(AccessIndex),
}

/// The accesses of a function, in their order within each block. Those to stack slots that nobody
/// else can reach are left out unless `with_stack`. Addresses are computed from others, from where
/// loops are entered and from variables, as far as `techniques` allow it. What has to be computed
/// where loops are entered is inserted there, as instructions that [`is_computed`] recognises.
pub(crate) fn accesses<'ctx>(
    function: FunctionValue<'ctx>,
    analyses: *mut ffi::Analyses,
    with_stack: bool,
    techniques: &Techniques,
) -> Vec<Access<'ctx>> {
    extern "C" fn push(found: *mut c_void, access: *const ffi::Access) {
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
                from: base(access).map(|base| (base, access.by)),
                moving: BasicBlock::new(access.header).map(|header| {
                    let recorded = AccessIndex::new(access.stride_from).map(Stride::Recorded);
                    (header, recorded.unwrap_or(Stride::Constant(access.stride)))
                }),
                tickets: access.tickets,
            });
        }
    }
    let mut found: Vec<Access<'ctx>> = Vec::new();
    // SAFETY: a live function, and the analyses of its pass manager.
    unsafe {
        ffi::pathpass_accesses(
            function.as_value_ref(),
            analyses,
            with_stack,
            techniques.offsets,
            techniques.loops,
            techniques.variables,
            (&raw mut found).cast(),
            push,
        )
    };
    found
}

/// The base of the address of an access.
///
/// # Safety
/// The variable is null or live.
unsafe fn base<'ctx>(access: &ffi::Access) -> Option<Base<'ctx>> {
    if let Some(from) = AccessIndex::new(access.from) {
        return Some(Base::Access(from));
    }
    // SAFETY: as above.
    (!access.variable.is_null())
        .then(|| Base::Variable(unsafe { GlobalValue::new(access.variable) }))
}

/// True if an instruction was inserted to compute what a trace records.
pub(crate) fn is_computed(instruction: InstructionValue<'_>) -> bool {
    // SAFETY: a live instruction.
    unsafe { ffi::pathpass_is_computed(instruction.as_value_ref()) }
}

/// True if code generation may call a function of this name where the source has no call.
pub(crate) fn is_called_by_compiler(name: &str) -> bool {
    // SAFETY: a text of this length.
    unsafe { ffi::pathpass_is_called_by_compiler(name.as_ptr().cast(), name.len()) }
}
