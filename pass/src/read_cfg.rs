//! Reads a function's graph: from LLVM's blocks to `paths::Cfg`.
//!
//! Every kind of terminator becomes edges of one of three kinds. `br`, `switch` and the normal way on from an `invoke`
//! can hold code. The unwind edge of an `invoke` cannot, but the path goes on along it. `indirectbr` and `callbr`
//! are opaque: the path ends before them. So does it at a call that returns twice, such as `setjmp`; its block is
//! first split behind the call, which is the only change made to the function here.

use std::collections::{HashMap, HashSet};

use inkwell::basic_block::BasicBlock;
use inkwell::values::{FunctionValue, InstructionOpcode, InstructionValue};
use pathformat::manifest::Outcome;
use paths::cfg::{Block, BlockData, Cfg, Edge, EdgeData, EdgeKind, Exit};

use crate::ffi::Analyses;
use crate::llvm::{self, FunctionFacts, InstructionFacts};
use crate::options::Options;

/// A function's graph with what ties it to LLVM.
pub(crate) struct Graph<'ctx> {
    /// The graph.
    pub(crate) cfg: Cfg,
    /// Executions of each edge, estimated or measured.
    pub(crate) frequency: Vec<u64>,
    /// Whether they were measured.
    pub(crate) is_measured: bool,
    /// Whether a call in it may return twice.
    pub(crate) returns_twice: bool,
    /// Which outcome of the terminator takes each edge.
    pub(crate) outcomes: Vec<Outcome>,
    /// LLVM's block for each block.
    pub(crate) blocks: Vec<BasicBlock<'ctx>>,
    /// For each block where the code stands that is run at its end.
    ends: Vec<InstructionValue<'ctx>>,
}

/// With more ways in, a block that returns is not left by calls in tail position: each way in holds a copy of the counting.
const MOST_WAYS_TO_RETURN: usize = 8;

/// Loops of more instructions keep their first iteration: counting is a small part of them.
const SHORT_LOOP: u32 = 64;

impl<'ctx> Graph<'ctx> {
    /// Reads `function`, whose blocks are numbered in its own order.
    pub(crate) fn read(function: FunctionValue<'ctx>, analyses: *mut Analyses, options: &Options) -> Self {
        let peeled = peel(function, analyses, options);
        let splits = split_behind_calls_that_return_twice(function);
        let blocks = function.get_basic_blocks();
        let index: HashMap<_, _> = blocks.iter().enumerate().map(|(at, block)| (*block, Block(at as u32))).collect();
        let mut edges: Vec<EdgeData> = Vec::new();
        let mut frequency: Vec<u64> = Vec::new();
        let mut outcomes: Vec<Outcome> = Vec::new();
        for &block in &blocks {
            let terminator = block.get_terminator().expect("every block has a terminator");
            let from = index[&block];
            let first = edges.len();
            for (position, to) in llvm::successors(terminator).into_iter().enumerate() {
                let peeled = peeled.contains(&(block, to));
                let to = index[&to];
                let weight = llvm::edge_frequency(analyses, block, position);
                let outcome = outcome(terminator, position);
                match edges[first..].iter().position(|edge| edge.to == to) {
                    Some(known) => {
                        let known = first + known;
                        frequency[known] = frequency[known].saturating_add(weight);
                        merge(&mut outcomes[known], outcome);
                    }
                    None => {
                        let kind = edge_kind(block, terminator, position);
                        edges.push(EdgeData { from, to, kind, peeled });
                        frequency.push(weight);
                        outcomes.push(outcome);
                    }
                }
            }
            let out = &mut outcomes[first..];
            if let [only @ (Outcome::True | Outcome::False | Outcome::Cases(_) | Outcome::Default)] = out {
                *only = Outcome::Jump;
            }
        }
        let tail_calls = options.techniques.tail_calls;
        let is_left_above = |at| tail_calls && is_left_above(&blocks, &edges, Block(at as u32));
        let returns: Vec<bool> = (0..blocks.len()).map(is_left_above).collect();
        let next = |from: Block| edges.iter().find(|edge| edge.from == from).map(|edge| edge.to);
        let leaves = |at: usize| tail_calls && next(Block(at as u32)).is_none_or(|to| returns[to.index()]);
        let ends: Vec<_> = blocks
            .iter()
            .enumerate()
            .map(|(at, &block)| llvm::tail_call(block).filter(|_| leaves(at)).unwrap_or_else(|| end_point(block)))
            .collect();
        let data = blocks.iter().zip(&ends).zip(&returns).map(|((&block, &end), &counts_above)| {
            let terminator = block.get_terminator().expect("every block has a terminator");
            BlockData { exit: exit(terminator), may_stay: stays(block, end).next().is_some(), counts_above }
        });
        let cfg = Cfg::new(data.collect(), edges);
        // A landing pad cannot tell a call that returned twice from others, so it would not know what to take back.
        let invokes = blocks.iter().any(|&block| invokes_twice(block));
        let cfg = if options.in_flight && !invokes { cfg.with_in_flight() } else { cfg };
        Self { cfg, frequency, is_measured: false, returns_twice: splits || invokes, outcomes, blocks, ends }
    }

    /// LLVM's block.
    pub(crate) fn block(&self, block: Block) -> BasicBlock<'ctx> {
        self.blocks[block.index()]
    }

    /// Where the code stands that is run at the end of a block: before the terminator, or before the call that control may not
    /// come back from in the usual way. A call in tail position is where the function is left: code generation makes it a
    /// jump if nothing stands behind it.
    pub(crate) fn end_point(&self, block: Block) -> InstructionValue<'ctx> {
        self.ends[block.index()]
    }

    /// The instructions of a block, up to its [end](Self::end_point), that control may stay in.
    pub(crate) fn stays(&self, block: Block) -> impl Iterator<Item = InstructionValue<'ctx>> + use<'ctx> {
        stays(self.block(block), self.end_point(block))
    }

    /// LLVM's blocks at both ends of an edge.
    pub(crate) fn ends(&self, edge: Edge) -> (BasicBlock<'ctx>, BasicBlock<'ctx>) {
        let data = self.cfg.edge(edge);
        (self.block(data.from), self.block(data.to))
    }
}

/// Peels the first iterations off short loops; see [`llvm::peel`]. Not where what is seen shall be the source's own
/// branches, nor where passes follow that know better what to do with loops.
fn peel<'ctx>(
    function: FunctionValue<'ctx>,
    analyses: *mut Analyses,
    options: &Options,
) -> HashSet<(BasicBlock<'ctx>, BasicBlock<'ctx>)> {
    let facts = FunctionFacts::of(function);
    let may = options.last
        && matches!(options.mode.as_str(), "paths" | "log")
        && options.techniques.peeling
        && !facts.is_left_slow()
        && !facts.is_small();
    if may { llvm::peel(function, analyses, SHORT_LOOP) } else { HashSet::new() }
}

/// Before the terminator, or before the call that control may not come back from in the usual way.
fn end_point(block: BasicBlock<'_>) -> InstructionValue<'_> {
    let terminator = block.get_terminator().expect("every block has a terminator");
    let opcode = terminator.get_opcode();
    let mut at = terminator;
    while let Some(previous) = at.get_previous_instruction() {
        let facts = InstructionFacts::of(previous);
        at = previous;
        let ends_here = match opcode {
            InstructionOpcode::Unreachable => facts.does_not_return(),
            InstructionOpcode::Return => facts.must_be_last(),
            _ => facts.returns_twice(),
        };
        if ends_here {
            return previous;
        }
        // Nothing that matters stands before another call, except before the bitcast and debug records after a tail call.
        if facts.is_call() && !facts.is_intrinsic() {
            break;
        }
    }
    terminator
}

/// Whether there are such calls.
fn split_behind_calls_that_return_twice(function: FunctionValue<'_>) -> bool {
    let is_one = |instruction: &InstructionValue<'_>| {
        InstructionFacts::of(*instruction).returns_twice() && !instruction.is_terminator()
    };
    let instructions = function.get_basic_blocks().into_iter().flat_map(|block| block.get_instructions());
    // Collected first: splitting changes the lists that are walked.
    let calls: Vec<_> = instructions.filter(is_one).collect();
    let any = !calls.is_empty();
    calls.into_iter().for_each(llvm::split_after);
    any
}

fn edge_kind(block: BasicBlock<'_>, terminator: InstructionValue<'_>, position: usize) -> EdgeKind {
    match terminator.get_opcode() {
        InstructionOpcode::IndirectBr | InstructionOpcode::CallBr => EdgeKind::Opaque,
        InstructionOpcode::Invoke if InstructionFacts::of(terminator).returns_twice() => EdgeKind::Opaque,
        InstructionOpcode::Invoke if position == 1 => EdgeKind::Unwind,
        InstructionOpcode::Invoke | InstructionOpcode::Br | InstructionOpcode::Switch
            if end_point(block) == terminator =>
        {
            EdgeKind::Plain
        }
        // A call that returns twice stands right before the branch, or LLVM has a terminator that is not known here.
        _ => EdgeKind::Opaque,
    }
}

fn outcome(terminator: InstructionValue<'_>, position: usize) -> Outcome {
    match (terminator.get_opcode(), position) {
        (InstructionOpcode::Br, _) if llvm::successors(terminator).len() == 1 => Outcome::Jump,
        (InstructionOpcode::Br, 0) => Outcome::True,
        (InstructionOpcode::Br, _) => Outcome::False,
        (InstructionOpcode::Switch, _) => match llvm::case_value(terminator, position) {
            Some(value) => Outcome::Cases(vec![value]),
            None => Outcome::Default,
        },
        (InstructionOpcode::Invoke, 0) => Outcome::Normal,
        (InstructionOpcode::Invoke, _) => Outcome::Unwind,
        _ => Outcome::Indirect,
    }
}

/// Two outcomes that lead to one block are one edge.
fn merge(known: &mut Outcome, other: Outcome) {
    match (known, other) {
        (Outcome::Cases(values), Outcome::Cases(more)) => values.extend(more),
        (known @ Outcome::Cases(_), Outcome::Default) => *known = Outcome::Default,
        _ => {}
    }
}

fn exit(terminator: InstructionValue<'_>) -> Option<Exit> {
    match terminator.get_opcode() {
        InstructionOpcode::Return => Some(Exit::Return),
        InstructionOpcode::Resume => Some(Exit::Unwind),
        _ if llvm::successors(terminator).is_empty() => Some(Exit::NoReturn),
        _ => None,
    }
}

/// Whether some call before `block` is in tail position, so that all paths are counted on the ways into it.
fn is_left_above(blocks: &[BasicBlock<'_>], edges: &[EdgeData], block: Block) -> bool {
    if !llvm::only_returns(blocks[block.index()]) {
        return false;
    }
    let into: Vec<_> = edges.iter().filter(|edge| edge.to == block).collect();
    into.len() <= MOST_WAYS_TO_RETURN
        && into.iter().all(|edge| edge.kind == EdgeKind::Plain)
        && into.iter().any(|edge| llvm::tail_call(blocks[edge.from.index()]).is_some())
}

fn invokes_twice(block: BasicBlock<'_>) -> bool {
    let terminator = block.get_terminator().expect("every block has a terminator");
    terminator.get_opcode() == InstructionOpcode::Invoke && InstructionFacts::of(terminator).returns_twice()
}

/// The instructions of a block, up to `end`, that control may stay in.
fn stays<'ctx>(block: BasicBlock<'ctx>, end: InstructionValue<'ctx>) -> impl Iterator<Item = InstructionValue<'ctx>> {
    let before = block.get_instructions().take_while(move |at| *at != end);
    let calls_last = end.get_opcode() == InstructionOpcode::Invoke && !InstructionFacts::of(end).returns_twice();
    before.filter(|at| !InstructionFacts::of(*at).goes_on()).chain(calls_last.then_some(end))
}
