//! The common parts of the two wrappers: `pathcc`, which stands before clang, and `ld.pathld`,
//! which stands before the linker.
//!
//! * [`programs`] the executable that a name stands for
//! * [`files`] opens regular files, and only those
//! * [`response`] the quoting of response files, in the dialects of LLVM, GNU and mold
//! * [`expansion`] opens response files, and those that they name
//! * [`children`] runs a program as a child and hands signals on to it
//!
//! Nothing here knows of counting.
#![forbid(unsafe_code)]

pub mod children;
pub mod expansion;
pub mod files;
pub mod programs;
pub mod response;
