//! Writes the task graph of a trace as a page for the browser, with the viewer of reports.
//!
//! Its data is that of a page, see [`html`](super), with other payloads:
//!
//! * `index` has the sums, the tables, and how many tasks ran when,
//! * `tasks.columns` has the tasks, by number,
//! * `tasks.edges` has the edges to each of them.
//!
//! Numbers that grow are written as differences, which are short and compress well. Above a limit
//! the page has the longest tasks and the critical path; the sums and tables are of all tasks.
//!
//! `index` is the first payload, `columns` has the tasks, `chosen` says which of them; `asked` is
//! what the page is made of.

use std::io::Write;
use std::path::Path;

use anyhow::Result;

use super::document::{Document, Written};
use super::payload::{Dictionary, Payload, pack};

mod asked;
mod chosen;
mod columns;
mod index;

pub use asked::Asked;

/// A page has so many tasks at most, unless more are on the critical path. With these it has some
/// megabytes, and opens within two seconds.
pub const MOST_TASKS: usize = 500_000;

/// Writes the page to `path`, or to a directory beside it if the file would be too large.
///
/// # Errors
/// A viewer without room for data, and those of the file system.
pub fn write(asked: Asked<'_>, (viewer, most): (&str, usize), path: &Path) -> Result<Written> {
    document(asked, viewer)?.write(&payloads(asked, MOST_TASKS)?, most, path)
}

/// Writes the page to `out`, however large it is.
///
/// # Errors
/// A viewer without room for data, and those of `out`.
pub fn write_to(asked: Asked<'_>, viewer: &str, out: &mut dyn Write) -> Result<()> {
    document(asked, viewer)?.write_to(&payloads(asked, MOST_TASKS)?, out)
}

fn document<'a>(asked: Asked<'_>, viewer: &'a str) -> Result<Document<'a>> {
    let name = asked.trace.path.file_name().unwrap_or_default().to_string_lossy();
    Document::new(viewer, &format!("Tasks of {name}"))
}

/// All data, the index first.
fn payloads(asked: Asked<'_>, most: usize) -> Result<Vec<Payload>> {
    let chosen = chosen::of(&asked.tasks.graph, &asked.by_time.way, most);
    let (columns, edges) = columns::of(&asked, &chosen);
    Ok(vec![
        Payload::new("index".into(), pack(&index::index(&asked, chosen.len()))?),
        Dictionary::default().payload(),
        Payload::new("tasks.columns".into(), pack(&columns)?),
        Payload::new("tasks.edges".into(), pack(&edges)?),
    ])
}
