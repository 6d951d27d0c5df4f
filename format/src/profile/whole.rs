//! Records in memory, for programs with an allocator: reading, storing and writing them.

use alloc::vec;
use alloc::vec::Vec;

use super::head::Head;
use super::run::{GONE, INCOMPLETE, RunId};
use super::writer::{ENDING, ProfileWriter, tag};
use crate::record::ModuleId;
use crate::wire::{Error, Reader, Result, checksum};

/// A record in memory. The texts of its head borrow from the file's bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile<'a> {
    /// The facts of the run; of a merged record, those of the run that began first.
    pub head: Head<'a>,
    /// The counts: of one run, or in a merged record of any number of runs.
    pub parts: Vec<Part>,
}

/// The common counts of some runs: of one, unless they were merged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// The identities of the runs, in ascending order, each once.
    pub runs: Vec<RunId>,
    /// The flags of each of the runs.
    pub flags: u32,
    /// The [label](crate::label) under which they counted this; empty if none.
    pub label: Vec<u8>,
    /// The memory map of the process, if keys are addresses: lines of `/proc/self/maps`.
    pub map: Option<Vec<u8>>,
    /// Non-zero counters by module; modules without any are left out.
    pub modules: Vec<Module>,
}

/// Returns the label of the first part of a record that begins with `bytes`; empty if it has none,
/// or if that is beyond the bytes.
pub fn first_label(bytes: &[u8]) -> &[u8] {
    let mut reader = Reader::new(bytes);
    let mut read = || {
        Head::read(&mut reader)?;
        match reader.u8()? {
            tag::PART => reader.u32().and_then(|_| reader.bytes()),
            _ => Ok(&[][..]),
        }
    };
    read().unwrap_or_default()
}

/// The non-zero counters of one module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// The identity of the module.
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
    /// Anything that is not a sequence of sound records of
    /// [`PROFILE_VERSION`](crate::PROFILE_VERSION).
    pub fn decode_all(bytes: &'a [u8]) -> Result<Vec<Self>> {
        let (mut profiles, mut rest) = (Vec::new(), bytes);
        while !rest.is_empty() {
            let (profile, length) = Self::decode_first(rest)?;
            profiles.push(profile);
            rest = &rest[length..];
        }
        Ok(profiles)
    }

    /// Reads the record at the front of `bytes`. Returns it with its length.
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
            // Items before all parts belong to the run of the head.
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

    /// Returns the modules of all parts.
    pub fn modules(&self) -> impl Iterator<Item = &Module> {
        self.parts.iter().flat_map(|part| &part.modules)
    }

    /// Returns the bytes of the record.
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
    /// Creates the only part of a record, without counts.
    pub fn of(head: &Head<'_>) -> Self {
        Self { runs: vec![head.identity()], flags: head.flags, ..Self::default() }
    }

    /// Returns true if its runs may still be completed: they have not ended normally, and their
    /// processes may still exist.
    pub fn may_end(&self) -> bool {
        self.flags & INCOMPLETE != 0 && self.flags & GONE == 0
    }

    /// Reads the item behind this tag: the map of the part, or a module.
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

    /// Reads the beginning of a part, without counts.
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

#[cfg(test)]
mod tests {
    use super::super::run::{PARTIAL, UNREGISTERED_THREADS};
    use super::super::writer::length_before;
    use super::*;

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
        Profile { head: Head::SAMPLE, parts: vec![part(5, UNREGISTERED_THREADS)] }
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
            let profile = Profile { head: Head::SAMPLE, parts };
            let bytes = profile.encode();
            assert_eq!(first_label(&bytes), profile.parts[0].label);
            assert_eq!(Profile::decode(&bytes), Ok(profile));
        }
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
            let mut writer = ProfileWriter::new(&mut bytes, &Head::SAMPLE);
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
        // The records are also found from the end.
        let ending = bytes.last_chunk().expect("long enough");
        assert_eq!(length_before(*ending), (bytes.len() - length) as u64);
        assert_eq!(Head::decode(&bytes[length..]), Ok(second.head));
    }

    #[test]
    fn a_map_behind_modules_is_refused() {
        let mut bytes = Vec::new();
        let mut writer = ProfileWriter::new(&mut bytes, &Head::SAMPLE);
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
