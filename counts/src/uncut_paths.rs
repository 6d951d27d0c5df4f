//! Reads paths that the limit does not cut from a table of executed paths.
//!
//! The limit cuts such a path into pieces, and the pieces are counted as well. So counts of blocks
//! and edges do not depend on the room in the table. A path in the table stands for its pieces. The
//! other pieces are shown as pieces: their paths found no room, or did not end.

use std::collections::{BTreeMap, HashMap};

use anyhow::{Context, Result};
use pathformat::manifest::{DagEdge, DagEdgeKind, Function, Uncut};
use pathformat::wire::Allowance;

use crate::acyclic::{self, decoder};
use crate::model::{Count, Path, PathId};
use crate::sizes::Sizes;
use crate::tables::{TableCounts, TableKey};

/// Returns the executed paths of a function with a table, and the number of executions that are
/// shown only as pieces. Uncut paths come first, followed by the rest of `pieces`, which are counts
/// by id. The ids of pieces follow those of uncut paths.
///
/// # Errors
/// The graph is invalid, or the paths take more memory than is allowed.
pub fn paths(
    shape: &Function,
    uncut: &Uncut,
    seen: &TableCounts,
    pieces: &BTreeMap<u64, Count>,
    allowance: &Allowance,
) -> Result<(Vec<Path>, Count)> {
    let mut beyond = seen.rest;
    let mut left = pieces.clone();
    let unlimited = without_limit(shape, uncut);
    let (sizes, uncut_sizes) = (Sizes::of(shape), Sizes::of(&unlimited));
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
        let mut path = acyclic::path(&unlimited, PathId(id), count, &edges, &uncut_sizes)
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

/// Returns the function without the cuts of the limit.
pub fn without_limit(shape: &Function, uncut: &Uncut) -> Function {
    let mut unlimited = shape.clone();
    unlimited.num_paths = uncut.num_paths;
    unlimited.dag.clone_from(&uncut.dag);
    for (edge, &cut) in unlimited.edges.iter_mut().zip(&uncut.cuts) {
        edge.cut = cut;
    }
    unlimited
}

/// The parts of the pieces of a function: values and cuts of the graph that the limit cuts.
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

    /// Returns the values of the end and the start of a cut edge.
    fn cut(&self, edge: usize) -> Option<(u64, u64)> {
        let (end, start) = self.shape.edges.get(edge)?.cut?;
        Some((self.shape.dag.get(end as usize)?.value, self.shape.dag.get(start as usize)?.value))
    }

    /// Maps an end in the graph without the limit to the end in the graph that the limit cuts.
    fn end(&self, last: u32) -> Option<u32> {
        self.shape.edges.get(*self.by_end.get(&last)?)?.cut.map(|(end, _)| end)
    }

    /// Returns the numbers of the pieces into which the limit cuts an uncut path.
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
