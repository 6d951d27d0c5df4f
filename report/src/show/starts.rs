//! The table of the starts in profiles, the last one first, and that of the last runs of standing
//! files.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::path::PathBuf;

use counts::model::Count;
use jiff::tz::TimeZone;
use pathformat::standing::Run;
use profile::builds::Build;
use profile::escape::terminal;
use profile::records::Record;
use profile::starts::{processes, starts};

use crate::shell;
use crate::show::command_line::CommandLine;
use crate::show::heading::time;
use crate::show::rows::left_out;
use crate::show::style::{plural, shown};
use crate::show::table::{Cell, CellKind, Column, Name, Row, Table};

/// The explanation of a start.
const START: &str = "a start is what one command began, with all processes that it started; \
     --run N of other commands reads one, --all reads all";

/// The explanation of the runs of a standing file.
const SHARED: &str = "the last processes that counted in the same files, one after the other; what \
     each of them counted is only known in sum";

/// Returns the starts in at most `top` rows (0: all), times in a time zone. `build` returns the
/// present state of the image of a record.
pub fn table(
    records: &[Record],
    top: usize,
    zone: &TimeZone,
    build: impl Fn(&Record) -> Build,
) -> Table<'static> {
    let starts = starts(records);
    let number = shown(top, starts.len());
    let row = |(at, start): (usize, &Vec<usize>)| {
        let of: Vec<_> = start.iter().map(|&at| &records[at]).collect();
        Row::from(cells(at + 1, &of, zone, &build))
    };
    Table {
        name: "starts",
        columns: vec![
            Column::new("#", CellKind::Rank).key("run"),
            Column::new("started", CellKind::Text),
            Column::new("seconds", CellKind::Seconds),
            Column::new("processes", CellKind::Number),
            Column::new("profile", CellKind::Name),
            Column::new("command", CellKind::Flow).stacked(),
            Column::new("remark", CellKind::Text).stacked(),
        ],
        rows: starts.iter().take(number).enumerate().map(row).collect(),
        notes: left_out(top, starts.len(), &plural(starts.len(), "start"))
            .into_iter()
            .chain((!starts.is_empty()).then(|| START.into()))
            .chain(records.iter().any(|record| build(record) != Build::Present).then(|| {
                "--run N of a start whose image is another by now, or gone, needs that image: \
                 --image PATH"
                    .into()
            }))
            .collect(),
        empty: "There is no start.".into(),
    }
}

/// Returns the last runs that counted in standing files in at most `top` rows (0: all), times in a
/// time zone; `None` if there are no such files.
pub fn last_runs(records: &[Record], top: usize, zone: &TimeZone) -> Option<Table<'static>> {
    let of_record = |record| Record::standing_runs(record).map(move |run| (record, run));
    let mut runs: Vec<_> = records.iter().flat_map(of_record).collect();
    runs.sort_by_key(|(_, run)| Reverse(run.start.get()));
    let number = shown(top, runs.len());
    let row = |(record, run): &(&Record, &Run)| {
        let (start, stop) = (run.start.get(), run.stop.get());
        let profile = terminal(&record.profile().to_string_lossy()).into_owned();
        Row::from(vec![
            Cell::Text(time(start, zone)),
            Cell::Time(stop.saturating_sub(start), true).only_if(stop != 0),
            Cell::Text(run.pid.get().to_string()),
            Cell::Name(Name { forms: vec![profile], ..Name::default() }),
            Cell::Flow(Box::new(command(run.arguments()))),
            Cell::Text(if stop == 0 { "incomplete" } else { "" }.into()),
        ])
    };
    (!runs.is_empty()).then(|| Table {
        name: "last runs",
        columns: vec![
            Column::new("started", CellKind::Text),
            Column::new("seconds", CellKind::Seconds),
            Column::new("pid", CellKind::Text),
            Column::new("profile", CellKind::Name),
            Column::new("command", CellKind::Flow).stacked(),
            Column::new("remark", CellKind::Text).stacked(),
        ],
        rows: runs.iter().take(number).map(row).collect(),
        notes: left_out(top, runs.len(), &plural(runs.len(), "run"))
            .into_iter()
            .chain([SHARED.into()])
            .collect(),
        empty: String::new(),
    })
}

fn cells(
    number: usize,
    records: &[&Record],
    zone: &TimeZone,
    build: &impl Fn(&Record) -> Build,
) -> Vec<Cell<'static>> {
    let first = records.iter().min_by_key(|record| record.time.0);
    let start = first.map_or(0, |first| first.time.0);
    let end = records.iter().map(|record| record.time.1).max().unwrap_or(start);
    let is_complete = records.iter().all(|record| record.complete);
    let taken = end.saturating_sub(start);
    let merged = first.is_some_and(|first| first.is_sum());
    let has = |of: Build| records.iter().any(|record| build(record) == of);
    let remark = [
        merged.then(|| "merged".into()),
        labels(records),
        has(Build::Earlier).then(|| "earlier build".into()),
        has(Build::Gone).then(|| "image is gone".into()),
    ];
    let profile = first.map_or_else(PathBuf::new, |first| first.profile());
    let profile = terminal(&profile.to_string_lossy()).into_owned();
    let command = first.map(|first| command(&first.command_line)).unwrap_or_default();
    vec![
        Cell::Rank(number),
        Cell::Text(time(start, zone)),
        // The runs of a sum did not all run from its first start to its last end.
        Cell::Time(taken, is_complete).only_if(!merged && (is_complete || taken > 0)),
        // A sum does not record the processes of its runs.
        if merged {
            Cell::Nothing
        } else {
            Cell::Number(processes(records.iter().copied()) as Count)
        },
        Cell::Name(Name { forms: vec![profile], ..Name::default() }),
        Cell::Flow(Box::new(command)),
        Cell::Text(remark.into_iter().flatten().collect::<Vec<String>>().join(", ")),
    ]
}

/// Returns the label of some records, or how many they have; `None` if they have none.
fn labels(records: &[&Record]) -> Option<String> {
    let labels: BTreeSet<_> = records.iter().flat_map(|record| record.labels()).collect();
    match labels.len() {
        0 => None,
        1 => {
            let label = String::from_utf8_lossy(labels.first()?).into_owned();
            Some(format!("label {}", terminal(&label)))
        }
        more => Some(plural(more, "label")),
    }
}

/// Returns the words of a command line, in which a zero ends each.
fn command(command_line: &[u8]) -> CommandLine {
    let words = command_line.split_inclusive(|&byte| byte == 0);
    CommandLine(shell::words(words.map(|word| word.strip_suffix(&[0]).unwrap_or(word))))
}

#[cfg(test)]
mod tests {
    use pathformat::profile::RunId;
    use pathformat::standing::{Birth, Block};

    use super::*;
    use crate::sample;
    use crate::show::document::Document;
    use crate::show::forms;
    use crate::show::text_table::Screen;

    fn record(pid: u32, parent: u32, time: (u64, u64), command_line: &[u8]) -> Record {
        let time = (time.0 * 1_000_000_000, time.1 * 1_000_000_000);
        Record { time, command_line: command_line.to_vec(), ..sample::record(pid, parent) }
    }

    #[test]
    fn the_last_runs_of_standing_files_are_listed() {
        let birth = Birth { inode: 1.into(), seconds: 2.into(), nanoseconds: 3.into() };
        let mut block = Block::new(birth, RunId([1; 16]), 0);
        for number in 1..=17u64 {
            let start = (1_700_000_000 + number) * 1_000_000_000;
            let mut run = Run::new(100 + number as u32, start, 0, b"./prog\0-x\0");
            run.stop = if number == 17 { 0.into() } else { (start + 5_000_000).into() };
            block.runs[Block::place(number)] = run;
            block.starts = number.into();
        }
        let standing = Some(Box::new(block));
        let records = [Record { standing, ..record(117, 1, (1_700_000_001, 1_700_000_017), b"") }];
        let table = last_runs(&records, 0, &TimeZone::UTC).expect("there are some");
        assert_eq!(table.rows.len(), 15);
        insta::assert_snapshot!(sample::text_of(
            last_runs(&records, 3, &TimeZone::UTC).expect("some")
        ));
        assert!(last_runs(&[record(1, 1, (0, 0), b"")], 0, &TimeZone::UTC).is_none());
    }

    #[test]
    fn a_row_for_each_start() {
        let mut records = vec![
            record(10, 1, (1_700_000_000, 1_700_000_002), b"./prog\0a file\0\x1b[0m\0"),
            record(11, 10, (1_700_000_001, 1_700_000_009), b"./prog\0"),
            record(20, 1, (1_700_000_100, 1_700_000_100), b"prog\0--all\0"),
            record(30, 1, (1_600_000_000, 1_600_000_000), b"prog\0"),
        ];
        records[2].complete = false;
        records[3].merged = true;
        records[2].label = b"one\x1b".to_vec();
        records[1].label = b"two".to_vec();
        records[0].label = b"three".to_vec();
        let build = |record: &Record| match record.pid {
            20 => Build::Earlier,
            30 => Build::Gone,
            _ => Build::Present,
        };
        let table = || table(&records, 0, &TimeZone::UTC, build);
        insta::assert_snapshot!(sample::text_of(table()));
        for width in [60, 80, 120, 200] {
            let document = Document { tables: vec![table()], ..Document::default() };
            let text = forms::text(&document, Screen { width: Some(width), links: true });
            let text = anstream::adapter::strip_str(&text).to_string();
            assert!(text.lines().all(|line| line.chars().count() <= width), "{text}");
        }
        let text = sample::text_of(super::table(&records, 1, &TimeZone::UTC, build));
        assert!(text.contains("\nthe first 1 of 3 starts; --top 0 shows all\n"), "{text}");
    }
}
