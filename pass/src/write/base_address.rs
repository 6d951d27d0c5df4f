//! Where the address of a function's counters comes from.
//!
//! The address is read at the entry of the function. Over calls it is kept only if that is cheaper
//! than to read it again behind them: keeping it costs a callee-saved register or a stack slot at
//! every entry, however rarely the code behind a call runs.

use std::cell::Cell;

use inkwell::builder::Builder;
use inkwell::values::{InstructionValue, PointerValue};
use paths::cfg::{Block, ENTRY};

use crate::llvm::{FunctionFacts, InstructionFacts};
use crate::read::graph::Graph;

use super::array::CounterArray;
use super::function::Function;

/// The address is kept over calls if it would be read again more often than this for each entry:
/// saving a register and restoring it takes two instructions.
const READS: u64 = 2;

/// The address of the counters of one function.
pub(super) struct BaseAddress<'a, 'ctx> {
    array: &'a CounterArray<'ctx>,
    facts: FunctionFacts,
    first_counter: u64,
    kept: Option<PointerValue<'ctx>>,
    /// True if it is read wherever it is needed, because control may come back to a call with
    /// nothing kept.
    anew: bool,
    /// For each block: true if a call may come before its top, and before its end.
    behind_call: Vec<[bool; 2]>,
    /// True if code behind calls reads the address again.
    reads_again: bool,
    /// True if the builder stands behind a call.
    is_behind_call: Cell<bool>,
}

impl<'a, 'ctx> BaseAddress<'a, 'ctx> {
    /// Reads the address where `builder` stands, at the entry of the function, unless no code
    /// `needs` it. `counts_behind` says whether there is such code at the end of a block or on an
    /// edge out of it.
    pub(super) fn new(
        function: &Function<'_, 'ctx>,
        array: &'a CounterArray<'ctx>,
        builder: &Builder<'ctx>,
        may_read_again: bool,
        needs: bool,
        counts_behind: impl Fn(Block) -> bool,
    ) -> Self {
        let first_counter = function.layout.first_counter;
        let facts = function.facts;
        let graph = function.graph;
        // Nothing that was kept is to be trusted when control comes back to a call for the second
        // time.
        let anew = graph.returns_twice;
        let keeps = array.is_computed_at_entry() && needs && !anew;
        let kept = keeps.then(|| array.address(builder, first_counter, false, facts));
        let behind_call = behind_call(graph);
        let reads = graph.cfg.blocks();
        let reads = reads.filter(|&of| behind_call[of.index()][1] && counts_behind(of));
        let reads = reads.fold(0u64, |sum, block| sum.saturating_add(executions(graph, block)));
        let may_be = executions(graph, ENTRY).saturating_mul(READS);
        let reads_again = may_read_again && reads <= may_be;
        Self {
            array,
            facts,
            first_counter,
            kept,
            anew,
            behind_call,
            reads_again,
            is_behind_call: Cell::new(false),
        }
    }

    /// Notes that code will be written in `block` before `at`.
    pub(super) fn stand_before(&self, block: Block, at: InstructionValue<'ctx>) {
        let before = std::iter::successors(at.get_previous_instruction(), |at| {
            at.get_previous_instruction()
        });
        self.is_behind_call
            .set(self.behind_call[block.index()][0] || before.into_iter().any(is_call));
    }

    /// Notes that code will be written on an edge out of `block`.
    pub(super) fn stand_behind(&self, block: Block) {
        self.is_behind_call.set(self.behind_call[block.index()][1]);
    }

    /// The address, for code where `builder` stands.
    pub(super) fn get(&self, builder: &Builder<'ctx>) -> PointerValue<'ctx> {
        match self.kept {
            Some(kept) if !(self.reads_again && self.is_behind_call.get()) => kept,
            _ => self.array.address(builder, self.first_counter, self.anew, self.facts),
        }
    }
}

/// A call that keeps no register of its caller's but the callee-saved ones.
fn is_call(instruction: InstructionValue<'_>) -> bool {
    InstructionFacts::of(instruction).calls_function()
}

/// Estimated executions of a block.
fn executions(graph: &Graph<'_>, block: Block) -> u64 {
    let edges =
        if block == ENTRY { graph.cfg.successors(block) } else { graph.cfg.predecessors(block) };
    edges.iter().fold(0, |sum, edge| sum.saturating_add(graph.frequency[edge.index()]))
}

/// For each block, whether control may have come through a call to its top and to its end.
fn behind_call(graph: &Graph<'_>) -> Vec<[bool; 2]> {
    let calls = |block: Block| graph.block(block).get_instructions().any(is_call);
    let mut behind: Vec<_> = graph.cfg.blocks().map(|block| [false, calls(block)]).collect();
    let mut pending: Vec<Block> =
        graph.cfg.blocks().filter(|block| behind[block.index()][1]).collect();
    while let Some(block) = pending.pop() {
        for &edge in graph.cfg.successors(block) {
            let to = graph.cfg.edge(edge).to;
            let reached = &mut behind[to.index()];
            if !reached[0] {
                if !reached[1] {
                    pending.push(to);
                }
                *reached = [true, true];
            }
        }
    }
    behind
}
