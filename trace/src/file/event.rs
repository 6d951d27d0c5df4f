//! The events of a trace.

use pathformat::messages;
use pathformat::trace::{Allocation, Operation, RecordKind, Repetition, Synchronisation};
use zerocopy::FromBytes;

/// Something that happened between two paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Threads synchronised.
    Synchronised(Synchronisation),
    /// Memory was allocated or freed.
    Allocated(Allocation),
    /// A path ended several times, one after the other.
    Repeated(Repetition),
    /// An event of another kind, which does not concern a thread; `None` if the kind is unknown.
    Other(Option<RecordKind>),
}

impl Event {
    /// Decodes the payload of an event of this kind. A payload that is too short yields
    /// `Other(None)`. Extra bytes at the end are ignored.
    pub fn of(kind: Option<RecordKind>, payload: &[u8]) -> Self {
        match kind {
            Some(RecordKind::Synchronised) => Synchronisation::read_from_prefix(payload)
                .map_or(Self::Other(None), |(event, _)| Self::Synchronised(event)),
            Some(RecordKind::Allocated) => Allocation::read_from_prefix(payload)
                .map_or(Self::Other(None), |(event, _)| Self::Allocated(event)),
            Some(RecordKind::Repeated) => Repetition::read_from_prefix(payload)
                .map_or(Self::Other(None), |(event, _)| Self::Repeated(event)),
            kind => Self::Other(kind),
        }
    }
}

/// Returns the MPI function that was called, if the operation is a call of one.
pub fn function_called(event: &Synchronisation) -> Option<&'static str> {
    let is_message = event.operation() == Some(Operation::Message);
    is_message.then(|| messages::name(event.object.get())).flatten()
}
