//! The runtime, of which every instrumented image has a hidden copy, an executable as well as a
//! shared object. Each writes its own profile.
//!
//! A constructor that runs before the program's own records how the program was started. It gives
//! every thread its own copy of the image's counters, which a file keeps even if the process is
//! killed. A destructor that runs after the program's own writes the sums. The counting itself is
//! done by the instrumented code.
//!
//! The runtime allocates nothing with the program's allocator and prints nothing. It leaves `errno`
//! and the signal mask as they were, and works on a stack of its own. Every failure is silent.
//!
//! | files | contents |
//! |---|---|
//! | `exports`, `imports` | the symbols by which the runtime joins a program |
//! | `lifetime` | start, forks and end |
//! | `image`, `map` | the linker's description of the image, and the places of code |
//! | `counting` | the counters of this image, from start over forks to end |
//! | `slots` | a copy of the counters for each thread |
//! | `registry`, `shared_registry` | the state that the images of a process share |
//! | `threads`, `static/threads.s` | the slots of new threads |
//! | `early` | counting before the C library has begun |
//! | `raw`, `rescue` | the file that keeps the counters, and the signal handler if it is cut |
//! | `standing`, `creation` | such a file for one process after the other, and its creation |
//! | `pages`, `counters`, `collected`, `write`, `append` | nonzero counters, and the profile |
//! | `segments`, `ledger`, `label` | what was counted under one label after the other |
//! | `preload` | another library: the runtime for images that another linker made |
//!
//! The parts that the runtime has in common with the block log of the tests are the crate
//! `process`: system calls, the start of the program, the path of the profile. The feature
//! `preload` chooses which of the two forms is built. The entry points exist only under `panic =
//! "abort"`, which is the profile `runtime`. In any other profile this is an ordinary library for
//! tests and checks.
#![cfg_attr(panic = "abort", no_std)]
#![cfg_attr(
    not(panic = "abort"),
    allow(dead_code, reason = "only the entry points use some parts")
)]
#![cfg_attr(
    feature = "preload",
    allow(dead_code, reason = "it needs a part of what an image needs")
)]

mod append;
mod collected;
mod counters;
#[cfg(all(not(feature = "preload"), panic = "abort"))]
mod counting;
mod creation;
#[cfg(all(not(feature = "preload"), panic = "abort"))]
mod early;
#[cfg(all(not(feature = "preload"), panic = "abort"))]
mod exports;
mod image;
#[cfg(all(not(feature = "preload"), panic = "abort"))]
mod imports;
mod label;
mod ledger;
#[cfg(all(not(feature = "preload"), panic = "abort"))]
mod lifetime;
mod map;
mod pages;
#[cfg(all(feature = "preload", panic = "abort"))]
mod preload;
mod raw;
#[cfg(all(not(feature = "preload"), panic = "abort"))]
mod registry;
#[cfg(all(not(feature = "preload"), panic = "abort"))]
mod rescue;
mod segments;
#[cfg(all(not(feature = "preload"), panic = "abort"))]
mod shared_registry;
mod slots;
mod standing;
#[cfg(all(not(feature = "preload"), panic = "abort"))]
mod threads;
mod write;
