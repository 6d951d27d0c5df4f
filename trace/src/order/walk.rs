//! Walks all streams together, in the order of tickets.
//!
//! The order is a linear extension of the waits: a task begins after the ends of all tasks that it
//! waited for. The actions of a task are passed on at once, so that none has to be kept.
//!
//! A process that is killed loses what each thread did since its last path or event ended. A
//! release may be among it: then its ticket is missing, since tickets are consecutive. What a
//! thread did before it stopped is thus ordered before all acquires behind a missing ticket that
//! may have been its own. Else what it had ordered would look unordered.
//!
//! A signal handler belongs to the thread that it interrupts. The tickets of its events give their
//! positions in the thread. The trace does not record the positions of its paths: they follow the
//! preceding event of the handler.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet, VecDeque};

use pathformat::manifest::AccessKind;
use pathformat::trace::{Allocation, Operation, Order, Synchronisation};

use crate::ids::{StackId, ThreadId};
use crate::order::item::{CodePlace, EndedPath, Item, MemoryAccess};
use crate::order::objects::Objects;
use crate::order::releases::{Links, Released};
use crate::order::waiting::{Waiting, ends_message};

/// A stream of the walk.
#[derive(Debug)]
pub struct Input<I> {
    /// The index of its thread.
    pub thread: ThreadId,
    /// True if it is the stream of a signal handler.
    pub is_handler: bool,
    /// The time at which it began, in ticks.
    pub begun: u64,
    /// Its actions.
    pub items: I,
}

/// All streams of a trace, for a common walk.
#[derive(Debug)]
pub struct Streams<I> {
    /// The streams: a thread's own stream comes before its handlers'.
    pub inputs: Vec<Input<I>>,
    /// True if records may be missing anywhere, without a gap at their position.
    pub is_partial: bool,
    /// True if the process was killed, so that threads stop without an event.
    pub was_killed: bool,
}

impl<I> Streams<I> {
    /// Returns the number of gaps that are known before the walk: 1 if the trace is partial.
    pub fn missing(&self) -> u64 {
        u64::from(self.is_partial)
    }

    /// Returns the number of threads.
    pub fn num_threads(&self) -> usize {
        self.inputs.iter().map(|input| input.thread.index() + 1).max().unwrap_or_default()
    }
}

impl<I> FromIterator<Input<I>> for Streams<I> {
    /// Collects streams without missing records.
    fn from_iter<T: IntoIterator<Item = Input<I>>>(inputs: T) -> Self {
        Self { inputs: inputs.into_iter().collect(), is_partial: false, was_killed: false }
    }
}

/// An operation, and its event.
pub type OperationEvent<'a> = (Operation, &'a Synchronisation);

/// An analysis that receives all actions of the streams of a trace.
pub trait Visitor {
    /// The data that a release passes on to the tasks that wait for it.
    type Token: Clone;

    /// Called when the next task begins, after the last one of its thread and those that it waited
    /// for.
    fn began(&mut self, thread: ThreadId, ticks: u64, links: &Links<Self::Token>);

    /// Called when a path of the current task of a thread, or a part of it, has ended.
    fn path_ended(&mut self, _thread: ThreadId, _done: &EndedPath) {}

    /// Called for a release by an operation, or by the end of a stream, and returns its token. An
    /// acquirer is ordered after everything that the current task of this thread has done.
    fn released(&mut self, thread: ThreadId, event: Option<OperationEvent<'_>>) -> Self::Token;

    /// Called when the current task of a thread has ended. There is no event if its stream has
    /// ended.
    fn ended(&mut self, thread: ThreadId, ticks: u64, event: Option<OperationEvent<'_>>);

    /// Called for an operation that orders nothing, and for the beginning of a wait that has an
    /// event of its own.
    fn noted(&mut self, _thread: ThreadId, _of: Operation, _event: &Synchronisation) {}

    /// Called where a thread goes on with the next iteration of a loop whose work is shared.
    fn iterated(&mut self, _thread: ThreadId) {}

    /// Called when an operation that acquires has ended, with all releases that it waited for.
    fn acquired(&mut self, _: ThreadId, _: Operation, _: &Synchronisation, _: &Links<Self::Token>) {
    }

    /// Called when an atomic access releases its address.
    fn atomic_before(&mut self, _thread: ThreadId, _touch: &MemoryAccess) {}

    /// Called when an atomic access has happened. It acquires its address if it has a ticket for
    /// that.
    fn atomic_after(&mut self, _thread: ThreadId, _touch: &MemoryAccess) {}

    /// Called before memory is freed, or gets another size where it is.
    fn freed(&mut self, _thread: ThreadId, _allocation: &Allocation) {}

    /// Called when memory was allocated, or has another size where it is.
    fn allocated(&mut self, _thread: ThreadId, _allocation: &Allocation) {}

    /// Called where records of a thread are missing.
    fn missing(&mut self, _thread: ThreadId) {}

    /// Called where recording of a thread's paths and allocations was off.
    fn off(&mut self, _thread: ThreadId) {}

    /// Called before the actions of the stream with this index, which may be a signal handler's.
    fn turn(&mut self, _stream: usize, _is_handler: bool) {}
}

/// Two visitors in one walk.
impl<A: Visitor, B: Visitor> Visitor for (&mut A, &mut B) {
    type Token = (A::Token, B::Token);

    fn began(&mut self, thread: ThreadId, ticks: u64, links: &Links<Self::Token>) {
        let (first, second) = split(links);
        self.0.began(thread, ticks, &first);
        self.1.began(thread, ticks, &second);
    }

    fn path_ended(&mut self, thread: ThreadId, done: &EndedPath) {
        self.0.path_ended(thread, done);
        self.1.path_ended(thread, done);
    }

    fn released(&mut self, thread: ThreadId, event: Option<OperationEvent<'_>>) -> Self::Token {
        (self.0.released(thread, event), self.1.released(thread, event))
    }

    fn ended(&mut self, thread: ThreadId, ticks: u64, event: Option<OperationEvent<'_>>) {
        self.0.ended(thread, ticks, event);
        self.1.ended(thread, ticks, event);
    }

    fn noted(&mut self, thread: ThreadId, of: Operation, event: &Synchronisation) {
        self.0.noted(thread, of, event);
        self.1.noted(thread, of, event);
    }

    fn iterated(&mut self, thread: ThreadId) {
        self.0.iterated(thread);
        self.1.iterated(thread);
    }

    fn acquired(
        &mut self,
        thread: ThreadId,
        of: Operation,
        event: &Synchronisation,
        links: &Links<Self::Token>,
    ) {
        let (first, second) = split(links);
        self.0.acquired(thread, of, event, &first);
        self.1.acquired(thread, of, event, &second);
    }

    fn atomic_before(&mut self, thread: ThreadId, access: &MemoryAccess) {
        self.0.atomic_before(thread, access);
        self.1.atomic_before(thread, access);
    }

    fn atomic_after(&mut self, thread: ThreadId, access: &MemoryAccess) {
        self.0.atomic_after(thread, access);
        self.1.atomic_after(thread, access);
    }

    fn freed(&mut self, thread: ThreadId, allocation: &Allocation) {
        self.0.freed(thread, allocation);
        self.1.freed(thread, allocation);
    }

    fn allocated(&mut self, thread: ThreadId, allocation: &Allocation) {
        self.0.allocated(thread, allocation);
        self.1.allocated(thread, allocation);
    }

    fn missing(&mut self, thread: ThreadId) {
        self.0.missing(thread);
        self.1.missing(thread);
    }

    fn off(&mut self, thread: ThreadId) {
        self.0.off(thread);
        self.1.off(thread);
    }

    fn turn(&mut self, stream: usize, is_handler: bool) {
        self.0.turn(stream, is_handler);
        self.1.turn(stream, is_handler);
    }
}

/// Splits the links of two visitors.
pub(crate) fn split<A: Clone, B: Clone>(links: &Links<(A, B)>) -> (Links<A>, Links<B>) {
    let (mut first, mut second) = (Links::with_capacity(links.len()), Vec::new());
    for (link, Released { thread, ticket, token: (one, other) }) in links {
        let (thread, ticket) = (*thread, *ticket);
        first.push((*link, Released { thread, ticket, token: one.clone() }));
        second.push((*link, Released { thread, ticket, token: other.clone() }));
    }
    (first, second)
}

/// An action of a stream that waits for its turn.
#[derive(Clone, Copy, Debug)]
enum Pending {
    Event(Operation, Synchronisation),
    /// The second half of an operation.
    After(Operation, Synchronisation),
    Atomic(MemoryAccess),
    AtomicAfter(MemoryAccess),
    Free(Allocation),
    Allocate(Allocation),
}

/// The state of a thread.
#[derive(Debug)]
struct Thread<T> {
    /// True if a task is running.
    is_open: bool,
    /// True if it has had a task or an event.
    has_begun: bool,
    /// True if its end is recorded.
    has_ended: bool,
    /// The time at which the next task begins, in ticks.
    from: u64,
    /// The latest known time.
    latest: u64,
    /// The releases that the next task waited for.
    links: Links<T>,
    waiting: Waiting,
}

/// The result of a wait that was left by cancellation (`ECANCELED`).
const CANCELLED: u32 = 125;

struct Walk<'a, I, V: Visitor> {
    inputs: Vec<Input<I>>,
    /// The next actions of each stream that were read in advance.
    ahead: Vec<VecDeque<Item>>,
    /// The last wait of each stream for a condition, if it has no end. If anything of the thread
    /// follows, the thread was cancelled, and its handlers run with the lock. They give it back at
    /// the next ticket or later.
    left: Vec<Option<Synchronisation>>,
    pending: Vec<Option<Pending>>,
    turns: BinaryHeap<Reverse<(u64, usize)>>,
    threads: Vec<Thread<V::Token>>,
    objects: Objects<V::Token>,
    lost: Option<LostReleases>,
    visitor: &'a mut V,
}

/// The releases that a process may have lost when it was killed.
#[derive(Debug, Default)]
struct LostReleases {
    /// The last ticket that had its turn, and the last one before it that is missing.
    ticket: u64,
    missing: u64,
    /// The threads that stopped, and the last ticket before that.
    stopped: Vec<(ThreadId, u64)>,
    /// The threads that are ordered behind one that stopped.
    followed: HashSet<(ThreadId, ThreadId)>,
}

impl LostReleases {
    /// Notes the ticket that has its turn.
    fn turn(&mut self, ticket: u64) {
        if ticket > self.ticket + 1 {
            self.missing = ticket - 1;
        }
        self.ticket = self.ticket.max(ticket);
    }

    /// Returns the threads that may have released something to this one, each once.
    fn followed_by(&mut self, thread: ThreadId) -> Vec<ThreadId> {
        let (missing, followed) = (self.missing, &mut self.followed);
        let may_release = self.stopped.iter().filter(|of| of.0 != thread && missing > of.1);
        may_release.map(|of| of.0).filter(|&of| followed.insert((of, thread))).collect()
    }
}

/// What stands for a lost release of a thread, or for an acquire of it: a fence at an address that
/// no program has.
fn lost_release(of: ThreadId, is_acquired: bool) -> MemoryAccess {
    MemoryAccess {
        address: u64::MAX - of.index() as u64,
        size: 0,
        kind: AccessKind::Fence,
        place: CodePlace::NONE,
        is_atomic: true,
        stack: StackId::NONE,
        before: u64::from(!is_acquired),
        after: u64::from(is_acquired),
    }
}

/// Walks the streams, and passes all their actions to a visitor.
pub fn walk<I: Iterator<Item = Item>, V: Visitor>(streams: Streams<I>, visitor: &mut V) {
    let threads = streams.num_threads();
    let lost = streams.was_killed.then(LostReleases::default);
    let inputs = streams.inputs;
    let thread = || Thread {
        is_open: false,
        has_begun: false,
        has_ended: false,
        from: 0,
        latest: 0,
        links: Links::new(),
        waiting: Waiting::default(),
    };
    let mut walk = Walk {
        ahead: inputs.iter().map(|_| VecDeque::new()).collect(),
        left: vec![None; inputs.len()],
        pending: inputs.iter().map(|_| None).collect(),
        turns: BinaryHeap::new(),
        threads: std::iter::repeat_with(thread).take(threads).collect(),
        objects: Objects::default(),
        lost,
        visitor,
        inputs,
    };
    // Threads come first: a handler belongs to a task that has begun.
    for handlers in [false, true] {
        for stream in 0..walk.inputs.len() {
            let Input { thread, is_handler, begun, .. } = walk.inputs[stream];
            if is_handler == handlers {
                let thread = &mut walk.threads[thread.index()];
                if !is_handler {
                    (thread.from, thread.latest) = (begun, begun);
                }
                walk.advance(stream);
            }
        }
    }
    while let Some(Reverse((ticket, stream))) = walk.turns.pop() {
        if let Some(lost) = &mut walk.lost {
            lost.turn(ticket);
        }
        if let Some(pending) = walk.pending[stream].take() {
            walk.turn(stream, pending);
        }
    }
}

impl<I: Iterator<Item = Item>, V: Visitor> Walk<'_, I, V> {
    /// Begins a task of a thread unless one is running.
    fn open(&mut self, thread: ThreadId) {
        let state = &mut self.threads[thread.index()];
        if !state.is_open {
            (state.is_open, state.has_begun) = (true, true);
            let links = std::mem::take(&mut state.links);
            self.visitor.began(thread, state.from, &links);
        }
    }

    /// Begins the task in which a thread allocates memory, unless one is running or the thread
    /// waits. The library allocates then, and that is no work.
    fn open_to_allocate(&mut self, thread: ThreadId) {
        if !self.threads[thread.index()].waiting.is_idle() {
            self.open(thread);
        }
    }

    /// Advances a stream up to an action that has to wait for its turn.
    fn advance(&mut self, stream: usize) {
        let Input { thread, is_handler, .. } = self.inputs[stream];
        self.visitor.turn(stream, is_handler);
        let (ticket, pending) = loop {
            let ahead = self.ahead[stream].pop_front();
            let Some(item) = ahead.or_else(|| self.inputs[stream].items.next()) else {
                self.finish(stream);
                return;
            };
            match item {
                Item::Path(done) => {
                    if let Some(wait) = self.left[stream].take() {
                        self.ahead[stream].push_front(Item::Path(done));
                        let Some(ticket) = self.look_ahead(stream) else { continue };
                        let (after, result) = (ticket.into(), CANCELLED.into());
                        let wait = Synchronisation { after, result, ..wait };
                        break (ticket, Pending::After(Operation::WaitCondition, wait));
                    }
                    self.open(thread);
                    self.visitor.path_ended(thread, &done);
                }
                Item::Allocated(allocation) => {
                    self.open_to_allocate(thread);
                    if allocation.frees() {
                        break (allocation.before.get(), Pending::Free(allocation));
                    } else if allocation.allocates() {
                        break (allocation.after.get(), Pending::Allocate(allocation));
                    }
                }
                Item::Ticks(ticks) => {
                    let state = &mut self.threads[thread.index()];
                    state.latest = state.latest.max(ticks);
                }
                Item::Iteration => self.visitor.iterated(thread),
                Item::Missing => {
                    self.threads[thread.index()].waiting.miss();
                    self.visitor.missing(thread);
                }
                Item::Off => self.visitor.off(thread),
                Item::Atomic(access) => {
                    self.open(thread);
                    let ticket = if access.before > 0 { access.before } else { access.after };
                    break (ticket, Pending::Atomic(access));
                }
                Item::Event(event) => {
                    let Some(of) = event.operation() else { continue };
                    if of.order() == Order::None {
                        self.objects.note(of, &event);
                        self.visitor.noted(thread, of, &event);
                        continue;
                    }
                    break (first_ticket(of, &event), Pending::Event(of, event));
                }
            }
        };
        self.wait(stream, ticket, pending);
    }

    /// Queues an action behind those with smaller tickets.
    fn wait(&mut self, stream: usize, ticket: u64, pending: Pending) {
        self.pending[stream] = Some(pending);
        self.turns.push(Reverse((ticket, stream)));
    }

    /// Ends a stream.
    fn finish(&mut self, stream: usize) {
        let thread = self.inputs[stream].thread;
        let state = &mut self.threads[thread.index()];
        if self.inputs[stream].is_handler || !state.has_begun {
            return;
        }
        let ticks = state.latest.max(state.from);
        let token = self.visitor.released(thread, None);
        self.objects.finish(Released { thread, ticket: u64::MAX, token });
        self.close(thread, ticks, None);
        if let Some(lost) = self.lost.as_mut().filter(|_| !self.threads[thread.index()].has_ended) {
            lost.stopped.push((thread, lost.ticket));
            let release = lost_release(thread, false);
            self.visitor.atomic_before(thread, &release);
            self.visitor.atomic_after(thread, &release);
        }
    }

    /// Orders a thread that acquires behind those that may have released something to it when they
    /// stopped.
    fn follow_stopped(&mut self, thread: ThreadId) {
        let lost = self.lost.as_mut().map(|lost| lost.followed_by(thread));
        for stopped in lost.into_iter().flatten() {
            self.visitor.atomic_after(thread, &lost_release(stopped, true));
        }
    }

    /// Ends the task of a thread if one is running.
    fn close(&mut self, thread: ThreadId, ticks: u64, event: Option<OperationEvent<'_>>) {
        let state = &mut self.threads[thread.index()];
        if std::mem::take(&mut state.is_open) {
            self.visitor.ended(thread, ticks, event);
        }
        state.from = state.from.max(ticks);
    }

    /// Performs the action of a stream in its turn.
    fn turn(&mut self, stream: usize, pending: Pending) {
        let Input { thread, is_handler, .. } = self.inputs[stream];
        self.visitor.turn(stream, is_handler);
        match pending {
            Pending::Event(of, event) => {
                self.lead_to(thread, of, &event);
                self.before(thread, of, &event);
                let after = event.after.get();
                if of.order() == Order::Both && event.before.get() > 0 && after > 0 {
                    self.wait(stream, after, Pending::After(of, event));
                } else {
                    if of == Operation::WaitCondition {
                        self.left[stream] = (after == 0).then_some(event);
                    }
                    self.after(stream, of, &event);
                }
            }
            Pending::After(of, event) => self.after(stream, of, &event),
            Pending::Atomic(access) => {
                if access.before > 0 {
                    self.visitor.atomic_before(thread, &access);
                }
                if access.before > 0 && access.after > 0 {
                    self.wait(stream, access.after, Pending::AtomicAfter(access));
                } else {
                    self.atomic_after(stream, &access);
                }
            }
            Pending::AtomicAfter(access) => self.atomic_after(stream, &access),
            Pending::Free(allocation) => {
                self.open_to_allocate(thread);
                self.visitor.freed(thread, &allocation);
                if allocation.allocates() {
                    self.wait(stream, allocation.after.get(), Pending::Allocate(allocation));
                } else {
                    self.advance(stream);
                }
            }
            Pending::Allocate(allocation) => {
                self.open_to_allocate(thread);
                self.visitor.allocated(thread, &allocation);
                self.advance(stream);
            }
        }
    }

    /// Reads the actions of a stream up to the next one that has a ticket. Returns the ticket, if
    /// there is any.
    fn look_ahead(&mut self, stream: usize) -> Option<u64> {
        let ahead = &mut self.ahead[stream];
        let mut ticket = ahead.iter().find_map(ticket_of);
        while ticket.is_none() {
            let item = self.inputs[stream].items.next()?;
            ticket = ticket_of(&item);
            ahead.push_back(item);
        }
        ticket
    }

    /// Begins the task that an operation ends, if there is any.
    fn lead_to(&mut self, thread: ThreadId, of: Operation, event: &Synchronisation) {
        let state = &mut self.threads[thread.index()];
        let begins = matches!(of, Operation::Begin | Operation::ForkChild);
        if begins && !state.has_begun {
            return;
        }
        if !state.is_open && state.waiting.is_idle_before(of) {
            state.from = state.from.max(event.begin.get());
            // What others wait for has to know what this thread has waited for.
            if state.links.is_empty() || !of.order().releases() {
                return;
            }
        }
        self.open(thread);
    }

    fn atomic_after(&mut self, stream: usize, access: &MemoryAccess) {
        let thread = self.inputs[stream].thread;
        self.open(thread);
        // The access itself is behind what it acquires.
        if access.after > 0 {
            self.follow_stopped(thread);
        }
        self.visitor.atomic_after(thread, access);
        self.advance(stream);
    }

    /// Begins an operation: ends the task before it, and releases.
    fn before(&mut self, thread: ThreadId, of: Operation, event: &Synchronisation) {
        if of.order().releases() && event.before.get() > 0 {
            let token = self.visitor.released(thread, Some((of, event)));
            let ticket = event.before.get();
            self.objects.release(of, event, Released { thread, ticket, token });
        }
        // The time at which MPI called traced code is unknown. The call may have waited long before
        // that, and after it.
        let state = &self.threads[thread.index()];
        let was_called = ends_message(event) && state.waiting.is_idle();
        let ticks = if was_called { state.from } else { event.begin.get() };
        self.close(thread, ticks, Some((of, event)));
        self.threads[thread.index()].has_ended |= of == Operation::End;
    }

    /// Ends an operation: acquires, and prepares the next task.
    fn after(&mut self, stream: usize, of: Operation, event: &Synchronisation) {
        let thread = self.inputs[stream].thread;
        // A handler ran while the thread waited.
        self.close(thread, event.end.get(), None);
        let mut links = Links::new();
        if of.order().acquires() && event.after.get() > 0 {
            links = self.objects.acquire(of, event, thread);
            self.visitor.acquired(thread, of, event, &links);
            self.follow_stopped(thread);
            // Program order covers the releases of the thread itself.
            links.retain(|(_, released)| released.thread != thread);
        } else if of.order().acquires() {
            self.visitor.noted(thread, of, event);
        }
        let state = &mut self.threads[thread.index()];
        state.waiting.note(of, event);
        state.has_begun = true;
        state.links.extend(links);
        state.from = state.from.max(event.end.get());
        state.latest = state.latest.max(state.from);
        self.advance(stream);
    }
}

/// Returns the first ticket of an action.
fn ticket_of(item: &Item) -> Option<u64> {
    let tickets = match item {
        Item::Event(event) => [event.before.get(), event.after.get()],
        Item::Atomic(access) => [access.before, access.after],
        Item::Allocated(of) if of.frees() => [of.before.get(), of.after.get()],
        Item::Allocated(of) => [of.after.get(), 0],
        Item::Path(_) | Item::Iteration | Item::Ticks(_) | Item::Missing | Item::Off => [0; 2],
    };
    tickets.into_iter().find(|ticket| *ticket > 0)
}

/// Returns the ticket that determines the turn of an operation.
fn first_ticket(of: Operation, event: &Synchronisation) -> u64 {
    let before = if of.order().releases() { event.before.get() } else { 0 };
    if before > 0 || !of.order().acquires() { before } else { event.after.get() }
}
