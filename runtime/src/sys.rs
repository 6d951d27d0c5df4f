//! Every system call of the runtime, made directly: no libc, so it links into anything, and `errno`
//! stays as the program left it.
//!
//! Results are [`Option`]: the runtime has nothing better to do with an error number than to give
//! up quietly.

pub(crate) mod apart;
mod call;
mod file;
pub(crate) mod kept;
mod limits;
pub(crate) mod mapping;
mod place;
mod process;
pub(crate) mod signal;
pub(crate) mod thread;

pub(crate) use file::{File, Locked, OpenError};
pub(crate) use limits::{address_space_limit, file_size_limit};
pub(crate) use place::{
    Identity, Kind, Place, current_directory, identity, identity_of, kind, kind_of_entry,
    make_directory, may_write_in, read_link, unlink,
};
pub(crate) use process::{
    Bound, Names, cpu_time_of_others, exit, has_changed_identity, now, parent, process, random,
    sleep, thread_count, ticks_since_boot, user,
};
