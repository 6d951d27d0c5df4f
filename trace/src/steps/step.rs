//! The steps of a thread: the path, its activation, and its accesses.

use std::cell::RefCell;
use std::mem::take;
use std::rc::Rc;
use std::sync::Arc;

use pathformat::manifest::{AccessKind, Tickets};
use pathformat::trace::ADDRESS;
use profile::observer::Observer;

use crate::file::event::Event;
use crate::file::{Stream, Trace};
use crate::ids::StackId;
use crate::steps::activations::Activations;
use crate::steps::call_tree::CallTree;
use crate::steps::chunks::{ChunkEntry, Chunks, Gap};
use crate::steps::program::Program;
use crate::steps::traced_path::{AccessAddress, TracedPath, number};

/// The next entry of a stream.
#[derive(Clone, Debug)]
pub enum StreamEntry<A = Accessed> {
    /// A path ended.
    Step(Step<A>),
    /// An event between two paths.
    Event(Event),
    /// Records are missing here. Later activations are new ones.
    Gap(Gap),
}

/// A path that ended.
#[derive(Clone, Debug)]
pub struct Step<A = Accessed> {
    /// The number of its activation in the stream, from 0.
    pub activation: u64,
    /// The number of known activations below it on the stack.
    pub depth: usize,
    /// True if the trace has the activation from its beginning.
    pub is_whole: bool,
    /// The path.
    pub path: Arc<TracedPath>,
    /// Its accesses, in order.
    pub accesses: Vec<A>,
    /// The number of bytes that they access.
    pub(crate) bytes: u64,
    /// True if all have an address and a size.
    pub(crate) is_known: bool,
}

/// An access that happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accessed {
    /// Its block, and its index among the accesses of the block.
    pub at: (u32, u32),
    /// The kind of the access.
    pub kind: AccessKind,
    /// The index of its source location in its function, `u32::MAX` if it has none.
    pub location: u32,
    /// True if it is atomic.
    pub is_atomic: bool,
    /// The number of bytes that were accessed.
    pub size: u64,
    /// The address, if it is known.
    pub address: Option<u64>,
    /// The ticket that was taken before the access, 0 if it does not release.
    pub before: u64,
    /// The ticket that was taken after the access, 0 if it does not acquire.
    pub after: u64,
}

/// What a step keeps of each of its accesses.
pub(crate) trait OfAccess {
    /// Returns what it keeps of an access of a path with this stack of calls.
    fn of(accessed: Accessed, path: &TracedPath, stack: StackId) -> Self;
}

impl OfAccess for Accessed {
    fn of(accessed: Accessed, _: &TracedPath, _: StackId) -> Self {
        accessed
    }
}

/// The steps of a stream.
#[derive(Debug)]
pub struct Steps<'a, A = Accessed> {
    chunks: Chunks<'a>,
    program: &'a Program,
    activations: Activations,
    /// A path, and the number of times that it ends again.
    again: Option<(Arc<TracedPath>, u64)>,
    /// Memory for the accesses of the next step.
    spare: Vec<A>,
}

impl<'a> Steps<'a> {
    /// Returns the steps of a stream of a trace of a program. Reports each chunk to the observer.
    pub fn new(
        trace: &'a Trace,
        program: &'a Program,
        stream: &'a Stream,
        observer: &'a dyn Observer,
    ) -> Self {
        Self::of(trace, program, stream, observer)
    }
}

impl<'a, A> Steps<'a, A> {
    /// As [`new`](Steps::new), with an `A` for each access.
    pub(crate) fn of(
        trace: &'a Trace,
        program: &'a Program,
        stream: &'a Stream,
        observer: &'a dyn Observer,
    ) -> Self {
        let chunks = Chunks::new(trace, program, stream, observer);
        let activations = Activations::default();
        Self { chunks, program, activations, again: None, spare: Vec::new() }
    }

    /// Begins to add the stacks of calls of the stream, which has not begun, to a tree.
    pub(crate) fn add_calls(&mut self, calls: Rc<RefCell<CallTree>>) {
        self.activations = Activations::with_calls(calls);
    }

    /// Takes back the accesses of a step that is not needed any more, as memory for the next one.
    pub(crate) fn take_back(&mut self, mut accesses: Vec<A>) {
        accesses.clear();
        self.spare = accesses;
    }

    /// Returns the number of the chunk of the last entry; `None` if it is in no chunk.
    pub fn chunk(&self) -> Option<u64> {
        self.chunks.chunk()
    }
}

impl<A: OfAccess> Iterator for Steps<'_, A> {
    type Item = StreamEntry<A>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some((path, count)) = self.again.take() {
            if count > 1 {
                self.again = Some((path.clone(), count - 1));
            }
            return Some(StreamEntry::Step(step(
                self.program,
                &mut self.activations,
                path,
                &[],
                take(&mut self.spare),
            )));
        }
        Some(match self.chunks.next()? {
            ChunkEntry::Path(path, addresses, count) => {
                if count > 1 {
                    self.again = Some((path.clone(), count - 1));
                }
                let spare = take(&mut self.spare);
                StreamEntry::Step(step(self.program, &mut self.activations, path, addresses, spare))
            }
            ChunkEntry::Event(event) => StreamEntry::Event(event),
            ChunkEntry::Gap(gap) => {
                self.activations.clear();
                StreamEntry::Gap(gap)
            }
        })
    }
}

/// Returns the step of a path, whose accesses are added to `accesses`.
fn step<A: OfAccess>(
    program: &Program,
    activations: &mut Activations,
    path: Arc<TracedPath>,
    mut recorded: &[u8],
    mut accesses: Vec<A>,
) -> Step<A> {
    let (depth, activation) = activations.enter(&path);
    let (number, stack, is_whole) = (activation.number, activation.stack, activation.is_whole);
    accesses.reserve(path.accesses.len());
    let mut arrivals = path.arrivals.iter();
    let mut next = arrivals.next();
    let (mut bytes, mut is_known) = (0u64, true);
    for (behind, access) in path.accesses.iter().enumerate() {
        while let Some(arrival) = next.filter(|arrival| arrival.behind <= behind) {
            activation.arrive(arrival);
            next = arrivals.next();
        }
        let is_recorded = matches!(access.address, AccessAddress::Recorded);
        let address = if is_recorded { take_number(&mut recorded) } else { None };
        let address = activation.address(access.address, address);
        let size = access.size.or_else(|| take_number(&mut recorded));
        if let Some(place) = access.kept {
            let is_stride = access.kind == AccessKind::Stride;
            activation.keep(place, if is_stride { size } else { address });
        }
        if !access.kind.is_access() {
            continue;
        }
        let size = size.unwrap_or_default();
        bytes = bytes.saturating_add(size);
        let (mut before, mut after) = (0, 0);
        if matches!(access.tickets, Tickets::Before | Tickets::Both) {
            before = take_number(&mut recorded).unwrap_or_default();
        }
        if matches!(access.tickets, Tickets::After | Tickets::Both) {
            after = take_number(&mut recorded).unwrap_or_default();
        }
        is_known &= address.is_some() && size > 0;
        let accessed = Accessed {
            at: access.at,
            kind: access.kind,
            location: access.location,
            is_atomic: access.tickets != Tickets::None,
            size,
            address,
            before,
            after,
        };
        accesses.push(A::of(accessed, &path, stack));
    }
    next.into_iter().chain(arrivals).for_each(|arrival| activation.arrive(arrival));
    activations.end(program, &path);
    Step { activation: number, depth, is_whole, path, accesses, bytes, is_known }
}

/// Takes a number from the front of the recorded bytes.
fn take_number(recorded: &mut &[u8]) -> Option<u64> {
    let first = number(recorded)?;
    *recorded = &recorded[ADDRESS..];
    Some(first)
}
