//! What the two wrappers do alike: `pathcc`, which stands before clang, and `ld.pathld`, which
//! stands before the linker.
//!
//! * [`programs`] the executable that a name stands for
//! * [`response`] the quoting of response files, in LLVM's dialect and in GNU's
//! * [`children`] runs a program as a child and hands signals on to it
//!
//! Nothing here knows of counting.
#![forbid(unsafe_code)]

pub mod children;
pub mod programs;
pub mod response;
