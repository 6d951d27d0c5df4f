//! The image and the process of a run.

use std::ffi::OsString;
use std::path::PathBuf;

use pathformat::profile::{Ancestor, RunId};

/// A number of executions. Wide enough for the sum of any number of 64-bit counters.
pub type Count = u128;

/// An executable or shared library.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Image {
    /// The path of its file.
    pub path: PathBuf,
    /// The build-id; empty if it has none.
    pub build_id: Vec<u8>,
    /// The functions by which it lets code go on in another thread, if such code counts in the
    /// thread that it came from.
    pub switches: Vec<String>,
}

/// One process that wrote a profile of one image.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// The run; the first one of a merged record.
    pub id: RunId,
    /// The number of runs in the sum, at least 1. The other fields are of one of them.
    pub count: usize,
    /// The profile's file.
    pub profile: PathBuf,
    /// The index of the image.
    pub image: usize,
    /// The number of the process.
    pub pid: u32,
    /// The processes from which it descends, the parent first.
    pub ancestors: Vec<Ancestor>,
    /// The start in nanoseconds since 1970.
    pub start: u64,
    /// The end in nanoseconds since 1970; the start if it is not known.
    pub stop: u64,
    /// The time at which the kernel started the process, in clock ticks since boot; 0 if unknown.
    pub process_start: u64,
    /// The name of the machine.
    pub host: String,
    /// The working directory at the start.
    pub directory: String,
    /// The arguments, the program's name first.
    pub command_line: Vec<OsString>,
    /// The process did not end in the normal way.
    pub incomplete: bool,
    /// Threads ran that were not registered with the runtime.
    pub unregistered_threads: bool,
    /// The process is a fork of one that was counted already.
    pub forked: bool,
    /// Counts of some threads are missing.
    pub partial: bool,
    /// The other flags of its profile: [`pathformat::profile::CUT`] and those behind it.
    pub marks: u32,
}

/// The identity of a process: machine, number, and time of its start.
pub type ProcessId<'a> = (&'a str, u32, u64);

impl Run {
    /// Returns the number of its parent; 0 if that is unknown.
    pub fn parent(&self) -> u32 {
        self.ancestors.first().map_or(0, |parent| parent.process())
    }

    /// Returns the identity of the process; `None` if it is not known.
    pub fn process(&self) -> Option<ProcessId<'_>> {
        (self.process_start != 0).then_some((self.host.as_str(), self.pid, self.process_start))
    }
}
