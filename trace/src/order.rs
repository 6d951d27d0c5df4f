//! The order between threads.
//!
//! A *task* is the part of a thread between two events of synchronisation. The tickets of events
//! are a total order of them, so the streams are walked together and once:
//!
//! * [`item`] is the next action of a stream, [`source`] reads it from a trace.
//! * [`releases`] has the releases that operations wait for. `conditions`, `barriers`, `threads`,
//!   `locks`, `openmp` and `dependences` determine the releases that an operation waited for,
//!   [`objects`] combines them.
//! * `waiting` tells whether a thread does nothing but wait.
//! * [`walk`] merges the streams in the order of tickets and passes everything to a visitor.
//! * [`unrecorded`] says whether the order of threads was recorded at all.
//! * `places` finds the source locations of paths and accesses.

pub(crate) mod barriers;
mod conditions;
pub(crate) mod dependences;
pub mod item;
pub(crate) mod locks;
pub mod objects;
mod openmp;
mod places;
pub mod releases;
pub mod source;
mod threads;
pub mod unrecorded;
mod waiting;
pub mod walk;
