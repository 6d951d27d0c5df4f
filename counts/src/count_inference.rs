//! Infers the counts of all blocks and edges from the counters of some.
//!
//! It applies to functions whose blocks, edges or calls are counted instead of their paths. The
//! other counts follow by conservation of flow: the flow into a point equals the flow out of it
//! (`paths::flow_network`). Damaged numbers give wrong counts, never a panic.

use std::collections::{BTreeMap, HashMap};

use pathformat::manifest::{Edge, Function, Outcome};
use paths::blocks;
use paths::cfg::EdgeKind;
use paths::edges::{Arc, Arcs, PlainBlock, PlainEdge};

use crate::flow::{self, Pair};
use crate::model::Count;

/// The counts of blocks, and those of edges where they are known.
type Counts = (Vec<Count>, Vec<Option<Count>>);

/// Infers counts from counters of blocks, by their order.
pub fn from_blocks(shape: &Function, counters: &BTreeMap<u64, Count>) -> Counts {
    let blocks = block_counts(shape, counters, |_| true);
    let arcs = arcs(shape);
    let of_block = |arc: &Arc| match arc {
        Arc::Block(block) => i128::try_from(blocks[block.index()]).ok(),
        _ => None,
    };
    let known = arcs.list.iter().map(of_block).collect();
    let (_, edges) = of_arcs(shape, &arcs, &arcs.infer(known));
    (blocks, edges)
}

/// Infers the counts of the blocks that [have known calls](Function::knows_calls) from counters of
/// blocks, by their order.
pub fn from_calls(shape: &Function, counters: &BTreeMap<u64, Count>) -> Counts {
    let blocks = block_counts(shape, counters, |block| shape.knows_calls(block as u32));
    (blocks, vec![None; shape.edges.len()])
}

/// Returns the counts of the `wanted` blocks, and of the others where they are known, else 0.
fn block_counts(
    shape: &Function,
    counters: &BTreeMap<u64, Count>,
    wanted: impl Fn(usize) -> bool,
) -> Vec<Count> {
    let mut known = vec![None; shape.blocks.len()];
    for (counter, &block) in (0..).zip(&shape.counted_blocks) {
        known[block as usize] = Some(signed(counters, counter));
    }
    let edges: Vec<_> = shape.edges.iter().map(|edge| (edge.from, edge.to)).collect();
    let leaves: Vec<_> =
        shape.blocks.iter().map(|block| block.exit.is_some() || block.may_stay).collect();
    let counts = blocks::network(&edges, &leaves).without(|block| !wanted(block)).infer(known);
    counts.into_iter().map(|count| positive(count.unwrap_or_default())).collect()
}

/// Infers counts from counters of arcs, by their order.
pub fn from_arcs(shape: &Function, counters: &BTreeMap<u64, Count>) -> Counts {
    let arcs = arcs(shape);
    let mut known = vec![None; arcs.list.len()];
    for (counter, &arc) in (0..).zip(&shape.counted_arcs) {
        if let Some(known) = known.get_mut(arc as usize) {
            *known = Some(signed(counters, counter));
        }
    }
    of_arcs(shape, &arcs, &arcs.infer(known))
}

fn arcs(shape: &Function) -> Arcs {
    let kind = |outcome: &Outcome| match outcome {
        Outcome::Indirect => EdgeKind::Opaque,
        Outcome::Unwind => EdgeKind::Unwind,
        _ => EdgeKind::Plain,
    };
    let edge = |edge: &Edge| PlainEdge { from: edge.from, to: edge.to, kind: kind(&edge.outcome) };
    let edges: Vec<_> = shape.edges.iter().map(edge).collect();
    let blocks = shape.blocks.iter();
    let blocks: Vec<_> = blocks
        .map(|block| PlainBlock { exits: block.exit.is_some(), may_stay: block.may_stay })
        .collect();
    Arcs::new(&edges, &blocks)
}

/// Returns the counts of blocks and edges among those of arcs.
fn of_arcs(shape: &Function, arcs: &Arcs, counts: &[Option<i128>]) -> Counts {
    let mut blocks = vec![0; shape.blocks.len()];
    let mut edges = vec![None; shape.edges.len()];
    let (mut departs, mut arrives) = (HashMap::new(), HashMap::new());
    for (&arc, &count) in arcs.list.iter().zip(counts) {
        let count = count.map(positive);
        match arc {
            Arc::Edge(edge) => edges[edge.index()] = count,
            Arc::Block(block) => blocks[block.index()] = count.unwrap_or_default(),
            Arc::Depart(block) => drop(departs.insert(block.0, count)),
            Arc::Arrive(block) => drop(arrives.insert(block.0, count)),
            Arc::Stay(_) => {}
        }
    }
    let open = shape.edges.iter().enumerate().filter(|(_, edge)| edge.outcome == Outcome::Indirect);
    let open = open.map(|(index, edge)| Pair { index, end: edge.from, start: edge.to }).collect();
    let sum = |of: &HashMap<u32, Option<Count>>, block| of.get(&block).copied().flatten();
    for (index, count) in
        flow::pair(open, |block| sum(&departs, block), |block| sum(&arrives, block))
    {
        edges[index] = Some(count);
    }
    (blocks, edges)
}

fn signed(counters: &BTreeMap<u64, Count>, counter: u64) -> i128 {
    i128::try_from(counters.get(&counter).copied().unwrap_or_default()).unwrap_or(i128::MAX)
}

fn positive(count: i128) -> Count {
    Count::try_from(count).unwrap_or_default()
}
