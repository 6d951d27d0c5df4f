//! Runs a program so that its profiles can be found afterwards, and stays out of its way.
//!
//! Standard input, output and error are the program's own. When it has ended, this process still
//! exists to report.

use std::collections::HashSet;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use anyhow::{Context, Error, Result, anyhow};
use pathformat::files;
use pathformat::profile::RunId;
use profile::combine::{standing, store};
use profile::file_names::state_directory;
use profile::inputs;
use profile::records::{self, Input, Record};
use tempfile::TempDir;

use crate::launch::lookup::find_program;
use crate::launch::pattern::{self, Pattern, VARIABLE};
use crate::launch::preload;
use crate::launch::signals::SignalForwarder;

/// A file system in memory that Linux has.
const SHARED_MEMORY: &str = "/dev/shm";

/// What to run.
#[derive(Clone, Debug)]
pub struct Task {
    /// The program, looked up in `PATH` unless it has a slash.
    pub program: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Where profiles go. `None` means where `PATHCC_PROFILE` says, or else the current directory.
    pub directory: Option<PathBuf>,
    /// Whether images that another linker made count wherever they are, not only the program
    /// itself.
    pub preload: bool,
}

/// What became of it.
#[derive(Debug)]
pub struct Finished {
    /// How the program ended.
    pub status: ExitStatus,
    /// What it and its children recorded, where that is now.
    pub profiles: Vec<Input>,
    /// Why the profiles are not where they were wanted.
    pub problem: Option<Error>,
    /// Whether the environment says that nothing is to be written.
    pub is_off: bool,
}

/// Why a program could not be started.
#[derive(Debug)]
pub struct NotStarted {
    /// The reason.
    pub error: Error,
    /// Exit code that shells use for it: 127 if there is no such program, otherwise 126.
    pub code: u8,
}

impl NotStarted {
    /// The system's reason why a program could not be started.
    pub fn of(program: &OsStr, error: &io::Error) -> Self {
        let name = program.display();
        let is_missing = error.kind() == io::ErrorKind::NotFound;
        // Shells do not look here, either.
        let is_here = is_missing && find_program(program).is_none() && Path::new(program).is_file();
        let hint = if is_here { format!("; did you mean ./{name}?") } else { String::new() };
        Self {
            error: anyhow!("cannot run {name}: {error}{hint}"),
            code: if is_missing { 127 } else { 126 },
        }
    }
}

impl Finished {
    /// Exit code as a shell reports it: the program's, or 128 plus the number of the signal that
    /// ended it.
    pub fn code(&self) -> u8 {
        code(self.status)
    }
}

/// Exit code of a program that ended so, as a shell reports it.
pub fn code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

/// Runs the program to its end and gathers its profiles.
///
/// # Errors
/// Only if it could not be started.
pub fn run(task: &Task) -> Result<Finished, NotStarted> {
    let before = |error| NotStarted { error, code: 126 };
    // Watched for first and last, so that no signal leaves a directory behind.
    let forwarder = SignalForwarder::new()
        .map_err(|error| before(Error::new(error).context("cannot watch for signals")))?;
    let destination = Destination::new(task, pattern::of_environment()).map_err(before)?;
    let mut command = Command::new(&task.program);
    command.args(&task.arguments);
    if let Some(directory) = destination.directory() {
        command.env(VARIABLE, pattern::in_directory(directory));
    }
    if let Some(libraries) = preload::value(&task.program, task.preload).map_err(before)? {
        command.env(preload::VARIABLE, libraries);
    }
    let status =
        forwarder.attend(&mut command).map_err(|error| NotStarted::of(&task.program, &error))?;
    let is_off = matches!(destination, Destination::Nowhere);
    let (profiles, problem) = destination.gather();
    forwarder.end();
    Ok(Finished { status, profiles, problem, is_off })
}

/// Where the program writes its profiles.
enum Destination {
    /// In a fresh directory, from which they are taken into profiles in the current one.
    Fresh(TempDir),
    /// In a directory that holds these runs already.
    Given(PathBuf, HashSet<Known>),
    /// Where the environment says, where these runs are already.
    Named(Pattern, HashSet<Known>),
    /// Nowhere, says the environment.
    Nowhere,
}

/// A record that was there before: its run, and of a standing file the number of its runs.
type Known = (RunId, u64);

fn known(record: &Record) -> Known {
    (record.run, record.standing.as_ref().map_or(0, |block| block.starts.get()))
}

/// Returns the runs in these profiles. Their standing files are taken in, so that those found later
/// are of later runs.
fn runs_before(files: Vec<PathBuf>) -> HashSet<Known> {
    files.iter().for_each(|file| drop(standing::take_in(file, store::try_lock, &())));
    records::of_all(files).iter().flat_map(Input::records).map(known).collect()
}

/// Where a directory for profiles may be made: where temporary files go, or, if a sandbox keeps
/// that from us, in memory that processes share, where the user's state is, or here.
fn places() -> Vec<PathBuf> {
    let state = state_directory().map(|state| state.join(files::STATE));
    let places = [Some(env::temp_dir()), Some(SHARED_MEMORY.into()), state, Some(".".into())];
    places.into_iter().flatten().collect()
}

/// A new directory in the first of these places that has room for one.
///
/// # Errors
/// None has; that of the first is told.
fn fresh(places: &[PathBuf]) -> Result<TempDir> {
    let make = |(at, place): (usize, &PathBuf)| {
        // A user may have no state yet.
        if at > 0 {
            fs::create_dir_all(place)?;
        }
        // Nobody else may look or write into it, whatever the umask is.
        let private = fs::Permissions::from_mode(0o700);
        let absolute = fs::canonicalize(place)?;
        tempfile::Builder::new().prefix("pathprof-").permissions(private).tempdir_in(absolute)
    };
    let mut tried = places.iter().enumerate().map(make);
    let first = tried.next().unwrap_or_else(|| Err(io::ErrorKind::NotFound.into()));
    first
        .or_else(|error| tried.find_map(Result::ok).ok_or(error))
        .context("cannot make a directory for the profiles (see TMPDIR)")
}

impl Destination {
    fn new(task: &Task, pattern: Option<OsString>) -> Result<Self> {
        let Some(directory) = task.directory.as_deref() else {
            if let Some(pattern) = pattern {
                if pattern.as_bytes() == b"off" {
                    return Ok(Destination::Nowhere);
                }
                let pattern = Pattern::of(&pattern, &task.program);
                let before = runs_before(pattern.files());
                return Ok(Destination::Named(pattern, before));
            }
            return fresh(&places()).map(Destination::Fresh);
        };
        let problem = || format!("cannot use {} for the profiles", directory.display());
        fs::create_dir_all(directory).with_context(problem)?;
        let absolute = fs::canonicalize(directory).with_context(problem)?;
        let before = runs_before(inputs::in_directory(&absolute)?);
        Ok(Destination::Given(absolute, before))
    }

    /// The directory that the program is told to use; `None` if the environment says it already.
    fn directory(&self) -> Option<&Path> {
        match self {
            Destination::Fresh(directory) => Some(directory.path()),
            Destination::Given(directory, _) => Some(directory),
            Destination::Named(..) | Destination::Nowhere => None,
        }
    }

    /// The profiles that are new, and what went wrong on the way.
    fn gather(self) -> (Vec<Input>, Option<Error>) {
        let files = match &self {
            Destination::Named(pattern, _) => pattern.files(),
            Destination::Nowhere => Vec::new(),
            Destination::Fresh(_) | Destination::Given(..) => {
                match self.directory().map_or(Ok(Vec::new()), inputs::in_directory) {
                    Ok(files) => files,
                    Err(error) => return (Vec::new(), Some(error)),
                }
            }
        };
        match self {
            Destination::Given(_, before) | Destination::Named(_, before) => (
                records::only(records::of_all(files), |record| !before.contains(&known(record))),
                None,
            ),
            Destination::Nowhere => (Vec::new(), None),
            Destination::Fresh(directory) => {
                let taken: Result<Vec<_>> =
                    files.iter().map(|file| store::bring(file, Path::new(""))).collect();
                match taken {
                    Ok(inputs) => (inputs, None),
                    Err(error) => {
                        let kept = directory.keep();
                        let error =
                            error.context(format!("the profiles are in {}", kept.display()));
                        let files = inputs::in_directory(&kept).unwrap_or_default();
                        (records::of_all(files), Some(error))
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_no_temporary_file_can_be_made_another_place_is_taken() {
        let here = tempfile::tempdir().expect("a directory");
        let (none, state) = (here.path().join("none"), here.path().join("a/state"));
        let made = fresh(&[none.clone(), "/proc/none".into(), state.clone()]).expect("the third");
        assert_eq!(made.path().parent(), fs::canonicalize(state).ok().as_deref());
        let error = fresh(&[none, "/proc/none".into()]).expect_err("no place");
        assert!(format!("{error:#}").contains("(see TMPDIR): No such file"), "{error:#}");
        assert!(places().len() > 2);
    }

    #[test]
    fn what_a_program_writes_is_ours_alone_until_it_is_here() {
        let task =
            Task { program: "true".into(), arguments: Vec::new(), directory: None, preload: false };
        let destination = Destination::new(&task, None).expect("a place for temporary files");
        let path = destination.directory().expect("a directory").to_path_buf();
        let mode = path.metadata().expect("a directory").permissions().mode();
        assert_eq!(mode & 0o7777, 0o700);
        destination.gather();
        assert!(!path.exists(), "it is gone");
    }
}
