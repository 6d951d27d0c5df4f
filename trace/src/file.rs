//! Reads a trace: its process, the chunks of its streams, and the bytes of a chunk.
//!
//! A trace may be far larger than the memory, and may grow meanwhile. So only the number and the
//! position of a chunk are kept, and chunks are read one at a time. The file is read, not mapped:
//! it may become shorter meanwhile. Its content is not trusted. An invalid chunk is reported and
//! left out, and the others are read. Holes of a sparse file are skipped.
//!
//! * [`chosen`] finds the trace to read.
//! * `head` reads the head of a chunk, [`images`] the images of the process.
//! * [`frame`] decompresses a chunk, [`records`] reads its records, [`event`] one event.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Error, Result, anyhow, bail};
use pathformat::profile::{Head, Part};
use pathformat::trace::{CHUNK_HEAD, ChunkHead, Header, MAGIC, PROCESS, SHORT, SHORT_ALIGNMENT};
use pathformat::{TRACE_VERSION, wire};
use profile::open;
use profile::record_content::{RecordContent, front, next_data, other_version, unreadable};
use profile::run::Run;

use crate::ids::StreamId;

pub mod chosen;
pub mod event;
pub mod frame;
mod head;
pub mod images;
pub mod records;

/// The maximum length of a chunk: a whole chunk is read into memory.
const LONGEST_CHUNK: u64 = 1 << 26;

/// An open trace.
#[derive(Debug)]
pub struct Trace {
    file: File,
    /// The path of the file.
    pub path: PathBuf,
    /// The process that wrote it.
    pub run: Run,
    /// The length of the file when it was opened.
    pub length: u64,
    /// The number of bytes that the file occupies on the disk.
    pub on_disk: u64,
    /// The length of its header.
    pub header: u64,
    /// The length of a chunk.
    pub chunk_size: u64,
    /// The number of chunks that were never begun, including a partial one at the end.
    pub free_chunks: u64,
    /// The stream of records that concern the whole process; no chunks if the trace has none.
    pub process: Stream,
    /// Its streams, by number.
    pub streams: Vec<Stream>,
    /// The parts of the trace that cannot be used.
    pub problems: Vec<Error>,
}

/// The chunks of a thread, or of a signal handler that interrupts one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stream {
    /// Its number, from 1; or [`PROCESS`].
    pub number: StreamId,
    /// The stream that it interrupts, if it is a signal handler's.
    pub interrupts: Option<StreamId>,
    /// The number of the thread in the kernel.
    pub thread: u32,
    /// Its chunks in the order of their numbers, each number once.
    pub chunks: Vec<Chunk>,
}

/// The position of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Its number within the stream, from 0.
    pub number: u64,
    /// Its offset in the file.
    pub position: u64,
    /// The time at which it was begun, in nanoseconds of the monotonic clock.
    pub time: u64,
    /// The time at which it was begun, in ticks.
    pub ticks: u64,
    /// The length of the frame that holds its records; 0 if they are not compressed.
    pub frame: u32,
    /// The number of bytes behind its head, whether they are used or not.
    pub length: u64,
}

impl Chunk {
    /// Returns the identity of the chunk, which differs for a later chunk at the same offset.
    fn identity(&self) -> (u64, u64) {
        (self.number, self.ticks)
    }
}

/// Returns true if the file at `path` begins with the magic number of traces.
pub fn is_trace(path: &Path) -> bool {
    let mut start = [0; 8];
    open::regular(path).is_ok_and(|file| file.read_exact_at(&mut start, 0).is_ok())
        && start == MAGIC
}

impl Trace {
    /// Opens the trace at `path`.
    ///
    /// # Errors
    /// There is no such trace, or its header is damaged; the message names the file.
    pub fn open(path: &Path) -> Result<Self> {
        Self::read(path).with_context(|| path.display().to_string())
    }

    /// Returns the number of chunks of all streams.
    pub fn num_chunks(&self) -> usize {
        self.streams.iter().map(|stream| stream.chunks.len()).sum()
    }

    fn read(path: &Path) -> Result<Self> {
        let mut file = open::regular(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => anyhow!(
                "no such file; give the trace that a program wrote, `PROGRAM.PROCESS.{}`",
                pathformat::files::TRACE
            ),
            _ => anyhow!("cannot read this trace: {error}"),
        })?;
        let data = file.metadata().map_err(|error| unreadable(&error))?;
        let bytes = front(&mut file)?;
        let header = Header::decode(&bytes).map_err(|error| damage(error, &bytes))?;
        if header.chunk_size > LONGEST_CHUNK {
            bail!("the header of this trace is damaged: its chunks are far too long");
        }
        let run = run(path, &header.head);
        let mut trace = Self {
            path: path.to_path_buf(),
            run,
            length: data.len(),
            on_disk: data.blocks().saturating_mul(512),
            header: header.size,
            chunk_size: header.chunk_size,
            free_chunks: 0,
            process: Stream { number: StreamId(PROCESS), ..Stream::default() },
            streams: Vec::new(),
            problems: Vec::new(),
            file,
        };
        trace.list()?;
        Ok(trace)
    }

    /// Lists the chunks that were begun.
    fn list(&mut self) -> Result<()> {
        let mut streams: BTreeMap<u32, Stream> = BTreeMap::new();
        let mut position = self.header;
        let mut begun = 0;
        // The end of the data before the next hole.
        let mut data_end = 0;
        while position < self.length {
            if position >= data_end {
                let Some((data, end)) = next_data(&self.file, position, self.length) else { break };
                // The chunk that contains the first byte of the data.
                position += (data.saturating_sub(position) / self.chunk_size) * self.chunk_size;
                data_end = end;
            }
            let mut bytes = [0; CHUNK_HEAD];
            let read = self.fill(position, &mut bytes)?;
            let index = (position - self.header) / self.chunk_size;
            match head::of(&bytes) {
                Ok(None) => {}
                Ok(Some(_)) if read < CHUNK_HEAD => {
                    self.problems
                        .push(self.broken(index, "the file ends in the middle of its head"));
                }
                Ok(Some(head)) if head.stream.get() == SHORT => {
                    begun += 1;
                    self.list_short(position, &mut streams)?;
                }
                Ok(Some(head)) => {
                    begun += 1;
                    let length = self.chunk_size - CHUNK_HEAD as u64;
                    add(&mut streams, &head, position, length);
                }
                Err(why) => self.problems.push(self.broken(index, why)),
            }
            let Some(next) = position.checked_add(self.chunk_size) else { break };
            position = next;
        }
        self.free_chunks =
            (self.length.saturating_sub(self.header)).div_ceil(self.chunk_size) - begun;
        for mut stream in streams.into_values() {
            self.put_in_order(&mut stream.chunks);
            if stream.number.0 == PROCESS {
                self.process = stream;
            } else {
                self.streams.push(stream);
            }
        }
        Ok(())
    }

    /// Lists the short chunks in the chunk at a position.
    fn list_short(&mut self, position: u64, streams: &mut BTreeMap<u32, Stream>) -> Result<()> {
        const HEAD: u64 = CHUNK_HEAD as u64;
        let end = position.saturating_add(self.chunk_size);
        let mut next = position.saturating_add(HEAD);
        while next.saturating_add(HEAD) <= end {
            let mut bytes = [0; CHUNK_HEAD];
            self.fill(next, &mut bytes)?;
            match head::of_short(&bytes, end - next) {
                Ok(None) => break,
                Ok(Some(head)) => {
                    let length = head.length.get().into();
                    add(streams, &head, next, length);
                    next = (next + HEAD + length).next_multiple_of(SHORT_ALIGNMENT as u64);
                }
                Err(why) => {
                    let index = (position - self.header) / self.chunk_size;
                    self.problems.push(self.broken(index, why));
                    break;
                }
            }
        }
        Ok(())
    }

    /// Sorts chunks by their numbers, and keeps the first one of each number. Identical duplicates
    /// are no damage: the process was killed while a full chunk moved.
    fn put_in_order(&mut self, chunks: &mut Vec<Chunk>) {
        chunks.sort_unstable_by_key(|chunk| (chunk.number, chunk.position));
        let mut last: Option<Chunk> = None;
        chunks.retain(|chunk| {
            let same = last.filter(|last| last.number == chunk.number);
            last = Some(same.unwrap_or(*chunk));
            if let Some(first) = same
                && !self.is_copy(&first, chunk)
            {
                let index = (chunk.position - self.header) / self.chunk_size;
                let why = format!("an earlier one is chunk {} of its stream, too", chunk.number);
                self.problems.push(self.broken(index, &why));
            }
            same.is_none()
        });
    }

    /// Returns true if two chunks of one stream and number have the same content.
    fn is_copy(&self, first: &Chunk, second: &Chunk) -> bool {
        // One of them may be compressed, or short: the other one may have parts of a path that did
        // not end. Trailing zeros are not part of the records.
        let length = usize::try_from(first.length.min(second.length)).unwrap_or(usize::MAX);
        let records = |chunk| {
            let mut buffer = Vec::new();
            self.content(chunk, &mut buffer).ok()?;
            buffer.truncate(length);
            buffer.truncate(buffer.iter().rposition(|&byte| byte != 0).map_or(0, |at| at + 1));
            Some(buffer)
        };
        let is_same = (first.time, first.ticks) == (second.time, second.ticks);
        let first = records(first).filter(|_| is_same);
        first.is_some() && first == records(second)
    }

    /// Returns the error for a damaged chunk.
    fn broken(&self, index: u64, why: &str) -> Error {
        anyhow!("{}: chunk {index} of the file is damaged: {why}", self.path.display())
    }

    /// Returns the index of a chunk among all chunks of the file.
    pub fn index(&self, chunk: &Chunk) -> u64 {
        chunk.position.saturating_sub(self.header) / self.chunk_size
    }

    /// Reads the records of a chunk, uncompressed; less if the file ends before.
    ///
    /// # Errors
    /// The file cannot be read, the chunk is used again meanwhile, or its frame is damaged.
    pub fn content<'a>(&self, chunk: &Chunk, buffer: &'a mut Vec<u8>) -> Result<&'a [u8]> {
        let start = chunk.position.saturating_add(CHUNK_HEAD as u64);
        let longest = chunk.length;
        if u64::from(chunk.frame) > longest {
            bail!("its compressed records are longer than a chunk");
        }
        let length = if chunk.frame == 0 { longest } else { chunk.frame.into() };
        let end = start.saturating_add(length).min(self.length);
        buffer.clear();
        buffer.resize(usize::try_from(end.saturating_sub(start))?, 0);
        let read = self.fill(start, buffer)?;
        self.make_sure_of(chunk)?;
        buffer.truncate(read);
        if chunk.frame > 0 {
            let is_cut = (read as u64) < length;
            let frame = std::mem::take(buffer);
            frame::unpack(&frame, usize::try_from(longest)?, is_cut, buffer)?;
        }
        Ok(buffer)
    }

    /// Reads a chunk with its head, as it is in the file. Bytes behind the end of the file are
    /// zeros.
    ///
    /// # Errors
    /// The file cannot be read, or the chunk is used again meanwhile.
    pub fn whole(&self, chunk: &Chunk) -> Result<Vec<u8>> {
        let bytes = self.bytes(chunk.position, CHUNK_HEAD as u64 + chunk.length)?;
        self.make_sure_of(chunk)?;
        Ok(bytes)
    }

    /// Returns the number of bytes of a chunk that would be behind the end of the file.
    pub fn missing(&self, chunk: &Chunk) -> u64 {
        let end = chunk.position.saturating_add(CHUNK_HEAD as u64).saturating_add(chunk.length);
        end.saturating_sub(self.length)
    }

    /// Checks that a chunk that was read is still the one that was listed: a running program moves
    /// the content of its chunks.
    fn make_sure_of(&self, chunk: &Chunk) -> Result<()> {
        let mut bytes = [0; CHUNK_HEAD];
        self.fill(chunk.position, &mut bytes)?;
        match head::of_any(&bytes) {
            Ok(Some(head)) if (head.number.get(), head.ticks.get()) == chunk.identity() => Ok(()),
            _ => bail!("the program still writes to it; look at the trace when it has ended"),
        }
    }

    /// Reads a part of the file without decoding. Bytes behind the end of the file are zeros.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn bytes(&self, position: u64, length: u64) -> Result<Vec<u8>> {
        let mut bytes = vec![0; usize::try_from(length)?];
        self.fill(position, &mut bytes)?;
        Ok(bytes)
    }

    /// Reads until the buffer is full or the file ends.
    fn fill(&self, position: u64, buffer: &mut [u8]) -> Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.file.read_at(&mut buffer[filled..], position + filled as u64) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(unreadable(&error)),
            }
        }
        Ok(filled)
    }
}

/// Adds a chunk with this head to its stream; `length` is that of what follows the head.
fn add(streams: &mut BTreeMap<u32, Stream>, head: &ChunkHead, position: u64, length: u64) {
    let stream = streams.entry(head.stream.get()).or_insert_with(|| Stream {
        number: StreamId(head.stream.get()),
        interrupts: Some(head.interrupts.get()).filter(|&stream| stream != 0).map(StreamId),
        thread: head.thread.get(),
        chunks: Vec::new(),
    });
    let (number, time) = (head.number.get(), head.time.get());
    let (ticks, frame) = (head.ticks.get(), head.frame.get());
    stream.chunks.push(Chunk { number, position, time, ticks, frame, length });
}

/// Returns the process that a header describes.
fn run(path: &Path, head: &Head<'_>) -> Run {
    RecordContent::new(path, head, vec![Part::of(head)]).run
}

/// Returns the error for a damaged header.
fn damage(error: wire::Error, bytes: &[u8]) -> Error {
    match error {
        wire::Error::BadVersion(found) => other_version(found, "trace", TRACE_VERSION),
        _ if bytes.is_empty() => anyhow!("this trace is empty; run the program again"),
        wire::Error::BadMagic if bytes.starts_with(&pathformat::profile::MAGIC) => {
            anyhow!("this is a profile, not a trace; `pathprof report` shows it")
        }
        wire::Error::BadMagic => anyhow!(
            "not a trace: {error}; give a file that a program wrote that was compiled with \
             -fpath-mode=trace"
        ),
        error => anyhow!(
            "the header of this trace is damaged or truncated: {error}; run the program again"
        ),
    }
}
