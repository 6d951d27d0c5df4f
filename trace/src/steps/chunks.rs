//! Goes through the chunks of a stream in order, record by record, and says what is missing.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use pathformat::trace::Kind;
use profile::observer::Observer;

use crate::file::event::Event;
use crate::file::records::{Damage, Record, Records};
use crate::file::{Chunk, Stream, Trace};
use crate::steps::program::Program;
use crate::steps::traced_path::TracedPath;

/// How much memory the paths may take that are kept because they may come again.
const KEPT: usize = 1 << 28;

/// What a stream has next.
#[derive(Debug)]
pub enum ChunkEntry<'a> {
    /// A path, what its accesses recorded, and how often it ended, one time after the other.
    Path(Arc<TracedPath>, &'a [u8], u64),
    /// Something happened between two paths.
    Event(Event),
    /// Records are missing here.
    Gap(Gap),
}

/// Why records are missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gap {
    /// The program had no room for them.
    Lost,
    /// Recording was off.
    Off,
    /// These chunks of the stream are not in the file: the first, and the one behind the last.
    Missing(u64, u64),
    /// A chunk cannot be read, or not to its end: its place in the file, and why.
    Damaged(u64, Broken),
    /// A chunk, by its place in the file, cannot be read to its end: it has paths of an image that
    /// was not found.
    Unknown(u64),
}

/// Why a chunk cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Broken {
    /// A record makes no sense.
    Record(Damage),
    /// The file cannot be read.
    File(String),
}

impl Gap {
    /// Whether the file is not as the program wrote it.
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
    /// How many chunks were opened.
    opened: usize,
    /// The number that the next chunk must have.
    expected: u64,
    /// The chunk that is read, if any.
    chunk: Option<Chunk>,
    buffer: Vec<u8>,
    /// How much of the buffer was read.
    at: usize,
    /// How many bytes the records take that were read.
    used: u64,
    /// How many of these are of chunks that are compressed.
    unpacked: u64,
    paths: HashMap<u32, Arc<TracedPath>>,
    /// How much memory these take.
    kept: usize,
}

impl<'a> Chunks<'a> {
    /// The records of a stream of a trace of a program. The observer is told of each chunk.
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
            paths: HashMap::new(),
            kept: 0,
        }
    }

    /// The number of the chunk that what was found last is in; `None` if it is in none.
    pub fn chunk(&self) -> Option<u64> {
        self.chunk.map(|chunk| chunk.number)
    }

    /// How many bytes the records take that were read so far.
    pub fn used(&self) -> u64 {
        self.used
    }

    /// How many of these are of chunks that are compressed.
    pub fn unpacked(&self) -> u64 {
        self.unpacked
    }

    /// Opens the next chunk, unless some are missing before it. `None` behind the last one.
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

    /// Why the rest of a chunk is missing in which a record makes no sense.
    fn damaged(&self, chunk: &Chunk, why: Damage) -> Gap {
        let index = self.trace.index(chunk);
        match why {
            Damage::NoPath { .. } if !self.program.is_whole() => Gap::Unknown(index),
            _ => Gap::Damaged(index, Broken::Record(why)),
        }
    }

    /// What is next; `None` at the end of the stream.
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
                    // What is repeated records nothing but its number.
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
            (None, Event::Other(Some(Kind::Lost))) => ChunkEntry::Gap(Gap::Lost),
            (None, Event::Other(Some(Kind::Off))) => ChunkEntry::Gap(Gap::Off),
            (None, event) => ChunkEntry::Event(event),
        })
    }
}

/// The path of a number, which is kept for the next time.
fn known_path(
    program: &Program,
    paths: &mut HashMap<u32, Arc<TracedPath>>,
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
