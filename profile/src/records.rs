//! Finds the records of a profile: those in its file, and the raw files beside it.
//!
//! A raw file stands for a process that has not written its record.

use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use pathformat::profile::RunId;
use rayon::prelude::*;

use crate::file_names::{is_standing, profile_of_raw};
pub use crate::record::Record;
use crate::record_content::RecordContent;
pub use crate::record_search::Records;
use crate::record_search::{in_file, raw_record};
use crate::segment_records::{attach, with_segments};

/// The number of times that a profile is read again because a process wrote to it.
const MOST_TIMES: u32 = 100;

/// A profile, and the records of it to read.
#[derive(Debug)]
pub struct Input {
    /// The file of the profile.
    pub path: PathBuf,
    /// Its records or some of them, or the reason why none can be read.
    pub found: Result<Records>,
}

impl From<PathBuf> for Input {
    /// Finds all records of a profile.
    fn from(path: PathBuf) -> Self {
        Self { found: of(&path), path }
    }
}

impl Input {
    /// Returns the records to read.
    pub fn records(&self) -> &[Record] {
        self.found.as_ref().map_or(&[], |found| &found.records)
    }
}

/// Keeps the wanted records of the inputs. Inputs without any are left out.
pub fn only(mut inputs: Vec<Input>, mut is_wanted: impl FnMut(&Record) -> bool) -> Vec<Input> {
    for found in inputs.iter_mut().filter_map(|input| input.found.as_mut().ok()) {
        found.records.retain(&mut is_wanted);
    }
    inputs.retain(|input| !input.records().is_empty());
    inputs
}

/// Returns each of these profiles with its records, in the same order.
pub fn of_all(files: Vec<PathBuf>) -> Vec<Input> {
    files.into_par_iter().map(Input::from).collect()
}

/// Returns the records of the profile at `path`. If `path` is a raw file, returns its record only;
/// none if its process has written a record to the profile, or if nothing has counted in it.
///
/// # Errors
/// The file cannot be read, or has no record.
pub fn of(path: &Path) -> Result<Records> {
    if let Some(profile) = profile_of_raw(path) {
        let record = raw_record(path)?;
        let found = in_file(&profile).unwrap_or_default();
        let is_finished = record.is_unused() || has(&found, record.run);
        let records =
            if is_finished { Vec::new() } else { vec![with_segments(record, &found.records)] };
        return Ok(Records { records, problems: Vec::new() });
    }
    // A process may have written its record since the profile was read.
    for _ in 0..MOST_TIMES {
        let (found, is_quiet) = read_once(path)?;
        if is_quiet {
            return Ok(found);
        }
    }
    bail!("its processes end faster than it can be read; try again")
}

/// Does the same once. The second value is false if a raw file was removed meanwhile, or if
/// standing files may have been taken in and made anew.
fn read_once(path: &Path) -> Result<(Records, bool)> {
    let raw_files = raw_files(path);
    let state = || fs::metadata(path).map(|data| (data.ino(), data.len())).ok();
    let before = state();
    let mut is_quiet = true;
    let mut found = match in_file(path) {
        Err(_) if !path.exists() && !raw_files.is_empty() => Records::default(),
        found => found?,
    };
    let mut is_other = false;
    let known: HashSet<RunId> = whole(&found).map(|record| record.run).collect();
    let first = first_run(&found);
    for raw in &raw_files {
        match raw_record(raw) {
            Ok(record) if known.contains(&record.run) => {}
            // It belongs to a profile that was removed.
            Ok(record) if !record.is_of(first) => is_other = true,
            Ok(record) => found.records.push(record),
            Err(_) if !raw.exists() => is_quiet = false,
            Err(error) => found.problems.push(error.context(raw.display().to_string())),
        }
    }
    if is_other && found.records.is_empty() && found.problems.is_empty() {
        found = in_file(path)?;
    }
    // A process may have begun since its raw file was looked for, and appended segments.
    let has_segments = found.records.iter().any(|record| record.is_segment);
    let is_complete = !has_segments || raw_files.iter().eq(&self::raw_files(path));
    attach(&mut found.records);
    let has_standing = raw_files.iter().any(|raw| is_standing(raw));
    Ok((found, is_quiet && is_complete && (!has_standing || before == state())))
}

/// Reads the counts of a record. If it was that of a raw file whose process has ended since, or
/// that was taken into its profile, reads what is there now.
///
/// # Errors
/// It is damaged, or gone.
pub(crate) fn read(record: &Record) -> Result<RecordContent> {
    let content = read_with_segments(record);
    // Another standing file may have the name by now.
    let is_other = |content: &RecordContent| content.run.id != record.run;
    let is_gone = match &content {
        Ok(content) => record.standing.is_some() && is_other(content),
        Err(_) => record.range.is_none() && !record.path.exists(),
    };
    if !is_gone {
        return content;
    }
    let content = content.and_then(|_| bail!("it was taken into its profile meanwhile; try again"));
    let Ok(mut found) = in_file(&record.profile()) else { return content };
    attach(&mut found.records);
    let own = if record.standing.is_some() { record.run.of_child(0, 1) } else { record.run };
    let mut later = found.records.iter().rev().filter(|later| later.merged || later.run == own);
    let has_own = |found: &RecordContent| found.parts.iter().any(|part| part.runs.contains(&own));
    later.find_map(|later| later.read().ok().filter(has_own)).map_or(content, Ok)
}

/// Reads a record. If it is of a raw file whose process has appended segments since the profile was
/// read, reads both again.
fn read_with_segments(record: &Record) -> Result<RecordContent> {
    if record.range.is_some() || record.standing.is_some() {
        return record.read();
    }
    let mut record = record.clone();
    for _ in 0..MOST_TIMES {
        let content = record.read()?;
        let now = raw_record(&record.path).map_or(0, |now| now.expected_segments);
        if now <= record.segments.len() as u64 {
            return Ok(content);
        }
        let Ok(found) = in_file(&record.profile()) else { return Ok(content) };
        let before = record.segments.len();
        record = with_segments(Record { segments: Vec::new(), ..record }, &found.records);
        // The profile was removed or replaced.
        if record.segments.len() <= before {
            return record.read();
        }
    }
    record.read()
}

/// Returns a record of a raw file with its segments, which are in the profile.
pub fn with_own_segments(record: Record) -> Record {
    let found = in_file(&record.profile()).unwrap_or_default();
    with_segments(record, &found.records)
}

/// Returns the records of segments in the profile at `path`; none if there is no profile.
///
/// # Errors
/// It cannot be read.
pub(crate) fn segments_in(path: &Path) -> Result<Vec<Record>> {
    let is_empty = fs::metadata(path).map_or(true, |data| data.len() == 0);
    let found = if is_empty { Records::default() } else { in_file(path)? };
    Ok(found.records.into_iter().filter(|record| record.is_segment).collect())
}

/// Returns the records of whole runs.
fn whole(found: &Records) -> impl Iterator<Item = &Record> {
    found.records.iter().filter(|record| !record.is_segment)
}

/// Returns the record of the process of a raw file, whether or not it has written one.
///
/// # Errors
/// The file is damaged or cannot be read.
pub fn of_raw(path: &Path) -> Result<Record> {
    raw_record(path)
}

/// Returns the raw files of processes that append to the profile at `path`, by name.
pub fn raw_files(path: &Path) -> Vec<PathBuf> {
    let directory =
        path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let named = |path: PathBuf| path.strip_prefix("./").map(Path::to_path_buf).unwrap_or(path);
    let of_this = |raw: &PathBuf| {
        profile_of_raw(raw).is_some_and(|profile| named(profile) == named(path.into()))
    };
    let files = entries.map(|entry| entry.path()).filter(of_this).filter(|path| path.is_file());
    let mut files: Vec<_> = files.map(named).collect();
    files.sort();
    files
}

/// Returns the run with which a profile begins.
fn first_run(found: &Records) -> Option<RunId> {
    let first = found.records.first()?;
    matches!(first.range, Some((0, _))).then_some(first.run)
}

fn has(found: &Records, run: RunId) -> bool {
    whole(found).any(|record| record.run == run)
}

#[cfg(test)]
mod tests {
    use pathformat::profile::{Head, Part, Profile};
    use pathformat::raw::{PAGE, write_header};

    use super::*;

    fn record(run: u8, arguments: usize) -> Vec<u8> {
        let command_line = vec![b'x'; arguments];
        let head = Head {
            run: RunId([run; 16]),
            pid: run.into(),
            command_line: &command_line,
            ..Head::default()
        };
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
        let (_folder, path) =
            written(&[record(1, 0), record(2, 70_000), record(3, 5_000)].concat());
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
        fs::write(folder.path().join("new"), [record(1, 0), record(2, 0)].concat())
            .expect("writable");
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
        for (name, run) in
            [(".x.pathprof.7.raw", 1), (".x.pathprof.8-2.raw", 2), (".xx.pathprof.9.raw", 3)]
        {
            let head = Head { run: RunId([run; 16]), ..Head::default() };
            let mut bytes = Vec::new();
            write_header(&mut bytes, &head, PAGE, None, [].into_iter());
            bytes.resize(PAGE as usize, 0);
            fs::write(folder.path().join(name), bytes).expect("writable");
        }
        assert_eq!(runs(&of(&path).expect("sound")), [1, 2]);
        assert_eq!(runs(&of(&folder.path().join(".x.pathprof.7.raw")).expect("sound")), [0; 0]);
        assert_eq!(runs(&of(&folder.path().join(".x.pathprof.8-2.raw")).expect("sound")), [2]);
        // Raw files of killed processes alone are a profile, too.
        assert_eq!(runs(&of(&folder.path().join("xx.pathprof")).expect("sound")), [3]);
        assert!(of(&folder.path().join("none.pathprof")).is_err());
    }
}
