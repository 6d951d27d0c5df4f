//! What a thread did, step by step: which path of which activation, and what it accessed.

use std::sync::Arc;

use pathformat::manifest::{AccessKind, Address, Tickets};
use pathformat::trace::ADDRESS;
use profile::observer::Observer;

use crate::file::event::Event;
use crate::file::{Stream, Trace};
use crate::steps::activations::Activations;
use crate::steps::chunks::{ChunkEntry, Chunks, Gap};
use crate::steps::program::Program;
use crate::steps::traced_path::TracedPath;

/// What a stream tells next.
#[derive(Clone, Debug)]
pub enum StreamEntry {
    /// A path ended.
    Step(Step),
    /// Something happened between two paths.
    Event(Event),
    /// Records are missing, so that the activations behind are others.
    Gap(Gap),
}

/// A path that ended.
#[derive(Clone, Debug)]
pub struct Step {
    /// Which activation of the stream it belongs to, from 0.
    pub activation: u64,
    /// How many activations are known to be around that one.
    pub depth: usize,
    /// Whether the trace has the activation from its beginning.
    pub is_whole: bool,
    /// The path.
    pub path: Arc<TracedPath>,
    /// What it accessed, in order.
    pub accesses: Vec<Accessed>,
}

/// An access that happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accessed {
    /// Its block, and its index among the accesses there.
    pub at: (u32, u32),
    /// How many bytes were accessed.
    pub size: u64,
    /// The address, if it is known.
    pub address: Option<u64>,
    /// The ticket that was taken before it, if it releases.
    pub before: Option<u64>,
    /// The ticket that was taken after it, if it acquires.
    pub after: Option<u64>,
}

/// The steps of a stream.
#[derive(Debug)]
pub struct Steps<'a> {
    chunks: Chunks<'a>,
    program: &'a Program,
    activations: Activations,
    /// A path that ends so many times more.
    again: Option<(Arc<TracedPath>, u64)>,
}

impl<'a> Steps<'a> {
    /// The steps of a stream of a trace of a program. The observer is told of each chunk.
    pub fn new(
        trace: &'a Trace,
        program: &'a Program,
        stream: &'a Stream,
        observer: &'a dyn Observer,
    ) -> Self {
        let chunks = Chunks::new(trace, program, stream, observer);
        Self { chunks, program, activations: Activations::default(), again: None }
    }

    /// The number of the chunk that the last one is in; `None` if it is in none.
    pub fn chunk(&self) -> Option<u64> {
        self.chunks.chunk()
    }
}

impl Iterator for Steps<'_> {
    type Item = StreamEntry;

    fn next(&mut self) -> Option<StreamEntry> {
        if let Some((path, count)) = self.again.take() {
            if count > 1 {
                self.again = Some((path.clone(), count - 1));
            }
            return Some(StreamEntry::Step(step(self.program, &mut self.activations, path, &[])));
        }
        Some(match self.chunks.next()? {
            ChunkEntry::Path(path, addresses, count) => {
                if count > 1 {
                    self.again = Some((path.clone(), count - 1));
                }
                StreamEntry::Step(step(self.program, &mut self.activations, path, addresses))
            }
            ChunkEntry::Event(event) => StreamEntry::Event(event),
            ChunkEntry::Gap(gap) => {
                self.activations.clear();
                StreamEntry::Gap(gap)
            }
        })
    }
}

/// The step that a path makes.
fn step(
    program: &Program,
    activations: &mut Activations,
    path: Arc<TracedPath>,
    mut recorded: &[u8],
) -> Step {
    let (depth, activation) = activations.enter(&path);
    let (number, is_whole) = (activation.number, activation.is_whole);
    let mut accesses = Vec::with_capacity(path.accesses.len());
    if let Some(of) = program.functions.get(path.function.index()) {
        let mut arrivals = path.arrivals.iter().peekable();
        for (behind, &at) in path.accesses.iter().enumerate() {
            while let Some(arrival) = arrivals.next_if(|arrival| arrival.behind <= behind) {
                activation.arrive(of, arrival);
            }
            let Some(access) = program.access(&path, at) else { continue };
            let address = (access.address == Address::Recorded).then(|| take(&mut recorded));
            let address = activation.address(of, at, access, address.flatten());
            let is_known = access.size > 0 || !access.kind.has_size();
            let size = if is_known { Some(access.size) } else { take(&mut recorded) };
            if access.kind == AccessKind::Stride {
                activation.set_stride(at, size);
            }
            if !access.kind.is_access() {
                continue;
            }
            let mut ticket = |of: [Tickets; 2]| {
                of.contains(&access.tickets).then(|| take(&mut recorded)).flatten()
            };
            let before = ticket([Tickets::Before, Tickets::Both]);
            let after = ticket([Tickets::After, Tickets::Both]);
            accesses.push(Accessed { at, size: size.unwrap_or_default(), address, before, after });
        }
        arrivals.for_each(|arrival| activation.arrive(of, arrival));
    }
    activations.end(program, &path);
    Step { activation: number, depth, is_whole, path, accesses }
}

/// Takes a number from the front of what was recorded.
fn take(recorded: &mut &[u8]) -> Option<u64> {
    let (first, rest) = recorded.split_first_chunk::<ADDRESS>()?;
    *recorded = rest;
    let mut bytes = [0; 8];
    bytes[..ADDRESS].copy_from_slice(first);
    Some(u64::from_le_bytes(bytes))
}
