//! What a stream does next, as far as tasks and memory are concerned.

use pathformat::manifest::AccessKind;
use pathformat::trace::{Allocation, Synchronisation};

use crate::steps::function_id::FunctionId;
use counts::model::PathId;

/// What is next in a stream.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// A path ended, or a part of it.
    Path(EndedPath),
    /// An atomic access with a ticket; its path comes behind it.
    Atomic(MemoryAccess),
    /// Threads synchronised.
    Event(Synchronisation),
    /// Memory was allocated or freed.
    Allocated(Allocation),
    /// It is so late, in ticks.
    Ticks(u64),
    /// Records are missing.
    Missing,
    /// Paths and allocations are missing: recording was off.
    Off,
}

/// How much was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Actions {
    /// Paths that ended.
    pub paths: u64,
    /// Executed basic blocks.
    pub blocks: u64,
    /// Executed instructions.
    pub instructions: u64,
    /// Accesses to memory.
    pub accesses: u64,
    /// How many bytes they accessed.
    pub bytes: u64,
}

impl Actions {
    /// Adds others.
    pub fn add(&mut self, other: &Self) {
        self.paths += other.paths;
        self.blocks += other.blocks;
        self.instructions += other.instructions;
        self.accesses += other.accesses;
        self.bytes = self.bytes.saturating_add(other.bytes);
    }
}

/// A place in the code: a function of the program, and a number that means something in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CodePlace {
    /// Index of the function.
    pub function: FunctionId,
    /// Of an access, the index of its source location; of the end of a path, its last block.
    pub at: u32,
}

impl CodePlace {
    /// No place is known.
    pub const NONE: Self = Self { function: FunctionId::NONE, at: u32::MAX };
}

/// A path that ended.
#[derive(Clone, Debug, PartialEq)]
pub struct EndedPath {
    /// Index of its function among those of the program.
    pub function: FunctionId,
    /// The id of the path.
    pub path: PathId,
    /// Its last block.
    pub last: u32,
    /// How much it did.
    pub actions: Actions,
    /// The accesses, if they were asked for: those behind the last [`Item::Atomic`].
    pub accesses: Vec<MemoryAccess>,
}

impl EndedPath {
    /// Where it ended.
    pub fn end(&self) -> CodePlace {
        CodePlace { function: self.function, at: self.last }
    }
}

/// An access to memory whose address is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryAccess {
    /// The first byte.
    pub address: u64,
    /// How many bytes.
    pub size: u64,
    /// What is done.
    pub kind: AccessKind,
    /// Where.
    pub place: CodePlace,
    /// Whether it is atomic, so that it never races with others that are.
    pub is_atomic: bool,
    /// The ticket before it, 0 if there is none.
    pub before: u64,
    /// The ticket after it, 0 if there is none.
    pub after: u64,
}

impl MemoryAccess {
    /// Whether it accesses memory at an address that is known.
    pub fn is_access(&self) -> bool {
        self.size > 0 && self.kind != AccessKind::Fence
    }

    /// Whether memory is written.
    pub fn writes(&self) -> bool {
        matches!(self.kind, AccessKind::Store | AccessKind::Update | AccessKind::BulkStore)
    }

    /// Whether memory is read.
    pub fn reads(&self) -> bool {
        matches!(self.kind, AccessKind::Load | AccessKind::Update | AccessKind::BulkLoad)
    }
}
