//! Finds out whether the order of threads is recorded at all.
//!
//! Nothing stands before the functions of the C library in a static program, so that no operation
//! of its threads is recorded. None of OpenMP is recorded if another tool goes first, or the
//! library reports nothing. Then accesses that the program orders look as if nothing did.

use pathformat::trace::{Operation, Synchronisation};

use crate::ids::ThreadId;
use crate::order::item::EndedPath;
use crate::order::releases::Links;
use crate::order::walk::{OperationEvent, Streams, Visitor};
use crate::steps::library_call::LibraryCall;

/// What a trace lacks of the order of its threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unrecorded {
    /// Everything: how threads begin and how they wait for each other.
    Threads,
    /// The regions of OpenMP, and how their threads wait for each other.
    OpenMp,
}

/// The visitor that finds it.
#[derive(Debug)]
pub(crate) struct UnrecordedSearch {
    has_threads: bool,
    has_operations: bool,
    /// True if the program began regions, and if the trace has any.
    regions: (bool, bool),
}

impl UnrecordedSearch {
    /// Returns a search in these streams, before the walk.
    pub(crate) fn of<I>(streams: &Streams<I>) -> Self {
        let has_threads = streams.num_threads() > 1;
        Self { has_threads, has_operations: false, regions: (false, false) }
    }

    /// Returns what is not recorded. A single thread needs no order.
    pub(crate) fn finish(self) -> Option<Unrecorded> {
        match self {
            Self { has_threads: false, .. } => None,
            Self { has_operations: false, .. } => Some(Unrecorded::Threads),
            Self { regions: (true, false), .. } => Some(Unrecorded::OpenMp),
            _ => None,
        }
    }

    fn note(&mut self, operation: Operation) {
        self.has_operations = true;
        self.regions.1 |= operation == Operation::ParallelBegin;
    }
}

impl Visitor for UnrecordedSearch {
    type Token = ();

    fn began(&mut self, _: ThreadId, _: u64, _: &Links<()>) {}

    fn path_ended(&mut self, _: ThreadId, done: &EndedPath) {
        self.regions.0 |= done.calls == Some(LibraryCall::Region);
    }

    fn released(&mut self, _: ThreadId, event: Option<OperationEvent<'_>>) {
        if let Some((operation, _)) = event {
            self.note(operation);
        }
    }

    fn ended(&mut self, _: ThreadId, _: u64, _: Option<OperationEvent<'_>>) {}

    fn noted(&mut self, _: ThreadId, operation: Operation, _: &Synchronisation) {
        self.note(operation);
    }

    fn acquired(&mut self, _: ThreadId, operation: Operation, _: &Synchronisation, _: &Links<()>) {
        self.note(operation);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(regions: (bool, bool), has_operations: bool, threads: bool) -> Option<Unrecorded> {
        UnrecordedSearch { has_threads: threads, has_operations, regions }.finish()
    }

    #[test]
    fn what_is_not_recorded_matters_where_there_are_threads() {
        assert_eq!(found((true, false), false, false), None);
        assert_eq!(found((true, false), false, true), Some(Unrecorded::Threads));
        assert_eq!(found((true, false), true, true), Some(Unrecorded::OpenMp));
        assert_eq!(found((true, true), true, true), None);
        assert_eq!(found((false, false), true, true), None);
    }
}
