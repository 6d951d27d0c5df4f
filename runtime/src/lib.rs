//! The runtime that is linked into every instrumented image: executable or shared object, each has
//! a hidden copy of its own and writes a profile of its own.
//!
//! A constructor that runs before the program's own remembers how the program was started
//! (`environment.rs`) and gives every thread a copy of the image's counters to itself
//! (`counting.rs`, `registry.rs`, `slots.rs`), which a file keeps whatever becomes of the process
//! (`raw.rs`). An executable sees threads begin (`threads.rs`). A destructor that runs after the
//! program's own writes the sums (`write.rs`). Counting is the instrumented code's own business.
//! Nothing is allocated with the program's allocator or printed, `errno` and the signal mask stay
//! as they were, every failure is silent.
//!
//! With the feature `log` this is another object: the block log of the tests (`log.rs`). Both are
//! members of libpathrt.a, and a link takes what its objects refer to (`exports.rs` has the
//! symbols). With the feature `preload` it is a library for images that another linker made
//! (`preload.rs`).
//!
//! The entry points exist only under `panic = "abort"`, which is the profile `runtime`. In any
//! other profile this is an ordinary library for tests and checks.
#![cfg_attr(panic = "abort", no_std)]
#![cfg_attr(
    not(panic = "abort"),
    allow(dead_code, reason = "only the entry points use some parts")
)]
#![cfg_attr(
    feature = "preload",
    allow(dead_code, reason = "it needs a part of what an image needs")
)]

#[cfg(any(not(feature = "log"), not(panic = "abort")))]
mod append;
#[cfg(any(not(feature = "log"), not(panic = "abort")))]
mod collected;
#[cfg(any(not(feature = "log"), not(panic = "abort")))]
mod counters;
#[cfg(all(not(any(feature = "log", feature = "preload")), panic = "abort"))]
mod counting;
#[cfg(all(not(any(feature = "log", feature = "preload")), panic = "abort"))]
mod early;
#[cfg_attr(feature = "log", allow(dead_code, reason = "the block log writes no profiles"))]
mod environment;
#[cfg(all(not(feature = "preload"), panic = "abort"))]
mod exports;
mod global;
#[cfg(any(not(feature = "log"), not(panic = "abort")))]
mod image;
#[cfg(all(not(feature = "preload"), panic = "abort"))]
mod imports;
#[cfg(all(not(feature = "preload"), panic = "abort"))]
mod lifetime;
#[cfg(any(feature = "log", not(panic = "abort")))]
mod log;
#[cfg(any(not(feature = "log"), not(panic = "abort")))]
mod map;
#[cfg(any(panic = "abort", test))]
mod memory;
mod notes;
#[cfg(panic = "abort")]
mod object;
#[cfg_attr(feature = "log", allow(dead_code, reason = "the block log is of one image"))]
mod origin;
#[cfg(all(not(feature = "log"), panic = "abort"))]
mod others;
mod pattern;
#[cfg(all(feature = "preload", panic = "abort"))]
mod preload;
mod proc;
#[cfg(any(not(feature = "log"), not(panic = "abort")))]
mod raw;
#[cfg(all(not(any(feature = "log", feature = "preload")), panic = "abort"))]
mod registry;
#[cfg(all(not(any(feature = "log", feature = "preload")), panic = "abort"))]
mod rescue;
#[cfg(all(not(any(feature = "log", feature = "preload")), panic = "abort"))]
mod shared_registry;
#[cfg(any(not(feature = "log"), not(panic = "abort")))]
mod slots;
#[allow(dead_code, unused_imports, reason = "each form of the runtime uses a part")]
mod sys;
#[cfg_attr(feature = "log", allow(dead_code, reason = "the block log appends to one file"))]
mod target;
mod text;
#[cfg(all(not(any(feature = "log", feature = "preload")), panic = "abort"))]
mod threads;
#[cfg(any(not(feature = "log"), not(panic = "abort")))]
mod write;
