//! Inserts the code of counters: in a block, or on an edge.

use inkwell::IntPredicate;
use inkwell::builder::Builder;
use inkwell::types::IntType;
use inkwell::values::{InstructionValue, IntValue};
use paths::cfg::{Block, Edge};

use crate::layout::TableLayout;
use crate::llvm::FunctionFacts;

use super::array::CounterArray;
use super::base_address::BaseAddress;
use super::counter::{Counter, Step};
use super::function::Function;
use super::position::{OnEdge, Position};

/// A builder that knows the graph of its function, and steps counters where it stands.
pub(super) struct Insertion<'a, 'ctx> {
    position: Position<'a, 'ctx>,
    returns_twice: bool,
    array: &'a CounterArray<'ctx>,
    base: BaseAddress<'a, 'ctx>,
    facts: FunctionFacts,
    num_counters: u64,
}

impl<'a, 'ctx> Insertion<'a, 'ctx> {
    /// Inserts where `builder` stands.
    pub(super) fn new(
        function: &Function<'a, 'ctx>,
        array: &'a CounterArray<'ctx>,
        builder: Builder<'ctx>,
        base: BaseAddress<'a, 'ctx>,
    ) -> Self {
        let facts = function.facts;
        let num_counters = function.layout.counters;
        let returns_twice = function.graph.returns_twice;
        let position = Position::new(builder, function.graph);
        Self { position, returns_twice, array, base, facts, num_counters }
    }

    /// The builder.
    pub(super) fn builder(&self) -> &Builder<'ctx> {
        &self.position.builder
    }

    /// Positions the builder in `block` before `at`.
    pub(super) fn position_before(&self, block: Block, at: InstructionValue<'ctx>) {
        self.builder().position_before(&at);
        self.base.stand_before(block, at);
    }

    /// Positions the builder on `edge`.
    pub(super) fn position_on(&self, edge: Edge) {
        match self.position.on(edge) {
            (OnEdge::In(block), at) => self.base.stand_before(block, at),
            (OnEdge::Behind(block), _) => self.base.stand_behind(block),
        }
    }

    /// The first place in `block` where code can stand.
    pub(super) fn top(&self, block: Block) -> InstructionValue<'ctx> {
        self.position.top(block)
    }

    /// The type of counters and keys.
    pub(super) fn word(&self) -> IntType<'ctx> {
        self.array.context().i64_type()
    }

    /// Counts `key` in a table.
    pub(super) fn see(&self, key: IntValue<'ctx>, table: TableLayout) {
        let slot = self.array.find(self.builder(), key, table);
        self.step(Some(slot), table.first_counter, Step::Up);
    }

    /// Steps the function's counter `index + constant`.
    pub(super) fn step(&self, index: Option<IntValue<'ctx>>, constant: u64, step: Step<'ctx>) {
        let base = self.base.get(self.builder());
        let (index, constant, step) = match index {
            Some(index) if self.returns_twice => {
                let (index, step) = self.checked(index, constant, step);
                (Some(index), 0, step)
            }
            _ => (index, constant, step),
        };
        let counter = Counter { base, index, constant };
        self.array.step(self.builder(), counter, step, self.facts);
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
        let builder = self.builder();
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
