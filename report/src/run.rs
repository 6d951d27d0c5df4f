//! Runs a program so that its profiles can be found afterwards, and stays out of its way.
//!
//! Standard input, output and error are the program's own. Signals that a terminal sends reach it directly; those that
//! are sent to this process alone are handed on. Afterwards this process still exists to report.

use std::collections::HashMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::SystemTime;

use anyhow::{Context, Error, Result, anyhow};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;
use tempfile::TempDir;

use crate::inputs;

/// The runtime's environment variable.
const VARIABLE: &str = "PATHCC_PROFILE";

/// What to run.
#[derive(Clone, Debug)]
pub struct Task {
    /// The program, looked up in `PATH` unless it has a slash.
    pub program: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Where profiles go; `None` is the current directory.
    pub directory: Option<PathBuf>,
}

/// What became of it.
#[derive(Debug)]
pub struct Finished {
    /// How the program ended.
    pub status: ExitStatus,
    /// The profiles that it and its children wrote, where they are now.
    pub profiles: Vec<PathBuf>,
    /// Why they could not be put where they were wanted.
    pub problem: Option<Error>,
}

/// Why a program could not be started.
#[derive(Debug)]
pub struct NotStarted {
    /// The reason.
    pub error: Error,
    /// Exit code that shells use for it: 127 if there is no such program, otherwise 126.
    pub code: u8,
}

impl Finished {
    /// Exit code as a shell reports it: the program's, or 128 plus the number of the signal that ended it.
    pub fn code(&self) -> u8 {
        let code = self.status.code().or_else(|| self.status.signal().map(|signal| 128 + signal));
        code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
    }
}

/// Runs the program to its end and gathers its profiles.
///
/// # Errors
/// Only if it could not be started.
pub fn run(task: &Task) -> Result<Finished, NotStarted> {
    let before = |error| NotStarted { error, code: 126 };
    let place = Place::new(task.directory.as_deref()).map_err(before)?;
    let mut command = Command::new(&task.program);
    command.args(&task.arguments).env(VARIABLE, pattern(place.path()));
    let status = attend(&mut command).map_err(|error| NotStarted {
        code: if error.kind() == io::ErrorKind::NotFound { 127 } else { 126 },
        error: anyhow!("cannot run {}: {error}", task.program.display()),
    })?;
    let (profiles, problem) = place.gather();
    Ok(Finished { status, profiles, problem })
}

/// The value of the variable that means "in this directory, under the default name".
fn pattern(directory: &Path) -> OsString {
    let mut bytes = Vec::new();
    for &byte in directory.as_os_str().as_bytes() {
        bytes.extend(if byte == b'%' { b"%%".as_slice() } else { std::slice::from_ref(&byte) });
    }
    bytes.push(b'/');
    OsString::from_vec(bytes)
}

/// Where the program writes its profiles.
enum Place {
    /// In a fresh directory, from which they are moved to the current one.
    Fresh(TempDir),
    /// In a directory that holds these files already.
    Given(PathBuf, HashMap<PathBuf, Option<SystemTime>>),
}

impl Place {
    fn new(directory: Option<&Path>) -> Result<Self> {
        let Some(directory) = directory else {
            let fresh = tempfile::Builder::new().prefix("pathprof-").tempdir();
            return Ok(Place::Fresh(fresh.context("cannot make a directory for the profiles")?));
        };
        let problem = || format!("cannot use {} for the profiles", directory.display());
        fs::create_dir_all(directory).with_context(problem)?;
        let absolute = fs::canonicalize(directory).with_context(problem)?;
        let files = inputs::in_directory(&absolute)?;
        Ok(Place::Given(absolute, files.into_iter().map(|file| (file.clone(), written(&file))).collect()))
    }

    fn path(&self) -> &Path {
        match self {
            Place::Fresh(directory) => directory.path(),
            Place::Given(directory, _) => directory,
        }
    }

    /// The new profiles, and what went wrong on the way.
    fn gather(self) -> (Vec<PathBuf>, Option<Error>) {
        let files = match inputs::in_directory(self.path()) {
            Ok(files) => files,
            Err(error) => return (Vec::new(), Some(error)),
        };
        match self {
            Place::Given(_, before) => {
                let fresh = |file: &PathBuf| before.get(file).is_none_or(|&at| at != written(file));
                (files.into_iter().filter(fresh).collect(), None)
            }
            Place::Fresh(directory) => match files.iter().map(|file| bring_here(file)).collect::<Result<Vec<_>>>() {
                Ok(moved) => (moved, None),
                Err(error) => {
                    let kept = directory.keep();
                    let error = error.context(format!("the profiles stay in {}", kept.display()));
                    (inputs::in_directory(&kept).unwrap_or_default(), Some(error))
                }
            },
        }
    }
}

fn written(file: &Path) -> Option<SystemTime> {
    file.metadata().and_then(|data| data.modified()).ok()
}

/// Moves `file` into the current directory; an older profile of that name is not replaced.
fn bring_here(file: &Path) -> Result<PathBuf> {
    let name = Path::new(file.file_name().context("a profile has no name")?);
    let numbered = (2..).map(|number| inputs::numbered(name, number));
    let target = std::iter::once(name.to_path_buf()).chain(numbered).find(|target| !target.exists());
    let target = target.context("all names are taken")?;
    fs::rename(file, &target)
        .or_else(|_| fs::copy(file, &target).and_then(|_| fs::remove_file(file)))
        .with_context(|| format!("cannot write {} in the current directory", target.display()))?;
    Ok(target)
}

/// Runs `command` to its end while this process survives the signals that end the command.
fn attend(command: &mut Command) -> io::Result<ExitStatus> {
    let ignored = ignored_signals();
    let watched = [SIGINT, SIGQUIT, SIGTERM, SIGHUP].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
    let watched: Vec<_> = watched.collect();
    let over = Arc::new(AtomicBool::new(false));
    for &signal in &watched {
        // Once the program is over, signals do again what they always do.
        signal_hook::flag::register_conditional_default(signal, Arc::clone(&over))?;
    }
    let mut signals = Signals::new(&watched)?;
    let handle = signals.handle();
    let mut child = command.spawn()?;
    let alive = Arc::new(Mutex::new(process_id(&child)));
    let target = Arc::clone(&alive);
    let forwarder = thread::spawn(move || {
        for signal in signals.forever() {
            let target = target.lock().map(|target| *target).unwrap_or(None);
            // SIGINT and SIGQUIT come from the terminal, which sends them to the program itself.
            let signal = match signal {
                SIGTERM => Some(Signal::TERM),
                SIGHUP => Some(Signal::HUP),
                _ => None,
            };
            if let (Some(target), Some(signal)) = (target, signal) {
                // The program may be gone already; then there is nobody to tell.
                let _ = kill_process(target, signal);
            }
        }
    });
    if let Some(id) = process_id(&child) {
        // Wait without reaping, so that the process id stays the program's until nobody uses it any more.
        let exit = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while waitid(WaitId::Pid(id), exit).is_err_and(|error| error == Errno::INTR) {}
    }
    if let Ok(mut alive) = alive.lock() {
        *alive = None;
    }
    let status = child.wait();
    over.store(true, Ordering::SeqCst);
    handle.close();
    // A panic in the forwarder cannot be helped, and the program has ended anyway.
    let _ = forwarder.join();
    status
}

fn process_id(child: &Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}

/// The signals that this process was started to ignore, as a bit mask; the program shall ignore them, too
/// (a handler here would make them deadly there).
fn ignored_signals() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

/// The file that running `program` starts.
pub fn find_program(program: &OsStr) -> Option<PathBuf> {
    let path = Path::new(program);
    if program.as_bytes().contains(&b'/') {
        return Some(path.to_path_buf());
    }
    let search = env::var_os("PATH")?;
    env::split_paths(&search).map(|directory| directory.join(path)).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_signs_are_not_patterns() {
        assert_eq!(pattern(Path::new("/tmp/50%e")), "/tmp/50%%e/");
    }
}
