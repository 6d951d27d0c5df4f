//! Loops whose iterations are one path each, so that a trace needs the number of iterations only.
//!
//! In such a loop exactly one way leads from the header back to it, no path ends on that way, and
//! nothing on it is recorded. All iterations but the first, whose path began before the loop, are
//! then the same path.

use std::collections::HashSet;

use paths::cfg::{Block, Edge, EdgeData, EdgeKind};

use crate::read::accesses::Access;

/// A loop whose iterations are one path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Repeat {
    /// The edges from outside to its header.
    pub(crate) entries: Vec<Edge>,
    /// The edges from the header to the end of the iteration, in order.
    pub(crate) way: Vec<Edge>,
    /// The edge back to the header.
    pub(crate) back: Edge,
}

/// The fewest iterations that a loop is expected to run for each entry. The event with their number
/// takes as much room as this many numbers of paths.
const WORTH: u64 = 4;

/// The loops of a function that are worth it, and have no block in common. `accesses` are those of
/// each block.
pub(super) fn find(
    edges: &[EdgeData],
    frequency: &[u64],
    accesses: &[Vec<Access<'_>>],
) -> Vec<Repeat> {
    let numbered = || edges.iter().zip((0..).map(Edge));
    let mut successors: Vec<Vec<(Edge, EdgeData)>> = vec![Vec::new(); accesses.len()];
    let mut predecessors: Vec<Vec<(Edge, EdgeData)>> = vec![Vec::new(); accesses.len()];
    for (&data, edge) in numbered() {
        successors[data.from.index()].push((edge, data));
        predecessors[data.to.index()].push((edge, data));
    }
    let is_plain = |(_, data): &(Edge, EdgeData)| data.kind == EdgeKind::Plain;
    let is_quiet = |block: Block| {
        successors[block.index()].iter().all(is_plain)
            && accesses[block.index()].iter().all(|access| access.num_recorded() == 0)
    };
    let mut used: HashSet<Block> = HashSet::new();
    let mut found = Vec::new();
    for (&data, back) in numbered() {
        let (header, end) = (data.to, data.from);
        // From the end of the iteration up to the header, each block has one way in.
        let mut blocks = vec![end];
        let mut way = Vec::new();
        let mut at = end;
        while at != header {
            let [(edge, into)] = predecessors[at.index()][..] else { break };
            way.push(edge);
            at = into.from;
            if blocks.contains(&at) {
                break;
            }
            blocks.push(at);
        }
        way.reverse();
        let into_header = &predecessors[header.index()];
        let entries: Vec<Edge> =
            into_header.iter().map(|&(edge, _)| edge).filter(|&edge| edge != back).collect();
        let of = |edge: &Edge| frequency.get(edge.index()).copied().unwrap_or_default();
        let entered = entries.iter().map(of).fold(0, u64::saturating_add);
        // Another way back to the header would be an entry from one of the blocks.
        let is_loop = at == header
            && into_header.iter().all(is_plain)
            && entries.iter().all(|edge| !blocks.contains(&edges[edge.index()].from))
            && blocks.iter().all(|&block| is_quiet(block));
        if is_loop
            && of(&back) >= entered.saturating_mul(WORTH)
            && blocks.iter().all(|block| !used.contains(block))
        {
            used.extend(&blocks);
            found.push(Repeat { entries, way, back });
        }
    }
    found
}
