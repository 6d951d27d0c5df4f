//! Tells what processes count from one reading of their counters to the next.
//!
//! Each reading is compared with the one before, counter by counter ([`between`]), and the
//! differences are decoded as any profile is. So each count is in one interval, and in one alone.
//! Images are read once, however often their processes are.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Error, Result};
use counts::decode::decode;
use counts::matching::{ImagePlaces, WatchedImages};
use counts::model::Report;
use counts::placed::placed;
use pathformat::profile::RunId;
use profile::combine::between::between;
use profile::file_names::is_standing;
use profile::record_content::RecordContent;
use profile::records::{self, Record};
use profile::starts;
use rayon::prelude::*;

/// What processes have counted so far.
pub struct Watch<'a> {
    images: WatchedImages<'a>,
    /// The profiles of the processes that were read.
    profiles: BTreeSet<PathBuf>,
    /// The last reading; `None` before the first.
    before: Option<Reading>,
}

/// A reading of all processes.
struct Reading {
    /// The time by the clock that never goes back.
    at: Instant,
    /// The same time, in nanoseconds since 1970.
    time: u64,
    /// The last reading of each run.
    runs: HashMap<RunId, RecordContent>,
}

/// What was counted between two readings.
#[derive(Debug)]
pub struct Interval {
    /// The counts. It has the functions of the units in which something was counted.
    pub report: Report,
    /// The processes that could not be read, and why.
    pub problems: Vec<Error>,
    /// The number of processes that were found.
    pub processes: usize,
    /// How long it was.
    pub length: Duration,
    /// When it ended.
    pub end: SystemTime,
}

impl<'a> Watch<'a> {
    /// Creates a watch whose images are in these places.
    pub fn new(places: &'a ImagePlaces) -> Self {
        Self { images: WatchedImages::new(places), profiles: BTreeSet::new(), before: None }
    }

    /// Returns the standing files beside those of these processes. One of them may take such a file
    /// later, or may have come and gone since the last reading.
    fn beside(&self, records: &[Record]) -> Vec<Record> {
        let files = self.profiles.iter().flat_map(|profile| records::raw_files(profile));
        let is_new =
            |raw: &PathBuf| is_standing(raw) && records.iter().all(|record| record.path != *raw);
        files.filter(is_new).filter_map(|raw| records::of_raw(&raw).ok()).collect()
    }

    /// Reads the counters of processes, and returns what they counted since the last reading. A
    /// process that began since then has counted all that it has. The first reading has nothing to
    /// be compared with: its report is empty.
    pub fn read(&mut self, records: &[Record]) -> Interval {
        self.profiles.extend(records.iter().map(Record::profile));
        let beside = self.beside(records);
        let all: Vec<&Record> = records.iter().chain(&beside).collect();
        // All counts of a process are compared with all of them, whatever their labels.
        let unlabelled = |record: &Record| {
            let mut content = record.read()?;
            content.parts.iter_mut().for_each(|part| part.label.clear());
            Ok(content)
        };
        let read: Vec<(_, Result<_>)> =
            all.into_par_iter().map(|record| (record, unlabelled(record))).collect();
        let (now, end) = (Instant::now(), SystemTime::now());
        let (mut problems, mut readings) = (Vec::new(), HashMap::new());
        for (record, content) in read {
            match content {
                Ok(content) => _ = readings.insert(content.run.id, content),
                // The process has ended meanwhile.
                Err(_) if !record.path.exists() => {}
                Err(error) => problems.push(error.context(record.path.display().to_string())),
            }
        }
        let (mut known, mut counted, mut length) = (HashMap::new(), Vec::new(), Duration::ZERO);
        if let Some(before) = self.before.take() {
            counted.extend(readings.iter().filter_map(|(run, content)| {
                match before.runs.get(run) {
                    Some(earlier) => Some(between(content, earlier)),
                    // What others counted in a standing file earlier is not of this interval.
                    None if is_standing(&content.run.profile)
                        && content.run.start < before.time =>
                    {
                        None
                    }
                    None => Some(content.with_parts(content.parts.clone())),
                }
            }));
            (known, length) = (before.runs, now - before.at);
        }
        // What could not be read this time is compared the next time.
        let stays = |content: &RecordContent| {
            let process = format!("/proc/{}", content.run.pid);
            let standing = is_standing(&content.run.profile) && content.run.profile.exists();
            standing || Path::new(&process).exists()
        };
        known.retain(|_, content| stays(content));
        known.extend(readings);
        let time = end.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let time = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.before = Some(Reading { at: now, time, runs: known });

        let (images, unmatched) = self.images.sum(counted);
        let (mut report, damage) = decode(images, &());
        // That it still runs is no fault of a count.
        report.runs.iter_mut().for_each(|run| run.incomplete = false);
        Interval {
            report: placed(report),
            problems: problems.into_iter().chain(unmatched).chain(damage).collect(),
            processes: starts::processes(records),
            length,
            end,
        }
    }
}
