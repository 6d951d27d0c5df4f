//! Finds the records of a profile: those in its file, and the raw files beside it. A raw file
//! stands for a process that has not written its record.
//!
//! A file is gone through backwards. Each record ends with its length, so that only heads are read,
//! however long the records are. Bytes that are no record, as a full disk may leave them, end this
//! way; then what is before them is searched for records, byte by byte.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use anyhow::{Error, Result, anyhow};
use pathformat::profile::{ENDING, GONE, Head, INCOMPLETE, MAGIC, MERGED, Profile, RunId, length_before};
use pathformat::raw;
use pathformat::wire;
use rayon::prelude::*;

use crate::read::file_names::{self, profile_of_raw};
use crate::read::image::FileId;
use crate::read::open;
use crate::read::profile::{self, ProfileFile};

/// A head is seldom longer.
const SHORT_HEAD: u64 = 1 << 12;

/// No head is longer: it has 64 KiB of arguments.
const LONGEST_HEAD: u64 = 1 << 17;

/// A file whose end makes no sense is searched from its start if it is not longer.
const LONGEST_SEARCH: u64 = 1 << 32;

/// How often, and how long each time, to wait for the lock of a file that a process writes to.
const WAITS: (u32, Duration) = (100, Duration::from_millis(10));

/// Where a record is, and what its head says.
#[derive(Clone, Debug)]
pub struct Record {
    /// The file.
    pub path: PathBuf,
    /// Which file that was.
    pub file: FileId,
    /// Where in it; `None` if the file is a raw file.
    pub range: Option<(u64, u64)>,
    /// Which run; of a merged record, the first.
    pub run: RunId,
    /// Whether it is of several runs.
    pub merged: bool,
    /// Whether its run ended in the normal way.
    pub complete: bool,
    /// Its process.
    pub pid: u32,
    /// When the kernel started its process, in clock ticks since boot; 0 if unknown.
    pub process_start: u64,
    /// The parent of its process.
    pub parent: u32,
    /// Start and end of counting in nanoseconds since 1970.
    pub time: (u64, u64),
    /// Name of the machine.
    pub host: Vec<u8>,
    /// Arguments, each closed by a NUL.
    pub command_line: Vec<u8>,
    /// Where its image was.
    pub image: PathBuf,
    /// Build-id of its image.
    pub build_id: Vec<u8>,
}

/// The records of a profile.
#[derive(Debug, Default)]
pub struct Records {
    /// In the order in which they were written, raw files last.
    pub records: Vec<Record>,
    /// What could not be read.
    pub problems: Vec<Error>,
}

/// A profile, and what is to be read of it.
#[derive(Debug)]
pub struct Input {
    /// Its file.
    pub path: PathBuf,
    /// Its records or some of them, or why it has none that can be read.
    pub found: Result<Records>,
}

impl From<PathBuf> for Input {
    /// All of a profile.
    fn from(path: PathBuf) -> Self {
        Self { found: of(&path), path }
    }
}

impl Input {
    /// The records to read.
    pub fn records(&self) -> &[Record] {
        self.found.as_ref().map_or(&[], |found| &found.records)
    }
}

/// Those records of the inputs that are wanted. Inputs without any are left out.
pub fn only(mut inputs: Vec<Input>, mut is_wanted: impl FnMut(&Record) -> bool) -> Vec<Input> {
    for found in inputs.iter_mut().filter_map(|input| input.found.as_mut().ok()) {
        found.records.retain(&mut is_wanted);
    }
    inputs.retain(|input| !input.records().is_empty());
    inputs
}

impl Record {
    fn of((path, file): (&Path, FileId), range: Option<(u64, u64)>, head: &Head<'_>) -> Self {
        Self {
            path: path.to_path_buf(),
            file,
            range,
            run: head.identity(),
            merged: head.flags & MERGED != 0,
            complete: head.flags & INCOMPLETE == 0,
            pid: head.pid,
            process_start: head.process_start,
            parent: head.parent,
            time: (head.start, head.stop.max(head.start)),
            host: head.host.to_vec(),
            command_line: head.command_line.to_vec(),
            image: Path::new(OsStr::from_bytes(head.image)).to_path_buf(),
            build_id: head.build_id.to_vec(),
        }
    }

    /// The profile that it is in, or, if it is a raw file, would have been.
    pub fn profile(&self) -> PathBuf {
        file_names::profile_of(&self.path)
    }

    /// Whether this is a raw file in which a process may still be counting.
    pub fn is_in_use(&self) -> bool {
        if self.range.is_some() {
            return false;
        }
        if self.host != rustix::system::uname().nodename().to_bytes() {
            return true;
        }
        let Ok(maps) = fs::read_to_string(format!("/proc/{}/maps", self.pid)) else {
            return Path::new(&format!("/proc/{}", self.pid)).exists();
        };
        // Its number may be another process's, and it may be executing another program by now.
        let Ok(data) = fs::metadata(&self.path) else { return false };
        let inode = data.ino().to_string();
        maps.lines().any(|line| line.split_ascii_whitespace().nth(4) == Some(&inode))
    }

    /// Its bytes. A raw file's are those of the record that its process would have written.
    ///
    /// # Errors
    /// It is gone, or a raw file that is damaged.
    pub fn bytes(&self) -> Result<Vec<u8>> {
        let file = self.open()?;
        let Some((offset, length)) = self.range else { return profile::record_of_raw(file) };
        if id_of(&file)? != self.file {
            return Err(anyhow!("another process summed this profile meanwhile; try again"));
        }
        let mut bytes = vec![0; usize::try_from(length)?];
        file.read_exact_at(&mut bytes, offset).map_err(|error| profile::unreadable(&error))?;
        Ok(bytes)
    }

    fn open(&self) -> Result<File> {
        open::regular(&self.path).map_err(|error| profile::unreadable(&error))
    }

    /// Reads what it counted.
    ///
    /// # Errors
    /// It is damaged, or gone.
    pub fn read(&self) -> Result<ProfileFile> {
        if self.range.is_none() {
            let mut found = profile::read_raw(&self.path, self.open()?)?;
            let gone = if self.is_in_use() { 0 } else { GONE };
            found.parts.iter_mut().for_each(|part| part.flags |= gone);
            return Ok(found);
        }
        let bytes = self.bytes()?;
        let profile = Profile::decode(&bytes).map_err(|error| profile::damage(error, &bytes))?;
        Ok(ProfileFile::new(&self.path, &profile.head, profile.parts))
    }
}

/// Each of these profiles with its records, in the same order.
pub fn of_all(files: Vec<PathBuf>) -> Vec<Input> {
    files.into_par_iter().map(Input::from).collect()
}

/// The records of the profile at `path`. If that is a raw file, it is the only one, unless its
/// process wrote a record after all.
///
/// # Errors
/// There is nothing that can be read.
pub fn of(path: &Path) -> Result<Records> {
    if let Some(profile) = profile_of_raw(path) {
        let record = raw_record(path)?;
        let is_finished = in_file(&profile).is_ok_and(|found| found.has(record.run));
        let records = if is_finished { Vec::new() } else { vec![record] };
        return Ok(Records { records, problems: Vec::new() });
    }
    let raw_files = raw_files(path);
    let mut found = match in_file(path) {
        Err(_) if !path.exists() && !raw_files.is_empty() => Records::default(),
        found => found?,
    };
    let known: HashSet<RunId> = found.records.iter().map(|record| record.run).collect();
    for raw in raw_files {
        match raw_record(&raw) {
            Ok(record) if known.contains(&record.run) => {}
            Ok(record) => found.records.push(record),
            // It may have ended meanwhile.
            Err(_) if !raw.exists() => {}
            Err(error) => found.problems.push(error.context(raw.display().to_string())),
        }
    }
    Ok(found)
}

impl Records {
    fn has(&self, run: RunId) -> bool {
        self.records.iter().any(|record| record.run == run)
    }
}

/// The raw files of processes that append to the profile at `path`, by name.
pub fn raw_files(path: &Path) -> Vec<PathBuf> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let named = |path: PathBuf| path.strip_prefix("./").map(Path::to_path_buf).unwrap_or(path);
    let of_this = |raw: &PathBuf| profile_of_raw(raw).is_some_and(|profile| named(profile) == named(path.into()));
    let files = entries.map(|entry| entry.path()).filter(of_this).filter(|path| path.is_file());
    let mut files: Vec<_> = files.map(named).collect();
    files.sort();
    files
}

fn raw_record(path: &Path) -> Result<Record> {
    head_of_raw(path, &mut open::regular(path).map_err(|error| profile::unreadable(&error))?)
}

fn id_of(file: &File) -> Result<FileId> {
    let data = file.metadata().map_err(|error| profile::unreadable(&error))?;
    Ok((data.dev(), data.ino()))
}

fn head_of_raw(path: &Path, file: &mut File) -> Result<Record> {
    let header = profile::front(file)?;
    let header = raw::Header::decode(&header).map_err(profile::damage_of_raw)?;
    Ok(Record::of((path, id_of(file)?), None, &header.head))
}

fn in_file(path: &Path) -> Result<Records> {
    let mut file = open::regular(path).map_err(|error| profile::unreadable(&error))?;
    let mut start = [0; 8];
    if file.read_exact_at(&mut start, 0).is_ok() && start == raw::MAGIC {
        return Ok(Records { records: vec![head_of_raw(path, &mut file)?], problems: Vec::new() });
    }
    wait_for_writers(&file);
    let length = file.metadata().map_err(|error| profile::unreadable(&error))?.len();
    let which = (path, id_of(&file)?);
    let mut found = Records::default();
    let mut end = length;
    while end > 0 {
        let Some(record) = record_before(which, &file, end) else {
            let search = search(which, &mut file, end)?;
            found.records.extend(search.records.into_iter().rev());
            found.problems = search.problems;
            break;
        };
        end = record.range.map_or(0, |(offset, _)| offset);
        found.records.push(record);
    }
    found.records.reverse();
    match found.problems.pop() {
        Some(problem) if found.records.is_empty() => Err(problem),
        None if found.records.is_empty() => Err(profile::damage(wire::Error::Truncated, &[])),
        problem => {
            found.problems.extend(problem.map(|problem| anyhow!("{}: {problem:#}", path.display())));
            Ok(found)
        }
    }
}

/// Waits until nobody writes to a file, or it takes too long.
fn wait_for_writers(file: &File) {
    let (times, pause) = WAITS;
    for _ in 0..times {
        match file.try_lock_shared() {
            Err(fs::TryLockError::WouldBlock) => thread::sleep(pause),
            _ => return,
        }
    }
}

/// The record that ends at `end`, if the bytes there close one.
fn record_before(which: (&Path, FileId), file: &File, end: u64) -> Option<Record> {
    let mut ending = [0; ENDING];
    file.read_exact_at(&mut ending, end.checked_sub(ENDING as u64)?).ok()?;
    let length = length_before(ending);
    let offset = end.checked_sub(length).filter(|_| length > ENDING as u64)?;
    let read = |most: u64| {
        let mut bytes = vec![0; usize::try_from(length.min(most)).ok()?];
        file.read_exact_at(&mut bytes, offset).ok()?;
        Head::decode(&bytes).map(|head| Record::of(which, Some((offset, length)), &head)).ok()
    };
    read(SHORT_HEAD).or_else(|| read(LONGEST_HEAD))
}

/// The records before `end`, by looking at every byte.
fn search(which: (&Path, FileId), file: &mut File, end: u64) -> Result<Records> {
    if end > LONGEST_SEARCH {
        return Err(anyhow!("this profile is damaged; run the program again"));
    }
    let mut bytes = Vec::new();
    io::Seek::rewind(file).map_err(|error| profile::unreadable(&error))?;
    file.take(end).read_to_end(&mut bytes).map_err(|error| profile::unreadable(&error))?;
    let mut found = Records::default();
    let (mut position, mut damage) = (0, None);
    while position < bytes.len() {
        let rest = &bytes[position..];
        match Profile::decode_first(rest) {
            Ok((profile, length)) => {
                let range = (position as u64, length as u64);
                found.records.push(Record::of(which, Some(range), &profile.head));
                position += length;
            }
            Err(error) => {
                damage.get_or_insert_with(|| profile::damage(error, rest));
                let next = rest[1..].windows(MAGIC.len()).position(|window| window == MAGIC);
                position += next.map_or(rest.len(), |next| next + 1);
            }
        }
    }
    found.problems.extend(damage);
    Ok(found)
}

#[cfg(test)]
mod tests {
    use pathformat::profile::Part;
    use pathformat::raw::{PAGE, write_header};

    use super::*;

    fn record(run: u8, arguments: usize) -> Vec<u8> {
        let command_line = vec![b'x'; arguments];
        let head = Head { run: RunId([run; 16]), pid: run.into(), command_line: &command_line, ..Head::default() };
        Profile { head, parts: vec![Part::of(&head)] }.encode()
    }

    fn runs(found: &Records) -> Vec<u8> {
        found.records.iter().map(|record| record.run.0[0]).collect()
    }

    fn written(content: &[u8]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a directory");
        let path = folder.path().join("x.pathprof");
        fs::write(&path, content).expect("writable");
        (folder, path)
    }

    #[test]
    fn records_come_in_the_order_in_which_they_were_written() {
        let (_folder, path) = written(&[record(1, 0), record(2, 70_000), record(3, 5_000)].concat());
        let found = of(&path).expect("sound");
        assert_eq!((runs(&found), found.problems.len()), (vec![1, 2, 3], 0));
        for record in &found.records {
            assert_eq!(record.read().expect("sound").parts[0].runs, [record.run]);
        }
    }

    #[test]
    fn a_record_is_of_the_file_in_which_it_was_found() {
        let (folder, path) = written(&[record(1, 0), record(2, 0)].concat());
        let found = of(&path).expect("sound").records;
        fs::write(&path, [record(1, 0), record(2, 0), record(3, 0)].concat()).expect("writable");
        assert!(found.iter().all(|record| record.read().is_ok()), "it has only become longer");
        fs::write(folder.path().join("new"), [record(1, 0), record(2, 0)].concat()).expect("writable");
        fs::rename(folder.path().join("new"), &path).expect("writable");
        for record in found {
            let error = record.read().expect_err("another file").to_string();
            assert_eq!(error, "another process summed this profile meanwhile; try again");
        }
    }

    #[test]
    fn what_makes_no_sense_is_skipped_and_told() {
        let [one, two, three] = [1, 2, 3].map(|run| record(run, 0));
        let torn = |record: &[u8]| record[..record.len() - 5].to_vec();
        for (content, expected) in [
            ([one.clone(), torn(&two), three.clone()].concat(), vec![1, 3]),
            ([one.clone(), two.clone(), torn(&three)].concat(), vec![1, 2]),
            ([torn(&one), two.clone(), three.clone()].concat(), vec![2, 3]),
            ([b"nonsense".to_vec(), one.clone(), vec![0; 100]].concat(), vec![1]),
        ] {
            let (_folder, path) = written(&content);
            let found = of(&path).expect("some are sound");
            assert_eq!(runs(&found), expected);
            let [problem] = &found.problems[..] else { panic!("{found:?}") };
            assert!(problem.to_string().starts_with(&path.display().to_string()), "{problem}");
        }
        for nothing in [vec![], torn(&one), b"text".to_vec()] {
            assert!(of(&written(&nothing).1).is_err());
        }
    }

    #[test]
    fn raw_files_stand_for_processes_that_wrote_nothing() {
        let (folder, path) = written(&record(1, 0));
        for (name, run) in [(".x.pathprof.7.raw", 1), (".x.pathprof.8-2.raw", 2), (".xx.pathprof.9.raw", 3)] {
            let head = Head { run: RunId([run; 16]), ..Head::default() };
            let mut bytes = Vec::new();
            write_header(&mut bytes, &head, PAGE, None, [].into_iter());
            fs::write(folder.path().join(name), bytes).expect("writable");
        }
        assert_eq!(runs(&of(&path).expect("sound")), [1, 2]);
        assert_eq!(runs(&of(&folder.path().join(".x.pathprof.7.raw")).expect("sound")), [0; 0]);
        assert_eq!(runs(&of(&folder.path().join(".x.pathprof.8-2.raw")).expect("sound")), [2]);
        // Killed processes alone are a profile, too.
        assert_eq!(runs(&of(&folder.path().join("xx.pathprof")).expect("sound")), [3]);
        assert!(of(&folder.path().join("none.pathprof")).is_err());
    }
}
