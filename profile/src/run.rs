//! What ran: an image, in a process.

use std::ffi::OsString;
use std::path::PathBuf;

use pathformat::profile::{Ancestor, RunId};

/// How often something ran. Wide enough for the sum of any number of 64-bit counters.
pub type Count = u128;

/// An executable or shared library.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Image {
    /// Where its file is.
    pub path: PathBuf,
    /// Build-id; empty if it has none.
    pub build_id: Vec<u8>,
}

/// One process that wrote a profile of one image.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// Which run; of a merged record, the first.
    pub id: RunId,
    /// How many runs it is the sum of, at least 1; what follows is of one of them.
    pub count: usize,
    /// The profile's file.
    pub profile: PathBuf,
    /// Index of the image.
    pub image: usize,
    /// Process.
    pub pid: u32,
    /// The processes from which it descends, the parent first.
    pub ancestors: Vec<Ancestor>,
    /// Start in nanoseconds since 1970.
    pub start: u64,
    /// End in nanoseconds since 1970; the start if it is not known.
    pub stop: u64,
    /// When the kernel started the process, in clock ticks since boot; 0 if unknown.
    pub process_start: u64,
    /// Name of the machine.
    pub host: String,
    /// Working directory at the start.
    pub directory: String,
    /// Arguments, the program's name first.
    pub command_line: Vec<OsString>,
    /// The process did not end in the normal way.
    pub incomplete: bool,
    /// Threads ran that the runtime did not know.
    pub unregistered_threads: bool,
    /// The process is a fork of one that was counted already.
    pub forked: bool,
    /// Counts of some threads are missing.
    pub partial: bool,
    /// What else its profile's flags say: [`pathformat::profile::CUT`] and those behind it.
    pub marks: u32,
}

/// What tells processes apart: machine, number, and when it was started.
pub type ProcessId<'a> = (&'a str, u32, u64);

impl Run {
    /// The number of its parent, 0 if that is unknown.
    pub fn parent(&self) -> u32 {
        self.ancestors.first().map_or(0, |parent| parent.process())
    }

    /// Which process it was; `None` if that is not known.
    pub fn process(&self) -> Option<ProcessId<'_>> {
        (self.process_start != 0).then_some((self.host.as_str(), self.pid, self.process_start))
    }
}
