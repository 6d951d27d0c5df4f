//! Makes a profile smaller: sums the records of older starts, and takes in the raw files of
//! processes that are gone.
//!
//! The records of the last starts stay as they are, so that each can still be shown. Records that
//! processes append in the meantime stay, too. A file with unreadable parts is not changed.
//!
//! Other processes may append to the file while it is read and summed. Its lock is taken only to
//! replace it, which is quick (`Compaction::replace`).

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::combine::{merge, standing, store};
use crate::observer::Observer;
use crate::open;
use crate::output;
use crate::records::{self, Record};
use crate::starts::starts;

/// The result of compacting a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compacted {
    /// The file of the profile.
    pub path: PathBuf,
    /// The number of records and raw files before, and the number of records now.
    pub records: (usize, usize),
    /// The length in bytes, before and now, without raw files.
    pub bytes: (u64, u64),
}

/// Sums the records of the profile at `path`, except those of the last `keep` starts.
///
/// # Errors
/// The profile has unreadable parts, or cannot be written.
pub fn compact(path: &Path, keep: usize, observer: &dyn Observer) -> Result<Compacted> {
    standing::take_in(path, store::lock, observer)?;
    Compaction::of(path, keep, Reason::Asked, observer)?.replace(store::lock(path)?)
}

/// Sums the records of the profile at `path`, except those of the last start, if the profile is
/// longer than `limit`. Raw files are left alone: a process in another container, which is not
/// visible here, may be counting in one. If that process is killed, only the raw file is left of
/// it.
///
/// Does nothing and returns `None` unless the records that can be summed, and are not sums
/// themselves, make up more than a quarter of the limit. So a profile whose sums are longer than
/// the limit is not summed again for each start.
///
/// Also returns `None` if the file cannot be written, if another process has its lock, or if it has
/// unreadable parts.
pub fn if_long(path: &Path, limit: u64, observer: &dyn Observer) -> Option<Compacted> {
    if fs::metadata(path).ok()?.len() <= limit || store::try_lock(path).is_err() {
        return None;
    }
    let compaction = Compaction::of(path, 1, Reason::Long(limit), observer).ok()?;
    compaction.replace(store::try_lock(path).ok()?).ok()
}

/// The reason for summing a profile.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reason {
    /// The user requested it.
    Asked,
    /// The profile is longer than this limit.
    Long(u64),
}

/// The planned new content of a profile.
struct Compaction {
    path: PathBuf,
    /// The file as it was read; `None` if there was none. As long as it is open, no other file has
    /// its inode.
    file: Option<File>,
    /// The length of the part of the file that was read.
    length: u64,
    /// The raw files whose records are among the new ones.
    raw_files: Vec<PathBuf>,
    /// The numbers of records before and after.
    records: (usize, usize),
    /// The sums and the records that stay. `replace` adds the bytes that were appended meanwhile.
    content: Vec<u8>,
}

impl Compaction {
    /// Reads and sums the records.
    fn of(path: &Path, keep: usize, reason: Reason, observer: &dyn Observer) -> Result<Self> {
        let file = open::regular(path).ok();
        let found = records::of(path).with_context(|| path.display().to_string())?;
        if let Some(problem) = found.problems.first() {
            bail!("{problem:#}; nothing was changed");
        }
        let length = found.records.iter().map(Record::end).max().unwrap_or(0);
        // Raw files in use stay where they are.
        let is_taken = |record: &Record| {
            let is_own = record.standing.is_none();
            record.range.is_some() || is_own && reason == Reason::Asked && !record.is_in_use()
        };
        let (records, left): (Vec<Record>, Vec<Record>) =
            found.records.into_iter().partition(is_taken);
        let starts = starts(&records);
        let (kept, old) = starts.split_at(keep.min(starts.len()));
        let (mut kept, mut old) = (kept.concat(), old.concat());
        // A single record is its own sum.
        if old.len() == 1 {
            kept.append(&mut old);
        }
        kept.sort_unstable();
        let gain = gain(old.iter().map(|&at| &records[at]));
        if matches!(reason, Reason::Long(limit) if gain <= limit / 4) {
            bail!("{}: it would hardly become shorter; nothing was changed", path.display());
        }
        let old = old.iter().map(|&at| records[at].clone()).collect();
        let mut new = merge::sums(path, old, observer).context("nothing was changed")?;
        for record in kept.into_iter().map(|at| &records[at]) {
            new.push(record.all_bytes().with_context(|| record.path.display().to_string())?);
        }
        // What is counted in a raw file goes on behind its segments.
        for record in left.iter().filter(|record| !record.segments.is_empty()) {
            new.push(record.bytes_of_segments()?);
        }
        let raw_files = records
            .iter()
            .filter(|record| record.range.is_none())
            .map(|record| record.path.clone());
        Ok(Self {
            path: path.to_path_buf(),
            file,
            length,
            raw_files: raw_files.collect(),
            records: (records.len(), new.len()),
            content: new.concat(),
        })
    }

    /// Replaces the file, which is `locked`, by the new content.
    fn replace(mut self, mut locked: File) -> Result<Compacted> {
        let data = locked.metadata()?;
        if !self.is_of(&locked)? {
            bail!(
                "{}: another process replaced it meanwhile; nothing was changed",
                self.path.display()
            );
        }
        if data.len() < self.length {
            bail!("{}: it became shorter meanwhile; nothing was changed", self.path.display());
        }
        locked.seek(SeekFrom::Start(self.length))?;
        locked.read_to_end(&mut self.content)?;
        standing::follow(&self.path, &locked, &self.content)?;
        output::replace(&self.path, &data, |out| Ok(out.write_all(&self.content)?))?;
        // The runs of the raw files are in the profile now. If this fails, they are not read twice.
        self.raw_files.iter().for_each(|path| drop(fs::remove_file(path)));
        let bytes = (data.len(), self.content.len() as u64);
        Ok(Compacted { path: self.path, records: self.records, bytes })
    }

    /// Returns true if this file is the one that was read. If there was none, it must be empty:
    /// another process may have taken in the raw files.
    fn is_of(&self, file: &File) -> Result<bool> {
        let data = file.metadata()?;
        Ok(match &self.file {
            Some(read) => output::is_one_file(&read.metadata()?, &data),
            None => data.len() == 0,
        })
    }
}

/// Returns the bytes of records that sums would take the place of. The longest sum of each image is
/// hardly shorter in another one.
fn gain<'a>(records: impl Iterator<Item = &'a Record>) -> u64 {
    let mut sums: HashMap<(&'a [u8], &'a Path), u64> = HashMap::new();
    let mut all = 0;
    for record in records {
        let length = record.length();
        all += length;
        if record.merged {
            let longest = sums.entry((&record.build_id, &record.image)).or_default();
            *longest = length.max(*longest);
        }
    }
    all - sums.values().sum::<u64>()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    use pathformat::profile::{Head, Part, Profile, RunId};

    use super::*;

    fn record(run: u8) -> Vec<u8> {
        let head =
            Head { run: RunId([run; 16]), pid: run.into(), start: run.into(), ..Head::default() };
        Profile { head, parts: vec![Part::of(&head)] }.encode()
    }

    /// Writes a profile of these runs, each a start of its own.
    fn written(runs: &[u8]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a directory");
        let path = folder.path().join("x.pathprof");
        fs::write(&path, runs.iter().map(|&run| record(run)).collect::<Vec<_>>().concat())
            .expect("writable");
        (folder, path)
    }

    /// Returns the runs of a profile.
    fn runs(path: &Path) -> Vec<u8> {
        let found = records::of(path).expect("sound").records;
        let files = found.iter().map(|record| record.read().expect("sound"));
        let mut runs: Vec<_> = files
            .flat_map(|file| file.parts)
            .flat_map(|part| part.runs)
            .map(|run| run.0[0])
            .collect();
        runs.sort_unstable();
        runs
    }

    #[test]
    fn what_is_appended_meanwhile_stays() {
        let (_folder, path) = written(&[1, 2, 3]);
        let compaction = Compaction::of(&path, 1, Reason::Asked, &()).expect("sound");
        fs::write(&path, [1, 2, 3, 4].map(record).concat()).expect("writable");
        let done = compaction.replace(store::lock(&path).expect("ours")).expect("writable");
        assert_eq!((done.records, runs(&path)), ((3, 2), vec![1, 2, 3, 4]));
    }

    #[test]
    fn of_two_that_sum_one_file_the_second_changes_nothing() {
        let (folder, path) = written(&[1, 2, 3]);
        let [one, other] =
            [1, 0].map(|keep| Compaction::of(&path, keep, Reason::Asked, &()).expect("sound"));
        one.replace(store::lock(&path).expect("ours")).expect("writable");
        // It is longer than before, so the length alone does not reveal the change.
        let mut longer = fs::read(&path).expect("it is there");
        (4..9).for_each(|run| longer.extend(record(run)));
        fs::write(&path, &longer).expect("writable");
        let refusal =
            other.replace(store::lock(&path).expect("ours")).expect_err("another file").to_string();
        assert!(
            refusal.ends_with("another process replaced it meanwhile; nothing was changed"),
            "{refusal}"
        );
        assert_eq!(fs::read(&path).expect("it is there"), longer);
        assert_eq!(runs(&path), [1, 2, 3, 4, 5, 6, 7, 8]);
        // The same applies if there were only raw files, and another process has taken them in.
        let none = Compaction {
            path: path.clone(),
            file: None,
            length: 0,
            raw_files: Vec::new(),
            records: (1, 1),
            content: record(1),
        };
        assert!(none.replace(store::lock(&path).expect("ours")).is_err());
        assert_eq!(fs::read(&path).expect("it is there"), longer);
        assert_eq!(
            fs::read_dir(folder.path()).expect("readable").count(),
            1,
            "nothing is left over"
        );
    }

    #[test]
    fn a_long_profile_is_summed_if_that_is_worth_it() {
        let (folder, path) = written(&[1, 2, 3, 4]);
        let length = fs::metadata(&path).expect("it is there").len();
        assert_eq!(if_long(&path, length, &()), None, "it is not too long");
        let held = fs::File::open(&path).expect("it is there");
        held.lock_shared().expect("nobody else has it");
        assert_eq!(if_long(&path, 1, &()), None, "somebody else is at it");
        held.unlock().expect("ours");
        // A raw file of a process that is gone, as far as can be determined.
        let raw = folder.path().join(".x.pathprof.4000000000.raw");
        let host = rustix::system::uname().nodename().to_bytes().to_vec();
        let head = Head { run: RunId([9; 16]), pid: 4_000_000_000, host: &host, ..Head::default() };
        let mut bytes = Vec::new();
        pathformat::raw::write_header(
            &mut bytes,
            &head,
            pathformat::raw::PAGE,
            None,
            [].into_iter(),
        );
        bytes.resize(pathformat::raw::PAGE as usize, 0);
        fs::write(&raw, bytes).expect("writable");
        let done = if_long(&path, 1, &()).expect("it is too long");
        assert_eq!((done.records, done.bytes.0), ((4, 2), length));
        assert_eq!(runs(&path), [1, 2, 3, 4, 9]);
        assert!(raw.is_file());
        // Records that are sums already are not summed again.
        let sums = fs::read(&path).expect("it is there");
        assert_eq!(if_long(&path, 1, &()), None);
        let more = [sums.clone(), record(5)].concat();
        fs::write(&path, &more).expect("writable");
        let mine = record(4).len() as u64;
        assert_eq!(if_long(&path, mine * 4, &()), None);
        assert_eq!(fs::read(&path).expect("it is there"), more);
        assert_eq!(
            if_long(&path, mine * 4 - 4, &()).map(|done| done.records),
            (more.len() as u64 > mine * 4 - 4).then_some((3, 2))
        );
        assert_eq!(runs(&path), [1, 2, 3, 4, 5, 9]);
        // A file with unreadable parts is not changed.
        let torn = [more.as_slice(), &record(6)[..30]].concat();
        fs::write(&path, &torn).expect("writable");
        assert_eq!(if_long(&path, 1, &()), None);
        assert_eq!(fs::read(&path).expect("it is there"), torn);
        assert_eq!(if_long(&folder.path().join("none"), 1, &()), None);
    }

    #[test]
    fn mode_and_owner_stay() {
        let (_folder, path) = written(&[1, 2, 3]);
        // Only root may change the owner of a file.
        let given = std::os::unix::fs::chown(&path, Some(12345), Some(23456)).is_ok();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("ours");
        let before = fs::metadata(&path).expect("it is there");
        compact(&path, 1, &()).expect("writable");
        let after = fs::metadata(&path).expect("it is there");
        assert_ne!(after.ino(), before.ino());
        assert_eq!(after.mode() & 0o7777, 0o640);
        assert_eq!((after.uid(), after.gid()), (before.uid(), before.gid()), "given away: {given}");
    }
}
