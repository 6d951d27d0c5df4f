//! Writes the plan of a function's paths: the path register and the increments, all inline.
//!
//! The register is a stack slot while code is written. At the end the slot is promoted to SSA
//! values, which leaves constants where the plan knows them. Code that nothing optimises keeps the
//! slot: there an SSA value is copied from one slot to the next wherever control flow joins.

use inkwell::values::{InstructionValue, PointerValue};
use pathformat::ModuleId;
use pathformat::manifest::TableOf;
use pathformat::settings::Stage;
use paths::Plan;
use paths::cfg::{Block, Edge};
use paths::dag::{DagEdge, DagEdgeKind};
use paths::placement::Op;

use crate::layout::TableLayout;
use crate::llvm;
use crate::options::Options;
use crate::plan::PathPlan;
use crate::plan::path_sites::{self, PathStep, Site, is_only_way};
use crate::read::graph::Graph;

use super::array::CounterArray;
use super::base_address::BaseAddress;
use super::counter::Step;
use super::function::Function;
use super::insertion::Insertion;
use super::position::first_after_slots;
use super::promotion::Promoted;
use super::{callees, markers};

/// Writes the code of a function whose paths are counted.
pub(super) fn instrument<'ctx>(
    function: &Function<'_, 'ctx>,
    plan: &PathPlan,
    array: &CounterArray<'ctx>,
    id: ModuleId,
    options: &Options,
) {
    let context = array.context();
    let (graph, tables) = (function.graph, &function.layout.tables);
    let builder = context.create_builder();
    builder.position_before(&first_after_slots(graph.blocks[0]));
    let calls = callees::indirect_calls(graph);
    let register = |name| builder.build_alloca(context.i64_type(), name).expect("positioned");
    let slot = register("path");
    let PathPlan { cut: plan, uncut } = plan;
    let is_count = |&edge: &DagEdge| plan.placement.counts(edge);
    let needs = !tables.is_empty() || plan.dag.edges().any(|edge| is_count(&edge));
    let counts_behind = |block: Block| {
        plan.dag.successors(block).iter().any(is_count)
            || graph.cfg.successors(block).iter().any(|&edge| plan.dag.cut(edge).is_some())
    };
    let may_read_again = options.techniques.reading_again;
    let base = BaseAddress::new(function, array, &builder, may_read_again, needs, counts_behind);
    let uncut = uncut.as_ref().map(|plan| (plan, register("path.uncut")));
    let promotes = options.promotes() && options.stage != Stage::Early && !graph.returns_twice;
    let at_tops = counted_at_tops(plan).filter(|_| promotes);
    let promoted = Promoted::choose(graph, at_tops, &builder, context.i64_type());
    let code = Insertion::new(function, array, builder, base);
    let writer = Writer { graph, plan, code: &code, promoted: &promoted, slot, table: None };
    markers::declare(context, code.builder(), id, function.layout.index);
    writer.write_in_flight();
    writer.write_sites();
    if let Some((plan, slot)) = uncut {
        let of_paths = tables.iter().find(|(of, _)| *of == TableOf::Paths);
        let table = Some(of_paths.expect("uncut paths have a table").1);
        let writer = Writer { graph, plan, code: &code, promoted: &promoted, slot, table };
        writer.write_sites();
    }
    callees::count(&code, &calls, tables);
    graph.join();
    if !function.facts.keeps_slots() {
        let of_uncut = uncut.into_iter().map(|(_, slot)| slot);
        let slots: Vec<_> = [slot].into_iter().chain(of_uncut).chain(promoted.slots()).collect();
        llvm::promote(&slots);
    }
    llvm::forget_purity(function.function);
}

/// The paths that are counted at the top of a block, ahead of their end.
fn counted_at_tops(plan: &Plan) -> impl Iterator<Item = (u64, Block)> {
    let counted = |edge: DagEdge| match plan.placement.speculative(edge)? {
        Op::CountAt(id) if is_only_way(&plan.dag, edge) => Some((id, plan.dag.edge(edge).to)),
        _ => None,
    };
    plan.dag.edges().filter_map(counted)
}

struct Writer<'a, 'ctx> {
    graph: &'a Graph<'ctx>,
    plan: &'a Plan,
    code: &'a Insertion<'a, 'ctx>,
    promoted: &'a Promoted<'ctx>,
    slot: PointerValue<'ctx>,
    /// Where paths are counted if they have no counter each. Then nothing but their ends is
    /// counted.
    table: Option<TableLayout>,
}

impl<'ctx> Writer<'_, 'ctx> {
    /// Paths in flight, before the calls that may not come back.
    fn write_in_flight(&self) {
        let dag = &self.plan.dag;
        for edge in dag.edges().filter(|&edge| dag.edge(edge).kind == DagEdgeKind::InFlight) {
            let from = dag.edge(edge).from;
            if let Some(call) = self.graph.stays(from) {
                self.write_at(&path_sites::steps_of(self.plan, edge), from, call);
            }
        }
    }

    /// The code at each site of the plan.
    fn write_sites(&self) {
        for (site, action) in path_sites::sites(&self.graph.cfg, self.plan) {
            let steps =
                action.map(|action| path_sites::steps(self.plan, action)).unwrap_or_default();
            match site {
                Site::Top(block) => self.write_at(&steps, block, self.code.top(block)),
                Site::End(block) => self.write_at(&steps, block, self.graph.end_point(block)),
                Site::On(edge) => self.write_on(&steps, edge),
            }
        }
    }

    fn write_at(&self, steps: &[PathStep], block: Block, at: InstructionValue<'ctx>) {
        for &step in steps {
            self.code.position_before(block, at);
            self.write(step);
        }
    }

    fn write_on(&self, steps: &[PathStep], edge: Edge) {
        // Sums are of the first writer's counters.
        let adds = self.table.is_none() && self.promoted.is_exit(edge);
        if adds || !steps.is_empty() {
            self.code.position_on(edge);
            if adds {
                self.promoted.add(self.code, edge);
            }
            steps.iter().for_each(|&step| self.write(step));
        }
    }

    /// Writes one step where the builder stands.
    fn write(&self, PathStep { op, is_back }: PathStep) {
        let step = if is_back { Step::Down } else { Step::Up };
        let word = self.code.word();
        let load = || {
            self.code
                .builder()
                .build_load(word, self.slot, "path")
                .expect("positioned")
                .into_int_value()
        };
        match op {
            Op::Set(value) => self.set(value),
            Op::Add(value) => {
                let sum = self.code.builder().build_int_add(
                    load(),
                    word.const_int(value as u64, true),
                    "path",
                );
                self.code
                    .builder()
                    .build_store(self.slot, sum.expect("positioned"))
                    .expect("positioned");
            }
            Op::Count(value) => match self.table {
                None => self.code.step(Some(load()), value as u64, step),
                // Keys are not 0.
                Some(table) => {
                    let key = word.const_int((value as u64).wrapping_add(1), false);
                    self.code.see(
                        self.code.builder().build_int_add(load(), key, "").expect("positioned"),
                        table,
                    );
                }
            },
            Op::CountAt(id) => match self.table {
                None => self.promoted.step(self.code, id, step),
                Some(table) => self.code.see(word.const_int(id.wrapping_add(1), false), table),
            },
        }
    }

    fn set(&self, value: i64) {
        let word = self.code.word();
        self.code
            .builder()
            .build_store(self.slot, word.const_int(value as u64, true))
            .expect("positioned");
    }
}
