//! The process into which a runtime is linked. The runtime that counts and the block log of the
//! tests are linked into other people's programs, and both are based on this crate.
//!
//! It does not use the allocator of the program, calls no function of a C library, and leaves
//! `errno` and the signal mask as they were. Every failure is silent.
//!
//! | files | contents |
//! |---|---|
//! | `sys`, `sys/` | system calls |
//! | `text`, `global` | texts of bounded length, state without a lock |
//! | `proc`, `auxiliary`, `ancestry` | the kernel's description of the process and of its parents |
//! | `origin`, `environment` | the start of the program |
//! | `entry` | the entry of a static program, before its own |
//! | `pattern`, `target` | the path of the profile |
//! | `imports`, `notes`, `others` | data of the linker and the build, and the program's functions |
//! | `lifetime` | code that runs before and after the program |
//! | `memory`, `object` | functions that the compiler calls, the parts that every object needs |
//!
//! A runtime and this library become one object under `panic = "abort"`, which is the profile
//! `runtime`. In any other profile this is an ordinary library for tests and checks.
#![cfg_attr(panic = "abort", no_std)]
#![cfg_attr(not(panic = "abort"), allow(dead_code, reason = "only a runtime uses some parts"))]
#![allow(
    clippy::new_without_default,
    reason = "values are made in constants, where `default` cannot be called"
)]

pub mod ancestry;
pub mod auxiliary;
pub mod entry;
pub mod environment;
pub mod global;
mod imports;
pub mod lifetime;
#[cfg(any(panic = "abort", test))]
mod memory;
pub mod notes;
#[cfg(panic = "abort")]
mod object;
pub mod origin;
pub mod others;
pub mod pattern;
pub mod proc;
pub mod sys;
pub mod target;
pub mod text;
