//! Does what a command line asks for: prints a text, becomes clang, or compiles several sources
//! side by side. [`task`](crate::task) decides which.

use crate::environment::Environment;
use crate::invocation::Invocation;
use crate::jobserver::Jobserver;
use crate::parallel::{self, Ending, Site};
use crate::plan::{self, Plan};
use crate::process;
use crate::task::{Action, Counted, Line, Request, Task};
use crate::terminal;
use crate::toolchain::{self, Installation};
use anyhow::{Context, Result};
use std::ffi::OsString;
use std::fs::{File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};
use wrapper::children::Children;

/// Does what the command line says. Returns only if this process was not replaced by another one.
///
/// # Errors
/// Whatever keeps pathcc from starting clang as asked.
pub(crate) fn run(environment: Environment) -> Result<ExitCode> {
    let own = toolchain::own_executable()?;
    let line = match Line::read(&environment, &own)? {
        Request::Help(text) => return print(&text),
        Request::Line(line) => line,
    };
    if let Some(help) = line.help() {
        // A closed stream has no reader.
        let _ = io::stdout().write_all(help.as_bytes());
    }
    let Task { warnings, action } = line.task()?;
    warnings.iter().for_each(|warning| say(&format!("warning: {warning}")));
    match action {
        Action::Show(text) => {
            // As above.
            let _ = io::stdout().write_all(text.as_bytes());
            Ok(ExitCode::SUCCESS)
        }
        Action::Print(text) => print(&text),
        Action::Replace(invocation) => finish(&environment, &invocation),
        Action::Count(counted) => count(&environment, &counted),
    }
}

/// Runs a compilation that counts: side by side if it has several sources, else in the place of
/// this process.
fn count(environment: &Environment, counted: &Counted) -> Result<ExitCode> {
    counted.compiler.check_version()?;
    let Counted { invocation, installation, jobs, may_split, .. } = counted;
    let ending = may_split
        .then(|| compile_side_by_side(environment, invocation, installation, *jobs))
        .flatten();
    match ending {
        Some(Ending::Code(code)) => return Ok(ExitCode::from(code)),
        Some(Ending::Stopped(signal)) => signal_hook::low_level::emulate_default_handler(signal)?,
        Some(Ending::Unusual) | None => {}
    }
    finish(environment, invocation)
}

/// Prints a message for the user. A closed stream is no failure.
fn say(message: &str) {
    let _ = writeln!(io::stderr(), "pathcc: {message}");
}

/// Prints a line that was asked for.
fn print(line: &str) -> Result<ExitCode> {
    writeln!(io::stdout(), "{line}").context("cannot write to the standard output")?;
    Ok(ExitCode::SUCCESS)
}

/// Replaces this process, or shows by what.
fn finish(environment: &Environment, invocation: &Invocation) -> Result<ExitCode> {
    if environment.dry_run {
        return print(&process::shell_line(invocation));
    }
    match process::replace(invocation)? {}
}

/// Runs a command line with several sources as a plan. Nothing if there is no plan that we can run.
fn compile_side_by_side(
    environment: &Environment,
    invocation: &Invocation,
    installation: &Installation,
    wanted_jobs: Option<usize>,
) -> Option<Ending> {
    let jobserver = environment.makeflags.as_deref().and_then(Jobserver::from_makeflags);
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = wanted_jobs.unwrap_or_else(cores);
    if jobs < 2 {
        return None;
    }
    // From here on a signal must not leave the directory behind, so it is watched for first.
    let children = Children::watching_signals().ok()?;
    // Nobody else may look or write into it, whatever the umask is.
    let private = Permissions::from_mode(0o700);
    let scratch = tempfile::Builder::new().prefix("pathcc-").permissions(private).tempdir().ok()?;
    let scratch_path: PathBuf = scratch.path().canonicalize().ok()?;
    let plan = ask_for_plan(invocation, &scratch_path, &installation.linker, &children);
    let ending = match plan {
        None => children.stopped_by().map(Ending::Stopped),
        Some(plan) if environment.dry_run => {
            let shown = show(&plan, invocation);
            Some(Ending::Code(u8::from(shown.is_err())))
        }
        Some(plan) => {
            let driver =
                Path::new(&invocation.argv0).file_name().unwrap_or_default().to_string_lossy();
            let site = Site {
                scratch: &scratch_path,
                jobs,
                jobserver: jobserver.as_ref(),
                children: &children,
                environment: &invocation.environment,
                driver: &driver,
            };
            // Closed streams have no reader.
            Some(parallel::run(&plan, &site).unwrap_or(Ending::Code(1)))
        }
    };
    drop(scratch);
    // Whatever comes next does not watch for signals.
    children.release();
    children.stopped_by().map(Ending::Stopped).or(ending)
}

/// Asks clang's driver what it would do.
fn ask_for_plan(
    invocation: &Invocation,
    scratch: &Path,
    linker: &Path,
    children: &Children,
) -> Option<Plan> {
    let mut question = invocation.clone();
    let mut first = vec![OsString::from("-###"), "--start-no-unused-arguments".into()];
    first.extend(terminal::message_options());
    first.push("--end-no-unused-arguments".into());
    question.arguments.splice(0..0, first);
    let answer = scratch.join("plan.txt");
    let mut command = process::command(&question);
    command.env("TMPDIR", scratch).stdin(Stdio::null()).stdout(Stdio::null());
    command.stderr(File::create_new(&answer).ok()?);
    let status = children.run(&mut command).ok()??;
    if !status.success() {
        return None;
    }
    plan::parse(&std::fs::read(&answer).ok()?, scratch, linker)
}

/// Prints a plan, one command a line.
fn show(plan: &Plan, invocation: &Invocation) -> Result<()> {
    let environment = |is_link| if is_link { invocation.environment.clone() } else { Vec::new() };
    let compilations = plan.compilations.iter().map(|job| (job, false));
    for (job, is_link) in compilations.chain(plan.link.iter().map(|job| (job, true))) {
        let shown = Invocation {
            program: job.program.clone(),
            argv0: job.program.clone().into_os_string(),
            arguments: job.arguments.clone(),
            environment: environment(is_link),
        };
        print(&process::shell_line(&shown))?;
    }
    Ok(())
}
