//! Runs a plan: its compilations side by side, then its link.
//!
//! A user sees what clang's driver shows, one job after the other: messages in the order
//! of the sources, all compilations tried even after one has failed, no link after a failure, the
//! exit code of the first job that failed, and no output file of a job that failed. Messages are
//! held back until all compilations have ended: should one of them crash, nothing has been said
//! yet, and the driver can be given the whole command line to deal with it in its own way.

use crate::jobserver::Jobserver;
use crate::plan::{Job, Plan};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use wrapper::children::Children;
use wrapper::response::{self, Dialect};

/// Above this many bytes of arguments they travel in a response file, as from clang's driver.
const LONG_COMMAND: usize = 100_000;

/// The end of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// With this exit code; everything has been said.
    Code(u8),
    /// By a signal to us.
    Stopped(i32),
    /// Not in an ordinary way; nothing has been said.
    Unusual,
}

/// Where a plan runs.
#[derive(Debug)]
pub(crate) struct Site<'a> {
    /// A directory for temporary files.
    pub(crate) scratch: &'a Path,
    /// The most compilations that run at once.
    pub(crate) jobs: usize,
    /// make's own limit.
    pub(crate) jobserver: Option<&'a Jobserver>,
    /// Our child processes, to which signals are handed on.
    pub(crate) children: &'a Children,
    /// Variables for the link.
    pub(crate) environment: &'a [(&'static str, Option<OsString>)],
    /// The name that the driver's messages begin with.
    pub(crate) driver: &'a str,
}

/// The output of a compilation: files in the scratch directory.
struct JobOutput {
    stdout: PathBuf,
    stderr: PathBuf,
}

/// Runs `plan` at `site`.
///
/// # Errors
/// If our own streams or the scratch directory cannot be written.
pub(crate) fn run(plan: &Plan, site: &Site<'_>) -> io::Result<Ending> {
    let said: Vec<JobOutput> = (0..plan.compilations.len())
        .map(|number| JobOutput {
            stdout: site.scratch.join(format!("{number}.out")),
            stderr: site.scratch.join(format!("{number}.err")),
        })
        .collect();
    let statuses = compile_all(plan, &said, site);
    if let Some(signal) = site.children.stopped_by() {
        return Ok(Ending::Stopped(signal));
    }
    let mut failed = None;
    for (job, status) in plan.compilations.iter().zip(statuses) {
        match status.ok().flatten() {
            Some(status) if status.success() => {}
            Some(status) if status.code() == Some(1) => {
                remove_result(job);
                failed = failed.or(Some(1));
            }
            Some(status) if status.signal().is_some() => {
                return Ok(site
                    .children
                    .stopped_by_soon()
                    .map_or(Ending::Unusual, Ending::Stopped));
            }
            _ => return Ok(Ending::Unusual),
        }
    }
    for said in &said {
        copy(&said.stdout, &mut io::stdout().lock())?;
        copy(&said.stderr, &mut io::stderr().lock())?;
    }
    match (failed, &plan.link) {
        (Some(code), _) => Ok(Ending::Code(code)),
        (None, None) => Ok(Ending::Code(0)),
        (None, Some(job)) => link(job, plan.compilations.iter().any(Job::has_colours), site),
    }
}

type Outcome = io::Result<Option<ExitStatus>>;

/// Runs the compilations, the first ones first.
fn compile_all(plan: &Plan, said: &[JobOutput], site: &Site<'_>) -> Vec<Outcome> {
    let count = plan.compilations.len();
    let outcomes: Vec<Mutex<Outcome>> = (0..count).map(|_| Mutex::new(Ok(None))).collect();
    let next = AtomicUsize::new(0);
    let stopped = || site.children.stopped_by().is_some();
    let work = || {
        loop {
            let _token = match site.jobserver.map(|server| server.acquire(&stopped)) {
                Some(None) => return,
                token => token.flatten(),
            };
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return;
            }
            let outcome = compile(&plan.compilations[number], &said[number], site.children);
            *outcomes[number].lock().unwrap_or_else(PoisonError::into_inner) = outcome;
        }
    };
    match rayon::ThreadPoolBuilder::new().num_threads(site.jobs.min(count)).build() {
        Ok(pool) => drop(pool.broadcast(|_| work())),
        Err(_) => work(),
    }
    outcomes
        .into_iter()
        .map(|outcome| outcome.into_inner().unwrap_or_else(PoisonError::into_inner))
        .collect()
}

fn compile(job: &Job, said: &JobOutput, children: &Children) -> Outcome {
    let mut command = Command::new(&job.program);
    command.args(&job.arguments).stdin(Stdio::null());
    command.stdout(File::create_new(&said.stdout)?).stderr(File::create_new(&said.stderr)?);
    children.run(&mut command)
}

/// Links, and says what the driver says if that fails.
fn link(job: &Job, colours: bool, site: &Site<'_>) -> io::Result<Ending> {
    let mut command = Command::new(&job.program);
    if job.arguments.iter().map(|argument| argument.len() + 1).sum::<usize>() > LONG_COMMAND {
        let file = site.scratch.join("response.txt");
        File::create_new(&file)?.write_all(&response::join(&job.arguments, Dialect::Gnu))?;
        let mut argument = OsString::from("@");
        argument.push(file);
        command.arg(argument);
    } else {
        command.args(&job.arguments);
    }
    for (name, value) in site.environment {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let status = match site.children.run(&mut command) {
        Ok(Some(status)) if status.success() => return Ok(Ending::Code(0)),
        Ok(Some(status)) => status,
        Ok(None) => return Ok(site.children.stopped_by().map_or(Ending::Unusual, Ending::Stopped)),
        Err(error) => {
            complain(site.driver, colours, &format!("unable to execute command: {error}"))?;
            return Ok(Ending::Code(1));
        }
    };
    let stopped = if status.signal().is_some() {
        site.children.stopped_by_soon()
    } else {
        site.children.stopped_by()
    };
    if let Some(signal) = stopped {
        return Ok(Ending::Stopped(signal));
    }
    remove_result(job);
    let (messages, code) = judgement(status);
    messages.iter().try_for_each(|message| complain(site.driver, colours, message))?;
    Ok(Ending::Code(code))
}

/// The message of clang's driver about a linker that failed, and the exit code that follows. Some
/// codes mean something to it: 74 that nobody reads its output any more, 126 and 127 that the
/// linker was not executed, 70 and those above 128 that it crashed.
fn judgement(status: ExitStatus) -> (Vec<String>, u8) {
    let hint = "(use -v to see invocation)";
    let signalled = |reason: &str| {
        let command = format!("unable to execute command: {reason}");
        (vec![command, format!("linker command failed due to signal {hint}")], 1)
    };
    match status.code() {
        Some(74) => (Vec::new(), 74),
        Some(126) => signalled("Program could not be executed"),
        Some(127) => signalled("No such file or directory"),
        Some(code) => {
            let exit = u8::try_from(code).ok().filter(|code| *code != 70 && *code <= 128);
            (vec![format!("linker command failed with exit code {code} {hint}")], exit.unwrap_or(1))
        }
        None => {
            let core = if status.core_dumped() { " (core dumped)" } else { "" };
            signalled(&format!("{}{core}", signal_name(status.signal().unwrap_or(0))))
        }
    }
}

/// Says something in the way of clang's driver.
fn complain(driver: &str, colours: bool, message: &str) -> io::Result<()> {
    let mut stderr = io::stderr().lock();
    if colours {
        writeln!(stderr, "{driver}: \x1b[0;1;31merror: \x1b[0m\x1b[1m{message}\x1b[0m")
    } else {
        writeln!(stderr, "{driver}: error: {message}")
    }
}

/// The C library's description of a signal that ends a program.
fn signal_name(signal: i32) -> String {
    use signal_hook::consts::*;
    match signal {
        SIGHUP => "Hangup".into(),
        SIGINT => "Interrupt".into(),
        SIGQUIT => "Quit".into(),
        SIGILL => "Illegal instruction".into(),
        SIGTRAP => "Trace/breakpoint trap".into(),
        SIGABRT => "Aborted".into(),
        SIGBUS => "Bus error".into(),
        SIGFPE => "Floating point exception".into(),
        SIGKILL => "Killed".into(),
        SIGSEGV => "Segmentation fault".into(),
        SIGPIPE => "Broken pipe".into(),
        SIGALRM => "Alarm clock".into(),
        SIGTERM => "Terminated".into(),
        SIGXCPU => "CPU time limit exceeded".into(),
        SIGXFSZ => "File size limit exceeded".into(),
        SIGSYS => "Bad system call".into(),
        other => format!("Unknown signal {other}"),
    }
}

/// Removes the output of a job that failed, as the driver does: an older file of that name, too,
/// but neither a device nor a file that may not be written.
fn remove_result(job: &Job) {
    let Some(output) = job.output() else { return };
    let removable = std::fs::metadata(output).is_ok_and(|file| file.is_file())
        && rustix::fs::access(output, rustix::fs::Access::WRITE_OK).is_ok();
    if removable {
        // As in the driver, that it could not be removed is not worth a message.
        let _ = std::fs::remove_file(output);
    }
}

fn copy(from: &Path, to: &mut dyn Write) -> io::Result<()> {
    io::copy(&mut File::open(from)?, to)?;
    to.flush()
}
