//! The accesses of a function to memory, block by block.

use std::collections::HashMap;

use inkwell::basic_block::BasicBlock;
use inkwell::values::{FunctionValue, InstructionValue, IntValue, PointerValue};
use pathformat::manifest::{AccessKind, Stride, Tickets};
use paths::cfg::Block;

use crate::ffi::Analyses;
use crate::llvm;
use crate::options::{Options, Techniques, Traced};

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
    /// The access that the address is computed from.
    pub(crate) from: Option<From>,
    /// The loop with whose iterations the address moves, if it does.
    pub(crate) moving: Option<Moving>,
    /// Which tickets are taken, if it is atomic.
    pub(crate) tickets: Tickets,
}

/// An access that always comes before, and what is added to its address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct From {
    pub(crate) block: Block,
    /// The index among the accesses of its block.
    pub(crate) access: usize,
    pub(crate) by: i64,
}

/// How an address moves with the iterations of a loop.
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

    /// How many values of it a trace has: its address and its length, unless they are known, and
    /// its tickets.
    pub(crate) fn num_recorded(&self) -> usize {
        usize::from(self.recorded_address().is_some())
            + usize::from(self.length.is_some())
            + self.tickets.count()
    }
}

/// The accesses of each block, where `index` numbers the blocks.
pub(super) fn read<'ctx>(
    function: FunctionValue<'ctx>,
    analyses: *mut Analyses,
    index: &HashMap<BasicBlock<'ctx>, Block>,
    options: &Options,
) -> Vec<Vec<Access<'ctx>>> {
    let mut blocks: Vec<Vec<Access<'ctx>>> = vec![Vec::new(); index.len()];
    let mut places: Vec<(Block, usize)> = Vec::new();
    let traced = options.traced.unwrap_or(Traced::Memory);
    if traced == Traced::ControlFlow {
        return blocks;
    }
    let with_stack = traced == Traced::AllMemory;
    let Techniques { offsets, loops, .. } = options.techniques;
    for access in llvm::accesses(function, analyses, with_stack, offsets, loops) {
        let block = access.instruction.get_parent().expect("an instruction is in a block");
        let block = index[&block];
        let of_block = &mut blocks[block.index()];
        places.push((block, of_block.len()));
        let from = access.from.map(|(from, by)| {
            let (block, access) = places[from];
            From { block, access, by }
        });
        let moving = access.moving.map(|(header, stride)| {
            let stride = match stride {
                llvm::Stride::Constant(bytes) => Stride::Constant(bytes),
                llvm::Stride::Told(by) => {
                    let (block, access) = places[by];
                    Stride::Recorded { block: block.0, access: access as u32 }
                }
            };
            Moving { header: index[&header], stride }
        });
        of_block.push(Access {
            instruction: access.instruction,
            kind: kind(access.kind),
            address: access.address,
            length: access.length,
            size: access.size,
            from,
            moving,
            tickets: tickets(access.tickets),
        });
    }
    blocks
}

fn kind(kind: llvm::AccessKind) -> AccessKind {
    match kind {
        llvm::AccessKind::Load => AccessKind::Load,
        llvm::AccessKind::Store => AccessKind::Store,
        llvm::AccessKind::Update => AccessKind::Update,
        llvm::AccessKind::BulkLoad => AccessKind::BulkLoad,
        llvm::AccessKind::BulkStore => AccessKind::BulkStore,
        llvm::AccessKind::Fence => AccessKind::Fence,
        llvm::AccessKind::Base => AccessKind::Base,
        llvm::AccessKind::Stride => AccessKind::Stride,
    }
}

fn tickets(tickets: llvm::Tickets) -> Tickets {
    match tickets {
        llvm::Tickets::None => Tickets::None,
        llvm::Tickets::Before => Tickets::Before,
        llvm::Tickets::After => Tickets::After,
        llvm::Tickets::Both => Tickets::Both,
        llvm::Tickets::Relaxed => Tickets::Relaxed,
    }
}
