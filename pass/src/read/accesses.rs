//! The accesses of a function to memory, block by block, and the variables that they name.

use std::collections::HashMap;
use std::fmt;

use inkwell::basic_block::BasicBlock;
use inkwell::values::{FunctionValue, GlobalValue, InstructionValue, IntValue, PointerValue};
use pathformat::manifest::{AccessKind, Stride, Tickets};
use paths::cfg::Block;

use crate::ffi::Analyses;
use crate::llvm;
use crate::options::{Options, Traced};

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
    pub(crate) from: Option<(Base, i64)>,
    /// The loop with whose iterations the address moves, if it does.
    pub(crate) moving: Option<Moving>,
    /// Which tickets are taken, if it is atomic.
    pub(crate) tickets: Tickets,
}

/// An access of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockAccess {
    pub(crate) block: Block,
    /// Its index among the accesses of the block.
    pub(crate) index: u32,
}

impl fmt::Display for BlockAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.a{}", self.block, self.index)
    }
}

/// The index of a variable in the list of its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VariableIndex(pub(crate) u32);

impl fmt::Display for VariableIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}", self.0)
    }
}

/// The base of an address that is computed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Base {
    /// An access that always comes before.
    Access(BlockAccess),
    /// A variable of the function's list.
    Variable(VariableIndex),
}

/// The accesses of a function.
#[derive(Clone, Debug, Default)]
pub(crate) struct Accesses<'ctx> {
    /// Those of each block.
    pub(crate) blocks: Vec<Vec<Access<'ctx>>>,
    /// The variables from whose addresses others are computed.
    pub(crate) variables: Vec<GlobalValue<'ctx>>,
}

/// The movement of an address with the iterations of a loop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moving {
    pub(crate) header: Block,
    pub(crate) stride: Stride,
}

impl<'ctx> Access<'ctx> {
    /// The address, if the trace has it.
    pub(crate) fn recorded_address(&self) -> Option<PointerValue<'ctx>> {
        self.address.filter(|_| self.from.is_none())
    }

    /// The number of its values in a trace: its address and its length, unless they are known, and
    /// its tickets.
    pub(crate) fn num_recorded(&self) -> usize {
        usize::from(self.recorded_address().is_some())
            + usize::from(self.length.is_some())
            + self.tickets.count()
    }
}

/// Those of a function whose blocks `index` numbers.
pub(super) fn read<'ctx>(
    function: FunctionValue<'ctx>,
    analyses: *mut Analyses,
    index: &HashMap<BasicBlock<'ctx>, Block>,
    options: &Options,
) -> Accesses<'ctx> {
    let mut found = Accesses { blocks: vec![Vec::new(); index.len()], variables: Vec::new() };
    let mut variables: HashMap<PointerValue<'ctx>, VariableIndex> = HashMap::new();
    let mut places: Vec<BlockAccess> = Vec::new();
    let traced = options.traced.unwrap_or(Traced::Memory);
    if traced == Traced::ControlFlow {
        return found;
    }
    let with_stack = traced == Traced::AllMemory;
    for access in llvm::accesses(function, analyses, with_stack, &options.techniques) {
        let block = access.instruction.get_parent().expect("an instruction is in a block");
        let block = index[&block];
        let of_block = &mut found.blocks[block.index()];
        places.push(BlockAccess { block, index: of_block.len() as u32 });
        let from = access.from.map(|(base, by)| match base {
            llvm::Base::Access(at) => (Base::Access(places[at.index()]), by),
            llvm::Base::Variable(variable) => {
                let next = VariableIndex(found.variables.len() as u32);
                let at = *variables.entry(variable.as_pointer_value()).or_insert(next);
                if at == next {
                    found.variables.push(variable);
                }
                (Base::Variable(at), by)
            }
        });
        let moving = access.moving.map(|(header, stride)| {
            let stride = match stride {
                llvm::Stride::Constant(bytes) => Stride::Constant(bytes),
                llvm::Stride::Recorded(by) => {
                    let BlockAccess { block, index } = places[by.index()];
                    Stride::Recorded { block: block.0, access: index }
                }
            };
            Moving { header: index[&header], stride }
        });
        of_block.push(Access {
            instruction: access.instruction,
            kind: access.kind,
            address: access.address,
            length: access.length,
            size: access.size,
            from,
            moving,
            tickets: access.tickets,
        });
    }
    found
}
