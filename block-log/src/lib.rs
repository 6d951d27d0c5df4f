//! The block log: the runtime of the tests. An image of `-pathcc-mode=log` has it in place of the
//! runtime that counts. It records every basic block that the image executes.
//!
//! | files | contents |
//! |---|---|
//! | `exports` | the symbols by which the log joins a program |
//! | `activations` | the activations of functions in machine code |
//! | `log` | the log: its buffer, its file, its records |
//!
//! The log is a member of `libpathrt.a` beside the runtime. A link takes the member to which its
//! objects refer. The entry points exist only under `panic = "abort"`, which is the profile
//! `runtime`. In any other profile this is an ordinary library for tests and checks.
#![cfg_attr(panic = "abort", no_std)]
#![cfg_attr(
    not(panic = "abort"),
    allow(dead_code, reason = "only the entry points use some parts")
)]

mod activations;
#[cfg(panic = "abort")]
mod exports;
mod log;
