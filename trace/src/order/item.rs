//! The actions of a stream, as far as tasks and memory are concerned.

use pathformat::manifest::AccessKind;
use pathformat::trace::{Allocation, Synchronisation};

use crate::ids::{FunctionId, StackId};
use crate::steps::library_call::LibraryCall;
use counts::model::PathId;

/// The next action of a stream.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// A path ended, or a part of it.
    Path(EndedPath),
    /// An atomic access with a ticket, before the path that contains it.
    Atomic(MemoryAccess),
    /// Threads synchronised.
    Event(Synchronisation),
    /// Memory was allocated or freed.
    Allocated(Allocation),
    /// A time, in ticks.
    Ticks(u64),
    /// The thread goes on with the next iteration of a loop whose work is shared.
    Iteration,
    /// Records are missing.
    Missing,
    /// Paths and allocations are missing: recording was off.
    Off,
}

/// The amount of work done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Actions {
    /// The number of paths that ended.
    pub paths: u64,
    /// The number of executed basic blocks.
    pub blocks: u64,
    /// The number of executed instructions.
    pub instructions: u64,
    /// The number of accesses to memory.
    pub accesses: u64,
    /// The number of bytes that were accessed.
    pub bytes: u64,
}

impl Actions {
    /// Adds other counts.
    pub fn add(&mut self, other: &Self) {
        self.paths += other.paths;
        self.blocks += other.blocks;
        self.instructions += other.instructions;
        self.accesses += other.accesses;
        self.bytes = self.bytes.saturating_add(other.bytes);
    }
}

/// A place in the code: a function of the program, and a number within it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CodePlace {
    /// The index of the function.
    pub function: FunctionId,
    /// The index of the source location for an access; the last block for the end of a path.
    pub at: u32,
}

impl CodePlace {
    /// An unknown place.
    pub const NONE: Self = Self { function: FunctionId::NONE, at: u32::MAX };
}

/// A path that ended, once or several times in a row.
#[derive(Clone, Debug, PartialEq)]
pub struct EndedPath {
    /// The index of its function in the program.
    pub function: FunctionId,
    /// The id of the path.
    pub path: PathId,
    /// Its last block.
    pub last: u32,
    /// True if it ended at a call in the user's code.
    pub calls_for_user: bool,
    /// The function of OpenMP's library at whose call it ended, if that matters.
    pub calls: Option<LibraryCall>,
    /// The work that it did.
    pub actions: Actions,
    /// The accesses behind the last [`Item::Atomic`], if they are requested.
    pub accesses: Vec<MemoryAccess>,
}

impl EndedPath {
    /// Returns true if what its thread does next is at the end of this path. Otherwise it is still
    /// at the end of an earlier path, which ended at a call in the user's code if `was_users`: what
    /// the C++ library does for the user's code is at the user's call.
    pub(crate) fn is_next_place(&self, was_users: bool) -> bool {
        self.calls_for_user || !was_users
    }

    /// Returns the place where it ended.
    pub fn end(&self) -> CodePlace {
        CodePlace { function: self.function, at: self.last }
    }
}

/// Where a thread is in the user's code: at the end of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UserPlace {
    /// The place; [`CodePlace::NONE`] before the first path.
    pub(crate) place: CodePlace,
    is_users: bool,
}

impl Default for UserPlace {
    fn default() -> Self {
        Self { place: CodePlace::NONE, is_users: false }
    }
}

impl UserPlace {
    /// Notes that a path of the thread has ended.
    pub(crate) fn note(&mut self, done: &EndedPath) {
        if done.is_next_place(self.is_users) {
            (self.place, self.is_users) = (done.end(), done.calls_for_user);
        }
    }
}

/// An access to memory, or a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryAccess {
    /// The address of the first byte.
    pub address: u64,
    /// The number of bytes; 0 if the address is not known.
    pub size: u64,
    /// The kind of the access.
    pub kind: AccessKind,
    /// The place in the code.
    pub place: CodePlace,
    /// True if it is atomic, so that it never races with other atomic accesses.
    pub is_atomic: bool,
    /// The stack of calls, if those are wanted.
    pub stack: StackId,
    /// The ticket before it, 0 if there is none.
    pub before: u64,
    /// The ticket after it, 0 if there is none.
    pub after: u64,
}

impl MemoryAccess {
    /// Returns true if it accesses memory at a known address.
    pub fn is_access(&self) -> bool {
        self.size > 0 && self.kind != AccessKind::Fence
    }

    /// Returns true if it writes memory.
    pub fn writes(&self) -> bool {
        matches!(self.kind, AccessKind::Store | AccessKind::Update | AccessKind::BulkStore)
    }

    /// Returns true if it reads memory.
    pub fn reads(&self) -> bool {
        matches!(self.kind, AccessKind::Load | AccessKind::Update | AccessKind::BulkLoad)
    }
}
