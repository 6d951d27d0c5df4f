//! The control-flow graph of one function, as the rest of the crate sees it.
//!
//! Blocks and edges are dense indexes; block 0 is the entry and has no predecessor. At most one
//! edge joins two blocks: several `switch` cases with one target are one edge, because the blocks
//! of the path are the same. A block has successors or an [`Exit`], never both.

use std::fmt;

use crate::adjacency::Adjacency;

/// Declares a dense index that prints itself with a prefix.
macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The index as a position in a vector.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }
    };
}
pub(crate) use id;

id! {
    /// A basic block.
    Block, "bb"
}
id! {
    /// An edge of a control-flow graph.
    Edge, "e"
}

/// The entry block.
pub const ENTRY: Block = Block(0);

/// The way in which a block without successors leaves the function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// `ret`, a tail call included.
    Return,
    /// An exception goes on to the caller.
    Unwind,
    /// A call that does not return, or code that cannot be reached.
    NoReturn,
}

/// The code that an edge can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeKind {
    /// Code can be put on the edge.
    Plain,
    /// From an `invoke` to its landing pad: no code on it, but the path goes on along it. A block
    /// has at most one.
    Unwind,
    /// No code on it, and the path cannot go on: it ends in the source block and a new one starts
    /// in the target.
    Opaque,
}

/// A basic block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockData {
    /// The way in which it leaves the function, if it has no successors.
    pub exit: Option<Exit>,
    /// True if control may stay at the end of the block, or leave it along no edge: the call that
    /// stands there may throw, exit or jump away. A call that ends the path before it, such as one
    /// in tail position, does not count.
    pub may_stay: bool,
    /// True if every path is counted before it gets here, since on some way into the block the
    /// function is left already: a call stands there in tail position. The block only returns, and
    /// all edges into it are plain.
    pub counts_above: bool,
}

/// An edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeData {
    /// Source.
    pub from: Block,
    /// Target.
    pub to: Block,
    /// The code that it can hold.
    pub kind: EdgeKind,
}

/// A control-flow graph.
#[derive(Clone, Debug)]
pub struct Cfg {
    blocks: Vec<BlockData>,
    edges: Vec<EdgeData>,
    successors: Adjacency<Edge>,
    predecessors: Adjacency<Edge>,
    in_flight: bool,
}

impl Cfg {
    /// A graph of these blocks and edges.
    ///
    /// # Panics
    /// If an edge names a block that does not exist or enters the entry block, if two edges join
    /// the same blocks, if a block has two unwind edges, or has successors and an exit, or neither.
    pub fn new(blocks: Vec<BlockData>, edges: Vec<EdgeData>) -> Self {
        assert!(edges.iter().all(|edge| edge.to != ENTRY), "nothing goes back to the entry block");
        let numbered = edges.iter().enumerate().map(|(index, edge)| (edge, Edge(index as u32)));
        let successors = Adjacency::new(
            blocks.len(),
            numbered.clone().map(|(edge, id)| (edge.from.index(), id)),
        );
        let predecessors =
            Adjacency::new(blocks.len(), numbered.map(|(edge, id)| (edge.to.index(), id)));
        let cfg = Self { blocks, edges, successors, predecessors, in_flight: false };
        for block in cfg.blocks() {
            let out = cfg.successors(block);
            assert_eq!(
                cfg.exit(block).is_none(),
                !out.is_empty(),
                "{block} has successors or an exit"
            );
            let mut targets: Vec<_> = out.iter().map(|&edge| cfg.edge(edge).to).collect();
            targets.sort_unstable();
            assert!(targets.is_sorted_by(|a, b| a < b), "one edge joins two blocks");
            let unwinds = out.iter().filter(|&&edge| cfg.edge(edge).kind == EdgeKind::Unwind);
            assert!(unwinds.count() <= 1, "{block} has at most one unwind edge");
        }
        cfg
    }

    /// All blocks.
    pub fn blocks(&self) -> impl DoubleEndedIterator<Item = Block> + use<> {
        (0..self.blocks.len() as u32).map(Block)
    }

    /// Number of blocks.
    pub fn num_blocks(&self) -> usize {
        self.blocks.len()
    }

    /// All edges.
    pub fn edges(&self) -> impl DoubleEndedIterator<Item = Edge> + use<> {
        (0..self.edges.len() as u32).map(Edge)
    }

    /// Number of edges.
    pub fn num_edges(&self) -> usize {
        self.edges.len()
    }

    /// Source, target and kind of an edge.
    pub fn edge(&self, edge: Edge) -> EdgeData {
        self.edges[edge.index()]
    }

    /// The way in which `block` leaves the function.
    pub fn exit(&self, block: Block) -> Option<Exit> {
        self.blocks[block.index()].exit
    }

    /// True if control may stay in `block` before a path that ends in it is counted.
    pub fn may_stay(&self, block: Block) -> bool {
        self.blocks[block.index()].may_stay
    }

    /// True if every path is counted before it gets to `block`.
    pub fn counts_above(&self, block: Block) -> bool {
        self.blocks[block.index()].counts_above
    }

    /// The same graph, where a path also ends in every block that control [may
    /// stay](Self::may_stay) in.
    pub fn with_in_flight(self) -> Self {
        Self { in_flight: true, ..self }
    }

    /// The same graph, where none does.
    pub fn without_in_flight(self) -> Self {
        Self { in_flight: false, ..self }
    }

    /// True if paths of frames that are in flight end in `block`.
    pub fn has_in_flight(&self, block: Block) -> bool {
        self.in_flight && self.may_stay(block)
    }

    /// Edges out of `block`, in the terminator's order.
    pub fn successors(&self, block: Block) -> &[Edge] {
        self.successors.of(block.index())
    }

    /// Edges into `block`.
    pub fn predecessors(&self, block: Block) -> &[Edge] {
        self.predecessors.of(block.index())
    }
}
