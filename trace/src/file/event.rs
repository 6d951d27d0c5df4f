//! What an event of a trace tells.

use pathformat::messages;
use pathformat::trace::{Allocation, Kind, Operation, Repetition, Synchronisation};
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
    /// Of another kind, which says nothing about a thread; `None` if it is not known.
    Other(Option<Kind>),
}

impl Event {
    /// Reads the payload of an event of this kind. One that is too short tells nothing, one that is
    /// too long has something at its end that is not known.
    pub fn of(kind: Option<Kind>, payload: &[u8]) -> Self {
        match kind {
            Some(Kind::Synchronised) => Synchronisation::read_from_prefix(payload)
                .map_or(Self::Other(None), |(event, _)| Self::Synchronised(event)),
            Some(Kind::Allocated) => Allocation::read_from_prefix(payload)
                .map_or(Self::Other(None), |(event, _)| Self::Allocated(event)),
            Some(Kind::Repeated) => Repetition::read_from_prefix(payload)
                .map_or(Self::Other(None), |(event, _)| Self::Repeated(event)),
            kind => Self::Other(kind),
        }
    }
}

/// The function of MPI that was called, if that is the operation.
pub fn function_called(event: &Synchronisation) -> Option<&'static str> {
    let is_message = event.operation() == Some(Operation::Message);
    is_message.then(|| messages::name(event.object.get())).flatten()
}
