//! Reads paths that the limit does not cut, from a table of those that were executed.
//!
//! The limit makes pieces of such a path, and the pieces are counted as well. So blocks and edges
//! never depend on what found room in the table. A path in the table stands for its pieces. The
//! other pieces are shown as they are: their paths found no room, or did not end.

use std::collections::{BTreeMap, HashMap};

use anyhow::{Context, Result};
use pathformat::manifest::{DagEdge, DagEdgeKind, Function, Uncut};
use pathformat::wire::Allowance;

use crate::acyclic::{self, decoder};
use crate::model::{Count, Path, PathId, instructions};
use crate::tables::{TableCounts, TableKey};

/// The executed paths of a function with a table, and how many executions are told by pieces alone.
/// Uncut paths come first. What is left of `pieces`, which are counts by id, comes behind them, and
/// so do the ids of pieces.
///
/// # Errors
/// A graph that makes no sense, or paths that take more memory than is allowed.
pub fn paths(
    shape: &Function,
    uncut: &Uncut,
    seen: &TableCounts,
    pieces: &BTreeMap<u64, Count>,
    allowance: &Allowance,
) -> Result<(Vec<Path>, Count)> {
    let mut beyond = seen.rest;
    let mut left = pieces.clone();
    let sizes: Vec<_> = shape.blocks.iter().map(instructions).collect();
    let unlimited = without_limit(shape, uncut);
    let uncut_decoder = decoder(&unlimited)?;
    let parts = PathPieces::of(shape, uncut);
    let mut paths = Vec::new();
    for (thing, &count) in &seen.known {
        let &TableKey::Path(id) = thing else { continue };
        let Ok(edges) = uncut_decoder.path(id) else {
            beyond = beyond.saturating_add(count);
            continue;
        };
        allowance.take(acyclic::memory(edges.len())).with_context(|| format!("path {id}"))?;
        let mut path = acyclic::path(&unlimited, PathId(id), count, &edges, &sizes)
            .with_context(|| format!("path {id}"))?;
        for piece in
            parts.pieces(uncut, &edges).with_context(|| format!("the pieces of path {id}"))?
        {
            if let Some(left) = left.get_mut(&piece) {
                *left = left.saturating_sub(count);
            }
        }
        path.last = path.last.and_then(|last| parts.end(last));
        paths.push(path);
    }
    let piece_decoder = decoder(shape)?;
    for (id, count) in left.into_iter().filter(|&(_, count)| count > 0) {
        let edges = piece_decoder.path(id).with_context(|| format!("path {id}"))?;
        allowance.take(acyclic::memory(edges.len())).with_context(|| format!("path {id}"))?;
        let piece = acyclic::path(shape, PathId(id), count, &edges, &sizes)
            .with_context(|| format!("path {id}"))?;
        paths.push(Path { id: PathId(uncut.num_paths.saturating_add(id)), ..piece });
    }
    Ok((paths, beyond))
}

/// The function as it would be without the limit.
pub fn without_limit(shape: &Function, uncut: &Uncut) -> Function {
    let mut unlimited = shape.clone();
    unlimited.num_paths = uncut.num_paths;
    unlimited.dag.clone_from(&uncut.dag);
    for (edge, &cut) in unlimited.edges.iter_mut().zip(&uncut.cuts) {
        edge.cut = cut;
    }
    unlimited
}

/// What the pieces of a function are made of: values and cuts of the graph that the limit cuts.
struct PathPieces<'a> {
    shape: &'a Function,
    /// By control-flow edge, if it is not cut.
    flows: Vec<Option<u64>>,
    /// By block.
    leaves: Vec<Option<u64>>,
    /// The first edge that is cut even without the limit, by the end of the path before it and by
    /// the start of the path behind it.
    by_end: HashMap<u32, usize>,
    by_start: HashMap<u32, usize>,
}

impl<'a> PathPieces<'a> {
    fn of(shape: &'a Function, uncut: &'a Uncut) -> Self {
        debug_assert_eq!(shape.edges.len(), uncut.cuts.len());
        let (flows, leaves) = (vec![None; shape.edges.len()], vec![None; shape.blocks.len()]);
        let mut parts =
            Self { shape, flows, leaves, by_end: HashMap::new(), by_start: HashMap::new() };
        for (edge, cut) in uncut.cuts.iter().enumerate() {
            if let &Some((end, start)) = cut {
                parts.by_end.entry(end).or_insert(edge);
                parts.by_start.entry(start).or_insert(edge);
            }
        }
        for DagEdge { kind, value } in &shape.dag {
            match *kind {
                DagEdgeKind::Flow { edge } => parts.flows[edge as usize] = Some(*value),
                DagEdgeKind::Leave { block } => parts.leaves[block as usize] = Some(*value),
                DagEdgeKind::End { .. }
                | DagEdgeKind::Start { .. }
                | DagEdgeKind::InFlight { .. } => {}
            }
        }
        parts
    }

    /// The values of the end and the start of an edge that is cut.
    fn cut(&self, edge: usize) -> Option<(u64, u64)> {
        let (end, start) = self.shape.edges.get(edge)?.cut?;
        Some((self.shape.dag.get(end as usize)?.value, self.shape.dag.get(start as usize)?.value))
    }

    /// The end, in the graph that the limit cuts, that stands for an end in the graph without the
    /// limit.
    fn end(&self, last: u32) -> Option<u32> {
        self.shape.edges.get(*self.by_end.get(&last)?)?.cut.map(|(end, _)| end)
    }

    /// The numbers of the pieces that the limit makes of an uncut path.
    fn pieces(&self, uncut: &Uncut, edges: &[usize]) -> Option<Vec<u64>> {
        let mut pieces = Vec::new();
        let mut id = 0u64;
        for &edge in edges {
            let cut_by =
                |edges: &HashMap<u32, usize>| edges.get(&u32::try_from(edge).ok()?).copied();
            match uncut.dag.get(edge)?.kind {
                DagEdgeKind::Start { .. } => id = self.cut(cut_by(&self.by_start)?)?.1,
                DagEdgeKind::Flow { edge } => match self.cut(edge as usize) {
                    Some((end, start)) => {
                        pieces.push(id.wrapping_add(end));
                        id = start;
                    }
                    None => id = id.wrapping_add((*self.flows.get(edge as usize)?)?),
                },
                DagEdgeKind::Leave { block } => {
                    pieces.push(id.wrapping_add((*self.leaves.get(block as usize)?)?))
                }
                DagEdgeKind::End { .. } => {
                    pieces.push(id.wrapping_add(self.cut(cut_by(&self.by_end)?)?.0))
                }
                DagEdgeKind::InFlight { .. } => return None,
            }
        }
        Some(pieces)
    }
}
