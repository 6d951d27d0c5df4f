//! Reads the counters of running processes again and again, and shows an interval as a report.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Error, Result, bail};
use counts::image_places::ImagePlaces;
use counts::model::Count;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use live::processes;
use live::watch::{Interval, Watch};
use pathprof::show::document::{Document, Fact, Remark};
use pathprof::show::options::Options;
use pathprof::show::printable::Printable;
use pathprof::show::report;
use pathprof::show::style::grouped;

/// The readings of processes, one after the other.
pub(crate) struct Readings<'a> {
    processes: Vec<PathBuf>,
    watch: Watch<'a>,
}

/// What was counted in one interval.
pub(crate) struct Reading {
    report: Printable,
    pub(crate) problems: Vec<Error>,
    processes: usize,
    length: Duration,
    end: Zoned,
}

impl<'a> Readings<'a> {
    /// Reads the counters of the processes for the first time.
    ///
    /// # Errors
    /// There is none.
    pub(crate) fn begin(processes: Vec<PathBuf>, places: &'a ImagePlaces) -> Result<Self> {
        let records = processes::running(&processes)?;
        if records.is_empty() {
            match processes.is_empty() {
                true => bail!("no process that counts is running, or none that you may look at"),
                false => bail!("no such process is running"),
            }
        }
        let mut watch = Watch::new(places);
        watch.read(&records);
        Ok(Self { processes, watch })
    }

    /// Reads them again. Returns `None` if no process is left.
    pub(crate) fn read(&mut self) -> Option<Reading> {
        let records = processes::still_running(&self.processes);
        if records.is_empty() {
            return None;
        }
        let Interval { report, problems, processes, length, end } = self.watch.read(&records);
        let end = Timestamp::try_from(end).unwrap_or_default().to_zoned(TimeZone::system());
        Some(Reading { report: report.into(), problems, processes, length, end })
    }
}

impl Reading {
    /// The interval in words: when it ended, how long it was, and what ran in it.
    fn facts(&self) -> Vec<Fact> {
        let functions = self.report.functions.iter();
        let paths: Count = functions.map(counts::model::Function::path_runs).sum();
        vec![
            Fact::new("time", self.end.strftime("%H:%M:%S").to_string()),
            Fact::new("seconds", format!("{:.2}", self.length.as_secs_f64())),
            Fact::new("processes", grouped(self.processes as Count)),
            Fact::new("executed", grouped(self.report.executed())),
            Fact::new("paths", grouped(paths)),
        ]
    }

    /// The same in a line.
    pub(crate) fn line(&self) -> String {
        let seconds = self.length.as_secs_f64();
        let rate = self.report.executed() as f64 / seconds;
        let processes = match self.processes {
            1 => "1 process".to_owned(),
            many => format!("{} processes", grouped(many as Count)),
        };
        format!(
            "{}  {processes}  {seconds:.2} s  {} instructions a second",
            self.end.strftime("%H:%M:%S"),
            grouped(rate as Count)
        )
    }

    /// The interval as a document.
    pub(crate) fn document(&self, options: &Options) -> Document<'_> {
        if self.report.functions.is_empty() {
            let nothing = Remark::note("nothing was counted in this interval");
            return Document {
                heading: self.facts(),
                remarks: vec![nothing],
                ..Document::default()
            };
        }
        let shown = report::document(&self.report, options, &TimeZone::UTC);
        Document { heading: self.facts(), ..shown }
    }
}
