//! Where code is written: in a block, or on an edge.
//!
//! Code on an edge stands at the end of its source if that has one successor, at the top of its
//! target if that has one predecessor, and else on a new block.

use std::cell::RefCell;
use std::collections::HashMap;

use inkwell::basic_block::BasicBlock;
use inkwell::builder::Builder;
use inkwell::values::{InstructionOpcode, InstructionValue};
use paths::cfg::{Block, Edge};

use crate::llvm;
use crate::read::graph::Graph;

/// Where the code on an edge stands.
#[derive(Clone, Copy, Debug)]
pub(super) enum OnEdge {
    /// In this block.
    In(Block),
    /// On a block of its own behind this one.
    Behind(Block),
}

/// A builder that finds the places of a graph.
pub(super) struct Position<'a, 'ctx> {
    pub(super) builder: Builder<'ctx>,
    graph: &'a Graph<'ctx>,
    /// The new blocks on edges.
    between: RefCell<HashMap<Edge, BasicBlock<'ctx>>>,
}

impl<'a, 'ctx> Position<'a, 'ctx> {
    /// Writes where `builder` stands.
    pub(super) fn new(builder: Builder<'ctx>, graph: &'a Graph<'ctx>) -> Self {
        Self { builder, graph, between: RefCell::default() }
    }

    /// Positions the builder on `edge`; gives where that is, and before which instruction.
    pub(super) fn on(&self, edge: Edge) -> (OnEdge, InstructionValue<'ctx>) {
        let graph = self.graph;
        let data = graph.cfg.edge(edge);
        let (place, at) = if graph.cfg.successors(data.from).len() == 1 {
            (OnEdge::In(data.from), graph.end_point(data.from))
        } else if graph.cfg.predecessors(data.to).len() == 1 {
            (OnEdge::In(data.to), self.top(data.to))
        } else {
            let split = || {
                let (from, to) = graph.ends(edge);
                llvm::split_edge(from, to).expect("an edge of kind Plain can be split")
            };
            let between = *self.between.borrow_mut().entry(edge).or_insert_with(split);
            let end = between.get_terminator().expect("every block has a terminator");
            (OnEdge::Behind(data.from), end)
        };
        self.builder.position_before(&at);
        (place, at)
    }

    /// Positions the builder where control comes back from a call in `block`; false if that is
    /// nowhere.
    pub(super) fn behind_call(&self, block: Block, call: InstructionValue<'ctx>) -> bool {
        let graph = self.graph;
        if call.get_opcode() == InstructionOpcode::Invoke {
            let returns = |edge: &Edge| {
                graph.cfg.edge(*edge).from == block
                    && graph.ends(*edge).1 == llvm::successors(call)[0]
            };
            let Some(edge) = graph.cfg.edges().find(returns) else { return false };
            self.on(edge);
            return true;
        }
        let Some(next) = call.get_next_instruction() else { return false };
        self.builder.position_before(&next);
        true
    }

    /// The first place in `block` where code can stand, behind the comparisons at its top. The
    /// branch to the block may have compared the same values. A step of a counter in between would
    /// change the flags, and the values would be compared again.
    pub(super) fn top(&self, block: Block) -> InstructionValue<'ctx> {
        let mut at = llvm::first_insertion(self.graph.block(block))
            .expect("a block that is counted at its top can hold code");
        while matches!(at.get_opcode(), InstructionOpcode::ICmp | InstructionOpcode::FCmp) {
            at = at.get_next_instruction().expect("a block has a terminator");
        }
        at
    }
}

/// The place behind the stack slots that open an entry block.
pub(super) fn first_after_slots(entry: BasicBlock<'_>) -> InstructionValue<'_> {
    let mut at = llvm::first_insertion(entry).expect("an entry block can hold code");
    while at.get_opcode() == InstructionOpcode::Alloca {
        at = at.get_next_instruction().expect("a block has a terminator");
    }
    at
}
