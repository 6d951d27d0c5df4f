//! Finds where blocks end: at a call that may not return, at one that returns twice, or in a trace
//! at one that ends a record.

use inkwell::basic_block::BasicBlock;
use inkwell::values::{FunctionValue, InstructionOpcode, InstructionValue};

use crate::ffi::Analyses;
use crate::llvm::{self, InstructionFacts};
use crate::read::allocations;

/// Splits blocks behind calls that may not come back, or that return twice. Gives the new blocks.
/// If it `traces`, behind each call that ends a record and does not leave its caller. Calls that
/// allocate do not: what they return is recorded.
pub(super) fn split<'ctx>(
    function: FunctionValue<'ctx>,
    analyses: *mut Analyses,
    traces: bool,
) -> Vec<BasicBlock<'ctx>> {
    let hands_over = |at: &InstructionValue<'ctx>| {
        at.get_opcode() == InstructionOpcode::Invoke && llvm::hands_over(*at)
    };
    let terminators =
        function.get_basic_blocks().into_iter().filter_map(BasicBlock::get_terminator);
    // Collected first: splitting changes the lists that are walked.
    let handing: Vec<_> = terminators.filter(hands_over).collect();
    handing.into_iter().for_each(|invoke| llvm::split_landing_pad(invoke, analyses));
    let ends_block = |at: &InstructionValue<'ctx>| {
        let facts = InstructionFacts::of(*at);
        let stays = may_stay(*at) && is_followed(*at);
        let ends_path = || traces && ends_record(*at) && !leaves_or_ends_block(*at);
        !at.is_terminator() && (facts.returns_twice() || stays || ends_path())
    };
    let instructions =
        function.get_basic_blocks().into_iter().flat_map(|block| block.get_instructions());
    if traces {
        let calls = function.get_basic_blocks().into_iter().filter_map(llvm::tail_call);
        calls.filter(|&call| allocations::allocates(call)).for_each(llvm::keep_frame);
    }
    let calls: Vec<_> = instructions.filter(ends_block).collect();
    let split_off: Vec<_> =
        calls.into_iter().filter_map(|call| llvm::split_after(call, analyses)).collect();
    if !split_off.is_empty() {
        llvm::forget_frequencies(function, analyses);
    }
    split_off
}

/// True if a path of a trace ends before an instruction: it calls a function that may be traced.
/// What the compiler may call anywhere is not.
fn ends_record(at: InstructionValue<'_>) -> bool {
    let facts = InstructionFacts::of(at);
    facts.runs_coroutine()
        || facts.calls_function()
            && (allocations::of(at).is_some()
                || !llvm::callee(at).is_some_and(|name| llvm::is_called_by_compiler(&name)))
}

/// True if a call leaves its function, or stands at the end of its block before a jump.
fn leaves_or_ends_block(call: InstructionValue<'_>) -> bool {
    let block = call.get_parent();
    let facts = InstructionFacts::of(call);
    let jumps = |block: BasicBlock<'_>| {
        let terminator = block.get_terminator().expect("every block has a terminator");
        !llvm::successors(terminator).is_empty()
    };
    facts.must_be_last()
        || facts.does_not_return()
        || block.and_then(llvm::tail_call) == Some(call)
        || block.is_some_and(jumps) && !is_followed(call)
}

/// The call at the end of a block that leads on, if it ends a record.
pub(super) fn last_call(block: BasicBlock<'_>) -> Option<InstructionValue<'_>> {
    let terminator = block.get_terminator().expect("every block has a terminator");
    let before = std::iter::successors(terminator.get_previous_instruction(), |at| {
        at.get_previous_instruction()
    });
    let mut before = before.filter(|at| !InstructionFacts::of(*at).is_marker());
    let last = before.next().filter(|at| ends_record(*at));
    last.filter(|_| !llvm::successors(terminator).is_empty())
}

/// True if a call may not come back to what stands behind it.
fn may_stay(call: InstructionValue<'_>) -> bool {
    let facts = InstructionFacts::of(call);
    !facts.goes_on() && !facts.must_be_last()
}

/// True if anything stands between a call and the end of its block. A call in tail position is the
/// end.
fn is_followed(call: InstructionValue<'_>) -> bool {
    if call.get_parent().and_then(llvm::tail_call) == Some(call) {
        return false;
    }
    let mut behind =
        std::iter::successors(call.get_next_instruction(), |at| at.get_next_instruction());
    behind.any(|at| !at.is_terminator() && !InstructionFacts::of(at).is_marker())
}

/// Before the terminator, or before the call that control may not come back from in the usual way.
pub(super) fn end_point(block: BasicBlock<'_>) -> InstructionValue<'_> {
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
        // Nothing that matters stands before another call, except before the bitcast and debug
        // records after a tail call.
        if facts.is_call() && !facts.is_intrinsic() {
            break;
        }
    }
    terminator
}

/// The call before `end`, or at it if that is an `invoke`, that control may stay in.
pub(super) fn stays<'ctx>(
    block: BasicBlock<'ctx>,
    end: InstructionValue<'ctx>,
) -> Option<InstructionValue<'ctx>> {
    let mut before = block.get_instructions().take_while(move |at| *at != end);
    let calls_last = end.get_opcode() == InstructionOpcode::Invoke && !returns_twice(end);
    before.find(|at| !InstructionFacts::of(*at).goes_on()).or(calls_last.then_some(end))
}

pub(super) fn returns_twice(instruction: InstructionValue<'_>) -> bool {
    InstructionFacts::of(instruction).returns_twice()
}

/// If a coroutine hands over to another one at the end of a block, the block behind that, which
/// only suspends it, and where control goes when it is resumed.
pub(super) fn hands_over(block: BasicBlock<'_>) -> Option<(BasicBlock<'_>, BasicBlock<'_>)> {
    let terminator = block.get_terminator()?;
    let call = match terminator.get_opcode() {
        InstructionOpcode::Invoke => terminator,
        _ => terminator.get_previous_instruction()?,
    };
    let behind = llvm::successors(terminator).into_iter().next()?;
    if !llvm::hands_over(call) || !llvm::only_suspends(behind) {
        return None;
    }
    let resumed = llvm::successors(behind.get_terminator()?).into_iter().next()?;
    Some((behind, resumed))
}
