//! The file of a trace: its name, its header, and chunks of it as memory.
//!
//! As in the raw files of counters, a part of the file is mapped only when it has its room on the
//! disk. A write to a page for which the disk has no room would kill the program.

use core::ptr::NonNull;

use linux_raw_sys::general::TMPFS_MAGIC;
use pathformat::files;
use pathformat::profile::Head;
use pathformat::raw::FILE_SYSTEMS;
use pathformat::trace::{self, FLAGS_OFFSET};
use pathformat::wire::Sink;
use process::environment::Environment;
use process::pattern;
use process::sys::kept::Kept;
use process::sys::mapping::{self, At};
use process::sys::{self, File, Identity, OpenError, apart};
use process::target;
use process::text::Path;

/// The length of a chunk, as measured. With less, asking for chunks costs time. With more, a short
/// process and a thread cost more than they write.
pub(crate) const CHUNK: usize = 256 << 10;

/// The number of files of one name that are tried.
const MOST_NAMES: u32 = 1 << 10;

/// The largest length of a header: a command line, four paths, and little else.
const HEADER: usize = 96 << 10;

/// The free space of a disk that is left to other programs.
const LEFT: u64 = 1 << 20;

/// The file, or none. All-zero bytes are none.
pub(crate) struct TraceFile {
    path: Path,
    identity: Identity,
    kept: Kept,
    header_size: u64,
    flags: u32,
}

/// Scratch space, kept off the stack.
pub(crate) struct Room {
    scratch: Path,
    header: Header,
}

impl Room {
    /// Creates empty space.
    pub(crate) const fn new() -> Self {
        Self { scratch: Path::new(), header: Header { bytes: [0; HEADER], length: 0 } }
    }
}

/// The bytes of a header.
struct Header {
    bytes: [u8; HEADER],
    length: usize,
}

impl Sink for Header {
    fn put(&mut self, bytes: &[u8]) {
        let end = self.length + bytes.len();
        if let Some(place) = self.bytes.get_mut(self.length..end) {
            place.copy_from_slice(bytes);
        }
        self.length = end;
    }
}

impl TraceFile {
    /// Returns the state without a file.
    pub(crate) const fn none() -> Self {
        let (path, identity, kept) = (Path::new(), Identity::NONE, Kept::NONE);
        Self { path, identity, kept, header_size: 0, flags: 0 }
    }

    /// Returns true if there is a file.
    pub(crate) fn exists(&self) -> bool {
        self.identity != Identity::NONE
    }

    /// Returns the path of the file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Forgets the file, which stays as it is.
    pub(crate) fn forget(&mut self) {
        self.identity = Identity::NONE;
        self.kept.close();
        self.flags = 0;
    }

    /// Creates the file, with its header, and returns it open.
    pub(crate) fn create(
        &mut self,
        environment: &Environment,
        head: &Head<'_>,
        room: &mut Room,
    ) -> Result<File, OpenError> {
        let file = self.create_free_name(environment, head.pid, room)?;
        room.header.length = 0;
        self.flags = head.flags;
        self.header_size = trace::write_header(&mut room.header, head, CHUNK as u64);
        let header = room.header.bytes.get(..room.header.length);
        let known = file.file_system().is_some_and(|system| FILE_SYSTEMS.contains(&system.kind));
        if known
            && let Some(header) = header.filter(|_| sys::file_size_limit() >= self.header_size)
            && file.write_all(header)
            && file.allocate(0, self.header_size)
            && let Some(identity) = file.identity()
        {
            self.identity = identity;
            if !apart::is_apart() {
                self.kept = Kept::keep(&file);
            }
            return Ok(file);
        }
        environment.origin.place(&mut self.path).inspect(|place| sys::unlink(*place));
        Err(OpenError::Other)
    }

    fn create_free_name(
        &mut self,
        environment: &Environment,
        process: u32,
        room: &mut Room,
    ) -> Result<File, OpenError> {
        for number in 1..MOST_NAMES {
            if !target::resolve(environment, 1, &mut self.path, &mut room.scratch) {
                break;
            }
            rename_profile(&mut self.path, process, number);
            let place = environment.origin.place(&mut self.path).ok_or(OpenError::Other)?;
            match File::create(place) {
                Err(OpenError::Exists) => {}
                result => return result,
            }
        }
        Err(OpenError::Other)
    }

    /// Opens the file again, if it is still at its path.
    pub(crate) fn open(&mut self) -> Result<File, OpenError> {
        if !self.exists() {
            return Err(OpenError::Other);
        }
        if let Some(file) = self.kept.file() {
            return Ok(file);
        }
        let file = File::open_to_change(self.path.as_path().ok_or(OpenError::Other)?.into())?;
        if file.identity() == Some(self.identity) { Ok(file) } else { Err(OpenError::Other) }
    }

    /// Returns the offset of a chunk.
    pub(crate) fn offset(&self, chunk: u64) -> u64 {
        self.header_size + chunk * CHUNK as u64
    }

    /// Maps a chunk, if the disk has room for it.
    pub(crate) fn map(&self, file: &File, offset: u64) -> Option<NonNull<u8>> {
        let has_room = self.reserve(file, offset);
        has_room.then(|| mapping::map_file(At::Anywhere, CHUNK, file, offset)).flatten()
    }

    /// Makes sure that the disk has room for a chunk. Returns false if it has none.
    pub(crate) fn reserve(&self, file: &File, offset: u64) -> bool {
        let end = offset + CHUNK as u64;
        let may_grow = end <= sys::file_size_limit() && has_room(file);
        may_grow && file.allocate(offset, CHUNK as u64)
    }

    /// Writes at an offset without mapping it. Returns false on failure.
    pub(crate) fn write(&self, file: &File, bytes: &[u8], offset: u64) -> bool {
        // A write beyond the limit raises a signal.
        offset + bytes.len() as u64 <= sys::file_size_limit() && file.write_at(bytes, offset)
    }

    /// [Writes](Self::write) at the end, if the disk has room for more.
    pub(crate) fn append(&self, file: &File, bytes: &[u8], offset: u64) -> bool {
        has_room(file) && self.write(file, bytes, offset)
    }

    /// Sets flags in the file.
    pub(crate) fn add_flags(&mut self, file: &File, flags: u32) {
        if self.flags & flags != flags {
            self.flags |= flags;
            self.write(file, &self.flags.to_le_bytes(), FLAGS_OFFSET);
        }
    }

    /// Frees the space on the disk that a chunk with `used` bytes does not need.
    pub(crate) fn trim(&self, file: &File, offset: u64, used: usize) {
        const PAGE: usize = pathformat::raw::PAGE as usize;
        let used = used.next_multiple_of(PAGE);
        if used < CHUNK {
            file.empty(offset + used as u64, (CHUNK - used) as u64);
        }
    }

    /// Returns true if space that was freed can be allocated again at any time.
    pub(crate) fn has_plenty(&self, file: &File) -> bool {
        file.file_system().is_some_and(|system| {
            system.free >= 64 * CHUNK as u64 && system.kind != u64::from(TMPFS_MAGIC)
        })
    }
}

/// Returns true if the disk has room for another chunk, and for other programs.
fn has_room(file: &File) -> bool {
    file.file_system().is_some_and(|system| system.free >= LEFT)
}

/// Turns the name of a profile into that of a process's trace.
fn rename_profile(path: &mut Path, process: u32, number: u32) {
    path.truncate(pattern::stem_length(path.as_bytes()));
    path.push(b'.');
    path.push_decimal(process);
    if number > 1 {
        path.push(b'-');
        path.push_decimal(number);
    }
    path.push(b'.');
    path.push_all(files::TRACE.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_is_named_like_the_profile() {
        for (profile, number, trace) in [
            ("/a/x.pathprof", 1, "/a/x.42.pathtrace"),
            ("/a/x.pathprof", 2, "/a/x.42-2.pathtrace"),
            ("/a/x", 1, "/a/x.42.pathtrace"),
        ] {
            let mut path = Path::new();
            path.push_all(profile.as_bytes());
            rename_profile(&mut path, 42, number);
            assert_eq!(path.as_bytes(), trace.as_bytes());
        }
    }

    #[test]
    fn a_chunk_holds_what_code_asks_for() {
        let rest = CHUNK - trace::CHUNK_HEAD - trace::RESERVE;
        assert!(rest > trace::LONGEST_RECORD && CHUNK.is_multiple_of(1 << 12));
    }
}
