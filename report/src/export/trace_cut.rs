//! Writes a part of a trace as a trace of its own: some of its streams, or the records of some
//! time.
//!
//! Whole chunks are taken, so the part begins a little earlier and ends a little later than
//! requested. The chunks of each stream are numbered anew, from 0. Short ones stay so. The header
//! marks the part as partial, unless it is all of the trace.

use std::io::Write;
use std::ops::Range;

use anyhow::Result;
use pathformat::profile::PARTIAL;
use pathformat::trace::{CHUNK_HEAD, ChunkHead, FLAGS_OFFSET, SHORT, SHORT_ALIGNMENT};
use profile::observer::Observer;
use trace::file::{Chunk, Stream, Trace, frame};
use zerocopy::{FromBytes, IntoBytes};

/// The choice of a part of a trace.
#[derive(Clone, Debug)]
pub struct Part {
    /// The numbers of the streams; none for all.
    pub streams: Vec<u32>,
    /// The time, in nanoseconds since the first chunk of a thread was begun.
    pub time: Range<u64>,
}

/// The amount that was taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// The number of streams.
    pub streams: usize,
    /// The number of their chunks. Those of the process are written with them.
    pub chunks: usize,
}

/// Returns the contents of a part of a trace.
pub fn taken(trace: &Trace, part: &Part) -> Taken {
    let chunks: Vec<usize> =
        trace.streams.iter().map(|stream| chosen(trace, part, stream).len()).collect();
    Taken {
        streams: chunks.iter().filter(|&&chunks| chunks > 0).count(),
        chunks: chunks.iter().sum(),
    }
}

/// Writes a part of a trace. Compressed chunks stay compressed, and the others are compressed if
/// `compress` is true. The observer is notified of each chunk that is written.
///
/// # Errors
/// The trace cannot be read, and the errors of `out`.
pub fn write(
    trace: &Trace,
    part: &Part,
    compress: bool,
    out: &mut dyn Write,
    observer: &dyn Observer,
) -> Result<()> {
    let mut header = trace.bytes(0, trace.header)?;
    let is_all = |stream: &Stream| chosen(trace, part, stream).len() == stream.chunks.len();
    if !trace.streams.iter().all(is_all)
        && let Some(flags) = header.get_mut(FLAGS_OFFSET as usize..)
        && let Some(flags) = flags.first_chunk_mut::<4>()
    {
        *flags = (u32::from_le_bytes(*flags) | PARTIAL).to_le_bytes();
    }
    out.write_all(&header)?;
    let of_process = trace.process.chunks.iter().map(|chunk| (chunk, chunk.number, false));
    let of_streams = trace.streams.iter().flat_map(|stream| {
        let chunks = chosen(trace, part, stream);
        let first = chunks.first().map_or(0, |chunk| chunk.number);
        chunks.iter().map(move |chunk| (chunk, chunk.number - first, compress && chunk.frame == 0))
    });
    // The file may end in the middle of a chunk. Then the part ends there, too.
    let (whole, cut): (Vec<_>, Vec<_>) =
        of_process.chain(of_streams).partition(|(chunk, ..)| trace.missing(chunk) == 0);
    let mut short = ShortChunks::new(usize::try_from(trace.chunk_size)?);
    for (chunk, number, is_packed) in whole {
        let mut bytes = trace.whole(chunk)?;
        if bytes.len() < short.chunk_size {
            rewrite(&mut bytes, |head| head.number = number.into());
            short.add(&bytes, out)?;
        } else {
            rewrite(&mut bytes, |head| head.number = number.into());
            if is_packed {
                let frame = pack(&mut bytes);
                rewrite(&mut bytes, |head| head.frame = frame.into());
            }
            out.write_all(&bytes)?;
        }
        observer.step();
    }
    short.end(out)?;
    for (chunk, number, _) in cut {
        let mut bytes = trace.whole(chunk)?;
        rewrite(&mut bytes, |head| (head.number, head.length) = (number.into(), 0.into()));
        bytes.truncate(bytes.len() - usize::try_from(trace.missing(chunk))?);
        out.write_all(&bytes)?;
        observer.step();
    }
    Ok(())
}

/// The short chunks that are still to be written: a chunk holds as many as it has room for.
struct ShortChunks {
    chunk_size: usize,
    /// The chunk with its head; empty if there are none.
    bytes: Vec<u8>,
}

impl ShortChunks {
    fn new(chunk_size: usize) -> Self {
        Self { chunk_size, bytes: Vec::new() }
    }

    /// Adds a short chunk, with its head.
    fn add(&mut self, chunk: &[u8], out: &mut dyn Write) -> Result<()> {
        if self.bytes.len() + chunk.len() > self.chunk_size {
            self.end(out)?;
        }
        if self.bytes.is_empty() {
            let head = ChunkHead { stream: SHORT.into(), ..ChunkHead::default() };
            self.bytes.extend(head.as_bytes());
        }
        self.bytes.extend(chunk);
        self.bytes.resize(self.bytes.len().next_multiple_of(SHORT_ALIGNMENT), 0);
        Ok(())
    }

    /// Writes what was added.
    fn end(&mut self, out: &mut dyn Write) -> Result<()> {
        if !self.bytes.is_empty() {
            self.bytes.resize(self.chunk_size, 0);
            out.write_all(&self.bytes)?;
            self.bytes.clear();
        }
        Ok(())
    }
}

/// Changes the head of a chunk.
fn rewrite(chunk: &mut [u8], change: impl FnOnce(&mut ChunkHead)) {
    let Some(start) = chunk.get(..CHUNK_HEAD) else { return };
    let Ok(mut head) = ChunkHead::read_from_bytes(start) else { return };
    change(&mut head);
    if let Some(start) = chunk.get_mut(..CHUNK_HEAD) {
        start.copy_from_slice(head.as_bytes());
    }
}

/// Replaces the records of a chunk by a frame, if that saves a page. Returns its length, or 0.
fn pack(chunk: &mut [u8]) -> u32 {
    let Some(records) = chunk.get_mut(CHUNK_HEAD..) else { return 0 };
    let Some(frame) = frame::pack(records) else { return 0 };
    records.fill(0);
    records[..frame.len()].copy_from_slice(&frame);
    frame.len() as u32
}

/// Returns the chunks of a stream that belong to a part.
pub fn chosen<'a>(trace: &Trace, part: &Part, stream: &'a Stream) -> &'a [Chunk] {
    if !part.streams.is_empty() && !part.streams.contains(&stream.number.0) {
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

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::sample::units::traced;
    use profile::sample::counted::Counted;

    #[test]
    fn an_observer_is_told_of_each_chunk_that_is_written() {
        let mut written = traced::Trace::new(b"/bin/walk", &[]);
        written.image(b"/bin/walk", &[]);
        for (stream, number) in [(1, 0), (1, 1), (2, 0)] {
            written.chunk(stream, number, &[]);
        }
        written.short(&[(3, 0, vec![1; 9]), (3, 1, vec![1; 20_000])]);
        written.short(&[(3, 2, vec![1; 30_000])]);
        let folder = tempfile::tempdir().expect("a directory");
        let place = folder.path().join("walk.42.pathtrace");
        fs::write(&place, written.bytes).expect("writable");
        let trace = Trace::open(&place).expect("its header is sound");
        for (streams, chunks) in [(vec![], 6), (vec![1], 2), (vec![2], 1), (vec![3], 3)] {
            let part = Part { streams, time: 0..u64::MAX };
            let counted = Counted::default();
            let mut bytes = Vec::new();
            write(&trace, &part, false, &mut bytes, &counted).expect("readable");
            let cut = folder.path().join("cut.42.pathtrace");
            fs::write(&cut, bytes).expect("writable");
            let cut = Trace::open(&cut).expect("its header is sound");
            assert!(cut.problems.is_empty(), "{:?}", cut.problems);
            assert_eq!(cut.num_chunks(), chunks);
            assert_eq!(taken(&trace, &part).chunks, chunks);
            assert_eq!(counted.steps(), trace.process.chunks.len() + chunks);
        }
    }
}
