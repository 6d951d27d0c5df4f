//! The images and runs, and the marks on their counts.

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;

use counts::model::{Image, Report, Run};
use pathformat::profile::{CUT, DENIED, ENDED, OTHER_RUNTIME, RUNNING, UNSURE};
use profile::image::hexadecimal;
use serde::Serialize;

use super::payload::shown;
use crate::shell;

/// The largest number of runs with a row. Those with marks come first.
const MOST: usize = 500;

/// An image in the index.
#[derive(Serialize)]
pub(super) struct ImageEntry {
    path: String,
    build_id: String,
}

/// The runs in the index.
#[derive(Serialize)]
pub(super) struct Runs {
    /// The number of runs, and the number of their processes.
    count: usize,
    processes: usize,
    /// The number of records with each mark.
    marks: BTreeMap<&'static str, usize>,
    rows: Vec<RunEntry>,
    /// The start of the first and the end of the last run, in milliseconds since 1970, and the
    /// nanoseconds in between.
    first: u64,
    last: u64,
    duration: u64,
    hosts: Vec<String>,
}

#[derive(Serialize)]
struct RunEntry {
    profile: String,
    image: usize,
    pid: u32,
    host: String,
    command: String,
    directory: String,
    /// In milliseconds since 1970.
    start: u64,
    /// In nanoseconds.
    duration: u64,
    count: usize,
    marks: Vec<&'static str>,
}

/// Returns the images.
pub(super) fn images(report: &Report) -> Vec<ImageEntry> {
    let entry = |image: &Image| ImageEntry {
        path: shown(&image.path.to_string_lossy()).into_owned(),
        build_id: hexadecimal(&image.build_id),
    };
    report.images.iter().map(entry).collect()
}

/// Returns the runs.
pub(super) fn runs(report: &Report) -> Runs {
    let mut known = BTreeMap::new();
    report.runs.iter().flat_map(marks).for_each(|mark| *known.entry(mark).or_default() += 1);
    let mut chosen: Vec<_> = report.runs.iter().collect();
    chosen.sort_by_key(|run| marks(run).is_empty());
    chosen.truncate(MOST);
    let mut hosts: Vec<_> = report.runs.iter().map(|run| shown(&run.host).into_owned()).collect();
    hosts.sort_unstable();
    hosts.dedup();
    let first = report.runs.iter().map(|run| run.start).min().unwrap_or_default();
    let last = report.runs.iter().map(|run| run.stop).max().unwrap_or_default();
    Runs {
        count: report.runs.iter().map(|run| run.count).sum(),
        processes: report.processes().into_iter().max().map_or(0, |last| last + 1),
        marks: known,
        rows: chosen.into_iter().map(entry).collect(),
        first: milliseconds(first),
        last: milliseconds(last),
        duration: last.saturating_sub(first),
        hosts,
    }
}

fn milliseconds(nanoseconds: u64) -> u64 {
    nanoseconds / 1_000_000
}

fn entry(run: &Run) -> RunEntry {
    RunEntry {
        profile: shown(&run.profile.to_string_lossy()).into_owned(),
        image: run.image,
        pid: run.pid,
        host: shown(&run.host).into_owned(),
        command: command(run),
        directory: shown(&run.directory).into_owned(),
        start: milliseconds(run.start),
        duration: run.stop.saturating_sub(run.start),
        count: run.count,
        marks: marks(run),
    }
}

/// Returns the command line of a run, quoted for a shell.
pub(super) fn command(run: &Run) -> String {
    shell::line(run.command_line.iter().map(|word| word.as_bytes()))
}

/// Returns the marks for the flags of a run.
fn marks(run: &Run) -> Vec<&'static str> {
    let marked = |mark| run.marks & mark != 0;
    let unwritten = marked(ENDED);
    [
        ("incomplete", run.incomplete),
        ("unregistered threads", run.unregistered_threads),
        ("partial", run.partial),
        ("cut", marked(CUT)),
        ("unsure", marked(UNSURE)),
        ("other runtime", marked(OTHER_RUNTIME)),
        ("running", marked(RUNNING)),
        ("unwritten", unwritten && !marked(DENIED)),
        ("denied", unwritten && marked(DENIED)),
        ("forked", run.forked),
    ]
    .into_iter()
    .filter_map(|(mark, is_set)| is_set.then_some(mark))
    .collect()
}
