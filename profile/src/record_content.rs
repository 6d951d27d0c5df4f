//! Reads the counts of a record, or of a process that has written no record.
//!
//! Such a process has a raw file. The raw file may be read while the process is running: it then
//! holds the counts of that moment. It may be far larger than its counts, so only the parts of it
//! that hold data are read.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use anyhow::{Error, Result, anyhow};
use pathformat::files::EXTENSION;
use pathformat::profile::{
    CUMULATIVE, CUT, DENIED, ENDED, FORKED, GONE, Head, INCOMPLETE, MERGED, OTHER_RUNTIME, PARTIAL,
    Part, Profile, RUNNING, UNREGISTERED_THREADS, UNSURE,
};
use pathformat::raw::{self, Header, Sums};
use pathformat::{PROFILE_VERSION, RAW_VERSION, wire};
use rustix::fs::{SeekFrom, seek};

use crate::run::Run;
use crate::segments;

/// The maximum length of a header: 64 KiB of arguments, the same for a map, and 36 bytes for each
/// module.
const LONGEST_HEADER: u64 = 1 << 26;

/// A raw file is read in pieces of this size.
const PIECE: usize = 1 << 20;

/// A record in memory.
#[derive(Debug)]
pub struct RecordContent {
    /// The process that ran.
    pub run: Run,
    /// The build-id of its image; empty if it has none.
    pub build_id: Vec<u8>,
    /// The path of the image when it ran.
    pub image: PathBuf,
    /// The counts; in a merged record, those of all runs.
    pub parts: Vec<Part>,
}

/// Returns the error for a profile that cannot be opened or read.
pub fn unreadable(error: &io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::NotFound => {
            anyhow!(
                "no such file; give a program, a profile (by default PROGRAM.{EXTENSION}) or a \
                 directory of profiles"
            )
        }
        _ => anyhow!("cannot read this profile: {error}"),
    }
}

/// Reads the raw file at `path`.
pub(crate) fn read_raw(path: &Path, file: File) -> Result<RecordContent> {
    of_raw(file, |head, part| RecordContent::new(path, head, vec![part]))
}

/// Returns the record that the process of a raw file would have written, marked as final. If the
/// run has segments, it says that their counts are in it, too.
pub(crate) fn record_of_raw(file: File, has_segments: bool) -> Result<Vec<u8>> {
    let marks = GONE | if has_segments { CUMULATIVE } else { 0 };
    of_raw(file, |head, part| {
        let head = Head { flags: head.flags | GONE, ..*head };
        Profile { head, parts: vec![Part { flags: part.flags | marks, ..part }] }.encode()
    })
}

/// Reads a raw file, and passes its head and its counts to `make`.
fn of_raw<T>(mut file: File, make: impl FnOnce(&Head<'_>, Part) -> T) -> Result<T> {
    let length = file.metadata().map_err(|error| unreadable(&error))?.len();
    let bytes = front(&mut file)?;
    let mut header = Header::decode(&bytes).map_err(damage_of_raw)?;
    let mut sums = Sums::default();
    let mut piece = vec![0; PIECE];
    let mut position = header.size;
    while let Some((data, end)) = next_data(&file, position, length) {
        // Counters are words. If data start in the middle of one, a page of zeros precedes them.
        let data = data & !7;
        let size = usize::try_from(end - data).unwrap_or(PIECE).min(PIECE);
        file.seek(io::SeekFrom::Start(data)).map_err(|error| unreadable(&error))?;
        let read = fill(&mut file, &mut piece[..size]).map_err(|error| unreadable(&error))?;
        sums.add(&header, data, &piece[..read]);
        if read < size {
            break;
        }
        position = data + size as u64;
    }
    let modules = sums.finish(&mut header);
    if let Some(block) = &header.standing {
        if block.reserved.get() > length {
            header.head.flags |= CUT;
        }
        // Runs that began or ended meanwhile may be counted in part.
        let bytes = front(&mut file)?;
        let now = Header::decode(&bytes).map_err(damage_of_raw)?.standing;
        if now.as_ref().map(|now| (now.starts, now.ends)) != Some((block.starts, block.ends)) {
            header.head.flags |= INCOMPLETE;
            header.standing = now;
        }
    }
    let runs = header.runs();
    let map = header.map.take();
    let label = header.label.text().to_vec();
    let head = header.facts();
    let part = Part { runs, flags: head.flags & !MERGED, map, modules, label };
    Ok(make(&head, part))
}

/// Returns the bytes of a raw file's header, and perhaps more.
pub fn front(file: &mut File) -> Result<Vec<u8>> {
    let length = file.metadata().map_err(|error| unreadable(&error))?.len();
    let mut bytes = Vec::new();
    file.rewind()
        .and_then(|()| file.take(raw::PAGE).read_to_end(&mut bytes))
        .map_err(|error| unreadable(&error))?;
    let size = bytes
        .get(16..24)
        .and_then(|word| word.first_chunk())
        .map_or(0, |word| u64::from_le_bytes(*word));
    if size > raw::PAGE && size <= length.min(LONGEST_HEADER) {
        let rest = file.take(size - raw::PAGE).read_to_end(&mut bytes);
        rest.map_err(|error| unreadable(&error))?;
    }
    Ok(bytes)
}

/// Reads until the buffer is full or the file ends.
fn fill(file: &mut File, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Returns start and end of the next part at or behind `position` that is not a hole.
pub fn next_data(file: &File, position: u64, length: u64) -> Option<(u64, u64)> {
    if position >= length {
        return None;
    }
    match seek(file, SeekFrom::Data(position)) {
        Ok(data) => Some((data, seek(file, SeekFrom::Hole(data)).unwrap_or(length).min(length))),
        Err(rustix::io::Errno::NXIO) => None,
        // The file system has no holes.
        Err(_) => Some((position, length)),
    }
}

impl RecordContent {
    /// Returns the same record with other parts.
    pub fn with_parts(&self, parts: Vec<Part>) -> Self {
        let (run, build_id, image) = (self.run.clone(), self.build_id.clone(), self.image.clone());
        let mut file = Self { run, build_id, image, parts };
        file.publish_flags();
        file
    }

    /// Returns the content of a record at `path`.
    pub fn new(path: &Path, head: &Head<'_>, parts: Vec<Part>) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let arguments = head.command_line.strip_suffix(&[0]).unwrap_or(head.command_line);
        let run = Run {
            id: head.identity(),
            profile: path.to_path_buf(),
            image: 0,
            pid: head.pid,
            ancestors: head.ancestors.to_vec(),
            start: head.start,
            stop: head.stop.max(head.start),
            process_start: head.process_start,
            host: text(head.host),
            directory: text(head.directory),
            command_line: match arguments {
                [] => Vec::new(),
                _ => {
                    let words = arguments.split(|&byte| byte == 0);
                    words.map(|word| OsStr::from_bytes(word).to_os_string()).collect()
                }
            },
            ..Run::default()
        };
        let image = Path::new(OsStr::from_bytes(head.image)).to_path_buf();
        let mut file = Self { run, build_id: head.build_id.to_vec(), image, parts };
        file.publish_flags();
        file
    }

    /// Updates the run from its parts, after some of them were removed.
    pub fn publish_flags(&mut self) {
        let any = |flag| self.parts.iter().any(|part| part.flags & flag != 0);
        self.run.count = segments::count(self.parts.iter().flat_map(|part| &part.runs));
        self.run.incomplete = any(INCOMPLETE);
        self.run.unregistered_threads = any(UNREGISTERED_THREADS);
        self.run.forked = any(FORKED);
        let is_partial =
            |part: &Part| part.flags & (INCOMPLETE | ENDED) != 0 && part.flags & PARTIAL != 0;
        self.run.partial = self.parts.iter().any(is_partial);
        let marks = CUT | UNSURE | OTHER_RUNTIME | ENDED | DENIED | RUNNING;
        self.run.marks = self.parts.iter().fold(0, |flags, part| flags | part.flags & marks);
    }
}

/// Returns the error for a file of another version of the format.
pub fn other_version(found: u32, what: &str, ours: u32) -> Error {
    anyhow!(
        "this {what} has format version {found}, and this pathprof reads version {ours}; \
         use the pathprof that belongs to the pathcc that built the program"
    )
}

/// Returns the error for a damaged raw file.
pub(crate) fn damage_of_raw(error: wire::Error) -> Error {
    match error {
        wire::Error::BadVersion(found) => other_version(found, "raw file", RAW_VERSION),
        error => anyhow!(
            "the header of this raw file is damaged or truncated: {error}; run the program again"
        ),
    }
}

/// Returns the error for the bytes of a damaged profile, and what to do.
pub(crate) fn damage(error: wire::Error, bytes: &[u8]) -> Error {
    match error {
        wire::Error::BadMagic if bytes.starts_with(b"\x7fELF") => {
            anyhow!(
                "this is an ELF image, not a profile; give the profile that its run wrote, and the \
                 image with --image"
            )
        }
        wire::Error::BadMagic => {
            anyhow!("this is no profile, program or directory of profiles")
        }
        wire::Error::BadVersion(found) => other_version(found, "profile", PROFILE_VERSION),
        _ if bytes.is_empty() => anyhow!("this profile is empty; run the program again"),
        _ => anyhow!("this profile is damaged or truncated: {error}; run the program again"),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt;

    use pathformat::ModuleId;
    use pathformat::raw::{ArrayPlace, PAGE, write_header};
    use pathformat::settings::Threads;

    use super::*;

    #[test]
    fn a_raw_file_is_read_without_its_holes() {
        const REGION: u64 = 1 << 40;
        let folder = tempfile::tempdir().expect("a directory");
        let path = folder.path().join("x.pathprof.raw");
        let head = Head { pid: 7, start: 5, process_start: 3, image: b"/bin/x", ..Head::default() };
        let far = REGION - PAGE;
        let place = |id, offset| ArrayPlace {
            id: ModuleId([id; 16]),
            offset,
            counters: 512,
            threads: Threads::Exact,
        };
        let mut bytes = Vec::new();
        let size =
            write_header(&mut bytes, &head, REGION, None, [place(1, 0), place(2, far)].into_iter());
        let file = File::create(&path).expect("writable");
        file.set_len(size + 3 * REGION).expect("holes cost nothing");
        let words = [
            (0, bytes.as_slice()),
            (size + REGION + 16, &[5]),
            (size + REGION + far, &[1]),
            (size + 2 * REGION + far, &[2]),
        ];
        words.iter().for_each(|(at, bytes)| file.write_all_at(bytes, *at).expect("writable"));

        let read = || read_raw(&path, File::open(&path).expect("readable")).expect("sound");
        let found = read();
        assert!(found.run.incomplete && !found.run.unregistered_threads && found.run.stop == 5);
        let counts: Vec<_> =
            found.parts[0].modules.iter().map(|module| module.counts.clone()).collect();
        assert_eq!(counts, [vec![(2, 5)], vec![(0, 3)]]);

        file.write_all_at(&[1], size + 8).expect("writable");
        assert!(read().run.unregistered_threads);
    }
}
