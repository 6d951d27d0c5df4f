//! Finds the records in one file: a profile or a raw file.
//!
//! A profile is read backwards. Each record ends with its length, so that only heads are read,
//! however long the records are. Bytes that belong to no record, which a full disk may leave, stop
//! this. Then the part before them is searched for records, byte by byte.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::thread;
use std::time::Duration;

use anyhow::{Error, Result, anyhow, bail};
use pathformat::profile::{ENDING, Head, MAGIC, Profile, first_label, length_before};
use pathformat::{raw, trace, wire};

use crate::image::FileId;
use crate::open;
use crate::record::{Record, id_of};
use crate::record_content;

/// Most heads are not longer.
const SHORT_HEAD: u64 = 1 << 12;

/// The maximum length of a head: it has 64 KiB of arguments.
const LONGEST_HEAD: u64 = 1 << 17;

/// The maximum length of a file that is searched from its start if its end is invalid.
const LONGEST_SEARCH: u64 = 1 << 32;

/// The number and the duration of waits for the lock of a file that a process writes to.
const WAITS: (u32, Duration) = (100, Duration::from_millis(10));

/// The records of a file.
#[derive(Debug, Default)]
pub struct Records {
    /// The records in the order in which they were written, raw files last.
    pub records: Vec<Record>,
    /// The parts that could not be read.
    pub problems: Vec<Error>,
}

/// Returns the record of the process of a raw file.
///
/// # Errors
/// The file is damaged or cannot be read.
pub(crate) fn raw_record(path: &Path) -> Result<Record> {
    head_of_raw(path, &mut open::regular(path).map_err(|error| record_content::unreadable(&error))?)
}

fn head_of_raw(path: &Path, file: &mut File) -> Result<Record> {
    let header = record_content::front(file)?;
    let header = raw::Header::decode(&header).map_err(record_content::damage_of_raw)?;
    let label = header.label.text().to_vec();
    let expected_segments = header.label.number();
    let own = Record::of((path, id_of(file)?), None, &header.facts());
    let record = Record { label, expected_segments, ..own };
    if header.standing.is_none() {
        return Ok(record);
    }
    // A process that looks for a free file meanwhile takes the next one.
    let is_mapped = matches!(file.try_lock_shared(), Err(fs::TryLockError::WouldBlock));
    Ok(Record { is_mapped, standing: header.standing, ..record })
}

/// Returns the records in the file at `path`.
///
/// # Errors
/// The file cannot be read, or has no record.
pub(crate) fn in_file(path: &Path) -> Result<Records> {
    let mut file = open::regular(path).map_err(|error| record_content::unreadable(&error))?;
    let mut start = [0; 8];
    if file.read_exact_at(&mut start, 0).is_ok() {
        match start {
            raw::MAGIC => {
                let records = vec![head_of_raw(path, &mut file)?];
                return Ok(Records { records, problems: Vec::new() });
            }
            trace::MAGIC => bail!(
                "this is a trace, not a profile; `pathprof trace info {}` says what is in it",
                path.display()
            ),
            _ => {}
        }
    }
    wait_for_writers(&file);
    of_profile(path, &mut file, 0)
}

/// Returns the records from an offset on, where one begins, in an open profile of which nobody else
/// has the lock.
///
/// # Errors
/// It cannot be read, or has no record.
pub(crate) fn of_profile(path: &Path, file: &mut File, from: u64) -> Result<Records> {
    let length = file.metadata().map_err(|error| record_content::unreadable(&error))?.len();
    let which = (path, id_of(file)?);
    let mut found = Records::default();
    let mut end = length;
    while end > from {
        let Some(record) = record_before(which, file, end) else {
            let search = search(which, file, end)?;
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
        None if found.records.is_empty() && from == 0 => {
            Err(record_content::damage(wire::Error::Truncated, &[]))
        }
        problem => {
            found
                .problems
                .extend(problem.map(|problem| anyhow!("{}: {problem:#}", path.display())));
            Ok(found)
        }
    }
}

/// Waits until no process writes to a file, up to a limit of time.
fn wait_for_writers(file: &File) {
    let (times, pause) = WAITS;
    for _ in 0..times {
        match file.try_lock_shared() {
            Err(fs::TryLockError::WouldBlock) => thread::sleep(pause),
            _ => return,
        }
    }
}

/// Returns the record that ends at `end`, if there is one.
fn record_before(which: (&Path, FileId), file: &File, end: u64) -> Option<Record> {
    let mut ending = [0; ENDING];
    file.read_exact_at(&mut ending, end.checked_sub(ENDING as u64)?).ok()?;
    let length = length_before(ending);
    let offset = end.checked_sub(length).filter(|_| length > ENDING as u64)?;
    let read = |most: u64| {
        let mut bytes = vec![0; usize::try_from(length.min(most)).ok()?];
        file.read_exact_at(&mut bytes, offset).ok()?;
        let head = Head::decode(&bytes).ok()?;
        let label = first_label(&bytes).to_vec();
        Some(Record { label, ..Record::of(which, Some((offset, length)), &head) })
    };
    read(SHORT_HEAD).or_else(|| read(LONGEST_HEAD))
}

/// Searches the bytes before `end` for records.
fn search(which: (&Path, FileId), file: &mut File, end: u64) -> Result<Records> {
    if end > LONGEST_SEARCH {
        return Err(anyhow!("this profile is damaged; run the program again"));
    }
    let mut bytes = Vec::new();
    io::Seek::rewind(file).map_err(|error| record_content::unreadable(&error))?;
    file.take(end).read_to_end(&mut bytes).map_err(|error| record_content::unreadable(&error))?;
    let mut found = Records::default();
    let (mut position, mut damage) = (0, None);
    while position < bytes.len() {
        let rest = &bytes[position..];
        match Profile::decode_first(rest) {
            Ok((profile, length)) => {
                let range = (position as u64, length as u64);
                let label = first_label(rest).to_vec();
                found
                    .records
                    .push(Record { label, ..Record::of(which, Some(range), &profile.head) });
                position += length;
            }
            Err(error) => {
                damage.get_or_insert_with(|| record_content::damage(error, rest));
                let next = rest[1..].windows(MAGIC.len()).position(|window| window == MAGIC);
                position += next.map_or(rest.len(), |next| next + 1);
            }
        }
    }
    found.problems.extend(damage);
    Ok(found)
}
