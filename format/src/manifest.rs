//! What the pass tells about a translation unit: functions, graphs, edge values, source lines.
//!
//! [`Manifest::encode`] gives the payload of a [`record`](crate::record) before compression and
//! [`Manifest::decode`] reads it back (`manifest/payload.rs`). Indexes are dense and start at 0;
//! block 0 of a function is its entry. The graph part mirrors the types of the crate `paths`
//! without depending on it.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use crate::settings::{Level, Mode, Stage, Threads};

mod payload;

/// Everything known about one instrumented translation unit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// The source file as the compiler was given it.
    pub source: String,
    /// The compiler's working directory (empty without debug information).
    pub directory: String,
    /// Program and version that wrote this.
    pub producer: String,
    /// What is counted.
    pub mode: Mode,
    /// Where in the pipeline the pass ran.
    pub stage: Stage,
    /// How far the pipeline optimises that the pass ran in.
    pub level: Level,
    /// Directories of system headers that the command line or the environment names, as they name
    /// them: relative ones start from [`directory`](Self::directory). Those that every compiler
    /// knows, such as `/usr/include`, are not among them.
    pub system_directories: Vec<String>,
    /// How threads count.
    pub threads: Threads,
    /// Whether counters of loops may be in registers while the loops run.
    pub promotes: bool,
    /// The most paths that a function may have before more edges are cut.
    pub limit: u64,
    /// All functions defined in the unit, instrumented or skipped, in source order.
    pub functions: Vec<Function>,
}

/// One function definition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Function {
    /// Symbol name (mangled).
    pub name: String,
    /// What the source calls it, with its parameters and what it returns; empty if the symbol is
    /// not mangled.
    pub full_name: String,
    /// The same without parameters and what it returns.
    pub short_name: String,
    /// Who else can see the symbol.
    pub linkage: Linkage,
    /// File that the function is declared in (empty without debug information).
    pub file: String,
    /// Line of the declaration, or 0.
    pub line: u32,
    /// Whether no function of the source is this one: it is a member that the source does not
    /// declare, a thunk, or a variant of a function that calls another variant of it, as a
    /// destructor does that also frees its object. Code of the source may be in it all the same:
    /// what initialises members.
    pub is_made: bool,
    /// Why nothing is counted; `None` for an instrumented function.
    pub skipped: Option<String>,
    /// Hash of the graph: copies of an inline function with equal hashes have the same paths.
    pub cfg_hash: u64,
    /// First counter of this function in the module's array.
    pub first_counter: u64,
    /// Number of paths, each with a counter. 0 for a skipped function.
    pub num_paths: u64,
    /// How many of them are in flight: they end with a call that did not come back.
    pub in_flight_paths: u64,
    /// First key of this function's [tables](Self::tables) among those of the module.
    pub first_key: u64,
    /// How many callees of each indirect call are told apart; 0 if none are.
    pub callees: u32,
    /// The paths as they are without the limit, if those are counted too.
    pub uncut: Option<Uncut>,
    /// Blocks that have a counter each, in the order of the counters, where blocks are counted
    /// instead of paths.
    pub counted_blocks: Vec<u32>,
    /// The patterns that save counters of blocks, where blocks are counted and patterns choose
    /// which.
    pub patterns: Vec<Pattern>,
    /// Arcs that have a counter each, behind those of blocks, where edges are counted. Arcs are
    /// numbered as `paths::edges::Arcs` does.
    pub counted_arcs: Vec<u32>,
    /// What its code was planned by.
    pub weights: WeightSource,
    /// Source positions that the blocks refer to.
    pub locations: Vec<Location>,
    /// Basic blocks. Empty for a skipped function.
    pub blocks: Vec<Block>,
    /// Control-flow edges, at most one for each pair of blocks.
    pub edges: Vec<Edge>,
    /// Edges of the acyclic graph, whose values sum up to a path's id.
    pub dag: Vec<DagEdge>,
}

/// What says how often the edges of a function run, where its code is planned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WeightSource {
    /// LLVM's estimates.
    #[default]
    Estimated,
    /// The counts of an earlier run.
    Measured,
    /// LLVM's estimates, since the counts of the earlier run are of other code.
    Outdated,
    /// LLVM's estimates, since the earlier run tells nothing of the function.
    Missing,
}

/// Linkage of a function, as far as a report cares.
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
    /// A copy that is only there to be inlined (`available_externally`): the definition is in
    /// another unit.
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
    /// the classes and namespaces that it is in, without inline ones and without arguments of
    /// templates.
    pub function: String,
    /// Index of the call's location if the text was inlined; always smaller than the location's own
    /// index.
    pub inlined_at: Option<u32>,
}

/// Stands before the opcode of an instruction that gives or takes a vector.
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
    /// Those of them at which only instructions stand that the compiler made: the source does not
    /// run there.
    pub made_locations: Vec<u32>,
    /// Who chose that control can go several ways at its end.
    pub chooser: Chooser,
    /// How many instructions of each opcode, sorted by name, without debug intrinsics: `load`,
    /// `add` …, an intrinsic by its own name (`llvm.fmuladd`), inline assembly as `asm`, and what
    /// works on vectors with [`VECTOR`] before it (`vector load`).
    pub opcodes: Vec<(Cow<'static, str>, u32)>,
    /// The calls in it, in order, without intrinsics and inline assembly.
    pub calls: Vec<Call>,
    /// Its accesses to memory, in order. Only in a unit that is traced.
    pub accesses: Vec<Access>,
    /// How the function is left here, if this block has no successor.
    pub exit: Option<Exit>,
    /// Whether control may stay at its end: the call that stands there may throw, exit or jump
    /// away.
    pub may_stay: bool,
    /// Its text in LLVM's intermediate language as it is when counters are placed, by lines: the
    /// label, then the instructions without their debug locations. Empty unless it was asked for.
    pub ir: Vec<String>,
}

/// Who chose that control can go several ways at the end of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Chooser {
    /// The source, if there are several ways at all.
    #[default]
    Source,
    /// The compiler: the check of a pointer before `delete`, the way of an exception to its
    /// handler, a check of a sanitizer.
    Compiler,
    /// The compiler, and one of the ways goes around in a loop that it made, over the elements of
    /// an array, say. That way leads to this block or one before it.
    CompilerLoop,
}

/// An access to memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// What is done.
    pub kind: AccessKind,
    /// How many bytes are accessed; 0 if the trace has the number, behind the address.
    pub size: u64,
    /// Where the address comes from.
    pub address: Address,
    /// Which tickets the trace has, behind the address and the number of bytes.
    pub tickets: Tickets,
    /// Index of its source location.
    pub location: Option<u32>,
}

/// What is done to memory. The C++ side of the pass has the same list (`pass/cpp/accesses.h`).
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    /// It is read.
    Load,
    /// It is written.
    Store,
    /// It is read and written by one atomic operation.
    Update,
    /// It is read by an operation on many bytes, such as `memcpy`.
    BulkLoad,
    /// It is written by such an operation.
    BulkStore,
    /// Nothing is accessed: a fence between what stands before and behind it.
    Fence,
    /// Nothing is accessed: where addresses of a loop start that is entered behind its block.
    Base,
    /// Nothing is accessed: by how many bytes addresses of such a loop move. The trace has it in
    /// place of the number of bytes.
    Stride,
}

/// The tickets of an atomic access: numbers that the process gives away once. A thread that reads
/// what another one stored has a larger ticket after that than the other one had before.
/// The C++ side of the pass has the same list (`pass/cpp/accesses.h`).
#[repr(u32)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tickets {
    /// It is not atomic.
    #[default]
    None,
    /// It releases: a ticket was taken before.
    Before,
    /// It acquires: a ticket was taken after.
    After,
    /// It does both, with a ticket for each.
    Both,
    /// It is atomic, and orders nothing: no ticket is taken.
    Relaxed,
}

impl Tickets {
    /// All of them, in the order of their codes.
    pub const ALL: [Self; 5] = [Self::None, Self::Before, Self::After, Self::Both, Self::Relaxed];

    /// How many tickets the trace has.
    pub fn count(self) -> usize {
        match self {
            Self::None | Self::Relaxed => 0,
            Self::Before | Self::After => 1,
            Self::Both => 2,
        }
    }
}

/// Where the address of an access comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Address {
    /// There is none: a fence.
    None,
    /// The trace has it.
    Recorded,
    /// It is that of a variable plus a constant. The image tells where the variable is
    /// ([`VARIABLES_SECTION`](crate::names::VARIABLES_SECTION)).
    Variable {
        /// Which of the variables of the function.
        variable: u32,
        /// What is added.
        by: i64,
    },
    /// It is that of another access plus a constant. The other one always comes before it in the
    /// same activation of the function: the last time that it came counts.
    Offset {
        /// The block of the other access.
        block: u32,
        /// Index among its accesses.
        access: u32,
        /// What is added.
        by: i64,
    },
    /// It is that of another access plus a constant, and moves with the iterations of a loop. The
    /// other one comes before the loop is entered; its block is the only one outside of the loop
    /// that leads to it.
    Moving {
        /// The block of the other access.
        block: u32,
        /// Index among its accesses.
        access: u32,
        /// What is added.
        by: i64,
        /// The block in which each iteration begins.
        header: u32,
        /// How far it moves each time that the header is reached from within the loop.
        stride: Stride,
    },
}

/// How far an address moves with each iteration of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stride {
    /// This many bytes.
    Constant(i64),
    /// As many bytes as an access of the kind [`Stride`](AccessKind::Stride) says.
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

    /// Whether memory is accessed, or ordered.
    pub fn is_access(self) -> bool {
        !matches!(self, Self::Base | Self::Stride)
    }

    /// Whether the trace has the number of bytes if the manifest has none.
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
    /// Whether it calls through a pointer.
    pub fn is_indirect(&self) -> bool {
        self.callee == INDIRECT
    }
}

/// Paths that no limit cuts. There may be far more than counters, so a table has those that were
/// executed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Uncut {
    /// Number of paths.
    pub num_paths: u64,
    /// How many of them the table has room for.
    pub slots: u32,
    /// Edges of their acyclic graph, as [`Function::dag`].
    pub dag: Vec<DagEdge>,
    /// For each edge of the control-flow graph, as [`Edge::cut`].
    pub cuts: Vec<Option<(u32, u32)>>,
}

/// A table of what was seen how often: it has a key and a counter for each thing, and one more
/// counter for what had no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Table {
    /// What is in it.
    pub of: TableOf,
    /// How many keys it has.
    pub slots: u64,
    /// Its first key among those of the module.
    pub first_key: u64,
    /// Its first counter in the module's array.
    pub first_counter: u64,
}

/// What a table is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TableOf {
    /// Addresses that this call of this block called; a key is the address plus one.
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
    /// What it looks like.
    pub shape: PatternShape,
    /// Its blocks: the first, the branches or exits, the last.
    pub blocks: Vec<u32>,
    /// Those of them that have no counter because of it.
    pub saved: Vec<u32>,
}

/// What a pattern looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PatternShape {
    /// Branches between two blocks.
    Diamond,
    /// A branch that can be passed.
    HalfDiamond,
    /// A block that leads to one that nothing else leads to.
    Jump,
    /// The entry and all exits.
    Exits,
}

/// How a block without successors leaves the function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// `ret`, a tail call included.
    Return,
    /// An exception goes on to the caller (`resume`).
    Unwind,
    /// A call that does not return, or code that cannot be reached.
    NoReturn,
}

/// A control-flow edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Source block.
    pub from: u32,
    /// Target block.
    pub to: u32,
    /// Which outcome of the terminator takes this edge.
    pub outcome: Outcome,
    /// If the edge is cut, the indexes in [`Function::dag`] of the edge that ends the path before
    /// it and of the one that starts the next path after it.
    pub cut: Option<(u32, u32)>,
}

/// The outcome of a terminator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The only way on.
    Jump,
    /// Condition true.
    True,
    /// Condition false.
    False,
    /// These cases of a `switch`.
    Cases(Vec<i64>),
    /// The default of a `switch`, with any cases that go the same way.
    Default,
    /// An `invoke` returned.
    Normal,
    /// An `invoke` threw.
    Unwind,
    /// One target of an indirect branch or of `asm goto`, or where a call comes back that may do so
    /// twice.
    Indirect,
    /// A coroutine was suspended: control goes back to whoever called or resumed it.
    Suspended,
    /// A suspended coroutine was resumed.
    Resumed,
    /// A suspended coroutine was destroyed.
    Destroyed,
}

/// An edge of the acyclic graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DagEdge {
    /// What the edge stands for.
    pub kind: DagEdgeKind,
    /// What following it adds to the path's id.
    pub value: u64,
}

/// What an edge of the acyclic graph stands for.
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
    /// A path ends after this block, although control goes on.
    End {
        /// The block.
        block: u32,
        /// Why.
        why: CutReason,
    },
    /// A path starts at this block.
    Start {
        /// The block.
        block: u32,
        /// Why.
        why: CutReason,
    },
    /// Control comes to the call at the end of this block, which may not come back. Its counter
    /// says how often; those that did come back have counted a longer path as well. The first edge
    /// out of its block, with the value 0.
    InFlight {
        /// The block.
        block: u32,
    },
}

/// Why a path ends or starts in the middle of a function.
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
}

impl Function {
    /// The function as one of which nothing is counted, unless another reason for that is known.
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

    /// How many counters it has in the module's array.
    pub fn counters(&self) -> u64 {
        self.tables().fold(self.plain_counters(), |sum, table| {
            sum.saturating_add(table.slots).saturating_add(1)
        })
    }

    /// Its first source position that is in its own text; `None` without debug information.
    pub fn own_location(&self) -> Option<&Location> {
        self.locations.iter().find(|location| location.inlined_at.is_none())
    }

    /// How many of them count one thing each, whatever happens. Those of [tables](Self::tables)
    /// stand behind them.
    pub fn plain_counters(&self) -> u64 {
        let others = self.counted_blocks.len() + self.counted_arcs.len();
        self.num_paths.saturating_add(others as u64)
    }

    /// How many keys its tables have.
    pub fn keys(&self) -> u64 {
        self.tables().fold(0, |sum: u64, table| sum.saturating_add(table.slots))
    }

    /// Its tables, in the order of their keys and counters: one for each indirect call, then that
    /// of uncut paths.
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

    /// Whether it is known how often a block runs where only calls are counted: it has some, or is
    /// the entry.
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
