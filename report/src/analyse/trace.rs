//! From the records of a trace to what each thread did, step by step.
//!
//! * [`program`] has the traced functions of all images, and the path that a number stands for.
//! * `traced_path` is such a path with its accesses, `layout` gives numbers to functions.
//! * [`chunks`] goes through the chunks of a stream and says what is missing between them.
//! * `activations` is the stack of a stream: which activation of a function a path belongs to.
//! * [`steps`] puts these together: a step is a path with its activation and its accesses.
//! * [`totals`] counts what is in a stream.
//! * `places` says where in the source something happened.
//! * [`memory`] says what threads do to memory that others use, too.
//! * [`task_graph`] says what waited for what, and what follows from it.

mod activations;
pub mod chunks;
mod layout;
pub mod memory;
mod places;
pub mod program;
pub mod steps;
pub mod task_graph;
pub mod time;
pub mod totals;
pub mod traced_path;

#[cfg(test)]
mod tests;
