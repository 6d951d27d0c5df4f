//! Writes a part of a trace as a trace of its own: some of its streams, or what ran in some time.
//!
//! Whole chunks are taken, so that the part begins a little earlier and ends a little later than
//! was asked for. The chunks of each stream are numbered anew, from 0.

use std::io::Write;
use std::ops::Range;

use anyhow::Result;
use pathformat::trace::{CHUNK_HEAD, ChunkHead};
use zerocopy::{FromBytes, IntoBytes};

use crate::read::trace::{Chunk, Stream, Trace, frame};

/// What is taken of a trace.
#[derive(Clone, Debug)]
pub struct Part {
    /// The numbers of the streams; none for all.
    pub streams: Vec<u32>,
    /// When it ran, in nanoseconds since the first chunk of a thread was begun.
    pub time: Range<u64>,
}

/// What was taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// How many streams.
    pub streams: usize,
    /// How many of their chunks.
    pub chunks: usize,
}

/// Says what a part of a trace has.
pub fn taken(trace: &Trace, part: &Part) -> Taken {
    let chunks: Vec<usize> =
        trace.streams.iter().map(|stream| chosen(trace, part, stream).len()).collect();
    Taken {
        streams: chunks.iter().filter(|&&chunks| chunks > 0).count(),
        chunks: chunks.iter().sum(),
    }
}

/// Writes a part of a trace, whose chunks stay compressed, and become so if `compress` says it.
///
/// # Errors
/// The trace cannot be read, and those of `out`.
pub fn write(trace: &Trace, part: &Part, compress: bool, out: &mut dyn Write) -> Result<()> {
    out.write_all(&trace.bytes(0, trace.header)?)?;
    for chunk in &trace.process.chunks {
        out.write_all(&trace.whole(chunk)?)?;
    }
    for stream in &trace.streams {
        let chunks = chosen(trace, part, stream);
        let first = chunks.first().map_or(0, |chunk| chunk.number);
        for chunk in chunks {
            let mut bytes = trace.whole(chunk)?;
            if let Some(start) = bytes.get(..CHUNK_HEAD)
                && let Ok(mut head) = ChunkHead::read_from_bytes(start)
            {
                head.number = (chunk.number - first).into();
                if compress && chunk.frame == 0 {
                    head.frame = pack(&mut bytes).into();
                }
                if let Some(start) = bytes.get_mut(..CHUNK_HEAD) {
                    start.copy_from_slice(head.as_bytes());
                }
            }
            out.write_all(&bytes)?;
        }
    }
    Ok(())
}

/// Puts a frame in place of the records of a chunk, if that saves a page. Gives its length, or 0.
fn pack(chunk: &mut [u8]) -> u32 {
    let Some(records) = chunk.get_mut(CHUNK_HEAD..) else { return 0 };
    let Some(frame) = frame::pack(records) else { return 0 };
    records.fill(0);
    records[..frame.len()].copy_from_slice(&frame);
    frame.len() as u32
}

/// The chunks of a stream that belong to a part.
pub fn chosen<'a>(trace: &Trace, part: &Part, stream: &'a Stream) -> &'a [Chunk] {
    if !part.streams.is_empty() && !part.streams.contains(&stream.number) {
        return &[];
    }
    let starts = trace.streams.iter().flat_map(|stream| &stream.chunks).map(|chunk| chunk.time);
    let start = starts.min().unwrap_or_default();
    let times = stream.chunks.iter().map(|chunk| chunk.time.saturating_sub(start));
    // A chunk is filled until the next one of its stream is begun.
    let ends = times.clone().skip(1).chain([u64::MAX]);
    let from = part.time.start;
    let is_before = |&(begun, end): &(u64, u64)| begun < from && end <= from;
    let first = times.clone().zip(ends).take_while(is_before).count();
    let behind = times.take_while(|&begun| begun < part.time.end).count();
    stream.chunks.get(first..behind).unwrap_or_default()
}
