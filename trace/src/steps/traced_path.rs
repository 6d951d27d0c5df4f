//! A path of a traced function, with its accesses.

use anyhow::{Context, Result};
use counts::acyclic;
use counts::model::{Path, PathId, Start};
use pathformat::manifest::{
    Access, AccessKind, Address, Call, CutReason, DagEdgeKind, Function as Shape, Stride, Tickets,
};
use pathformat::trace::ADDRESS;

use crate::ids::FunctionId;
use crate::steps::library_call::LibraryCall;
use crate::steps::traced_function::{Header, PathTables, TracedFunction, returns_twice};

/// A path, as it is the same for all records with its number.
#[derive(Clone, Debug)]
pub struct TracedPath {
    /// Its function in the program.
    pub function: FunctionId,
    /// Its blocks, its start and its end.
    pub path: Path,
    /// Its accesses in order. Some are not accesses, but values recorded for others.
    pub(super) accesses: Vec<PathAccess>,
    /// The number of real accesses among them.
    pub num_accesses: u64,
    /// True if some of them may order threads.
    pub(crate) orders: bool,
    /// The number of bytes of those whose size is known.
    pub(crate) bytes: u64,
    /// The offsets of the sizes of the others in what the path records.
    pub(crate) sizes: Vec<usize>,
    /// The arrivals at headers of loops with moving addresses.
    pub(super) arrivals: Vec<Arrival>,
    /// The number of bytes that its accesses record.
    pub recorded: usize,
    /// The connections with the paths before and after it.
    pub(super) joints: Joints,
    /// True if it ends at a call in the user's code.
    pub(crate) calls_for_user: bool,
    /// The function of OpenMP's library at whose call it ends, if that matters.
    pub(crate) calls: Option<LibraryCall>,
}

/// An access of a path: what all of its steps need of the manifest's description.
#[derive(Clone, Copy, Debug)]
pub(super) struct PathAccess {
    /// Its block, and its index among the accesses of the block.
    pub(super) at: (u32, u32),
    pub(super) kind: AccessKind,
    /// The number of bytes that are accessed; `None` if it is recorded.
    pub(super) size: Option<u64>,
    pub(super) address: AccessAddress,
    /// The place in the activation where its address, or its stride, is kept.
    pub(super) kept: Option<u32>,
    pub(super) tickets: Tickets,
    /// The index of its source location, `u32::MAX` if it has none.
    pub(super) location: u32,
}

/// The address of an access of a path.
#[derive(Clone, Copy, Debug)]
pub(super) enum AccessAddress {
    /// It is not known.
    None,
    /// It is recorded.
    Recorded,
    /// It is always the same.
    Fixed(u64),
    /// The address at a place of the activation, and a distance.
    Offset { from: u32, by: i64 },
    /// As above, and a stride for each iteration of the loop at a place of the activation.
    Moving { from: u32, by: i64, header: u32, stride: AccessStride },
}

/// The distance that an address moves in an iteration.
#[derive(Clone, Copy, Debug)]
pub(super) enum AccessStride {
    /// A number of bytes.
    Constant(u64),
    /// The number at a place of the activation.
    Kept(u32),
}

impl PathAccess {
    fn of(function: &TracedFunction, at: (u32, u32), access: &Access) -> Self {
        let place = |block, access| function.kept.get(&(block, access)).copied();
        let address = match access.address {
            Address::None => None,
            Address::Recorded => Some(AccessAddress::Recorded),
            Address::Variable { variable, by } => function
                .variables
                .get(&variable)
                .map(|place| AccessAddress::Fixed(place.wrapping_add_signed(by) & ADDRESS_BITS)),
            Address::Offset { block, access, by } => {
                place(block, access).map(|from| AccessAddress::Offset { from, by })
            }
            Address::Moving { block, access, by, header, stride } => {
                let stride = match stride {
                    Stride::Constant(bytes) => Some(AccessStride::Constant(bytes as u64)),
                    Stride::Recorded { block, access } => {
                        place(block, access).map(AccessStride::Kept)
                    }
                };
                let header = function.headers.get(&header).map(|header| header.place);
                place(block, access).zip(header).zip(stride).map(|((from, header), stride)| {
                    AccessAddress::Moving { from, by, header, stride }
                })
            }
        };
        Self {
            at,
            kind: access.kind,
            size: (!records_size(access)).then_some(access.size),
            address: address.unwrap_or(AccessAddress::None),
            kept: function.kept.get(&at).copied(),
            tickets: access.tickets,
            location: access.location.unwrap_or(u32::MAX),
        }
    }
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
    pub(super) header: Header,
    /// The block before the header; `None` if the path begins here.
    pub(super) from: Option<u32>,
}

/// The bits of an address that a trace records.
pub(super) const ADDRESS_BITS: u64 = (1 << 48) - 1;

impl TracedPath {
    /// Decodes path `id` of a function from its graph.
    ///
    /// # Errors
    /// There is no such path, or the graph is damaged.
    pub(super) fn of(
        function: FunctionId,
        traced: &TracedFunction,
        tables: &PathTables,
        id: PathId,
    ) -> Result<Self> {
        let shape = &traced.function.shape;
        let edges = tables.decoder.path(id.0)?;
        let path = acyclic::path(shape, id, 1, &edges, &tables.sizes)?;
        let (mut accesses, mut sizes) = (Vec::new(), Vec::new());
        let (mut num_accesses, mut bytes, mut recorded, mut orders) = (0, 0u64, 0, false);
        for (block, at, access) in self::accesses(shape, &path) {
            accesses.push(PathAccess::of(traced, (block, at), access));
            if access.kind.is_access() {
                num_accesses += 1;
                orders |= access.tickets.count() > 0 || access.kind == AccessKind::Fence;
                bytes = bytes.saturating_add(access.size);
                if records_size(access) {
                    sizes.push(recorded + ADDRESS * usize::from(records_address(access)));
                }
            }
            recorded += self::recorded(access);
        }
        let first = edges.first().copied().context("it has no edges")?;
        let joints = joints(shape, tables, &path, u32::try_from(first)?);
        let arrivals = arrivals(traced, &path);
        Ok(Self {
            function,
            path,
            accesses,
            num_accesses,
            orders,
            bytes,
            sizes,
            arrivals,
            recorded,
            joints,
            calls_for_user: false,
            calls: None,
        })
    }

    /// Returns the number of bytes that its accesses access, given what it recorded.
    pub(crate) fn accessed_bytes(&self, recorded: &[u8]) -> u64 {
        let size = |at: &usize| recorded.get(*at..).and_then(number).unwrap_or_default();
        self.sizes.iter().map(size).fold(self.bytes, u64::saturating_add)
    }

    /// Returns the block of each real access.
    pub(crate) fn blocks_of_accesses(&self) -> impl Iterator<Item = u32> {
        self.accesses.iter().filter(|access| access.kind.is_access()).map(|access| access.at.0)
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
            + 8 * self.sizes.len()
            + size_of::<PathAccess>() * self.accesses.len()
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
fn arrivals(traced: &TracedFunction, path: &Path) -> Vec<Arrival> {
    if traced.headers.is_empty() {
        return Vec::new();
    }
    let shape = &traced.function.shape;
    let (mut behind, mut from, mut found) = (0, None, Vec::new());
    for &block in &path.blocks {
        if let Some(&header) = traced.headers.get(&block) {
            found.push(Arrival { behind, header, from });
        }
        behind += shape.blocks[block as usize].accesses.len();
        from = Some(block);
    }
    found
}

/// Returns true if an access records its address.
fn records_address(access: &Access) -> bool {
    access.address == Address::Recorded
}

/// Returns true if an access records its size.
fn records_size(access: &Access) -> bool {
    access.size == 0 && access.kind.has_size()
}

/// Returns the number of bytes that an access records.
fn recorded(access: &Access) -> usize {
    let (address, size) = (records_address(access), records_size(access));
    ADDRESS * (usize::from(address) + usize::from(size) + access.tickets.count())
}

/// Returns the number at the front of recorded bytes.
pub(super) fn number(recorded: &[u8]) -> Option<u64> {
    let mut bytes = [0; 8];
    bytes[..ADDRESS].copy_from_slice(recorded.first_chunk::<ADDRESS>()?);
    Some(u64::from_le_bytes(bytes))
}

fn joints(shape: &Shape, tables: &PathTables, path: &Path, first: u32) -> Joints {
    let ends = |index: &u32| {
        let kind = shape.dag.get(*index as usize).map(|edge| edge.kind);
        matches!(kind, Some(DagEdgeKind::End { .. }))
    };
    let end = path.last.filter(ends);
    let is_call = end.is_some_and(|end| is_call(shape, tables, end));
    if path.start == Start::Entry {
        return Joints { end, is_call, ..Joints::default() };
    }
    let here = tables.ends.get(&first).map_or(&[][..], Vec::as_slice);
    let from = here.iter().map(|(_, block)| *block);
    Joints {
        before: here.iter().map(|(end, _)| *end).collect(),
        returned_to: from.filter(|&block| returns_twice(shape, block)).collect(),
        end,
        is_call,
    }
}

/// Returns true if the paths that this edge of the acyclic graph ends do so before a call. Such
/// paths also end where control continues at the point to which a call returns.
fn is_call(shape: &Shape, tables: &PathTables, end: u32) -> bool {
    let kind = shape.dag.get(end as usize).map(|edge| edge.kind);
    let Some(DagEdgeKind::End { block, why: CutReason::Opaque }) = kind else { return false };
    let calls = shape.blocks.get(block as usize).is_some_and(|block| !block.calls.is_empty());
    calls && tables.come_back.contains(&block)
}
