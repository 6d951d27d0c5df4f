//! Counts the content of a stream, without activations.

use pathformat::trace::CHUNK_HEAD;
use profile::observer::Observer;

use crate::file::{Stream, Trace};
use crate::steps::chunks::{ChunkEntry, Chunks, Gap};
use crate::steps::program::Program;

/// The maximum number of gaps that are listed. The others are only counted.
const MOST_GAPS: usize = 20;

/// The content of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// The number of its chunks.
    pub chunks: u64,
    /// The number of bytes of its records, with the heads of its chunks.
    pub bytes: u64,
    /// The number of its compressed chunks.
    pub compressed: u64,
    /// The number of bytes of the records of compressed chunks.
    pub unpacked: u64,
    /// The number of bytes of their frames in the file.
    pub packed: u64,
    /// The number of paths that ended.
    pub paths: u64,
    /// The number of accesses on these paths.
    pub accesses: u64,
    /// The number of bytes that the accesses recorded.
    pub recorded: u64,
    /// The number of events, including those for lost records.
    pub events: u64,
    /// The number of places where records were lost for lack of room.
    pub lost: u64,
    /// The number of places where recording was off, which are not gaps.
    pub off: u64,
    /// The first gaps.
    pub gaps: Vec<Gap>,
    /// The number of gaps.
    pub gap_count: u64,
}

impl Totals {
    /// Counts the content of a stream of a trace of a program. Reports each chunk to the observer.
    pub fn of(trace: &Trace, program: &Program, stream: &Stream, observer: &dyn Observer) -> Self {
        let mut totals = Self { chunks: stream.chunks.len() as u64, ..Self::default() };
        let mut chunks = Chunks::new(trace, program, stream, observer);
        while let Some(found) = chunks.next() {
            match found {
                ChunkEntry::Path(path, addresses, count) => {
                    totals.paths = totals.paths.saturating_add(count);
                    let accesses = path.num_accesses.saturating_mul(count);
                    totals.accesses = totals.accesses.saturating_add(accesses);
                    totals.recorded += addresses.len() as u64;
                }
                ChunkEntry::Event(_) => totals.events += 1,
                ChunkEntry::Gap(Gap::Off) => {
                    totals.events += 1;
                    totals.off += 1;
                }
                ChunkEntry::Gap(gap) => {
                    totals.gap_count += 1;
                    if gap == Gap::Lost {
                        totals.events += 1;
                        totals.lost += 1;
                    }
                    if totals.gaps.len() < MOST_GAPS {
                        totals.gaps.push(gap);
                    }
                }
            }
        }
        let frames = stream.chunks.iter().map(|chunk| u64::from(chunk.frame));
        totals.compressed = frames.clone().filter(|&length| length > 0).count() as u64;
        totals.packed = frames.sum();
        totals.unpacked = chunks.unpacked();
        totals.bytes = chunks.used() + totals.chunks * CHUNK_HEAD as u64;
        totals
    }
}
