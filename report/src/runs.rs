//! Reads profiles one after the other, and each run but once.
//!
//! A profile may be named twice, have a copy beside it, or be part of a merged one: runs are told apart by their identities, and one that
//! was taken already is left out of what comes later. Of a run that was read while it was still counting and again
//! when it had ended, the latter is taken: files that hold the counts of unfinished runs wait until all others were read.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use anyhow::{Error, Result, anyhow};
use owo_colors::OwoColorize;
use pathformat::profile::RunId;
use rayon::prelude::*;

use crate::profile::{self, ProfileFile};
use crate::progress::Progress;
use crate::style::plural;

/// How many profiles are in memory at a time.
const BATCH: usize = 64;

/// What becomes of a run that is met again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Doubles {
    /// It is left out, with a warning.
    #[default]
    Skip,
    /// It counts as often as it is there.
    Allow,
}

/// Takes profiles.
pub trait Taker {
    /// Takes the profile that stands at this place among all. One that is refused must leave nothing behind.
    ///
    /// # Errors
    /// Why it cannot be used.
    fn take(&mut self, place: usize, file: ProfileFile) -> Result<()>;

    /// Whether a profile that was refused may be taken now, for what was learned of its image since.
    fn takes_now(&self, _build_id: &[u8]) -> bool {
        false
    }
}

/// What was noticed while profiles were read.
#[derive(Debug, Default)]
pub struct Notices {
    /// Profiles that could not be used.
    pub problems: Vec<Error>,
    /// What does no harm.
    pub warning: Option<String>,
}

impl Notices {
    /// Tells what does no harm.
    pub fn warn(&self) {
        if let Some(warning) = &self.warning {
            anstream::eprintln!("{} {warning}", "warning:".yellow().bold());
        }
    }
}

/// Reads `profiles` and gives them to `taker`, without the runs that it has already.
pub fn each(profiles: &[PathBuf], doubles: Doubles, taker: &mut impl Taker) -> Notices {
    let mut reading = Reading { profiles, doubles, ..Reading::default() };
    let progress = Progress::new("reading profiles", profiles.len());
    let all: Vec<usize> = (0..profiles.len()).collect();
    let unfinished = reading.pass(&all, false, taker, &progress);
    reading.pass(&unfinished, true, taker, &progress);
    let refused = std::mem::take(&mut reading.refused);
    let (again, lost): (Vec<_>, Vec<_>) = refused.into_iter().partition(|refused| taker.takes_now(&refused.build_id));
    reading.refused = lost;
    again.into_iter().for_each(|refused| reading.try_again(refused, taker));
    reading.notices()
}

#[derive(Default)]
struct Reading<'a> {
    profiles: &'a [PathBuf],
    doubles: Doubles,
    taken: HashSet<RunId>,
    /// How many runs were left out, and the first file in which one was.
    left_out: usize,
    first: Option<&'a Path>,
    refused: Vec<Refused>,
}

/// A profile that could not be used.
struct Refused {
    place: usize,
    build_id: Vec<u8>,
    why: Error,
}

impl Reading<'_> {
    /// Reads the profiles at these places. Gives those that wait: the ones that do not tell all of a run, unless `last`.
    fn pass(&mut self, places: &[usize], last: bool, taker: &mut impl Taker, progress: &Progress) -> Vec<usize> {
        let mut waiting = Vec::new();
        for batch in places.chunks(BATCH) {
            let read = |&place: &usize| (place, profile::read(&self.profiles[place]));
            let files: Vec<_> = batch.par_iter().map(read).collect();
            for (place, file) in files {
                match file {
                    Ok(Some(file)) if !last && !file.is_complete() => {
                        waiting.push(place);
                        continue;
                    }
                    Ok(Some(file)) => self.offer(place, file, taker),
                    // A raw file beside its finished profile was left by a process that was killed just then.
                    Ok(None) => {}
                    Err(why) => self.refused.push(Refused { place, build_id: Vec::new(), why }),
                }
                progress.step();
            }
        }
        waiting
    }

    /// Reads a profile once more that was refused.
    fn try_again(&mut self, refused: Refused, taker: &mut impl Taker) {
        let file = profile::read(&self.profiles[refused.place]).ok().flatten();
        match file.filter(|file| file.parts.iter().any(|part| !self.taken.contains(&part.run))) {
            Some(file) => self.offer(refused.place, file, taker),
            None => self.refused.push(refused),
        }
    }

    fn offer(&mut self, place: usize, mut file: ProfileFile, taker: &mut impl Taker) {
        let before = file.parts.len();
        let mut own = HashSet::new();
        if self.doubles == Doubles::Skip {
            file.parts.retain(|part| !self.taken.contains(&part.run) && own.insert(part.run));
        }
        let doubles = before - file.parts.len();
        if doubles > 0 {
            file.tell_flags();
        }
        let build_id = file.build_id.clone();
        let taken = if file.parts.is_empty() { Ok(()) } else { taker.take(place, file) };
        match taken {
            Ok(()) => {
                self.taken.extend(own);
                self.left_out += doubles;
                if doubles > 0 {
                    self.first.get_or_insert(&self.profiles[place]);
                }
            }
            Err(why) => self.refused.push(Refused { place, build_id, why }),
        }
    }

    fn notices(mut self) -> Notices {
        self.refused.sort_by_key(|refused| refused.place);
        let mut problems = Problems::default();
        self.refused.iter().for_each(|refused| problems.add(&self.profiles[refused.place], &refused.why));
        let warning = self.first.map(|first| {
            let others = if self.left_out > 1 { ", the first one" } else { "" };
            format!(
                "{} given more than once and counted once{others} in {}; --allow-duplicates counts each time",
                match self.left_out {
                    1 => "1 run is".into(),
                    more => format!("{} are", plural(more, "run")),
                },
                first.display()
            )
        });
        Notices { problems: problems.finish(), warning }
    }
}

/// Problems by reason: a thousand profiles of one missing image are one problem.
#[derive(Default)]
struct Problems<'a> {
    order: Vec<(&'a Path, String, usize)>,
    index: HashMap<String, usize>,
}

impl<'a> Problems<'a> {
    fn add(&mut self, profile: &'a Path, error: &Error) {
        let reason = format!("{error:#}");
        match self.index.get(&reason) {
            Some(&at) => self.order[at].2 += 1,
            None => {
                self.index.insert(reason.clone(), self.order.len());
                self.order.push((profile, reason, 0));
            }
        }
    }

    fn finish(self) -> Vec<Error> {
        let text = |(profile, reason, more): (&Path, String, usize)| match more {
            0 => anyhow!("{}: {reason}", profile.display()),
            more => anyhow!("{} (and {more} more): {reason}", profile.display()),
        };
        self.order.into_iter().map(text).collect()
    }
}
