//! The table of the starts that profiles hold, the last one first.

use std::collections::BTreeSet;
use std::io::{Result, Write};
use std::path::PathBuf;

use comfy_table::CellAlignment::{Left, Right};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::analyse::model::Count;
use crate::escape::terminal;
use crate::read::records::Record;
use crate::read::starts::{processes, starts};
use crate::show::style::{elide, grouped, left_out, plural, shown, table};

/// On a terminal, longer names lose their middle.
const LONGEST_PROFILE: usize = 20;

/// Writes the table with at most `top` rows (0: all), fitted to a width in characters, times in a
/// time zone.
///
/// # Errors
/// Those of `out`.
pub fn write(
    records: &[Record],
    top: usize,
    width: Option<usize>,
    zone: &TimeZone,
    out: &mut impl Write,
) -> Result<()> {
    let starts = starts(records);
    let number = shown(top, starts.len());
    let mut rows = table(&[
        ("#", Right),
        ("started", Left),
        ("seconds", Right),
        ("processes", Right),
        ("profile", Left),
        ("command", Left),
    ]);
    let files: BTreeSet<_> = records.iter().map(Record::profile).collect();
    let longest = files
        .iter()
        .map(|path| path.display().to_string().chars().count())
        .max()
        .unwrap_or(0)
        .min(LONGEST_PROFILE);
    // What the other columns take, with two spaces between any two.
    let room = width.map(|width| width.saturating_sub(3 + 19 + 7 + 9 + longest + 5 * 2).max(10));
    for (at, start) in starts.iter().take(number).enumerate() {
        let of: Vec<_> = start.iter().map(|&at| &records[at]).collect();
        let row = Row::of(&of, zone);
        rows.add_row([
            (at + 1).to_string(),
            row.started,
            row.seconds,
            row.processes,
            elide(&row.profile, Some(LONGEST_PROFILE).filter(|_| width.is_some())),
            elide(&row.command, room),
        ]);
    }
    writeln!(
        out,
        "{}",
        rows.to_string().lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
    )?;
    left_out(number, starts.len(), &plural(starts.len(), "start"), out)?;
    Ok(())
}

/// The cells of a start.
struct Row {
    started: String,
    seconds: String,
    processes: String,
    profile: String,
    command: String,
}

impl Row {
    fn of(records: &[&Record], zone: &TimeZone) -> Self {
        let first = records.iter().min_by_key(|record| record.time.0);
        let (start, end) = (
            first.map_or(0, |first| first.time.0),
            records.iter().map(|record| record.time.1).max(),
        );
        let time =
            Timestamp::from_nanosecond(start.into()).unwrap_or_default().to_zoned(zone.clone());
        let processes = processes(records.iter().copied());
        let unfinished = records.iter().any(|record| !record.complete);
        let seconds = end.unwrap_or(start).saturating_sub(start) as f64 / 1e9;
        let merged = first.is_some_and(|first| first.merged);
        Self {
            started: time.strftime("%Y-%m-%d %H:%M:%S").to_string(),
            seconds: format!("{}{seconds:.2}", if unfinished { "≥" } else { "" }),
            processes: if merged { "merged".into() } else { grouped(processes as Count) },
            profile: terminal(
                &first.map_or_else(PathBuf::new, |first| first.profile()).to_string_lossy(),
            )
            .into_owned(),
            command: first.map_or_else(String::new, |first| command(&first.command_line)),
        }
    }
}

/// Arguments as a shell would take them.
fn command(command_line: &[u8]) -> String {
    let arguments = command_line.strip_suffix(&[0]).unwrap_or(command_line);
    let quoted = |argument: &[u8]| {
        let text = String::from_utf8_lossy(argument);
        let plain = |c: char| c.is_alphanumeric() || "_-./=:,+@%".contains(c);
        if !text.is_empty() && text.chars().all(plain) {
            text.into_owned()
        } else {
            format!("'{text}'")
        }
    };
    let words: Vec<_> = arguments.split(|&byte| byte == 0).map(quoted).collect();
    terminal(&words.join(" ")).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    fn record(pid: u32, parent: u32, time: (u64, u64), command_line: &[u8]) -> Record {
        let time = (time.0 * 1_000_000_000, time.1 * 1_000_000_000);
        Record { time, command_line: command_line.to_vec(), ..sample::record(pid, parent) }
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
        let mut out = Vec::new();
        write(&records, 0, None, &TimeZone::UTC, &mut out).expect("memory does not fail");
        insta::assert_snapshot!(
            anstream::adapter::strip_str(&String::from_utf8(out).expect("UTF-8")).to_string()
        );
        let mut out = Vec::new();
        write(&records, 1, Some(80), &TimeZone::UTC, &mut out).expect("memory does not fail");
        let text =
            anstream::adapter::strip_str(&String::from_utf8(out).expect("UTF-8")).to_string();
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        assert!(text.ends_with("the first 1 of 3 starts; --top 0 shows all\n"), "{text}");
    }
}
