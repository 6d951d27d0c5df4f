//! The order between threads: what happens before what.
//!
//! A *task* is what a thread does between two events by which it synchronises. Events have tickets,
//! which are one order of all of them, so the streams are gone through together and once:
//!
//! * [`item`] is what a stream does next, [`source`] reads it from a trace.
//! * [`releases`] holds what lets others go on; `conditions`, `barriers`, `threads`, `locks`,
//!   `openmp` and `dependences` say what an operation waited for, [`objects`] puts them together.
//! * [`walk`] merges the streams in the order of tickets and shows all to a visitor.
//! * [`thread_id`] is the number of a thread. `places` says where in the source something happened.

mod barriers;
mod conditions;
mod dependences;
pub mod item;
mod locks;
pub mod objects;
mod openmp;
mod places;
pub mod releases;
pub mod source;
pub mod thread_id;
mod threads;
pub mod walk;
