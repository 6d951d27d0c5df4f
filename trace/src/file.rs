//! Reads a trace: who ran, which chunks the file has of which stream, and the bytes of a chunk.
//!
//! A trace may be far larger than the memory, and may grow meanwhile. So what is kept of a chunk is
//! its number and its place, and chunks are read one at a time. The file is read, not mapped: it
//! may become shorter while somebody looks at it. Nothing in it is trusted. A chunk that makes no
//! sense is left out and told, and the others are read. Holes of a sparse file are skipped.
//!
//! * [`chosen`] finds the trace that is meant.
//! * `head` reads which process ran, [`images`] reads its images.
//! * [`frame`] decompresses a chunk, [`records`] reads its records, [`event`] one event.
//! * [`stream_id`] is the number of a stream.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Error, Result, anyhow, bail};
use pathformat::profile::{Head, Part};
use pathformat::trace::{CHUNK_HEAD, Header, MAGIC, PROCESS};
use pathformat::{TRACE_VERSION, wire};
use profile::open;
use profile::record_content::{RecordContent, front, next_data, other_version, unreadable};
use profile::run::Run;

pub mod chosen;
pub mod event;
pub mod frame;
mod head;
pub mod images;
pub mod records;
pub mod stream_id;

use stream_id::StreamId;

/// No chunk is longer: the whole of one is read into memory.
const LONGEST_CHUNK: u64 = 1 << 26;

/// A trace that is open.
#[derive(Debug)]
pub struct Trace {
    file: File,
    /// Where it is.
    pub path: PathBuf,
    /// The process.
    pub run: Run,
    /// The length of the file when it was opened.
    pub length: u64,
    /// How much of it takes room on the disk.
    pub on_disk: u64,
    /// The length of its header.
    pub header: u64,
    /// The length of a chunk.
    pub chunk_size: u64,
    /// How many chunks were never begun, whole or in part.
    pub free_chunks: u64,
    /// What is true of the whole process; no chunks if the trace does not tell.
    pub process: Stream,
    /// Its streams, by number.
    pub streams: Vec<Stream>,
    /// What of it cannot be used.
    pub problems: Vec<Error>,
}

/// The chunks of a thread, or of a signal handler that interrupts one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stream {
    /// Its number, from 1; [`PROCESS`].
    pub number: StreamId,
    /// The stream that it interrupts, if it is a signal handler's.
    pub interrupts: Option<StreamId>,
    /// The kernel's number of the thread.
    pub thread: u32,
    /// Its chunks by their numbers, each number once.
    pub chunks: Vec<Chunk>,
}

/// Where a chunk is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Which of the stream's it is, from 0.
    pub number: u64,
    /// Where it starts in the file.
    pub position: u64,
    /// When it was begun, in nanoseconds of the monotonic clock.
    pub time: u64,
    /// When it was begun, in ticks.
    pub ticks: u64,
    /// How long the frame is that holds its records; 0 if they are not compressed.
    pub frame: u32,
}

impl Chunk {
    /// What tells it from what the same place of the file holds later.
    fn identity(&self) -> (u64, u64) {
        (self.number, self.ticks)
    }
}

/// Whether the file at `path` begins as traces do.
pub fn is_trace(path: &Path) -> bool {
    let mut start = [0; 8];
    open::regular(path).is_ok_and(|file| file.read_exact_at(&mut start, 0).is_ok())
        && start == MAGIC
}

impl Trace {
    /// Opens the trace at `path`.
    ///
    /// # Errors
    /// There is none, or its header is damaged; the message names the file.
    pub fn open(path: &Path) -> Result<Self> {
        Self::read(path).with_context(|| path.display().to_string())
    }

    /// How many chunks its streams have.
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
        // What is known to be no hole ends here.
        let mut data_end = 0;
        while position < self.length {
            if position >= data_end {
                let Some((data, end)) = next_data(&self.file, position, self.length) else { break };
                // The chunk in which the data start.
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
                Ok(Some(head)) => {
                    begun += 1;
                    let stream = streams.entry(head.stream.get()).or_insert_with(|| Stream {
                        number: StreamId(head.stream.get()),
                        interrupts: Some(head.interrupts.get())
                            .filter(|&stream| stream != 0)
                            .map(StreamId),
                        thread: head.thread.get(),
                        chunks: Vec::new(),
                    });
                    let (number, time) = (head.number.get(), head.time.get());
                    let (ticks, frame) = (head.ticks.get(), head.frame.get());
                    stream.chunks.push(Chunk { number, position, time, ticks, frame });
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

    /// Sorts chunks by their numbers. Of those with one number all but the first are left out. That
    /// is no damage if they are the same: the process was killed while a full chunk moved.
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

    /// Whether two chunks of one stream and number hold the same.
    fn is_copy(&self, first: &Chunk, second: &Chunk) -> bool {
        // One of them may be compressed, and zeros end its records.
        let records = |chunk| {
            let mut buffer = Vec::new();
            self.content(chunk, &mut buffer).ok()?;
            buffer.truncate(buffer.iter().rposition(|&byte| byte != 0).map_or(0, |at| at + 1));
            Some(buffer)
        };
        let is_same = (first.time, first.ticks) == (second.time, second.ticks);
        let first = records(first).filter(|_| is_same);
        first.is_some() && first == records(second)
    }

    /// Says what is wrong with a chunk.
    fn broken(&self, index: u64, why: &str) -> Error {
        anyhow!("{}: chunk {index} of the file is damaged: {why}", self.path.display())
    }

    /// The place of a chunk among all of the file.
    pub fn index(&self, chunk: &Chunk) -> u64 {
        chunk.position.saturating_sub(self.header) / self.chunk_size
    }

    /// Reads what a chunk holds behind its head, uncompressed; less if the file ends before.
    ///
    /// # Errors
    /// Those of the file, the chunk is used again meanwhile, and its frame is damaged.
    pub fn content<'a>(&self, chunk: &Chunk, buffer: &'a mut Vec<u8>) -> Result<&'a [u8]> {
        let start = chunk.position.saturating_add(CHUNK_HEAD as u64);
        let longest = self.chunk_size - CHUNK_HEAD as u64;
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

    /// Reads a chunk with its head, as it stands in the file. What is behind the end of the file is
    /// zeros.
    ///
    /// # Errors
    /// Those of the file, and the chunk is used again meanwhile.
    pub fn whole(&self, chunk: &Chunk) -> Result<Vec<u8>> {
        let bytes = self.bytes(chunk.position, self.chunk_size)?;
        self.make_sure_of(chunk)?;
        Ok(bytes)
    }

    /// Makes sure that a chunk that was read is still the one that was listed: a program that runs
    /// moves what its chunks hold.
    fn make_sure_of(&self, chunk: &Chunk) -> Result<()> {
        let mut bytes = [0; CHUNK_HEAD];
        self.fill(chunk.position, &mut bytes)?;
        match head::of(&bytes) {
            Ok(Some(head)) if (head.number.get(), head.ticks.get()) == chunk.identity() => Ok(()),
            _ => bail!("the program still writes to it; look at the trace when it has ended"),
        }
    }

    /// Reads a part of the file, as it is. What is behind its end is zeros.
    ///
    /// # Errors
    /// Those of the file.
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

/// The process that a header tells of.
fn run(path: &Path, head: &Head<'_>) -> Run {
    RecordContent::new(path, head, vec![Part::of(head)]).run
}

/// Says what is wrong with a header.
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
