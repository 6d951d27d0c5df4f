//! Describes a function that is counted in machine code: the instructions that clang makes without
//! us.
//!
//! Instructions behind a conditional branch run only on the edges that can still be taken. If two
//! conditional branches lead to the same block, as they do for floating-point numbers that may be
//! unordered, nothing tells which of them was taken. The second one counts as often as the block.

use std::borrow::Cow;

use pathformat::manifest::{self, Call, CutReason, DagEdge, DagEdgeKind, Function, INDIRECT};
use paths::cfg::Block;

use super::function::{ArrayPosition, cfg_hash, declared, edges, exit, with_paths};
use super::locations::Locations;
use crate::machine::{Graph, MachinePlan, Node};
use crate::read::Definition;

/// Describes a function in a unit that was compiled in `directory`.
pub(super) fn describe(
    definition: &Definition<'_, MachinePlan<'_>>,
    directory: &str,
    first: ArrayPosition,
) -> Function {
    let function = match &definition.body {
        Err(reason) => Function { skipped: Some(reason.clone()), ..declared(definition) },
        Ok(plan) => {
            let body = body(declared(definition), plan, directory);
            let function = with_reasons(with_paths(body, &plan.cfg, &plan.paths), plan);
            Function { cfg_hash: cfg_hash(&function), ..function }
        }
    };
    Function { first_counter: first.counter, first_key: first.key, ..function }
}

/// Graph, lines and instructions.
fn body(declared: Function, plan: &MachinePlan<'_>, directory: &str) -> Function {
    let MachinePlan { graph, cfg, .. } = plan;
    let mut locations = Locations::default();
    let mut edges = edges(cfg, &graph.outcomes);
    let mut out = vec![Vec::new(); graph.nodes.len()];
    for (at, edge) in edges.iter().enumerate() {
        out[edge.from as usize].push(at);
    }
    let block = |block: Block| {
        let exit = cfg.exit(block).map(exit);
        let node = graph.node(block);
        let content = content(graph, node, &mut locations, directory);
        let mut opcodes = Vec::new();
        for (at, of) in (node.first..node.end).zip(graph.instructions(node)) {
            if of.is_meta() || of.is_split_off() {
                continue;
            }
            let all = &out[block.index()];
            let goes_on = |&&edge: &&usize| graph.behind[edge] > at;
            if all.iter().all(|edge| goes_on(&edge)) {
                count(&mut opcodes, of.name());
            } else {
                all.iter()
                    .filter(goes_on)
                    .for_each(|&edge| count(&mut edges[edge].opcodes, of.name()));
            }
        }
        opcodes.sort_unstable();
        manifest::Block { exit, may_stay: cfg.may_stay(block), opcodes, ..content }
    };
    let blocks = cfg.blocks().map(block).collect();
    edges.iter_mut().for_each(|edge| edge.opcodes.sort_unstable());
    let weights = graph.weights;
    Function { blocks, locations: locations.list, edges, weights, ..declared }
}

/// The function, with the reasons that only machine code has for ends of paths.
fn with_reasons(function: Function, plan: &MachinePlan<'_>) -> Function {
    let MachinePlan { graph, cfg, short_of_registers, .. } = plan;
    let calls = |block: Block| graph.node(block).calls;
    // Behind a call stands the next node.
    let is_behind = |block: Block| block.0.checked_sub(1).is_some_and(|at| calls(Block(at)));
    let ends_short = |block: Block| {
        let ways = cfg.successors(block).iter();
        ways.map(|&edge| cfg.edge(edge).to).any(|to| short_of_registers.at(to))
    };
    let kind = |kind: DagEdgeKind| match kind {
        DagEdgeKind::End { block, why: CutReason::Opaque } if calls(Block(block)) => {
            DagEdgeKind::End { block, why: CutReason::Call }
        }
        DagEdgeKind::Start { block, why: CutReason::Opaque } if is_behind(Block(block)) => {
            DagEdgeKind::Start { block, why: CutReason::Call }
        }
        DagEdgeKind::End { block, why: CutReason::Limit } if ends_short(Block(block)) => {
            DagEdgeKind::End { block, why: CutReason::Register }
        }
        DagEdgeKind::Start { block, why: CutReason::Limit }
            if short_of_registers.at(Block(block)) =>
        {
            DagEdgeKind::Start { block, why: CutReason::Register }
        }
        other => other,
    };
    let dag = function.dag.into_iter().map(|edge| DagEdge { kind: kind(edge.kind), ..edge });
    Function { dag: dag.collect(), ..function }
}

/// Counts an instruction of this name.
fn count(opcodes: &mut Vec<(Cow<'static, str>, u32)>, name: &'static str) {
    match opcodes.iter_mut().find(|(known, _)| *known == name) {
        Some((_, count)) => *count += 1,
        None => opcodes.push((Cow::Borrowed(name), 1)),
    }
}

/// Lines and calls of a node.
fn content(
    graph: &Graph<'_>,
    node: Node,
    locations: &mut Locations,
    directory: &str,
) -> manifest::Block {
    let name = graph.block(node).map(|block| block.name.clone()).unwrap_or_default();
    let mut content = manifest::Block { name, ..manifest::Block::default() };
    for of in graph.instructions(node).filter(|of| !of.is_meta()) {
        let location = of.location().and_then(|at| locations.index(at, directory));
        if of.is_call() {
            let callee = of.callee().unwrap_or_else(|| INDIRECT.into());
            content.calls.push(Call { callee, location });
        }
        if let Some(location) = location.filter(|at| !content.locations.contains(at)) {
            content.locations.push(location);
        }
    }
    content
}
