//! Takes what a process counted between two readings of its counters.
//!
//! Counters grow while their process runs. So the difference of two readings, counter by counter,
//! is what was counted in between. A frame that was in flight at the first reading ends a path that
//! it did not begin in that time, as a forked child ends what its parent began
//! (`counts/src/entries.rs`). Counts that are computed from others may be off at either end, so
//! that the difference has the marks of both readings.
//!
//! What a run counted is compared label by label, since a count may be in a segment by now
//! (`segments.rs`).

use std::collections::{HashMap, HashSet};

use anyhow::{Result, bail};
use pathformat::profile::{GONE, INCOMPLETE, Module, Part, RunId};

use crate::modules::{by_module, change_by};
use crate::record_content::RecordContent;
use crate::records::Input;
use crate::segments::{by_label, count};

/// The part of a run that has one label.
type LabelOfRun = ([u8; 12], Vec<u8>);

fn label_of(run: &RunId, part: &Part) -> LabelOfRun {
    (run.family(), part.label.clone())
}

/// Earlier readings of processes.
#[derive(Debug, Default)]
pub struct EarlierReadings {
    readings: Vec<RecordContent>,
    /// The latest reading of each run under each label, and the part of it that has it.
    of_run: HashMap<LabelOfRun, (usize, usize)>,
}

impl EarlierReadings {
    /// Reads them. Of several readings of a run, the latest is kept.
    ///
    /// # Errors
    /// An input or a record of it cannot be read.
    pub fn read(inputs: Vec<Input>) -> Result<Self> {
        let mut earlier = Self::default();
        for input in inputs {
            let found = input.found.map_err(|why| why.context(input.path.display().to_string()))?;
            if let Some(problem) = found.problems.into_iter().next() {
                return Err(problem);
            }
            for record in found.records {
                earlier.add(record.read()?);
            }
        }
        Ok(earlier)
    }

    fn add(&mut self, mut reading: RecordContent) {
        let place = self.readings.len();
        reading.parts = by_label(reading.parts);
        for (at, part) in reading.parts.iter().enumerate() {
            for run in &part.runs {
                let known = self.of_run.entry(label_of(run, part)).or_insert((place, at));
                if self.readings.get(known.0).is_some_and(|of| of.run.stop <= reading.run.stop) {
                    *known = (place, at);
                }
            }
        }
        self.readings.push(reading);
    }

    /// Returns what the processes of a record counted since their earlier readings, and true if
    /// there is such a reading. What was not read before is all that it has counted.
    ///
    /// # Errors
    /// The readings are of sums of different runs.
    pub(crate) fn since(&self, later: RecordContent) -> Result<(RecordContent, bool)> {
        let (mut parts, mut start) = (Vec::new(), None);
        let known = |part: &Part| -> Vec<(RunId, (usize, usize))> {
            let place = |run: &RunId| Some((*run, *self.of_run.get(&label_of(run, part))?));
            part.runs.iter().filter_map(place).collect()
        };
        if !later.parts.iter().any(|part| !known(part).is_empty()) {
            return Ok((later, false));
        }
        for part in &by_label(later.parts.clone()) {
            let places = known(part);
            let Some(&(_, (reading, at))) = places.first() else {
                parts.push(part.clone());
                continue;
            };
            let (earlier, time) = (&self.readings[reading], self.readings[reading].run.stop);
            let before = &earlier.parts[at];
            // Of a standing file a later reading has more runs.
            let has_all = count(places.iter().map(|(run, _)| run)) == count(&before.runs);
            if !has_all || places.iter().any(|&(_, place)| place != (reading, at)) {
                bail!(
                    "its runs are summed with others, there or in what --since names, and a sum \
                     cannot be taken apart"
                );
            }
            parts.push(part_between(part, before, time));
            start = Some(start.map_or(time, |start: u64| start.min(time)));
        }
        let Some(start) = start else { return Ok((later, false)) };
        Ok((taken_from(&later, parts, start), true))
    }
}

/// Returns what a process counted between two readings of it. It is a run of its own, which begins
/// with the earlier reading and will not be completed.
pub fn between(later: &RecordContent, earlier: &RecordContent) -> RecordContent {
    let time = earlier.run.stop;
    let earlier = by_label(earlier.parts.clone());
    let part = |part: Part| {
        let runs: HashSet<_> = part.runs.iter().map(RunId::family).collect();
        let is_among = |before: &&Part| {
            before.label == part.label && before.runs.iter().all(|run| runs.contains(&run.family()))
        };
        match earlier.iter().find(is_among) {
            Some(before) => part_between(&part, before, time),
            None => part,
        }
    };
    taken_from(later, by_label(later.parts.clone()).into_iter().map(part).collect(), time)
}

/// Returns the record with these parts of it, which begin at this time.
fn taken_from(later: &RecordContent, parts: Vec<Part>, start: u64) -> RecordContent {
    let mut between = later.with_parts(parts);
    between.run.id = later.run.id.of_child(0, start);
    between.run.start = start;
    between
}

/// Returns what the runs of a part counted since a reading that ended at this time.
fn part_between(later: &Part, earlier: &Part, time: u64) -> Part {
    let mut runs: Vec<_> = later.runs.iter().map(|run| run.of_child(0, time)).collect();
    runs.sort_unstable();
    let flags = later.flags | earlier.flags & INCOMPLETE;
    Part {
        runs,
        flags: flags | if flags & INCOMPLETE == 0 { 0 } else { GONE },
        label: later.label.clone(),
        map: later.map.clone(),
        modules: modules_between(later, earlier),
    }
}

/// Returns the modules of `later` with what was counted since `earlier`.
fn modules_between(later: &Part, earlier: &Part) -> Vec<Module> {
    let mut modules = by_module(later);
    change_by(&mut modules, &by_module(earlier), |counts, before| {
        *counts = difference(counts, before);
    });
    modules
}

/// Returns how much higher the counters are than before, both in ascending order of index. A
/// counter that was read while it was ahead of its path may be lower: it has counted nothing then.
fn difference(later: &[(u64, u64)], earlier: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let mut earlier = earlier.iter().peekable();
    let since = |&(index, count): &(u64, u64)| {
        while earlier.next_if(|&&(before, _)| before < index).is_some() {}
        let before = earlier.next_if(|&&(before, _)| before == index).map_or(0, |&(_, of)| of);
        Some((index, count.saturating_sub(before))).filter(|&(_, count)| count != 0)
    };
    later.iter().filter_map(since).collect()
}

#[cfg(test)]
mod tests {
    use pathformat::ModuleId;

    use super::*;
    use crate::run::Run;

    const RUN: RunId = RunId([7; 16]);

    fn reading(stop: u64, modules: &[(u8, &[(u64, u64)])]) -> RecordContent {
        let module = |&(id, counts): &(u8, &[(u64, u64)])| Module {
            id: ModuleId([id; 16]),
            counters: 10,
            counts: counts.to_vec(),
        };
        let run = Run { id: RUN, pid: 42, start: 1, stop, ..Run::default() };
        let part = Part {
            runs: vec![run.id],
            flags: INCOMPLETE,
            modules: modules.iter().map(module).collect(),
            ..Part::default()
        };
        let mut reading =
            RecordContent { run, build_id: Vec::new(), image: "/bin/x".into(), parts: vec![part] };
        reading.publish_flags();
        reading
    }

    fn counts(of: &RecordContent) -> Vec<(u8, Vec<(u64, u64)>)> {
        let modules = of.parts.iter().flat_map(|part| &part.modules);
        modules.map(|module| (module.id.0[0], module.counts.clone())).collect()
    }

    fn known(readings: Vec<RecordContent>) -> EarlierReadings {
        let mut earlier = EarlierReadings::default();
        readings.into_iter().for_each(|reading| earlier.add(reading));
        earlier
    }

    #[test]
    fn what_was_counted_before_is_left_out() {
        let earlier = reading(5, &[(1, &[(0, 4), (3, 1)])]);
        let later = reading(9, &[(1, &[(0, 6), (2, 8), (3, 1)]), (2, &[(5, 1)])]);
        let found = between(&later, &earlier);
        assert_eq!(counts(&found), [(1, vec![(0, 2), (2, 8)]), (2, vec![(5, 1)])]);
        assert_eq!((found.run.start, found.run.stop), (5, 9));
        assert_ne!(found.run.id, later.run.id);
        assert_eq!(found.parts[0].runs, [found.run.id]);
        assert!(found.run.incomplete && !found.parts[0].may_end());
    }

    #[test]
    fn a_counter_that_was_ahead_has_counted_nothing() {
        assert_eq!(
            difference(&[(1, 4), (2, 9), (7, 1)], &[(0, 1), (1, 5), (2, 5)]),
            [(2, 4), (7, 1)]
        );
    }

    #[test]
    fn keys_stay_those_of_the_later_reading() {
        let keys = ModuleId([1; 16]).keys();
        let with_keys = |stop, key, count| {
            let mut reading = reading(stop, &[(9, &[(0, key)]), (1, &[(0, count)])]);
            reading.parts[0].modules[0].id = keys;
            reading
        };
        let found = between(&with_keys(9, 0x1000, 7), &with_keys(5, 0x1000, 3));
        let modules = &found.parts[0].modules;
        assert_eq!(modules[0].counts, [(0, 0x1000)]);
        assert_eq!(modules[1].counts, [(0, 4)]);
    }

    #[test]
    fn the_end_of_a_run_keeps_the_marks_of_its_earlier_reading() {
        let mut end = reading(9, &[(1, &[(0, 6)])]);
        end.parts[0].flags = 0;
        let found = between(&end, &reading(5, &[(1, &[(0, 2)])]));
        assert_eq!(found.parts[0].flags, INCOMPLETE | GONE);
    }

    #[test]
    fn the_latest_reading_of_a_run_is_the_one_that_counts() {
        let later = || reading(9, &[(1, &[(0, 6)])]);
        let since = |readings| {
            let (found, is_known) = known(readings).since(later()).expect("no sums");
            (counts(&found), is_known)
        };
        let before = |stop, count| reading(stop, &[(1, &[(0, count)])]);
        assert_eq!(since(vec![]), (vec![(1, vec![(0, 6)])], false));
        assert_eq!(since(vec![before(5, 2)]), (vec![(1, vec![(0, 4)])], true));
        assert_eq!(since(vec![before(7, 5), before(5, 2)]), (vec![(1, vec![(0, 1)])], true));
        assert_eq!(since(vec![before(5, 2), before(7, 5)]), (vec![(1, vec![(0, 1)])], true));
    }

    #[test]
    fn sums_of_other_runs_are_refused() {
        let mut sum = reading(5, &[(1, &[(0, 2)])]);
        sum.parts[0].runs.push(RunId([8; 16]));
        let refused = known(vec![sum]).since(reading(9, &[(1, &[(0, 6)])]));
        assert!(refused.is_err_and(|why| why.to_string().contains("cannot be taken apart")));
    }
}
