//! Runs a program so that its profiles can be found afterwards, and stays out of its way.
//!
//! Standard input, output and error are the program's own. Signals that a terminal sends reach it
//! directly; those that are sent to this process alone are handed on. Afterwards this process still
//! exists to report.

use std::collections::{BTreeSet, HashSet};
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use anyhow::{Context, Error, Result, anyhow};
use pathformat::profile::RunId;
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::{Handle, Signals};
use tempfile::TempDir;

use crate::combine::store;
use crate::launch::lookup::find_program;
use crate::launch::preload;
use crate::read::directories;
use crate::read::file_names::{EXTENSION, profile_of};
use crate::read::inputs;
use crate::read::records::{self, Input};

/// The runtime's environment variable.
const VARIABLE: &str = "PATHCC_PROFILE";

/// What to run.
#[derive(Clone, Debug)]
pub struct Task {
    /// The program, looked up in `PATH` unless it has a slash.
    pub program: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Where profiles go; `None` is where `PATHCC_PROFILE` says, or else the current directory.
    pub directory: Option<PathBuf>,
    /// Whether images that another linker made count wherever they are, not only the program itself.
    pub preload: bool,
}

/// What became of it.
#[derive(Debug)]
pub struct Finished {
    /// How the program ended.
    pub status: ExitStatus,
    /// What it and its children recorded, where that is now.
    pub profiles: Vec<Input>,
    /// Why they are not where they were wanted.
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

impl Finished {
    /// Exit code as a shell reports it: the program's, or 128 plus the number of the signal that
    /// ended it.
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
    // Watched for first and last, so that no signal leaves a directory behind.
    let watch = Watch::new().map_err(|error| before(Error::new(error).context("cannot watch for signals")))?;
    let place = Place::new(task, env::var_os(VARIABLE)).map_err(before)?;
    let mut command = Command::new(&task.program);
    command.args(&task.arguments);
    if let Some(directory) = place.directory() {
        command.env(VARIABLE, pattern(directory));
    }
    if let Some(libraries) = preload::value(&task.program, task.preload).map_err(before)? {
        command.env(preload::VARIABLE, libraries);
    }
    let status = watch.attend(&mut command).map_err(|error| NotStarted {
        code: if error.kind() == io::ErrorKind::NotFound { 127 } else { 126 },
        error: anyhow!("cannot run {}: {error}", task.program.display()),
    })?;
    let is_off = matches!(place, Place::Nowhere);
    let (profiles, problem) = place.gather();
    watch.end();
    Ok(Finished { status, profiles, problem, is_off })
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
    /// In a fresh directory, from which they are taken into profiles in the current one.
    Fresh(TempDir),
    /// In a directory that holds these runs already.
    Given(PathBuf, HashSet<RunId>),
    /// Where the environment says, where these runs are already.
    Named(Wanted, HashSet<RunId>),
    /// Nowhere, says the environment.
    Nowhere,
}

fn runs_in(files: Vec<PathBuf>) -> HashSet<RunId> {
    records::of_all(files).iter().flat_map(Input::records).map(|record| record.run).collect()
}

/// The files that a pattern may name.
#[derive(Debug)]
struct Wanted {
    /// Directories to search, and how many others may lie between each and a file; `None` is any
    /// number.
    places: Vec<(PathBuf, Option<usize>)>,
    /// What the paths of profiles match, seen from the directory that is searched.
    glob: String,
}

impl Wanted {
    /// From a value of the variable; each placeholder may stand for anything.
    ///
    /// `%f` is the path of whichever program runs. Where a pattern begins with it, profiles are
    /// looked for beside `program`, and in the current directory and below, where programs are that
    /// a test suite starts.
    fn of(pattern: &OsStr, program: &OsStr) -> Self {
        let mut bytes = pattern.as_bytes().to_vec();
        if Path::new(pattern).is_dir() && !bytes.ends_with(b"/") {
            bytes.push(b'/');
        }
        if bytes.ends_with(b"/") {
            bytes.extend(b"%e.pathprof");
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let fixed = text.find('%').unwrap_or(text.len());
        let (top, rest) = text.split_at(text[..fixed].rfind('/').map_or(0, |slash| slash + 1));
        let extension = format!(".{EXTENSION}");
        let (stem, extension) = match rest.strip_suffix(&extension) {
            Some(stem) => (stem, extension.as_str()),
            None => (rest, ""),
        };
        let (mut glob, mut has_program) = (String::new(), false);
        let mut letters = stem.chars();
        while let Some(c) = letters.next() {
            match c {
                '%' => match letters.next() {
                    Some('%') => glob.push('%'),
                    Some('f') => {
                        // It begins with a slash.
                        glob.push_str(if glob.is_empty() || glob.ends_with('/') { "**/*" } else { "/**/*" });
                        has_program = true;
                    }
                    _ => glob.push('*'),
                },
                '*' | '?' | '[' | ']' | '{' | '}' | '!' | '\\' => glob.extend(['\\', c]),
                _ => glob.push(c),
            }
        }
        // What tells files of one name apart stands before the extension.
        if !glob.ends_with("/*") {
            glob.push('*');
        }
        glob.push_str(extension);
        let between = rest.matches('/').count();
        let top = PathBuf::from(if top.is_empty() { "." } else { top });
        let places = if text.starts_with("%f") {
            let beside = directory_of_program(program).map(|directory| (directory, Some(between)));
            beside.into_iter().chain([(top, None)]).collect()
        } else {
            vec![(top, if has_program { None } else { Some(between) })]
        };
        Self { places, glob }
    }

    /// Those that are there.
    fn files(&self) -> Vec<PathBuf> {
        let mut found = BTreeSet::new();
        for (top, between) in &self.places {
            let mut files = Vec::new();
            match between {
                Some(between) => search(top, *between, &mut files),
                None => files.extend(directories::files_below(top).into_iter().flatten()),
            }
            for file in files {
                let profile = profile_of(&file);
                let below = profile.strip_prefix(top).unwrap_or(&profile).to_string_lossy();
                if glob_match::glob_match(&self.glob, &below) && file.is_file() {
                    found.insert(profile.strip_prefix(".").unwrap_or(&profile).to_path_buf());
                }
            }
        }
        found.into_iter().collect()
    }
}

/// The directory of a program that is not below the current one.
fn directory_of_program(program: &OsStr) -> Option<PathBuf> {
    let path = fs::canonicalize(find_program(program)?).ok()?;
    let here = env::current_dir().and_then(fs::canonicalize).ok();
    let is_below = here.is_some_and(|here| path.starts_with(here));
    path.parent().filter(|_| !is_below).map(Path::to_path_buf)
}

/// Everything that lies so many directories below one. Symbolic links are followed.
fn search(directory: &Path, between: usize, found: &mut Vec<PathBuf>) {
    for path in directories::entries(directory).into_iter().flatten().map(|entry| entry.path()) {
        if between > 0 && path.is_dir() {
            search(&path, between - 1, found);
        } else {
            found.push(path);
        }
    }
}

impl Place {
    fn new(task: &Task, pattern: Option<OsString>) -> Result<Self> {
        let Some(directory) = task.directory.as_deref() else {
            // An empty pattern is none, as for the runtime.
            if let Some(pattern) = pattern.filter(|pattern| !pattern.is_empty()) {
                if pattern.as_bytes() == b"off" {
                    return Ok(Place::Nowhere);
                }
                let wanted = Wanted::of(&pattern, &task.program);
                let before = runs_in(wanted.files());
                return Ok(Place::Named(wanted, before));
            }
            // Nobody else may look or write into it, whatever the umask is.
            let private = fs::Permissions::from_mode(0o700);
            let fresh = tempfile::Builder::new().prefix("pathprof-").permissions(private).tempdir();
            return Ok(Place::Fresh(fresh.context("cannot make a directory for the profiles")?));
        };
        let problem = || format!("cannot use {} for the profiles", directory.display());
        fs::create_dir_all(directory).with_context(problem)?;
        let absolute = fs::canonicalize(directory).with_context(problem)?;
        let before = runs_in(inputs::in_directory(&absolute)?);
        Ok(Place::Given(absolute, before))
    }

    /// The directory that the program is told of; `None` if it knows already.
    fn directory(&self) -> Option<&Path> {
        match self {
            Place::Fresh(directory) => Some(directory.path()),
            Place::Given(directory, _) => Some(directory),
            Place::Named(..) | Place::Nowhere => None,
        }
    }

    /// What is new, and what went wrong on the way.
    fn gather(self) -> (Vec<Input>, Option<Error>) {
        let files = match &self {
            Place::Named(wanted, _) => wanted.files(),
            Place::Nowhere => Vec::new(),
            Place::Fresh(_) | Place::Given(..) => match self.directory().map_or(Ok(Vec::new()), inputs::in_directory) {
                Ok(files) => files,
                Err(error) => return (Vec::new(), Some(error)),
            },
        };
        match self {
            Place::Given(_, before) | Place::Named(_, before) => {
                (records::only(records::of_all(files), |record| !before.contains(&record.run)), None)
            }
            Place::Nowhere => (Vec::new(), None),
            Place::Fresh(directory) => {
                let taken: Result<Vec<_>> = files.iter().map(|file| store::bring(file, Path::new(""))).collect();
                match taken {
                    Ok(inputs) => (inputs, None),
                    Err(error) => {
                        let kept = directory.keep();
                        let error = error.context(format!("the profiles are in {}", kept.display()));
                        let files = inputs::in_directory(&kept).unwrap_or_default();
                        (records::of_all(files), Some(error))
                    }
                }
            }
        }
    }
}

/// How far the program has come.
#[derive(Clone, Copy)]
enum Program {
    /// It has not started; this signal is for it.
    Awaited(Option<Signal>),
    /// It runs.
    Running(Pid),
    /// It has ended.
    Over,
}

/// Survives the signals that end a program, and hands them on.
struct Watch {
    /// Whether signals do again what they always do.
    over: Arc<AtomicBool>,
    program: Arc<Mutex<Program>>,
    handle: Handle,
    forwarder: thread::JoinHandle<()>,
}

impl Watch {
    fn new() -> io::Result<Self> {
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
        let program = Arc::new(Mutex::new(Program::Awaited(None)));
        let target = Arc::clone(&program);
        let forwarder = thread::spawn(move || {
            for signal in signals.forever() {
                hand_on(signal, &mut target.lock().unwrap_or_else(PoisonError::into_inner));
            }
        });
        Ok(Self { over, program, handle, forwarder })
    }

    /// Runs `command` to its end.
    fn attend(&self, command: &mut Command) -> io::Result<ExitStatus> {
        let program = || self.program.lock().unwrap_or_else(PoisonError::into_inner);
        let mut child = command.spawn()?;
        if let Some(id) = process_id(&child) {
            let before = std::mem::replace(&mut *program(), Program::Running(id));
            if let Program::Awaited(Some(signal)) = before {
                let _ = kill_process(id, signal);
            }
            // Wait without reaping, so that the process id stays the program's until nobody uses it
            // any more.
            let exit = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            while waitid(WaitId::Pid(id), exit).is_err_and(|error| error == Errno::INTR) {}
        }
        *program() = Program::Over;
        child.wait()
    }

    /// From now on signals do again what they always do.
    fn end(self) {
        self.over.store(true, Ordering::SeqCst);
        self.handle.close();
        // A panic in the forwarder cannot be helped, and the program has ended anyway.
        let _ = self.forwarder.join();
    }
}

/// Hands a signal on to the program, or keeps it until there is one.
fn hand_on(signal: i32, program: &mut Program) {
    match program {
        Program::Awaited(kept) => *kept = Signal::from_named_raw(signal),
        // SIGINT and SIGQUIT come from the terminal, which sends them to the program itself.
        Program::Running(id) if matches!(signal, SIGTERM | SIGHUP) => {
            // The program may be gone already; then there is nobody to tell.
            let _ = Signal::from_named_raw(signal).map(|signal| kill_process(*id, signal));
        }
        Program::Running(_) | Program::Over => {}
    }
}

fn process_id(child: &Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}

/// The signals that this process was started to ignore, as a bit mask; the program shall ignore
/// them, too (a handler here would make them deadly there).
fn ignored_signals() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_waits_for_the_program() {
        let mut program = Program::Awaited(None);
        hand_on(SIGTERM, &mut program);
        assert!(matches!(program, Program::Awaited(Some(Signal::TERM))));
        let watch = Watch::new().expect("handlers");
        *watch.program.lock().expect("no panic") = program;
        let status = watch.attend(Command::new("sleep").arg("600")).expect("there is such a program");
        assert_eq!(status.signal(), Some(SIGTERM));
        watch.end();
    }

    #[test]
    fn what_a_program_writes_is_ours_alone_until_it_is_here() {
        let task = Task { program: "true".into(), arguments: Vec::new(), directory: None, preload: false };
        let place = Place::new(&task, None).expect("a place for temporary files");
        let path = place.directory().expect("a directory").to_path_buf();
        let mode = path.metadata().expect("a directory").permissions().mode();
        assert_eq!(mode & 0o7777, 0o700);
        place.gather();
        assert!(!path.exists(), "it is gone");
    }

    #[test]
    fn percent_signs_are_not_patterns() {
        assert_eq!(pattern(Path::new("/tmp/50%e")), "/tmp/50%%e/");
    }

    #[test]
    fn a_pattern_names_files() {
        let wanted = |pattern: &str| {
            let Wanted { places, glob } = Wanted::of(OsStr::new(pattern), OsStr::new("/proc/self/exe"));
            let [.., (top, between)] = &places[..] else { panic!("no place") };
            let between = between.map_or("any".into(), |between| between.to_string());
            format!("{} {between} {glob}", top.display())
        };
        assert_eq!(wanted("/a/b/%e.%p.pathprof"), "/a/b/ 0 *.**.pathprof");
        assert_eq!(wanted("/a/b%%/%h/x"), "/a/ 2 b%/*/x*");
        assert_eq!(wanted("x.pathprof"), ". 0 x*.pathprof");
        assert_eq!(wanted("no-such[1]/"), "no-such[1]/ 0 **.pathprof");
        assert_eq!(wanted("/x/%f.pathprof"), "/x/ any **/*.pathprof");
        assert_eq!(wanted("/x/a%f-%p"), "/x/ any a/**/*-**");
        assert_eq!(wanted("%f.pathprof"), ". any **/*.pathprof");
        assert_eq!(wanted("/x/%%f/"), "/x/ 1 %f/*.pathprof");
        assert_eq!(wanted("%p/[1].prof"), ". 1 */\\[1\\].prof*");
    }
}
