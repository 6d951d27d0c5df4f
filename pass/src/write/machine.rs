//! Writes the counting code of a unit into its machine code.
//!
//! A step of a counter is one instruction. It is all that changes flags. Where flags live of which
//! only one condition is read, a free register keeps whether that holds. Where more of them is
//! read, and where no register is left for the address, the stack keeps what is needed around the
//! step, below what a leaf function may have there.

use std::ffi::CString;

use inkwell::module::Module;
use inkwell::values::GlobalValue;
use pathformat::log_event::LogEvent;
use pathformat::manifest::Manifest;
use pathformat::settings::{Mode, Threads};
use pathformat::{ModuleId, names};
use paths::cfg::{Block, ENTRY, Edge, Exit};
use paths::dag::{CutSite, DagEdgeKind};
use paths::placement::Op;

use super::array::CounterArray;
use super::{block_log, manifest, markers, profile_path};
use crate::ffi::machine::Context;
use crate::layout::{FunctionLayout, Layout};
use crate::machine::code::{
    self, Code, Counter, CounterAddress, Global, Loan, Position, Register, Registers,
};
use crate::machine::regions::Region;
use crate::machine::registers::PathRegister;
use crate::machine::sums::Sum;
use crate::machine::{EdgePlace, MachinePlan, Node};
use crate::options::{Addressing, Options};
use crate::plan::path_sites::PathStep;
use crate::read::Unit;

/// The bytes below the stack pointer that a leaf function may use.
const RED_ZONE: i64 = 128;

/// Writes what was planned for a unit whose machine code is in `context`.
pub(crate) fn unit(
    module: &Module<'_>,
    context: *mut Context,
    unit: &Unit<'_, MachinePlan<'_>>,
    manifest: &Manifest,
    layout: &Layout,
    options: &Options,
) {
    let content = manifest.content();
    let id = manifest::identity(&content, unit.code_hash);
    let counted = unit.definitions.iter().zip(&layout.functions);
    let counted = counted.filter_map(|(of, layout)| Some((of.body.as_ref().ok()?, layout)));
    let counted: Vec<_> = counted.collect();
    let has_array = options.mode != Mode::Log && !counted.is_empty() && layout.counters > 0;
    let size = if has_array { [layout.counters, layout.keys] } else { [0, 0] };
    if has_array {
        let array = CounterArray::define(module, id, size, options);
        let way = Way::of(&array, options);
        for (plan, layout) in &counted {
            instrument(plan, layout, way, id);
        }
    }
    if options.mode == Mode::Log {
        let identity = Global::of(&block_log::identity(module, id));
        for (plan, layout) in &counted {
            log(plan, layout, identity);
        }
    }
    profile_path::declare(module, options);
    let first = unit.definitions.first().expect("a unit without functions is not counted");
    let text = manifest::text(manifest.seal(content), id, size, options);
    code::add_assembly(context, first.function, &text);
    manifest::mark(module);
}

/// The way to the counters.
#[derive(Clone, Copy)]
struct Way {
    array: Global,
    /// What leads to the thread's copy.
    leads: Option<Global>,
    addressing: Addressing,
    is_locked: bool,
}

impl Way {
    fn of(array: &CounterArray<'_>, options: &Options) -> Self {
        let global = |value: GlobalValue<'_>| Global::of(&value);
        Self {
            array: global(array.global()),
            leads: array.leads().map(global),
            addressing: options.addressing,
            is_locked: options.threads == Threads::Atomic,
        }
    }

    /// Takes the address of a counter in the region.
    fn load_address(self, into: Register, id: i64) -> Code {
        Code::LoadAddress { into, of: self.array, displacement: 8 * id }
    }

    /// The counter at an address.
    fn counter(self, address: CounterAddress) -> Counter {
        Counter { address, in_segment: self.addressing == Addressing::Segment }
    }

    fn needs_two(self) -> bool {
        self.leads.is_some() && self.addressing != Addressing::Word
    }
}

/// Writes the code of a function.
fn instrument(plan: &MachinePlan<'_>, layout: &FunctionLayout, way: Way, id: ModuleId) {
    let MachinePlan { graph, regions, .. } = plan;
    let writer = Writer { plan, layout, way };
    let mut code = Vec::new();
    let mut put = |position, written: Vec<Code>| {
        if !written.is_empty() {
            code.push((position, written));
        }
    };
    if let Some(marker) = markers::text(id, layout.index) {
        let marker = CString::new(marker).expect("our own text has no NUL");
        let entry = Position::Before { block: 0, instruction: 0 };
        put(entry, vec![Code::Assembly(marker)]);
    }
    for (number, &node) in plan.cfg.blocks().zip(&graph.nodes) {
        let Some(block) = node.block else { continue };
        let [top, end] = [node.first, node.end_point].map(|at| Place { block, instruction: at });
        let is_at = |edge: &Edge, place| graph.places[edge.index()] == place;
        let into = plan.cfg.predecessors(number).iter();
        for &edge in into.filter(|edge| is_at(edge, EdgePlace::Target)) {
            put(top.position(), writer.on_edge(regions.on(edge), top));
        }
        for (region, place) in [(regions.top(number), top), (regions.end(number), end)] {
            let (place, written) = writer.at_node(region, node, place);
            put(place.position(), written);
        }
        let out = plan.cfg.successors(number).iter();
        for &edge in out.filter(|edge| is_at(edge, EdgePlace::Source)) {
            put(end.position(), writer.on_edge(regions.on(edge), end));
        }
    }
    // The first of the edges to a block may stand before it.
    let mut edges: Vec<_> = plan.cfg.edges().collect();
    edges.sort_by_key(|&edge| std::cmp::Reverse(regions.frequency[regions.on(edge).index()]));
    for edge in edges {
        if let EdgePlace::Own { position, .. } = graph.places[edge.index()] {
            let target = graph.node(graph.edge(edge).to);
            let block = target.block.expect("the node before the first one has no way in");
            let place = Place { block, instruction: target.first };
            put(position, writer.on_edge(regions.on(edge), place));
        }
    }
    if let Some(word) = id.function_word(layout.index.0) {
        graph.code.mark(word, marks(plan));
    }
    graph.code.write(&code);
}

/// Where each node begins, and the edges that may have code of their own. Edges have the numbers
/// behind those of nodes.
fn marks<'a>(plan: &'a MachinePlan<'_>) -> impl Iterator<Item = (Position, u32)> + use<'a> {
    let MachinePlan { graph, cfg, .. } = plan;
    let node = |(number, node): (u32, &Node)| {
        Some((Position::Before { block: node.block?, instruction: node.first }, number))
    };
    let nodes = graph.nodes.len() as u32;
    let edge = move |edge: Edge| match graph.places[edge.index()] {
        EdgePlace::Own { position, .. } => Some((position, nodes + edge.index() as u32)),
        _ => None,
    };
    (0..).zip(&graph.nodes).filter_map(node).chain(cfg.edges().filter_map(edge))
}

/// Writes calls of the block log. They change nothing that the program could see.
fn log(plan: &MachinePlan<'_>, layout: &FunctionLayout, identity: Global) {
    let MachinePlan { graph, cfg, paths, .. } = plan;
    let report = |event: LogEvent, block: Block| -> Vec<Code> {
        let function = layout.index.0 as i32;
        let name = CString::new(names::LOG_MACHINE).expect("it has no NUL");
        vec![
            Code::MoveStack(-RED_ZONE),
            Code::PushWord { of: identity, at: 8 },
            Code::PushWord { of: identity, at: 0 },
            Code::PushNumber(function),
            Code::PushNumber(event.with(block.0) as i32),
            Code::Call(name),
            Code::MoveStack(RED_ZONE + 32),
        ]
    };
    let mut ends = vec![None; cfg.num_blocks()];
    for edge in paths.dag.edges() {
        let data = paths.dag.edge(edge);
        match data.kind {
            // What does not return may jump back to here.
            DagEdgeKind::Leave if cfg.exit(data.from) == Some(Exit::NoReturn) => {
                ends[data.from.index()] = Some(LogEvent::End);
            }
            DagEdgeKind::Leave => ends[data.from.index()] = Some(LogEvent::Leave),
            DagEdgeKind::End(CutSite::InBlock, _) => ends[data.from.index()] = Some(LogEvent::End),
            _ => {}
        }
    }
    let mut code = Vec::new();
    for (block, node) in cfg.blocks().zip(&graph.nodes) {
        let place = |instruction| match node.block {
            Some(block) => Position::Before { block, instruction },
            None => Position::BeforeEntry,
        };
        if block == ENTRY {
            code.push((place(node.first), report(LogEvent::Enter, block)));
        }
        code.push((place(node.first), report(LogEvent::Block, block)));
        if let Some(event) = ends[block.index()] {
            code.push((place(node.end_point), report(event, block)));
        }
    }
    graph.code.write(&code);
}

struct Writer<'a, 'ctx> {
    plan: &'a MachinePlan<'ctx>,
    layout: &'a FunctionLayout,
    way: Way,
}

impl Writer<'_, '_> {
    /// The code on an edge, which stands before what is at `place`.
    fn on_edge(&self, region: Region, place: Place) -> Vec<Code> {
        let loans = &self.plan.loans;
        let mut code = Vec::new();
        let end = loans.end.get(&region);
        let end = end.map(|&Loan { register, vector }| Code::RestoreFromVector(register, vector));
        // Counts on the way out still use the register.
        let is_used = loans.at[region.index()].is_some();
        code.extend(end.clone().filter(|_| !is_used));
        code.extend(self.code(region, place));
        code.extend(end.filter(|_| is_used));
        let sums = &self.plan.sums;
        if let Some(Loan { register, vector }) = sums.end.get(&region).and_then(|sum| sum.loan) {
            code.push(Code::RestoreFromVector(register, vector));
        }
        if let Some(sum) = sums.begin.get(&region) {
            let loan = sum.loan;
            code.extend(loan.map(|of| Code::SaveInVector(of.register, of.vector)));
            code.push(Code::Clear(sum.register));
        }
        if let Some(&Loan { register, vector }) = loans.begin.get(&region) {
            code.push(Code::SaveInVector(register, vector));
            code.extend(self.read(register, None));
        }
        code
    }

    /// Reads the address of the thread's counters, or takes that of the function's if it is known.
    /// `other` is a second register, which is lost.
    fn read(&self, into: Register, other: Option<Register>) -> Vec<Code> {
        let way = self.way;
        match (way.leads, way.addressing, other) {
            (None, ..) => vec![way.load_address(into, self.layout.first_counter as i64)],
            (Some(word), Addressing::Word, _) => vec![Code::ReadWord { into, word }],
            (Some(place), _, other) => {
                let other = other.expect("the caller knows that a second one is needed");
                vec![
                    Code::ReadDelta { into, place },
                    way.load_address(other, 0),
                    Code::AddUp { into, other },
                ]
            }
        }
    }

    /// The code at a point, which stands at `place` or, on an edge, before what stands there.
    fn code(&self, region: Region, place: Place) -> Vec<Code> {
        let MachinePlan { graph, regions, path_registers, bases, loans, sums, .. } = self.plan;
        let (at, reads) = (region.index(), &bases.reads[region.index()]);
        let base = bases.at[at].or(loans.at[at]);
        let (number, busy) = (path_registers[at], regions.busy[at] | sums.registers(region));
        let ours = PathRegister::set(number) | base.into_iter().collect() | bases.kept[at];
        let mut spare = Spare { busy, ours, saved: Vec::new() };
        let mut code = Vec::new();
        for &into in reads {
            let other = self.way.needs_two().then(|| spare.take());
            code.extend(self.read(into, other));
        }
        let needs_base = base.is_none() && self.needs_base(region);
        let base = base.or_else(|| needs_base.then(|| self.read_anywhere(&mut spare, &mut code)));
        let end = sums.end.get(&region);
        // The sum takes in the steps of its own counter.
        let is_summed = |step: &&PathStep| {
            end.is_some_and(|sum| matches!(step.op, Op::CountAt(id) if id == sum.counter))
        };
        let (summed, steps): (Vec<_>, Vec<_>) = regions.steps[at].iter().partition(is_summed);
        if let Some(&Sum { counter, register, .. }) = end {
            let value =
                summed.iter().map(|step: &&PathStep| if step.is_back { -1 } else { 1 }).sum();
            code.extend((value != 0).then_some(Code::Add { register, value }));
            code.push(Code::AddTo { at: self.counter(counter, base), sum: register });
        }
        for &step in steps {
            self.step(region, step, base, number, &mut spare, &mut code);
        }
        let changes = |code: &Code| matches!(code, Code::Step { .. } | Code::AddTo { .. });
        let changes_flags = busy.has_flags() && code.iter().any(changes);
        if changes_flags
            && spare.saved.is_empty()
            && let Some(condition) = graph.code.blocks[place.block].condition(place.instruction)
            && let Some(register) = spare.free()
        {
            code.insert(0, Code::SaveCondition(register, condition));
            code.push(Code::RestoreCondition(register, condition));
            return code;
        }
        match *spare.saved.as_slice() {
            [] if !changes_flags => code,
            [one]
                if !changes_flags
                    && !sums.occupy_vector(region)
                    && let Some(vector) =
                        graph.code.free_vector(place.block, place.instruction) =>
            {
                code.insert(0, Code::SaveInVector(one, vector));
                code.push(Code::RestoreFromVector(one, vector));
                code
            }
            ref saved => on_stack(code, saved, changes_flags),
        }
    }

    /// The code at the top or at the end of a node, with the place where it stands. If no register
    /// is free there, but elsewhere in the node, the counts are made there: a node runs to its end.
    fn at_node(&self, region: Region, node: Node, place: Place) -> (Place, Vec<Code>) {
        let MachinePlan { graph, regions, path_registers, bases, loans, sums, .. } = self.plan;
        let at = region.index();
        let only_counts = path_registers[at].is_none() && bases.reads[at].is_empty();
        let has_base = bases.at[at].is_some() || loans.at[at].is_some();
        if !only_counts || has_base || !self.needs_base(region) {
            return (place, self.code(region, place));
        }
        // What is summed up there, and what is kept for other counts.
        let number = regions.node_of(graph, region);
        let parts = [regions.top(number), regions.body(number), regions.end(number)];
        let held =
            parts.iter().fold(sums.registers(region), |all, part| all | bases.kept[part.index()]);
        let needed = 1 + usize::from(self.way.needs_two());
        let is_free = |&instruction: &usize| {
            let live = graph.live(node, instruction) | held;
            !live.has_flags() && live.others().count() >= needed
        };
        match (node.first..=node.end_point).find(is_free) {
            None => (place, self.code(region, place)),
            Some(instruction) => {
                let busy = graph.live(node, instruction) | held;
                let mut spare = Spare { busy, ours: held, saved: Vec::new() };
                let mut code = Vec::new();
                let base = Some(self.read_anywhere(&mut spare, &mut code));
                for &step in &regions.steps[at] {
                    self.step(region, step, base, None, &mut spare, &mut code);
                }
                (Place { instruction, ..place }, code)
            }
        }
    }

    /// True if the steps of a region need the address in a register of its own.
    fn needs_base(&self, region: Region) -> bool {
        self.way.leads.is_some() && self.plan.sums.leave_count(&self.plan.regions, region)
    }

    /// Reads the address into a register that is spare.
    fn read_anywhere(&self, spare: &mut Spare, code: &mut Vec<Code>) -> Register {
        let into = spare.take();
        let other = self.way.needs_two().then(|| spare.take());
        code.extend(self.read(into, other));
        into
    }

    /// Where a counter of the function is; `base` has the address of the thread's counters, if it
    /// takes one.
    fn counter(&self, id: u64, base: Option<Register>) -> Counter {
        let id = id as i64;
        let whole = (self.layout.first_counter as i64).wrapping_add(id);
        self.way.counter(match (self.way.leads, base) {
            (None, Some(base)) => CounterAddress::Based { base, displacement: 8 * id },
            (Some(_), Some(base)) => CounterAddress::Based { base, displacement: 8 * whole },
            (_, None) => CounterAddress::Fixed { array: self.way.array, displacement: 8 * whole },
        })
    }

    fn step(
        &self,
        region: Region,
        PathStep { op, is_back }: PathStep,
        base: Option<Register>,
        number: Option<PathRegister>,
        spare: &mut Spare,
        code: &mut Vec<Code>,
    ) {
        let number = || number.expect("a number that is used has a register");
        let first = self.layout.first_counter as i64;
        let is_fixed = self.way.leads.is_none();
        let at = match op {
            // An address that is known takes in what is added to it.
            Op::Set(value) if is_fixed => {
                let into = number().register;
                code.push(match base {
                    Some(from) => Code::Copy { into, from, value: 8 * value },
                    None => self.way.load_address(into, first.wrapping_add(value)),
                });
                return;
            }
            Op::Set(value) => {
                let PathRegister { register: into, bias } = number();
                let value = 8 * value.wrapping_sub(bias);
                if let Some(from) = base {
                    code.push(Code::Copy { into, from, value });
                } else {
                    let other = self.way.needs_two().then(|| spare.take());
                    code.extend(self.read(into, other));
                    code.extend((value != 0).then_some(Code::Add { register: into, value }));
                }
                return;
            }
            Op::Add(value) => {
                code.push(Code::Add { register: number().register, value: 8 * value });
                return;
            }
            Op::Count(rest) => {
                let PathRegister { register: base, bias } = number();
                let bias = if is_fixed { 0 } else { first.wrapping_add(bias) };
                let displacement = 8 * rest.wrapping_add(bias);
                self.way.counter(CounterAddress::Based { base, displacement })
            }
            Op::CountAt(id) => {
                if let Some(register) = self.plan.sums.register(region, id) {
                    code.push(Code::Add { register, value: if is_back { -1 } else { 1 } });
                    return;
                }
                self.counter(id, base)
            }
        };
        code.push(Code::Step { at, is_back, is_locked: self.way.is_locked });
    }
}

/// A place in the code generator's blocks.
#[derive(Clone, Copy)]
struct Place {
    block: usize,
    instruction: usize,
}

impl Place {
    fn position(self) -> Position {
        Position::Before { block: self.block, instruction: self.instruction }
    }
}

/// Registers that may be used at a place, even if only when they were saved.
struct Spare {
    /// Those of the program.
    busy: Registers,
    /// Those that are taken already.
    ours: Registers,
    /// Those that have to be saved.
    saved: Vec<Register>,
}

impl Spare {
    /// A register that nobody uses.
    fn free(&self) -> Option<Register> {
        (self.busy | self.ours).others().next_back()
    }

    fn take(&mut self) -> Register {
        let register = self.free().unwrap_or_else(|| {
            let victim = self.ours.others().next().expect("not all registers are ours");
            self.saved.push(victim);
            victim
        });
        self.ours |= Registers::of(register);
        register
    }
}

/// Code around which registers and, if it `changes_flags`, the flags are kept on the stack.
fn on_stack(code: Vec<Code>, saved: &[Register], changes_flags: bool) -> Vec<Code> {
    let mut whole = vec![Code::MoveStack(-RED_ZONE)];
    whole.extend(changes_flags.then_some(Code::SaveFlags));
    whole.extend(saved.iter().map(|&of| Code::Save(of)));
    whole.extend(code);
    whole.extend(saved.iter().rev().map(|&of| Code::Restore(of)));
    whole.extend(changes_flags.then_some(Code::RestoreFlags));
    whole.push(Code::MoveStack(RED_ZONE));
    whole
}
