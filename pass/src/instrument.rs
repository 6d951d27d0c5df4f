//! Writes a plan into a function: the path register and the increments, all inline.
//!
//! The register is a stack slot while code is written and is promoted to SSA values at the end, which leaves constants
//! where the plan knows them.

use inkwell::values::{InstructionValue, PointerValue};
use pathformat::ModuleId;
use pathformat::manifest::TableOf;
use paths::Plan;
use paths::cfg::Block;
use paths::dag::{Cut, DagEdge, Kind, Place};
use paths::placement::Op;

use crate::base::Base;
use crate::counters::{Counters, Step};
use crate::llvm;
use crate::options::Techniques;
use crate::pen::{Pen, first_after_slots};
use crate::planned::{Paths, Planned};
use crate::read_cfg::Graph;
use crate::slots::Slots;
use crate::{presence, tables};

/// Writes the code of one planned function.
pub(crate) fn instrument(planned: &Planned<'_>, counters: &Counters<'_>, id: ModuleId, techniques: Techniques) {
    let context = counters.context();
    let builder = context.create_builder();
    builder.position_before(&first_after_slots(planned.graph.blocks[0]));
    let calls = tables::indirect_calls(&planned.graph);
    let slot = builder.build_alloca(context.i64_type(), "path").expect("positioned");
    let Paths { plan, whole } = &planned.plan;
    let is_count = |&edge: &DagEdge| plan.placement.counts(edge);
    let needs = !planned.tables.is_empty() || plan.dag.edges().any(|edge| is_count(&edge));
    let counts_behind = |block: Block| {
        plan.dag.successors(block).iter().any(is_count)
            || planned.graph.cfg.successors(block).iter().any(|&edge| plan.dag.cut(edge).is_some())
    };
    let base = Base::new(planned, counters, &builder, techniques.reading_again, needs, counts_behind);
    let whole =
        whole.as_ref().map(|plan| (plan, builder.build_alloca(context.i64_type(), "path.whole").expect("positioned")));
    let pen = Pen::new(planned, counters, builder, base);
    let writer = Writer { graph: &planned.graph, plan, pen: &pen, slot, table: None };
    presence::declare(context, &pen.builder, id, planned.index);
    writer.write_in_flight();
    writer.write_block_tops();
    writer.write_block_ends();
    writer.write_edges();
    if let Some((plan, slot)) = whole {
        let of_paths = planned.tables.iter().find(|(of, _)| *of == TableOf::Paths);
        let table = Some(of_paths.expect("whole paths have a table").1);
        let writer = Writer { graph: &planned.graph, plan, pen: &pen, slot, table };
        writer.write_block_tops();
        writer.write_block_ends();
        writer.write_edges();
    }
    tables::watch(&pen, &calls, &planned.tables);
    planned.graph.join();
    whole.into_iter().for_each(|(_, slot)| llvm::promote(slot));
    llvm::promote(slot);
    llvm::forget_purity(planned.function);
}

struct Writer<'a, 'ctx> {
    graph: &'a Graph<'ctx>,
    plan: &'a Plan,
    pen: &'a Pen<'a, 'ctx>,
    slot: PointerValue<'ctx>,
    /// Where paths are counted if they have no counter each. Then nothing but their ends is counted.
    table: Option<Slots>,
}

impl<'ctx> Writer<'_, 'ctx> {
    /// Paths in flight, before the calls that may not come back.
    fn write_in_flight(&self) {
        let dag = &self.plan.dag;
        for edge in dag.edges().filter(|&edge| dag.edge(edge).kind == Kind::InFlight) {
            let from = dag.edge(edge).from;
            if let Some(call) = self.graph.stays(from) {
                self.write_at(edge, from, call);
            }
        }
    }

    /// Starts of paths in the blocks that opaque edges lead to, and counts ahead where nothing but starts leads to a block: so
    /// loops of one block stay that. They are written before the edges' code, which then stands above them where an
    /// edge's code goes to the top of its target.
    fn write_block_tops(&self) {
        let dag = &self.plan.dag;
        for edge in dag.edges() {
            let data = dag.edge(edge);
            if matches!(data.kind, Kind::Start(Place::InBlock, _)) {
                self.write_at(edge, data.to, self.pen.top(data.to));
            } else if let Some(op) = self.plan.placement.ahead(edge).filter(|_| self.is_only_way(edge)) {
                self.pen.stand_before(data.to, self.pen.top(data.to));
                self.write(op, Step::Up);
            }
        }
    }

    /// Ends of paths before terminators.
    fn write_block_ends(&self) {
        let dag = &self.plan.dag;
        for edge in dag.edges() {
            let data = dag.edge(edge);
            if matches!(data.kind, Kind::Leave | Kind::End(Place::InBlock, _)) {
                self.write_at(edge, data.from, self.graph.end_point(data.from));
            }
        }
        for block in self.graph.cfg.blocks() {
            if let Some(value) = self.plan.placement.settled(block) {
                self.pen.builder.position_before(&self.graph.end_point(block));
                self.set(value);
            }
        }
    }

    /// Code on control-flow edges: one step, or the end of a path and the start of the next.
    fn write_edges(&self) {
        let dag = &self.plan.dag;
        for edge in self.graph.cfg.edges() {
            let mut ops = Vec::new();
            if let Some(flow) = dag.flow(edge) {
                ops.extend(self.ops(flow));
            }
            if let Some(Cut { end, start }) = dag.cut(edge) {
                for half in [end, start] {
                    if matches!(dag.edge(half).kind, Kind::End(Place::OnEdges, _) | Kind::Start(Place::OnEdges, _)) {
                        ops.extend(self.ops(half));
                    }
                }
            }
            if !ops.is_empty() {
                self.pen.stand_on(edge);
                ops.into_iter().for_each(|(op, step)| self.write(op, step));
            }
        }
    }

    /// All that is done when `edge` is followed: what was counted ahead is taken back, then the edge's own step, then the next
    /// path is counted ahead.
    fn ops(&self, edge: DagEdge) -> impl Iterator<Item = (Op, Step<'ctx>)> {
        let placement = &self.plan.placement;
        let back = placement.back(edge).map(|op| (op, Step::Down));
        let ahead = placement.ahead(edge).filter(|_| !self.is_only_way(edge));
        let forth = [placement.op(edge), ahead].into_iter().flatten().map(|op| (op, Step::Up));
        back.into_iter().chain(forth)
    }

    /// Whether all edges into a block start the path that `edge` starts.
    fn is_only_way(&self, edge: DagEdge) -> bool {
        let dag = &self.plan.dag;
        let data = dag.edge(edge);
        matches!(data.kind, Kind::Start(Place::OnEdges, _)) && dag.predecessors(data.to).len() == 1
    }

    fn write_at(&self, edge: DagEdge, block: Block, at: InstructionValue<'ctx>) {
        for (op, step) in self.ops(edge) {
            self.pen.stand_before(block, at);
            self.write(op, step);
        }
    }

    /// Writes one step where the builder stands; `step` is which way it counts, if it does.
    fn write(&self, op: Op, step: Step<'ctx>) {
        let word = self.pen.word();
        let load = || self.pen.builder.build_load(word, self.slot, "path").expect("positioned").into_int_value();
        match op {
            Op::Set(value) => self.set(value),
            Op::Add(value) => {
                let sum = self.pen.builder.build_int_add(load(), word.const_int(value as u64, true), "path");
                self.pen.builder.build_store(self.slot, sum.expect("positioned")).expect("positioned");
            }
            Op::Count(value) => match self.table {
                None => self.pen.step(Some(load()), value as u64, step),
                // Keys are not 0.
                Some(table) => {
                    let key = word.const_int((value as u64).wrapping_add(1), false);
                    self.pen.see(self.pen.builder.build_int_add(load(), key, "").expect("positioned"), table);
                }
            },
            Op::CountAt(id) => match self.table {
                None => self.pen.step(None, id, step),
                Some(table) => self.pen.see(word.const_int(id.wrapping_add(1), false), table),
            },
        }
    }

    fn set(&self, value: i64) {
        let word = self.pen.word();
        self.pen.builder.build_store(self.slot, word.const_int(value as u64, true)).expect("positioned");
    }
}
