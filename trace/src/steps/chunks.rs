//! Reads the records of the chunks of a stream in order, and reports gaps.

use std::fmt;
use std::sync::Arc;

use pathformat::trace::RecordKind;
use profile::observer::Observer;

use crate::fast_map::FastMap;
use crate::file::event::Event;
use crate::file::records::{Damage, Record, Records};
use crate::file::{Chunk, Stream, Trace};
use crate::steps::program::Program;
use crate::steps::traced_path::TracedPath;

/// The maximum memory of cached paths, in bytes.
const KEPT: usize = 1 << 28;

/// The next entry of a stream.
#[derive(Debug)]
pub enum ChunkEntry<'a> {
    /// A path, the bytes that its accesses recorded, and the number of times it ended
    /// consecutively.
    Path(Arc<TracedPath>, &'a [u8], u64),
    /// An event between two paths.
    Event(Event),
    /// Records are missing here.
    Gap(Gap),
}

/// The reason for missing records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gap {
    /// The program had no room for the records.
    Lost,
    /// Recording was off.
    Off,
    /// These chunks of the stream are not in the file: the first number, and the one behind the
    /// last.
    Missing(u64, u64),
    /// A chunk cannot be read, or not to its end: its index in the file, and the reason.
    Damaged(u64, Broken),
    /// A chunk, by its index in the file, cannot be read to its end: it has paths of an image that
    /// was not found.
    Unknown(u64),
}

/// The reason why a chunk cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Broken {
    /// A record is invalid.
    Record(Damage),
    /// The file cannot be read.
    File(String),
}

impl Gap {
    /// Returns true if records that the program wrote cannot be read.
    pub fn is_damage(&self) -> bool {
        !matches!(self, Self::Lost | Self::Off)
    }
}

impl fmt::Display for Gap {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lost => out.write_str("records are missing: there was no room for them"),
            Self::Off => out.write_str("paths are missing: recording was off"),
            Self::Missing(first, end) if end - first == 1 => {
                write!(out, "chunk {first} of the stream is missing")
            }
            Self::Missing(first, end) => {
                write!(out, "chunks {first} to {} of the stream are missing", end - 1)
            }
            Self::Damaged(index, Broken::Record(why)) => {
                write!(out, "chunk {index} of the file is damaged: {why}")
            }
            Self::Damaged(index, Broken::File(why)) => {
                write!(out, "chunk {index} of the file cannot be read: {why}")
            }
            Self::Unknown(index) => {
                write!(out, "chunk {index} of the file has paths of an image that is unknown")
            }
        }
    }
}

/// The records of a stream.
#[derive(Debug)]
pub struct Chunks<'a> {
    trace: &'a Trace,
    program: &'a Program,
    stream: &'a Stream,
    observer: &'a dyn Observer,
    /// The number of chunks that were opened.
    opened: usize,
    /// The number that the next chunk must have.
    expected: u64,
    /// The current chunk, if any.
    chunk: Option<Chunk>,
    buffer: Vec<u8>,
    /// The number of bytes of the buffer that were read.
    at: usize,
    /// The number of bytes of the records that were read.
    used: u64,
    /// The number of those bytes in compressed chunks.
    unpacked: u64,
    paths: FastMap<u32, Arc<TracedPath>>,
    /// The memory of the cached paths, in bytes.
    kept: usize,
}

impl<'a> Chunks<'a> {
    /// Returns the records of a stream of a trace of a program. Reports each chunk to the observer.
    pub fn new(
        trace: &'a Trace,
        program: &'a Program,
        stream: &'a Stream,
        observer: &'a dyn Observer,
    ) -> Self {
        Self {
            trace,
            program,
            stream,
            observer,
            opened: 0,
            expected: 0,
            chunk: None,
            buffer: Vec::new(),
            at: 0,
            used: 0,
            unpacked: 0,
            paths: FastMap::default(),
            kept: 0,
        }
    }

    /// Returns the number of the chunk of the last entry; `None` if it is in no chunk.
    pub fn chunk(&self) -> Option<u64> {
        self.chunk.map(|chunk| chunk.number)
    }

    /// Returns the number of bytes of the records that were read so far.
    pub fn used(&self) -> u64 {
        self.used
    }

    /// Returns the number of those bytes in compressed chunks.
    pub fn unpacked(&self) -> u64 {
        self.unpacked
    }

    /// Opens the next chunk, or returns the gap before it. Returns `None` behind the last one.
    fn open(&mut self) -> Option<Result<Chunk, Gap>> {
        let &chunk = self.stream.chunks.get(self.opened)?;
        if chunk.number > self.expected {
            let missing = Gap::Missing(self.expected, chunk.number);
            self.expected = chunk.number;
            return Some(Err(missing));
        }
        self.opened += 1;
        self.observer.step();
        self.expected = chunk.number.saturating_add(1);
        self.at = 0;
        Some(match self.trace.content(&chunk, &mut self.buffer) {
            Ok(_) => Ok(chunk),
            Err(why) => {
                Err(Gap::Damaged(self.trace.index(&chunk), Broken::File(format!("{why:#}"))))
            }
        })
    }

    /// Returns the gap for the rest of a chunk with an invalid record.
    fn damaged(&self, chunk: &Chunk, why: Damage) -> Gap {
        let index = self.trace.index(chunk);
        match why {
            Damage::NoPath { .. } if !self.program.is_whole() => Gap::Unknown(index),
            _ => Gap::Damaged(index, Broken::Record(why)),
        }
    }

    /// Returns the next entry; `None` at the end of the stream.
    #[allow(clippy::should_implement_trait, reason = "what it gives borrows from it")]
    pub fn next(&mut self) -> Option<ChunkEntry<'_>> {
        let (path, event, content) = loop {
            let chunk = match self.chunk {
                Some(chunk) => chunk,
                None => match self.open()? {
                    Ok(chunk) => *self.chunk.insert(chunk),
                    Err(gap) => return Some(ChunkEntry::Gap(gap)),
                },
            };
            let (program, paths, kept) = (self.program, &mut self.paths, &mut self.kept);
            let mut path = None;
            let mut records = Records::behind(&self.buffer, self.at);
            let start = self.at;
            let record = records.next(|number| {
                let known = path.insert(known_path(program, paths, kept, number)?);
                Some(known.recorded)
            });
            let end = records.used();
            let read = (end - self.at) as u64;
            self.used += read;
            if chunk.frame > 0 {
                self.unpacked += read;
            }
            self.at = end;
            match record {
                Ok(Some(Record::Path { addresses, .. })) => {
                    break (path.map(|path| (path, 1)), Event::Other(None), addresses.len());
                }
                Ok(Some(Record::Event { kind, payload })) => {
                    let event = Event::of(kind, payload);
                    let Event::Repeated(repetition) = event else { break (None, event, 0) };
                    if repetition.count == 0 {
                        continue;
                    }
                    let (number, count) = (repetition.number.get(), repetition.count.get());
                    let path = known_path(program, paths, kept, number);
                    // A repeated path records only its number.
                    if let Some(path) = path.filter(|path| path.recorded == 0) {
                        break (Some((path, count)), event, 0);
                    }
                    self.chunk = None;
                    let damage = Damage::NoPath { at: start, number };
                    return Some(ChunkEntry::Gap(self.damaged(&chunk, damage)));
                }
                Ok(None) => self.chunk = None,
                Err(damage) => {
                    self.chunk = None;
                    return Some(ChunkEntry::Gap(self.damaged(&chunk, damage)));
                }
            }
        };
        Some(match (path, event) {
            (Some((path, count)), _) => {
                ChunkEntry::Path(path, &self.buffer[self.at - content..self.at], count)
            }
            (None, Event::Other(Some(RecordKind::Lost))) => ChunkEntry::Gap(Gap::Lost),
            (None, Event::Other(Some(RecordKind::Off))) => ChunkEntry::Gap(Gap::Off),
            (None, event) => ChunkEntry::Event(event),
        })
    }
}

/// Returns the path with a number, and caches it.
fn known_path(
    program: &Program,
    paths: &mut FastMap<u32, Arc<TracedPath>>,
    kept: &mut usize,
    number: u32,
) -> Option<Arc<TracedPath>> {
    if let Some(path) = paths.get(&number) {
        return Some(path.clone());
    }
    let path = program.path(number)?;
    *kept = kept.saturating_add(path.memory());
    if *kept > KEPT {
        paths.clear();
        *kept = path.memory();
    }
    paths.insert(number, path.clone());
    Some(path)
}
