//! The profile of one image in one process: who ran, then for every module its non-zero counters.
//!
//! The runtime streams it out ([`ModuleWriter`]); the report reads it whole ([`Profile::decode`]). After the head
//! come modules, each a tag 1, the module's id, the length of its array and pairs (gap, count) closed by a gap
//! of 0, where the index of a counter is the previous one plus the gap, starting from −1. Where keys of tables are addresses, a tag 2 and the process's map stand
//! before its modules. A tag 0 and the
//! xxHash64 of all bytes before it close the file.

use crate::PROFILE_VERSION;
use crate::record::ModuleId;
use crate::wire::{Checksummed, Sink};
#[cfg(any(feature = "alloc", test))]
use crate::wire::{Reader, Result};

/// First eight bytes of every profile.
pub const MAGIC: [u8; 8] = *b"PATHPROF";

/// Flag: the process did not end in the normal way, so the last paths may be missing.
pub const INCOMPLETE: u32 = 1;

/// Flag: threads ran that the runtime did not know; their counts were added without synchronisation.
pub const UNREGISTERED_THREADS: u32 = 2;

/// Flag: the process is a fork of one that was counted already, so paths may end here that began in its parent.
pub const FORKED: u32 = 4;

/// Flag: the process did not write a profile, and its raw file does not hold the counts of all threads, since there was no
/// room or no descriptor for more.
pub const PARTIAL: u32 = 8;

/// Who ran. Byte strings, since a path or an argument need not be UTF-8.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Head<'a> {
    /// [`INCOMPLETE`], [`UNREGISTERED_THREADS`], [`FORKED`], [`PARTIAL`].
    pub flags: u32,
    /// Process.
    pub pid: u32,
    /// Its parent.
    pub parent: u32,
    /// Start of counting in nanoseconds since 1970.
    pub start: u64,
    /// End of counting in nanoseconds since 1970; 0 in a raw file.
    pub stop: u64,
    /// When the kernel started the process, in clock ticks since boot; 0 if unknown. With the process's number and its
    /// machine this tells which images ran in one process.
    pub process_start: u64,
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

impl Head<'_> {
    fn write(&self, sink: &mut impl Sink) {
        sink.put(&MAGIC);
        sink.put_u32(PROFILE_VERSION);
        sink.put_u32(self.flags);
        self.write_facts(sink);
    }

    /// Writes all but the flags.
    pub(crate) fn write_facts(&self, sink: &mut impl Sink) {
        sink.put_u32(self.pid);
        sink.put_u32(self.parent);
        sink.put_u64(self.start);
        sink.put_u64(self.stop);
        sink.put_u64(self.process_start);
        for text in [self.build_id, self.image, self.command_line, self.directory, self.host] {
            sink.put_bytes(text);
        }
    }
}

#[cfg(any(feature = "alloc", test))]
impl<'a> Head<'a> {
    /// Reads what [`write_facts`](Head::write_facts) wrote.
    pub(crate) fn read_facts(flags: u32, reader: &mut Reader<'a>) -> Result<Self> {
        Ok(Self {
            flags,
            pid: reader.u32()?,
            parent: reader.u32()?,
            start: reader.u64()?,
            stop: reader.u64()?,
            process_start: reader.u64()?,
            build_id: reader.bytes()?,
            image: reader.bytes()?,
            command_line: reader.bytes()?,
            directory: reader.bytes()?,
            host: reader.bytes()?,
        })
    }
}

/// Writes one profile to a sink: head, modules, end.
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

    /// Tells where code is in the process that the modules behind it are of: lines of `/proc/self/maps`.
    pub fn map(&mut self, lines: &[u8]) {
        self.sink.put(&[2]);
        self.sink.put_bytes(lines);
    }

    /// Starts a module whose array has `counters` counters. Counters must then come in ascending order.
    pub fn module(&mut self, id: ModuleId, counters: u64) -> ModuleWriter<'_, 'a, S> {
        self.sink.put(&[1]);
        self.sink.put(&id.0);
        self.sink.put_varint(counters);
        ModuleWriter { sink: &mut self.sink, next: 0 }
    }

    /// Writes the end mark and the checksum.
    pub fn finish(mut self) {
        self.sink.put(&[0]);
        self.sink.finish();
    }
}

/// Writes the counters of one module.
pub struct ModuleWriter<'w, 's, S: Sink> {
    sink: &'w mut Checksummed<'s, S>,
    next: u64,
}

impl<S: Sink> ModuleWriter<'_, '_, S> {
    /// Writes a counter; zero counts are left out, and `index` must be above the previous one.
    pub fn counter(&mut self, index: u64, count: u64) {
        if count != 0 && index >= self.next {
            self.sink.put_varint(index - self.next + 1);
            self.sink.put_varint(count);
            self.next = index + 1;
        }
    }

    /// Closes the module.
    pub fn finish(self) {
        self.sink.put_varint(0);
    }
}

#[cfg(any(feature = "alloc", test))]
pub use whole::{Module, Profile};

/// Reading and holding whole profiles, for programs with an allocator.
#[cfg(any(feature = "alloc", test))]
mod whole {
    use alloc::vec::Vec;

    use super::{Head, MAGIC, ProfileWriter};
    use crate::PROFILE_VERSION;
    use crate::record::ModuleId;
    use crate::wire::{Error, Reader, Result, checksum};

    /// A profile in memory; the texts of its head borrow from the file's bytes.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct Profile<'a> {
        /// Who ran.
        pub head: Head<'a>,
        /// Non-zero counters by module.
        pub modules: Vec<Module>,
        /// Where code is in the process of the modules from this one on.
        pub maps: Vec<(usize, Vec<u8>)>,
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
        /// Reads a whole file.
        ///
        /// # Errors
        /// Anything that is not a sound profile of [`PROFILE_VERSION`].
        pub fn decode(bytes: &'a [u8]) -> Result<Self> {
            let mut reader = Reader::new(bytes);
            if reader.array()? != MAGIC {
                return Err(Error::BadMagic);
            }
            let version = reader.u32()?;
            if version != PROFILE_VERSION {
                return Err(Error::BadVersion(version));
            }
            let (content, sum) = bytes.split_last_chunk::<8>().ok_or(Error::Truncated)?;
            if checksum(content) != u64::from_le_bytes(*sum) {
                return Err(Error::BadChecksum);
            }
            let flags = reader.u32()?;
            let head = Head::read_facts(flags, &mut reader)?;
            let (mut modules, mut maps) = (Vec::new(), Vec::new());
            loop {
                match reader.u8()? {
                    0 => break,
                    1 => modules.push(Module::decode(&mut reader)?),
                    2 => maps.push((modules.len(), reader.bytes()?.to_vec())),
                    _ => return Err(Error::Invalid("a module does not start with its tag")),
                }
            }
            if reader.rest().len() != 8 {
                return Err(Error::Invalid("bytes follow the end mark"));
            }
            Ok(Self { head, modules, maps })
        }

        /// The bytes of the file.
        pub fn encode(&self) -> Vec<u8> {
            let mut bytes = Vec::new();
            let mut writer = ProfileWriter::new(&mut bytes, &self.head);
            for (at, module) in self.modules.iter().enumerate() {
                self.maps.iter().filter(|(first, _)| *first == at).for_each(|(_, lines)| writer.map(lines));
                let mut counters = writer.module(module.id, module.counters);
                module.counts.iter().for_each(|&(index, count)| counters.counter(index, count));
                counters.finish();
            }
            let behind = self.maps.iter().filter(|(first, _)| *first >= self.modules.len());
            behind.for_each(|(_, lines)| writer.map(lines));
            writer.finish();
            bytes
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

    fn sample() -> Profile<'static> {
        Profile {
            head: Head {
                flags: UNREGISTERED_THREADS,
                pid: 42,
                parent: 1,
                start: 1_000,
                stop: 2_000,
                process_start: 77,
                build_id: &[1, 2, 3],
                image: b"/bin/demo",
                command_line: b"demo\0-x\0",
                directory: b"/tmp",
                host: b"box",
            },
            modules: vec![
                Module { id: ModuleId([7; 16]), counters: 10, counts: vec![(0, 1), (1, 2), (9, u64::MAX)] },
                Module { id: ModuleId([8; 16]), counters: 0, counts: Vec::new() },
            ],
            maps: vec![(1, b"1000-2000 r-xp 0 0:0 0 /bin/demo\n".to_vec()), (2, Vec::new())],
        }
    }

    #[test]
    fn a_profile_comes_back() {
        let bytes = sample().encode();
        assert_eq!(Profile::decode(&bytes), Ok(sample()));
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
