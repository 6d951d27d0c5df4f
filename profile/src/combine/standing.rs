//! Takes standing raw files into their profile, and keeps them with it when it is replaced.
//!
//! The runtime's part is `runtime/src/standing.rs`. Whoever has the lock of a standing file may
//! change it or remove it; whoever has the lock of a profile may make standing files for it, or put
//! another file in its place.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::mem::offset_of;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use pathformat::profile::{Front, RunId};
use pathformat::raw::{Header, PAGE};
use pathformat::standing::Block;
use rustix::fs::OFlags;

use crate::combine::merge;
use crate::file_names::is_standing;
use crate::observer::Observer;
use crate::record_content;
use crate::records::{self, Input, Record, Records};
use crate::unique_runs::Options;

/// Appends what standing files have counted to the profile at `path`, as a record for each image,
/// and removes them. Files in which a process counts stay. Returns the number of files. `lock`
/// opens and locks the profile; it is called if there are such files.
///
/// # Errors
/// The profile cannot be locked, read or written. Then its standing files stay, and are read with
/// it.
pub fn take_in(
    path: &Path,
    lock: impl FnOnce(&Path) -> Result<File>,
    observer: &dyn Observer,
) -> Result<usize> {
    let files = records::raw_files(path).into_iter().filter(|raw| is_standing(raw));
    let locked: Vec<(PathBuf, File)> =
        files.filter_map(|raw| lock_free(&raw).map(|file| (raw, file))).collect();
    if of_profile(&locked, File::open(path).ok().as_ref()).next().is_none() {
        return Ok(0);
    }
    // As long as its lock is ours, no other file takes its place.
    let mut profile = lock(path)?;
    let length = profile.metadata()?.len();
    let records: Vec<_> = of_profile(&locked, Some(&profile)).collect();
    let files: Vec<_> = records.iter().map(|record| record.path.clone()).collect();
    let input = Input { path: path.into(), found: Ok(Records { records, problems: Vec::new() }) };
    let (images, notices) =
        merge::read(&[input], &Options::default(), merge::MergeOptions::default(), observer);
    if let Some(problem) = notices.problems.into_iter().next() {
        return Err(problem);
    }
    let bytes: Vec<u8> = images.records().flatten().collect();
    if let Err(error) = profile.write_all(&bytes) {
        profile.set_len(length)?;
        return Err(error).with_context(|| format!("cannot write {}", path.display()));
    }
    files.iter().for_each(|raw| drop(fs::remove_file(raw)));
    Ok(files.len())
}

/// Returns the records of those of these files that belong to a profile.
fn of_profile<'a>(
    locked: &'a [(PathBuf, File)],
    profile: Option<&File>,
) -> impl Iterator<Item = Record> + use<'a> {
    let first = profile.and_then(front).map(|front| front.run);
    // The lock is ours.
    let free = |record: Record| Record { is_mapped: false, ..record };
    let found = locked.iter().filter_map(|(raw, _)| records::of_raw(raw).ok()).map(free);
    found.filter(move |record| record.is_of(first))
}

/// Keeps the standing files of a profile with it when its content is replaced by another one. The
/// profile is locked.
pub(super) fn follow(path: &Path, profile: &File, content: &[u8]) -> Result<()> {
    let after = content.first_chunk().and_then(Front::of);
    let (Some(before), Some(after)) = (front(profile), after) else { return Ok(()) };
    for raw in records::raw_files(path).into_iter().filter(|raw| is_standing(raw)) {
        let mut file = open(&raw)?;
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
    let mut file = open(raw)?;
    if let Some((offset, _)) = block(&mut file) {
        let none = [RunId::NONE.0; 2];
        let place = offset + offset_of!(Block, anchors) as u64;
        file.write_all_at(none.as_flattened(), place)
            .with_context(|| format!("cannot write {}", raw.display()))?;
    }
    Ok(())
}

/// Returns the front of a profile, as the runtime reads it; `None` if it is empty.
fn front(profile: &File) -> Option<Front> {
    let mut bytes = [0; Front::LENGTH];
    profile.read_exact_at(&mut bytes, 0).ok()?;
    Front::of(&bytes)
}

fn open(raw: &Path) -> Result<File> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let mut options = OpenOptions::new();
    let opened = options.read(true).write(true).custom_flags(flags).open(raw);
    opened.with_context(|| format!("cannot write {}", raw.display()))
}

/// Locks a standing file in which nobody counts.
fn lock_free(raw: &Path) -> Option<File> {
    let file = open(raw).ok()?;
    file.try_lock().ok()?;
    let data = file.metadata().ok()?;
    (data.is_file() && data.nlink() == 1).then_some(file)
}

/// Returns the block of a standing file, and its offset.
fn block(file: &mut File) -> Option<(u64, Box<Block>)> {
    let bytes = record_content::front(file).ok()?;
    let header = Header::decode(&bytes).ok()?;
    Some((header.size - PAGE, header.standing?))
}
