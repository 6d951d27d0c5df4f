//! Condition variables.
//!
//! A signal wakes a thread that was waiting when it was sent. The trace does not record which one.
//! Each wait that ends is matched with the earliest signal that was sent meanwhile and has no
//! match. This leaves the fewest signals without a match. A wait without a match ended spuriously.

use crate::ids::ThreadId;
use crate::order::releases::{Link, Links, Released};

/// A condition variable.
#[derive(Debug)]
pub(super) struct Condition<T> {
    /// The waiting threads, and the tickets of their waits.
    waiting: Vec<(ThreadId, u64)>,
    /// The signals without a match, with their tickets.
    signals: Vec<Signal<T>>,
}

#[derive(Debug)]
struct Signal<T> {
    ticket: u64,
    is_for_all: bool,
    released: Released<T>,
}

impl<T> Default for Condition<T> {
    fn default() -> Self {
        Self { waiting: Vec::new(), signals: Vec::new() }
    }
}

impl<T: Clone> Condition<T> {
    /// Begins a wait of a thread.
    pub(super) fn wait(&mut self, thread: ThreadId, ticket: u64) {
        self.waiting.push((thread, ticket));
    }

    /// Adds a signal to one or all waiting threads.
    pub(super) fn signal(&mut self, ticket: u64, is_for_all: bool, released: Released<T>) {
        let single = self.signals.iter().filter(|signal| !signal.is_for_all).count();
        if is_for_all {
            // A thread that waited for this signal also sees a later one to all, unless it wakes
            // between the two.
            if self.signals.len() > 2 * self.waiting.len() + 2 {
                self.signals.remove(0);
            }
        } else if single >= self.waiting.len() {
            return;
        }
        if !self.waiting.is_empty() {
            self.signals.push(Signal { ticket, is_for_all, released });
        }
    }

    /// Ends the wait of a thread. `signalled` is false if the wait timed out.
    pub(super) fn go_on(&mut self, thread: ThreadId, signalled: bool, links: &mut Links<T>) {
        let Some(at) = self.waiting.iter().position(|waiting| waiting.0 == thread) else { return };
        let (_, since) = self.waiting.remove(at);
        let found = self.signals.iter().position(|signal| signal.ticket > since);
        if let Some(at) = found.filter(|_| signalled) {
            let signal = &self.signals[at];
            links.push((Link::Condition, signal.released.clone()));
            if !signal.is_for_all {
                self.signals.remove(at);
            }
        }
        let oldest = self.waiting.iter().map(|waiting| waiting.1).min().unwrap_or(u64::MAX);
        self.signals.retain(|signal| signal.ticket > oldest);
    }
}
