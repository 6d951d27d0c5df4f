//! Reads the actions of streams from a trace.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::Rc;

use pathformat::manifest::AccessKind;
use pathformat::trace::RecordKind;
use profile::observer::Observer;

use crate::file::event::Event;
use crate::file::records::{Record, Records};
use crate::file::{Stream, Trace};
use crate::ids::{StackId, StreamId, ThreadId};
use crate::order::item::{Actions, CodePlace, EndedPath, Item, MemoryAccess};
use crate::order::walk::{Input, Streams};
use crate::steps::call_tree::CallTree;
use crate::steps::chunks::{ChunkEntry, Chunks, Gap};
use crate::steps::program::Program;
use crate::steps::shared_loops::SharedLoops;
use crate::steps::step::{Accessed, OfAccess, Step, Steps, StreamEntry};
use crate::steps::time::Times;
use crate::steps::traced_path::TracedPath;

/// The level of detail of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Only the numbers of accesses.
    Tasks,
    /// Those accesses that order threads.
    Orders,
    /// Each access.
    Accesses,
}

/// The actions of a stream.
#[derive(Debug)]
pub struct Items<'a> {
    records: Source<'a>,
    program: &'a Program,
    loops: SharedLoops,
    ready: VecDeque<Item>,
    /// The latest time in the heads of its chunks.
    ends: Option<u64>,
}

/// The records of a stream, in the detail of a walk.
#[derive(Debug)]
enum Source<'a> {
    /// Paths with the numbers of their accesses. Paths that ended several times in a row are one.
    Tasks(Chunks<'a>),
    /// Paths with their accesses, or with those that order threads.
    Accesses(Steps<'a, MemoryAccess>, bool),
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

/// Returns the threads in which traced code certainly ended no path.
pub(crate) fn workless(trace: &Trace) -> HashSet<ThreadId> {
    let mut buffer = Vec::new();
    let mut has_paths = |stream: &&Stream| {
        stream.chunks.iter().any(|chunk| {
            let Ok(content) = trace.content(chunk, &mut buffer) else { return true };
            let mut records = Records::new(content);
            // A path is an error: its length is not known here. Records may also stand for paths
            // that were repeated, lost or not recorded.
            loop {
                match records.next(|_| None) {
                    Ok(Some(Record::Event { kind: Some(kind), .. }))
                        if kind == RecordKind::Synchronised || kind == RecordKind::Allocated => {}
                    Ok(None) => return false,
                    _ => return true,
                }
            }
        })
    };
    let threads = (0..).map(ThreadId).zip(threads(trace));
    threads.filter(|(_, streams)| !streams.iter().any(&mut has_paths)).map(|of| of.0).collect()
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
    let has_orders = detail != Detail::Orders || program.has_ordered_accesses();
    let detail = if has_orders { detail } else { Detail::Tasks };
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
    Streams { inputs, is_partial: trace.run.partial, was_killed: trace.run.incomplete }
}

/// As [`inputs`], with each access, whose stacks of calls are added to a tree.
pub(crate) fn inputs_with_calls<'a>(
    trace: &'a Trace,
    program: &'a Program,
    times: &Times,
    observer: &'a dyn Observer,
    calls: &Rc<RefCell<CallTree>>,
) -> Streams<Items<'a>> {
    let mut streams = inputs(trace, program, times, Detail::Accesses, observer);
    for input in &mut streams.inputs {
        input.items.add_calls(calls);
    }
    streams
}

impl<'a> Items<'a> {
    fn add_calls(&mut self, calls: &Rc<RefCell<CallTree>>) {
        if let Source::Accesses(steps, _) = &mut self.records {
            steps.add_calls(calls.clone());
        }
    }

    /// Returns the actions of a stream. Reports each chunk to the observer.
    fn of(
        trace: &'a Trace,
        program: &'a Program,
        stream: &'a Stream,
        detail: Detail,
        observer: &'a dyn Observer,
    ) -> Self {
        let ends = stream.chunks.iter().map(|chunk| chunk.ticks).max();
        let records = match detail {
            Detail::Tasks => Source::Tasks(Chunks::new(trace, program, stream, observer)),
            Detail::Orders | Detail::Accesses => {
                let steps = Steps::of(trace, program, stream, observer);
                Source::Accesses(steps, detail == Detail::Orders)
            }
        };
        Self { records, program, loops: SharedLoops::default(), ready: VecDeque::new(), ends }
    }

    /// Extends the end to at least this time.
    fn until(self, ticks: u64) -> Self {
        Self { ends: self.ends.max(Some(ticks).filter(|&ticks| ticks > 0)), ..self }
    }
}

impl OfAccess for MemoryAccess {
    #[inline]
    fn of(accessed: Accessed, path: &TracedPath, stack: StackId) -> Self {
        Self {
            address: accessed.address.unwrap_or_default(),
            size: if accessed.address.is_some() { accessed.size } else { 0 },
            kind: accessed.kind,
            place: CodePlace { function: path.function, at: accessed.location },
            is_atomic: accessed.is_atomic,
            stack,
            before: accessed.before,
            after: accessed.after,
        }
    }
}

/// Adds the actions of a step: all of them, or only those that order threads. An `iteration` of a
/// shared loop may begin with a block of its path. Returns the accesses if no action has taken
/// them.
fn put(
    step: Step<MemoryAccess>,
    only_orders: bool,
    iteration: Option<u32>,
    ready: &mut VecDeque<Item>,
) -> Option<Vec<MemoryAccess>> {
    let path = &step.path;
    let done = ended(path, 1, step.bytes);
    if !path.orders && iteration.is_none() {
        let mut accesses = step.accesses;
        if only_orders {
            ready.push_back(Item::Path(done));
            return Some(accesses);
        }
        if !step.is_known {
            accesses.retain(|access| access.size > 0);
        }
        ready.push_back(Item::Path(EndedPath { accesses, ..done }));
        return None;
    }
    let mut accesses = Vec::new();
    let blocks = &path.path.blocks;
    let mut begins = iteration.and_then(|header| blocks.iter().position(|&at| at == header));
    for (&touch, block) in step.accesses.iter().zip(path.blocks_of_accesses()) {
        if let Some(header) = begins
            && blocks[header..].contains(&block)
        {
            begins = None;
            put_part(&done, &mut accesses, ready);
            ready.push_back(Item::Iteration);
        }
        let orders = touch.before > 0 || touch.after > 0;
        if only_orders && !orders {
            continue;
        }
        if orders || touch.kind == AccessKind::Fence {
            put_part(&done, &mut accesses, ready);
            ready.push_back(Item::Atomic(touch));
        } else if touch.size > 0 {
            accesses.push(touch);
        }
    }
    if begins.is_some() {
        put_part(&done, &mut accesses, ready);
        ready.push_back(Item::Iteration);
    }
    ready.push_back(Item::Path(EndedPath { accesses, ..done }));
    Some(step.accesses)
}

/// Adds the accesses of a part of a path, which counts as no path.
fn put_part(path: &EndedPath, accesses: &mut Vec<MemoryAccess>, ready: &mut VecDeque<Item>) {
    if !accesses.is_empty() {
        let (accesses, actions) = (std::mem::take(accesses), Actions::default());
        ready.push_back(Item::Path(EndedPath { accesses, actions, ..path.clone() }));
    }
}

/// Returns a path that ended `count` times and accessed this number of bytes each time.
fn ended(path: &TracedPath, count: u64, bytes: u64) -> EndedPath {
    let blocks = path.path.blocks.len() as u64;
    let actions = Actions {
        paths: count,
        blocks: blocks.saturating_mul(count),
        instructions: path.path.instructions.saturating_mul(count),
        accesses: path.num_accesses.saturating_mul(count),
        bytes: bytes.saturating_mul(count),
    };
    let last = path.path.blocks.last().copied().unwrap_or(u32::MAX);
    EndedPath {
        function: path.function,
        path: path.path.id,
        last,
        calls_for_user: path.calls_for_user,
        calls: path.calls,
        actions,
        accesses: Vec::new(),
    }
}

/// Returns the action that an event is, if it is one.
fn of_event(event: &Event) -> Option<Item> {
    match event {
        Event::Synchronised(event) => Some(Item::Event(*event)),
        Event::Allocated(of) => Some(Item::Allocated(*of)),
        Event::Repeated(_) | Event::Other(_) => None,
    }
}

/// Returns the action that stands for missing records.
fn of_gap(gap: &Gap) -> Item {
    // Synchronisation is recorded even while recording is off.
    if *gap == Gap::Off { Item::Off } else { Item::Missing }
}

impl Iterator for Items<'_> {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        loop {
            if let Some(item) = self.ready.pop_front() {
                return Some(item);
            }
            let found = match &mut self.records {
                Source::Tasks(chunks) => match chunks.next() {
                    Some(ChunkEntry::Path(path, recorded, count)) => {
                        Some(Item::Path(ended(&path, count, path.accessed_bytes(recorded))))
                    }
                    Some(ChunkEntry::Event(event)) => of_event(&event),
                    Some(ChunkEntry::Gap(gap)) => Some(of_gap(&gap)),
                    None => return self.ends.take().map(Item::Ticks),
                },
                Source::Accesses(steps, only_orders) => match steps.next() {
                    Some(StreamEntry::Step(step)) => {
                        let iteration = self.loops.iteration(&step);
                        let ready = &mut self.ready;
                        if let Some(spare) = put(step, *only_orders, iteration, ready) {
                            steps.take_back(spare);
                        }
                        None
                    }
                    Some(StreamEntry::Event(event)) => {
                        if let Event::Synchronised(event) = &event {
                            self.loops.note(self.program, event);
                        }
                        of_event(&event)
                    }
                    Some(StreamEntry::Gap(gap)) => Some(of_gap(&gap)),
                    None => return self.ends.take().map(Item::Ticks),
                },
            };
            if found.is_some() {
                return found;
            }
        }
    }
}
