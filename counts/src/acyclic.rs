//! Reads the paths of a function off the acyclic graph in its manifest.

use anyhow::{Context, Result, bail};
use pathformat::manifest::{CutReason, DagEdge, DagEdgeKind, Exit, Function};
use paths::decode::Decoder;

use crate::model::{Count, End, Path, PathId, Start};
use crate::sizes::Sizes;

/// Returns a decoder for the paths of a function.
///
/// # Errors
/// The graph is damaged.
pub fn decoder(shape: &Function) -> Result<Decoder> {
    Ok(Decoder::new(shape.blocks.len(), &plain_edges(shape)?)?)
}

/// Returns the acyclic graph in the form for the decoder: (source, target, value), where EXIT is
/// the number of blocks.
pub(crate) fn plain_edges(shape: &Function) -> Result<Vec<(u32, u32, u64)>> {
    let exit = u32::try_from(shape.blocks.len()).context("it has too many blocks")?;
    let plain = |edge: &DagEdge| match edge.kind {
        DagEdgeKind::Flow { edge: flow } => {
            let flow = &shape.edges[flow as usize];
            (flow.from, flow.to, edge.value)
        }
        DagEdgeKind::Leave { block }
        | DagEdgeKind::End { block, .. }
        | DagEdgeKind::InFlight { block } => (block, exit, edge.value),
        DagEdgeKind::Start { block, .. } => (0, block, edge.value),
    };
    Ok(shape.dag.iter().map(plain).collect())
}

/// Returns a possible path of a function, with a count of 0.
///
/// # Errors
/// There is no path of this id, or the graph is damaged.
pub fn possible(shape: &Function, decoder: &Decoder, id: PathId) -> Result<Path> {
    path(shape, id, 0, &decoder.path(id.0)?, &Sizes::of(shape))
}

/// Reads one path off its acyclic edges.
pub fn path(
    shape: &Function,
    id: PathId,
    count: Count,
    edges: &[usize],
    sizes: &Sizes,
) -> Result<Path> {
    let mut start = Start::Entry;
    let mut end = None;
    let mut blocks = Vec::with_capacity(edges.len() + 1);
    let mut on_edges: u64 = 0;
    for (position, &edge) in edges.iter().enumerate() {
        let kind = shape.dag.get(edge).context("an edge of it does not exist")?.kind;
        match (kind, position) {
            (DagEdgeKind::Start { block, why }, 0) => {
                blocks.push(block);
                start = match why {
                    CutReason::BackEdge | CutReason::LoopEntry => Start::Loop,
                    CutReason::Opaque | CutReason::Call => Start::Resume,
                    CutReason::Limit | CutReason::Register => Start::Cut,
                };
                continue;
            }
            (DagEdgeKind::Start { .. }, _) => bail!("it starts in its middle"),
            (_, 0) => blocks.push(0),
            _ => {}
        }
        match kind {
            DagEdgeKind::Flow { edge } => {
                on_edges = on_edges.saturating_add(sizes.edges[edge as usize]);
                blocks.push(shape.edges[edge as usize].to);
            }
            DagEdgeKind::Leave { block } => {
                end = Some(match shape.blocks[block as usize].exit {
                    Some(Exit::Return) => End::Return,
                    Some(Exit::Unwind) => End::Unwind,
                    Some(Exit::NoReturn) => End::NoReturn,
                    None => bail!("it leaves at block {block}, which is no exit"),
                });
            }
            DagEdgeKind::End { why: CutReason::BackEdge, .. } => end = Some(End::BackEdge),
            DagEdgeKind::End { why: CutReason::LoopEntry, .. } => end = Some(End::LoopEntry),
            DagEdgeKind::End { .. } => end = Some(End::Cut),
            DagEdgeKind::InFlight { .. } => end = Some(End::InFlight),
            DagEdgeKind::Start { .. } => {}
        }
    }
    let end = end.context("it does not end")?;
    let last = edges.last().and_then(|&edge| u32::try_from(edge).ok());
    on_edges = on_edges.saturating_add(edges.last().map_or(0, |&edge| sizes.ends[edge]));
    let of_blocks = blocks.iter().map(|&block| sizes.blocks[block as usize]);
    let instructions = of_blocks.fold(on_edges, u64::saturating_add);
    Ok(Path { id, count, start, end, last, blocks, instructions })
}

/// Returns the memory of a path with a number of edges, in bytes.
pub(crate) fn memory(edges: usize) -> u64 {
    (size_of::<Path>() + size_of::<u32>() * (edges + 1)) as u64
}
