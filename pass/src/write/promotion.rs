//! Register promotion: in a loop of one block, a counter is kept in a register until the loop is
//! left.
//!
//! This is done only for a loop with one exit, in which no call may stay away, and which waits for
//! nobody. A thread that waits for another thread, or for a signal handler, may be stopped there
//! and jumped out of. A process that is killed in such a loop loses what the last activation
//! counted.
//!
//! Larger loops, and loops with several exits such as searches, often end after a turn or two,
//! whatever is estimated. For them promotion costs more than it saves.

use std::collections::BTreeMap;

use inkwell::AtomicOrdering;
use inkwell::builder::Builder;
use inkwell::types::IntType;
use inkwell::values::{InstructionOpcode, InstructionValue, PointerValue};
use paths::cfg::{Block, Edge, EdgeKind};

use crate::llvm::{self, InstructionFacts};
use crate::read::graph::Graph;

use super::array::Step;
use super::insertion::Insertion;

/// A loop must go around so many times before it is left.
const TURNS: u64 = 4;

/// A counter that is summed up.
struct Sum<'ctx> {
    /// A slot on the stack that becomes a register in the end.
    slot: PointerValue<'ctx>,
    /// The edge on which its loop is left.
    exit: Edge,
}

/// The counters that are summed up, in the order of their numbers: the code of a module must not
/// differ from one compilation to the next.
pub(super) struct Promoted<'ctx>(BTreeMap<u64, Sum<'ctx>>);

impl<'ctx> Promoted<'ctx> {
    /// None.
    pub(super) fn none() -> Self {
        Self(BTreeMap::new())
    }

    /// Chooses among counters that are stepped at the top of a block, and nowhere else but where
    /// that block's loop is left; `builder` stands at the entry of the function.
    pub(super) fn choose(
        graph: &Graph<'ctx>,
        at_tops: impl Iterator<Item = (u64, Block)>,
        builder: &Builder<'ctx>,
        word: IntType<'ctx>,
    ) -> Self {
        let mut promoted = Self::none();
        for (counter, block) in at_tops {
            if let Some(exit) = exit_of_loop(graph, block) {
                let slot = builder.build_alloca(word, "path.sum").expect("positioned");
                builder.build_store(slot, word.const_zero()).expect("positioned");
                promoted.0.insert(counter, Sum { slot, exit });
            }
        }
        promoted
    }

    /// Steps a counter where `code` is inserted. Only what is counted in the loop goes to the sum:
    /// what is taken back where the loop is left may stand behind the addition of the sum.
    pub(super) fn step(&self, code: &Insertion<'_, 'ctx>, counter: u64, step: Step<'ctx>) {
        let (Step::Up, Some(Sum { slot, .. })) = (step, self.0.get(&counter)) else {
            return code.step(None, counter, step);
        };
        let word = code.word();
        let one = word.const_int(1, false);
        let sum = code.builder().build_load(word, *slot, "").expect("positioned").into_int_value();
        let sum = code.builder().build_int_add(sum, one, "").expect("positioned");
        code.builder().build_store(*slot, sum).expect("positioned");
    }

    /// Writes what stands where the loops are left, and makes registers of the slots.
    pub(super) fn finish(self, code: &Insertion<'_, 'ctx>) {
        for (counter, Sum { slot, exit }) in &self.0 {
            code.position_on(*exit);
            let sum =
                code.builder().build_load(code.word(), *slot, "path.sum").expect("positioned");
            code.step(None, *counter, Step::By(sum.into_int_value()));
            code.builder().build_store(*slot, code.word().const_zero()).expect("positioned");
        }
        self.0.into_values().for_each(|sum| llvm::promote(sum.slot));
    }
}

/// The edge on which the loop is left that a block is by itself, if it is one that is worth it.
fn exit_of_loop(graph: &Graph<'_>, block: Block) -> Option<Edge> {
    let cfg = &graph.cfg;
    let (turns, exits): (Vec<_>, Vec<_>) =
        cfg.successors(block).iter().copied().partition(|edge| cfg.edge(*edge).to == block);
    let (&[turn], &[exit]) = (turns.as_slice(), exits.as_slice()) else { return None };
    let often = graph.frequency[turn.index()] > graph.frequency[exit.index()].saturating_mul(TURNS);
    let waits = graph.block(block).get_instructions().any(waits);
    (often && !waits && !cfg.may_stay(block) && cfg.edge(exit).kind == EdgeKind::Plain)
        .then_some(exit)
}

/// Whether an instruction looks at what others change: volatile and atomic accesses, and assembly,
/// of which that is not known.
fn waits(instruction: InstructionValue<'_>) -> bool {
    use InstructionOpcode::{AtomicCmpXchg, AtomicRMW, Fence, Load, Store};
    let is_plain = || {
        let ordering = instruction
            .get_atomic_ordering()
            .is_ok_and(|ordering| ordering != AtomicOrdering::NotAtomic);
        !ordering && !instruction.get_volatile().unwrap_or(false)
    };
    match instruction.get_opcode() {
        AtomicCmpXchg | AtomicRMW | Fence => true,
        Load | Store => !is_plain(),
        _ => InstructionFacts::of(instruction).is_inline_asm(),
    }
}
