//! Puts data into the viewer: one file, or a directory.
//!
//! The viewer has three marks. The first is in the list of allowed scripts, behind the viewer's own
//! script. In a directory, data is in scripts of its own, so the mark becomes the sources of these.
//! The other marks are those of the title and of the data.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use profile::output;

use super::payload::Payload;

/// The marks of the viewer, at the places of the list of scripts, the title and the data.
const MARKS: [&str; 3] = ["'pathprof-scripts'", "pathprof-title", "<!--pathprof-data-->"];

/// The sources of scripts in a directory that was opened from disk, or from a server.
const SCRIPTS: &str = "'self' file:";

/// The number of payloads that are always in the page.
const FIRST: usize = 2;

/// The approximate number of bytes of a file in a directory.
const PART: usize = 1 << 20;

/// The place to which the page was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Written {
    /// This file.
    File(PathBuf),
    /// This directory, since a file would have had this number of bytes.
    Directory(PathBuf, usize),
}

impl Written {
    /// Returns the path for a browser.
    pub fn start(&self) -> PathBuf {
        match self {
            Self::File(file) => file.clone(),
            Self::Directory(directory, _) => directory.join("index.html"),
        }
    }
}

/// The viewer in four pieces.
pub(super) struct Document<'a> {
    pieces: [&'a str; 4],
    title: String,
}

impl<'a> Document<'a> {
    /// Creates the viewer with a title.
    ///
    /// # Errors
    /// A viewer without the marks.
    pub(super) fn new(viewer: &'a str, title: &str) -> Result<Self> {
        let problem = || "the viewer was built for another version of pathprof";
        let (first, rest) = viewer.split_once(MARKS[0]).with_context(problem)?;
        let (second, rest) = rest.split_once(MARKS[1]).with_context(problem)?;
        let (third, last) = rest.split_once(MARKS[2]).with_context(problem)?;
        let title = super::payload::shown(title);
        let title = title.replace('&', "&amp;").replace('<', "&lt;");
        Ok(Self { pieces: [first, second, third, last], title })
    }

    /// Writes one file with at most `most` bytes, or a directory.
    ///
    /// # Errors
    /// The errors of the file system.
    pub(super) fn write(&self, data: &[Payload], most: usize, path: &Path) -> Result<Written> {
        let size = self.pieces.iter().map(|piece| piece.len()).sum::<usize>()
            + data.iter().map(|payload| payload.text.len() + 64).sum::<usize>();
        if size <= most {
            let data: Vec<_> = data.iter().collect();
            output::to_file(path, |out| self.page(&data, "", out))?;
            return Ok(Written::File(path.to_owned()));
        }
        let directory = path.with_extension("");
        self.directory(data, &directory)?;
        Ok(Written::Directory(directory, size))
    }

    /// Writes one file to `out`.
    ///
    /// # Errors
    /// The errors of `out`.
    pub(super) fn write_to(&self, data: &[Payload], out: &mut dyn Write) -> Result<()> {
        self.page(&data.iter().collect::<Vec<_>>(), "", out)
    }

    fn page(&self, data: &[&Payload], scripts: &str, out: &mut dyn Write) -> Result<()> {
        let [first, second, third, last] = self.pieces;
        write!(out, "{first}{scripts}{second}{}{third}", self.title)?;
        for Payload { name, text } in data {
            writeln!(out, r#"<script type="text/plain" id="{name}">{text}</script>"#)?;
        }
        out.write_all(last.as_bytes())?;
        Ok(())
    }

    /// Writes the index and the dictionary into the page, and the rest into scripts. `parts` maps
    /// payloads to scripts.
    fn directory(&self, data: &[Payload], directory: &Path) -> Result<()> {
        let folder = directory.join("data");
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let (first, rest) = data.split_at(FIRST);
        let mut parts = serde_json::Map::new();
        let mut files: Vec<String> = Vec::new();
        for Payload { name, text } in rest {
            if files.last().is_none_or(|file| file.len() > PART) {
                files.push(String::new());
            }
            parts.insert(name.clone(), (files.len() - 1).into());
            if let Some(file) = files.last_mut() {
                file.push_str(&format!("pathprof.take(\"{name}\",\"{text}\")\n"));
            }
        }
        for (number, text) in files.iter().enumerate() {
            output::to_file(&folder.join(format!("{number}.js")), |out| {
                Ok(out.write_all(text.as_bytes())?)
            })?;
        }
        let parts = Payload::new("parts".into(), super::payload::pack(&parts)?);
        let inside: Vec<_> = first.iter().chain([&parts]).collect();
        output::to_file(&directory.join("index.html"), |out| self.page(&inside, SCRIPTS, out))
    }
}
