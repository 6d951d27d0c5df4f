//! Walks the streams of a trace and determines the owner of the memory at each access.
//!
//! The owner of memory depends on the earlier actions of all threads. An analysis of owners is an
//! [`OwnerVisitor`]: it receives each access and each event together with the [`Owners`] of that
//! moment, and need not keep them up to date itself.

use std::sync::Arc;

use pathformat::trace::{Allocation, Operation, Synchronisation};

use crate::ids::ThreadId;
use crate::memory::owners::Owners;
use crate::memory::vector_clock::VectorClock;
use crate::order::item::{EndedPath, Item, MemoryAccess};
use crate::order::releases::Links;
use crate::order::walk::{OperationEvent, Streams, Visitor, split, walk};

/// An analysis that uses the owners of memory.
pub(crate) trait OwnerVisitor {
    /// What a release hands on to the analysis itself.
    type Token: Clone;

    /// Called for a release by an operation, or by the end of a stream.
    fn released(&mut self, _thread: ThreadId, _event: Option<OperationEvent<'_>>) -> Self::Token;

    /// Called when an operation that acquires has ended, with all releases that it waited for.
    fn acquired(
        &mut self,
        _thread: ThreadId,
        _of: Operation,
        _event: &Synchronisation,
        _links: &Links<Self::Token>,
    ) {
    }

    /// Called for an operation that orders nothing, and for the beginning of a wait.
    fn noted(&mut self, _thread: ThreadId, _of: Operation, _event: &Synchronisation) {}

    /// Called where a thread goes on with the next iteration of a shared loop.
    fn iterated(&mut self, _thread: ThreadId) {}

    /// Called when a path has ended, or a part of it, behind its accesses.
    fn path_ended(&mut self, _thread: ThreadId, _done: &EndedPath) {}

    /// Called when the next task of a thread begins, after the tasks that it waited for.
    fn began(&mut self, _owners: &mut Owners<'_>, _thread: ThreadId) {}

    /// Called for each access of a thread to memory.
    fn accessed(&mut self, _owners: &mut Owners<'_>, _thread: ThreadId, _touch: &MemoryAccess) {}

    /// Called when the current task of a thread ends with an event.
    fn ended(
        &mut self,
        _owners: &mut Owners<'_>,
        _thread: ThreadId,
        _of: Operation,
        _event: &Synchronisation,
    ) {
    }

    /// Called when an atomic access releases its address.
    fn atomic_before(&mut self, _thread: ThreadId, _access: &MemoryAccess) {}

    /// Called when an atomic access has happened.
    fn atomic_after(&mut self, owners: &mut Owners<'_>, thread: ThreadId, access: &MemoryAccess) {
        if access.is_access() {
            self.accessed(owners, thread, access);
        }
    }

    /// Called before memory is freed, or gets another size where it is. The owners still know it.
    fn freed(&mut self, _owners: &mut Owners<'_>, _thread: ThreadId, _allocation: &Allocation) {}

    /// Called when memory was allocated, or has another size where it is.
    fn allocated(&mut self, _thread: ThreadId, _allocation: &Allocation) {}

    /// Called when a thread with this `pthread_t` begins.
    fn thread_began(&mut self, _descriptor: u64) {}

    /// Called where records are missing.
    fn missing(&mut self) {}

    /// Called before the records of the stream with this index.
    fn turn(&mut self, _stream: usize) {}
}

/// Walks the streams with a visitor. Returns the owners at the end.
pub(super) fn walk_with_owners<'a, I: Iterator<Item = Item>>(
    streams: Streams<I>,
    owners: Owners<'a>,
    visitor: &mut impl OwnerVisitor,
) -> Owners<'a> {
    let mut attribution = Attribution { owners, visitor };
    walk(streams, &mut attribution);
    attribution.owners
}

/// Keeps the owners up to date and forwards everything to a visitor.
pub(crate) struct Attribution<'a, 'v, V> {
    /// The owners at this moment of the walk.
    pub(crate) owners: Owners<'a>,
    /// The analysis that uses them.
    pub(crate) visitor: &'v mut V,
}

impl<V: OwnerVisitor> Visitor for Attribution<'_, '_, V> {
    type Token = (Arc<VectorClock>, V::Token);

    fn began(&mut self, thread: ThreadId, _: u64, links: &Links<Self::Token>) {
        self.owners.began(thread, &split(links).0);
        self.visitor.began(&mut self.owners, thread);
    }

    fn path_ended(&mut self, thread: ThreadId, done: &EndedPath) {
        for access in done.accesses.iter().filter(|access| access.is_access()) {
            self.visitor.accessed(&mut self.owners, thread, access);
        }
        self.visitor.path_ended(thread, done);
        // Only the last part of a path counts as a path.
        if done.actions.paths > 0 {
            self.owners.end_path(done);
        }
    }

    fn released(&mut self, thread: ThreadId, event: Option<OperationEvent<'_>>) -> Self::Token {
        (self.owners.clocks.released(thread), self.visitor.released(thread, event))
    }

    fn noted(&mut self, thread: ThreadId, of: Operation, event: &Synchronisation) {
        self.visitor.noted(thread, of, event);
    }

    fn iterated(&mut self, thread: ThreadId) {
        self.visitor.iterated(thread);
    }

    fn ended(&mut self, thread: ThreadId, _: u64, event: Option<OperationEvent<'_>>) {
        if let Some((of, event)) = event {
            self.visitor.ended(&mut self.owners, thread, of, event);
        }
    }

    fn acquired(
        &mut self,
        thread: ThreadId,
        of: Operation,
        event: &Synchronisation,
        links: &Links<Self::Token>,
    ) {
        self.owners.acquired(thread, of, event);
        self.visitor.acquired(thread, of, event, &split(links).1);
        if of == Operation::Begin {
            self.visitor.thread_began(event.other.get());
        }
    }

    fn atomic_before(&mut self, thread: ThreadId, access: &MemoryAccess) {
        self.owners.clocks.atomic_before(thread, access);
        self.visitor.atomic_before(thread, access);
    }

    fn atomic_after(&mut self, thread: ThreadId, access: &MemoryAccess) {
        self.owners.atomic_after(thread, access);
        self.visitor.atomic_after(&mut self.owners, thread, access);
    }

    fn freed(&mut self, thread: ThreadId, allocation: &Allocation) {
        self.visitor.freed(&mut self.owners, thread, allocation);
        self.owners.free(thread, allocation.former.get());
    }

    fn allocated(&mut self, thread: ThreadId, allocation: &Allocation) {
        self.owners.allocate(thread, allocation.address.get(), allocation.size.get());
        self.visitor.allocated(thread, allocation);
    }

    fn missing(&mut self, thread: ThreadId) {
        self.visitor.missing();
        self.owners.missing(thread);
    }

    fn off(&mut self, _: ThreadId) {
        self.owners.off();
    }

    fn turn(&mut self, stream: usize, is_handler: bool) {
        self.visitor.turn(stream);
        self.owners.turn(stream, is_handler);
    }
}
