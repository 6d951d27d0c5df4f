//! Reads records, and takes each run once.
//!
//! A run may be in several files: a profile is named twice, has a copy, or is part of a merged one.
//! Each run has an identity. A run that was taken is left out of all later records, so the order
//! matters:
//!
//! 1. Merged records and standing files come first, those of most runs before others, since a sum
//!    cannot be taken apart. A standing file has the runs of its earlier readings and later ones.
//! 2. Records of runs that have ended follow.
//! 3. Records and parts of runs that had not ended when they were read come last, the latest
//!    reading of a run before earlier ones. If the end of such a run is there as well, it has been
//!    taken before.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use anyhow::{Error, Result, anyhow};
use pathformat::profile::{Part, RunId};
use rayon::prelude::*;

use crate::observer::{Observer, Work};
use crate::record_content::RecordContent;
use crate::records::{self, Input, Record};
use crate::segments;

/// The number of records in memory at a time.
const BATCH: usize = 64;

/// The treatment of a run that is read again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Duplicates {
    /// The run is left out, with a warning.
    #[default]
    Skip,
    /// The run counts each time.
    Allow,
}

/// The treatment of what one run counted under several labels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Labels {
    /// It is summed.
    #[default]
    Together,
    /// It stays in parts.
    Apart,
}

/// The options of reading.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The treatment of a run that is read again.
    pub duplicates: Duplicates,
    /// The label to which reading is restricted.
    pub label: Option<String>,
    /// The treatment of labels.
    pub labels: Labels,
}

/// A consumer of records.
pub trait Taker {
    /// Takes the record at this place among all records. If it fails, it must have no effect.
    ///
    /// # Errors
    /// The record cannot be used.
    fn take(&mut self, place: usize, file: RecordContent) -> Result<()>;

    /// Returns true if a refused record may be taken now, because more is known of its image.
    fn takes_now(&self, _build_id: &[u8]) -> bool {
        false
    }

    /// Returns true if a refused record is of another build of the image at this path, and records
    /// of one build were taken.
    fn is_outdated(&self, _image: &Path, _build_id: &[u8]) -> bool {
        false
    }
}

/// The problems and warnings of reading records.
#[derive(Debug, Default)]
pub struct Notices {
    /// The records and files that could not be used.
    pub problems: Vec<Error>,
    /// Harmless facts.
    pub warnings: Vec<Warning>,
}

/// A harmless fact that readers of the counts may need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Warning {
    /// Runs were given more than once and counted once.
    Duplicates {
        /// The number of runs.
        runs: usize,
        /// The first file that repeats one of them.
        first: PathBuf,
    },
    /// Runs of other builds of the program were left out.
    Outdated {
        /// The number of runs.
        runs: usize,
        /// A file that holds one of them.
        first: PathBuf,
    },
}

/// Reads the records of `inputs` and gives them to `taker`, without the runs that it has already.
/// Reports each record that was read to `observer`.
pub fn each(
    inputs: &[Input],
    options: &Options,
    observer: &dyn Observer,
    taker: &mut impl Taker,
) -> Notices {
    let mut reading = Reading::new(options);
    let mut records = Vec::new();
    for input in inputs {
        match &input.found {
            Ok(found) => {
                reading
                    .problems
                    .extend(found.problems.iter().map(|problem| anyhow!("{problem:#}")));
                records.extend(&found.records);
            }
            Err(why) => reading.refuse(records.len(), &input.path, None, why),
        }
    }
    observer.begin(Work::Reading, records.len());
    reading.read(&records, taker, observer);
    let refused = std::mem::take(&mut reading.refused);
    let (again, lost): (Vec<_>, Vec<_>) = refused
        .into_iter()
        .partition(|refused| refused.of.as_ref().is_some_and(|(_, id)| taker.takes_now(id)));
    reading.refused = lost;
    again.into_iter().for_each(|refused| reading.try_again(refused, &records, taker));
    observer.end();
    reading.notices(taker)
}

struct Reading<'a> {
    options: &'a Options,
    taken: HashSet<RunId>,
    /// The number of runs that were left out, and the first file with one of them.
    left_out: usize,
    first: Option<PathBuf>,
    refused: Vec<Refused>,
    /// Damage in files that hold other records.
    problems: Vec<Error>,
}

/// A record that could not be used, or a file without any.
struct Refused {
    /// The place among all records. A file without any has the place of the next record.
    place: usize,
    path: PathBuf,
    /// The image of the record and its build-id, if it could be read.
    of: Option<(PathBuf, Vec<u8>)>,
    /// The reason in words.
    why: String,
}

impl<'a> Reading<'a> {
    fn new(options: &'a Options) -> Self {
        let (taken, refused, problems) = (HashSet::new(), Vec::new(), Vec::new());
        Self { options, taken, left_out: 0, first: None, refused, problems }
    }

    fn refuse(&mut self, place: usize, path: &Path, of: Option<(PathBuf, Vec<u8>)>, why: &Error) {
        self.refused.push(Refused { place, path: path.to_path_buf(), of, why: format!("{why:#}") });
    }

    fn read(&mut self, records: &[&Record], taker: &mut impl Taker, observer: &dyn Observer) {
        let places = |wanted: &dyn Fn(&Record) -> bool| -> Vec<usize> {
            (0..records.len()).filter(|&place| wanted(records[place])).collect()
        };
        let mut merged: Vec<(usize, RecordContent)> = Vec::new();
        let sums = places(&Record::is_sum);
        self.pass(&sums, records, observer, |_, place, file| merged.push((place, file)));
        let runs =
            |file: &RecordContent| file.parts.iter().map(|part| part.runs.len()).sum::<usize>();
        let is_standing = |place: usize| records[place].standing.is_some();
        merged.sort_by_key(|(place, file)| (Reverse(runs(file)), !is_standing(*place), *place));
        let mut unfinished = Vec::new();
        for (place, mut file) in merged {
            let may_end = |part: &Part| part.may_end() && !is_standing(place);
            let (waiting, ended): (Vec<Part>, Vec<Part>) =
                std::mem::take(&mut file.parts).into_iter().partition(may_end);
            if !waiting.is_empty() {
                unfinished.push((place, file.with_parts(waiting)));
            }
            if !ended.is_empty() {
                self.offer(place, file.with_parts(ended), taker);
            }
        }
        let ended = places(&|record| !record.is_sum() && record.complete);
        self.pass(&ended, records, observer, |reading, place, file| {
            reading.offer(place, file, taker)
        });
        let mut waiting = places(&|record| !record.is_sum() && !record.complete);
        // A raw file has the last counts of its run, and so has a record that was made of one.
        let is_snapshot = |record: &Record| record.range.is_some() && !record.is_gone;
        waiting.sort_by_key(|&place| {
            (is_snapshot(records[place]), Reverse(records[place].time.1), place)
        });
        unfinished
            .sort_by_key(|(place, file): &(usize, RecordContent)| (Reverse(file.run.stop), *place));
        self.pass(&waiting, records, observer, |reading, place, file| {
            reading.offer(place, file, taker)
        });
        unfinished.into_iter().for_each(|(place, file)| self.offer(place, file, taker));
    }

    /// Reads the records at these places, several at a time, and passes them to `take` one by one.
    fn pass(
        &mut self,
        places: &[usize],
        records: &[&Record],
        observer: &dyn Observer,
        mut take: impl FnMut(&mut Self, usize, RecordContent),
    ) {
        for batch in places.chunks(BATCH) {
            let files: Vec<_> =
                batch.par_iter().map(|&place| (place, records::read(records[place]))).collect();
            for (place, file) in files {
                match file {
                    Ok(file) => take(self, place, file),
                    Err(why) => self.refuse(place, &records[place].path, None, &why),
                }
                observer.step();
            }
        }
    }

    /// Reads a refused record once more.
    fn try_again(&mut self, refused: Refused, records: &[&Record], taker: &mut impl Taker) {
        let is_new = |part: &Part| part.runs.iter().any(|run| !self.taken.contains(run));
        let again = records::read(records[refused.place]).ok();
        match again.filter(|file| file.parts.iter().any(is_new)) {
            Some(file) => self.offer(refused.place, file, taker),
            None => self.refused.push(refused),
        }
    }

    fn offer(&mut self, place: usize, mut file: RecordContent, taker: &mut impl Taker) {
        let (mut own, mut left_out, mut shared) = (HashSet::<RunId>::new(), Vec::new(), 0);
        if self.options.duplicates == Duplicates::Skip {
            file.parts.retain(|part| {
                let known = part
                    .runs
                    .iter()
                    .filter(|run| self.taken.contains(run) || own.contains(*run))
                    .count();
                match known {
                    0 => own.extend(&part.runs),
                    all if all == part.runs.len() => {
                        left_out.extend(&part.runs);
                        return false;
                    }
                    some => shared += some,
                }
                true
            });
        }
        let duplicates = segments::count(&left_out);
        // Not before: what has another label by now must not be taken from an earlier reading.
        if let Some(label) = &self.options.label {
            file.parts.retain(|part| part.label == label.as_bytes());
            file.publish_flags();
        }
        if self.options.labels == Labels::Together {
            file.parts = segments::together(file.parts);
        }
        if duplicates > 0 {
            file.publish_flags();
        }
        let (path, of) =
            (file.run.profile.clone(), Some((file.image.clone(), file.build_id.clone())));
        let taken = match shared {
            0 if file.parts.is_empty() => Ok(()),
            0 => taker.take(place, file),
            _ => Err(anyhow!(
                "it holds the sum of several runs, {shared} of which {} read already, and a sum \
                 cannot be taken apart; give one or the other, or count each time with \
                 --allow-duplicates",
                if shared == 1 { "was" } else { "were" }
            )),
        };
        match taken {
            Ok(()) => {
                self.taken.extend(own);
                self.left_out += duplicates;
                if duplicates > 0 {
                    self.first.get_or_insert(path);
                }
            }
            Err(why) => self.refuse(place, &path, of, &why),
        }
    }

    fn notices(mut self, taker: &impl Taker) -> Notices {
        self.refused.sort_by_key(|refused| refused.place);
        let mut problems = Problems::default();
        let (mut outdated, mut outdated_in) = (0, None);
        for refused in &self.refused {
            let is_outdated = |(image, id): &(PathBuf, Vec<u8>)| taker.is_outdated(image, id);
            if refused.of.as_ref().is_some_and(is_outdated) {
                outdated += 1;
                outdated_in.get_or_insert(&refused.path);
            } else {
                problems.add(&refused.path, &refused.why);
            }
        }
        let duplicates = self.first.map(|first| Warning::Duplicates { runs: self.left_out, first });
        let outdated =
            outdated_in.map(|first| Warning::Outdated { runs: outdated, first: first.clone() });
        let warnings = duplicates.into_iter().chain(outdated).collect();
        let mut all = self.problems;
        all.extend(problems.finish());
        Notices { problems: all, warnings }
    }
}

/// Problems by reason: a thousand profiles of one missing image are one problem.
#[derive(Default)]
struct Problems<'a> {
    order: Vec<(&'a Path, &'a str, usize)>,
    index: HashMap<&'a str, usize>,
}

impl<'a> Problems<'a> {
    fn add(&mut self, profile: &'a Path, reason: &'a str) {
        match self.index.get(reason) {
            Some(&at) => self.order[at].2 += 1,
            None => {
                self.index.insert(reason, self.order.len());
                self.order.push((profile, reason, 0));
            }
        }
    }

    fn finish(self) -> Vec<Error> {
        let text = |(profile, reason, more): (&Path, &str, usize)| match more {
            0 => anyhow!("{}: {reason}", profile.display()),
            more => anyhow!("{} (and {more} more): {reason}", profile.display()),
        };
        self.order.into_iter().map(text).collect()
    }
}
