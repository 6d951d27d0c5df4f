//! Takes standing raw files into their profile, and keeps them with it when it is replaced.
//!
//! The runtime's part is `runtime/src/standing.rs`. Whoever has the lock of a standing file may
//! count in it or remove it. Whoever has the lock of a profile may make standing files for it, say
//! to which profile they belong, or put another file in its place.
//!
//! A file is first [set aside](set_aside): its name has a number that no process takes. So none
//! counts in it again, even if only a part of what follows is done.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::mem::offset_of;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use pathformat::profile::{Front, RunId};
use pathformat::raw::{Header, PAGE};
use pathformat::standing::{Block, MOST_FILES};
use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::combine::merge;
use crate::file_names::{is_standing, standing_number, with_standing_number};
use crate::observer::Observer;
use crate::open;
use crate::record_content;
use crate::records::{self, Record};
use crate::segment_records::with_segments;

/// The number of names that are tried for a file that is set aside.
const MOST_NAMES: u32 = 10_000;

/// Appends what standing files have counted to the profile at `path`, as a record for each image,
/// and removes them, with those in which nothing has counted. Files in which a process counts stay.
/// Returns the number of files that were appended. `lock` opens and locks the profile; it is called
/// if there are such files.
///
/// # Errors
/// The profile cannot be locked, read or written. Then its standing files stay, and are read with
/// it.
pub fn take_in(
    path: &Path,
    lock: impl FnOnce(&Path) -> Result<File>,
    observer: &dyn Observer,
) -> Result<usize> {
    let owner = fs::metadata(path).ok().map(|data| data.uid());
    let files = records::raw_files(path).into_iter().filter(|raw| is_standing(raw));
    let (unused, locked): (Vec<Locked>, Vec<Locked>) =
        files.filter_map(|raw| Locked::of(&raw, owner)).partition(|raw| raw.record.is_unused());
    // Nothing is lost with a file in which no run has counted.
    unused.iter().for_each(|raw| drop(fs::remove_file(&raw.record.path)));
    if of_profile(&locked, File::open(path).ok().as_ref()).next().is_none() {
        return Ok(0);
    }
    let is_aside = |raw: &Path| standing_number(raw).is_some_and(|number| number >= MOST_FILES);
    // Of files that were set aside earlier, the profile may have the counts.
    let has_aside = locked.iter().any(|raw| is_aside(&raw.record.path));
    let written = if has_aside { runs_in(path)? } else { HashSet::new() };
    // Nobody counts in the files, so that the profile has all of their segments.
    let segments = records::segments_in(path)?;
    // As long as its lock is ours, no other file takes its place.
    let mut profile = lock(path)?;
    let length = profile.metadata()?.len();
    let directory = path.parent().unwrap_or(Path::new(""));
    let mut records = Vec::new();
    for record in of_profile(&locked, Some(&profile)) {
        let record = Record { leaves_segments: true, ..with_segments(record, &segments) };
        if written.contains(&record.run.of_child(0, 1)) {
            fs::remove_file(&record.path)?;
        } else if is_aside(&record.path) {
            records.push(record);
        } else if let Ok(aside) = set_aside(&record.path, directory) {
            records.push(Record { path: aside, ..record });
        }
    }
    if records.is_empty() {
        return Ok(0);
    }
    let files: Vec<_> = records.iter().map(|record| record.path.clone()).collect();
    let bytes = merge::sums(path, records, observer)?.concat();
    // The files must not be gone before the record is on the disk.
    if let Err(error) = profile.write_all(&bytes).and_then(|()| profile.sync_data()) {
        profile.set_len(length)?;
        return Err(error).with_context(|| format!("cannot write {}", path.display()));
    }
    files.iter().for_each(|raw| drop(fs::remove_file(raw)));
    Ok(files.len())
}

/// Returns the runs that stand in a profile itself.
fn runs_in(path: &Path) -> Result<HashSet<RunId>> {
    let mut runs = HashSet::new();
    for record in records::of(path)?.records.iter().filter(|record| record.range.is_some()) {
        runs.extend(record.read()?.parts.into_iter().flat_map(|part| part.runs));
    }
    Ok(runs)
}

/// A standing file whose lock is ours as long as this lives.
struct Locked {
    record: Record,
    _lock: File,
}

impl Locked {
    /// Locks a standing file in which nobody counts, and to which nobody else may write. It is this
    /// user's, or that of the profile's owner.
    fn of(raw: &Path, owner: Option<u32>) -> Option<Self> {
        let file = open(raw).ok()?;
        file.try_lock().ok()?;
        let data = file.metadata().ok()?;
        let is_ours =
            data.uid() == rustix::process::geteuid().as_raw() || Some(data.uid()) == owner;
        let is_private = data.mode() & 0o077 == 0;
        let is_sound = data.is_file() && data.nlink() == 1 && is_ours && is_private;
        let record = free_record(raw).filter(|_| is_sound)?;
        Some(Self { record, _lock: file })
    }
}

/// Reads the record of a file whose lock is ours.
fn free_record(raw: &Path) -> Option<Record> {
    records::of_raw(raw).ok().map(|record| Record { is_mapped: false, ..record })
}

/// Returns the records of those of these files that belong to a profile.
fn of_profile<'a>(
    locked: &'a [Locked],
    profile: Option<&File>,
) -> impl Iterator<Item = Record> + use<'a> {
    let first = profile.and_then(beginning).map(|front| front.run);
    // The profile may have been replaced since the files were locked.
    let found = locked.iter().filter_map(|raw| free_record(&raw.record.path));
    found.filter(move |record| record.is_of(first))
}

/// Moves a standing file to a name in a directory that no process takes. Returns its path.
///
/// # Errors
/// The file cannot be moved.
pub(super) fn set_aside(raw: &Path, directory: &Path) -> Result<PathBuf> {
    let problem = || format!("cannot move {}", raw.display());
    for number in MOST_FILES..MOST_FILES + MOST_NAMES {
        let name = with_standing_number(raw, number).with_context(problem)?;
        let to = directory.join(name);
        match renameat_with(CWD, raw, CWD, &to, RenameFlags::NOREPLACE) {
            Ok(()) => return Ok(to),
            Err(rustix::io::Errno::EXIST) => {}
            Err(rustix::io::Errno::XDEV) => {
                let new = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&to);
                let mut new = match new {
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                    new => new.with_context(problem)?,
                };
                let copied = File::open(raw).and_then(|mut old| io::copy(&mut old, &mut new));
                return copied.map(|_| to).with_context(problem);
            }
            Err(error) => return Err(error).with_context(problem),
        }
    }
    bail!("{}: all names are taken", problem());
}

/// Keeps the standing files of a profile with it when its content is replaced by another one. The
/// profile is locked.
pub(super) fn follow(path: &Path, profile: &File, content: &[u8]) -> Result<()> {
    let after = content.first_chunk().and_then(Front::of);
    let (Some(before), Some(after)) = (beginning(profile), after) else { return Ok(()) };
    for raw in records::raw_files(path).into_iter().filter(|raw| is_standing(raw)) {
        // What is not a file of ours, or was removed meanwhile, does not follow.
        let Ok(mut file) = open(&raw) else { continue };
        let Some((offset, block)) = block(&mut file) else { continue };
        let Some(known) = block.anchors.iter().position(|anchor| *anchor == before.run.0) else {
            continue;
        };
        let place = offset + (offset_of!(Block, anchors) + (1 - known) * 16) as u64;
        file.write_all_at(&after.run.0, place)
            .with_context(|| format!("cannot write {}", raw.display()))?;
    }
    Ok(())
}

/// Makes a standing file belong to any profile beside it.
pub(super) fn release(raw: &Path) -> Result<()> {
    let problem = || format!("cannot write {}", raw.display());
    let mut file = open(raw).with_context(problem)?;
    if let Some((offset, _)) = block(&mut file) {
        let none = [RunId::NONE.0; 2];
        let place = offset + offset_of!(Block, anchors) as u64;
        file.write_all_at(none.as_flattened(), place).with_context(problem)?;
    }
    Ok(())
}

/// Returns the beginning of a profile, as the runtime reads it; `None` if it is empty.
fn beginning(profile: &File) -> Option<Front> {
    let mut bytes = [0; Front::LENGTH];
    profile.read_exact_at(&mut bytes, 0).ok()?;
    Front::of(&bytes)
}

fn open(raw: &Path) -> io::Result<File> {
    open::to_change(raw, OpenOptions::new().write(true))
}

/// Returns the block of a standing file, and its offset.
fn block(file: &mut File) -> Option<(u64, Box<Block>)> {
    let bytes = record_content::front(file).ok()?;
    let header = Header::decode(&bytes).ok()?;
    Some((header.size - PAGE, header.standing?))
}
