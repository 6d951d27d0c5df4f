//! The trace of a process: its paths in the order of execution, and their memory accesses.
//!
//! A trace is a header of whole pages and then *chunks* of one size. A chunk belongs to one
//! *stream*: a thread, or a signal handler that interrupts it. The chunks of a stream are numbered.
//! A chunk has a single writer, so that no lock is needed for a record. A chunk is a head of
//! [`CHUNK_HEAD`] bytes and then records up to the first 16-bit word that is 0. The kernel keeps
//! written data however the process ends: the file of a killed process is read like any other. A
//! full chunk may be compressed: a Zstandard frame replaces its records, and a hole of the file the
//! saved space. The records of a short stream may stand in a *short chunk*: many of them share a
//! chunk, one behind the other.
//!
//! ```text
//!  0       8         12      16            24           32                          header size
//!  | magic | version | flags | header size | chunk size | facts … checksum | zeros … | chunk 0 | chunk 1 | …
//! ```
//!
//! The lowest bit determines the start of a record ([`Start`]):
//!
//! * A 16-bit word of 0: no record follows. A path that did not end has no record.
//! * An even 16-bit word: twice the number of a path that recorded no addresses.
//! * An odd 32-bit word below 2^31: a path. Half of it is the number. The addresses that its
//!   accesses record follow, [`ADDRESS`] bytes each, in the order of the path.
//! * An odd 32-bit word from 2^31 on: an [event](RecordKind), whose payload follows.
//!
//! The number of a path is unique in the process. An image has as many numbers as its region has
//! words; the [`RecordKind::Image`] event has the first. The *n*-th word of the region, from the
//! start of the image's numbers, is counter *n* in the sense of the manifest.

use core::mem::size_of;

use zerocopy::little_endian::{U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::TRACE_VERSION;
use crate::profile::Head;
use crate::raw::PAGE;
use crate::wire::{Checksummed, Length, Sink};

mod event;

pub use self::event::{
    Allocation, Clock, Operation, Order, Repetition, Synchronisation, Work, lock, once,
};

/// First eight bytes of every trace.
pub const MAGIC: [u8; 8] = *b"PATHTRAC";

/// The offset of the flags in the file. They change while the program runs.
pub const FLAGS_OFFSET: u64 = 12;

/// The length of an address in bytes: the part that differs between addresses of user space.
pub const ADDRESS: usize = 6;

/// The length of a chunk's head in bytes.
pub const CHUNK_HEAD: usize = size_of::<ChunkHead>();

/// The stream number of chunks with records of the whole process: its images.
pub const PROCESS: u32 = u32::MAX;

/// The stream number of chunks that consist of short chunks. Each begins at a multiple of
/// [`SHORT_ALIGNMENT`] behind the head of the chunk that holds it.
pub const SHORT: u32 = u32::MAX - 1;

/// The alignment of short chunks in bytes.
pub const SHORT_ALIGNMENT: usize = 8;

/// The maximum length of the record of a path in bytes, its number included. A chunk has room for
/// it.
pub const LONGEST_RECORD: usize = 32 << 10;

/// The number of free bytes in a chunk behind the address from which on it counts as full. Code
/// with longer records requests more room.
pub const RESERVE: usize = 4 << 10;

/// The head of a chunk.
#[repr(C)]
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    FromBytes,
    Immutable,
    IntoBytes,
    KnownLayout,
    Unaligned,
)]
pub struct ChunkHead {
    /// The number of the stream, from 1; 0 if the chunk was never begun; [`PROCESS`]; [`SHORT`].
    pub stream: U32,
    /// The stream that this one interrupts, if it is a signal handler's; otherwise 0.
    pub interrupts: U32,
    /// The number of the chunk in the stream, from 0.
    pub number: U64,
    /// The time at which it was begun, in nanoseconds of the monotonic clock.
    pub time: U64,
    /// The kernel's number of the thread.
    pub thread: U32,
    /// The length of the Zstandard frame that replaces the records; 0 if they are not compressed.
    pub frame: U32,
    /// The time at which it was begun, in the ticks of a [`Clock`].
    pub ticks: U64,
    /// The number of bytes of records of a short chunk; 0 for any other.
    pub length: U32,
    /// 0.
    pub reserved: [U32; 5],
}

/// The kind of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum RecordKind {
    /// An image is loaded: the first number of its paths (32 bits), its distance from the addresses
    /// in its file (64 bits), the length of its build-id (8 bits), the build-id, its path.
    Image = 1,
    /// Records are missing here: there was no room for them.
    Lost = 2,
    /// A thread synchronised with others: a [`Synchronisation`].
    Synchronised = 3,
    /// Memory was allocated or freed: an [`Allocation`].
    Allocated = 4,
    /// The readings of two clocks at the same time: a [`Clock`]. The head of each chunk has them,
    /// too.
    Clock = 5,
    /// A path ended several times, one after the other: a [`Repetition`].
    Repeated = 6,
    /// Paths are missing here: recording was off.
    Off = 7,
}

impl RecordKind {
    /// All kinds.
    pub const ALL: [Self; 7] = [
        Self::Image,
        Self::Lost,
        Self::Synchronised,
        Self::Allocated,
        Self::Clock,
        Self::Repeated,
        Self::Off,
    ];

    /// Returns the word that starts a record of this kind with `length` bytes of payload, fewer
    /// than 2^23.
    pub fn word(self, length: u32) -> u32 {
        1 << 31 | (self as u32) << 24 | length << 1 | 1
    }
}

/// The numbers of paths are below this limit.
pub const NUMBERS: u64 = 1 << 30;

/// Numbers below this limit are written in 16 bits.
const SHORT_NUMBERS: u64 = 1 << 15;

/// Returns the first word of a traced array, which the code of its module reads. The module has
/// `numbers` numbers of paths from `first` on.
///
/// The low half plus twice the path's number in the module is the start of a record without
/// addresses. The high half is the length of that record in bytes, which is the same for all such
/// records of a module. In records with addresses the lowest bit is set, and they start with 32
/// bits.
pub fn array_word(first: u32, numbers: u64) -> u64 {
    let is_short = u64::from(first).saturating_add(numbers) <= SHORT_NUMBERS;
    let (long, bytes) = if is_short { (0, size_of::<u16>()) } else { (1, size_of::<u32>()) };
    u64::from(first << 1 | long) | (bytes as u64) << 32
}

/// The start of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// A path with this number in the process.
    Path(u32),
    /// An event: its kind, if known, and the length of its payload.
    Event(Option<RecordKind>, usize),
}

impl Start {
    /// Reads the start of the record at the front of `bytes`. Returns it with its length in bytes;
    /// `None` if no record follows.
    pub fn read(bytes: &[u8]) -> Option<(Self, usize)> {
        let half = u16::from_le_bytes(*bytes.first_chunk()?);
        if half & 1 == 0 {
            return (half > 0).then_some((Self::Path(u32::from(half >> 1)), size_of::<u16>()));
        }
        let word = u32::from_le_bytes(*bytes.first_chunk()?);
        let start = if word >> 31 == 0 {
            Self::Path(word >> 1)
        } else {
            let number = (word >> 24 & 0x7f) as u8;
            let kind = RecordKind::ALL.into_iter().find(|kind| *kind as u8 == number);
            Self::Event(kind, (word >> 1 & 0x7f_ffff) as usize)
        };
        Some((start, size_of::<u32>()))
    }
}

/// Writes a header without the padding behind it. Returns its size with the padding.
pub fn write_header(sink: &mut impl Sink, head: &Head<'_>, chunk_size: u64) -> u64 {
    let mut length = Length(0);
    put_header(&mut length, head, 0, chunk_size);
    let size = length.0.next_multiple_of(PAGE);
    put_header(sink, head, size, chunk_size);
    size
}

fn put_header(sink: &mut impl Sink, head: &Head<'_>, size: u64, chunk_size: u64) {
    sink.put(&MAGIC);
    sink.put_u32(TRACE_VERSION);
    sink.put_u32(head.flags);
    let mut sink = Checksummed::new(sink);
    sink.put_u64(size);
    sink.put_u64(chunk_size);
    head.write_facts(&mut sink);
    sink.finish();
}

#[cfg(any(feature = "alloc", test))]
pub use whole::Header;

/// Reading, for programs with an allocator.
#[cfg(any(feature = "alloc", test))]
mod whole {
    use super::{CHUNK_HEAD, LONGEST_RECORD, MAGIC, PAGE};
    use crate::TRACE_VERSION;
    use crate::profile::{ENDED, Head, INCOMPLETE};
    use crate::wire::{Error, Reader, Result, checksum};

    /// The header of a trace.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Header<'a> {
        /// The facts of the run. [`INCOMPLETE`] is set unless [`ENDED`] is.
        pub head: Head<'a>,
        /// The offset of the first chunk in the file.
        pub size: u64,
        /// The length of a chunk in bytes.
        pub chunk_size: u64,
    }

    impl<'a> Header<'a> {
        /// Reads the header from the front of a file; `bytes` may continue behind it.
        ///
        /// # Errors
        /// Anything that is not a sound header of [`TRACE_VERSION`].
        pub fn decode(bytes: &'a [u8]) -> Result<Self> {
            let mut reader = Reader::new(bytes);
            reader.begin(MAGIC, TRACE_VERSION)?;
            let flags = reader.u32()?;
            let checked = reader.rest();
            let (size, chunk_size) = (reader.u64()?, reader.u64()?);
            let incomplete = if flags & ENDED == 0 { INCOMPLETE } else { 0 };
            let head = Head::read_facts(flags & !INCOMPLETE | incomplete, &mut reader)?;
            let content = checked.len() - reader.rest().len();
            if checksum(&checked[..content]) != reader.u64()? {
                return Err(Error::BadChecksum);
            }
            if !size.is_multiple_of(PAGE)
                || !chunk_size.is_multiple_of(PAGE)
                || size < (16 + content + 8) as u64
                || chunk_size < (CHUNK_HEAD + LONGEST_RECORD) as u64
            {
                return Err(Error::Invalid("the sizes in its header make no sense"));
            }
            Ok(Self { head, size, chunk_size })
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::profile::{ENDED, INCOMPLETE};
    use crate::wire::Error;

    fn header(flags: u32) -> Vec<u8> {
        let head = Head { flags, pid: 42, image: b"/bin/demo", ..Head::default() };
        let mut bytes = Vec::new();
        assert_eq!(write_header(&mut bytes, &head, 1 << 18), PAGE);
        bytes
    }

    #[test]
    fn a_header_reads_back() {
        let bytes = header(ENDED);
        let read = Header::decode(&bytes).expect("sound");
        assert_eq!((read.head.pid, read.head.flags), (42, ENDED));
        assert_eq!((read.size, read.chunk_size), (PAGE, 1 << 18));
        assert_eq!(Header::decode(&header(0)).expect("sound").head.flags, INCOMPLETE);
    }

    #[test]
    fn a_damaged_header_is_refused() {
        let bytes = header(0);
        for at in 0..bytes.len() {
            assert!(Header::decode(&bytes[..at]).is_err(), "cut at {at}");
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            let live = (FLAGS_OFFSET..FLAGS_OFFSET + 4).contains(&(at as u64));
            assert_eq!(Header::decode(&damaged).is_err(), !live, "byte {at}");
        }
        let mut small = Vec::new();
        write_header(&mut small, &Head::default(), PAGE);
        let message = "the sizes in its header make no sense";
        assert_eq!(Header::decode(&small), Err(Error::Invalid(message)));
    }

    #[test]
    fn events_are_told_from_paths() {
        let read = |word: u32| Start::read(&word.to_le_bytes());
        assert_eq!((read(0), read(7 << 16)), (None, None));
        assert_eq!(read(2), Some((Start::Path(1), 2)));
        assert_eq!(read(0xffff_fffe), Some((Start::Path(0x7fff), 2)));
        assert_eq!(read(3), Some((Start::Path(1), 4)));
        assert_eq!(read((1 << 31) - 1), Some((Start::Path((1 << 30) - 1), 4)));
        for kind in RecordKind::ALL {
            let event = Start::Event(Some(kind), 0x7f_ffff);
            assert_eq!(read(kind.word(0x7f_ffff)), Some((event, 4)));
        }
        assert_eq!(read(0xff00_000f), Some((Start::Event(None, 7), 4)));
        for few in [&[][..], &[2], &[3, 0, 0]] {
            assert_eq!(Start::read(few), None);
        }
        assert_eq!(CHUNK_HEAD, 64);
    }

    #[test]
    fn code_writes_what_is_read() {
        for (first, numbers, bytes) in [(1, 9, 2), (32_760, 8, 2), (32_760, 9, 4), (1 << 29, 9, 4)]
        {
            let word = array_word(first, numbers);
            assert_eq!(word >> 32, bytes);
            let last = word as u32 + 2 * (numbers as u32 - 1);
            let path = Start::Path(first + numbers as u32 - 1);
            assert_eq!(Start::read(&last.to_le_bytes()), Some((path, bytes as usize)));
            assert_eq!(Start::read(&(last | 1).to_le_bytes()), Some((path, 4)));
        }
    }
}
