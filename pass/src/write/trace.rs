//! Writes the code of a trace: a record for each path, with the addresses that it accesses.
//!
//! Where a path starts, the thread's word says where its record goes. While the path runs, its
//! accesses write their addresses behind the place of the number, and its end writes the number.
//! So a record that has no number yet is one of a path that did not end, and a reader stops there.
//! The place is kept in a register until a call or the end of the function, where it goes back into
//! the word: what is called goes on from there.
//!
//! As in `paths.rs`, registers are stack slots while code is written, and promoted at the end.
//!
//! `symbols` are what the code refers to, `repeating` is what it keeps of loops; `allocations` and
//! `messages` write the records of memory and of MPI. `shared_loops` describes loops of OpenMP.

use std::cell::RefCell;

use inkwell::IntPredicate;
use inkwell::module::Module;
use inkwell::values::{BasicValue, FunctionValue, IntValue, PointerValue};
use pathformat::ModuleId;
use pathformat::manifest::Tickets;
use pathformat::settings::{Level, Stage};
use pathformat::trace::{ADDRESS, RESERVE, RecordKind as Event};
use paths::Plan;
use paths::cfg::Block;
use paths::dag::DagEdge;
use paths::placement::Op;

use crate::llvm;
use crate::options::{Options, Traced};
use crate::plan::path_sites::{self, Action, Site};
use crate::plan::{NUMBER, REPETITION, Records, Repetition, TracePlan};
use crate::read::Access;
use crate::read::graph::Graph;

use super::function::Function;
use super::markers;
use super::position::{Position, first_after_slots};

mod allocations;
mod messages;
mod repeating;
mod shared_loops;
mod symbols;

use self::repeating::{FirstIterations, LoopCounter};
use self::symbols::Symbols;

/// The symbols of the traced code of a unit.
pub(super) struct Unit<'ctx> {
    id: ModuleId,
    symbols: Symbols<'ctx>,
    /// The function that records allocations, if they are traced.
    recorder: Option<FunctionValue<'ctx>>,
}

impl<'ctx> Unit<'ctx> {
    /// Defines them in a unit whose array has `length` words.
    pub(super) fn define(
        module: &Module<'ctx>,
        id: ModuleId,
        length: u64,
        options: &Options,
    ) -> Self {
        shared_loops::describe(module);
        let symbols = Symbols::define(module, id, length, options.is_shadowed);
        let is_memory_traced = options.traced != Some(Traced::ControlFlow);
        // A recorded allocation is not removed. Before optimisation nobody knows which ones will be
        // removed, and a program may notice.
        let stays = options.stage == Stage::Late || options.level == Level::Zero;
        let recorder = (is_memory_traced && stays).then(|| allocations::define(module, &symbols));
        Self { id, symbols, recorder }
    }
}

/// Writes the code of a function that is traced.
pub(super) fn instrument<'ctx>(
    module: &Module<'ctx>,
    function: &Function<'_, 'ctx>,
    plan: &TracePlan,
    unit: &Unit<'ctx>,
) {
    let symbols = &unit.symbols;
    let context = symbols.context();
    let graph = function.graph;
    let builder = context.create_builder();
    let first = first_after_slots(graph.blocks[0]);
    builder.position_before(&first);
    let slot = |kind, name| builder.build_alloca(kind, name).expect("positioned");
    let path = builder.build_alloca(context.i64_type(), "path").expect("positioned");
    let pointer = context.ptr_type(Default::default());
    let [block, record, next] =
        ["path.block", "path.record", "path.next"].map(|name| slot(pointer, name));
    let repeats: Vec<_> = plan
        .repeats
        .iter()
        .map(|repetition| {
            let word = context.i64_type();
            let [number, unread] = ["path.count", "path.unread"]
                .map(|name| builder.build_alloca(word, name).expect("positioned"));
            LoopCounter { repetition, number, place: slot(pointer, "path.repeated"), unread }
        })
        .collect();
    markers::declare(context, &builder, unit.id, function.layout.index);
    let variables = graph.variables();
    markers::declare_variables(context, &builder, unit.id, function.layout.index, variables);
    let writer = Writer {
        graph,
        plan: &plan.paths,
        longest: plan.longest,
        records: &plan.records,
        first_number: function.layout.first_counter,
        symbols,
        position: Position::new(builder, graph),
        path,
        block,
        record,
        next,
        repeats,
        few: RefCell::default(),
        checks: RefCell::default(),
    };
    writer.take_up();
    writer.write_accesses();
    writer.write_sites();
    writer.write_entries();
    writer.write_first_iterations();
    if let Some(recorder) = unit.recorder {
        allocations::write(graph, &writer.position, symbols, recorder);
    }
    messages::write(graph, &writer.position, symbols, module);
    writer.write_checks();
    graph.join();
    let of_repeats = writer.repeats.iter().flat_map(|repeat| [repeat.number, repeat.place]);
    let slots: Vec<_> = [path, block, record, next].into_iter().chain(of_repeats).collect();
    llvm::promote(&slots);
    llvm::forget_purity(function.function);
}

/// The number of iterations of a loop that are recorded as other paths are, each time that it is
/// entered: short loops need no event.
const RECORDED: u64 = 3;

struct Writer<'a, 'ctx> {
    graph: &'a Graph<'ctx>,
    plan: &'a Plan,
    /// The most bytes of a record.
    longest: usize,
    /// For each block, whether paths that end with it have addresses.
    records: &'a [Records],
    /// The number that is added to a path's id, for its number in the unit.
    first_number: u64,
    symbols: &'a Symbols<'ctx>,
    position: Position<'a, 'ctx>,
    /// The path register.
    path: PointerValue<'ctx>,
    /// The thread's block.
    block: PointerValue<'ctx>,
    /// Where the record starts.
    record: PointerValue<'ctx>,
    /// Where the next address goes.
    next: PointerValue<'ctx>,
    /// The loops whose iterations are counted.
    repeats: Vec<LoopCounter<'a, 'ctx>>,
    /// The ends of their iterations.
    few: RefCell<Vec<FirstIterations<'a, 'ctx>>>,
    /// The conditions that show whether a chunk is full.
    checks: RefCell<Vec<IntValue<'ctx>>>,
}

impl<'a, 'ctx> Writer<'a, 'ctx> {
    /// The records of accesses: each before its access, but for the ticket that is taken after it.
    fn write_accesses(&self) {
        for block in self.graph.cfg.blocks() {
            for access in self.graph.accesses(block) {
                self.position.builder.position_before(&access.instruction);
                self.write_access(access);
            }
        }
    }

    fn write_access(&self, access: &Access<'ctx>) {
        let builder = &self.position.builder;
        let word = self.symbols.word();
        let address = access.recorded_address().map(|address| {
            builder.build_ptr_to_int(address, word, "").expect("a pointer is a number")
        });
        let length = access.length.map(|length| {
            builder.build_int_z_extend_or_bit_cast(length, word, "").expect("a length is a number")
        });
        let (before, after) = match access.tickets {
            Tickets::None | Tickets::Relaxed => (false, false),
            Tickets::Before => (true, false),
            Tickets::After => (false, true),
            Tickets::Both => (true, true),
        };
        address.into_iter().chain(length).for_each(|value| self.write_value(value));
        if before {
            self.write_value(self.symbols.ticket(builder));
        }
        if after {
            let next = access.instruction.get_next_instruction();
            builder.position_before(&next.expect("an access does not end its block"));
            self.write_value(self.symbols.ticket(builder));
        }
    }

    /// Writes a value of the record.
    fn write_value(&self, value: IntValue<'ctx>) {
        let builder = &self.position.builder;
        let place = self.symbols.load(builder, self.next);
        self.symbols.store(builder, place, value);
        self.move_next(place, ADDRESS);
    }

    /// Lets the next address go `by` bytes behind a place.
    fn move_next(&self, place: PointerValue<'ctx>, by: usize) {
        let builder = &self.position.builder;
        let behind = self.symbols.behind(builder, place, by);
        builder.build_store(self.next, behind).expect("positioned");
    }

    /// The code at each site of the plan.
    fn write_sites(&self) {
        for (site, action) in path_sites::sites(&self.graph.cfg, self.plan) {
            let block = match site {
                Site::Top(block) | Site::End(block) => block,
                Site::On(edge) => self.graph.cfg.edge(edge).from,
            };
            match action {
                None => {}
                Some(Action::Step(edge)) => {
                    if let Some(op) = self.plan.placement.op(edge) {
                        self.position_at(site);
                        self.step(op, true, block);
                    }
                }
                Some(Action::Cut { end, start }) => {
                    self.position_at(site);
                    self.cut(site, end, start, block);
                }
                Some(Action::CountAhead(_)) => unreachable!("a trace counts nothing ahead"),
                Some(Action::Set(value)) => {
                    self.position_at(site);
                    self.set(value);
                }
            }
        }
    }

    fn position_at(&self, site: Site) {
        let builder = &self.position.builder;
        match site {
            Site::Top(block) => builder.position_before(&self.position.top(block)),
            Site::End(block) => builder.position_before(&self.graph.end_point(block)),
            Site::On(edge) => _ = self.position.on(edge),
        }
    }

    /// The end of a path behind `block`, and the start of the next.
    fn cut(&self, site: Site, end: Option<DagEdge>, start: Option<DagEdge>, block: Block) {
        let op = |half: Option<DagEdge>| half.and_then(|edge| self.plan.placement.op(edge));
        let repeat = self.repeats.iter().find(|repeat| site == Site::On(repeat.repetition.back));
        match repeat {
            Some(repeat) => self.repeat(repeat),
            // A path that starts in a block takes up what the word says.
            None => op(end).into_iter().for_each(|op| self.step(op, start.is_none(), block)),
        }
        op(start).into_iter().for_each(|op| self.step(op, false, block));
        match site {
            Site::Top(_) => self.take_up(),
            Site::On(_) if start.is_some() && repeat.is_none() => self.go_on(),
            Site::On(_) | Site::End(_) => {}
        }
    }

    /// Starts the counts of iterations where loops are entered.
    fn write_entries(&self) {
        let builder = &self.position.builder;
        for repeat in &self.repeats {
            for &entry in &repeat.repetition.entries {
                self.position.on(entry);
                let before = self.symbols.word().const_int(RECORDED.wrapping_neg(), true);
                builder.build_store(repeat.number, before).expect("positioned");
                builder.build_store(repeat.place, repeat.unread).expect("positioned");
            }
        }
    }

    /// An iteration of a loop ends. The first ones are recorded as other paths are; that code is
    /// written in the end, since it changes the blocks. From then on the event has their number.
    fn repeat(&self, repeat: &LoopCounter<'a, 'ctx>) {
        let (builder, symbols) = (&self.position.builder, self.symbols);
        let word = symbols.word();
        let number = builder.build_load(word, repeat.number, "").expect("positioned");
        let one = word.const_int(1, false);
        let number = builder.build_int_add(number.into_int_value(), one, "path.count");
        let number = number.expect("two numbers");
        builder.build_store(repeat.number, number).expect("positioned");
        let is_few = builder.build_int_compare(IntPredicate::SLE, number, one, "path.few");
        self.few.borrow_mut().push((is_few.expect("two numbers"), number, repeat.repetition));
        let place = symbols.load(builder, repeat.place);
        symbols.store(builder, place, number);
    }

    /// The first iterations of loops: [`RECORDED`] of them are recorded, then an event begins.
    fn write_first_iterations(&self) {
        let builder = &self.position.builder;
        for (is_few, number, repetition) in self.few.take() {
            let known = is_few.as_instruction_value().expect("it is computed");
            let behind = known.get_next_instruction().expect("a block has a terminator");
            let end = llvm::add_cold_branch(is_few, behind);
            let none = self.symbols.word().const_zero();
            let [few, more] = [IntPredicate::SLE, IntPredicate::SGT].map(|how| {
                builder.position_before(&end);
                let compared = builder.build_int_compare(how, number, none, "");
                llvm::add_cold_branch(compared.expect("two numbers"), end)
            });
            builder.position_before(&few);
            let cut = self.plan.dag.cut(repetition.back).expect("a back edge is cut");
            let ends = self.plan.placement.op(cut.end);
            let from = self.plan.dag.edge(cut.end).from;
            ends.into_iter().for_each(|op| self.step(op, false, from));
            self.go_on();
            builder.position_before(&more);
            self.begin_repetition(repetition);
        }
    }

    /// Begins the event with the number of a loop's iterations. There is room for it, and for the
    /// record behind it.
    fn begin_repetition(&self, repetition: &Repetition) {
        let (builder, symbols) = (&self.position.builder, self.symbols);
        let word = symbols.word();
        let record = symbols.load(builder, self.record);
        let number = symbols.behind(builder, record, size_of::<u32>());
        let place = symbols.behind(builder, record, 2 * size_of::<u32>());
        let path = self.first_number.wrapping_add(repetition.path);
        symbols.store_number(builder, number, word.const_int(path, false));
        symbols.store(builder, place, word.const_zero());
        let event = Event::Repeated.word((REPETITION - NUMBER) as u32);
        let half = symbols.context().i32_type();
        symbols.store(builder, record, half.const_int(event.into(), false));
        let of = |repeat: &&LoopCounter<'_, '_>| std::ptr::eq(repeat.repetition, repetition);
        if let Some(repeat) = self.repeats.iter().find(of) {
            builder.build_store(repeat.place, place).expect("positioned");
        }
        let behind = symbols.behind(builder, record, REPETITION);
        builder.build_store(self.record, behind).expect("positioned");
        self.move_next(behind, NUMBER);
    }

    /// A path starts where the thread's word says.
    fn take_up(&self) {
        let builder = &self.position.builder;
        let block = self.find_block();
        let record = self.symbols.load(builder, block);
        builder.build_store(self.record, record).expect("positioned");
        self.check(record, block);
    }

    /// Finds the thread's block. It stays the same as long as nothing is called.
    fn find_block(&self) -> PointerValue<'ctx> {
        let builder = &self.position.builder;
        let block = self.symbols.block(builder);
        builder.build_store(self.block, block).expect("positioned");
        block
    }

    /// A path starts behind the one that has just ended.
    fn go_on(&self) {
        let builder = &self.position.builder;
        let record = self.symbols.load(builder, self.record);
        let block = self.symbols.load(builder, self.block);
        self.check(record, block);
    }

    /// Asks whether there is room for a record. What follows from it is written in the end, since
    /// it changes the blocks.
    fn check(&self, record: PointerValue<'ctx>, block: PointerValue<'ctx>) {
        self.move_next(record, NUMBER);
        let builder = &self.position.builder;
        let limit = self.symbols.behind(builder, block, size_of::<u64>());
        let limit = self.symbols.load(builder, limit);
        // The last address is written by eight bytes.
        let over = (self.longest + size_of::<u64>()).saturating_sub(RESERVE);
        let reached = self.symbols.behind(builder, record, over);
        let word = self.symbols.word();
        let [reached, limit] = [reached, limit]
            .map(|place| builder.build_ptr_to_int(place, word, "").expect("a pointer is a number"));
        let is_full = builder.build_int_compare(IntPredicate::UGE, reached, limit, "path.full");
        self.checks.borrow_mut().push(is_full.expect("two numbers"));
    }

    /// Starts the record in another chunk where one is full.
    fn write_checks(&self) {
        let builder = &self.position.builder;
        for is_full in self.checks.take() {
            let known = is_full.as_instruction_value().expect("loads are compared");
            let behind = known.get_next_instruction().expect("a block has a terminator");
            builder.position_before(&llvm::add_cold_branch(is_full, behind));
            let record = self.symbols.room(builder);
            builder.build_store(self.record, record).expect("positioned");
            self.find_block();
            self.move_next(record, NUMBER);
        }
    }

    /// Writes one step where the builder stands, at a block. The end of a path stores in
    /// the thread's word where the next record goes if it `publishes` that: somebody else may write
    /// it.
    fn step(&self, op: Op, publishes: bool, at: Block) {
        let builder = &self.position.builder;
        let word = self.symbols.word();
        let load =
            || builder.build_load(word, self.path, "path").expect("positioned").into_int_value();
        match op {
            Op::Set(value) => self.set(value),
            Op::Add(value) => {
                let value = word.const_int(value as u64, true);
                let sum = builder.build_int_add(load(), value, "path").expect("positioned");
                builder.build_store(self.path, sum).expect("positioned");
            }
            Op::Count(value) => {
                let value = word.const_int(self.first_number.wrapping_add(value as u64), true);
                let number = builder.build_int_add(load(), value, "").expect("positioned");
                self.end(number, publishes, at);
            }
            Op::CountAt(id) => {
                let number = word.const_int(self.first_number.wrapping_add(id), false);
                self.end(number, publishes, at);
            }
        }
    }

    /// A path ends behind a block, whose number in the unit this is.
    fn end(&self, number: IntValue<'ctx>, publishes: bool, behind: Block) {
        let builder = &self.position.builder;
        let record = self.symbols.load(builder, self.record);
        let next = self.symbols.load(builder, self.next);
        let records = self.records[behind.index()];
        let next = self.symbols.end_record(builder, record, next, number, records);
        builder.build_store(self.record, next).expect("positioned");
        if publishes {
            let block = self.symbols.load(builder, self.block);
            self.symbols.store(builder, block, next);
        }
    }

    fn set(&self, value: i64) {
        let value = self.symbols.word().const_int(value as u64, true);
        self.position.builder.build_store(self.path, value).expect("positioned");
    }
}
