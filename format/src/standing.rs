//! The block of a standing raw file: what is known of the runs that counted in it.
//!
//! A raw file of the usual kind belongs to one process. A *standing* one is taken by one process
//! after the other. Each counts on top of what is there, and holds the file's lock (`flock`)
//! meanwhile, so that the kernel gives the file back however the process ends. The block is a page
//! of its own behind the header, since the header is constant:
//!
//! ```text
//!  0       8         40     64       72     80      88     96         104      112       256
//!  | flags | anchors | file | starts | ends | first | last | reserved | layout | zeros … | run | …
//! ```
//!
//! *Starts* and *ends* count the runs; if they differ, a run has not ended, or was killed. Run *n*,
//! from 1, has the place (*n* − 1) modulo [`RUNS`]: the last runs are known each by itself, of all
//! others only what they counted.
//!
//! A standing file belongs to the profile that begins with the record of one of the *anchors*. So
//! whoever removes the profile has removed these counts, too, and a copy of both is one.

use zerocopy::little_endian::{U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::profile::RunId;

/// The number of the last runs of which more is known than their counts.
pub const RUNS: usize = 15;

/// The number of bytes of arguments that are known of a run.
pub const ARGUMENTS: usize = 216;

/// The largest number of runs of a file. Later ones take another.
pub const MOST_STARTS: u64 = 1 << 17;

/// The largest number of standing files of an image, which is the number of processes that can
/// count in them at once.
pub const MOST_FILES: u32 = 64;

/// The time for which a file stands ready after it was last taken, in nanoseconds. What is started
/// later is known by itself again.
pub const READY: u64 = 10_000_000_000;

/// The block.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, Immutable, IntoBytes, KnownLayout)]
pub struct Block {
    /// The flags of all runs together, as in the head of a raw file.
    pub flags: U32,
    unused: U32,
    /// The first run of the profile to which the file belongs. There are two, since the profile is
    /// replaced when its records are summed; [`RunId::NONE`] is none. If both are none, the counts
    /// belong to the profile of this name whatever it begins with.
    pub anchors: [[u8; 16]; 2],
    /// The identity of this file. A copy of it has another one.
    pub file: Birth,
    /// The number of runs that began.
    pub starts: U64,
    /// The number of runs that ended in the normal way.
    pub ends: U64,
    /// The time at which the first run began, in nanoseconds since 1970.
    pub first: U64,
    /// The time at which an image last took one of its standing files.
    pub last: U64,
    /// The offset up to which the disk has room for the file.
    pub reserved: U64,
    /// The [layout](crate::raw::layout) of the counters.
    pub layout: U64,
    zeros: [u8; 144],
    /// The last runs.
    pub runs: [Run; RUNS],
}

/// The identity of a file: its number, and the time at which it was made.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, Immutable, IntoBytes, KnownLayout)]
pub struct Birth {
    /// The number of its inode.
    pub inode: U64,
    /// The seconds since 1970.
    pub seconds: U64,
    /// The nanoseconds of that second.
    pub nanoseconds: U64,
}

/// One run.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, Immutable, IntoBytes, KnownLayout)]
pub struct Run {
    /// Start of counting in nanoseconds since 1970.
    pub start: U64,
    /// End of counting; 0 if it has not ended in the normal way.
    pub stop: U64,
    /// The time at which the kernel started the process, in clock ticks since boot.
    pub process_start: U64,
    /// The number of the process.
    pub pid: U32,
    /// The number of bytes of its arguments that follow.
    pub length: U32,
    unused: U64,
    arguments: [u8; ARGUMENTS],
}

const _: () = assert!(size_of::<Block>() == 4096 && size_of::<Run>() == 256);

impl Run {
    /// Creates a run that begins. Of the arguments, each closed by a NUL, the first
    /// [`ARGUMENTS`] bytes are kept.
    pub fn new(pid: u32, start: u64, process_start: u64, arguments: &[u8]) -> Self {
        let mut kept = [0; ARGUMENTS];
        let length = arguments.len().min(ARGUMENTS);
        kept.iter_mut().zip(arguments).for_each(|(to, from)| *to = *from);
        Self {
            start: start.into(),
            stop: 0.into(),
            process_start: process_start.into(),
            pid: pid.into(),
            length: (length as u32).into(),
            unused: 0.into(),
            arguments: kept,
        }
    }

    /// Returns its arguments, as far as they are known.
    pub fn arguments(&self) -> &[u8] {
        self.arguments.get(..self.length.get() as usize).unwrap_or(&self.arguments)
    }
}

impl Block {
    /// Creates the block of a file in which nothing has counted. It belongs to the profile that
    /// begins with this run.
    #[cfg(any(feature = "alloc", test))]
    pub fn new(file: Birth, anchor: RunId, now: u64) -> Self {
        let none = Run::new(0, 0, 0, &[]);
        Self {
            flags: 0.into(),
            unused: 0.into(),
            anchors: [anchor.0, RunId::NONE.0],
            file,
            starts: 0.into(),
            ends: 0.into(),
            first: 0.into(),
            last: now.into(),
            reserved: 0.into(),
            layout: 0.into(),
            zeros: [0; 144],
            runs: [none; RUNS],
        }
    }

    /// Returns true if a file with these anchors belongs to a profile that begins with this run.
    pub fn is_of(anchors: &[[u8; 16]; 2], first: RunId) -> bool {
        let none = RunId::NONE.0;
        *anchors == [none; 2] || first.0 != none && anchors.contains(&first.0)
    }

    /// Returns the place of the last run that began.
    pub fn place(starts: u64) -> usize {
        (starts.saturating_sub(1) % RUNS as u64) as usize
    }

    /// Returns the last runs, in no order.
    pub fn last_runs(&self) -> impl Iterator<Item = &Run> {
        self.runs.iter().take(usize::try_from(self.starts.get()).unwrap_or(RUNS))
    }

    /// Returns true if all runs ended in the normal way. A run may end while the block is read.
    pub fn is_complete(&self) -> bool {
        self.ends.get() >= self.starts.get()
    }

    /// Returns the last run that began.
    pub fn last_run(&self) -> Option<&Run> {
        self.runs.get(Self::place(self.starts.get())).filter(|_| self.starts.get() > 0)
    }
}
