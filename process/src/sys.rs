//! Every system call of the runtime. The calls are made directly, without libc, so the runtime
//! links into any program, and `errno` stays as the program left it.
//!
//! Results are [`Option`]: on any error the runtime gives up quietly, whatever its number.
//!
//! * `call` the calls themselves, which only the other files use
//! * `file`, `place` open files, and the entries of directories
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

pub use file::{File, FileSystem, Locked, Made, OpenError};
pub use limits::{address_space_limit, file_size_limit};
pub use place::{
    FileKind, FilePlace, Identity, current_directory, identity, identity_of, kind, kind_of_entry,
    make_directory, may_write_in, read_link, rename_to_free, unlink,
};
pub use process::{
    Bound, Names, cpu_time_of_others, exit, has_changed_identity, monotonic, now, parent, process,
    random, read_auxiliary_vector, sleep, thread_count, ticks_since_boot, user,
};
