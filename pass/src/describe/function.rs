//! Describes a function for the manifest: its declaration, its graph, its counters, its lines and
//! instructions.

use std::borrow::Cow;

use inkwell::basic_block::BasicBlock;
use pathformat::manifest::{
    Access, Address, Block, Call, CutReason, DagEdge, DagEdgeKind, Edge, Exit, Function, INDIRECT,
    Outcome, Pattern, PatternShape, Stride, TableOf, Uncut, VECTOR,
};
use paths::Plan as PathIds;
use paths::cfg::Cfg;
use paths::cuts::Reason;
use paths::dag;
use paths::patterns::{self, Shape};

use super::locations::Locations;
use crate::llvm::{self, InstructionFacts};
use crate::options::Options;
use crate::plan::Plan;
use crate::plan::sites::Sites;
use crate::read::graph::Graph;
use crate::read::made::{CompilerMade, is_deleting_destructor};
use crate::read::{self, Base, BlockAccess, Definition, Moving};

/// Where the next function has its counters and keys in the unit's array.
#[derive(Clone, Copy)]
pub(super) struct ArrayPosition {
    pub(super) counter: u64,
    pub(super) key: u64,
}

impl ArrayPosition {
    /// The same behind a function.
    pub(super) fn behind(self, function: &Function) -> Self {
        Self { counter: self.counter + function.counters(), key: self.key + function.keys() }
    }
}

/// Describes a function that is counted as `plan` says, in a unit that was compiled in `directory`.
pub(super) fn describe(
    definition: &Definition<'_>,
    plan: Option<&Plan>,
    directory: &str,
    first: ArrayPosition,
    options: &Options,
) -> Function {
    let graph = match &definition.body {
        Ok(graph) => graph,
        Err(reason) => return Function { skipped: Some(reason.clone()), ..declared(definition) },
    };
    let mut body =
        Function { callees: options.callees, ..body(declared(definition), graph, directory) };
    if options.drops_names {
        body.blocks.iter_mut().for_each(|block| block.name.clear());
    }
    if options.ir {
        let texts = llvm::texts(definition.function, &graph.blocks);
        body.blocks.iter_mut().zip(texts).for_each(|(block, text)| block.ir = text);
    }
    let function = match plan {
        Some(Plan::Paths(plan)) => {
            let slots = options.table.unwrap_or_default();
            let uncut = plan.uncut.as_ref().map(|plan| uncut(&graph.cfg, plan, slots));
            Function { uncut, ..with_paths(body, &graph.cfg, &plan.cut) }
        }
        Some(Plan::Sites(sites)) => with_sites(body, sites),
        Some(Plan::Trace(plan)) => with_paths(body, &graph.cfg, &plan.paths),
        Some(Plan::Refused(reason)) => {
            let refused = Function { skipped: Some((*reason).into()), ..declared(definition) };
            return Function { first_counter: first.counter, first_key: first.key, ..refused };
        }
        None => body,
    };
    let cfg_hash = cfg_hash(&function);
    Function { cfg_hash, first_counter: first.counter, first_key: first.key, ..function }
}

/// Name, linkage and place of a function.
pub(super) fn declared<Body>(definition: &Definition<'_, Body>) -> Function {
    let declaration = &definition.declaration;
    Function {
        name: declaration.name.clone(),
        full_name: declaration.demangled.whole.clone(),
        short_name: declaration.demangled.short.clone(),
        linkage: declaration.linkage,
        file: declaration.file.clone(),
        line: declaration.line,
        is_made: is_deleting_destructor(&declaration.name, &declaration.demangled),
        ..Function::default()
    }
}

/// Graph, lines and instructions.
fn body(declared: Function, graph: &Graph<'_>, directory: &str) -> Function {
    let mut locations = Locations::default();
    let block = |block: paths::cfg::Block| {
        let exit = graph.cfg.exit(block).map(exit);
        let may_stay = graph.cfg.may_stay(block);
        let mut content = content(graph.block(block), &graph.made, &mut locations, directory);
        let end = graph.end_point(block);
        if InstructionFacts::of(end).runs_coroutine() {
            let location = llvm::debug_location(end);
            let location = location.and_then(|at| locations.index(at, directory));
            content.calls.push(Call { callee: INDIRECT.into(), location });
        }
        let stands_before = |to| graph.block_of(to).is_some_and(|to| to <= block);
        let chooser = graph.made.chooser(graph.block(block), stands_before);
        let accesses = graph.accesses(block).iter();
        let accesses = accesses.map(|of| access(of, &mut locations, directory)).collect();
        Block { exit, may_stay, accesses, chooser, ..content }
    };
    let blocks = graph.cfg.blocks().map(block).collect();
    let edges = edges(&graph.cfg, &graph.outcomes);
    let is_made = declared.is_made || graph.made.is_whole();
    let weights = graph.weights;
    Function { is_made, blocks, locations: locations.list, edges, weights, ..declared }
}

/// The way in which a block leaves the function.
pub(super) fn exit(exit: paths::cfg::Exit) -> Exit {
    match exit {
        paths::cfg::Exit::Return => Exit::Return,
        paths::cfg::Exit::Unwind => Exit::Unwind,
        paths::cfg::Exit::NoReturn => Exit::NoReturn,
    }
}

/// The edges of a graph, none of which is cut yet.
pub(super) fn edges(cfg: &Cfg, outcomes: &[Outcome]) -> Vec<Edge> {
    let edge = |(edge, outcome): (paths::cfg::Edge, &Outcome)| {
        let data = cfg.edge(edge);
        Edge { from: data.from.0, to: data.to.0, outcome: outcome.clone(), ..Edge::default() }
    };
    cfg.edges().zip(outcomes).map(edge).collect()
}

/// Lines, calls and opcodes of a block.
fn content<'ctx>(
    block: BasicBlock<'ctx>,
    made: &CompilerMade<'ctx>,
    locations: &mut Locations,
    directory: &str,
) -> Block {
    let mut opcodes: Vec<(Cow<'static, str>, u32)> = Vec::new();
    let name = block.get_name().to_string_lossy().into_owned();
    let mut content = Block { name, ..Block::default() };
    for instruction in block.get_instructions().filter(|&of| !llvm::is_computed(of)) {
        let facts = InstructionFacts::of(instruction);
        let scalar = llvm::opcode_name(instruction);
        let name = match facts.is_vector() {
            true => Cow::Owned(format!("{VECTOR}{scalar}")),
            false => Cow::Borrowed(scalar),
        };
        match opcodes.iter_mut().find(|(known, _)| *known == name) {
            Some((_, count)) => *count += 1,
            None => opcodes.push((name, 1)),
        }
        let location = llvm::debug_location(instruction);
        let location = location.and_then(|at| locations.index(at, directory));
        if facts.calls_function() {
            let callee = llvm::callee(instruction).unwrap_or_else(|| INDIRECT.into());
            content.calls.push(Call { callee, location });
        }
        let Some(location) = location else { continue };
        let is_known = content.locations.contains(&location);
        if !is_known {
            content.locations.push(location);
        }
        // Where any instruction is of the source, so is the location.
        let known_made = content.made_locations.iter().position(|&known| known == location);
        match known_made {
            Some(at) if !made.is_made(instruction) => {
                content.made_locations.swap_remove(at);
            }
            None if !is_known && made.is_made(instruction) => content.made_locations.push(location),
            _ => {}
        }
    }
    content.made_locations.sort_unstable();
    opcodes.sort_unstable();
    Block { opcodes, ..content }
}

/// An access to memory.
fn access(access: &read::Access<'_>, locations: &mut Locations, directory: &str) -> Access {
    let location = llvm::debug_location(access.instruction);
    let address = match access.from {
        None if access.address.is_none() => Address::None,
        None => Address::Recorded,
        Some((Base::Variable(variable), by)) => Address::Variable { variable: variable.0, by },
        Some((Base::Access(BlockAccess { block, index }), by)) => {
            let (block, base) = (block.0, index);
            match access.moving {
                None => Address::Offset { block, access: base, by },
                Some(Moving { header, stride }) => {
                    Address::Moving { block, access: base, by, header: header.0, stride }
                }
            }
        }
    };
    Access {
        kind: access.kind,
        size: access.size,
        address,
        tickets: access.tickets,
        location: location.and_then(|at| locations.index(at, directory)),
    }
}

/// A function whose paths are counted: the values that sum up to their ids.
pub(super) fn with_paths(body: Function, cfg: &Cfg, plan: &PathIds) -> Function {
    let cut = |(edge, cut): (&Edge, _)| Edge { cut, ..edge.clone() };
    let edges = body.edges.iter().zip(cuts(cfg, plan)).map(cut).collect();
    let (num_paths, in_flight_paths) = (plan.numbering.total(), plan.in_flight);
    Function { num_paths, in_flight_paths, edges, dag: dag(plan), ..body }
}

/// The paths that no limit cuts, with the number of slots of their table.
fn uncut(cfg: &Cfg, plan: &PathIds, slots: u32) -> Uncut {
    let num_paths = plan.numbering.total();
    Uncut { num_paths, slots, dag: dag(plan), cuts: cuts(cfg, plan).collect() }
}

/// Of each edge of the control-flow graph, how it is cut.
fn cuts(cfg: &Cfg, plan: &PathIds) -> impl Iterator<Item = Option<(u32, u32)>> {
    cfg.edges().map(|edge| plan.dag.cut(edge).map(|cut| (cut.end.0, cut.start.0)))
}

fn dag(plan: &PathIds) -> Vec<DagEdge> {
    let described = |edge| {
        let data = plan.dag.edge(edge);
        let kind = match data.kind {
            dag::DagEdgeKind::Flow(flow) => DagEdgeKind::Flow { edge: flow.0 },
            dag::DagEdgeKind::Leave => DagEdgeKind::Leave { block: data.from.0 },
            dag::DagEdgeKind::End(_, why) => {
                DagEdgeKind::End { block: data.from.0, why: reason(why) }
            }
            dag::DagEdgeKind::Start(_, why) => {
                DagEdgeKind::Start { block: data.to.0, why: reason(why) }
            }
            dag::DagEdgeKind::InFlight => DagEdgeKind::InFlight { block: data.from.0 },
        };
        DagEdge { kind, value: plan.numbering.value(edge) }
    };
    plan.dag.edges().map(described).collect()
}

fn reason(reason: Reason) -> CutReason {
    match reason {
        Reason::BackEdge => CutReason::BackEdge,
        Reason::Opaque => CutReason::Opaque,
        Reason::LoopEntry => CutReason::LoopEntry,
        Reason::Limit => CutReason::Limit,
    }
}

/// A function whose blocks or edges are counted.
fn with_sites(body: Function, sites: &Sites) -> Function {
    Function {
        counted_blocks: sites.blocks.iter().map(|block| block.0).collect(),
        counted_arcs: sites.arcs.iter().map(|&arc| arc as u32).collect(),
        patterns: sites.patterns.iter().map(pattern).collect(),
        ..body
    }
}

fn pattern(pattern: &patterns::Pattern) -> Pattern {
    let numbers = |blocks: &[paths::cfg::Block]| blocks.iter().map(|block| block.0).collect();
    let shape = match pattern.shape {
        Shape::Diamond => PatternShape::Diamond,
        Shape::HalfDiamond => PatternShape::HalfDiamond,
        Shape::Jump => PatternShape::Jump,
        Shape::Exits => PatternShape::Exits,
    };
    Pattern { shape, blocks: numbers(&pattern.blocks), saved: numbers(&pattern.saved) }
}

/// Two functions with equal hashes have the same blocks, edges, exits, path ids and counters.
pub(super) fn cfg_hash(function: &Function) -> u64 {
    let mut bytes = Vec::new();
    let mut add = |value: u64| bytes.extend(value.to_le_bytes());
    let counted = function.counted_blocks.iter().chain(&function.counted_arcs);
    counted.for_each(|&counted| add(counted.into()));
    add(function.counted_arcs.len() as u64);
    for table in function.tables() {
        add(table.slots);
        if let TableOf::Callees { block, call } = table.of {
            add(u64::from(block) << 32 | u64::from(call));
        }
    }
    function.uncut.iter().flat_map(|uncut| &uncut.dag).for_each(|edge| add(edge.value));
    for block in &function.blocks {
        add(block.exit.map_or(0, |exit| exit as u64 + 1) << 1 | u64::from(block.may_stay));
        for access in &block.accesses {
            add(access.kind as u64);
            add(access.size);
            let base = |block, access| u64::from(block) << 32 | u64::from(access);
            match access.address {
                Address::None | Address::Recorded => {}
                Address::Variable { variable, by } => {
                    add(u64::from(variable) + 1);
                    add(by as u64);
                }
                Address::Offset { block, access, by } => {
                    add(base(block, access));
                    add(by as u64);
                }
                Address::Moving { block, access, by, header, stride } => {
                    add(base(block, access));
                    add(by as u64);
                    add(header.into());
                    add(match stride {
                        Stride::Constant(bytes) => bytes as u64,
                        Stride::Recorded { block, access } => base(block, access),
                    });
                }
            }
        }
    }
    for edge in &function.edges {
        add(u64::from(edge.from));
        add(u64::from(edge.to));
    }
    for edge in &function.dag {
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
