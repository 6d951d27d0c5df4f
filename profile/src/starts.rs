//! Groups records by start.
//!
//! A *start* is the set of records that one command began: a process, its descendants, and the
//! images that they loaded. A process is identified by its machine, its number and the time at
//! which the kernel started it. Each record has the ancestors of its process, as they were when it
//! began, so that processes in between need not be counted. The list ends early if a process in
//! between had ended by then. A merged record, and what was counted in standing files, is a start
//! of its own, with those of other images that were summed over the same time. If the processes of
//! a sum were forked, it is of the start of a process that ran all the time.

use std::borrow::Borrow;
use std::collections::{HashMap, HashSet};

use crate::records::Record;

/// Returns the records of each start, as indices into `records`; the last start comes first. A
/// start ends with its last process.
pub fn starts<R: Borrow<Record>>(records: &[R]) -> Vec<Vec<usize>> {
    let records: Vec<&Record> = records.iter().map(Borrow::borrow).collect();
    let mut groups: Vec<usize> = (0..records.len()).collect();
    let mut processes: HashMap<(&[u8], u32), Vec<usize>> = HashMap::new();
    for (at, record) in records.iter().enumerate().filter(|(_, record)| !record.is_sum()) {
        processes.entry((&record.host, record.pid)).or_default().push(at);
    }
    let identity = |at: usize| {
        let record: &Record = records[at];
        ((record.host.as_slice(), record.pid, record.process_start), at)
    };
    let known: HashMap<_, _> = processes.values().flatten().copied().map(identity).collect();
    for same in processes.values() {
        for (position, &one) in same.iter().enumerate() {
            let known = |other: &&usize| is_one_process(records[one], records[**other]);
            if let Some(&other) = same[..position].iter().find(known) {
                join(&mut groups, one, other);
            }
        }
    }
    for (at, record) in records.iter().enumerate().filter(|(_, record)| !record.is_sum()) {
        for ancestor in &record.ancestors {
            let host = record.host.as_slice();
            let found = match ancestor.start() {
                0 => {
                    let named = processes.get(&(host, ancestor.process())).into_iter().flatten();
                    last_counting(&records, named.copied(), record)
                }
                start => known.get(&(host, ancestor.process(), start)).copied(),
            };
            if let Some(other) = found {
                join(&mut groups, at, other);
            }
        }
    }
    let mut sums: Vec<_> = (0..records.len()).filter(|&at| records[at].is_sum()).collect();
    sums.sort_by_key(|&at| (records[at].profile(), records[at].time.0));
    // The sum that ends last of those that begin before.
    let mut last: Option<usize> = None;
    for &sum in &sums {
        let before = last.filter(|&last| records[last].profile() == records[sum].profile());
        if let Some(last) = before.filter(|&last| records[sum].time.0 <= records[last].time.1) {
            join(&mut groups, sum, last);
        }
        last = before.filter(|&last| records[last].time.1 >= records[sum].time.1).or(Some(sum));
    }
    for &sum in sums.iter().filter(|&&sum| records[sum].forked) {
        let of = records[sum];
        let ran_all_the_time = |&one: &usize| {
            let one = records[one];
            let until_then = !one.complete || of.time.1 <= one.time.1;
            !one.is_sum() && one.profile() == of.profile() && one.time.0 <= of.time.0 && until_then
        };
        let parent = (0..records.len()).filter(ran_all_the_time);
        if let Some(parent) = parent.max_by_key(|&one| records[one].time.0) {
            join(&mut groups, sum, parent);
        }
    }
    let mut starts: HashMap<usize, Vec<usize>> = HashMap::new();
    for at in 0..records.len() {
        let group = root(&mut groups, at);
        starts.entry(group).or_default().push(at);
    }
    let mut starts: Vec<_> = starts.into_values().collect();
    let end = |start: &Vec<usize>| start.iter().map(|&at| (records[at].time.1, at)).max();
    starts.sort_by_key(|start| std::cmp::Reverse(end(start)));
    starts
}

/// Returns the number of processes of these records.
pub fn processes<'a>(records: impl IntoIterator<Item = &'a Record>) -> usize {
    let one = |record: &'a Record| (record.host.as_slice(), record.pid, record.process_start);
    records.into_iter().map(one).collect::<HashSet<_>>().len()
}

/// Returns the process that began last among those that were counting when the descendant began.
/// `named` are the processes that had the number of an ancestor.
fn last_counting(
    records: &[&Record],
    named: impl Iterator<Item = usize>,
    descendant: &Record,
) -> Option<usize> {
    let was_counting = |&one: &usize| {
        let one = records[one];
        let ended = one.complete && one.time.1 < descendant.time.0;
        one.time.0 <= descendant.time.0 && !ended
    };
    named.filter(was_counting).max_by_key(|&one| records[one].time.0)
}

fn is_one_process(one: &Record, other: &Record) -> bool {
    if one.process_start != 0 && other.process_start != 0 {
        return one.process_start == other.process_start;
    }
    one.time.0 <= other.time.1 && other.time.0 <= one.time.1
}

fn root(groups: &mut [usize], mut at: usize) -> usize {
    while groups[at] != at {
        groups[at] = groups[groups[at]];
        at = groups[at];
    }
    at
}

fn join(groups: &mut [usize], one: usize, other: usize) {
    let (one, other) = (root(groups, one), root(groups, other));
    groups[one] = other;
}

#[cfg(test)]
mod tests {
    use pathformat::profile::Ancestor;

    use super::*;
    use crate::sample;

    /// Returns a record of a process with a known number of its parent, and no other ancestors.
    fn record(pid: u32, parent: u32, process_start: u64, time: (u64, u64)) -> Record {
        descendant(pid, &[(parent, 0)], process_start, time)
    }

    fn descendant(
        pid: u32,
        ancestors: &[(u32, u64)],
        process_start: u64,
        time: (u64, u64),
    ) -> Record {
        let ancestors =
            ancestors.iter().map(|&(process, start)| Ancestor::new(process, start)).collect();
        Record { process_start, time, ancestors, ..sample::record(pid, 1) }
    }

    #[test]
    fn forked_processes_are_of_the_start_of_their_parent_if_they_were_summed() {
        let sum = |forked, time| Record { merged: true, forked, time, ..sample::record(9, 1) };
        let parent = record(7, 1, 70, (10, 100));
        assert_eq!(starts(&[parent.clone(), sum(true, (20, 90))]).len(), 1);
        assert_eq!(starts(&[parent.clone(), sum(true, (20, 110))]).len(), 2);
        assert_eq!(starts(&[parent.clone(), sum(false, (20, 90))]).len(), 2);
        let over = |start, end| sum(false, (start, end));
        assert_eq!(starts(&[over(0, 100), over(10, 20), over(30, 40), over(101, 102)]).len(), 2);
        // Those of other images were summed over the same time.
        assert_eq!(starts(&[parent, sum(false, (5, 30)), sum(true, (20, 90))]).len(), 1);
    }

    #[test]
    fn processes_in_between_need_not_be_counted() {
        let records = [
            descendant(10, &[(9, 90), (1, 1)], 100, (5, 9)),
            // There is a shell in between.
            descendant(12, &[(11, 101), (10, 100), (9, 90), (1, 1)], 102, (6, 7)),
            // The nearest counted ancestor is a child of the first process.
            descendant(14, &[(13, 103), (12, 102), (11, 101)], 104, (7, 8)),
            // It began after all others had ended, and its parent is known.
            descendant(15, &[(10, 100)], 105, (20, 21)),
            // Another process had the number of its parent.
            descendant(16, &[(10, 99)], 106, (6, 30)),
            // The same shell began it, but no counted process did.
            descendant(17, &[(9, 90), (1, 1)], 107, (6, 40)),
            Record { host: b"other".to_vec(), ..descendant(18, &[(10, 100)], 108, (6, 50)) },
        ];
        assert_eq!(starts(&records), [vec![6], vec![5], vec![4], vec![0, 1, 2, 3]]);
    }

    #[test]
    fn children_are_of_the_start_of_their_parent() {
        let records = [
            record(10, 1, 100, (5, 9)),
            record(11, 10, 101, (6, 7)),
            // Its parent's parent, and a library of its process.
            record(12, 11, 102, (7, 20)),
            record(12, 11, 102, (8, 20)),
            // Another start, and one whose parent had ended.
            record(20, 1, 200, (30, 31)),
            record(21, 10, 201, (40, 41)),
        ];
        assert_eq!(starts(&records), [vec![5], vec![4], vec![0, 1, 2, 3]]);
    }

    #[test]
    fn a_number_is_used_again() {
        let other = Record { host: b"other".to_vec(), ..record(10, 1, 100, (50, 51)) };
        let records = [
            record(10, 1, 100, (5, 9)),
            record(10, 1, 300, (15, 0)),
            record(30, 10, 301, (16, 17)),
            other,
            // Without /proc, by their times alone.
            record(40, 1, 0, (60, 70)),
            record(40, 1, 0, (65, 70)),
            record(40, 1, 0, (80, 90)),
        ];
        let mut records = records.to_vec();
        records[1].complete = false;
        assert_eq!(starts(&records), [vec![6], vec![4, 5], vec![3], vec![1, 2], vec![0]]);
    }

    #[test]
    fn what_touches_in_time_belongs_together() {
        // A child; and two images of one process, at most one of which has the time of its start.
        for (pid, parent, first, second) in
            [(11, 10, 100, 101), (10, 1, 100, 0), (10, 1, 0, 100), (10, 1, 0, 0)]
        {
            for (begin, together) in [(9, true), (10, false)] {
                let records =
                    [record(10, 1, first, (5, 9)), record(pid, parent, second, (begin, 12))];
                let expected = if together { vec![vec![0, 1]] } else { vec![vec![1], vec![0]] };
                assert_eq!(starts(&records), expected, "{pid} {first} {second} {begin}");
            }
        }
    }

    #[test]
    fn a_merged_record_stands_alone() {
        let merged = Record { merged: true, ..record(10, 1, 100, (5, 9)) };
        assert_eq!(starts(&[record(10, 1, 100, (5, 9)), merged]), [vec![1], vec![0]]);
    }
}
