//! Runs a program that is traced, and finds the traces that it and its children wrote.
//!
//! A trace may be far longer than what a file system for temporary files has room for. So it is
//! written where it shall stay.

use std::collections::HashSet;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use anyhow::{Context, Error, Result};
use pathformat::files;
use pathformat::variables::{TRACE, TRACE_COMPRESS, ZSTD};
use profile::image::FileId;
use profile::{arrays, directories};
use rustix::fs::Access;
use trace::file;

use crate::launch::lookup::find_program;
use crate::launch::pattern::{self, Pattern, VARIABLE};
use crate::launch::program::NotStarted;
use crate::launch::signals::SignalForwarder;

/// What to run.
#[derive(Clone, Debug)]
pub struct Task {
    /// The program, looked up in `PATH` unless it has a slash.
    pub program: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Where traces go. `None` means where `PATHCC_PROFILE` says, or else the current directory.
    pub directory: Option<PathBuf>,
    /// Whether traces are to be compressed; otherwise the environment says so.
    pub compress: bool,
}

/// What became of it.
#[derive(Debug)]
pub struct Finished {
    /// How the program ended.
    pub status: ExitStatus,
    /// The traces that are new, with their lengths, by name.
    pub traces: Vec<(PathBuf, u64)>,
    /// Whether the environment says that nothing is to be written.
    pub is_off: bool,
}

/// Runs the program to its end and finds its traces.
///
/// # Errors
/// Only if it could not be started.
pub fn run(task: &Task) -> Result<Finished, NotStarted> {
    let before = |error| NotStarted { error, code: 126 };
    let forwarder = SignalForwarder::new()
        .map_err(|error| before(Error::new(error).context("cannot watch for signals")))?;
    let place = Destination::new(task, pattern::of_environment()).map_err(before)?;
    let known: HashSet<FileId> = place.traces().iter().map(|found| found.id).collect();
    let mut command = Command::new(&task.program);
    command.args(&task.arguments);
    if let Destination::Directory(directory) = &place {
        command.env(VARIABLE, pattern::in_directory(directory));
    }
    if task.compress {
        command.env(TRACE_COMPRESS, OsStr::from_bytes(ZSTD));
    }
    let status =
        forwarder.attend(&mut command).map_err(|error| NotStarted::of(&task.program, &error))?;
    let found = place.traces().into_iter().filter(|found| !known.contains(&found.id));
    let traces = found.map(|found| (found.path, found.length)).collect();
    forwarder.end();
    Ok(Finished { status, traces, is_off: matches!(place, Destination::Nowhere) })
}

/// Where the program writes its traces.
enum Destination {
    /// In this directory, which is absolute.
    Directory(PathBuf),
    /// Where the environment says.
    Named(Pattern),
    /// Nowhere, says the environment.
    Nowhere,
}

/// A trace.
struct TraceFile {
    path: PathBuf,
    id: FileId,
    length: u64,
}

impl Destination {
    fn new(task: &Task, pattern: Option<OsString>) -> Result<Self> {
        if let Some(pattern) = pattern.filter(|_| task.directory.is_none()) {
            return Ok(match pattern.as_bytes() {
                b"off" => Self::Nowhere,
                _ => Self::Named(Pattern::of(&pattern, &task.program)),
            });
        }
        let directory = task.directory.as_deref().unwrap_or(Path::new("."));
        let problem = || format!("cannot use {} for the traces", directory.display());
        fs::create_dir_all(directory).with_context(problem)?;
        let directory = fs::canonicalize(directory).with_context(problem)?;
        rustix::fs::access(&directory, Access::WRITE_OK | Access::EXEC_OK)
            .with_context(|| problem() + "; name another directory with -o")?;
        Ok(Self::Directory(directory))
    }

    /// The traces that are there, by name.
    fn traces(&self) -> Vec<TraceFile> {
        let files: Vec<PathBuf> = match self {
            Self::Nowhere => Vec::new(),
            Self::Named(pattern) => pattern.files_ending_in(files::TRACE),
            Self::Directory(directory) => {
                let entries = directories::entries(directory).unwrap_or_default();
                entries.iter().map(fs::DirEntry::path).collect()
            }
        };
        let here = env::current_dir().ok();
        let is_trace = |path: &PathBuf| path.extension() == Some(OsStr::new(files::TRACE));
        let found = |path: PathBuf| {
            let data = fs::metadata(&path).ok().filter(fs::Metadata::is_file)?;
            let below = here.as_ref().and_then(|here| path.strip_prefix(here).ok());
            let path = below.map_or_else(|| path.clone(), Path::to_path_buf);
            Some(TraceFile { path, id: (data.dev(), data.ino()), length: data.len() })
        };
        let mut traces: Vec<_> = files.into_iter().filter(is_trace).filter_map(found).collect();
        traces.sort_by(|a, b| a.path.cmp(&b.path));
        traces.retain(|found| file::is_trace(&found.path));
        traces
    }
}

/// Why a program that ran left no trace, as whole sentences.
pub fn explain(program: &OsStr) -> String {
    let text = format!("{} wrote no trace, nor did a program that it started.", program.display());
    let Some(path) = find_program(program) else {
        return text + " Its image was not found.";
    };
    let place = path.display();
    let reason = match arrays::read(&path) {
        Ok(_) if arrays::is_traced(&path) && env::var_os(TRACE).is_some() => format!(
            "{place} is traced as it should be, but {TRACE} is set: if it is off, a trace begins \
             where the program calls pathcc_trace_begin."
        ),
        Ok(_) if arrays::is_traced(&path) => format!(
            "{place} is traced as it should be. It may be set-user-id, have no place to write to, \
             or have been started through something that sets PATHCC_PROFILE (off writes nothing); \
             `pathprof doctor` looks for reasons."
        ),
        Ok(arrays) if !arrays.is_empty() => format!(
            "{place} counts and is not traced: `pathprof run` shows what it counts. Compile it \
             with -fpath-mode=trace for a trace."
        ),
        _ => format!(
            "{place} is no image that is traced: compile and link it with pathcc or pathc++ and \
             -fpath-mode=trace."
        ),
    };
    format!("{text} {reason}")
}
