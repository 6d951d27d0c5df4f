//! Writes the task graph of a trace as a page for the browser, with the viewer of reports.
//!
//! Its data is that of a page, see [`html`](super), with other payloads:
//!
//! * `index` has the sums, the tables, and the number of tasks that ran over time,
//! * `tasks.columns` has the tasks, by number,
//! * `tasks.edges` has the edges to each of them.
//!
//! Numbers that grow are written as differences, which are short and compress well. Above a limit
//! the page has the longest tasks and the critical path; the sums and tables are of all tasks.
//!
//! `index` is the first payload, `tables` writes tables into it, `columns` has the tasks, and
//! `chosen` selects them.

use std::io::Write;
use std::path::Path;

use anyhow::Result;

use super::document::{Document, Written};
use super::payload::{Dictionary, Payload, pack};
use crate::task_graph::{EndNames, TaskGraphReport};

mod chosen;
mod columns;
mod index;
mod tables;

/// The largest number of tasks in a page, unless more are on the critical path. With these it has
/// some megabytes, and opens within two seconds.
pub const MOST_TASKS: usize = 500_000;

/// Writes the page to `path`, or to a directory beside it if the file would be too large.
///
/// # Errors
/// A viewer without room for data, and errors of the file system.
pub fn write(
    report: TaskGraphReport<'_>,
    (viewer, most): (&str, usize),
    path: &Path,
) -> Result<Written> {
    document(report, viewer)?.write(&payloads(report, MOST_TASKS)?, most, path)
}

/// Writes the page to `out`, regardless of its size.
///
/// # Errors
/// A viewer without room for data, and the errors of `out`.
pub fn write_to(report: TaskGraphReport<'_>, viewer: &str, out: &mut dyn Write) -> Result<()> {
    document(report, viewer)?.write_to(&payloads(report, MOST_TASKS)?, out)
}

fn document<'a>(report: TaskGraphReport<'_>, viewer: &'a str) -> Result<Document<'a>> {
    let name = report.trace.path.file_name().unwrap_or_default().to_string_lossy();
    Document::new(viewer, &format!("Tasks of {name}"))
}

/// Returns all data, the index first.
fn payloads(report: TaskGraphReport<'_>, most: usize) -> Result<Vec<Payload>> {
    let chosen = chosen::of(&report.analysis.tasks.graph, &report.analysis.tasks.by_time.way, most);
    let names = EndNames::of(&report);
    let (columns, edges) = columns::of(&report, &chosen, &names);
    Ok(vec![
        Payload::new("index".into(), pack(&index::index(&report, chosen.len(), &names))?),
        Dictionary::default().payload(),
        Payload::new("tasks.columns".into(), pack(&columns)?),
        Payload::new("tasks.edges".into(), pack(&edges)?),
    ])
}
