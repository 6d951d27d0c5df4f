//! Inserts the code of counters: in a block, or on an edge.
//!
//! Code on an edge stands at the end of its source if that has one successor, at the top of its
//! target if that has one predecessor, and else on a new block.

use std::cell::RefCell;
use std::collections::HashMap;

use inkwell::IntPredicate;
use inkwell::basic_block::BasicBlock;
use inkwell::builder::Builder;
use inkwell::types::IntType;
use inkwell::values::{InstructionOpcode, InstructionValue, IntValue};
use paths::cfg::{Block, Edge};

use crate::layout::TableLayout;
use crate::llvm::{self, FunctionFacts};
use crate::read::graph::Graph;

use super::array::{CounterArray, Step};
use super::base_address::BaseAddress;
use super::function::Function;

/// A builder that knows the graph of its function, and steps counters where it stands.
pub(super) struct Insertion<'a, 'ctx> {
    pub(super) builder: Builder<'ctx>,
    graph: &'a Graph<'ctx>,
    array: &'a CounterArray<'ctx>,
    base: BaseAddress<'a, 'ctx>,
    facts: FunctionFacts,
    num_counters: u64,
    /// The new blocks on edges.
    between: RefCell<HashMap<Edge, BasicBlock<'ctx>>>,
}

impl<'a, 'ctx> Insertion<'a, 'ctx> {
    /// Inserts where `builder` stands.
    pub(super) fn new(
        function: &Function<'a, 'ctx>,
        array: &'a CounterArray<'ctx>,
        builder: Builder<'ctx>,
        base: BaseAddress<'a, 'ctx>,
    ) -> Self {
        let facts = FunctionFacts::of(function.function);
        let num_counters = function.layout.counters;
        let between = RefCell::default();
        Self { builder, graph: function.graph, array, base, facts, num_counters, between }
    }

    /// Positions the builder in `block` before `at`.
    pub(super) fn position_before(&self, block: Block, at: InstructionValue<'ctx>) {
        self.builder.position_before(&at);
        self.base.stand_before(block, at);
    }

    /// Positions the builder on `edge`.
    pub(super) fn position_on(&self, edge: Edge) {
        let graph = self.graph;
        let data = graph.cfg.edge(edge);
        if graph.cfg.successors(data.from).len() == 1 {
            self.position_before(data.from, graph.end_point(data.from));
        } else if graph.cfg.predecessors(data.to).len() == 1 {
            self.position_before(data.to, self.top(data.to));
        } else {
            let split = || {
                let (from, to) = graph.ends(edge);
                llvm::split_edge(from, to).expect("an edge of kind Plain can be split")
            };
            let between = *self.between.borrow_mut().entry(edge).or_insert_with(split);
            self.builder
                .position_before(&between.get_terminator().expect("every block has a terminator"));
            self.base.stand_behind(data.from);
        }
    }

    /// The first place in `block` where code can stand.
    pub(super) fn top(&self, block: Block) -> InstructionValue<'ctx> {
        llvm::first_insertion(self.graph.block(block))
            .expect("a block that is counted at its top can hold code")
    }

    /// The type of counters and keys.
    pub(super) fn word(&self) -> IntType<'ctx> {
        self.array.context().i64_type()
    }

    /// Counts `key` in a table.
    pub(super) fn see(&self, key: IntValue<'ctx>, table: TableLayout) {
        let slot = self.array.find(&self.builder, key, table);
        self.step(Some(slot), table.first_counter, Step::Up);
    }

    /// Steps the function's counter `index + constant`.
    pub(super) fn step(&self, index: Option<IntValue<'ctx>>, constant: u64, step: Step<'ctx>) {
        let base = self.base.get(&self.builder);
        let (index, constant, step) = match index {
            Some(index) if self.graph.returns_twice => {
                let (index, step) = self.checked(index, constant, step);
                (Some(index), 0, step)
            }
            _ => (index, constant, step),
        };
        let counter = self.array.counter(&self.builder, base, index, constant);
        self.array.step(&self.builder, counter, step, self.facts);
    }

    /// A step of the counter `index + constant` that steps nothing if the function has no such
    /// counter. A register is set wherever control may come back to; should it be spoilt all the
    /// same, nobody else's memory is.
    fn checked(
        &self,
        index: IntValue<'ctx>,
        constant: u64,
        step: Step<'ctx>,
    ) -> (IntValue<'ctx>, Step<'ctx>) {
        let builder = &self.builder;
        let number = |value| self.word().const_int(value, true);
        let index = builder.build_int_add(index, number(constant), "").expect("positioned");
        let is_one =
            builder.build_int_compare(IntPredicate::ULT, index, number(self.num_counters), "");
        let is_one = is_one.expect("positioned");
        let select = |yes, no| {
            builder.build_select(is_one, yes, no, "").expect("positioned").into_int_value()
        };
        let amount = self.array.amount(step);
        (select(index, number(0)), Step::By(select(amount, number(0))))
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
