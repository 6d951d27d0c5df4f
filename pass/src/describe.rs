//! What the manifest tells of a function: its declaration, its graph, its edge values, its lines and instructions.

use std::borrow::Cow;

use inkwell::basic_block::BasicBlock;
use inkwell::module::Linkage as Llvm;
use inkwell::values::{FunctionValue, InstructionValue};
use pathformat::manifest::{
    Block, Call, CutReason, DagEdge, DagEdgeKind, Edge, Exit, Function, INDIRECT, Linkage, TableOf, VECTOR, Whole,
};
use paths::Plan;
use paths::cuts::Reason;
use paths::dag::Kind;

use crate::debug_info::{self, Locations};
use crate::llvm::{self, FunctionFacts, InstructionFacts};
use crate::read_cfg::Graph;

/// Name, linkage and place of a function.
pub(crate) fn declaration(function: FunctionValue<'_>, directory: &str) -> Function {
    let position = llvm::declaration(function);
    let name = llvm::name(&function);
    let (full_name, short_name) = llvm::demangled(&name).unwrap_or_default();
    Function {
        name,
        full_name,
        short_name,
        linkage: linkage(function),
        file: position.as_ref().map(|at| debug_info::file(at, directory)).unwrap_or_default(),
        line: position.map_or(0, |at| at.line),
        ..Function::default()
    }
}

fn linkage(function: FunctionValue<'_>) -> Linkage {
    match function.get_linkage() {
        Llvm::Internal | Llvm::Private | Llvm::LinkerPrivate => Linkage::Internal,
        Llvm::LinkOnceAny | Llvm::LinkOnceODR => Linkage::Inline,
        Llvm::AvailableExternally => Linkage::Copy,
        Llvm::WeakAny | Llvm::WeakODR | Llvm::ExternalWeak if FunctionFacts::of(function).has_comdat() => {
            Linkage::Inline
        }
        Llvm::WeakAny | Llvm::WeakODR | Llvm::ExternalWeak => Linkage::Weak,
        _ => Linkage::External,
    }
}

/// The values that make up the paths' ids.
pub(crate) fn paths(record: &mut Function, graph: &Graph<'_>, plan: &Plan) {
    record.num_paths = plan.numbering.total();
    record.in_flight_paths = plan.in_flight;
    for (edge, cut) in record.edges.iter_mut().zip(cuts(graph, plan)) {
        edge.cut = cut;
    }
    record.dag = dag(plan);
}

/// The same for paths that no limit cuts, of which a table has so many.
pub(crate) fn whole(graph: &Graph<'_>, plan: &Plan, slots: u32) -> Whole {
    Whole { num_paths: plan.numbering.total(), slots, dag: dag(plan), cuts: cuts(graph, plan).collect() }
}

/// Of each edge of the control-flow graph, how it is cut.
fn cuts(graph: &Graph<'_>, plan: &Plan) -> impl Iterator<Item = Option<(u32, u32)>> {
    graph.cfg.edges().map(|edge| plan.dag.cut(edge).map(|cut| (cut.end.0, cut.start.0)))
}

fn dag(plan: &Plan) -> Vec<DagEdge> {
    plan.dag
        .edges()
        .map(|edge| {
            let data = plan.dag.edge(edge);
            let kind = match data.kind {
                Kind::Flow(flow) => DagEdgeKind::Flow { edge: flow.0 },
                Kind::Leave => DagEdgeKind::Leave { block: data.from.0 },
                Kind::End(_, why) => DagEdgeKind::End { block: data.from.0, why: reason(why) },
                Kind::Start(_, why) => DagEdgeKind::Start { block: data.to.0, why: reason(why) },
                Kind::InFlight => DagEdgeKind::InFlight { block: data.from.0 },
            };
            DagEdge { kind, value: plan.numbering.value(edge) }
        })
        .collect()
}

/// Graph, lines and instructions.
pub(crate) fn body(record: &mut Function, graph: &Graph<'_>, directory: &str) {
    let mut locations = Locations::default();
    record.blocks = graph
        .cfg
        .blocks()
        .map(|block| {
            let exit = graph.cfg.exit(block).map(|exit| match exit {
                paths::cfg::Exit::Return => Exit::Return,
                paths::cfg::Exit::Unwind => Exit::Unwind,
                paths::cfg::Exit::NoReturn => Exit::NoReturn,
            });
            let may_stay = graph.cfg.may_stay(block);
            Block { exit, may_stay, ..describe_block(graph.block(block), &mut locations, directory) }
        })
        .collect();
    record.locations = locations.list;
    record.edges = graph
        .cfg
        .edges()
        .map(|edge| {
            let data = graph.cfg.edge(edge);
            let outcome = graph.outcomes[edge.index()].clone();
            Edge { from: data.from.0, to: data.to.0, outcome, cut: None }
        })
        .collect();
}

fn reason(reason: Reason) -> CutReason {
    match reason {
        Reason::BackEdge => CutReason::BackEdge,
        Reason::Opaque => CutReason::Opaque,
        Reason::Limit => CutReason::Limit,
    }
}

/// The calls of a block, in order, that the manifest tells of.
pub(crate) fn calls<'ctx>(block: BasicBlock<'ctx>) -> impl Iterator<Item = InstructionValue<'ctx>> {
    block.get_instructions().filter(|instruction| InstructionFacts::of(*instruction).calls_function())
}

fn describe_block(block: BasicBlock<'_>, locations: &mut Locations, directory: &str) -> Block {
    let mut opcodes: Vec<(Cow<'static, str>, u32)> = Vec::new();
    let mut record = Block { name: block.get_name().to_string_lossy().into_owned(), ..Block::default() };
    for instruction in block.get_instructions() {
        let facts = InstructionFacts::of(instruction);
        let scalar = llvm::opcode_name(instruction);
        let name = if facts.is_vector() { Cow::Owned(format!("{VECTOR}{scalar}")) } else { Cow::Borrowed(scalar) };
        match opcodes.iter_mut().find(|(known, _)| *known == name) {
            Some((_, count)) => *count += 1,
            None => opcodes.push((name, 1)),
        }
        let location = llvm::debug_location(instruction).and_then(|at| locations.index(at, directory));
        if facts.calls_function() {
            let callee = llvm::callee(instruction).unwrap_or_else(|| INDIRECT.into());
            record.calls.push(Call { callee, location });
        }
        if let Some(location) = location.filter(|location| !record.locations.contains(location)) {
            record.locations.push(location);
        }
    }
    opcodes.sort_unstable();
    record.opcodes = opcodes;
    record
}

/// Two functions with equal hashes have the same blocks, edges, exits, path ids and counters.
pub(crate) fn cfg_hash(record: &Function) -> u64 {
    let mut bytes = Vec::new();
    let mut add = |value: u64| bytes.extend(value.to_le_bytes());
    record.counted_blocks.iter().chain(&record.counted_arcs).for_each(|&counted| add(counted.into()));
    add(record.counted_arcs.len() as u64);
    for table in record.tables() {
        add(table.slots);
        if let TableOf::Callees { block, call } = table.of {
            add(u64::from(block) << 32 | u64::from(call));
        }
    }
    record.whole.iter().flat_map(|whole| &whole.dag).for_each(|edge| add(edge.value));
    for block in &record.blocks {
        add(block.exit.map_or(0, |exit| exit as u64 + 1) << 1 | u64::from(block.may_stay));
    }
    for edge in &record.edges {
        add(u64::from(edge.from));
        add(u64::from(edge.to));
    }
    for edge in &record.dag {
        let (tag, index) = match edge.kind {
            DagEdgeKind::Flow { edge } => (0, edge),
            DagEdgeKind::Leave { block } => (1, block),
            DagEdgeKind::End { block, .. } => (2, block),
            DagEdgeKind::Start { block, .. } => (3, block),
            DagEdgeKind::InFlight { block } => (4, block),
        };
        add(tag);
        add(u64::from(index));
        add(edge.value);
    }
    xxhash_rust::xxh3::xxh3_64(&bytes)
}
