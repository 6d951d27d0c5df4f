//! The head of a record: the facts of a run. A raw file has the same facts behind its own head.

use zerocopy::little_endian::{U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::run::RunId;
#[cfg(any(feature = "alloc", test))]
use super::run::digest;
use crate::PROFILE_VERSION;
use crate::wire::Sink;
#[cfg(any(feature = "alloc", test))]
use crate::wire::{Error, Reader, Result};

/// First eight bytes of every profile.
pub const MAGIC: [u8; 8] = *b"PATHPROF";

/// A process, as recorded by its descendants.
#[repr(C)]
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    FromBytes,
    Immutable,
    IntoBytes,
    KnownLayout,
    Unaligned,
)]
pub struct Ancestor {
    process: U32,
    start: U64,
}

impl Ancestor {
    /// No process.
    pub const NONE: Self = Self::new(0, 0);

    /// Creates the ancestor with this process number, which the kernel started at this time, in
    /// clock ticks since boot; 0 if the time is unknown.
    pub const fn new(process: u32, start: u64) -> Self {
        Self { process: U32::new(process), start: U64::new(start) }
    }

    /// Returns its number.
    pub fn process(self) -> u32 {
        self.process.get()
    }

    /// Returns the time at which the kernel started it, in clock ticks since boot; 0 if unknown.
    pub fn start(self) -> u64 {
        self.start.get()
    }
}

/// The facts of a run. Texts are byte strings, since a path or an argument need not be UTF-8.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Head<'a> {
    /// The flags of the run: [`INCOMPLETE`](super::INCOMPLETE), [`FORKED`](super::FORKED) and so
    /// on. Two of the flags are of raw files alone ([`ENDED`](super::ENDED),
    /// [`DENIED`](super::DENIED)), and two of records ([`MERGED`](super::MERGED),
    /// [`GONE`](super::GONE)).
    pub flags: u32,
    /// The number of the process.
    pub pid: u32,
    /// Start of counting in nanoseconds since 1970.
    pub start: u64,
    /// End of counting in nanoseconds since 1970; 0 in a raw file.
    pub stop: u64,
    /// The time at which the kernel started the process, in clock ticks since boot; 0 if unknown.
    /// With the process's number and its machine, it identifies the images of one process.
    pub process_start: u64,
    /// The ancestors of the process, the parent first, as they were when it began.
    pub ancestors: &'a [Ancestor],
    /// The identity of the run, [`RunId::NONE`] if no random bytes were available.
    pub run: RunId,
    /// Build-id of the image, empty if it has none.
    pub build_id: &'a [u8],
    /// Absolute path of the image.
    pub image: &'a [u8],
    /// The process's arguments, each closed by a NUL byte.
    pub command_line: &'a [u8],
    /// Working directory at the start.
    pub directory: &'a [u8],
    /// Name of the machine.
    pub host: &'a [u8],
}

/// The part of a head of fixed length, as in a file.
#[repr(C)]
#[derive(FromBytes, Immutable, IntoBytes, Unaligned)]
struct Facts {
    pid: U32,
    start: U64,
    stop: U64,
    process_start: U64,
    run: [u8; 16],
}

/// What stands at the same place in each record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Front {
    /// The number of the process.
    pub pid: u32,
    /// End of counting in nanoseconds since 1970.
    pub stop: u64,
    /// The identity of the run.
    pub run: RunId,
}

impl Front {
    /// The number of bytes that it takes.
    pub const LENGTH: usize = 64;

    /// Reads the front of a record; `None` if these are not its first bytes.
    pub fn of(bytes: &[u8; Self::LENGTH]) -> Option<Self> {
        let facts = bytes.strip_prefix(&MAGIC)?.strip_prefix(&PROFILE_VERSION.to_le_bytes())?;
        let (facts, _) = Facts::read_from_prefix(facts.get(4..)?).ok()?;
        Some(Self { pid: facts.pid.get(), stop: facts.stop.get(), run: RunId(facts.run) })
    }
}

impl Head<'_> {
    pub(super) fn write(&self, sink: &mut impl Sink) {
        sink.put(&MAGIC);
        sink.put_u32(PROFILE_VERSION);
        sink.put_u32(self.flags);
        self.write_facts(sink);
    }

    /// Writes all but the flags.
    pub(crate) fn write_facts(&self, sink: &mut impl Sink) {
        let facts = Facts {
            pid: self.pid.into(),
            start: self.start.into(),
            stop: self.stop.into(),
            process_start: self.process_start.into(),
            run: self.run.0,
        };
        sink.put(facts.as_bytes());
        let ancestors = self.ancestors.as_bytes();
        for text in
            [self.build_id, self.image, self.command_line, self.directory, self.host, ancestors]
        {
            sink.put_bytes(text);
        }
    }
}

#[cfg(any(feature = "alloc", test))]
impl<'a> Head<'a> {
    /// Reads the head of a record.
    ///
    /// # Errors
    /// Anything that is not the head of a record of [`PROFILE_VERSION`].
    pub fn decode(bytes: &'a [u8]) -> Result<Self> {
        Self::read(&mut Reader::new(bytes))
    }

    pub(super) fn read(reader: &mut Reader<'a>) -> Result<Self> {
        reader.begin(MAGIC, PROFILE_VERSION)?;
        let flags = reader.u32()?;
        Self::read_facts(flags, reader)
    }

    /// Reads the output of [`write_facts`](Head::write_facts).
    pub(crate) fn read_facts(flags: u32, reader: &mut Reader<'a>) -> Result<Self> {
        let facts: Facts = reader.read()?;
        Ok(Self {
            flags,
            pid: facts.pid.get(),
            start: facts.start.get(),
            stop: facts.stop.get(),
            process_start: facts.process_start.get(),
            run: RunId(facts.run),
            build_id: reader.bytes()?,
            image: reader.bytes()?,
            command_line: reader.bytes()?,
            directory: reader.bytes()?,
            host: reader.bytes()?,
            ancestors: <[Ancestor]>::ref_from_bytes(reader.bytes()?)
                .map_err(|_| Error::Invalid("its ancestors end in the middle of one"))?,
        })
    }

    /// Returns the identity of the run; without random bytes, a digest of its facts.
    pub fn identity(&self) -> RunId {
        if self.run != RunId::NONE {
            return self.run;
        }
        let numbers = [self.pid.into(), self.start, self.process_start].map(u64::to_le_bytes);
        digest(&[
            numbers.as_flattened(),
            self.build_id,
            self.image,
            self.command_line,
            self.directory,
            self.host,
        ])
    }
}
#[cfg(test)]
impl Head<'static> {
    /// A head for tests.
    pub(super) const SAMPLE: Self = Self {
        flags: super::run::UNREGISTERED_THREADS,
        pid: 42,
        start: 1_000,
        stop: 2_000,
        process_start: 77,
        ancestors: &[Ancestor::new(40, 70), Ancestor::new(1, 0)],
        run: RunId([5; 16]),
        build_id: &[1, 2, 3],
        image: b"/bin/demo",
        command_line: b"demo\0-x\0",
        directory: b"/tmp",
        host: b"box",
    };
}

#[cfg(test)]
mod tests {
    use super::super::run::INCOMPLETE;
    use super::*;

    #[test]
    fn the_front_of_a_record_is_read_without_the_rest() {
        let mut bytes = alloc::vec::Vec::new();
        Head::SAMPLE.write(&mut bytes);
        let front = Front::of(bytes.first_chunk().expect("long enough")).expect("a record");
        assert_eq!(front, Front { pid: 42, stop: 2_000, run: RunId([5; 16]) });
        bytes[8] += 1;
        assert_eq!(Front::of(bytes.first_chunk().expect("long enough")), None);
    }

    #[test]
    fn a_run_without_random_bytes_is_told_by_its_facts() {
        let unnamed = Head { run: RunId::NONE, ..Head::SAMPLE };
        assert_eq!(
            (Head::SAMPLE.identity(), unnamed.identity()),
            (RunId([5; 16]), unnamed.identity())
        );
        for other in [
            Head { pid: 43, ..unnamed },
            Head { start: 1, ..unnamed },
            Head { process_start: 1, ..unnamed },
            Head { build_id: &[], ..unnamed },
            Head { image: b"/bin/other", ..unnamed },
            Head { command_line: b"", ..unnamed },
            Head { directory: b"/tmpbox", host: b"", ..unnamed },
        ] {
            assert_ne!(other.identity(), unnamed.identity(), "{other:?}");
        }
        // The end of the run, and the flags, which change while it runs, are not part of the
        // identity: the raw file does not have them.
        assert_eq!(Head { stop: 0, flags: INCOMPLETE, ..unnamed }.identity(), unnamed.identity());
    }
}
