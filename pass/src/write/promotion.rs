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

use std::collections::{BTreeMap, HashMap};

use inkwell::AtomicOrdering;
use inkwell::builder::Builder;
use inkwell::types::IntType;
use inkwell::values::{InstructionOpcode, InstructionValue, PointerValue};
use paths::cfg::{Block, Edge, EdgeKind};

use crate::llvm::InstructionFacts;
use crate::options::Promotion;
use crate::read::graph::Graph;

use super::counter::Step;
use super::insertion::Insertion;

/// The counters that are summed up.
pub(super) struct Promoted<'ctx> {
    /// By counter, a slot on the stack that becomes a register in the end. They are in the order of
    /// their numbers: the code of a module must not differ from one compilation to the next.
    slots: BTreeMap<u64, PointerValue<'ctx>>,
    /// By the edge on which a loop is left, the counters that are summed up in it.
    exits: HashMap<Edge, Vec<u64>>,
}

impl<'ctx> Promoted<'ctx> {
    /// None.
    pub(super) fn none() -> Self {
        Self { slots: BTreeMap::new(), exits: HashMap::new() }
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
                promoted.slots.insert(counter, slot);
                promoted.exits.entry(exit).or_default().push(counter);
            }
        }
        promoted
    }

    /// True if a loop with a sum is left on an edge.
    pub(super) fn is_exit(&self, edge: Edge) -> bool {
        self.exits.contains_key(&edge)
    }

    /// Adds the sums of the loop that is left on an edge, on which `code` stands. A count that is
    /// taken back there has to be behind, so that no counter is ever below zero.
    pub(super) fn add(&self, code: &Insertion<'_, 'ctx>, edge: Edge) {
        for counter in self.exits.get(&edge).into_iter().flatten() {
            let Some(slot) = self.slots.get(counter) else { continue };
            let sum =
                code.builder().build_load(code.word(), *slot, "path.sum").expect("positioned");
            code.step(None, *counter, Step::By(sum.into_int_value()));
            code.builder().build_store(*slot, code.word().const_zero()).expect("positioned");
        }
    }

    /// Steps a counter where `code` is inserted. Only what is counted in the loop goes to the sum.
    pub(super) fn step(&self, code: &Insertion<'_, 'ctx>, counter: u64, step: Step<'ctx>) {
        let (Step::Up, Some(slot)) = (step, self.slots.get(&counter)) else {
            return code.step(None, counter, step);
        };
        let word = code.word();
        let one = word.const_int(1, false);
        let sum = code.builder().build_load(word, *slot, "").expect("positioned").into_int_value();
        let sum = code.builder().build_int_add(sum, one, "").expect("positioned");
        code.builder().build_store(*slot, sum).expect("positioned");
    }

    /// The slots, of which registers are to be made.
    pub(super) fn slots(&self) -> impl Iterator<Item = PointerValue<'ctx>> {
        self.slots.values().copied()
    }
}

/// The edge on which the loop is left that a block is by itself, if it is one that is worth it.
fn exit_of_loop(graph: &Graph<'_>, block: Block) -> Option<Edge> {
    let cfg = &graph.cfg;
    let (turns, exits): (Vec<_>, Vec<_>) =
        cfg.successors(block).iter().copied().partition(|edge| cfg.edge(*edge).to == block);
    let (&[turn], &[exit]) = (turns.as_slice(), exits.as_slice()) else { return None };
    let often = graph.frequency[turn.index()]
        > graph.frequency[exit.index()].saturating_mul(Promotion::TURNS);
    let waits = graph.block(block).get_instructions().any(waits);
    (often && !waits && !cfg.may_stay(block) && cfg.edge(exit).kind == EdgeKind::Plain)
        .then_some(exit)
}

/// True if an instruction looks at what others change: volatile and atomic accesses, and assembly,
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
