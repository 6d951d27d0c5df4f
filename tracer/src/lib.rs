//! The runtime of traces, of which every traced image has a hidden copy. It maps a part of a file
//! for each thread, which the traced code fills with records (`pathformat::trace`).
//!
//! All images of a process that find the block of one image use its runtime. There is thus one
//! file, with one order of execution across images. The file is created when the first thread asks
//! for room: a process that traces nothing leaves none. The kernel keeps the records even if the
//! process is killed.
//!
//! The tracer does not use the program's allocator, and prints nothing. `errno`, the signal mask
//! and all registers stay as they were. Every failure is silent: without a file, or without room in
//! it, threads write to private memory that is never read, and a flag in the file records that.
//!
//! | files | contents |
//! |---|---|
//! | `exports` | the symbols by which the tracer joins a program, start and end |
//! | `early` | the entry of a static program |
//! | `image` | the linker's description of an image, and its registration |
//! | `block` | the thread-local memory |
//! | `signals` | handlers of signals, each with a stream of its own |
//! | `synchronisation` | the functions by which threads wait for each other |
//! | `allocations` | the functions that allocate and free memory |
//! | `replaced` | the frame of such functions, which replace others |
//! | `openmp`, `ompt` | the tool that the runtime library of OpenMP calls, and the library's numbers |
//! | `openmp_work`, `team` | the work that a team of OpenMP shares, and the team |
//! | `operation` | the events of operations that synchronise |
//! | `messages` | calls of MPI |
//! | `waits`, `regions`, `locks` | the waits of threads in OpenMP, their regions, and their locks |
//! | `threads` | the beginning and the end of threads |
//! | `event`, `written`, `clock` | writing and completing events, tickets, and the time |
//! | `next` | the functions that ours replace |
//! | `region` | the parts of a run that are recorded |
//! | `shared` | the state that all threads share: images, streams, and the owners of chunks |
//! | `owners` | the owners of chunks |
//! | `ended` | what threads leave when they end |
//! | `chunk` | the chunk that a stream fills |
//! | `compressor` | the compression of full chunks, if it is on |
//! | `mark` | the detection of forked children |
//! | `file` | the file |
//! | `rescue` | a trace that is cut while chunks of it are memory |
//!
//! The entry points exist only under `panic = "abort"`, which is the profile `runtime`. In any
//! other profile this is an ordinary library for tests and checks.
#![cfg_attr(panic = "abort", no_std)]
#![cfg_attr(
    not(panic = "abort"),
    allow(dead_code, reason = "only the entry points use some parts")
)]

/// The address of a symbol of this object, computed from that of the code: no table has to be
/// relocated for it.
#[cfg(panic = "abort")]
macro_rules! address_of {
    ($symbol:literal) => {{
        let address: usize;
        // SAFETY: computes an address.
        unsafe {
            core::arch::asm!(
                concat!("lea {}, [rip + ", $symbol, "]"),
                out(reg) address,
                options(nomem, nostack, preserves_flags)
            );
        }
        address
    }};
}

#[cfg(panic = "abort")]
mod allocations;
mod block;
mod chunk;
mod clock;
mod compressor;
#[cfg(panic = "abort")]
mod early;
mod ended;
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
mod openmp_work;
#[cfg(panic = "abort")]
mod operation;
mod owners;
mod region;
mod regions;
#[cfg(panic = "abort")]
mod replaced;
mod rescue;
mod shared;
#[cfg(panic = "abort")]
mod signals;
#[cfg(panic = "abort")]
mod synchronisation;
#[cfg(panic = "abort")]
mod team;
#[cfg(panic = "abort")]
mod threads;
mod waits;
mod written;
