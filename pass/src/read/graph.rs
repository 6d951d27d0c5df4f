//! Reads the graph of a function: from LLVM's blocks to `paths::Cfg`.
//!
//! Every terminator becomes edges of one of three kinds. A `br`, a `switch` and the normal
//! successor of an `invoke` are edges that can hold code. The unwind edge of an `invoke` cannot
//! hold code, but paths continue along it. An `indirectbr` and a `callbr` are opaque: a path ends
//! before them. A path also ends at a call that returns twice, such as `setjmp` or the suspension
//! of a coroutine.
//!
//! A block ends behind a call that may not return, or that returns twice. So if a block runs, it
//! runs to its end. Blocks are split there first; that is the only change that reading makes to a
//! function. They are joined again when the counting code is written.
//!
//! A coroutine that hands over to another one jumps there in place of all that stands up to its
//! suspension. So a path ends before it hands over, and the block that only suspends it, where no
//! counter would run, is no block of the graph. The call that does so gets a landing pad of its
//! own: where one way to a landing pad cannot hold code, paths end on all of them.
//!
//! In a trace a path also ends before each call to a function that may be traced. So what that
//! function does comes behind what its caller did before. A call in tail position leaves the
//! function.
//!
//! Before optimisation, a branch has ways that the source rules out, to blocks that hold nothing
//! but `unreachable`: the default of a `switch` over all values, or the end of a function that
//! always returns. Where an optimiser follows, such a way is no edge. The optimiser removes it with
//! all that counts there, so that no run can be seen to take it. A program that would is undefined,
//! and takes one of the other ways. Without an optimiser control gets there, and the way is an
//! edge.
//!
//! `ends` finds where blocks end, and `edges` what their terminators become.

mod edges;
mod ends;

use std::collections::HashMap;

use inkwell::basic_block::BasicBlock;
use inkwell::values::{FunctionValue, GlobalValue, InstructionOpcode, InstructionValue};
use pathformat::manifest::{Outcome, WeightSource};
use pathformat::settings::Mode;
use pathformat::weights::FunctionWeights;
use paths::cfg::{Block, BlockData, Cfg, Edge, EdgeData, EdgeKind};

use crate::ffi::Analyses;
use crate::llvm::{self, FunctionFacts, InstructionFacts};
use crate::options::Options;
use crate::read::made::CompilerMade;
use crate::read::repeats::{self, Repeat};

use self::edges::{edge_kind, exit, is_cleaned, is_impossible, merge, outcome};
use self::ends::{end_point, hands_over, last_call, returns_twice, split, stays};
use super::accesses::{self, Access, Accesses};
use super::weights;

/// A function's graph with what ties it to LLVM.
pub(crate) struct Graph<'ctx> {
    /// The graph.
    pub(crate) cfg: Cfg,
    /// Executions of each edge, estimated or measured.
    pub(crate) frequency: Vec<u64>,
    /// The source of the executions.
    pub(crate) weights: WeightSource,
    /// True if the optimiser has made of it what it will run as.
    pub(crate) is_optimised: bool,
    /// True if a call in it may return twice.
    pub(crate) returns_twice: bool,
    /// Which outcome of the terminator takes each edge.
    pub(crate) outcomes: Vec<Outcome>,
    /// LLVM's block for each block.
    pub(crate) blocks: Vec<BasicBlock<'ctx>>,
    /// For each block where the code stands that is run at its end.
    ends: Vec<InstructionValue<'ctx>>,
    /// For each block the call that control may stay in.
    stays: Vec<Option<InstructionValue<'ctx>>>,
    /// Its accesses to memory, if they are traced.
    accesses: Accesses<'ctx>,
    /// The loops whose iterations are one path, if they are recorded as a number.
    repeats: Vec<Repeat>,
    /// The code that the compiler made.
    pub(crate) made: CompilerMade<'ctx>,
    /// The blocks that were split off.
    split_off: Vec<BasicBlock<'ctx>>,
}

/// With more ways in, a block that returns is not left by calls in tail position: each way in holds
/// a copy of the counting.
const MOST_WAYS_TO_RETURN: usize = 8;

impl<'ctx> Graph<'ctx> {
    /// Reads `function`, whose blocks are numbered in its own order. The weights of its edges are
    /// those that are `known` from an earlier run of the same graph, else LLVM's estimates.
    pub(crate) fn read(
        function: FunctionValue<'ctx>,
        analyses: *mut Analyses,
        options: &Options,
        known: Option<&FunctionWeights>,
    ) -> Self {
        let traces = options.cuts_at_calls();
        let split_off = split(function, analyses, traces);
        let all = function.get_basic_blocks();
        let handed_over: HashMap<_, _> = all.iter().filter_map(|&of| hands_over(of)).collect();
        let blocks: Vec<_> = all.into_iter().filter(|of| !handed_over.contains_key(of)).collect();
        let index: HashMap<_, _> =
            blocks.iter().enumerate().map(|(at, block)| (*block, Block(at as u32))).collect();
        let is_cleaned = is_cleaned(function, options);
        let mut edges: Vec<EdgeData> = Vec::new();
        let mut frequency: Vec<u64> = Vec::new();
        let mut outcomes: Vec<Outcome> = Vec::new();
        for &block in &blocks {
            let terminator = block.get_terminator().expect("every block has a terminator");
            let from = index[&block];
            let first = edges.len();
            let successors = llvm::successors(terminator);
            let is_left_out = |to: &BasicBlock<'_>| is_cleaned && is_impossible(*to);
            // An opaque terminator, and the return of an `invoke`, are not simplified.
            let may_leave_out = matches!(
                terminator.get_opcode(),
                InstructionOpcode::Br | InstructionOpcode::Switch
            ) && !successors.iter().all(is_left_out);
            for (position, to) in successors.into_iter().enumerate() {
                if may_leave_out && is_left_out(&to) {
                    continue;
                }
                let to = index[handed_over.get(&to).unwrap_or(&to)];
                let weight = llvm::edge_frequency(analyses, block, position);
                let kind = edge_kind(block, terminator, position, traces);
                let outcome = if kind == EdgeKind::Opaque {
                    Outcome::Indirect
                } else {
                    outcome(terminator, position)
                };
                match edges[first..].iter().position(|edge| edge.to == to) {
                    Some(known) => {
                        let known = first + known;
                        frequency[known] = frequency[known].saturating_add(weight);
                        merge(&mut outcomes[known], outcome);
                    }
                    None => {
                        edges.push(EdgeData { from, to, kind });
                        frequency.push(weight);
                        outcomes.push(outcome);
                    }
                }
            }
            let out = &mut outcomes[first..];
            if let [
                only @ (Outcome::True | Outcome::False | Outcome::Cases(_) | Outcome::Default),
            ] = out
            {
                *only = Outcome::Jump;
            }
        }
        let tail_calls = traces || options.techniques.tail_calls;
        let is_left_above = |at| tail_calls && is_left_above(&blocks, &edges, Block(at as u32));
        let returns: Vec<bool> = (0..blocks.len()).map(is_left_above).collect();
        let next = |from: Block| edges.iter().find(|edge| edge.from == from).map(|edge| edge.to);
        let leaves =
            |at: usize| tail_calls && next(Block(at as u32)).is_none_or(|to| returns[to.index()]);
        let leaving = |(at, &block): (usize, &BasicBlock<'ctx>)| {
            llvm::tail_call(block).filter(|_| leaves(at))
        };
        let leaving: Vec<_> = blocks.iter().enumerate().map(leaving).collect();
        let last_call = |block: BasicBlock<'ctx>| last_call(block).filter(|_| traces);
        let end = |(&block, leaving): (&BasicBlock<'ctx>, &Option<InstructionValue<'ctx>>)| {
            leaving.or_else(|| last_call(block)).unwrap_or_else(|| end_point(block))
        };
        let ends: Vec<_> = blocks.iter().zip(&leaving).map(end).collect();
        // A call that was thought to leave the function, but does not, ends a path like any other.
        for edge in edges.iter_mut().filter(|_| traces) {
            let from = edge.from.index();
            if leaving[from].is_none() && last_call(blocks[from]).is_some() {
                edge.kind = EdgeKind::Opaque;
            }
        }
        let stays = |(&block, &end): (&BasicBlock<'ctx>, &InstructionValue<'ctx>)| {
            stays(block, end).filter(|call| !(traces && *call == end))
        };
        let stays: Vec<_> = blocks.iter().zip(&ends).map(stays).collect();
        let data =
            blocks.iter().zip(&stays).zip(&returns).map(|((&block, stays), &counts_above)| {
                let terminator = block.get_terminator().expect("every block has a terminator");
                BlockData { exit: exit(terminator), may_stay: stays.is_some(), counts_above }
            });
        let accesses = if traces {
            accesses::read(function, analyses, &index, options)
        } else {
            Accesses { blocks: vec![Vec::new(); blocks.len()], ..Accesses::default() }
        };
        let repeats = if options.mode == Mode::Trace && options.techniques.repeats {
            repeats::find(&edges, &frequency, &accesses.blocks)
        } else {
            Vec::new()
        };
        let cfg = Cfg::new(data.collect(), edges);
        // In a trace no path is in flight at a call: it has ended before.
        let cfg = if traces { cfg } else { cfg.with_in_flight() };
        let returns_twice = blocks.iter().any(|block| block.get_instructions().any(returns_twice));
        let (weights, frequency) = weights::of_edges(&cfg, frequency, known, options);
        Self {
            cfg,
            frequency,
            weights,
            is_optimised: is_optimised(function, options),
            returns_twice,
            outcomes,
            blocks,
            ends,
            stays,
            accesses,
            repeats,
            made: CompilerMade::read(function, options),
            split_off,
        }
    }

    /// The loops whose trace has the number of iterations.
    pub(crate) fn repeats(&self) -> &[Repeat] {
        &self.repeats
    }

    /// The accesses of a block to memory, in their order, if they are traced.
    pub(crate) fn accesses(&self, block: Block) -> &[Access<'ctx>] {
        &self.accesses.blocks[block.index()]
    }

    /// The variables from whose addresses others are computed.
    pub(crate) fn variables(&self) -> &[GlobalValue<'ctx>] {
        &self.accesses.variables
    }

    /// LLVM's block.
    pub(crate) fn block(&self, block: Block) -> BasicBlock<'ctx> {
        self.blocks[block.index()]
    }

    /// The block that LLVM's block is.
    pub(crate) fn block_of(&self, block: BasicBlock<'ctx>) -> Option<Block> {
        self.blocks.iter().position(|&known| known == block).map(|at| Block(at as u32))
    }

    /// Where the code stands that is run at the end of a block: before the terminator, or before
    /// the call that control may not come back from in the usual way. A call in tail position is
    /// where the function is left: code generation makes it a jump if nothing stands behind it.
    pub(crate) fn end_point(&self, block: Block) -> InstructionValue<'ctx> {
        self.ends[block.index()]
    }

    /// The call at the end of a block that control may stay in.
    pub(crate) fn stays(&self, block: Block) -> Option<InstructionValue<'ctx>> {
        self.stays[block.index()]
    }

    /// The calls of a block to functions, in their order.
    pub(crate) fn calls(&self, block: Block) -> impl Iterator<Item = InstructionValue<'ctx>> {
        let calls_function =
            |at: &InstructionValue<'ctx>| InstructionFacts::of(*at).calls_function();
        self.block(block).get_instructions().filter(calls_function)
    }

    /// Joins what was split, now that nobody asks for blocks any more.
    pub(crate) fn join(&self) {
        self.split_off.iter().for_each(|&block| llvm::join(block));
    }

    /// LLVM's blocks at both ends of an edge.
    pub(crate) fn ends(&self, edge: Edge) -> (BasicBlock<'ctx>, BasicBlock<'ctx>) {
        let data = self.cfg.edge(edge);
        (self.block(data.from), self.block(data.to))
    }
}

/// True if the optimiser has made of a function what it will run as.
fn is_optimised(function: FunctionValue<'_>, options: &Options) -> bool {
    options.last && !FunctionFacts::of(function).is_left_slow()
}

/// True if some call before `block` is in tail position, so that all paths are counted on the ways
/// into it.
fn is_left_above(blocks: &[BasicBlock<'_>], edges: &[EdgeData], block: Block) -> bool {
    if !llvm::only_returns(blocks[block.index()]) {
        return false;
    }
    let into: Vec<_> = edges.iter().filter(|edge| edge.to == block).collect();
    into.len() <= MOST_WAYS_TO_RETURN
        && into.iter().all(|edge| edge.kind == EdgeKind::Plain)
        && into.iter().any(|edge| llvm::tail_call(blocks[edge.from.index()]).is_some())
}
