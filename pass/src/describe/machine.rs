//! Describes a function that is counted in machine code.

use std::borrow::Cow;

use pathformat::manifest::{Block, Call, Function, INDIRECT};

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
            let function = with_paths(body, &plan.cfg, &plan.paths);
            Function { cfg_hash: cfg_hash(&function), ..function }
        }
    };
    Function { first_counter: first.counter, first_key: first.key, ..function }
}

/// Graph, lines and instructions.
fn body(declared: Function, plan: &MachinePlan<'_>, directory: &str) -> Function {
    let MachinePlan { graph, cfg, .. } = plan;
    let mut locations = Locations::default();
    let block = |block: paths::cfg::Block| {
        let exit = cfg.exit(block).map(exit);
        let content = content(graph, graph.node(block), &mut locations, directory);
        Block { exit, may_stay: cfg.may_stay(block), ..content }
    };
    let blocks = cfg.blocks().map(block).collect();
    let edges = edges(cfg, &graph.outcomes);
    let weights = graph.weights;
    Function { blocks, locations: locations.list, edges, weights, ..declared }
}

/// Lines, calls and opcodes of a node.
fn content(graph: &Graph<'_>, node: Node, locations: &mut Locations, directory: &str) -> Block {
    let name = graph.block(node).map(|block| block.name.clone()).unwrap_or_default();
    let mut content = Block { name, ..Block::default() };
    let mut opcodes: Vec<(Cow<'static, str>, u32)> = Vec::new();
    for of in graph.instructions(node).filter(|of| !of.is_meta()) {
        let name = of.name();
        match opcodes.iter_mut().find(|(known, _)| *known == name) {
            Some((_, count)) => *count += 1,
            None => opcodes.push((Cow::Borrowed(name), 1)),
        }
        let location = of.location().and_then(|at| locations.index(at, directory));
        if of.is_call() {
            let callee = of.callee().unwrap_or_else(|| INDIRECT.into());
            content.calls.push(Call { callee, location });
        }
        if let Some(location) = location.filter(|at| !content.locations.contains(at)) {
            content.locations.push(location);
        }
    }
    opcodes.sort_unstable();
    Block { opcodes, ..content }
}
