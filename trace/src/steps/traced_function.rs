//! A traced function: what its paths and its activations have in common.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use anyhow::Result;
use counts::acyclic;
use counts::model::{Counting, Function};
use counts::sizes::Sizes;
use pathformat::manifest::{Address, Function as Shape, Outcome, Stride};
use pathformat::names::SWITCHING_FUNCTIONS;
use paths::decode::Decoder;
use profile::names;

/// A traced function.
#[derive(Debug)]
pub struct TracedFunction {
    /// The function, without counts.
    pub function: Function,
    /// The accesses that the addresses of others are relative to, and the strides. Each has a place
    /// in the activations of the function.
    pub(super) kept: HashMap<(u32, u32), u32>,
    /// The blocks whose last call may return twice.
    pub(super) returns_twice: HashSet<u32>,
    /// The blocks whose last call lets another context of the thread go on.
    pub(super) switches: HashSet<u32>,
    /// The headers of loops with moving addresses.
    pub(super) headers: HashMap<u32, Header>,
    /// True if any of its accesses is at a line of the source.
    pub(crate) has_lines: bool,
    /// The addresses of variables that accesses are relative to.
    pub(super) variables: HashMap<u32, u64>,
    tables: OnceLock<Option<PathTables>>,
}

/// The header of a loop with moving addresses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header {
    /// Its place in the activations of the function.
    pub(super) place: u32,
    /// The only block outside of the loop that leads to it.
    pub(super) entered_from: u32,
}

/// What all paths of a function are decoded with. It is made once, since a function may have as
/// many paths as blocks.
#[derive(Debug)]
pub(super) struct PathTables {
    pub(super) decoder: Decoder,
    pub(super) sizes: Sizes,
    /// The ends of paths after which a path may start, by the edge of the acyclic graph that starts
    /// it: the edge that ends it, and the block that it ends in.
    pub(super) ends: HashMap<u32, Vec<(u32, u32)>>,
    /// The blocks that calls come back from.
    pub(super) come_back: HashSet<u32>,
}

impl PathTables {
    /// Returns those of a function.
    ///
    /// # Errors
    /// The graph is damaged.
    pub(super) fn of(shape: &Shape) -> Result<Self> {
        let mut ends: HashMap<u32, Vec<(u32, u32)>> = HashMap::new();
        let mut come_back = HashSet::new();
        for edge in &shape.edges {
            if let Some((end, start)) = edge.cut {
                ends.entry(start).or_default().push((end, edge.from));
            }
            if matches!(edge.outcome, Outcome::Indirect | Outcome::Normal | Outcome::Unwind) {
                come_back.insert(edge.from);
            }
        }
        Ok(Self { decoder: acyclic::decoder(shape)?, sizes: Sizes::of(shape), ends, come_back })
    }
}

/// The functions that may return twice.
const RETURNING_TWICE: [&str; 7] =
    ["setjmp", "_setjmp", "__setjmp", "sigsetjmp", "__sigsetjmp", "getcontext", "vfork"];

/// Returns true if the call at the end of a block may return twice.
pub(super) fn returns_twice(shape: &Shape, block: u32) -> bool {
    ends_with(shape, block, &RETURNING_TWICE)
}

/// Returns true if a block ends with the call of one of these functions.
fn ends_with(shape: &Shape, block: u32, functions: &[&str]) -> bool {
    let last = shape.blocks.get(block as usize).and_then(|block| block.calls.last());
    last.is_some_and(|call| functions.contains(&call.callee.as_str()))
}

impl TracedFunction {
    /// Returns a function of an image and a module with these indices.
    pub(super) fn of(
        shape: Shape,
        (image, module): (usize, usize),
        variables: HashMap<u32, u64>,
    ) -> Self {
        let mut kept = HashMap::new();
        let mut headers = HashMap::new();
        let mut keep = |at| {
            let place = kept.len() as u32;
            kept.entry(at).or_insert(place);
        };
        let mut has_lines = false;
        for access in shape.blocks.iter().flat_map(|block| &block.accesses) {
            has_lines |= access.location.is_some();
            match access.address {
                Address::None | Address::Recorded | Address::Variable { .. } => {}
                Address::Offset { block, access, .. } => keep((block, access)),
                Address::Moving { block, access, header, stride, .. } => {
                    keep((block, access));
                    let place = headers.len() as u32;
                    let header =
                        headers.entry(header).or_insert(Header { place, entered_from: block });
                    header.entered_from = block;
                    if let Stride::Recorded { block, access } = stride {
                        keep((block, access));
                    }
                }
            }
        }
        let blocks = 0..u32::try_from(shape.blocks.len()).unwrap_or_default();
        Self {
            kept,
            headers,
            has_lines,
            variables,
            returns_twice: blocks.clone().filter(|&block| returns_twice(&shape, block)).collect(),
            switches: blocks
                .filter(|&block| ends_with(&shape, block, &SWITCHING_FUNCTIONS))
                .collect(),
            function: Function {
                image,
                module,
                demangled: names::of(&shape),
                counting: Counting::Paths,
                shape,
                ..Function::default()
            },
            tables: OnceLock::new(),
        }
    }

    /// Returns what its paths are decoded with; `None` if its graph is damaged.
    pub(super) fn tables(&self) -> Option<&PathTables> {
        let tables = self.tables.get_or_init(|| PathTables::of(&self.function.shape).ok());
        tables.as_ref()
    }

    /// Returns true if an access is relative to a variable.
    pub(super) fn names_variables(&self) -> bool {
        let mut accesses = self.function.shape.blocks.iter().flat_map(|block| &block.accesses);
        accesses.any(|access| matches!(access.address, Address::Variable { .. }))
    }

    /// Returns true if an access may have a ticket.
    pub(super) fn has_ordered_accesses(&self) -> bool {
        let mut accesses = self.function.shape.blocks.iter().flat_map(|block| &block.accesses);
        accesses.any(|access| access.tickets.count() > 0)
    }
}
