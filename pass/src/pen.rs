//! Where code for the counters goes: in a block, or on an edge.
//!
//! Code on an edge stands at the end of its source if that has one successor, at the top of its target if that has one
//! predecessor, and else on a new block.

use std::cell::RefCell;
use std::collections::HashMap;

use inkwell::IntPredicate;
use inkwell::basic_block::BasicBlock;
use inkwell::builder::Builder;
use inkwell::types::IntType;
use inkwell::values::{InstructionOpcode, InstructionValue, IntValue};
use paths::cfg::{Block, Edge};

use crate::base::Base;
use crate::counters::{Counters, Step};
use crate::llvm::{self, FunctionFacts};
use crate::planned::Planned;
use crate::read_cfg::Graph;
use crate::slots::Slots;

/// A builder that knows the graph of the function, and steps counters where it stands.
pub(crate) struct Pen<'a, 'ctx> {
    pub(crate) builder: Builder<'ctx>,
    graph: &'a Graph<'ctx>,
    counters: &'a Counters<'ctx>,
    base: Base<'a, 'ctx>,
    facts: FunctionFacts,
    num_counters: u64,
    /// The new blocks on edges.
    between: RefCell<HashMap<Edge, BasicBlock<'ctx>>>,
}

impl<'a, 'ctx> Pen<'a, 'ctx> {
    /// A pen that stands where `builder` does.
    pub(crate) fn new<P>(
        planned: &'a Planned<'ctx, P>,
        counters: &'a Counters<'ctx>,
        builder: Builder<'ctx>,
        base: Base<'a, 'ctx>,
    ) -> Self {
        let (facts, num_counters) = (FunctionFacts::of(planned.function), planned.num_counters);
        Self { builder, graph: &planned.graph, counters, base, facts, num_counters, between: RefCell::default() }
    }

    /// Lets the builder write in `block` before `at`.
    pub(crate) fn stand_before(&self, block: Block, at: InstructionValue<'ctx>) {
        self.builder.position_before(&at);
        self.base.stand_before(block, at);
    }

    /// Lets the builder write on `edge`.
    pub(crate) fn stand_on(&self, edge: Edge) {
        let graph = self.graph;
        let data = graph.cfg.edge(edge);
        if graph.cfg.successors(data.from).len() == 1 {
            self.stand_before(data.from, graph.end_point(data.from));
        } else if graph.cfg.predecessors(data.to).len() == 1 {
            self.stand_before(data.to, self.top(data.to));
        } else {
            let split = || {
                let (from, to) = graph.ends(edge);
                llvm::split_edge(from, to).expect("an edge of kind Plain can be split")
            };
            let between = *self.between.borrow_mut().entry(edge).or_insert_with(split);
            self.builder.position_before(&between.get_terminator().expect("every block has a terminator"));
            self.base.stand_behind(data.from);
        }
    }

    /// The first place in `block` where code can stand.
    pub(crate) fn top(&self, block: Block) -> InstructionValue<'ctx> {
        llvm::first_insertion(self.graph.block(block)).expect("a block that is counted at its top can hold code")
    }

    /// The type of counters and keys.
    pub(crate) fn word(&self) -> IntType<'ctx> {
        self.counters.context().i64_type()
    }

    /// Counts `key` in a table.
    pub(crate) fn see(&self, key: IntValue<'ctx>, slots: Slots) {
        let slot = self.counters.find(&self.builder, key, slots);
        self.step(Some(slot), slots.first_counter, Step::Up);
    }

    /// Steps the function's counter `index + constant`.
    pub(crate) fn step(&self, index: Option<IntValue<'ctx>>, constant: u64, step: Step<'ctx>) {
        let base = self.base.get(&self.builder);
        let (index, constant, step) = match index {
            Some(index) if self.graph.returns_twice => {
                let (index, step) = self.checked(index, constant, step);
                (Some(index), 0, step)
            }
            _ => (index, constant, step),
        };
        let counter = self.counters.counter(&self.builder, base, index, constant);
        self.counters.step(&self.builder, counter, step, self.facts);
    }

    /// A step of the counter `index + constant` that steps nothing if the function has no such counter. A register is set
    /// wherever control may come back to; should it be spoilt all the same, nobody else's memory is.
    fn checked(&self, index: IntValue<'ctx>, constant: u64, step: Step<'ctx>) -> (IntValue<'ctx>, Step<'ctx>) {
        let builder = &self.builder;
        let number = |value| self.word().const_int(value, true);
        let index = builder.build_int_add(index, number(constant), "").expect("positioned");
        let is_one = builder.build_int_compare(IntPredicate::ULT, index, number(self.num_counters), "");
        let is_one = is_one.expect("positioned");
        let select = |yes, no| builder.build_select(is_one, yes, no, "").expect("positioned").into_int_value();
        let amount = self.counters.amount(step);
        (select(index, number(0)), Step::By(select(amount, number(0))))
    }
}

/// The place behind the stack slots that open an entry block.
pub(crate) fn first_after_slots(entry: BasicBlock<'_>) -> InstructionValue<'_> {
    let mut at = llvm::first_insertion(entry).expect("an entry block can hold code");
    while at.get_opcode() == InstructionOpcode::Alloca {
        at = at.get_next_instruction().expect("a block has a terminator");
    }
    at
}
