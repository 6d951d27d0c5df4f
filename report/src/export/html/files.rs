//! The source files that functions name, with their text.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::Result;
use counts::model::{Image, Report};
use counts::origin::SystemFiles;
use rayon::prelude::*;
use serde::Serialize;

use super::payload::{Payload, pack, shown};

/// The number of lines in a payload.
const LINES: usize = 500;

/// The largest length of a file that is read. Longer files were generated.
const LONGEST: u64 = 1 << 26;

/// All files, each with a number.
pub(super) struct Files<'a> {
    entries: Vec<Entry>,
    numbers: HashMap<(usize, &'a str), u32>,
    /// The numbers by the absolute path.
    by_path: HashMap<PathBuf, u32>,
}

/// A file and its state.
struct Entry {
    name: String,
    path: PathBuf,
    lines: usize,
    state: SourceState,
}

/// The state of a file's text.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum SourceState {
    /// The text is in the page.
    Read,
    /// The text is in the page, and was written after the image.
    Newer,
    /// The file does not exist.
    Missing,
}

/// A file in the index.
#[derive(Serialize)]
pub(super) struct FileEntry {
    name: String,
    path: String,
    system: bool,
    lines: usize,
    state: SourceState,
}

impl<'a> Files<'a> {
    /// Returns all files that functions and their code are from.
    pub(super) fn of(report: &'a Report) -> Self {
        let mut files =
            Self { entries: Vec::new(), numbers: HashMap::new(), by_path: HashMap::new() };
        for function in report.functions.iter().chain(&report.dropped) {
            files.add(report, function.module, &function.shape.file);
            let mut last = function.shape.file.as_str();
            for location in &function.shape.locations {
                if location.file != last {
                    files.add(report, function.module, &location.file);
                    last = &location.file;
                }
            }
        }
        files
    }

    fn add(&mut self, report: &Report, module: usize, name: &'a str) {
        if name.is_empty() || self.numbers.contains_key(&(module, name)) {
            return;
        }
        let path = report.modules[module].path(name);
        let next = self.entries.len() as u32;
        let number = *self.by_path.entry(path.clone()).or_insert(next);
        if number == next {
            let name = name.to_owned();
            self.entries.push(Entry { name, path, lines: 0, state: SourceState::Missing });
        }
        self.numbers.insert((module, name), number);
    }

    /// Returns the number of the file that a module calls `name`; `None` without debug information.
    pub(super) fn number(&self, module: usize, name: &str) -> Option<u32> {
        self.numbers.get(&(module, name)).copied()
    }

    /// Returns the number of the file at an absolute path.
    pub(super) fn at(&self, path: &Path) -> Option<u32> {
        self.by_path.get(path).copied()
    }

    /// Reads the files. Returns their lines.
    pub(super) fn read(&mut self) -> Result<Vec<Payload>> {
        let texts: Vec<Option<String>> =
            self.entries.par_iter().map(|entry| text(&entry.path)).collect();
        for (entry, text) in self.entries.iter_mut().zip(&texts) {
            if let Some(text) = text {
                entry.lines = text.lines().count();
                entry.state = SourceState::Read;
            }
        }
        let pieces = texts.par_iter().enumerate().flat_map_iter(|(number, text)| {
            let lines: Vec<_> = text.as_deref().unwrap_or_default().lines().collect();
            let count = lines.len().div_ceil(LINES);
            (0..count).map(move |piece| {
                let end = lines.len().min((piece + 1) * LINES);
                let text = pack(&lines[piece * LINES..end].join("\n"))?;
                Ok(Payload::new(format!("s{number}.{piece}"), text))
            })
        });
        pieces.collect()
    }

    /// Marks the files with a text later than all images: lines may have moved.
    pub(super) fn compare_with(&mut self, images: &[Image]) {
        let last = last_written(images);
        for entry in self.entries.iter_mut().filter(|entry| entry.state == SourceState::Read) {
            if is_later(&entry.path, last) {
                entry.state = SourceState::Newer;
            }
        }
    }

    /// Returns the files for the index, by their numbers.
    pub(super) fn index(&self, report: &Report) -> Vec<FileEntry> {
        let system = SystemFiles::of(&report.modules);
        let entry = |entry: &Entry| FileEntry {
            name: shown(&entry.name).into_owned(),
            path: shown(&entry.path.to_string_lossy()).into_owned(),
            system: system.has(&entry.path),
            lines: entry.lines,
            state: entry.state,
        };
        self.entries.iter().map(entry).collect()
    }
}

/// Returns the time at which the last of the images was written.
pub(super) fn last_written(images: &[Image]) -> Option<SystemTime> {
    images.iter().filter_map(|image| written(&image.path)).max()
}

/// Returns true if a file was written after that time.
pub(super) fn is_later(file: &Path, than: Option<SystemTime>) -> bool {
    than.zip(written(file)).is_some_and(|(than, written)| written > than)
}

fn written(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|of| of.modified()).ok()
}

/// Returns the text of a file; `None` if there is no plain file that can be read. Invalid UTF-8
/// becomes replacement characters.
pub(super) fn text(path: &Path) -> Option<String> {
    let known = fs::metadata(path).ok()?;
    if !known.is_file() || known.len() > LONGEST {
        return None;
    }
    let bytes = fs::read(path).ok()?;
    Some(match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    })
}
