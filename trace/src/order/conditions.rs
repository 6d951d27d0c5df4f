//! Condition variables.
//!
//! A signal lets a thread go on that waited when it came. Which one, the trace does not tell. Each
//! wait that ends is given the earliest signal that came meanwhile and that no other wait was
//! given. That leaves as few signals over as possible. A wait without one went on by itself.

use crate::order::releases::{Link, Links, Released};
use crate::order::thread_id::ThreadId;

/// A condition variable.
#[derive(Debug)]
pub(super) struct Condition<T> {
    /// Who waits, and since which ticket.
    waiting: Vec<(ThreadId, u64)>,
    /// Signals that nobody was given, with their tickets.
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
    /// A thread begins to wait.
    pub(super) fn wait(&mut self, thread: ThreadId, ticket: u64) {
        self.waiting.push((thread, ticket));
    }

    /// Those who wait may go on, or one of them.
    pub(super) fn signal(&mut self, ticket: u64, is_for_all: bool, released: Released<T>) {
        let single = self.signals.iter().filter(|signal| !signal.is_for_all).count();
        if is_for_all {
            // A later one for all is known to whoever was waiting for this one, unless it goes on
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

    /// A thread goes on; `signalled` unless it only waited for so long.
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
