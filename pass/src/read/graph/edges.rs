//! Reads the edges that a terminator becomes: their kinds, their outcomes, and the ways that the
//! source rules out.

use inkwell::basic_block::BasicBlock;
use inkwell::values::{FunctionValue, InstructionOpcode, InstructionValue};
use pathformat::manifest::Outcome;
use pathformat::settings::{Level, Stage};
use paths::cfg::{EdgeKind, Exit};

use super::ends::{end_point, last_call};
use crate::llvm::{self, FunctionFacts, InstructionFacts};
use crate::options::Options;

/// True if passes follow that remove branches to blocks that cannot be reached.
pub(super) fn is_cleaned(function: FunctionValue<'_>, options: &Options) -> bool {
    options.stage == Stage::Early
        && !matches!(options.level, Level::Unknown | Level::Zero)
        && !FunctionFacts::of(function).is_left_slow()
}

/// True if control never comes to a block, as the compiler says: it does nothing.
pub(super) fn is_impossible(block: BasicBlock<'_>) -> bool {
    block.get_instructions().all(|at| match at.get_opcode() {
        InstructionOpcode::Unreachable => true,
        _ => InstructionFacts::of(at).is_marker(),
    })
}

/// If it `traces`, a path ends before the call at the end of a block, unless that is in tail
/// position.
pub(super) fn edge_kind(
    block: BasicBlock<'_>,
    terminator: InstructionValue<'_>,
    position: usize,
    traces: bool,
) -> EdgeKind {
    let ends_path = || last_call(block).is_some_and(|call| llvm::tail_call(block) != Some(call));
    match terminator.get_opcode() {
        InstructionOpcode::Invoke if traces => EdgeKind::Opaque,
        _ if traces && ends_path() => EdgeKind::Opaque,
        InstructionOpcode::IndirectBr | InstructionOpcode::CallBr => EdgeKind::Opaque,
        InstructionOpcode::Invoke if InstructionFacts::of(terminator).returns_twice() => {
            EdgeKind::Opaque
        }
        InstructionOpcode::Invoke if position == 1 => EdgeKind::Unwind,
        InstructionOpcode::Invoke | InstructionOpcode::Br | InstructionOpcode::Switch
            if end_point(block) == terminator =>
        {
            EdgeKind::Plain
        }
        // A call that returns twice stands right before the branch, or LLVM has a terminator that
        // is not known here.
        _ => EdgeKind::Opaque,
    }
}

pub(super) fn outcome(terminator: InstructionValue<'_>, position: usize) -> Outcome {
    match (terminator.get_opcode(), position) {
        (InstructionOpcode::Br, _) if llvm::successors(terminator).len() == 1 => Outcome::Jump,
        (InstructionOpcode::Br, 0) => Outcome::True,
        (InstructionOpcode::Br, _) => Outcome::False,
        (InstructionOpcode::Switch, _) if llvm::is_on_suspension(terminator) => {
            match llvm::case_value(terminator, position) {
                None => Outcome::Suspended,
                Some(0) => Outcome::Resumed,
                Some(_) => Outcome::Destroyed,
            }
        }
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
pub(super) fn merge(known: &mut Outcome, other: Outcome) {
    match (known, other) {
        (Outcome::Cases(values), Outcome::Cases(more)) => values.extend(more),
        (known @ Outcome::Cases(_), Outcome::Default) => *known = Outcome::Default,
        _ => {}
    }
}

pub(super) fn exit(terminator: InstructionValue<'_>) -> Option<Exit> {
    match terminator.get_opcode() {
        InstructionOpcode::Return => Some(Exit::Return),
        InstructionOpcode::Resume => Some(Exit::Unwind),
        _ if llvm::successors(terminator).is_empty() => Some(Exit::NoReturn),
        _ => None,
    }
}
