//! A profile is a file of records. A record is what one image counted in one process: who ran, then
//! the counters of every module that are not zero.
//!
//! The runtime writes a record ([`ProfileWriter`]) and appends it to the file. The report reads
//! records ([`Profile::decode`]). What follows the head of a record begins with tags:
//!
//! * 1, a module: its id, the length of its array, and pairs (gap, count) closed by a gap of 0. The
//!   index of a counter is the previous one plus the gap, starting from −1.
//! * 2, the map of the process. It stands before modules whose keys of tables are addresses.
//! * 3, a part: what some runs counted together. Merged records have parts.
//! * 0, the end: the length of the record and the xxHash64 of all bytes before it. With the length
//!   a file can be read from its end without decoding what it holds ([`length_before`]).

use core::fmt;

use xxhash_rust::xxh64::Xxh64;
use zerocopy::little_endian::{U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, Unaligned};

use crate::PROFILE_VERSION;
use crate::record::ModuleId;
use crate::wire::{Checksummed, Sink};
#[cfg(any(feature = "alloc", test))]
use crate::wire::{Reader, Result};

/// First eight bytes of every profile.
pub const MAGIC: [u8; 8] = *b"PATHPROF";

/// What stands behind the head of a record or of a raw file begins with one of these bytes.
pub(crate) mod tag {
    /// Nothing more follows.
    pub(crate) const END: u8 = 0;

    /// A module.
    pub(crate) const MODULE: u8 = 1;

    /// The map of the process that the modules behind it are of.
    pub(crate) const MAP: u8 = 2;

    /// What some runs counted together.
    pub(crate) const PART: u8 = 3;
}

/// Flag: the process did not end in the normal way, so the last paths may be missing.
pub const INCOMPLETE: u32 = 1;

/// Flag: threads ran that the runtime did not know; their counts were added without
/// synchronisation.
pub const UNREGISTERED_THREADS: u32 = 2;

/// Flag: the process is a fork of one that was counted already, so paths may end here that began in
/// its parent.
pub const FORKED: u32 = 4;

/// Flag: the process did not write a profile, and its raw file does not hold the counts of all
/// threads, since there was no room or no descriptor for more.
pub const PARTIAL: u32 = 8;

/// Flag: the file that keeps the counters was cut or could not be read while the process ran; what
/// it held is missing.
pub const CUT: u32 = 16;

/// Flag: the image is a library that a program without counters loaded, and that program had
/// overwritten its environment or changed its directory; what the profile's name should be is a
/// guess.
pub const UNSURE: u32 = 32;

/// Flag: the executable has a runtime of another version, so that the image cannot tell its threads
/// apart.
pub const OTHER_RUNTIME: u32 = 64;

/// Flag of raw files: the process ended in the normal way and could not write its profile. Nothing
/// is missing.
pub const ENDED: u32 = 128;

/// Flag of raw files, beside [`ENDED`]: it was not permitted to write there.
pub const DENIED: u32 = 256;

/// Flag: when the counts were read, other threads were running, not waiting. What they were in the
/// middle of is not counted, or counted too early.
pub const RUNNING: u32 = 1024;

/// Flag of records: it is of runs that were merged.
pub const MERGED: u32 = 2048;

/// Flag of records, beside [`INCOMPLETE`]: it was made of a raw file whose process is gone, so that
/// nothing will complete it.
pub const GONE: u32 = 4096;

/// What tells one run of an image from every other: 16 random bytes, or a digest where there were
/// none. All zeros are none.
///
/// A run is the life of an image in a process. A profile and the raw file that it replaces are of
/// one run, and so are copies.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(pub [u8; 16]);

impl RunId {
    /// No identity.
    pub const NONE: Self = Self([0; 16]);

    /// The run of a child that was forked from this one: `process` is its number, `time` when that
    /// was.
    pub fn of_child(&self, process: u32, time: u64) -> Self {
        if *self == Self::NONE {
            return Self::NONE;
        }
        digest(&[&self.0, &process.to_le_bytes(), &time.to_le_bytes()])
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "run {self}")
    }
}

/// A digest of byte strings, each with its length.
fn digest(parts: &[&[u8]]) -> RunId {
    let half = |seed| {
        let mut hash = Xxh64::new(seed);
        for part in parts {
            hash.update(&(part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        u128::from(hash.digest())
    };
    RunId((half(1) << 64 | half(2)).to_le_bytes())
}

/// Who ran. Byte strings, since a path or an argument need not be UTF-8.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Head<'a> {
    /// [`INCOMPLETE`], [`UNREGISTERED_THREADS`], [`FORKED`], [`PARTIAL`], [`CUT`], [`UNSURE`],
    /// [`OTHER_RUNTIME`], [`RUNNING`]; in raw files also [`ENDED`], [`DENIED`]; in
    /// records also [`MERGED`], [`GONE`].
    pub flags: u32,
    /// Process.
    pub pid: u32,
    /// Its parent.
    pub parent: u32,
    /// Start of counting in nanoseconds since 1970.
    pub start: u64,
    /// End of counting in nanoseconds since 1970; 0 in a raw file.
    pub stop: u64,
    /// When the kernel started the process, in clock ticks since boot; 0 if unknown. With the
    /// process's number and its machine this tells which images ran in one process.
    pub process_start: u64,
    /// Which run it is, [`RunId::NONE`] if there was nothing random at hand.
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

/// The part of a head that always has the same length, as it stands in a file.
#[repr(C)]
#[derive(FromBytes, Immutable, IntoBytes, Unaligned)]
struct Facts {
    pid: U32,
    parent: U32,
    start: U64,
    stop: U64,
    process_start: U64,
    run: [u8; 16],
}

impl Head<'_> {
    fn write(&self, sink: &mut impl Sink) {
        sink.put(&MAGIC);
        sink.put_u32(PROFILE_VERSION);
        sink.put_u32(self.flags);
        self.write_facts(sink);
    }

    /// Writes all but the flags.
    pub(crate) fn write_facts(&self, sink: &mut impl Sink) {
        let facts = Facts {
            pid: self.pid.into(),
            parent: self.parent.into(),
            start: self.start.into(),
            stop: self.stop.into(),
            process_start: self.process_start.into(),
            run: self.run.0,
        };
        sink.put(facts.as_bytes());
        for text in [self.build_id, self.image, self.command_line, self.directory, self.host] {
            sink.put_bytes(text);
        }
    }
}

#[cfg(any(feature = "alloc", test))]
impl<'a> Head<'a> {
    /// Reads the head that a record begins with.
    ///
    /// # Errors
    /// Anything that is not the head of a record of [`PROFILE_VERSION`].
    pub fn decode(bytes: &'a [u8]) -> Result<Self> {
        Self::read(&mut Reader::new(bytes))
    }

    fn read(reader: &mut Reader<'a>) -> Result<Self> {
        reader.begin(MAGIC, PROFILE_VERSION)?;
        let flags = reader.u32()?;
        Self::read_facts(flags, reader)
    }

    /// Reads what [`write_facts`](Head::write_facts) wrote.
    pub(crate) fn read_facts(flags: u32, reader: &mut Reader<'a>) -> Result<Self> {
        let facts: Facts = reader.read()?;
        Ok(Self {
            flags,
            pid: facts.pid.get(),
            parent: facts.parent.get(),
            start: facts.start.get(),
            stop: facts.stop.get(),
            process_start: facts.process_start.get(),
            run: RunId(facts.run),
            build_id: reader.bytes()?,
            image: reader.bytes()?,
            command_line: reader.bytes()?,
            directory: reader.bytes()?,
            host: reader.bytes()?,
        })
    }

    /// Which run it is; without random bytes, by all that is known of it.
    pub fn identity(&self) -> RunId {
        if self.run != RunId::NONE {
            return self.run;
        }
        // Not by its parent, which may end before it and be another one by then.
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

/// Writes one record to a sink: head, modules, end.
pub struct ProfileWriter<'a, S: Sink> {
    sink: Checksummed<'a, S>,
}

impl<'a, S: Sink> ProfileWriter<'a, S> {
    /// Writes the head.
    pub fn new(sink: &'a mut S, head: &Head<'_>) -> Self {
        let mut sink = Checksummed::new(sink);
        head.write(&mut sink);
        Self { sink }
    }

    /// Tells where code is in the process that the modules behind it are of: lines of
    /// `/proc/self/maps`.
    pub fn map(&mut self, lines: &[u8]) {
        self.sink.put(&[tag::MAP]);
        self.sink.put_bytes(lines);
    }

    /// Begins what some runs counted together; `flags` are those of each of them, and `label` is
    /// what the user calls them.
    pub fn part(&mut self, runs: &[RunId], flags: u32, label: &[u8]) {
        self.sink.put(&[tag::PART]);
        self.sink.put_u32(flags);
        self.sink.put_bytes(label);
        self.sink.put_varint(runs.len() as u64);
        runs.iter().for_each(|run| self.sink.put(&run.0));
    }

    /// Starts a module whose array has `counters` counters. Counters must then come in ascending
    /// order. If all of them are zero, nothing is written: an image may have a thousand modules, of
    /// which a run executes a few.
    pub fn module(&mut self, id: ModuleId, counters: u64) -> ModuleWriter<'_, 'a, S> {
        ModuleWriter { sink: &mut self.sink, id, counters, next: 0 }
    }

    /// Writes the end mark, the length and the checksum.
    pub fn finish(mut self) {
        self.sink.put(&[tag::END]);
        let length = self.sink.written() + ENDING as u64;
        self.sink.put_u64(length);
        self.sink.finish();
    }
}

/// The length of what closes a record behind its end mark: the record's length, and its checksum.
pub const ENDING: usize = 16;

/// The length of the record that these bytes close, if they do close one.
pub fn length_before(ending: [u8; ENDING]) -> u64 {
    ending.first_chunk().map_or(0, |length| u64::from_le_bytes(*length))
}

/// Writes the counters of one module.
pub struct ModuleWriter<'w, 's, S: Sink> {
    sink: &'w mut Checksummed<'s, S>,
    id: ModuleId,
    counters: u64,
    /// One more than the last index that was written; 0 if none was.
    next: u64,
}

impl<S: Sink> ModuleWriter<'_, '_, S> {
    /// Writes a counter; zero counts are left out, and `index` must be above the previous one.
    pub fn counter(&mut self, index: u64, count: u64) {
        if count != 0 && index >= self.next {
            if self.next == 0 {
                self.sink.put(&[tag::MODULE]);
                self.sink.put(&self.id.0);
                self.sink.put_varint(self.counters);
            }
            self.sink.put_varint(index - self.next + 1);
            self.sink.put_varint(count);
            self.next = index + 1;
        }
    }

    /// Closes the module.
    pub fn finish(self) {
        if self.next > 0 {
            self.sink.put_varint(0);
        }
    }
}

#[cfg(any(feature = "alloc", test))]
pub use whole::{Module, Part, Profile};

/// Reading and holding whole records, for programs with an allocator.
#[cfg(any(feature = "alloc", test))]
mod whole {
    use alloc::vec;
    use alloc::vec::Vec;

    use super::{ENDING, GONE, Head, INCOMPLETE, ProfileWriter, RunId, tag};
    use crate::record::ModuleId;
    use crate::wire::{Error, Reader, Result, checksum};

    /// A record in memory; the texts of its head borrow from the file's bytes.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct Profile<'a> {
        /// Who ran; of a merged record, the run that began first.
        pub head: Head<'a>,
        /// What was counted: by one run, or in a merged record by any number of them.
        pub parts: Vec<Part>,
    }

    /// What some runs counted together, one unless they were merged.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct Part {
        /// Which runs, in ascending order, each once.
        pub runs: Vec<RunId>,
        /// The flags of each of them.
        pub flags: u32,
        /// What the user called them when they were merged; empty if nothing.
        pub label: Vec<u8>,
        /// Where code was in the process, if keys are addresses: lines of `/proc/self/maps`.
        pub map: Option<Vec<u8>>,
        /// Non-zero counters by module; modules without any are left out.
        pub modules: Vec<Module>,
    }

    /// The non-zero counters of one module.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Module {
        /// Which module.
        pub id: ModuleId,
        /// Length of its array.
        pub counters: u64,
        /// Index and count of each non-zero counter, in ascending order of index.
        pub counts: Vec<(u64, u64)>,
    }

    impl<'a> Profile<'a> {
        /// Reads a file of one record.
        ///
        /// # Errors
        /// Anything that is not one sound record of [`PROFILE_VERSION`](crate::PROFILE_VERSION).
        pub fn decode(bytes: &'a [u8]) -> Result<Self> {
            let (profile, length) = Self::decode_first(bytes)?;
            if length == bytes.len() {
                Ok(profile)
            } else {
                Err(Error::Invalid("bytes follow the record"))
            }
        }

        /// Reads a file of records.
        ///
        /// # Errors
        /// Anything that is no sequence of sound records of [`PROFILE_VERSION`](crate::PROFILE_VERSION).
        pub fn decode_all(bytes: &'a [u8]) -> Result<Vec<Self>> {
            let (mut profiles, mut rest) = (Vec::new(), bytes);
            while !rest.is_empty() {
                let (profile, length) = Self::decode_first(rest)?;
                profiles.push(profile);
                rest = &rest[length..];
            }
            Ok(profiles)
        }

        /// Reads the record that `bytes` begin with; gives its length, too.
        ///
        /// # Errors
        /// Anything that is not a sound record of [`PROFILE_VERSION`](crate::PROFILE_VERSION).
        pub fn decode_first(bytes: &'a [u8]) -> Result<(Self, usize)> {
            let mut reader = Reader::new(bytes);
            let head = Head::read(&mut reader)?;
            let mut parts = Vec::new();
            loop {
                let tag = reader.u8()?;
                if tag == tag::PART {
                    parts.push(Part::begin(&mut reader)?);
                    continue;
                }
                // What stands before all parts is of the run that the head names.
                if parts.is_empty() {
                    parts.push(Part::of(&head));
                }
                match parts.last_mut() {
                    Some(part) if tag != tag::END => part.read(tag, &mut reader)?,
                    _ => break,
                }
            }
            let content = bytes.len() - reader.rest().len();
            if reader.u64()? != (content + ENDING) as u64 {
                return Err(Error::Invalid("it says another length than it has"));
            }
            if checksum(&bytes[..content + 8]) != reader.u64()? {
                return Err(Error::BadChecksum);
            }
            Ok((Self { head, parts }, content + ENDING))
        }

        /// The modules of all parts.
        pub fn modules(&self) -> impl Iterator<Item = &Module> {
            self.parts.iter().flat_map(|part| &part.modules)
        }

        /// The bytes of the record.
        pub fn encode(&self) -> Vec<u8> {
            let mut bytes = Vec::new();
            let mut writer = ProfileWriter::new(&mut bytes, &self.head);
            let is_alone = |part: &Part| {
                self.parts.len() == 1
                    && (&part.runs[..], part.flags) == (&[self.head.identity()], self.head.flags)
                    && part.label.is_empty()
            };
            for part in &self.parts {
                if !is_alone(part) {
                    writer.part(&part.runs, part.flags, &part.label);
                }
                part.map.iter().for_each(|lines| writer.map(lines));
                for module in &part.modules {
                    let mut counters = writer.module(module.id, module.counters);
                    module.counts.iter().for_each(|&(index, count)| counters.counter(index, count));
                    counters.finish();
                }
            }
            writer.finish();
            bytes
        }
    }

    impl Part {
        /// The part of a record that has but one: nothing counted yet.
        pub fn of(head: &Head<'_>) -> Self {
            Self { runs: vec![head.identity()], flags: head.flags, ..Self::default() }
        }

        /// Whether its runs may still be completed: they have not ended in the normal way, and
        /// their processes may still be there.
        pub fn may_end(&self) -> bool {
            self.flags & INCOMPLETE != 0 && self.flags & GONE == 0
        }

        /// Reads what follows this tag: the map of the part, or a module.
        fn read(&mut self, tag: u8, reader: &mut Reader<'_>) -> Result<()> {
            match tag {
                tag::MODULE => {
                    let module = Module::decode(reader)?;
                    if !module.counts.is_empty() {
                        self.modules.push(module);
                    }
                }
                tag::MAP if self.map.is_none() && self.modules.is_empty() => {
                    self.map = Some(reader.bytes()?.to_vec());
                }
                tag::MAP => {
                    return Err(Error::Invalid(
                        "a map does not stand before the modules of its process",
                    ));
                }
                _ => return Err(Error::Invalid("a module does not start with its tag")),
            }
            Ok(())
        }

        /// Reads how a part begins: nothing counted yet.
        fn begin(reader: &mut Reader<'_>) -> Result<Self> {
            let (flags, label, count) = (reader.u32()?, reader.bytes()?.to_vec(), reader.varint()?);
            if count > (reader.rest().len() / 16) as u64 {
                return Err(Error::Truncated);
            }
            let runs = (0..count).map(|_| reader.array().map(RunId)).collect::<Result<Vec<_>>>()?;
            if runs.is_empty() || !runs.is_sorted_by(|one, other| one < other) {
                return Err(Error::Invalid("the runs of a part are not in order"));
            }
            Ok(Self { runs, flags, label, ..Self::default() })
        }
    }

    impl Module {
        fn decode(reader: &mut Reader<'_>) -> Result<Self> {
            let id = ModuleId(reader.array()?);
            let counters = reader.varint()?;
            let mut counts = Vec::new();
            let mut next = 0u64;
            loop {
                let gap = reader.varint()?;
                if gap == 0 {
                    return Ok(Self { id, counters, counts });
                }
                let after = next.checked_add(gap).filter(|&after| after <= counters);
                next = after.ok_or(Error::Invalid("a counter's index is outside its array"))?;
                match reader.varint()? {
                    0 => return Err(Error::Invalid("a counter that is listed is 0")),
                    count => counts.push((next - 1, count)),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;
    use alloc::vec::Vec;

    use super::*;
    use crate::wire::Error;

    const HEAD: Head<'static> = Head {
        flags: UNREGISTERED_THREADS,
        pid: 42,
        parent: 1,
        start: 1_000,
        stop: 2_000,
        process_start: 77,
        run: RunId([5; 16]),
        build_id: &[1, 2, 3],
        image: b"/bin/demo",
        command_line: b"demo\0-x\0",
        directory: b"/tmp",
        host: b"box",
    };

    fn part(run: u8, flags: u32) -> Part {
        Part {
            runs: vec![RunId([run; 16])],
            flags,
            label: Vec::new(),
            map: Some(b"1000-2000 r-xp 0 0:0 0 /bin/demo\n".to_vec()),
            modules: vec![Module {
                id: ModuleId([7; 16]),
                counters: 10,
                counts: vec![(0, 1), (1, 2), (9, u64::MAX)],
            }],
        }
    }

    fn sample() -> Profile<'static> {
        Profile { head: HEAD, parts: vec![part(5, UNREGISTERED_THREADS)] }
    }

    #[test]
    fn a_profile_comes_back() {
        let bytes = sample().encode();
        assert_eq!(Profile::decode(&bytes), Ok(sample()));
    }

    #[test]
    fn the_runs_of_a_merged_profile_come_back() {
        let empty = Part { runs: vec![RunId([9; 16])], ..Part::default() };
        let own = part(5, UNREGISTERED_THREADS);
        let several = Part { runs: [3, 5, 9].map(|run| RunId([run; 16])).to_vec(), ..own.clone() };
        for parts in [
            vec![several.clone()],
            vec![several, own.clone()],
            vec![Part { label: b"test".to_vec(), ..own.clone() }],
            vec![part(6, 0)],
            vec![part(5, INCOMPLETE)],
            vec![own.clone(), part(6, INCOMPLETE), empty.clone()],
            vec![empty.clone(), own],
            vec![empty; 3],
        ] {
            let profile = Profile { head: HEAD, parts };
            assert_eq!(Profile::decode(&profile.encode()), Ok(profile));
        }
    }

    #[test]
    fn a_run_without_random_bytes_is_told_by_its_facts() {
        let unnamed = Head { run: RunId::NONE, ..HEAD };
        assert_eq!((HEAD.identity(), unnamed.identity()), (RunId([5; 16]), unnamed.identity()));
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
        // How it ended is not part of it, and what changes while it runs: the raw file does not
        // know.
        assert_eq!(
            Head { stop: 0, parent: 2, flags: INCOMPLETE, ..unnamed }.identity(),
            unnamed.identity()
        );
    }

    #[test]
    fn a_child_is_a_run_of_its_own() {
        let run = RunId([5; 16]);
        let children = [
            run,
            run.of_child(7, 1),
            run.of_child(8, 1),
            run.of_child(7, 2),
            RunId([6; 16]).of_child(7, 1),
        ];
        for (at, child) in children.iter().enumerate() {
            assert!(!children[..at].contains(child), "{children:?}");
        }
        assert_eq!(RunId::NONE.of_child(7, 1), RunId::NONE);
    }

    #[test]
    fn only_what_is_neither_complete_nor_gone_may_end() {
        let may_end = |flags| Part { flags, ..Part::default() }.may_end();
        assert!(may_end(INCOMPLETE) && may_end(INCOMPLETE | PARTIAL));
        assert!(!may_end(0) && !may_end(GONE) && !may_end(INCOMPLETE | GONE));
    }

    #[test]
    fn runs_out_of_order_are_refused() {
        for runs in [&[][..], &[2, 2], &[2, 1]] {
            let mut bytes = Vec::new();
            let mut writer = ProfileWriter::new(&mut bytes, &HEAD);
            let runs: Vec<_> = runs.iter().map(|&run| RunId([run; 16])).collect();
            writer.part(&runs, 0, b"");
            writer.finish();
            assert_eq!(
                Profile::decode(&bytes),
                Err(Error::Invalid("the runs of a part are not in order")),
                "{runs:?}"
            );
        }
    }

    #[test]
    fn records_stand_one_behind_the_other() {
        let first = sample();
        let second = Profile { parts: vec![part(6, INCOMPLETE)], ..sample() };
        let bytes = [first.encode(), second.encode()].concat();
        assert!(matches!(Profile::decode(&bytes), Err(Error::Invalid(_))));
        let (found, length) = Profile::decode_first(&bytes).expect("sound");
        assert_eq!((found, length), (first.clone(), first.encode().len()));
        assert_eq!(
            Profile::decode_first(&bytes[length..]),
            Ok((second.clone(), bytes.len() - length))
        );
        assert_eq!(Profile::decode_all(&bytes), Ok(vec![first, second.clone()]));
        assert_eq!(Profile::decode_all(&bytes[..length + 5]), Err(Error::Truncated));
        // And from the end.
        let ending = bytes.last_chunk().expect("long enough");
        assert_eq!(length_before(*ending), (bytes.len() - length) as u64);
        assert_eq!(Head::decode(&bytes[length..]), Ok(second.head));
    }

    #[test]
    fn a_map_behind_modules_is_refused() {
        let mut bytes = Vec::new();
        let mut writer = ProfileWriter::new(&mut bytes, &HEAD);
        let mut module = writer.module(ModuleId([7; 16]), 1);
        module.counter(0, 1);
        module.finish();
        writer.map(b"map");
        writer.finish();
        assert!(matches!(Profile::decode(&bytes), Err(Error::Invalid(_))));
    }

    #[test]
    fn every_truncation_and_every_flipped_bit_is_an_error() {
        let bytes = sample().encode();
        for length in 0..bytes.len() {
            assert!(Profile::decode(&bytes[..length]).is_err(), "cut at {length}");
        }
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(Profile::decode(&damaged).is_err(), "bit {bit}");
        }
    }

    #[test]
    fn another_version_is_named() {
        let mut bytes = sample().encode();
        bytes[8] = 77;
        assert_eq!(Profile::decode(&bytes), Err(Error::BadVersion(77)));
    }
}
