//! The owners of the memory of locks and barriers.
//!
//! An address has a name only if it belongs to the same object at each operation on a lock or
//! barrier.

use std::collections::HashMap;

use pathformat::trace::{Operation, Synchronisation};

use crate::ids::ThreadId;
use crate::memory::owner_names::OwnerNames;
use crate::memory::owner_walk::OwnerVisitor;
use crate::memory::owners::{Owner, OwnerId, Owners};
use crate::order::walk::OperationEvent;

/// Names of locks and barriers, by their addresses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LockNames(HashMap<u64, String>);

impl LockNames {
    /// Returns the name of the object at an address, if it is known.
    pub fn name(&self, address: u64) -> Option<&str> {
        self.0.get(&address).map(String::as_str)
    }
}

/// The search for the owners of locks and barriers.
#[derive(Debug, Default)]
pub(crate) struct LockSearch {
    /// The owner and the first byte of its memory, by address. `None` if it is not sure.
    found: HashMap<u64, Option<(OwnerId, u64)>>,
    /// The address of the last operation, by thread. The thread that unlocked may have allocated
    /// it.
    pending: HashMap<ThreadId, u64>,
}

impl LockSearch {
    /// Returns the names of the objects that were found. They may have control characters.
    pub(crate) fn names(self, owners: &Owners<'_>, names: &OwnerNames<'_>) -> LockNames {
        let named = self.found.into_iter().filter_map(|(address, object)| {
            let (owner, start) = object?;
            let text = names.place(owners.owner(owner), address.wrapping_sub(start));
            Some((address, text))
        });
        LockNames(named.collect())
    }

    fn look(&mut self, owners: &mut Owners<'_>, thread: ThreadId, address: u64) {
        let found = owners.find(thread, address);
        let is_known = found.is_sure && *owners.owner(found.owner) != Owner::Unknown;
        let object = is_known.then_some((found.owner, found.start));
        let first = self.found.entry(address).or_insert(object);
        if *first != object {
            *first = None;
        }
    }
}

impl OwnerVisitor for LockSearch {
    type Token = ();

    fn released(&mut self, _: ThreadId, _: Option<OperationEvent<'_>>) {}

    fn began(&mut self, owners: &mut Owners<'_>, thread: ThreadId) {
        if let Some(address) = self.pending.remove(&thread) {
            self.look(owners, thread, address);
        }
    }

    fn ended(
        &mut self,
        _: &mut Owners<'_>,
        thread: ThreadId,
        of: Operation,
        event: &Synchronisation,
    ) {
        use Operation::{Barrier, Lock, LockShared, WaitCondition};
        let address = match of {
            Lock | LockShared | Barrier => event.object.get(),
            WaitCondition => event.other.get(),
            _ => return,
        };
        self.pending.insert(thread, address);
    }
}
