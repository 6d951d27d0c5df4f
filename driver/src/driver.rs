//! What happens, in order: the way from a command line to the process that does the work.

use crate::clang_options;
use crate::command_line::{self, CommandLine, value_of};
use crate::config::Config;
use crate::environment::Environment;
use crate::help;
use crate::invocation::{self, Counting, Invocation};
use crate::jobserver::Jobserver;
use crate::launcher::{self, Front};
use crate::linker;
use crate::options::{self, EARLY};
use crate::parallel::{self, Ending, Site};
use crate::plan::{self, Plan};
use crate::print_config;
use crate::process;
use crate::role::{Language, ProgramName};
use crate::setting::Key;
use crate::settings::Settings;
use crate::system_directories;
use crate::terminal;
use crate::toolchain::{self, Compiler, Installation};
use crate::trust::Trust;
use anyhow::{Context, Result};
use pathformat::variables::CONFIG;
use std::ffi::{OsStr, OsString};
use std::fs::{File, Permissions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};
use wrapper::children::Children;
use wrapper::programs;

/// The driver modes in which clang takes the options that we prepend.
const MODES: [&str; 3] = ["gcc", "g++", "cpp"];

/// Does what the command line says. Returns only if this process was not replaced by another one.
///
/// # Errors
/// Whatever keeps pathcc from starting clang as asked.
pub(crate) fn run(environment: Environment) -> Result<ExitCode> {
    let own = toolchain::own_executable()?;
    let (front, arguments) = launcher::split(&environment.arguments)?;
    let words = CommandLine::new(arguments, &command_line::read_regular_file);
    let role = ProgramName::of(&environment.called_as).role;
    if words.has(options::HELP) {
        return print(help::whole(role.language).trim_end());
    }
    let mut compiler = Compiler::find(&environment, &own, &front, &role)?;
    if words.has("-no-canonical-prefixes") {
        compiler = compiler.with_existing_name();
    }
    let launcher = if let Front::Launcher(launcher, _) = &front { Some(launcher) } else { None };

    if words.has("--help") && !environment.disable && !environment.dry_run {
        // If our own stream is closed there is nobody to tell.
        let _ = io::stdout().write_all(help::text(compiler.language).as_bytes());
    }
    let asked = options::SHOWS.iter().any(|show| words.has(show.flag));
    let plain = || invocation::compose(&compiler, launcher, &words, None, environment.stale_linker);
    if (environment.disable && !asked) || is_for_clang_alone(arguments, &words) {
        return finish(&environment, &plain());
    }

    let flags = Settings::from_words(&words)?;
    let config = Config::find(
        environment.config.as_ref(),
        std::env::current_dir().ok().as_deref(),
        &Trust::of_process(),
    )?;
    let variables = Settings::from_variables(|name| environment.option(name))?;
    let settings = flags.clone().or(variables.clone()).or(config.settings.clone());
    settings.check(&|key| {
        let is_in_file = flags.given(key).is_none() && variables.given(key).is_none();
        config.file.as_deref().filter(|_| is_in_file)
    })?;
    if words.has(options::PRINT_CONFIG) {
        let shown = print_config::text(
            &environment,
            &config,
            [&flags, &variables],
            &compiler,
            &Installation::of(&own)?,
        );
        // If our own stream is closed there is nobody to tell.
        let _ = io::stdout().write_all(shown.as_bytes());
        return Ok(ExitCode::SUCCESS);
    }
    let [compiles, links] = [options::CFLAGS, options::LDFLAGS].map(|flag| words.has(flag));
    if compiles || links {
        let words = invocation::for_clang(
            &Installation::of(&own)?,
            &plugin_options(&settings, &words),
            compiles,
            links,
        );
        let words: Vec<_> = words.iter().map(|word| process::quoted(word)).collect();
        return print(&words.join(" "));
    }
    for (path, why) in &config.refused {
        say(&format!(
            "warning: {} is not obeyed: {why}; to obey it all the same set {CONFIG} to it",
            path.display()
        ));
    }
    if let Some(target) = clang_options::foreign_target(&words, &role.prefix) {
        let compiles =
            ["-c", "-S"].iter().any(|option| words.has(option)) || linker::may_link(&words);
        if compiles && !environment.dry_run {
            say(&format!(
                "warning: {target}: only x86-64 Linux is supported, so that paths are not counted"
            ));
        }
        return finish(&environment, &plain());
    }
    let mut options = plugin_options(&settings, &words);
    options.extend(clang_options::why_skipped(&words).map(|why| format!("-pathcc-skip={why}")));
    if settings.is(Key::Stage, EARLY) && clang_options::has_profiler(&words) {
        options.push("-pathcc-behind-profile=yes".to_owned());
    }
    let directories = system_directories::named(&words, &|name| environment.header_path(name));
    options.extend(directories.iter().filter_map(|directory| {
        // The plugin keeps texts; a name that is none names no file of its debug information.
        Some(format!("-pathcc-system={}", directory.to_str()?))
    }));
    let installation = Installation::of(&own)?;
    compiler.check_version()?;

    let linker = linker::may_link(&words)
        .then(|| real_linker(&environment, &compiler, &words, &installation));
    let counting = Counting { installation: &installation, options, linker };
    let invocation =
        invocation::compose(&compiler, launcher, &words, Some(&counting), environment.stale_linker);

    let wanted_jobs: Option<usize> = settings.number(Key::Jobs);
    let has_plan =
        launcher.is_none() && compiler.language != Language::Fortran && !words.can_be_read_once();
    if wanted_jobs != Some(1) && has_plan && !environment.driver_logs && plan::is_worthwhile(&words)
    {
        match compile_side_by_side(&environment, &invocation, &installation, wanted_jobs) {
            Some(Ending::Code(code)) => return Ok(ExitCode::from(code)),
            Some(Ending::Stopped(signal)) => {
                signal_hook::low_level::emulate_default_handler(signal)?;
            }
            Some(Ending::Unusual) | None => {}
        }
    }
    finish(&environment, &invocation)
}

/// Tells the user something; if nobody listens, it is not worth a failure.
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

/// The plugin's options. Before optimisation, the names of blocks tell which of them the source
/// has; whoever asks clang for names has them in what it writes, too.
fn plugin_options(settings: &Settings, words: &CommandLine) -> Vec<String> {
    let mut options = settings.plugin_options();
    if settings.is(Key::Stage, EARLY) && !words.has("-fno-discard-value-names") {
        options.push(invocation::DROPS_NAMES.to_owned());
    }
    options
}

/// Whether clang is something else than the driver we know: its inner programs, which are named by
/// the first argument, or a driver for another compiler's command line.
fn is_for_clang_alone(arguments: &[OsString], words: &CommandLine) -> bool {
    arguments.first().is_some_and(|first| first.as_bytes().starts_with(b"-cc1"))
        || words
            .own()
            .filter_map(|word| value_of(word, "--driver-mode="))
            .any(|mode| !MODES.iter().any(|known| mode == *known))
}

/// The linker behind pathld: the command line's choice, else the user's own `PATHLD_REAL`, which is
/// left alone, else the default.
fn real_linker(
    environment: &Environment,
    compiler: &Compiler,
    words: &CommandLine,
    installation: &Installation,
) -> linker::Real {
    let elsewhere = environment.users_linker.is_none()
        && (environment.compiler_path || compiler.has_target_prefix);
    let first = |name: &OsStr| programs::named(name, &environment.path).next();
    let default = first(OsStr::new("ld")).map(programs::absolute);
    let ask = |name: &OsStr| {
        if compiler.language == Language::Fortran || words.can_be_read_once() {
            // flang does not answer, and clang would read the words that it compiles by.
            let beside = compiler.program.with_file_name(name);
            let beside = programs::is_executable(&beside).then_some(beside);
            return first(name).map(programs::absolute).or(beside);
        }
        let mut question = OsString::from("-print-prog-name=");
        question.push(name);
        let mut plain = invocation::compose(compiler, None, words, None, false);
        plain.arguments.insert(0, question);
        let answer =
            process::command(&plain).stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
        let path = Path::new(OsStr::from_bytes(answer.stdout.trim_ascii_end()));
        programs::is_executable(path).then(|| std::path::absolute(path).ok()).flatten()
    };
    linker::real(words, &installation.linker, elsewhere, default.as_deref(), &ask)
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
            // If our own streams are closed there is nobody to tell.
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
