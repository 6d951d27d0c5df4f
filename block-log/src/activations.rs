//! The activations of functions whose machine code reports what it runs.
//!
//! Such code has no place to keep the number of its frame in. So it says where its stack pointer
//! stands. The activation of a function that is running is the one whose stack began above that,
//! and closest to it, in the same thread.

use pathformat::ModuleId;

/// The most activations at a time. When there are as many, nothing more is known of any of them.
const CAPACITY: usize = 1 << 18;

/// How many activations that were entered before one that fits are looked at, too: one of them may
/// fit better, if the thread has several stacks.
const OTHERS: usize = 64;

/// How many activations are looked at when one is entered.
const LOOKED_AT: usize = 1024;

/// Frames are not larger than that.
const FRAME: usize = 4096;

/// Frames of one stack are not further apart.
const NEAR: usize = 8 << 20;

/// A function of a module.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Function {
    pub(crate) module: ModuleId,
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
        let function = Function { module: ModuleId([0; 16]), index: 0 };
        let none = Activation { thread: 0, entry: 0, function, frame: 0 };
        Self { length: 0, all: [none; CAPACITY] }
    }

    /// Adds an activation. Others of the function that began closely below have been jumped out of:
    /// the new one may reach down to where they began.
    pub(crate) fn enter(&mut self, thread: usize, entry: usize, function: Function, frame: u64) {
        self.drop_from(self.length.saturating_sub(LOOKED_AT), |of| {
            of.thread == thread
                && of.function == function
                && of.entry < entry
                && entry - of.entry < FRAME
        });
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
        // What stands elsewhere is of another stack of the thread.
        self.drop_from(at + 1, |of| {
            of.thread == thread && of.entry < entry && entry - of.entry < NEAR
        });
        if let Some(rest) = self.all.get_mut(at..self.length) {
            rest.rotate_left(1);
            self.length -= 1;
        }
    }

    /// Takes those away from the one at `first` on that are dead.
    fn drop_from(&mut self, first: usize, is_dead: impl Fn(&Activation) -> bool) {
        let mut kept = first;
        for at in first..self.length {
            let Some(&of) = self.all.get(at) else { continue };
            if !is_dead(&of) {
                if let Some(place) = self.all.get_mut(kept) {
                    *place = of;
                }
                kept += 1;
            }
        }
        self.length = kept.min(self.length);
    }
}
