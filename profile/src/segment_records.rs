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
            let is_written = sum.merged && sum.range.is_some();
            is_written && sum.image == last.image && sum.build_id == last.build_id
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    fn record(run: u8, at: u64, is_segment: bool) -> Record {
        let range = Some((at, 1));
        Record { run: RunId([run; 16]), range, is_segment, ..sample::record(run.into(), 1) }
    }

    /// The runs of records, and where the segments of each stand.
    fn shape(records: &[Record]) -> Vec<(u8, Vec<u64>)> {
        let start = |record: &Record| record.range.map_or(99, |(start, _)| start);
        let of = |record: &Record| {
            (record.run.0[0], record.segments.iter().map(start).collect::<Vec<_>>())
        };
        records.iter().map(of).collect()
    }

    #[test]
    fn segments_go_with_their_run() {
        let raw = Record { range: None, ..record(3, 0, false) };
        let mut records = vec![
            record(1, 0, true),
            record(3, 1, true),
            record(1, 2, true),
            record(2, 3, false),
            record(1, 4, false),
            raw,
        ];
        attach(&mut records);
        assert_eq!(shape(&records), [(2, vec![]), (1, vec![0, 2]), (3, vec![1])]);
    }

    #[test]
    fn segments_without_the_rest_of_their_run_are_not_lost() {
        let sum = Record { merged: true, ..record(9, 4, false) };
        let raw = Record { merged: true, range: None, ..record(5, 0, false) };
        let killed = |at| Record { complete: false, ..record(1, at, true) };
        let mut records =
            vec![killed(0), killed(1), record(2, 2, true), record(2, 3, true), sum, raw];
        attach(&mut records);
        // Those of a standing file are of the sum behind them, and of no other file.
        assert_eq!(shape(&records), [(1, vec![0]), (9, vec![2, 3]), (5, vec![])]);
    }
}
