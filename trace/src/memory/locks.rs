//! Whose memory locks and barriers are in.
//!
//! An address has a name only if it is the same object whenever a lock or a barrier is there.

use std::collections::HashMap;
use std::rc::Rc;

use pathformat::trace::{Allocation, Operation, Synchronisation};

use crate::memory::owner_names::OwnerNames;
use crate::memory::owners::{Owner, OwnerId, Owners};
use crate::memory::vector_clock::VectorClock;
use crate::order::item::{Done, Item, Touch};
use crate::order::releases::Links;
use crate::order::walk::{Input, Visitor, walk};

/// Names of locks and barriers, by their addresses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LockNames(HashMap<u64, String>);

impl LockNames {
    /// Those of these streams. Names may have bytes of the program that a terminal would obey.
    pub fn of<I: Iterator<Item = Item>>(
        inputs: Vec<Input<I>>,
        owners: Owners<'_>,
        names: &OwnerNames<'_>,
    ) -> Self {
        let mut locks = Locks { known: owners, found: HashMap::new(), pending: HashMap::new() };
        walk(inputs, &mut locks);
        let Locks { known, found, .. } = locks;
        let named = found.into_iter().filter_map(|(address, place)| {
            let (owner, start) = place?;
            let text = names.place(known.owner(owner), address.wrapping_sub(start));
            Some((address, text))
        });
        Self(named.collect())
    }

    /// The name of what is at an address, if it is known.
    pub fn name(&self, address: u64) -> Option<&str> {
        self.0.get(&address).map(String::as_str)
    }
}

struct Locks<'a> {
    known: Owners<'a>,
    /// By address, the owner and where its memory begins. `None` if that is not sure.
    found: HashMap<u64, Option<(OwnerId, u64)>>,
    /// By thread, the address of its last operation. Who gave the lock back may have allocated it.
    pending: HashMap<u32, u64>,
}

impl Locks<'_> {
    fn look(&mut self, thread: u32, address: u64) {
        let found = self.known.find(thread, address);
        let is_known = found.is_sure && *self.known.owner(found.owner) != Owner::Unknown;
        let place = is_known.then_some((found.owner, found.start));
        let known = self.found.entry(address).or_insert(place);
        if *known != place {
            *known = None;
        }
    }
}

impl Visitor for Locks<'_> {
    type Token = Rc<VectorClock>;

    fn began(&mut self, thread: u32, _: u64, links: &Links<Self::Token>) {
        self.known.began(thread, links);
        if let Some(address) = self.pending.remove(&thread) {
            self.look(thread, address);
        }
    }

    fn done(&mut self, _: u32, done: &Done) {
        // Parts of a path have no paths; the last one has.
        if done.actions.paths > 0 {
            self.known.end_path(done);
        }
    }

    fn released(&mut self, thread: u32) -> Self::Token {
        self.known.clocks.released(thread)
    }

    fn ended(&mut self, thread: u32, _: u64, event: Option<(Operation, &Synchronisation)>) {
        use Operation::{Barrier, Lock, LockShared, WaitCondition};
        let Some((of, event)) = event else { return };
        let address = match of {
            Lock | LockShared | Barrier => event.object.get(),
            WaitCondition => event.other.get(),
            _ => return,
        };
        self.pending.insert(thread, address);
    }

    fn acquired(
        &mut self,
        thread: u32,
        of: Operation,
        event: &Synchronisation,
        _: &Links<Self::Token>,
    ) {
        self.known.acquired(thread, of, event);
    }

    fn atomic_before(&mut self, thread: u32, touch: &Touch) {
        self.known.clocks.atomic_before(thread, touch);
    }

    fn atomic_after(&mut self, thread: u32, touch: &Touch) {
        self.known.atomic_after(thread, touch);
    }

    fn allocated(&mut self, thread: u32, allocation: &Allocation) {
        self.known.allocate(thread, allocation);
    }

    fn missing(&mut self, thread: u32) {
        self.known.missing(thread);
    }

    fn off(&mut self, _: u32) {
        self.known.off();
    }

    fn turn(&mut self, stream: usize, is_handler: bool) {
        self.known.turn(stream, is_handler);
    }
}
