//! The raw file: the counters of one image in one process, as they are in memory while it runs.
//!
//! The runtime maps this file over the counters, so that the kernel keeps them however the process
//! ends. It is a header of whole pages and then *slots*, each of the length of the image's region
//! of counters. Slot 0 is the region itself, in which threads count that are unknown to the
//! runtime; every known thread has its own slot. A count is the sum over all slots. The file is
//! sparse, and it may end in the middle of the last slot.
//!
//! ```text
//!  0       8         12      16            24            32                                   header size
//!  | magic | version | flags | header size | region size | facts … modules … checksum | zeros … | label | slot 0 | slot 1 | …
//! ```
//!
//! The facts are those of a profile's head. Where keys of tables are addresses, a 2 and the
//! process's map follow, as in a profile. A module is its id, the offset of its array in the region
//! (varint), its number of counters (varint) and a byte with the code of its [`Threads`]. The
//! checksum covers the bytes from 16 up to itself, which do not change while the program runs. The
//! [label](crate::label) does.

use core::ops::Range;

use linux_raw_sys::general::{
    BTRFS_SUPER_MAGIC, EXT4_SUPER_MAGIC, F2FS_SUPER_MAGIC, OVERLAYFS_SUPER_MAGIC, TMPFS_MAGIC,
    XFS_SUPER_MAGIC,
};
use xxhash_rust::xxh64::Xxh64;

use crate::RAW_VERSION;
use crate::label::ROOM;
use crate::profile::{Head, tag};
use crate::record::ModuleId;
use crate::settings::Threads;
use crate::standing::Block;
use crate::wire::{Checksummed, Length, Sink};

/// First eight bytes of every raw file.
pub const MAGIC: [u8; 8] = *b"PATHRAWC";

/// Flag beside those of a profile: known threads may count in slot 0, too, so that counts there do
/// not show unknown threads.
pub const SHARED: u32 = 1 << 31;

/// Flag in the header alone: the file is [standing](crate::standing). The last page of the header
/// is its block, and the flags of the runs are in there.
pub const STANDING: u32 = 1 << 30;

/// The offset of the flags in the file. They change while the program runs.
pub const FLAGS_OFFSET: u64 = 12;

/// The offset of the identity of the run, which stands behind four numbers of its facts.
pub const RUN_OFFSET: u64 = 60;

/// The header and the slots are whole pages of this size.
pub const PAGE: u64 = 4096;

const _: () = assert!(size_of::<Block>() == PAGE as usize);

/// Flag beside the code of [`Threads`], in manifests and image descriptors: the module finds its
/// array by its own thread-local word.
pub const OWN_BASE: u32 = 4;

/// Another such flag: code of the module may give threads other thread pointers, so that no code of
/// the image finds thread-local words.
pub const MOVES_POINTER: u32 = 8;

/// Another such flag: the module is traced. Its array does not hold counters: the runtime of traces
/// stores [`array_word`](crate::trace::array_word) in its first word.
pub const TRACED: u32 = 16;

/// Another such flag: the module itself begins the recording, which is off before.
pub const WAITS: u32 = 32;

/// Another such flag: the module finds its array by the base of segment `%gs`, which is the
/// distance from the region to the thread's slot.
pub const IN_SEGMENT: u32 = 64;

/// Another such flag: code of the module uses segment `%gs` for itself, so that no code of the
/// image finds an array by it.
pub const USES_SEGMENT: u32 = 128;

/// Another such flag: code of the module changes the label under which the process counts.
pub const CHANGES_LABEL: u32 = 256;

/// The place of the counters of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrayPlace {
    /// The identity of the module.
    pub id: ModuleId,
    /// The offset of its array, in bytes from the start of the region; a multiple of eight.
    pub offset: u64,
    /// Length of the array in counters.
    pub counters: u64,
    /// The way its threads count.
    pub threads: Threads,
}

impl ArrayPlace {
    /// Returns the range of bytes of its array in a slot. The array must [be
    /// within](Self::is_within) the slot.
    pub fn range(&self) -> Range<u64> {
        self.offset..self.offset + self.counters * 8
    }

    /// Returns true if the array is within a slot of this length and aligned to a word.
    pub fn is_within(&self, region_size: u64) -> bool {
        let end = self.counters.checked_mul(8).and_then(|length| length.checked_add(self.offset));
        end.is_some_and(|end| end <= region_size) && self.offset.is_multiple_of(8)
    }
}

/// File systems, by their magic numbers, on which a mapped file keeps written data however the
/// process ends, and on which holes are reported correctly even for data that is still in memory.
pub const FILE_SYSTEMS: [u64; 6] = [
    EXT4_SUPER_MAGIC as u64,
    XFS_SUPER_MAGIC as u64,
    BTRFS_SUPER_MAGIC as u64,
    F2FS_SUPER_MAGIC as u64,
    TMPFS_MAGIC as u64,
    OVERLAYFS_SUPER_MAGIC as u64,
];

/// Writes a header without the padding behind it. Returns the header's size with the padding, the
/// label, which is empty, and the block of a standing file.
pub fn write_header(
    sink: &mut impl Sink,
    head: &Head<'_>,
    region_size: u64,
    map: Option<&[u8]>,
    places: impl Iterator<Item = ArrayPlace> + Clone,
) -> u64 {
    let mut length = Length(0);
    put_header(&mut length, head, 0, region_size, map, places.clone());
    let block = if head.flags & STANDING != 0 { PAGE } else { 0 };
    let size = (length.0 + ROOM).next_multiple_of(PAGE) + block;
    put_header(sink, head, size, region_size, map, places);
    size
}

/// Returns the offset of the label in a header of this size; `None` if there is no room for it.
pub fn label_offset(header_size: u64, is_standing: bool) -> Option<u64> {
    header_size.checked_sub(ROOM + if is_standing { PAGE } else { 0 })
}

/// Returns a digest of what must be alike for two processes to count in one file one after the
/// other: the image by its build-id, whether they were forked, their label, and the place of each
/// counter, in the bytes of the image's descriptor.
pub fn layout(
    build_id: &[u8],
    is_forked: bool,
    label: &[u8],
    region_size: u64,
    modules: &[u8],
) -> u64 {
    let mut hash = Xxh64::new(0);
    hash.update(modules);
    hash.update(&region_size.to_le_bytes());
    hash.update(&[u8::from(is_forked)]);
    hash.update(&(label.len() as u64).to_le_bytes());
    hash.update(label);
    hash.update(build_id);
    hash.digest()
}

fn put_header(
    sink: &mut impl Sink,
    head: &Head<'_>,
    size: u64,
    region: u64,
    map: Option<&[u8]>,
    places: impl Iterator<Item = ArrayPlace>,
) {
    sink.put(&MAGIC);
    sink.put_u32(RAW_VERSION);
    sink.put_u32(head.flags);
    let mut sink = Checksummed::new(sink);
    sink.put_u64(size);
    sink.put_u64(region);
    head.write_facts(&mut sink);
    if let Some(lines) = map {
        sink.put(&[tag::MAP]);
        sink.put_bytes(lines);
    }
    for place in places {
        sink.put(&[tag::MODULE]);
        sink.put(&place.id.0);
        sink.put_varint(place.offset);
        sink.put_varint(place.counters);
        sink.put(&[place.threads.code() as u8]);
    }
    sink.put(&[tag::END]);
    sink.finish();
}

#[cfg(any(feature = "alloc", test))]
pub use whole::{Header, Sums};

/// Reading, for programs with an allocator.
#[cfg(any(feature = "alloc", test))]
mod whole {
    use alloc::boxed::Box;
    use alloc::collections::BTreeMap;
    use alloc::vec::Vec;

    use zerocopy::FromBytes;

    use super::{ArrayPlace, Block, MAGIC, PAGE, SHARED, STANDING, Threads, label_offset};
    use crate::RAW_VERSION;
    use crate::label::{Label, ROOM};
    use crate::profile::{
        self, DENIED, ENDED, Head, INCOMPLETE, MERGED, RunId, UNREGISTERED_THREADS, tag,
    };
    use crate::record::ModuleId;
    use crate::standing::MOST_STARTS;
    use crate::wire::{Error, Reader, Result, checksum};

    /// The header of a raw file.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Header<'a> {
        /// The facts of the run. [`INCOMPLETE`] is set unless [`ENDED`] is.
        pub head: Head<'a>,
        /// The offset of slot 0 in the file.
        pub size: u64,
        /// The length of a slot in bytes.
        pub region_size: u64,
        /// The places of each module's counters in a slot.
        pub places: Vec<ArrayPlace>,
        /// The memory map of the process, if keys are addresses.
        pub map: Option<Vec<u8>>,
        /// The label of what is counted now.
        pub label: Label,
        /// What is known of the runs that counted in a standing file.
        pub standing: Option<Box<Block>>,
        /// True if known threads may count in slot 0.
        shared: bool,
    }

    impl<'a> Header<'a> {
        /// Reads the header from the front of a file; `bytes` may continue behind it.
        ///
        /// # Errors
        /// Anything that is not a sound header of [`RAW_VERSION`].
        pub fn decode(bytes: &'a [u8]) -> Result<Self> {
            let mut reader = Reader::new(bytes);
            reader.begin(MAGIC, RAW_VERSION)?;
            let flags = reader.u32()?;
            let checked = reader.rest();
            let (size, region_size) = (reader.u64()?, reader.u64()?);
            let standing = if flags & STANDING != 0 { Some(block(bytes, size)?) } else { None };
            let (flags, has_ended) = match &standing {
                Some(block) => (block.flags.get() & !(ENDED | DENIED), block.is_complete()),
                None => (flags, flags & ENDED != 0),
            };
            let incomplete = if has_ended { 0 } else { INCOMPLETE };
            let head = Head::read_facts(flags & !SHARED & !INCOMPLETE | incomplete, &mut reader)?;
            let (mut places, mut map) = (Vec::new(), None);
            loop {
                match reader.u8()? {
                    tag::END => break,
                    tag::MAP => map = Some(reader.bytes()?.to_vec()),
                    tag::MODULE => places.push(ArrayPlace {
                        id: ModuleId(reader.array()?),
                        offset: reader.varint()?,
                        counters: reader.varint()?,
                        threads: Threads::from_code(reader.u8()?.into()),
                    }),
                    _ => return Err(Error::Invalid("a module does not start with its tag")),
                }
            }
            let content = checked.len() - reader.rest().len();
            if checksum(&checked[..content]) != reader.u64()? {
                return Err(Error::BadChecksum);
            }
            let block_size = if standing.is_some() { PAGE } else { 0 };
            if !size.is_multiple_of(PAGE)
                || !region_size.is_multiple_of(PAGE)
                || size < block_size + (16 + content + 8) as u64 + ROOM
                || region_size == 0
            {
                return Err(Error::Invalid("the sizes in its header make no sense"));
            }
            if !places.iter().all(|place| place.is_within(region_size)) {
                return Err(Error::Invalid("a counter array reaches beyond the region"));
            }
            if overlap(&places) {
                return Err(Error::Invalid("two counter arrays overlap"));
            }
            let shared = flags & SHARED != 0;
            let label = label_offset(size, standing.is_some())
                .and_then(|offset| bytes.get(usize::try_from(offset).ok()?..))
                .and_then(Label::of)
                .ok_or(Error::Truncated)?;
            Ok(Self { head, size, region_size, places, map, label, standing, shared })
        }

        /// Returns the facts of the run. Of a standing file, returns those of its last run, with
        /// the flags and the time of all.
        pub fn facts(&self) -> Head<'_> {
            let Some(block) = &self.standing else { return self.head };
            let Some(last) = block.last_run() else { return self.head };
            let several = if block.starts.get() > 1 { MERGED } else { 0 };
            Head {
                flags: self.head.flags | several,
                pid: last.pid.get(),
                start: block.first.get(),
                stop: last.stop.get().max(last.start.get()),
                process_start: last.process_start.get(),
                command_line: last.arguments(),
                ..self.head
            }
        }

        /// Returns the identities of the runs that counted in the file, in ascending order.
        pub fn runs(&self) -> Vec<RunId> {
            let own = self.head.identity();
            let Some(block) = &self.standing else { return [own].into() };
            let mut runs: Vec<_> =
                (1..=block.starts.get()).map(|number| own.of_child(0, number)).collect();
            runs.sort_unstable();
            runs.dedup();
            runs
        }

        /// Reads a whole file: the header, and the modules with their counts.
        /// [`UNREGISTERED_THREADS`] is set in the head's flags if unknown threads counted.
        ///
        /// # Errors
        /// As for [`Header::decode`].
        pub fn decode_all(bytes: &'a [u8]) -> Result<(Self, Vec<profile::Module>)> {
            let mut header = Self::decode(bytes)?;
            let mut sums = Sums::default();
            let start = usize::try_from(header.size).unwrap_or(usize::MAX);
            sums.add(&header, header.size, bytes.get(start..).unwrap_or_default());
            let modules = sums.finish(&mut header);
            Ok((header, modules))
        }
    }

    /// Returns the block at the end of a header of this size.
    fn block(bytes: &[u8], size: u64) -> Result<Box<Block>> {
        let start = usize::try_from(size.saturating_sub(PAGE)).unwrap_or(usize::MAX);
        let (block, _) = Block::read_from_prefix(bytes.get(start..).unwrap_or_default())
            .map_err(|_| Error::Truncated)?;
        if block.starts.get() > MOST_STARTS {
            return Err(Error::Invalid("its number of runs makes no sense"));
        }
        Ok(Box::new(block))
    }

    /// Returns true if a counter is in two arrays. It would be counted twice, or as often as arrays
    /// overlap.
    fn overlap(places: &[ArrayPlace]) -> bool {
        let mut ranges: Vec<_> =
            places.iter().filter(|place| place.counters > 0).map(ArrayPlace::range).collect();
        ranges.sort_unstable_by_key(|range| range.start);
        ranges.array_windows().any(|[before, after]| after.start < before.end)
    }

    /// The sums over the slots of a raw file. Pieces of the file may be added in any order; holes
    /// may be left out.
    #[derive(Clone, Debug, Default)]
    pub struct Sums {
        /// The sums by offset in the region.
        counts: BTreeMap<u64, u64>,
        /// The offsets at which slot 0 has counts.
        unknown: Vec<u64>,
    }

    impl Sums {
        /// Adds the bytes of the file that start at `position`, which must be a multiple of eight
        /// behind the header.
        pub fn add(&mut self, header: &Header<'_>, position: u64, bytes: &[u8]) {
            let start = position.saturating_sub(header.size);
            let (words, _) = bytes.as_chunks::<8>();
            for (index, word) in words.iter().enumerate() {
                let count = u64::from_le_bytes(*word);
                if count != 0 {
                    let at = start + index as u64 * 8;
                    let offset = at % header.region_size;
                    let sum = self.counts.entry(offset).or_default();
                    *sum = sum.wrapping_add(count);
                    if at < header.region_size {
                        self.unknown.push(offset);
                    }
                }
            }
        }

        /// Returns the modules with their counts. Sets [`UNREGISTERED_THREADS`] in the header if
        /// unknown threads counted.
        pub fn finish(self, header: &mut Header<'_>) -> Vec<profile::Module> {
            let exact = header.places.iter().filter(|place| place.threads == Threads::Exact);
            let mut unknown = self.unknown;
            unknown.sort_unstable();
            // True if an unknown thread counted in this array.
            let is_counted = |place: &ArrayPlace| {
                let range = place.range();
                let first = unknown.partition_point(|&offset| offset < range.start);
                unknown.get(first).is_some_and(|&offset| offset < range.end)
            };
            if !header.shared && exact.into_iter().any(is_counted) {
                header.head.flags |= UNREGISTERED_THREADS;
            }
            let module = |place: &ArrayPlace| {
                let range = self.counts.range(place.range());
                let counts = range.filter(|(_, count)| **count != 0);
                profile::Module {
                    id: place.id,
                    counters: place.counters,
                    counts: counts
                        .map(|(offset, count)| ((offset - place.offset) / 8, *count))
                        .collect(),
                }
            };
            header.places.iter().map(module).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;
    use alloc::vec::Vec;

    use zerocopy::IntoBytes;

    use super::*;
    use crate::label::Label;
    use crate::profile::{DENIED, ENDED, INCOMPLETE, MERGED, Module, RunId, UNREGISTERED_THREADS};
    use crate::standing::{Birth, Run};
    use crate::wire::Error;

    const REGION: u64 = 2 * PAGE;

    fn place(id: u8, offset: u64, counters: u64, threads: Threads) -> ArrayPlace {
        ArrayPlace { id: ModuleId([id; 16]), offset, counters, threads }
    }

    fn file(flags: u32, slots: &[&[(u64, u64)]]) -> Vec<u8> {
        let head =
            Head { flags, pid: 42, image: b"/bin/demo", process_start: 9, ..Head::default() };
        let places = [place(1, 0, 10, Threads::Exact), place(2, PAGE, 512, Threads::Atomic)];
        let mut bytes = Vec::new();
        let size = write_header(&mut bytes, &head, REGION, Some(b"map"), places.into_iter());
        assert_eq!(size, PAGE);
        bytes.resize(size as usize, 0);
        for (slot, counts) in (0..).zip(slots) {
            bytes.resize((size + (slot + 1) * REGION) as usize, 0);
            for (offset, count) in *counts {
                let at = (size + slot * REGION + offset) as usize;
                bytes[at..at + 8].copy_from_slice(&count.to_le_bytes());
            }
        }
        bytes
    }

    #[test]
    fn slots_are_summed() {
        let bytes = file(
            0,
            &[&[(PAGE, 1)], &[(0, 5), (72, 6), (PAGE, 2)], &[], &[(0, 7), (PAGE, u64::MAX)]],
        );
        let (header, modules) = Header::decode_all(&bytes).expect("sound");
        assert_eq!(
            (header.head.pid, header.head.process_start, header.head.flags),
            (42, 9, INCOMPLETE)
        );
        let expected = [(1, 10, vec![(0, 12), (9, 6)]), (2, 512, vec![(0, 2)])];
        let expected = expected.map(|(id, counters, counts)| Module {
            id: ModuleId([id; 16]),
            counters,
            counts,
        });
        assert_eq!(modules, expected);
    }

    #[test]
    fn a_standing_file_has_its_runs_in_a_block() {
        let head = Head { flags: STANDING, pid: 42, run: RunId([3; 16]), ..Head::default() };
        let mut bytes = Vec::new();
        let size = write_header(&mut bytes, &head, REGION, None, [].into_iter());
        assert_eq!(size, 2 * PAGE);
        let run = RUN_OFFSET as usize;
        assert_eq!(bytes[run..run + 16], [3; 16]);
        let birth = Birth { inode: 1.into(), seconds: 2.into(), nanoseconds: 3.into() };
        let mut block = Block::new(birth, RunId([9; 16]), 0);
        (block.starts, block.ends, block.first) = (3.into(), 2.into(), 5.into());
        block.runs[Block::place(3)] = Run::new(77, 9, 1, b"a\0b\0");
        block.flags = UNREGISTERED_THREADS.into();
        bytes.resize((PAGE - ROOM) as usize, 0);
        bytes.extend(Label::new(b"test").as_bytes());
        bytes.extend(block.as_bytes());
        let header = Header::decode(&bytes).expect("sound");
        assert_eq!(header.label.text(), b"test");
        let facts = header.facts();
        assert_eq!((facts.pid, facts.start, facts.command_line), (77, 5, &b"a\0b\0"[..]));
        assert_eq!(facts.flags, UNREGISTERED_THREADS | INCOMPLETE | MERGED);
        let runs = header.runs();
        let expected = [1, 2, 3].map(|number| RunId([3; 16]).of_child(0, number));
        assert!(runs.is_sorted() && expected.iter().all(|run| runs.contains(run)));
        // What makes no sense is refused.
        for (at, value) in [(16, 0), (16, PAGE), (PAGE + 64, u64::MAX)] {
            let mut damaged = bytes.clone();
            damaged[at as usize..at as usize + 8].copy_from_slice(&value.to_le_bytes());
            assert!(Header::decode(&damaged).is_err(), "{at}");
        }
    }

    #[test]
    fn a_process_that_ended_well_is_not_incomplete() {
        let flags = |flags| Header::decode(&file(flags, &[])).expect("sound").head.flags;
        assert_eq!(flags(0), INCOMPLETE);
        assert_eq!(flags(ENDED | DENIED), ENDED | DENIED);
    }

    #[test]
    fn a_file_that_ends_early_lacks_the_last_slots() {
        let bytes = file(0, &[&[], &[(0, 5), (PAGE, 1)], &[(0, 1), (PAGE, 1)]]);
        let cut = bytes.len() - PAGE as usize;
        let (_, modules) = Header::decode_all(&bytes[..cut]).expect("sound");
        assert_eq!((&modules[0].counts, &modules[1].counts), (&vec![(0, 6)], &vec![(0, 1)]));
        let (_, modules) = Header::decode_all(&bytes[..PAGE as usize]).expect("sound");
        assert!(modules.iter().all(|module| module.counts.is_empty()));
    }

    #[test]
    fn counts_of_unknown_threads_are_noticed() {
        let flags = |flags, slots: &[&[(u64, u64)]]| {
            Header::decode_all(&file(flags, slots)).expect("sound").0.head.flags
                & UNREGISTERED_THREADS
        };
        assert_eq!(flags(0, &[&[(8, 1)], &[(0, 1)]]), UNREGISTERED_THREADS);
        assert_eq!(flags(SHARED, &[&[(8, 1)]]), 0);
        // Atomic counts are in slot 0 by design, and no array covers the space between.
        assert_eq!(flags(0, &[&[(PAGE, 1), (80, 1)], &[(0, 1)]]), 0);
    }

    #[test]
    fn a_damaged_header_is_refused() {
        let bytes = file(0, &[&[(0, 1)]]);
        let mut length = Length(0);
        let head = Head { pid: 42, image: b"/bin/demo", process_start: 9, ..Head::default() };
        let places = [place(1, 0, 10, Threads::Exact), place(2, PAGE, 512, Threads::Atomic)];
        put_header(&mut length, &head, 0, 0, Some(b"map"), places.into_iter());
        for at in 0..length.0 as usize {
            assert!(Header::decode(&bytes[..at]).is_err(), "cut at {at}");
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            let live = (FLAGS_OFFSET..FLAGS_OFFSET + 4).contains(&(at as u64));
            assert_eq!(Header::decode(&damaged).is_err(), !live, "byte {at}");
        }
        let mut other = bytes.clone();
        other[8] = 9;
        assert_eq!(Header::decode(&other), Err(Error::BadVersion(9)));
    }

    #[test]
    fn arrays_that_overlap_are_refused() {
        let decoded = |places: &[ArrayPlace]| {
            let mut bytes = Vec::new();
            let places = places.iter().copied();
            let size = write_header(&mut bytes, &Head::default(), REGION, None, places);
            bytes.resize(size as usize, 0);
            Header::decode(&bytes).map(|header| header.places.len())
        };
        let [one, two] = [place(1, 0, 10, Threads::Exact), place(2, 72, 10, Threads::Exact)];
        assert_eq!(decoded(&[one, two]), Err(Error::Invalid("two counter arrays overlap")));
        assert_eq!(decoded(&[two, one]), Err(Error::Invalid("two counter arrays overlap")));
        assert_eq!(decoded(&[one, one]), Err(Error::Invalid("two counter arrays overlap")));
        let touching = ArrayPlace { offset: 80, ..two };
        assert_eq!(decoded(&[touching, ArrayPlace { counters: 0, ..two }, one]), Ok(3));
    }

    #[test]
    fn an_array_outside_the_region_is_refused() {
        for wrong in [
            place(1, 4, 1, Threads::Exact),
            place(1, REGION, 1, Threads::Exact),
            place(1, 0, u64::MAX, Threads::Exact),
        ] {
            let mut bytes = Vec::new();
            write_header(&mut bytes, &Head::default(), REGION, None, [wrong].into_iter());
            assert!(matches!(Header::decode(&bytes), Err(Error::Invalid(_))), "{wrong:?}");
        }
    }
}
