//! From the records of a trace to what each thread did, step by step.
//!
//! * [`program`] has the traced functions of all images, and the path that a number stands for.
//! * [`traced_path`] is such a path with its accesses, `layout` gives numbers to functions.
//! * [`chunks`] goes through the chunks of a stream and says what is missing between them.
//! * `activations` is the stack of a stream: which activation of a function a path belongs to.
//! * [`step`] puts these together: a step is a path with its activation and its accesses.
//! * [`totals`] counts what is in a stream, [`time`] turns ticks into nanoseconds.

mod activations;
pub mod chunks;
pub mod function_id;
mod layout;
pub mod program;
pub mod step;
pub mod time;
pub mod totals;
pub mod traced_path;
