//! Writes the report as a page for the browser: one file that opens from disk, or a directory.
//!
//! The page is a viewer, the same for all reports, with data in it. The data is JSON in payloads,
//! each compressed (DEFLATE) and written in base64. The browser inflates a payload when it shows
//! it:
//!
//! * `index` has the data of all tables of functions,
//! * `dictionary` has the text to which the next ones refer back,
//! * `f0`, `f1` … have the blocks, edges and paths of one function each,
//! * `s0.0`, `s0.1` … have the lines of one source file, some hundred in each,
//! * `c0`, `c1` … have the coverage of one source file.
//!
//! The pages of a difference and of a task graph are the same viewer with other data; see [`diff`]
//! and [`tasks`].
//!
//! Names are [escaped](profile::escape::terminal), so that the page shows visible characters only.
//! Counts that do not fit in a number of JavaScript are texts.
//!
//! `document` puts payloads into the viewer, and `payload` makes them of values. `index`,
//! `function`, `files`, `coverage`, `calls` and `runs` are the contents of payloads; `path_steps`
//! writes paths.

use std::path::Path;

use anyhow::Result;
use counts::model::Report;
use counts::select::{self, Filter};
use rayon::prelude::*;

mod calls;
mod coverage;
pub mod diff;
mod document;
mod files;
mod function;
mod index;
mod path_steps;
mod payload;
mod runs;
pub mod tasks;

use coverage::Sources;
use document::Document;
pub use document::Written;
use files::Files;
use payload::{Dictionary, Payload, pack};

/// The number of functions in the dictionary.
const SAMPLES: usize = 12;

/// The parts of the page besides the model.
#[derive(Clone, Copy)]
pub struct Page<'a> {
    /// The viewer, as built.
    pub viewer: &'a str,
    /// The class of an opcode in words.
    pub class_of: fn(&str) -> String,
    /// The largest number of bytes of a file. A directory is written for more.
    pub most_bytes: usize,
}

/// Writes the functions of `report` that `filter` lets through to `path`, or to a directory beside
/// it if the file would be too large. The lines of a file are those of the whole report: some of
/// them may be code of functions in other files.
///
/// # Errors
/// A viewer without room for data, and errors of the file system.
pub fn write(report: Report, filter: &Filter, page: &Page<'_>, path: &Path) -> Result<Written> {
    let document = Document::new(page.viewer, &title(&report))?;
    document.write(&payloads(report, filter, page)?, page.most_bytes, path)
}

/// Returns the names of the images.
fn title(report: &Report) -> String {
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let names: Vec<_> = report.images.iter().map(|image| name(&image.path)).collect();
    match names.as_slice() {
        [first, _, _, more @ ..] if !more.is_empty() => format!("{first} and {} more", names.len()),
        names => names.join(", "),
    }
}

/// Returns all data, the index first.
fn payloads(report: Report, filter: &Filter, page: &Page<'_>) -> Result<Vec<Payload>> {
    let sources = Sources::of(&report, filter);
    let report = &select::narrowed(report, filter);
    let mut files = Files::of(report);
    let texts = files.read()?;
    files.compare_with(&report.images);
    let shown: Vec<_> = report
        .functions
        .iter()
        .enumerate()
        .filter(|(_, function)| !function.shape.blocks.is_empty())
        .collect();
    let chosen = shown.chunks(shown.len().div_ceil(SAMPLES).max(1)).filter_map(|some| some.last());
    let chosen: Vec<_> = chosen.map(|(_, of)| function::function(of, report, &files)).collect();
    let dictionary = Dictionary::of(chosen.iter())?;
    let functions = shown.par_iter().map(|(number, function)| {
        let text = dictionary.pack(&function::function(function, report, &files))?;
        Ok(Payload::new(format!("f{number}"), text))
    });
    let functions = functions.collect::<Result<Vec<_>>>()?;
    let covered = coverage::of(report, sources, &files);
    let index = index::index(report, &files, &covered, page.class_of);
    let of_files = covered
        .files
        .par_iter()
        .map(|(file, entry)| Ok(Payload::new(format!("c{file}"), pack(entry)?)));
    let mut all = vec![Payload::new("index".into(), pack(&index)?), dictionary.payload()];
    all.extend(functions);
    all.extend(of_files.collect::<Result<Vec<_>>>()?);
    all.extend(texts);
    Ok(all)
}

#[cfg(test)]
mod tests;
