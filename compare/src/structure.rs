//! Compares the graphs and the code of functions.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use pathformat::manifest::{Edge, Function, Location};

/// Returns true if both functions have the same blocks and edges: block 3 of one is block 3 of the
/// other. The instructions of the blocks may differ.
pub fn same_graph(a: &Function, b: &Function) -> bool {
    let blocks = |of: &Function| {
        of.blocks.iter().map(|block| (block.exit, block.may_stay)).collect::<Vec<_>>()
    };
    let edges =
        |of: &Function| of.edges.iter().map(|edge| (edge.from, edge.to)).collect::<Vec<_>>();
    a.blocks.len() == b.blocks.len() && blocks(a) == blocks(b) && edges(a) == edges(b)
}

/// Returns true if two functions of the [same graph](same_graph) have the same opcodes and callees
/// in each block, and the same outcomes of edges.
pub fn same_instructions(a: &Function, b: &Function) -> bool {
    let same = a.blocks.iter().zip(&b.blocks).all(|(a, b)| {
        let callees = |block: &pathformat::manifest::Block| {
            block.calls.iter().map(|call| call.callee.clone()).collect::<Vec<_>>()
        };
        a.opcodes == b.opcodes && callees(a) == callees(b)
    });
    let ways = |edge: &'_ Edge| (edge.outcome.clone(), edge.opcodes.clone());
    same && a.edges.iter().map(ways).eq(b.edges.iter().map(ways))
}

/// Returns a hash of the graph, which is equal for functions of the same graph.
pub fn graph_hash(function: &Function) -> u64 {
    let mut hasher = DefaultHasher::new();
    for block in &function.blocks {
        (block.exit.map(|exit| exit as u8), block.may_stay).hash(&mut hasher);
    }
    for edge in &function.edges {
        (edge.from, edge.to).hash(&mut hasher);
    }
    hasher.finish()
}

/// Returns a hash of the code without names: graph, opcodes, callees, and relative source
/// positions. It is equal for functions of the same code, whatever their positions and names are.
/// `None` if a function has only one block: many different functions of one block would have the
/// same hash.
pub fn code_hash(function: &Function) -> Option<u64> {
    if function.blocks.len() < 2 {
        return None;
    }
    let mut hasher = DefaultHasher::new();
    graph_hash(function).hash(&mut hasher);
    let place = |location: &Location| {
        let line = i64::from(location.line) - i64::from(function.line);
        let is_own = location.file == function.file;
        (location.column, is_own.then_some(line))
    };
    for block in &function.blocks {
        block.opcodes.hash(&mut hasher);
        for call in &block.calls {
            (call.callee != function.name).then_some(&call.callee).hash(&mut hasher);
        }
        let locations = block.locations.iter();
        for location in locations.filter_map(|&at| function.locations.get(at as usize)) {
            place(location).hash(&mut hasher);
        }
    }
    for edge in function.edges.iter().filter(|edge| !edge.opcodes.is_empty()) {
        (edge.from, edge.to, &edge.opcodes).hash(&mut hasher);
    }
    Some(hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use counts::sample::units;

    #[test]
    fn code_that_moved_or_has_another_name_stays_the_same() {
        let before = units::main_unit().functions;
        let mut after = before.clone();
        for function in &mut after {
            function.line += 7;
            function.locations.iter_mut().for_each(|location| location.line += 7);
            function.name = format!("new_{}", function.name);
        }
        let (old, new) = (&before[0], &after[0]);
        assert!(same_graph(old, new) && same_instructions(old, new));
        assert_eq!(code_hash(old), code_hash(new));
        assert_ne!(code_hash(&before[0]), code_hash(&before[1]));
        // An additional line between two lines, another opcode.
        let mut longer = old.clone();
        longer.locations[3].line += 1;
        assert_ne!(code_hash(old), code_hash(&longer));
        let mut other = old.clone();
        other.blocks[3].opcodes[0].0 = "sub".into();
        assert_ne!(code_hash(old), code_hash(&other));
        assert!(same_graph(old, &other) && !same_instructions(old, &other));
        let mut jumps = old.clone();
        jumps.edges[3].opcodes.push(("JMP_1".into(), 1));
        assert_ne!(code_hash(old), code_hash(&jumps));
        assert!(same_graph(old, &jumps) && !same_instructions(old, &jumps));
        // One block is too little to identify a function.
        assert_eq!(code_hash(&before[2]), None);
    }

    #[test]
    fn another_edge_is_another_graph() {
        let function = &units::main_unit().functions[0];
        let mut other = function.clone();
        other.edges[6].to = 3;
        assert!(!same_graph(function, &other));
        assert_ne!(graph_hash(function), graph_hash(&other));
    }
}
