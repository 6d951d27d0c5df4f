//! The runtime of traces, of which every traced image has a hidden copy. It gives each thread a
//! part of a file, mapped, that the traced code fills with records (`pathformat::trace`).
//!
//! All images of a process that find the words of one image use its runtime. So there is one file,
//! and the order of what runs is kept across images. The file is made when the first thread asks
//! for room: a process that traces nothing leaves none. The kernel keeps what was written, whatever
//! ends the process.
//!
//! Nothing is allocated with the program's allocator, and nothing is printed. `errno`, the signal
//! mask and all registers stay as they were. Every failure is silent: without a file, or without
//! room in it, threads write to private memory that nobody reads, and the file says so.
//!
//! | files | what they hold |
//! |---|---|
//! | `exports` | the symbols by which the tracer joins a program, start and end |
//! | `image` | what the linker made, and how it is registered |
//! | `block` | the thread-local memory |
//! | `signals` | handlers of signals, each with a stream of its own |
//! | `synchronisation` | what threads do to wait for each other |
//! | `openmp`, `ompt` | the tool that the runtime library of OpenMP calls, and the library's numbers |
//! | `operation` | the events of operations that synchronise |
//! | `messages` | calls of MPI |
//! | `waits`, `locks` | what threads wait for in OpenMP, and which locks they hold |
//! | `threads` | the beginning and the end of threads |
//! | `event`, `clock` | writing events, tickets, and the time |
//! | `next` | the functions that stand behind ours |
//! | `region` | which part of a run is recorded |
//! | `shared` | what all threads share: images, streams, and who has which chunk |
//! | `owners` | who has which chunk |
//! | `chunk` | the chunk that a stream fills |
//! | `compressor` | what makes a chunk smaller that is full, if that is asked for |
//! | `mark` | what tells a forked child |
//! | `file` | the file |
//!
//! The entry points exist only under `panic = "abort"`, which is the profile `runtime`. In any
//! other profile this is an ordinary library for tests and checks.
#![cfg_attr(panic = "abort", no_std)]
#![cfg_attr(
    not(panic = "abort"),
    allow(dead_code, reason = "only the entry points use some parts")
)]

mod block;
mod chunk;
mod clock;
mod compressor;
#[cfg(panic = "abort")]
mod event;
#[cfg(panic = "abort")]
mod exports;
mod file;
mod image;
#[cfg(panic = "abort")]
mod locks;
mod mark;
#[cfg(panic = "abort")]
mod messages;
mod next;
#[cfg(panic = "abort")]
mod ompt;
#[cfg(panic = "abort")]
mod openmp;
#[cfg(panic = "abort")]
mod operation;
mod owners;
mod region;
mod shared;
#[cfg(panic = "abort")]
mod signals;
#[cfg(panic = "abort")]
mod synchronisation;
#[cfg(panic = "abort")]
mod threads;
mod waits;
