//! Two orders of the strands of a program: with its locks as they were taken, and with locks that
//! only exclude.
//!
//! What only the first one orders was ordered by luck: the locks could have been taken the other
//! way round.

use std::ops::Range;

use pathformat::trace::{Operation, Synchronisation};

use crate::ids::{Moment, ThreadId};
use crate::order::item::MemoryAccess;
use crate::order::releases::{Links, Released};
use crate::order::walk::{OperationEvent, split};
use crate::steps::library_call::LibraryCall;
use crate::strands::clock::Token;
use crate::strands::program_order::{Here, Strands, Turns};

/// What orders two actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ordered {
    /// The program does.
    Always,
    /// The turns in which locks were taken.
    ByTurns,
    /// Nothing.
    Not,
}

/// The two tokens of a release.
pub(crate) type Tokens = (Token, Option<Token>);

/// Both orders. Their segments are the same.
#[derive(Debug, Default)]
pub(crate) struct TwoOrders {
    taken: Strands,
    /// The order with locks that only exclude, if the program has other ones.
    excluding: Option<Strands>,
}

impl TwoOrders {
    /// Returns the orders of a program that has done nothing. `has_turns` is true if it takes locks
    /// that do more than exclude.
    pub(crate) fn new(has_turns: bool) -> Self {
        Self { taken: Strands::default(), excluding: has_turns.then(|| Strands::new(Turns::None)) }
    }

    /// Returns what orders an earlier moment before what a thread does now.
    pub(crate) fn ordered(&self, thread: ThreadId, then: Moment) -> Ordered {
        if !self.taken.knows(thread, then) {
            return Ordered::Not;
        }
        match &self.excluding {
            Some(order) if !order.knows(thread, then) => Ordered::ByTurns,
            _ => Ordered::Always,
        }
    }

    /// Returns the strands, in the order in which locks were taken.
    pub(crate) fn strands(&mut self) -> &mut Strands {
        &mut self.taken
    }

    /// As [`Strands::knows`].
    pub(crate) fn knows(&self, thread: ThreadId, then: Moment) -> bool {
        self.taken.knows(thread, then)
    }

    /// As [`Strands::region`].
    pub(crate) fn region(&self, thread: ThreadId) -> Option<u64> {
        self.taken.region(thread)
    }

    /// As [`Strands::take_left`].
    pub(crate) fn take_left(&mut self) -> Vec<Range<u64>> {
        if let Some(order) = &mut self.excluding {
            order.take_left();
        }
        self.taken.take_left()
    }

    /// Returns where a thread is, in the order in which locks were taken. It is in the critical
    /// sections of both orders.
    pub(crate) fn here(&mut self, thread: ThreadId) -> Here {
        let here = self.taken.here(thread);
        let other = self.excluding.as_mut().map(|order| order.here(thread));
        let is_outside = here.is_outside && other.is_none_or(|other| other.is_outside);
        Here { is_outside, ..here }
    }

    /// As [`Strands::access`].
    pub(crate) fn access(&mut self, thread: ThreadId, cell: u64, mask: u8, writes: bool) {
        self.each(|order| order.access(thread, cell, mask, writes));
    }

    /// As [`Strands::released`].
    pub(crate) fn released(
        &mut self,
        thread: ThreadId,
        event: Option<OperationEvent<'_>>,
    ) -> Tokens {
        let other = self.excluding.as_mut().map(|order| order.released(thread, event));
        (self.taken.released(thread, event), other)
    }

    /// As [`Strands::acquired`].
    pub(crate) fn acquired(
        &mut self,
        thread: ThreadId,
        of: Operation,
        event: &Synchronisation,
        links: &Links<Tokens>,
    ) {
        let (taken, excluding) = split(links);
        self.taken.acquired(thread, of, event, &taken);
        if let Some(order) = &mut self.excluding {
            let links = excluding.into_iter().filter_map(|(link, released)| {
                let (thread, ticket) = (released.thread, released.ticket);
                let token = released.token?;
                Some((link, Released { thread, ticket, token }))
            });
            order.acquired(thread, of, event, &links.collect());
        }
    }

    /// As [`Strands::noted`].
    pub(crate) fn noted(&mut self, thread: ThreadId, of: Operation, event: &Synchronisation) {
        self.each(|order| order.noted(thread, of, event));
    }

    /// As [`Strands::called`].
    pub(crate) fn called(&mut self, thread: ThreadId, call: LibraryCall) {
        self.each(|order| order.called(thread, call));
    }

    /// As [`Strands::iterated`].
    pub(crate) fn iterated(&mut self, thread: ThreadId) {
        self.each(|order| order.iterated(thread));
    }

    /// As [`Strands::atomic_before`].
    pub(crate) fn atomic_before(&mut self, thread: ThreadId, access: &MemoryAccess) {
        self.each(|order| order.atomic_before(thread, access));
    }

    /// As [`Strands::atomic_after`].
    pub(crate) fn atomic_after(&mut self, thread: ThreadId, access: &MemoryAccess) {
        self.each(|order| order.atomic_after(thread, access));
    }

    fn each(&mut self, change: impl Fn(&mut Strands)) {
        change(&mut self.taken);
        self.excluding.iter_mut().for_each(change);
    }
}
