//! A path of a traced function, with its accesses.

use std::collections::HashMap;
use std::sync::Arc;

use anyhow::{Context, Result};
use counts::acyclic;
use counts::model::{Path, PathId, Start};
use counts::sizes::Sizes;
use pathformat::manifest::{
    Access, Address, Call, CutReason, DagEdgeKind, Edge, Function as Shape, Outcome,
};
use pathformat::trace::ADDRESS;
use paths::decode::Decoder;

use crate::ids::FunctionId;

/// A path, as it is the same for all records with its number.
#[derive(Clone, Debug)]
pub struct TracedPath {
    /// Its function in the program.
    pub function: FunctionId,
    /// Its blocks, its start and its end.
    pub path: Path,
    /// Its accesses in order, each as its block and its index in the block. Some are not accesses,
    /// but values recorded for others.
    pub accesses: Vec<(u32, u32)>,
    /// The number of real accesses among them.
    pub num_accesses: u64,
    /// The arrivals at headers of loops with moving addresses.
    pub(super) arrivals: Vec<Arrival>,
    /// The number of bytes that its accesses record.
    pub recorded: usize,
    /// The connections with the paths before and after it.
    pub(super) joints: Joints,
}

/// The connections of a path with others.
#[derive(Clone, Debug, Default)]
pub(super) struct Joints {
    /// The edges of the acyclic graph that end a path after which this one may start; empty if it
    /// starts at the function's entry.
    pub(super) before: Vec<u32>,
    /// The blocks whose last call may return twice, after which this path may start.
    pub(super) returned_to: Vec<u32>,
    /// The edge that ends it, unless it leaves the function.
    pub(super) end: Option<u32>,
    /// True if it ends before a call.
    pub(super) is_call: bool,
}

/// An arrival at the header of a loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    /// The number of accesses of the path before it.
    pub(super) behind: usize,
    /// The header.
    pub(super) header: u32,
    /// The block before the header; `None` if the path begins here.
    pub(super) from: Option<u32>,
}

/// The functions that may return twice.
const RETURNING_TWICE: [&str; 7] =
    ["setjmp", "_setjmp", "__setjmp", "sigsetjmp", "__sigsetjmp", "getcontext", "vfork"];

/// Returns true if the call at the end of a block may return twice.
pub(super) fn returns_twice(shape: &Shape, block: u32) -> bool {
    let last = shape.blocks.get(block as usize).and_then(|block| block.calls.last());
    last.is_some_and(|call| RETURNING_TWICE.contains(&call.callee.as_str()))
}

impl TracedPath {
    /// Decodes path `id` of a function from its graph.
    ///
    /// # Errors
    /// There is no such path, or the graph is damaged.
    pub(super) fn of(
        function: FunctionId,
        shape: &Shape,
        headers: &HashMap<u32, u32>,
        decoder: &Decoder,
        id: PathId,
    ) -> Result<Arc<Self>> {
        let edges = decoder.path(id.0)?;
        let path = acyclic::path(shape, id, 1, &edges, &Sizes::of(shape))?;
        let accesses: Vec<_> = accesses(shape, &path).map(|(block, at, _)| (block, at)).collect();
        let num_accesses =
            self::accesses(shape, &path).filter(|(.., access)| access.kind.is_access()).count();
        let recorded = self::accesses(shape, &path).map(|(.., access)| recorded(access)).sum();
        let first = edges.first().copied().context("it has no edges")?;
        let joints = joints(shape, &path, u32::try_from(first)?);
        let num_accesses = num_accesses as u64;
        let arrivals = arrivals(shape, headers, &path);
        Ok(Arc::new(Self { function, path, accesses, num_accesses, arrivals, recorded, joints }))
    }

    /// Returns the call that the path ends before, if it continues behind that call. `shape` is
    /// that of its function.
    pub fn call<'a>(&self, shape: &'a Shape) -> Option<&'a Call> {
        let block = self.path.blocks.last().filter(|_| self.joints.is_call)?;
        shape.blocks.get(*block as usize)?.calls.last()
    }

    /// Returns its approximate size in memory, in bytes.
    pub(super) fn memory(&self) -> usize {
        size_of::<Self>()
            + 4 * (self.path.blocks.len()
                + self.joints.before.len()
                + self.joints.returned_to.len())
            + 8 * self.accesses.len()
            + size_of::<Arrival>() * self.arrivals.len()
    }
}

/// Returns the accesses on a path: the block, the index in the block, and the description in the
/// manifest.
fn accesses<'a>(
    shape: &'a Shape,
    path: &'a Path,
) -> impl Iterator<Item = (u32, u32, &'a Access)> + 'a {
    path.blocks.iter().flat_map(|&block| {
        let of_block = &shape.blocks[block as usize].accesses;
        (0..).zip(of_block).map(move |(at, access)| (block, at, access))
    })
}

/// Returns the arrivals of a path at headers of loops.
fn arrivals(shape: &Shape, headers: &HashMap<u32, u32>, path: &Path) -> Vec<Arrival> {
    if headers.is_empty() {
        return Vec::new();
    }
    let (mut behind, mut from, mut found) = (0, None, Vec::new());
    for &block in &path.blocks {
        if headers.contains_key(&block) {
            found.push(Arrival { behind, header: block, from });
        }
        behind += shape.blocks[block as usize].accesses.len();
        from = Some(block);
    }
    found
}

/// Returns the number of bytes that an access records.
fn recorded(access: &Access) -> usize {
    let address = usize::from(access.address == Address::Recorded);
    let size = usize::from(access.size == 0 && access.kind.has_size());
    ADDRESS * (address + size + access.tickets.count())
}

fn joints(shape: &Shape, path: &Path, first: u32) -> Joints {
    let ends = |index: &u32| {
        let kind = shape.dag.get(*index as usize).map(|edge| edge.kind);
        matches!(kind, Some(DagEdgeKind::End { .. }))
    };
    let end = path.last.filter(ends);
    let is_call = end.is_some_and(|end| is_call(shape, end));
    if path.start == Start::Entry {
        return Joints { end, is_call, ..Joints::default() };
    }
    let cut_here = shape.edges.iter().filter_map(|edge| Some((edge, edge.cut?)));
    let here: Vec<_> = cut_here.filter(|(_, (_, start))| *start == first).collect();
    let from = here.iter().map(|(edge, _)| edge.from);
    Joints {
        before: here.iter().map(|(_, (end, _))| *end).collect(),
        returned_to: from.filter(|&block| returns_twice(shape, block)).collect(),
        end,
        is_call,
    }
}

/// Returns true if the paths that this edge of the acyclic graph ends do so before a call. Such
/// paths also end where control continues at the point to which a call returns.
fn is_call(shape: &Shape, end: u32) -> bool {
    let kind = shape.dag.get(end as usize).map(|edge| edge.kind);
    let Some(DagEdgeKind::End { block, why: CutReason::Opaque }) = kind else { return false };
    let calls = shape.blocks.get(block as usize).is_some_and(|block| !block.calls.is_empty());
    let comes_back = |edge: &Edge| {
        edge.from == block
            && matches!(edge.outcome, Outcome::Indirect | Outcome::Normal | Outcome::Unwind)
    };
    calls && shape.edges.iter().any(comes_back)
}
