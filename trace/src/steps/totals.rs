//! Counts what is in a stream, without looking at activations.

use pathformat::trace::CHUNK_HEAD;
use profile::observer::Observer;

use crate::file::{Stream, Trace};
use crate::steps::chunks::{ChunkEntry, Chunks, Gap};
use crate::steps::program::Program;

/// The most gaps that are listed. The others are only counted.
const MOST_GAPS: usize = 20;

/// What is in a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// How many chunks it has.
    pub chunks: u64,
    /// How many bytes its records take, with the heads of its chunks.
    pub bytes: u64,
    /// How many of its chunks are compressed.
    pub compressed: u64,
    /// How many bytes the records of these take.
    pub unpacked: u64,
    /// How many bytes stand for them in the file.
    pub packed: u64,
    /// How many paths ended.
    pub paths: u64,
    /// How many accesses they made.
    pub accesses: u64,
    /// How many bytes the accesses recorded.
    pub recorded: u64,
    /// How many events there are; places where records were lost are among them.
    pub events: u64,
    /// How often records were lost for want of room.
    pub lost: u64,
    /// How often paths were left out since recording was off, which counts as no gap.
    pub off: u64,
    /// Why records are missing, the first ones.
    pub gaps: Vec<Gap>,
    /// How often records are missing.
    pub gap_count: u64,
}

impl Totals {
    /// What is in a stream of a trace of a program. The observer is told of each chunk.
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
