//! Walks the streams of a trace and knows, at each access, who owns the memory.
//!
//! Whose memory is depends on what all threads did before. An analysis that asks for owners is an
//! [`OwnerVisitor`]: it is shown each access and each event together with the [`Owners`] of that
//! moment, and need not keep them up to date itself.

use std::rc::Rc;

use pathformat::trace::{Allocation, Operation, Synchronisation};

use crate::memory::owners::Owners;
use crate::memory::vector_clock::VectorClock;
use crate::order::item::{EndedPath, Item, MemoryAccess};
use crate::order::releases::Links;
use crate::order::thread_id::ThreadId;
use crate::order::walk::{Streams, Visitor, walk};

/// An analysis that asks who owns memory.
pub(crate) trait OwnerVisitor {
    /// The next task of a thread begins, behind those that it waited for.
    fn began(&mut self, _owners: &mut Owners<'_>, _thread: ThreadId) {}

    /// A thread accesses memory.
    fn accessed(&mut self, _owners: &mut Owners<'_>, _thread: ThreadId, _touch: &MemoryAccess) {}

    /// The current task of a thread ends with an event.
    fn ended(
        &mut self,
        _owners: &mut Owners<'_>,
        _thread: ThreadId,
        _of: Operation,
        _event: &Synchronisation,
    ) {
    }

    /// An atomic access releases its address. It belongs to this part of its thread.
    fn atomic_before(&mut self, _thread: ThreadId, _part: u64) {}

    /// An atomic access has happened.
    fn atomic_after(&mut self, owners: &mut Owners<'_>, thread: ThreadId, access: &MemoryAccess) {
        if access.is_access() {
            self.accessed(owners, thread, access);
        }
    }

    /// Memory is about to be allocated or freed.
    fn allocating(
        &mut self,
        _owners: &mut Owners<'_>,
        _thread: ThreadId,
        _allocation: &Allocation,
    ) {
    }

    /// Memory was allocated or freed.
    fn allocated(&mut self, _allocation: &Allocation) {}

    /// Records are missing.
    fn missing(&mut self) {}

    /// What comes next is of this stream, by its index.
    fn turn(&mut self, _stream: usize) {}
}

/// Shows all that streams did to a visitor. Gives the owners as they are at the end.
pub(super) fn walk_with_owners<'a, I: Iterator<Item = Item>>(
    streams: Streams<I>,
    owners: Owners<'a>,
    visitor: &mut impl OwnerVisitor,
) -> Owners<'a> {
    let mut attribution = Attribution { owners, visitor };
    walk(streams, &mut attribution);
    attribution.owners
}

/// Keeps the owners up to date and passes on what happens.
pub(crate) struct Attribution<'a, 'v, V> {
    /// The owners at this moment of the walk.
    pub(crate) owners: Owners<'a>,
    /// The analysis that asks for them.
    pub(crate) visitor: &'v mut V,
}

impl<V: OwnerVisitor> Visitor for Attribution<'_, '_, V> {
    type Token = Rc<VectorClock>;

    fn began(&mut self, thread: ThreadId, _: u64, links: &Links<Self::Token>) {
        self.owners.began(thread, links);
        self.visitor.began(&mut self.owners, thread);
    }

    fn path_ended(&mut self, thread: ThreadId, done: &EndedPath) {
        for access in done.accesses.iter().filter(|access| access.is_access()) {
            self.visitor.accessed(&mut self.owners, thread, access);
        }
        // Parts of a path have no paths; the last one has.
        if done.actions.paths > 0 {
            self.owners.end_path(done);
        }
    }

    fn released(&mut self, thread: ThreadId) -> Self::Token {
        self.owners.clocks.released(thread)
    }

    fn ended(&mut self, thread: ThreadId, _: u64, event: Option<(Operation, &Synchronisation)>) {
        if let Some((of, event)) = event {
            self.visitor.ended(&mut self.owners, thread, of, event);
        }
    }

    fn acquired(
        &mut self,
        thread: ThreadId,
        of: Operation,
        event: &Synchronisation,
        _: &Links<Self::Token>,
    ) {
        self.owners.acquired(thread, of, event);
    }

    fn atomic_before(&mut self, thread: ThreadId, access: &MemoryAccess) {
        let part = self.owners.clocks.atomic_before(thread, access);
        self.visitor.atomic_before(thread, part);
    }

    fn atomic_after(&mut self, thread: ThreadId, access: &MemoryAccess) {
        self.owners.atomic_after(thread, access);
        self.visitor.atomic_after(&mut self.owners, thread, access);
    }

    fn allocated(&mut self, thread: ThreadId, allocation: &Allocation) {
        self.visitor.allocating(&mut self.owners, thread, allocation);
        self.owners.allocate(thread, allocation);
        self.visitor.allocated(allocation);
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
