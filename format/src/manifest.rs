//! The description of a translation unit by the pass: functions, graphs, edge values, source lines.
//!
//! [`Manifest::encode`] returns the payload of a [`record`](crate::record) before compression and
//! [`Manifest::decode`] reads it back (`manifest/payload.rs`). Indexes are dense and start at 0;
//! block 0 of a function is its entry. The graph part mirrors the types of the crate `paths`
//! without depending on it.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use crate::settings::{Level, Mode, Stage, Threads};

mod payload;

/// The description of one instrumented translation unit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// The source file, as it was given to the compiler.
    pub source: String,
    /// The compiler's working directory (empty without debug information).
    pub directory: String,
    /// Program and version that wrote this.
    pub producer: String,
    /// The mode: the things that are counted.
    pub mode: Mode,
    /// The stage of the pipeline at which the pass ran.
    pub stage: Stage,
    /// The level of optimisation of the pipeline.
    pub level: Level,
    /// Directories of system headers in the command line or the environment, in their spelling:
    /// relative ones start from [`directory`](Self::directory). The default directories of
    /// compilers, such as `/usr/include`, are not among them.
    pub system_directories: Vec<String>,
    /// The way threads count.
    pub threads: Threads,
    /// True if counters of loops may be in registers while the loops run.
    pub promotes: bool,
    /// The loops of which that is known. Others may do so, too, but not at the stage of machine
    /// code.
    pub promoted_loops: Vec<PromotedLoop>,
    /// The maximum number of paths of a function before more edges are cut.
    pub limit: u64,
    /// All functions defined in the unit, instrumented or skipped, in source order.
    pub functions: Vec<Function>,
}

/// A loop that keeps a counter in a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PromotedLoop {
    /// The index of the function.
    pub function: u32,
    /// The index of the block that is the header of the loop.
    pub header: u32,
}

/// One function definition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Function {
    /// Symbol name (mangled).
    pub name: String,
    /// The name in the source, with parameters and return type; empty if the symbol is not mangled.
    pub full_name: String,
    /// The same without parameters and return type.
    pub short_name: String,
    /// The linkage of the symbol.
    pub linkage: Linkage,
    /// File in which the function is declared (empty without debug information).
    pub file: String,
    /// Line of the declaration, or 0.
    pub line: u32,
    /// True if the compiler made the function: it is a member that the source does not declare, a
    /// thunk, or a variant of a function that calls another variant of it, such as a destructor
    /// that also frees its object. It may still contain code of the source: the initialisers of
    /// members.
    pub is_made: bool,
    /// The reason why nothing is counted; `None` for an instrumented function.
    pub skipped: Option<String>,
    /// Hash of the graph: copies of an inline function with equal hashes have the same paths.
    pub cfg_hash: u64,
    /// First counter of this function in the module's array.
    pub first_counter: u64,
    /// Number of paths, each with a counter. 0 for a skipped function.
    pub num_paths: u64,
    /// The number of these paths that are in flight: they end with a call that did not return.
    pub in_flight_paths: u64,
    /// First key of this function's [tables](Self::tables) among those of the module.
    pub first_key: u64,
    /// The number of callees that the table of each indirect call has room for; 0 if callees are
    /// not recorded.
    pub callees: u32,
    /// The paths without the limit, if those are counted, too.
    pub uncut: Option<Uncut>,
    /// Blocks that have a counter each, in the order of the counters, where blocks are counted
    /// instead of paths.
    pub counted_blocks: Vec<u32>,
    /// The patterns that save counters of blocks, where blocks are counted and patterns select
    /// them.
    pub patterns: Vec<Pattern>,
    /// Arcs that have a counter each, behind those of blocks, where edges are counted. Arcs have
    /// the numbers of `paths::edges::Arcs`.
    pub counted_arcs: Vec<u32>,
    /// The source of the weights for which its code was planned.
    pub weights: WeightSource,
    /// Source positions to which the blocks refer.
    pub locations: Vec<Location>,
    /// Basic blocks. Empty for a skipped function.
    pub blocks: Vec<Block>,
    /// Control-flow edges, at most one for each pair of blocks.
    pub edges: Vec<Edge>,
    /// Edges of the acyclic graph, whose values sum up to a path's id.
    pub dag: Vec<DagEdge>,
}

/// The source of the weights of edges for which the code of a function is planned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WeightSource {
    /// LLVM's estimates.
    #[default]
    Estimated,
    /// The counts of an earlier run.
    Measured,
    /// LLVM's estimates, since the counts of the earlier run are of other code.
    Outdated,
    /// LLVM's estimates, since the earlier run has no counts of the function.
    Missing,
}

/// Linkage of a function, as far as it matters to a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Linkage {
    /// Visible outside the unit, one definition.
    #[default]
    External,
    /// `static`: two units may have different functions of this name.
    Internal,
    /// Inline or template (COMDAT): many units have a copy and the linker keeps one.
    Inline,
    /// Weak definition.
    Weak,
    /// A copy that exists only to be inlined (`available_externally`): the definition is in another
    /// unit.
    Copy,
}

/// A source position of an instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    /// Path of the file.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1; 0 if unknown.
    pub column: u32,
    /// Name of the function whose text this is (not the function it was inlined into). In C++ with
    /// its classes and namespaces, without inline namespaces and without template arguments.
    pub function: String,
    /// Index of the call's location if the text was inlined; always smaller than the location's own
    /// index.
    pub inlined_at: Option<u32>,
}

impl Location {
    /// Returns the name of the function whose text this is, if it was inlined and has a name.
    pub fn inlined_function(&self) -> Option<&str> {
        self.inlined_at.map(|_| self.function.as_str()).filter(|name| !name.is_empty())
    }
}

/// Prefix of the opcode of an instruction that returns or takes a vector.
pub const VECTOR: &str = "vector ";

/// Stands for the callee of a call through a pointer.
pub const INDIRECT: &str = "*";

/// A basic block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// Name in the compiler's intermediate code, empty if it has none.
    pub name: String,
    /// Indexes of the source locations of its instructions, in order, without repetition.
    pub locations: Vec<u32>,
    /// Those of them that have only instructions that the compiler made: the source does not run
    /// there.
    pub made_locations: Vec<u32>,
    /// The origin of the branch at its end.
    pub chooser: Chooser,
    /// The number of instructions of each opcode, sorted by name, without debug intrinsics: `load`,
    /// `add` …, an intrinsic by its own name (`llvm.fmuladd`), inline assembly as `asm`, and
    /// instructions on vectors with [`VECTOR`] before the opcode (`vector load`). Each of them runs
    /// as often as the block; see [`Edge::opcodes`] for others.
    pub opcodes: Vec<(Cow<'static, str>, u32)>,
    /// The calls in it, in order, without intrinsics and inline assembly.
    pub calls: Vec<Call>,
    /// Its accesses to memory, in order. Only in a traced unit.
    pub accesses: Vec<Access>,
    /// The way in which the function is left here, if this block has no successor.
    pub exit: Option<Exit>,
    /// True if control may stay at its end: the call there may throw, exit or jump away.
    pub may_stay: bool,
    /// Its text in LLVM's intermediate language when counters are placed, by lines: the label, then
    /// the instructions without their debug locations. Empty unless it was requested.
    pub ir: Vec<String>,
}

/// The origin of a branch at the end of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Chooser {
    /// The source, or there is no branch.
    #[default]
    Source,
    /// The compiler: the check of a pointer before `delete`, the dispatch of an exception to its
    /// handler, a check of a sanitizer.
    Compiler,
    /// The compiler, and one of the edges is the back edge of a loop that it made, such as one over
    /// the elements of an array. That edge leads to this block or one before it.
    CompilerLoop,
}

/// An access to memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// The kind of access.
    pub kind: AccessKind,
    /// The number of bytes accessed; 0 if the trace has the number, behind the address.
    pub size: u64,
    /// The source of the address.
    pub address: Address,
    /// The tickets that the trace has, behind the address and the number of bytes.
    pub tickets: Tickets,
    /// Index of its source location.
    pub location: Option<u32>,
}

/// The kind of an access to memory. The C++ side of the pass has the same list
/// (`pass/cpp/accesses.h`).
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    /// Memory is read.
    Load,
    /// Memory is written.
    Store,
    /// Memory is read and written by one atomic operation.
    Update,
    /// Memory is read by an operation on many bytes, such as `memcpy`.
    BulkLoad,
    /// Memory is written by such an operation.
    BulkStore,
    /// Nothing is accessed: a fence between the accesses before and behind it.
    Fence,
    /// Nothing is accessed: the first address of accesses in a loop that is entered behind its
    /// block.
    Base,
    /// Nothing is accessed: the stride of addresses in such a loop, in bytes. The trace has it in
    /// place of the number of bytes.
    Stride,
}

/// The tickets of an atomic access: numbers that are unique in the process. The ticket after a load
/// is larger than the ticket before the store of another thread whose value it reads. The C++ side
/// of the pass has the same list (`pass/cpp/accesses.h`).
#[repr(u32)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tickets {
    /// The access is not atomic.
    #[default]
    None,
    /// It is a release: a ticket was taken before it.
    Before,
    /// It is an acquire: a ticket was taken after it.
    After,
    /// It is both, with a ticket for each.
    Both,
    /// It is atomic but relaxed: no ticket is taken.
    Relaxed,
}

impl Tickets {
    /// All of them, in the order of their codes.
    pub const ALL: [Self; 5] = [Self::None, Self::Before, Self::After, Self::Both, Self::Relaxed];

    /// Returns the number of tickets in the trace.
    pub fn count(self) -> usize {
        match self {
            Self::None | Self::Relaxed => 0,
            Self::Before | Self::After => 1,
            Self::Both => 2,
        }
    }
}

/// The source of the address of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Address {
    /// There is none: a fence.
    None,
    /// The trace has it.
    Recorded,
    /// It is that of a variable plus a constant. The image has the address of the variable
    /// ([`VARIABLES_SECTION`](crate::names::VARIABLES_SECTION)).
    Variable {
        /// The index of the variable among those of the function.
        variable: u32,
        /// The constant.
        by: i64,
    },
    /// It is that of another access plus a constant. The other access always precedes it in the
    /// same activation of the function; its last execution counts.
    Offset {
        /// The block of the other access.
        block: u32,
        /// Index among its accesses.
        access: u32,
        /// The constant.
        by: i64,
    },
    /// It is that of another access plus a constant, and moves with the iterations of a loop. The
    /// other access precedes the loop; its block is the only one outside of the loop that leads to
    /// it.
    Moving {
        /// The block of the other access.
        block: u32,
        /// Index among its accesses.
        access: u32,
        /// The constant.
        by: i64,
        /// The block in which each iteration begins.
        header: u32,
        /// The distance by which it moves each time that the header is reached from within the
        /// loop.
        stride: Stride,
    },
}

/// The distance by which an address moves with each iteration of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stride {
    /// This many bytes.
    Constant(i64),
    /// The number of bytes in an access of the kind [`Stride`](AccessKind::Stride).
    Recorded {
        /// Its block.
        block: u32,
        /// Index among the accesses there.
        access: u32,
    },
}

impl AccessKind {
    /// All of them, in the order of their codes.
    pub const ALL: [Self; 8] = [
        Self::Load,
        Self::Store,
        Self::Update,
        Self::BulkLoad,
        Self::BulkStore,
        Self::Fence,
        Self::Base,
        Self::Stride,
    ];

    /// Returns true if memory is accessed, or ordered.
    pub fn is_access(self) -> bool {
        !matches!(self, Self::Base | Self::Stride)
    }

    /// Returns true if the trace has the number of bytes where the manifest has none.
    pub fn has_size(self) -> bool {
        self != Self::Fence
    }
}

/// A call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Call {
    /// Symbol of the function that it calls; [`INDIRECT`] if it calls through a pointer.
    pub callee: String,
    /// Index of its source location.
    pub location: Option<u32>,
}

impl Call {
    /// Returns true if it calls through a pointer.
    pub fn is_indirect(&self) -> bool {
        self.callee == INDIRECT
    }
}

/// Paths that no limit cuts. There may be far more of them than counters, so a table has those that
/// were executed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Uncut {
    /// Number of paths.
    pub num_paths: u64,
    /// The number of paths that the table has room for.
    pub slots: u32,
    /// Edges of their acyclic graph, as [`Function::dag`].
    pub dag: Vec<DagEdge>,
    /// For each edge of the control-flow graph, as [`Edge::cut`].
    pub cuts: Vec<Option<(u32, u32)>>,
}

/// A table of counted things: it has a key and a counter for each thing, and one more counter for
/// all things without room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Table {
    /// The kind of its things.
    pub of: TableOf,
    /// The number of its keys.
    pub slots: u64,
    /// Its first key among those of the module.
    pub first_key: u64,
    /// Its first counter in the module's array.
    pub first_counter: u64,
}

/// The kind of things in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TableOf {
    /// Addresses of the callees of this call of this block; a key is the address plus one.
    Callees {
        /// The block.
        block: u32,
        /// Index among its calls.
        call: u32,
    },
    /// Uncut paths; a key is the path's number plus one.
    Paths,
}

/// Blocks of which some need no counter because of their shape; see `paths::patterns`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// The shape of the pattern.
    pub shape: PatternShape,
    /// Its blocks: the first, the branches or exits, the last.
    pub blocks: Vec<u32>,
    /// Those of its blocks that need no counter.
    pub saved: Vec<u32>,
}

/// The shape of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PatternShape {
    /// Branches between two blocks.
    Diamond,
    /// A block that leads to a branch and past it.
    HalfDiamond,
    /// A block whose only successor has no other predecessor.
    Jump,
    /// The entry and all exits.
    Exits,
}

/// The way in which a block without successors leaves the function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// `ret`, a tail call included.
    Return,
    /// An exception propagates to the caller (`resume`).
    Unwind,
    /// A call that does not return, or code that cannot be reached.
    NoReturn,
}

/// A control-flow edge.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edge {
    /// Source block.
    pub from: u32,
    /// Target block.
    pub to: u32,
    /// The outcome of the terminator that takes this edge.
    pub outcome: Outcome,
    /// If the edge is cut, the indexes in [`Function::dag`] of the edge that ends the path before
    /// it and of the one that starts the next path after it.
    pub cut: Option<(u32, u32)>,
    /// The instructions of its source that run on some edges only, this one among them, as
    /// [`Block::opcodes`]: in machine code, those behind a branch. They are not among those of the
    /// block.
    pub opcodes: Vec<(Cow<'static, str>, u32)>,
}

/// The outcome of a terminator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Outcome {
    /// The only successor.
    #[default]
    Jump,
    /// Condition true.
    True,
    /// Condition false.
    False,
    /// These cases of a `switch`.
    Cases(Vec<i64>),
    /// The default of a `switch`, with any cases of the same target.
    Default,
    /// An `invoke` returned.
    Normal,
    /// An `invoke` threw.
    Unwind,
    /// One target of an indirect branch or of `asm goto`, or the return of a call that may return
    /// twice.
    Indirect,
    /// A coroutine was suspended: control returns to its caller or resumer.
    Suspended,
    /// A suspended coroutine was resumed.
    Resumed,
    /// A suspended coroutine was destroyed.
    Destroyed,
}

/// An edge of the acyclic graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DagEdge {
    /// The kind of the edge.
    pub kind: DagEdgeKind,
    /// The value that the edge adds to the path's id.
    pub value: u64,
}

/// The kind of an edge of the acyclic graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DagEdgeKind {
    /// This control-flow edge, not cut.
    Flow {
        /// Index in [`Function::edges`].
        edge: u32,
    },
    /// From this exit block to the virtual exit.
    Leave {
        /// The block.
        block: u32,
    },
    /// A path ends after this block, although control continues.
    End {
        /// The block.
        block: u32,
        /// The reason.
        why: CutReason,
    },
    /// A path starts at this block.
    Start {
        /// The block.
        block: u32,
        /// The reason.
        why: CutReason,
    },
    /// Control reaches the call at the end of this block, which may not return. The counter of such
    /// a path counts the arrivals; calls that returned have counted a longer path as well. It is
    /// the first edge out of its block, with the value 0.
    InFlight {
        /// The block.
        block: u32,
    },
}

/// The reason why a path ends or starts in the middle of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CutReason {
    /// A back edge of a loop.
    BackEdge,
    /// An edge that cannot hold code (indirect branch, `asm goto`, return of `setjmp`).
    Opaque,
    /// The function would have more paths than the limit.
    Limit,
    /// An edge by which control enters a loop.
    LoopEntry,
    /// The edge behind a call, in machine code: no register keeps the number of the path there.
    Call,
    /// No register is free for the number of the path, in machine code.
    Register,
}

impl CutReason {
    /// All of them. The position of each is its code in manifests.
    pub const ALL: [Self; 6] =
        [Self::BackEdge, Self::Opaque, Self::Limit, Self::LoopEntry, Self::Call, Self::Register];
}

impl Function {
    /// Returns the function as a skipped one. A reason that it already has is kept.
    #[must_use]
    pub fn uncounted(self, why: &str) -> Self {
        Self {
            skipped: self.skipped.or_else(|| Some(why.into())),
            name: self.name,
            full_name: self.full_name,
            short_name: self.short_name,
            linkage: self.linkage,
            file: self.file,
            line: self.line,
            cfg_hash: self.cfg_hash,
            ..Self::default()
        }
    }

    /// Returns the number of its counters in the module's array.
    pub fn counters(&self) -> u64 {
        self.tables().fold(self.plain_counters(), |sum, table| {
            sum.saturating_add(table.slots).saturating_add(1)
        })
    }

    /// Returns its first source position that was not inlined; `None` without debug information.
    pub fn own_location(&self) -> Option<&Location> {
        self.locations.iter().find(|location| location.inlined_at.is_none())
    }

    /// Returns the number of counters that count one fixed thing each. Those of
    /// [tables](Self::tables) follow them.
    pub fn plain_counters(&self) -> u64 {
        let others = self.counted_blocks.len() + self.counted_arcs.len();
        self.num_paths.saturating_add(others as u64)
    }

    /// Returns the number of keys of its tables.
    pub fn keys(&self) -> u64 {
        self.tables().fold(0, |sum: u64, table| sum.saturating_add(table.slots))
    }

    /// Returns its tables, in the order of their keys and counters: one for each indirect call,
    /// then that of uncut paths.
    pub fn tables(&self) -> impl Iterator<Item = Table> + '_ {
        let blocks = if self.callees > 0 { self.blocks.as_slice() } else { &[] };
        let calls = (0..).zip(blocks).flat_map(move |(block, of)| {
            let indirect = (0..).zip(&of.calls).filter(|(_, call)| call.is_indirect());
            indirect
                .map(move |(call, _)| (TableOf::Callees { block, call }, u64::from(self.callees)))
        });
        let paths = self.uncut.iter().map(|uncut| (TableOf::Paths, u64::from(uncut.slots)));
        let (mut key, mut counter) =
            (self.first_key, self.first_counter.saturating_add(self.plain_counters()));
        calls.chain(paths).map(move |(of, slots)| {
            let table = Table { of, slots, first_key: key, first_counter: counter };
            key = key.saturating_add(slots);
            counter = counter.saturating_add(slots).saturating_add(1);
            table
        })
    }

    /// Returns true if the count of a block is known where only calls are counted: the block has
    /// calls, or is the entry.
    pub fn knows_calls(&self, block: u32) -> bool {
        block == 0 || self.blocks.get(block as usize).is_some_and(|block| !block.calls.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    #[test]
    fn tables_follow_each_other() {
        let calls = ["puts", INDIRECT].map(|callee| Call { callee: callee.into(), location: None });
        let function = Function {
            first_counter: 3,
            num_paths: 2,
            counted_blocks: vec![1, 0],
            counted_arcs: vec![0, 3],
            first_key: 5,
            callees: 8,
            uncut: Some(Uncut { num_paths: 9, slots: 64, ..Uncut::default() }),
            blocks: vec![Block::default(), Block { calls: calls.to_vec(), ..Block::default() }],
            ..Function::default()
        };
        let tables: Vec<_> = function.tables().collect();
        // Paths, two blocks and two arcs have plain counters, from the third on.
        let callees = TableOf::Callees { block: 1, call: 1 };
        let expected = [
            Table { of: callees, slots: 8, first_key: 5, first_counter: 9 },
            Table { of: TableOf::Paths, slots: 64, first_key: 13, first_counter: 18 },
        ];
        assert_eq!(tables, expected);
        assert_eq!(
            (function.plain_counters(), function.counters(), function.keys()),
            (6, 6 + 9 + 65, 72)
        );
    }
}
