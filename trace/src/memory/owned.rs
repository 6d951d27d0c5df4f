//! Whose memory each access of a trace touches, for those who look at one stream after the other.
//!
//! Whose memory is depends on what all threads did before. So all streams are gone through at once,
//! in the order of what waited for what. What is found is kept for each stream, in a byte or two
//! for each access: the difference between the number of the object and that of the last one.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use pathformat::manifest::AccessKind;
use pathformat::trace::{Allocation, Operation, Synchronisation};
use pathformat::wire::{Reader, Sink};
use profile::observer::Observer;

use crate::file::Trace;
use crate::file::event::Event;
use crate::memory::frees::Frees;
use crate::memory::owners::{Found, Owner, OwnerId, Owners};
use crate::memory::vector_clock::VectorClock;
use crate::order::item::{Done, Touch};
use crate::order::releases::Links;
use crate::order::source::{Detail, inputs, threads};
use crate::order::walk::{Visitor, walk};
use crate::steps::program::Program;
use crate::steps::step::{Accessed, Told};
use crate::steps::time::Times;

/// An object: its owner, and where it begins.
type Place = (OwnerId, u64);

/// Whose memory the accesses of a trace touch.
#[derive(Debug)]
pub struct Owned<'a> {
    known: Owners<'a>,
    /// By number from 1; 0 is none that is known.
    objects: Vec<Place>,
    numbers: HashMap<Place, u32>,
    /// By index of the stream, what is kept.
    kept: Vec<Option<Kept>>,
    /// The index of each stream, by its number.
    streams: HashMap<u32, usize>,
    /// The stream that does something.
    stream: usize,
}

/// What is kept of a stream.
#[derive(Clone, Debug, Default)]
struct Kept {
    last: u32,
    differences: Vec<u8>,
}

/// Tells the objects of a stream in order.
#[derive(Debug)]
pub struct Objects<'a> {
    owned: &'a Owned<'a>,
    differences: Reader<'a>,
    /// The number of the last object.
    last: i64,
}

/// An object that is touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Object<'a> {
    /// Whose it is.
    pub owner: &'a Owner,
    /// How many bytes behind its beginning.
    pub offset: u64,
}

impl<'a> Owned<'a> {
    /// Those of the streams with these numbers. The observer is told of each chunk of the
    /// trace, twice.
    pub fn of(
        trace: &'a Trace,
        program: &'a Program,
        times: &Times,
        asked: &HashSet<u32>,
        observer: &dyn Observer,
    ) -> Self {
        let numbers: Vec<u32> =
            threads(trace).into_iter().flatten().map(|stream| stream.number).collect();
        let kept = numbers.iter().map(|number| asked.contains(number).then(Kept::default));
        let frees = Frees::of(inputs(trace, program, times, Detail::Accesses, observer));
        let mut owned = Self {
            known: Owners::of(program, frees, trace.run.partial),
            objects: Vec::new(),
            numbers: HashMap::new(),
            kept: kept.collect(),
            streams: numbers.iter().enumerate().map(|(at, number)| (*number, at)).collect(),
            stream: 0,
        };
        walk(inputs(trace, program, times, Detail::Accesses, observer), &mut owned);
        owned
    }

    /// What is touched by the stream with a number.
    pub fn stream(&self, number: u32) -> Objects<'_> {
        let at = self.streams.get(&number).copied();
        let kept = at.and_then(|at| self.kept.get(at)?.as_ref());
        let differences = kept.map_or(&[][..], |kept| kept.differences.as_slice());
        Objects { owned: self, differences: Reader::new(differences), last: 0 }
    }

    /// Keeps whose an address is.
    fn look(&mut self, thread: u32, address: u64) {
        if self.kept.get(self.stream).is_some_and(Option::is_some) {
            let found = self.known.find(thread, address);
            self.keep(found);
        }
    }

    fn keep(&mut self, found: Found) {
        let Some(Some(kept)) = self.kept.get_mut(self.stream) else { return };
        let mut number = 0;
        if found.is_sure && found.owner != OwnerId(0) {
            let place = (found.owner, found.start);
            let last = (kept.last as usize).checked_sub(1).and_then(|at| self.objects.get(at));
            number = match self.numbers.get(&place) {
                _ if last == Some(&place) => kept.last,
                Some(number) => *number,
                None => {
                    self.objects.push(place);
                    let number = u32::try_from(self.objects.len()).unwrap_or_default();
                    self.numbers.insert(place, number);
                    number
                }
            };
        }
        kept.differences.put_signed(i64::from(number) - i64::from(kept.last));
        kept.last = number;
    }

    fn touch(&mut self, thread: u32, touch: &Touch) {
        if touch.size > 0 && touch.kind != AccessKind::Fence {
            self.look(thread, touch.address);
        }
    }
}

/// The next difference between two numbers; 0 behind the last one.
fn difference(differences: &mut Reader<'_>) -> i64 {
    differences.signed().unwrap_or_default()
}

impl<'a> Objects<'a> {
    fn next(&mut self, address: u64) -> Option<Object<'a>> {
        self.last += difference(&mut self.differences);
        let at = usize::try_from(self.last).ok()?.checked_sub(1)?;
        let (owner, start) = *self.owned.objects.get(at)?;
        let owner = self.owned.known.owner(owner);
        Some(Object { owner, offset: address.wrapping_sub(start) })
    }

    /// What the stream touches next: for each access of a step what it touches; for an event the
    /// object of the operation and the mutex of one that waits for a condition, or the memory that
    /// is free. `None` is what is not known. All that the stream tells has to be asked for, in
    /// order.
    pub fn of(&mut self, program: &Program, told: &Told) -> Vec<Option<Object<'a>>> {
        match told {
            Told::Step(step) => {
                let mut object = |accessed: &Accessed| {
                    let kind = program.access(&step.path, accessed.at)?.kind;
                    let is_some = accessed.size > 0 && kind != AccessKind::Fence;
                    self.next(accessed.address.filter(|_| is_some)?)
                };
                step.accesses.iter().map(&mut object).collect()
            }
            Told::Event(Event::Synchronised(told)) => {
                let of = told.operation();
                let addresses = of.map(|of| addresses(of, told)).unwrap_or_default();
                addresses.into_iter().map(|address| self.next(address?)).collect()
            }
            Told::Event(Event::Allocated(told)) if told.former.get() > 0 => {
                vec![self.next(told.former.get())]
            }
            Told::Event(_) | Told::Gap(_) => Vec::new(),
        }
    }
}

/// The addresses of what an operation is done with.
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

impl Visitor for Owned<'_> {
    type Token = Rc<VectorClock>;

    fn began(&mut self, thread: u32, _: u64, links: &Links<Self::Token>) {
        self.known.began(thread, links);
    }

    fn done(&mut self, thread: u32, done: &Done) {
        done.touches.iter().for_each(|touch| self.touch(thread, touch));
        // Parts of a path have no paths; the last one has.
        if done.actions.paths > 0 {
            self.known.end_path(done);
        }
    }

    fn released(&mut self, thread: u32) -> Self::Token {
        self.known.clocks.released(thread)
    }

    fn ended(&mut self, thread: u32, _: u64, event: Option<(Operation, &Synchronisation)>) {
        if let Some((of, event)) = event {
            for address in addresses(of, event).into_iter().flatten() {
                let found = match of.order().releases() {
                    true => self.known.find_released(thread, address),
                    false => self.known.find(thread, address),
                };
                self.keep(found);
            }
        }
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
        self.touch(thread, touch);
    }

    fn allocated(&mut self, thread: u32, allocation: &Allocation) {
        if allocation.former.get() > 0 {
            self.look(thread, allocation.former.get());
        }
        self.known.allocate(thread, allocation);
    }

    fn missing(&mut self, thread: u32) {
        self.known.missing(thread);
    }

    fn off(&mut self, _: u32) {
        self.known.off();
    }

    fn turn(&mut self, stream: usize, is_handler: bool) {
        self.stream = stream;
        self.known.turn(stream, is_handler);
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
