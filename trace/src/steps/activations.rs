//! The activations of functions in a stream.
//!
//! The activations are a stack. A path that starts at its function's entry begins an activation,
//! and one that leaves the function ends it. Any other path continues an activation of its
//! function:
//!
//! * behind a back edge, or where the limit cuts, nothing can have happened in between: it is the
//!   innermost activation of all;
//! * behind a call, the callees may have been left by an exception or a jump. So it is the
//!   innermost activation that waits for that call, and those above it have ended;
//! * behind a call that may return twice (`setjmp`), it is one that made this call at any time. If
//!   several did, the trace does not identify it.
//!
//! If none matches, records are missing, and a new activation begins without a known start.
//!
//! A thread may have several *contexts*, each with activations of its own, and let one of them go
//! on (`swapcontext`). The trace does not tell which. From then on, the activation behind a call is
//! the caller of the one that has just returned, or else the only one that waits there. If several
//! do, it is not known.

use std::cell::RefCell;
use std::rc::Rc;

use counts::model::{End, Start};

use crate::fast_map::FastMap;
use crate::ids::{FunctionId, StackId};
use crate::steps::call_tree::CallTree;
use crate::steps::program::Program;
use crate::steps::traced_path::{ADDRESS_BITS, AccessAddress, AccessStride, Arrival, TracedPath};

/// The maximum depth of the stack. A deeper one loses its outermost activations.
const DEEPEST: usize = 1 << 21;

/// The maximum number of activations of a thread with several contexts, most of which may have
/// ended.
const MOST_IN_CONTEXTS: usize = 1 << 12;

/// The stack of a stream.
#[derive(Debug, Default)]
pub(super) struct Activations {
    /// The stack; with several contexts, the activations of all of them.
    stack: Vec<Activation>,
    /// The index of the activation of the last path that was entered.
    current: usize,
    /// With several contexts, the caller of the activation that has just returned.
    caller: Option<u64>,
    /// True if the thread may have several contexts.
    has_contexts: bool,
    /// True if activations may be missing that have not ended.
    is_incomplete: bool,
    /// The number of outermost activations that were dropped.
    forgotten: usize,
    /// The number of activations that began.
    begun: u64,
    /// The number of activations on the stack, by function.
    of_function: FastMap<FunctionId, usize>,
    /// The stacks of calls, if they are wanted.
    calls: Option<Rc<RefCell<CallTree>>>,
}

/// An activation of a function.
#[derive(Debug)]
pub(super) struct Activation {
    /// Its number in the stream, from 0.
    pub(super) number: u64,
    function: FunctionId,
    /// Its stack of calls, if those are wanted.
    pub(super) stack: StackId,
    /// The number of the activation below it, if one is known.
    below: Option<u64>,
    /// How many are known to be below.
    depth: usize,
    /// True if the trace has it from its beginning.
    pub(super) is_whole: bool,
    /// The edge of the acyclic graph that its last path ended with.
    last: Option<u32>,
    /// True if that was before a call.
    is_calling: bool,
    /// True if that call lets another context go on.
    is_switching: bool,
    /// The last address of each access that others are relative to, and the strides, by place.
    addresses: Kept,
    /// The number of finished iterations since entry of each loop with moving addresses, by place.
    iterations: Kept,
    /// The block in which its last path ended.
    last_block: Option<u32>,
    /// The blocks of its calls that may return twice.
    returning_twice: Vec<u32>,
}

/// Numbers by their places, as far as they are known.
#[derive(Debug, Default)]
struct Kept(Vec<Option<u64>>);

impl Kept {
    fn get(&self, place: u32) -> Option<u64> {
        self.0.get(place as usize).copied().flatten()
    }

    fn set(&mut self, place: u32, number: Option<u64>) {
        let at = place as usize;
        if self.0.len() <= at {
            self.0.resize(at + 1, None);
        }
        self.0[at] = number;
    }
}

impl Activations {
    /// Returns those of a stream that has not begun, which adds its stacks of calls to a tree.
    pub(super) fn with_calls(calls: Rc<RefCell<CallTree>>) -> Self {
        Self { calls: Some(calls), ..Self::default() }
    }

    /// Clears the stack, since records are missing.
    pub(super) fn clear(&mut self) {
        self.stack.clear();
        self.of_function.clear();
        (self.forgotten, self.caller, self.is_incomplete) = (0, None, true);
    }

    /// Finds or begins the activation of a path. Returns its depth and the activation.
    pub(super) fn enter(&mut self, path: &TracedPath) -> (usize, &mut Activation) {
        let found = match path.path.start {
            Start::Entry => None,
            _ if self.has_contexts => self.only_waiting(path),
            _ => self.waiting(path),
        };
        let is_entry = path.path.start == Start::Entry;
        let found = found.or_else(|| if is_entry { None } else { self.returned_to(path) });
        match found {
            Some(at) if self.has_contexts => self.current = at,
            Some(at) => self.leave_above(at),
            None => self.begin(path),
        }
        self.caller = None;
        let activation = &mut self.stack[self.current];
        (activation.depth, activation)
    }

    /// Returns the only activation of any context that stopped where a path continues.
    fn only_waiting(&self, path: &TracedPath) -> Option<usize> {
        if !self.of_function.contains_key(&path.function) {
            return None;
        }
        let stopped = |at: &usize| {
            let activation = &self.stack[*at];
            activation.function == path.function
                && activation.last.is_some_and(|last| path.joints.before.contains(&last))
        };
        let is_calling = |at: &usize| self.stack[*at].is_calling;
        let here = Some(self.current).filter(|&at| at < self.stack.len());
        if let Some(at) = here.filter(stopped).filter(|at| !is_calling(at)) {
            return Some(at);
        }
        let mut found = (0..self.stack.len()).filter(is_calling).filter(stopped);
        let caller = self.caller.and_then(|number| self.find(number));
        if let Some(at) = caller.filter(is_calling).filter(stopped) {
            return Some(at);
        }
        // The one that goes on may be none of those that are known.
        found.next().filter(|_| found.next().is_none() && !self.is_incomplete)
    }

    /// Returns the index of an activation.
    fn find(&self, number: u64) -> Option<usize> {
        self.stack.iter().rposition(|activation| activation.number == number)
    }

    /// Returns the activation that calls what begins now, if it is known.
    fn calling(&self) -> Option<&Activation> {
        if !self.has_contexts {
            return self.stack.last();
        }
        let last = self.stack.get(self.current);
        let known = last.or_else(|| self.stack.get(self.find(self.caller?)?));
        known.filter(|activation| activation.is_calling && !activation.is_switching)
    }

    /// Returns the innermost activation that stopped where a path continues.
    fn waiting(&self, path: &TracedPath) -> Option<usize> {
        if !self.of_function.contains_key(&path.function) {
            return None;
        }
        let top = self.stack.len().checked_sub(1)?;
        let fits = |at: usize| {
            let activation = &self.stack[at];
            activation.function == path.function
                && activation.last.is_some_and(|last| path.joints.before.contains(&last))
                && (at == top || activation.is_calling)
        };
        (0..=top).rev().find(|&at| fits(at))
    }

    /// Returns the activation to which a call may have returned another time, if it is the only
    /// one.
    fn returned_to(&self, path: &TracedPath) -> Option<usize> {
        if path.joints.returned_to.is_empty() || !self.of_function.contains_key(&path.function) {
            return None;
        }
        let called = |activation: &Activation| {
            let returning = &activation.returning_twice;
            activation.function == path.function
                && path.joints.returned_to.iter().any(|block| returning.contains(block))
        };
        let mut found = (0..self.stack.len()).filter(|&at| called(&self.stack[at]));
        found.next().filter(|_| found.next().is_none())
    }

    /// Ends the activations above one.
    fn leave_above(&mut self, at: usize) {
        for gone in self.stack.drain(at + 1..) {
            forget(&mut self.of_function, gone.function);
        }
        self.current = at;
    }

    fn begin(&mut self, path: &TracedPath) {
        let deepest = if self.has_contexts { MOST_IN_CONTEXTS } else { DEEPEST };
        let caller = self.calling();
        let below = caller.map(|caller| caller.number);
        let outermost = if self.has_contexts { 0 } else { self.forgotten };
        let depth = caller.map_or(outermost, |caller| caller.depth + 1);
        let caller = caller.map(|caller| (caller.stack, caller.last_block));
        let stack = self.calls.as_ref().map_or(StackId::NONE, |calls| {
            let (caller, call) = caller.unwrap_or((StackId::NONE, None));
            calls.borrow_mut().enter(caller, call.unwrap_or(u32::MAX), path.function)
        });
        if self.stack.len() >= deepest {
            let gone = self.stack.len() - deepest / 2;
            for gone in self.stack.drain(..gone) {
                forget(&mut self.of_function, gone.function);
                self.forgotten += 1;
            }
            self.is_incomplete = true;
        }
        self.current = self.stack.len();
        self.stack.push(Activation {
            number: self.begun,
            function: path.function,
            stack,
            below,
            depth,
            is_whole: path.path.start == Start::Entry,
            last: None,
            is_calling: false,
            is_switching: false,
            addresses: Kept::default(),
            iterations: Kept::default(),
            last_block: None,
            returning_twice: Vec::new(),
        });
        self.begun += 1;
        *self.of_function.entry(path.function).or_default() += 1;
    }

    /// Ends a path of the activation that was entered last.
    pub(super) fn end(&mut self, program: &Program, path: &TracedPath) {
        let goes_on = path.path.end.goes_on() || path.path.end == End::InFlight;
        let Some(activation) = self.stack.get_mut(self.current) else { return };
        if !goes_on {
            self.caller = activation.below;
            forget(&mut self.of_function, activation.function);
            self.stack.remove(self.current);
            self.current = self.stack.len();
            return;
        }
        (activation.last, activation.is_calling) = (path.joints.end, path.joints.is_call);
        activation.last_block = path.path.blocks.last().copied();
        let of = program.functions.get(path.function.index());
        let last = path.path.blocks.last().copied();
        activation.is_switching =
            last.is_some_and(|block| of.is_some_and(|of| of.switches.contains(&block)));
        self.has_contexts |= activation.is_switching;
        if let Some(block) =
            last.filter(|block| of.is_some_and(|of| of.returns_twice.contains(block)))
            && !activation.returning_twice.contains(&block)
        {
            activation.returning_twice.push(block);
        }
    }
}

fn forget(of_function: &mut FastMap<FunctionId, usize>, function: FunctionId) {
    if let Some(number) = of_function.get_mut(&function) {
        *number -= 1;
        if *number == 0 {
            of_function.remove(&function);
        }
    }
}

impl Activation {
    /// Counts an arrival at the header of a loop.
    pub(super) fn arrive(&mut self, arrival: &Arrival) {
        let header = arrival.header;
        let from = arrival.from.or(self.last_block);
        if from == Some(header.entered_from) {
            self.iterations.set(header.place, Some(0));
        } else if let Some(iterations) = self.iterations.get(header.place) {
            self.iterations.set(header.place, Some(iterations + 1));
        }
    }

    /// Keeps an address or a stride.
    pub(super) fn keep(&mut self, place: u32, number: Option<u64>) {
        self.addresses.set(place, number);
    }

    /// Returns the distance that an address has moved with the iterations of a loop.
    fn moved(&self, header: u32, stride: AccessStride) -> Option<u64> {
        let bytes = match stride {
            AccessStride::Constant(bytes) => bytes,
            AccessStride::Kept(place) => self.addresses.get(place)?,
        };
        Some(self.iterations.get(header)?.wrapping_mul(bytes))
    }

    /// Returns the address of an access of this activation, for which the trace has `recorded`;
    /// `None` if it is relative to an unknown address.
    pub(super) fn address(&self, of: AccessAddress, recorded: Option<u64>) -> Option<u64> {
        let behind = |from, by| Some(self.addresses.get(from)?.wrapping_add_signed(by));
        match of {
            AccessAddress::None => None,
            AccessAddress::Recorded => recorded,
            AccessAddress::Fixed(address) => Some(address),
            AccessAddress::Offset { from, by } => Some(behind(from, by)? & ADDRESS_BITS),
            AccessAddress::Moving { from, by, header, stride } => {
                let moved = self.moved(header, stride)?;
                Some(behind(from, by)?.wrapping_add(moved) & ADDRESS_BITS)
            }
        }
    }
}
