//! Appends records to profiles as the runtime does: under the lock of the file.
//!
//! The rules are those of `runtime/src/append.rs`: both files must implement the same.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::path::Path;

use anyhow::{Context, Result, bail};
use pathformat::profile::{MAGIC, RunId};

use crate::combine::standing;
use crate::open;
use crate::output;
use crate::records;
use crate::records::Input;

/// Opens the profile at `path` and takes its lock, so that no other process writes to it. If there
/// is no profile, it is created.
///
/// # Errors
/// The file is not a profile, or cannot be written.
pub fn lock(path: &Path) -> Result<File> {
    lock_with(path, |file| file.lock())
}

/// Does the same as [`lock`], but does not wait for the lock.
///
/// # Errors
/// As for [`lock`], and another process has the lock.
pub fn try_lock(path: &Path) -> Result<File> {
    lock_with(path, |file| file.try_lock().map_err(io::Error::from))
}

fn lock_with(path: &Path, lock: impl Fn(&File) -> io::Result<()>) -> Result<File> {
    let problem = || format!("cannot write {}", path.display());
    loop {
        let mut options = OpenOptions::new();
        let mut file =
            open::to_change(path, options.append(true).create(true)).with_context(problem)?;
        let data = file.metadata().with_context(problem)?;
        if !data.is_file() {
            bail!("{}: it is not a regular file", problem());
        }
        lock(&file).with_context(problem)?;
        // A process that sums the records of a file puts another file in its place.
        let there = fs::symlink_metadata(path);
        if !there.is_ok_and(|there| output::is_one_file(&there, &data)) {
            continue;
        }
        let mut start = Vec::new();
        file.rewind().with_context(problem)?;
        (&file).take(MAGIC.len() as u64).read_to_end(&mut start).with_context(problem)?;
        if !start.is_empty() && start != MAGIC {
            bail!("{}: there is a file of that name that is no profile", problem());
        }
        return Ok(file);
    }
}

/// Appends the records of the profile `from` to the profile of the same name in the directory `to`.
/// Returns these records at their new place. A raw file that is still in use is moved.
///
/// # Errors
/// The file in `to` is not a profile, or cannot be written.
pub fn bring(from: &Path, to: &Path) -> Result<Input> {
    let target = to.join(from.file_name().context("a profile has no name")?);
    standing::take_in(from, lock, &())?;
    let found = records::of(from)?;
    let (raw, written): (Vec<_>, Vec<_>) =
        found.records.iter().partition(|record| record.range.is_none());
    let has_segments = raw.iter().any(|record| !record.segments.is_empty());
    let is_empty = written.is_empty() && !has_segments;
    let mut bytes = if is_empty { Vec::new() } else { fs::read(from)? };
    for record in raw {
        if record.is_in_use() {
            if record.standing.is_some() {
                standing::release(&standing::set_aside(&record.path, to)?)?;
                continue;
            }
            let name = record.path.file_name().context("a raw file has no name")?;
            let moved = to.join(name);
            fs::rename(&record.path, &moved)
                .or_else(|_| fs::copy(&record.path, &moved).map(drop))?;
        } else {
            bytes.extend(record.bytes().with_context(|| record.path.display().to_string())?);
        }
    }
    if !bytes.is_empty() {
        let problem = || format!("cannot write {} in the current directory", target.display());
        lock(&target)?.write_all(&bytes).with_context(problem)?;
    }
    let brought: HashSet<RunId> = found.records.iter().map(|record| record.run).collect();
    let mut there = records::of(&target)?;
    there.records.retain(|record| brought.contains(&record.run));
    Ok(Input { path: target, found: Ok(there) })
}

#[cfg(test)]
mod tests {
    use pathformat::profile::{Head, Part, Profile};
    use pathformat::raw::{PAGE, write_header};

    use super::*;

    fn head(run: u8) -> Head<'static> {
        Head { run: RunId([run; 16]), pid: 4_000_000_000, ..Head::default() }
    }

    #[test]
    fn records_are_brought_to_others() {
        let folder = tempfile::tempdir().expect("a directory");
        let [from, to] = ["from", "to"].map(|name| folder.path().join(name));
        fs::create_dir(&from).expect("writable");
        fs::create_dir(&to).expect("writable");
        let record = |run| Profile { head: head(run), parts: vec![Part::of(&head(run))] }.encode();
        fs::write(from.join("x.pathprof"), record(1)).expect("writable");
        fs::write(to.join("x.pathprof"), record(2)).expect("writable");
        let host = rustix::system::uname().nodename().to_bytes().to_vec();
        let mut raw = Vec::new();
        write_header(&mut raw, &Head { host: &host, ..head(3) }, PAGE, None, [].into_iter());
        raw.resize(PAGE as usize, 0);
        fs::write(from.join(".x.pathprof.4000000000.raw"), raw).expect("writable");
        let brought = bring(&from.join("x.pathprof"), &to).expect("writable");
        assert_eq!(brought.path, to.join("x.pathprof"));
        let runs: Vec<_> = brought.records().iter().map(|record| record.run).collect();
        assert_eq!(runs, [RunId([1; 16]), RunId([3; 16])]);
        let there = records::of(&brought.path).expect("sound").records;
        assert_eq!(there.iter().map(|record| record.run.0[0]).collect::<Vec<_>>(), [2, 1, 3]);
        assert!(!there[2].complete);
        fs::write(to.join("x.pathprof"), "text").expect("writable");
        assert!(bring(&from.join("x.pathprof"), &to).is_err());
    }
}
