//! Finds the records of segments that belong to a run.

use std::collections::HashMap;

use pathformat::profile::RunId;

use crate::record::Record;

/// The records of segments, by run.
#[derive(Default)]
struct ByRun {
    /// The runs, in the order of their first segments.
    order: Vec<RunId>,
    segments: HashMap<RunId, Vec<Record>>,
}

impl ByRun {
    fn of(segments: impl Iterator<Item = Record>) -> Self {
        let mut all = Self::default();
        for segment in segments {
            let known = all.segments.entry(segment.run).or_default();
            if known.is_empty() {
                all.order.push(segment.run);
            }
            known.push(segment);
        }
        all
    }

    /// Gives a record the segments of its runs.
    fn give(&mut self, record: &mut Record) {
        if !self.segments.is_empty() {
            for run in record.runs_in_head() {
                record.segments.extend(self.segments.remove(&run).unwrap_or_default());
            }
        }
    }
}

/// Returns a record with its segments, which are among these records.
pub(crate) fn with_segments(mut record: Record, found: &[Record]) -> Record {
    let segments = found.iter().filter(|record| record.is_segment).cloned();
    ByRun::of(segments).give(&mut record);
    record
}

/// Gives the records of a profile their segments, which are then no records of their own any more.
///
/// Segments of a run that has no other record are read as one: its process was killed, and its raw
/// file is gone. If they are of a standing file that was taken in, the sum behind them, of the same
/// image, has the rest of their run.
pub(crate) fn attach(records: &mut Vec<Record>) {
    if !records.iter().any(|record| record.is_segment) {
        return;
    }
    let (segments, mut rest): (Vec<_>, Vec<_>) =
        std::mem::take(records).into_iter().partition(|record| record.is_segment);
    let mut by_run = ByRun::of(segments.into_iter());
    rest.iter_mut().for_each(|record| by_run.give(record));
    for run in by_run.order {
        let Some(mut segments) = by_run.segments.remove(&run) else { continue };
        let Some(mut last) = segments.pop() else { continue };
        let is_of = |sum: &&mut Record| {
            sum.merged && sum.image == last.image && sum.build_id == last.build_id
        };
        match rest.iter_mut().filter(|_| last.complete).rfind(is_of) {
            Some(sum) => {
                sum.segments.append(&mut segments);
                sum.segments.push(last);
            }
            None => {
                last.segments = segments;
                rest.push(last);
            }
        }
    }
    rest.sort_by_key(|record| record.range.map_or((true, 0), |(start, _)| (false, start)));
    *records = rest;
}
