//! Turns the records of a trace into the steps of each thread.
//!
//! * [`program`] has the traced functions of all images, and finds the path with a number.
//! * [`traced_function`] is a function, [`traced_path`] a path with its accesses. `layout` assigns
//!   numbers to functions.
//! * [`chunks`] reads the chunks of a stream and reports the gaps between them.
//! * [`call_tree`] has the stacks of calls of all threads.
//! * `activations` is the stack of a stream, which finds the activation of a path.
//! * [`step`] combines these: a step is a path with its activation and its accesses.
//! * `shared_loops` finds the iterations of loops that a team of OpenMP shares.
//! * [`library_call`] has the calls that tell what its library does not report.
//! * [`totals`] counts the content of a stream, [`time`] converts ticks to nanoseconds.

mod activations;
pub mod call_tree;
pub mod chunks;
mod layout;
pub mod library_call;
pub mod program;
pub(crate) mod shared_loops;
pub mod step;
pub mod time;
pub mod totals;
pub mod traced_function;
pub mod traced_path;
