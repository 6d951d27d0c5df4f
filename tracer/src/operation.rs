//! The events of operations by which threads synchronise, and the ways to write them.
//!
//! An operation that releases takes a ticket before it begins. One that acquires takes a ticket
//! after it has ended. Tickets thus never contradict the order that the program saw.
//!
//! What others may see before the operation is over is written before it: the process may be killed
//! in between.

use pathformat::trace::{Operation, RecordKind, Synchronisation};

use crate::block::Block;
use crate::clock;
use crate::event;
use crate::written::Written;

/// An operation that has begun.
pub(crate) struct Begun {
    /// The kind of operation.
    pub(crate) operation: Operation,
    /// The object of the operation.
    pub(crate) object: u64,
    /// A second object; see [`Synchronisation`].
    pub(crate) other: u64,
    /// The ticket before it; 0 if it releases nothing.
    pub(crate) before: u64,
    /// The time at which it began, in ticks.
    pub(crate) begin: u64,
}

impl Begun {
    /// Returns an operation that begins now.
    pub(crate) fn now(operation: Operation, object: u64, other: u64) -> Self {
        let begin = clock::ticks();
        Self { operation, object, other, before: release(operation), begin }
    }

    /// Writes the event of an operation that ends now, and takes the ticket for the acquire.
    pub(crate) fn end(self) {
        let after = acquire(self.operation);
        self.write(0, after);
    }

    /// Writes the event of an operation that ends now with this result and this ticket after it.
    pub(crate) fn write(self, result: u32, after: u64) {
        self.put(result, after);
    }

    /// Writes the event of an operation before it ends, as if it did nothing but release.
    pub(crate) fn write_open(self) -> Written {
        self.put(0, 0)
    }

    /// Completes the event of an operation that ends now, if that can still be done.
    pub(crate) fn complete(&self, written: Written, result: u32, after: u64) -> bool {
        let Some(event) = written.payload::<Synchronisation>() else { return false };
        event.result = result.into();
        event.other = self.other.into();
        event.end = clock::ticks().into();
        event.after = after.into();
        // Another thread may have begun or ended a recorded part meanwhile.
        // SAFETY: the thread's own memory.
        unsafe { (*Block::own()).obey() };
        true
    }

    fn put(self, result: u32, after: u64) -> Written {
        let event = Synchronisation {
            operation: (self.operation as u32).into(),
            result: result.into(),
            object: self.object.into(),
            other: self.other.into(),
            before: self.before.into(),
            after: after.into(),
            begin: self.begin.into(),
            end: clock::ticks().into(),
        };
        event::write(RecordKind::Synchronised, &event)
    }
}

/// Takes the ticket before an operation. Returns 0 if it releases nothing.
pub(crate) fn release(operation: Operation) -> u64 {
    if operation.order().releases() { event::ticket() } else { 0 }
}

/// Takes the ticket after a successful operation. Returns 0 if it acquires nothing.
pub(crate) fn acquire(operation: Operation) -> u64 {
    if operation.order().acquires() { event::ticket() } else { 0 }
}
