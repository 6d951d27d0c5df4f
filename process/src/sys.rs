//! Every system call of the runtime, made directly: no libc, so it links into anything, and `errno`
//! stays as the program left it.
//!
//! Results are [`Option`]: the runtime has nothing better to do with an error number than to give
//! up quietly.
//!
//! * `call` the calls themselves, which only the other files use
//! * `file`, `place` open files, and what stands at a path
//! * [`apart`], [`kept`] files where few descriptors may be opened, and those that stay open
//! * [`mapping`] memory
//! * `limits`, `process` the limits, the identity and the end of the process
//! * [`thread`], [`signal`], [`stack`] threads, handlers, and a stack of the runtime's own

pub mod apart;
mod call;
mod file;
pub mod kept;
mod limits;
pub mod mapping;
mod place;
mod process;
pub mod signal;
pub mod stack;
pub mod thread;

pub use file::{File, Locked, OpenError};
pub use limits::{address_space_limit, file_size_limit};
pub use place::{
    Identity, Kind, Place, current_directory, identity, identity_of, kind, kind_of_entry,
    make_directory, may_write_in, read_link, unlink,
};
pub use process::{
    Bound, Names, cpu_time_of_others, exit, has_changed_identity, monotonic, now, parent, process,
    random, read_auxiliary_vector, sleep, thread_count, ticks_since_boot, user,
};
