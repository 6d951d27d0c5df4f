//! A profile is a file of records. A record has the counts of one image in one process: the facts
//! of the run, then the non-zero counters of every module.
//!
//! The runtime writes a record ([`ProfileWriter`]) and appends it to the file. The report reads
//! records ([`Profile::decode`]). The items behind the head of a record begin with tags:
//!
//! * 1, a module: its id, the length of its array, and pairs (gap, count) closed by a gap of 0. The
//!   index of a counter is the previous one plus the gap, starting from −1.
//! * 2, the map of the process. It precedes modules whose keys of tables are addresses.
//! * 3, a part: the common counts of some runs. Merged records have parts.
//! * 0, the end: the length of the record and the xxHash64 of all bytes before it. With the length,
//!   a file can be read from its end without decoding its content ([`length_before`]).
//!
//! The submodules, each of which uses only those above it:
//!
//! * `run` the identity of a run, and its flags
//! * `head` the facts of a run
//! * `writer` writes counters as a record, without allocating
//! * `whole` records in memory, for programs with an allocator

mod head;
mod run;
#[cfg(any(feature = "alloc", test))]
mod whole;
mod writer;

pub use head::{Ancestor, Front, Head, MAGIC};
pub use run::{
    CUMULATIVE, CUT, DENIED, DISCARDED, ENDED, FORKED, GONE, INCOMPLETE, MERGED, OTHER_RUNTIME,
    PARTIAL, RUNNING, RunId, SEGMENT, UNREGISTERED_THREADS, UNSURE,
};
#[cfg(any(feature = "alloc", test))]
pub use whole::{Module, Part, Profile, first_label};
pub use writer::{ENDING, ModuleWriter, ProfileWriter, length_before};

pub(crate) use writer::tag;
