//! The owner of the memory of each access of a trace, for analyses of one stream after the other.
//!
//! The owner of memory depends on the earlier actions of all threads. So all streams are walked at
//! once, in the order of their synchronisation. The results are kept for each stream, in a byte or
//! two for each access: the difference between the number of the object and that of the previous
//! one.

use std::collections::{HashMap, HashSet};

use pathformat::manifest::AccessKind;
use pathformat::trace::{Allocation, Operation, Synchronisation};
use pathformat::wire::{Reader, Sink};
use profile::observer::Observer;

use crate::file::Trace;
use crate::file::event::Event;
use crate::ids::{StreamId, ThreadId};
use crate::memory::frees::Frees;
use crate::memory::owner_walk::{OwnerVisitor, walk_with_owners};
use crate::memory::owners::{Owner, OwnerId, OwnerLookup, Owners};
use crate::order::item::MemoryAccess;
use crate::order::source::{Detail, inputs, threads};
use crate::order::walk::OperationEvent;
use crate::steps::program::Program;
use crate::steps::step::{Accessed, StreamEntry};
use crate::steps::time::Times;

/// An object: its owner, and its first byte.
type ObjectStart = (OwnerId, u64);

/// The objects that the accesses of a trace access.
#[derive(Debug)]
pub struct Owned<'a> {
    owners: Owners<'a>,
    numbering: Numbering,
    /// The index of each stream, by its number.
    streams: HashMap<StreamId, usize>,
}

/// Numbers objects in the order in which they are found, and keeps the numbers of each stream.
#[derive(Debug, Default)]
struct Numbering {
    /// The objects by number from 1; 0 is an unknown object.
    objects: Vec<ObjectStart>,
    numbers: HashMap<ObjectStart, u32>,
    /// The numbers that are kept, by index of the stream.
    kept: Vec<Option<ObjectNumbers>>,
    /// The current stream.
    stream: usize,
}

/// The object numbers of a stream.
#[derive(Clone, Debug, Default)]
struct ObjectNumbers {
    last: u32,
    differences: Vec<u8>,
}

/// The objects that a stream accesses, in order.
#[derive(Debug)]
pub struct Objects<'a> {
    owned: &'a Owned<'a>,
    differences: Reader<'a>,
    /// The number of the last object.
    last: i64,
}

/// An object that is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Object<'a> {
    /// Its owner.
    pub owner: &'a Owner,
    /// The offset of the access from the beginning of the object, in bytes.
    pub offset: u64,
}

impl<'a> Owned<'a> {
    /// Determines the objects of the streams with these numbers. Reports each chunk of the trace to
    /// the observer, twice.
    pub fn of(
        trace: &'a Trace,
        program: &'a Program,
        times: &Times,
        selected: &HashSet<StreamId>,
        observer: &dyn Observer,
    ) -> Self {
        let numbers: Vec<StreamId> =
            threads(trace).into_iter().flatten().map(|stream| stream.number).collect();
        let kept =
            numbers.iter().map(|number| selected.contains(number).then(ObjectNumbers::default));
        let mut numbering = Numbering { kept: kept.collect(), ..Numbering::default() };
        let streams = |detail| inputs(trace, program, times, detail, observer);
        let frees = Frees::of(streams(Detail::Orders));
        let owners = Owners::of(program, frees, trace.run.partial);
        let owners = walk_with_owners(streams(Detail::Accesses), owners, &mut numbering);
        let streams = numbers.iter().enumerate().map(|(at, number)| (*number, at)).collect();
        Self { owners, numbering, streams }
    }

    /// Returns the objects that the stream with a number accesses.
    pub fn stream(&self, number: StreamId) -> Objects<'_> {
        let at = self.streams.get(&number).copied();
        let kept = at.and_then(|at| self.numbering.kept.get(at)?.as_ref());
        let differences = kept.map_or(&[][..], |kept| kept.differences.as_slice());
        Objects { owned: self, differences: Reader::new(differences), last: 0 }
    }
}

impl Numbering {
    /// Keeps the object of an address.
    fn look(&mut self, owners: &mut Owners<'_>, thread: ThreadId, address: u64) {
        if self.kept.get(self.stream).is_some_and(Option::is_some) {
            self.keep(owners.find(thread, address));
        }
    }

    fn keep(&mut self, found: OwnerLookup) {
        let Some(Some(kept)) = self.kept.get_mut(self.stream) else { return };
        let mut number = 0;
        if found.is_sure && found.owner != OwnerId(0) {
            let object = (found.owner, found.start);
            let last = (kept.last as usize).checked_sub(1).and_then(|at| self.objects.get(at));
            number = match self.numbers.get(&object) {
                _ if last == Some(&object) => kept.last,
                Some(number) => *number,
                None => {
                    self.objects.push(object);
                    let number = u32::try_from(self.objects.len()).unwrap_or_default();
                    self.numbers.insert(object, number);
                    number
                }
            };
        }
        kept.differences.put_signed(i64::from(number) - i64::from(kept.last));
        kept.last = number;
    }
}

/// Reads the next difference between two numbers; 0 behind the last one.
fn difference(differences: &mut Reader<'_>) -> i64 {
    differences.signed().unwrap_or_default()
}

impl<'a> Objects<'a> {
    fn next(&mut self, address: u64) -> Option<Object<'a>> {
        self.last += difference(&mut self.differences);
        let at = usize::try_from(self.last).ok()?.checked_sub(1)?;
        let (owner, start) = *self.owned.numbering.objects.get(at)?;
        let owner = self.owned.owners.owner(owner);
        Some(Object { owner, offset: address.wrapping_sub(start) })
    }

    /// Returns the objects that the stream accesses next: for a step, one for each access; for an
    /// event, the object of the operation and the mutex of a wait for a condition, or the memory
    /// that is freed. `None` is an unknown object. The entries of the stream must be passed in
    /// order, without omissions.
    pub fn of(&mut self, entry: &StreamEntry) -> Vec<Option<Object<'a>>> {
        match entry {
            StreamEntry::Step(step) => {
                let mut object = |accessed: &Accessed| {
                    let is_some = accessed.size > 0 && accessed.kind != AccessKind::Fence;
                    self.next(accessed.address.filter(|_| is_some)?)
                };
                step.accesses.iter().map(&mut object).collect()
            }
            StreamEntry::Event(Event::Synchronised(event)) => {
                let of = event.operation();
                let addresses = of.map(|of| addresses(of, event)).unwrap_or_default();
                addresses.into_iter().map(|address| self.next(address?)).collect()
            }
            StreamEntry::Event(Event::Allocated(event)) if event.frees() => {
                vec![self.next(event.former.get())]
            }
            StreamEntry::Event(_) | StreamEntry::Gap(_) => Vec::new(),
        }
    }
}

/// Returns the addresses of the objects of an operation.
fn addresses(of: Operation, event: &Synchronisation) -> [Option<u64>; 2] {
    use Operation::{
        Barrier, Broadcast, Lock, LockShared, Once, Post, Signal, Take, Unlock, WaitCondition,
    };
    let (object, other) = (event.object.get(), event.other.get());
    match of {
        Lock | LockShared | Unlock | Signal | Broadcast | Barrier | Post | Take | Once => {
            [Some(object), None]
        }
        WaitCondition => [Some(object), Some(other)],
        _ => [None, None],
    }
}

impl OwnerVisitor for Numbering {
    type Token = ();

    fn released(&mut self, _: ThreadId, _: Option<OperationEvent<'_>>) {}

    fn accessed(&mut self, owners: &mut Owners<'_>, thread: ThreadId, access: &MemoryAccess) {
        self.look(owners, thread, access.address);
    }

    fn ended(
        &mut self,
        owners: &mut Owners<'_>,
        thread: ThreadId,
        of: Operation,
        event: &Synchronisation,
    ) {
        for address in addresses(of, event).into_iter().flatten() {
            let found = match of.order().releases() {
                true => owners.find_released(thread, address),
                false => owners.find(thread, address),
            };
            self.keep(found);
        }
    }

    fn freed(&mut self, owners: &mut Owners<'_>, thread: ThreadId, allocation: &Allocation) {
        self.look(owners, thread, allocation.former.get());
    }

    fn turn(&mut self, stream: usize) {
        self.stream = stream;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        let numbers = [0, 1, -1, 63, 64, -64, -65, 8191, 8192, i32::MAX, i32::MIN, 7];
        let numbers = numbers.map(i64::from);
        let mut bytes = Vec::new();
        numbers.iter().for_each(|number| bytes.put_signed(*number));
        let mut rest = Reader::new(&bytes);
        assert_eq!(numbers.map(|_| difference(&mut rest)), numbers);
        assert_eq!((rest.rest().len(), difference(&mut rest)), (0, 0));
    }
}
