//! The runtime, of which every instrumented image has a hidden copy: an executable as well as a
//! shared object. Each writes its own profile.
//!
//! A constructor that runs before the program's own notes how the program was started. It gives
//! every thread its own copy of the image's counters, which a file keeps whatever becomes of the
//! process. A destructor that runs after the program's own writes the sums. The counting itself is
//! done by the instrumented code.
//!
//! The runtime allocates nothing with the program's allocator and prints nothing. It leaves `errno`
//! and the signal mask as they were. Every failure is silent.
//!
//! | files | what they hold |
//! |---|---|
//! | `exports`, `imports`, `others` | the symbols by which the runtime joins a program |
//! | `lifetime` | start, forks and end |
//! | `proc`, `origin`, `environment` | how the program was started |
//! | `pattern`, `target`, `text` | where the profile goes |
//! | `image`, `notes`, `map` | what the linker made, and where code is |
//! | `counting` | the counters of this image, from start over forks to end |
//! | `slots` | a copy of the counters for each thread |
//! | `registry`, `shared_registry` | what the images of a process share |
//! | `threads`, `static/threads.s` | how a thread gets its slot |
//! | `early` | what counts before the C library has begun |
//! | `raw`, `rescue` | the file that keeps the counters, and what happens if it is cut |
//! | `counters`, `collected`, `write`, `append` | which counters are not zero; how they get into the profile |
//! | `sys`, `sys/` | system calls |
//! | `memory`, `global`, `object` | what the compiler calls, state without a lock, what every object has |
//! | `preload` | another library: the runtime for images that another linker made |
//! | `log` | another object: the block log of the tests |
//!
//! The features `log` and `preload` choose which of the three is built. The runtime and the block
//! log are members of `libpathrt.a`; a link takes the one that its objects refer to. The entry
//! points exist only under `panic = "abort"`, which is the profile `runtime`. In any other profile
//! this is an ordinary library for tests and checks.
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
