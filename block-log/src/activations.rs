//! The activations of functions whose machine code reports what it runs.
//!
//! Such code has no place to keep the number of its frame in. So it says where its stack pointer
//! stands. The activation of a function that is running is the one whose stack began above that,
//! and closest to it, in the same thread.

use crate::log::Record;

/// The most activations at a time. When there are as many, nothing more is known of any of them.
const CAPACITY: usize = 1 << 18;

/// A function of a module.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Function {
    pub(crate) module: Record,
    pub(crate) index: u32,
}

/// An activation.
#[derive(Clone, Copy)]
struct Activation {
    thread: usize,
    /// Where the stack pointer stood when it was entered.
    entry: usize,
    function: Function,
    frame: u64,
}

/// All activations, those that were entered last at the end. All-zero bytes are a valid value.
pub(crate) struct Activations {
    length: usize,
    all: [Activation; CAPACITY],
}

impl Activations {
    /// No activations.
    pub(crate) const fn new() -> Self {
        let function = Function { module: [0; 16], index: 0 };
        let none = Activation { thread: 0, entry: 0, function, frame: 0 };
        Self { length: 0, all: [none; CAPACITY] }
    }

    /// Adds an activation.
    pub(crate) fn enter(&mut self, thread: usize, entry: usize, function: Function, frame: u64) {
        if let Some(free) = self.all.get_mut(self.length) {
            *free = Activation { thread, entry, function, frame };
            self.length += 1;
        }
    }

    fn position(&self, thread: usize, stack: usize, function: Function) -> Option<usize> {
        if self.length == CAPACITY {
            return None;
        }
        let mut found: Option<(usize, usize)> = None;
        let mut more = OTHERS;
        for (at, of) in self.all.get(..self.length)?.iter().enumerate().rev() {
            if found.is_some() {
                more -= 1;
            }
            if more == 0 {
                break;
            }
            // Of those at one place the last one runs.
            let fits = of.thread == thread && of.entry >= stack && of.function == function;
            if fits && found.is_none_or(|(_, entry)| of.entry < entry) {
                found = Some((at, of.entry));
            }
        }
        found.map(|(at, _)| at)
    }

    /// The frame of a function that runs with its stack pointer at `stack`.
    pub(crate) fn frame(&self, thread: usize, stack: usize, function: Function) -> Option<u64> {
        let at = self.position(thread, stack, function)?;
        self.all.get(at).map(|of| of.frame)
    }

    /// Takes an activation away, and those that it entered: they were jumped out of.
    pub(crate) fn leave(&mut self, thread: usize, stack: usize, function: Function) {
        let Some(at) = self.position(thread, stack, function) else { return };
        let Some(entry) = self.all.get(at).map(|of| of.entry) else { return };
        let mut kept = at;
        for other in at + 1..self.length {
            let Some(&of) = self.all.get(other) else { continue };
            // What stands elsewhere is of another stack of the thread.
            let is_below = of.thread == thread && of.entry < entry && entry - of.entry < NEAR;
            if !is_below && let Some(place) = self.all.get_mut(kept) {
                *place = of;
                kept += 1;
            }
        }
        self.length = kept;
    }
}

/// How many activations that were entered before one that fits are looked at, too: one of them may
/// fit better, if the thread has several stacks.
const OTHERS: usize = 64;

/// Frames of one stack are not further apart.
const NEAR: usize = 8 << 20;
