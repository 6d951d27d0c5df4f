//! Counts of blocks and edges, where those and not paths are counted.
//!
//! Those without a counter follow from the others, see `paths::conservation`. Damaged numbers give wrong counts, never a panic.

use std::collections::BTreeMap;

use pathformat::manifest::{Edge, Function, Outcome};
use paths::blocks;
use paths::edges::{Arc, Arcs};

use crate::model::Count;

/// Counts of blocks, of edges as far as they are known, and how many frames stay (see
/// [`model::Function::staying`](crate::model::Function::staying)).
type Counts = (Vec<Count>, Vec<Option<Count>>, Count);

/// From counters of blocks, by their order; with `only_calls`, of no others than those that
/// [tell of calls](Function::tells_of_calls).
pub fn from_blocks(shape: &Function, counters: &BTreeMap<u64, Count>, only_calls: bool) -> Counts {
    let mut known = vec![None; shape.blocks.len()];
    for (counter, &block) in (0..).zip(&shape.counted_blocks) {
        known[block as usize] = Some(signed(counters, counter));
    }
    let edges: Vec<_> = shape.edges.iter().map(|edge| (edge.from, edge.to)).collect();
    let unwanted = |block: usize| only_calls && !shape.tells_of_calls(block as u32);
    let derived = blocks::network(&edges, &exits(shape)).without(unwanted).derive(known);
    let blocks: Vec<_> = derived.counts.into_iter().map(|count| positive(count.unwrap_or_default())).collect();
    let edges =
        if derived.staying == 0 && !only_calls { edges_between(shape, &blocks) } else { vec![None; edges.len()] };
    (blocks, edges, derived.staying)
}

/// From counters of arcs, by their order.
pub fn from_arcs(shape: &Function, counters: &BTreeMap<u64, Count>) -> Counts {
    let edge = |edge: &Edge| (edge.from, edge.to, edge.outcome == Outcome::Indirect);
    let arcs = Arcs::new(&shape.edges.iter().map(edge).collect::<Vec<_>>(), &exits(shape));
    let mut known = vec![None; arcs.list.len()];
    for (counter, &arc) in (0..).zip(&shape.counted_arcs) {
        if let Some(known) = known.get_mut(arc as usize) {
            *known = Some(signed(counters, counter));
        }
    }
    let derived = arcs.network.derive(known);
    let mut edges = vec![None; shape.edges.len()];
    // What comes to each block and what leaves it, if every arc there is known.
    let (mut comes, mut goes) = (vec![Some(0i128); shape.blocks.len()], vec![Some(0i128); shape.blocks.len()]);
    let mut sources = 0;
    for (&arc, &count) in arcs.list.iter().zip(&derived.counts) {
        let add = |sums: &mut Vec<Option<i128>>, block: u32| {
            let sum = &mut sums[block as usize];
            *sum = sum.zip(count).map(|(sum, count)| sum.saturating_add(count));
        };
        match arc {
            Arc::Edge(edge) => {
                edges[edge.index()] = count.map(positive);
                add(&mut goes, shape.edges[edge.index()].from);
                add(&mut comes, shape.edges[edge.index()].to);
            }
            Arc::Enter => add(&mut comes, 0),
            Arc::Leave(block) => add(&mut goes, block.0),
            Arc::Depart(block) => {
                sources += 1;
                add(&mut goes, block.0);
            }
            Arc::Arrive(block) => add(&mut comes, block.0),
        }
    }
    // Indirect edges out of one block are told apart by where they lead.
    for (&arc, &count) in arcs.list.iter().zip(&derived.counts).filter(|_| sources == 1) {
        let leads = |edge: &Edge| arc == Arc::Arrive(paths::cfg::Block(edge.to)) && edge.outcome == Outcome::Indirect;
        if let Some(into) = shape.edges.iter().position(leads) {
            edges[into] = count.map(positive);
        }
    }
    let unknown = comes.iter().zip(&goes).filter(|(comes, goes)| comes.or(**goes).is_none()).count();
    let blocks = comes.into_iter().zip(goes).map(|(comes, goes)| positive(comes.or(goes).unwrap_or_default()));
    (blocks.collect(), edges, derived.staying.max(unknown as Count))
}

fn exits(shape: &Function) -> Vec<bool> {
    shape.blocks.iter().map(|block| block.exit.is_some()).collect()
}

fn signed(counters: &BTreeMap<u64, Count>, counter: u64) -> i128 {
    i128::try_from(counters.get(&counter).copied().unwrap_or_default()).unwrap_or(i128::MAX)
}

fn positive(count: i128) -> Count {
    Count::try_from(count).unwrap_or_default()
}

/// For each edge of the control-flow graph its count, or `None` if the counts of the blocks do not determine it: an edge that
/// is the only unknown one out of a block or into a block is what the others leave. Control must have come to every block that it came
/// from.
fn edges_between(shape: &Function, block_counts: &[Count]) -> Vec<Option<Count>> {
    let mut counts: Vec<Option<Count>> = vec![None; shape.edges.len()];
    let (mut out, mut into) = (vec![Vec::new(); shape.blocks.len()], vec![Vec::new(); shape.blocks.len()]);
    for (index, edge) in shape.edges.iter().enumerate() {
        out[edge.from as usize].push(index);
        into[edge.to as usize].push(index);
    }
    let mut groups: Vec<(usize, Vec<usize>)> =
        out.into_iter().enumerate().chain(into.into_iter().enumerate()).collect();
    loop {
        let before = groups.len();
        groups.retain(|(block, edges)| {
            let unknown: Vec<_> = edges.iter().filter(|&&edge| counts[edge].is_none()).collect();
            let known = edges.iter().filter_map(|&edge| counts[edge]).fold(0, Count::saturating_add);
            if let [&edge] = unknown[..] {
                counts[edge] = Some(block_counts[*block].saturating_sub(known));
            }
            unknown.len() > 1
        });
        if groups.len() == before {
            return counts;
        }
    }
}
