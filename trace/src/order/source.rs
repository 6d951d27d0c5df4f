//! Reads the actions of streams from a trace.

use std::collections::{HashMap, VecDeque};

use pathformat::manifest::{AccessKind, Tickets};
use profile::observer::Observer;

use crate::file::event::Event;
use crate::file::{Stream, Trace};
use crate::ids::{StreamId, ThreadId};
use crate::order::item::{Actions, CodePlace, EndedPath, Item, MemoryAccess};
use crate::order::walk::{Input, Streams};
use crate::steps::chunks::Gap;
use crate::steps::program::Program;
use crate::steps::step::{Step, Steps, StreamEntry};
use crate::steps::time::Times;

/// The level of detail of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Only the numbers of accesses.
    Tasks,
    /// Each access.
    Accesses,
}

/// The actions of a stream.
#[derive(Debug)]
pub struct Items<'a> {
    program: &'a Program,
    steps: Steps<'a>,
    detail: Detail,
    ready: VecDeque<Item>,
    /// The latest time in the heads of its chunks.
    ends: Option<u64>,
}

/// Returns the streams of each thread, its own first. A handler that interrupts a stream which is
/// missing in the trace is a thread of its own.
pub fn threads(trace: &Trace) -> Vec<Vec<&Stream>> {
    let known: HashMap<StreamId, &Stream> =
        trace.streams.iter().map(|stream| (stream.number, stream)).collect();
    let root = |stream: &Stream| {
        let mut at = stream.number;
        // A handler may interrupt a handler, but no chain is longer than the number of streams.
        for _ in 0..=trace.streams.len() {
            match known.get(&at).and_then(|of| of.interrupts).filter(|of| known.contains_key(of)) {
                Some(outer) => at = outer,
                None => return at,
            }
        }
        stream.number
    };
    let mut threads: Vec<Vec<&Stream>> = Vec::new();
    let mut places: HashMap<StreamId, usize> = HashMap::new();
    for stream in &trace.streams {
        if root(stream) == stream.number {
            places.insert(stream.number, threads.len());
            threads.push(vec![stream]);
        }
    }
    for stream in &trace.streams {
        let root = root(stream);
        if let Some(&at) = places.get(&root).filter(|_| root != stream.number) {
            threads[at].push(stream);
        }
    }
    threads
}

/// Returns all streams of a trace, for a common walk. The first thread of the process ends with it,
/// at the last of its `times`. Reports each chunk to the observer.
pub fn inputs<'a>(
    trace: &'a Trace,
    program: &'a Program,
    times: &Times,
    detail: Detail,
    observer: &'a dyn Observer,
) -> Streams<Items<'a>> {
    let mut inputs = Vec::new();
    for (thread, streams) in (0..).map(ThreadId).zip(threads(trace)) {
        for (at, stream) in streams.into_iter().enumerate() {
            let is_first = at == 0 && stream.thread == trace.run.pid;
            inputs.push(Input {
                thread,
                is_handler: at > 0,
                begun: stream.chunks.first().map_or(0, |chunk| chunk.ticks),
                items: Items::of(trace, program, stream, detail, observer).until(if is_first {
                    times.last_ticks()
                } else {
                    0
                }),
            });
        }
    }
    Streams { inputs, is_partial: trace.run.partial }
}

impl<'a> Items<'a> {
    /// Returns the actions of a stream. Reports each chunk to the observer.
    fn of(
        trace: &'a Trace,
        program: &'a Program,
        stream: &'a Stream,
        detail: Detail,
        observer: &'a dyn Observer,
    ) -> Self {
        let ends = stream.chunks.iter().map(|chunk| chunk.ticks).max();
        let steps = Steps::new(trace, program, stream, observer);
        Self { program, steps, detail, ready: VecDeque::new(), ends }
    }

    /// Extends the end to at least this time.
    fn until(self, ticks: u64) -> Self {
        Self { ends: self.ends.max(Some(ticks).filter(|&ticks| ticks > 0)), ..self }
    }

    /// Queues the actions of a step for [`next`](Iterator::next).
    fn put(&mut self, step: &Step) {
        let path = &step.path;
        let function = path.function;
        let bytes = step.accesses.iter().map(|access| access.size).fold(0, u64::saturating_add);
        let actions = Actions {
            paths: 1,
            blocks: path.path.blocks.len() as u64,
            instructions: path.path.instructions,
            accesses: step.accesses.len() as u64,
            bytes,
        };
        let last = path.path.blocks.last().copied().unwrap_or(u32::MAX);
        let done = EndedPath { function, path: path.path.id, last, actions, accesses: Vec::new() };
        let mut accesses = Vec::new();
        if self.detail == Detail::Accesses {
            for accessed in &step.accesses {
                let Some(access) = self.program.access(path, accessed.at) else { continue };
                let (before, after) = (accessed.before, accessed.after);
                let touch = MemoryAccess {
                    address: accessed.address.unwrap_or_default(),
                    size: if accessed.address.is_some() { accessed.size } else { 0 },
                    kind: access.kind,
                    place: CodePlace { function, at: access.location.unwrap_or(u32::MAX) },
                    is_atomic: access.tickets != Tickets::None,
                    before: before.unwrap_or_default(),
                    after: after.unwrap_or_default(),
                };
                let orders = before.is_some() || after.is_some();
                if orders || touch.kind == AccessKind::Fence {
                    let part =
                        EndedPath { accesses: std::mem::take(&mut accesses), ..done.clone() };
                    if !part.accesses.is_empty() {
                        let actions = Actions::default();
                        self.ready.push_back(Item::Path(EndedPath { actions, ..part }));
                    }
                    self.ready.push_back(Item::Atomic(touch));
                } else if touch.size > 0 {
                    accesses.push(touch);
                }
            }
        }
        self.ready.push_back(Item::Path(EndedPath { accesses, ..done }));
    }
}

impl Iterator for Items<'_> {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        loop {
            if let Some(item) = self.ready.pop_front() {
                return Some(item);
            }
            match self.steps.next() {
                Some(StreamEntry::Step(step)) => self.put(&step),
                Some(StreamEntry::Event(Event::Synchronised(event))) => {
                    return Some(Item::Event(event));
                }
                Some(StreamEntry::Event(Event::Allocated(of))) => return Some(Item::Allocated(of)),
                Some(StreamEntry::Event(Event::Repeated(_) | Event::Other(_))) => {}
                // Synchronisation is recorded even while recording is off.
                Some(StreamEntry::Gap(Gap::Off)) => return Some(Item::Off),
                Some(StreamEntry::Gap(_)) => return Some(Item::Missing),
                None => return self.ends.take().map(Item::Ticks),
            }
        }
    }
}
