//! Decides what a command line asks for, as a value: from the words to the compiler, from that to
//! the settings, and from both to a text, to clang as it is, or to a compilation that counts.
//!
//! Nothing is printed and nothing is run here, but for questions that clang answers.

use crate::clang_options::{self, Sanitizer};
use crate::command_line::{self, CommandLine, value_of};
use crate::environment::Environment;
use crate::help;
use crate::invocation::{self, Counting, Invocation};
use crate::launcher::{self, Front};
use crate::linker;
use crate::plan;
use crate::print_config;
use crate::process;
use crate::role::{Language, ProgramName, Role};
use crate::settings::LayeredSettings;
use crate::settings::given::Settings;
use crate::settings::options::{self, AUTO, EARLY, LATE, TRACE};
use crate::settings::setting::Key;
use crate::system_directories;
use crate::toolchain::{Compiler, Installation};
use anyhow::Result;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Stdio;
use wrapper::programs;

/// The driver modes in which clang takes the options that we prepend.
const MODES: [&str; 3] = ["gcc", "g++", "cpp"];

/// A request, before a compiler is looked for.
pub(crate) enum Request<'a> {
    /// Our own help.
    Help(String),
    /// Something of a compiler.
    Line(Box<Line<'a>>),
}

/// A command line, and the compiler that it is for.
pub(crate) struct Line<'a> {
    environment: &'a Environment,
    /// Our own executable.
    own: &'a Path,
    /// The compiler's arguments.
    arguments: &'a [OsString],
    words: CommandLine,
    role: Role,
    /// The program that starts the compiler.
    launcher: Option<OsString>,
    compiler: Compiler,
}

/// A command line's task.
pub(crate) struct Task {
    /// Warnings for the user.
    pub(crate) warnings: Vec<String>,
    pub(crate) action: Action,
}

/// The thing to do.
pub(crate) enum Action {
    /// This text is shown, if somebody reads it.
    Show(String),
    /// This line is printed.
    Print(String),
    /// Clang runs as it would without us.
    Replace(Invocation),
    /// Clang counts.
    Count(Box<Counted>),
}

/// A compilation or a link that counts.
pub(crate) struct Counted {
    pub(crate) compiler: Compiler,
    pub(crate) invocation: Invocation,
    pub(crate) installation: Installation,
    /// The number of sources that are compiled at the same time, if one is given.
    pub(crate) jobs: Option<usize>,
    /// True if there may be several sources, which can be compiled side by side.
    pub(crate) may_split: bool,
}

impl<'a> Line<'a> {
    /// Reads the command line.
    ///
    /// # Errors
    /// It names gcc, or there is no compiler.
    pub(crate) fn read(environment: &'a Environment, own: &'a Path) -> Result<Request<'a>> {
        let (front, arguments) = launcher::split(&environment.arguments)?;
        let words = CommandLine::new(arguments, &command_line::read_regular_file);
        let role = ProgramName::of(&environment.called_as).role;
        if words.has(options::HELP) {
            return Ok(Request::Help(help::whole(role.language).trim_end().to_owned()));
        }
        let mut compiler = Compiler::find(environment, own, &front, &role)?;
        if words.has("-no-canonical-prefixes") {
            compiler = compiler.with_existing_name();
        }
        let launcher = match front {
            Front::Launcher(launcher, _) => Some(launcher),
            Front::Direct | Front::Compiler(_) => None,
        };
        let line = Self { environment, own, arguments, words, role, launcher, compiler };
        Ok(Request::Line(Box::new(line)))
    }

    /// Our part of the help, before clang's own, if help is asked for.
    pub(crate) fn help(&self) -> Option<String> {
        let Environment { disable, dry_run, .. } = self.environment;
        let is_shown = self.words.has("--help") && !disable && !dry_run;
        is_shown.then(|| help::text(self.compiler.language))
    }

    /// Decides what is done.
    ///
    /// # Errors
    /// A setting has a value that it cannot have, or our own files are not there.
    pub(crate) fn task(self) -> Result<Task> {
        let is_asked = options::SHOWS.iter().any(|show| self.words.has(show.flag));
        if (self.environment.disable && !is_asked) || self.is_for_clang_alone() {
            return Ok(Task { warnings: Vec::new(), action: Action::Replace(self.plain()) });
        }
        let chosen = LayeredSettings::read(&self.words, self.environment)?;
        if let Some(action) = self.answer(&chosen)? {
            return Ok(Task { warnings: Vec::new(), action });
        }
        let mut warnings = chosen.warnings();
        if let Some(target) = clang_options::foreign_target(&self.words, &self.role.prefix) {
            warnings.extend(self.not_counted(&target));
            return Ok(Task { warnings, action: Action::Replace(self.plain()) });
        }
        Ok(Task { warnings, action: Action::Count(Box::new(self.counted(&chosen)?)) })
    }

    /// Clang as it would run without us.
    fn plain(&self) -> Invocation {
        self.composed(None)
    }

    fn composed(&self, counting: Option<&Counting<'_>>) -> Invocation {
        let stale_linker = self.environment.stale_linker;
        let launcher = self.launcher.as_ref();
        invocation::compose(&self.compiler, launcher, &self.words, counting, stale_linker)
    }

    /// The text that is asked for, if one is.
    fn answer(&self, chosen: &LayeredSettings) -> Result<Option<Action>> {
        if self.words.has(options::PRINT_CONFIG) {
            let shown = print_config::text(
                self.environment,
                chosen,
                &self.compiler,
                &Installation::of(self.own)?,
            );
            return Ok(Some(Action::Show(shown)));
        }
        let [compiles, links] =
            [options::CFLAGS, options::LDFLAGS].map(|flag| self.words.has(flag));
        if !compiles && !links {
            return Ok(None);
        }
        let options = plugin_options(&chosen.all, &self.words);
        let words = invocation::for_clang(&Installation::of(self.own)?, &options, compiles, links);
        let words: Vec<_> = words.iter().map(|word| process::quoted(word)).collect();
        Ok(Some(Action::Print(words.join(" "))))
    }

    /// The warning about code for a target that is not supported.
    fn not_counted(&self, target: &str) -> Option<String> {
        let compiles = ["-c", "-S"].iter().any(|option| self.words.has(option))
            || linker::may_link(&self.words);
        (compiles && !self.environment.dry_run).then(|| {
            format!("{target}: only x86-64 Linux is supported, so that paths are not counted")
        })
    }

    fn counted(self, chosen: &LayeredSettings) -> Result<Counted> {
        let Self { environment, words, .. } = &self;
        let installation = Installation::of(self.own)?;
        let linker = linker::may_link(words)
            .then(|| real_linker(environment, &self.compiler, words, &installation));
        let options = self.options_of_plugin(&chosen.all);
        let counting = Counting { installation: &installation, options, linker };
        let invocation = self.composed(Some(&counting));
        let jobs: Option<usize> = chosen.all.number(Key::Jobs);
        let has_plan = self.launcher.is_none()
            && self.compiler.language != Language::Fortran
            && !words.can_be_read_once();
        let may_split =
            jobs != Some(1) && has_plan && !environment.driver_logs && plan::is_worthwhile(words);
        Ok(Counted { compiler: self.compiler, invocation, installation, jobs, may_split })
    }

    /// The options of the plugin for this command line.
    fn options_of_plugin(&self, settings: &Settings) -> Vec<String> {
        let Self { environment, words, .. } = self;
        let mut options = plugin_options(settings, words);
        let is_traced = settings.is(Key::Mode, TRACE);
        let sanitizes = |sanitizer| is_traced && clang_options::sanitizes(words, sanitizer);
        let why = clang_options::why_skipped(words)
            .or_else(|| sanitizes(Sanitizer::DataFlow).then_some("dataflow"));
        options.extend(why.map(|why| format!("-pathcc-skip={why}")));
        if settings.is(Key::Stage, EARLY) && clang_options::has_profiler(words) {
            options.push("-pathcc-behind-profile=yes".to_owned());
        }
        if sanitizes(Sanitizer::Numerical) {
            options.push("-pathcc-shadowed=yes".to_owned());
        }
        let directories = system_directories::named(words, &|name| environment.header_path(name));
        options.extend(directories.iter().filter_map(|directory| {
            // The plugin keeps texts; a name that is none names no file of its debug information.
            Some(format!("-pathcc-system={}", directory.to_str()?))
        }));
        options
    }

    /// True if clang is something else than the driver we know: its inner programs, which are named
    /// by the first argument, or a driver for another compiler's command line.
    fn is_for_clang_alone(&self) -> bool {
        self.arguments.first().is_some_and(|first| first.as_bytes().starts_with(b"-cc1"))
            || self
                .words
                .own()
                .filter_map(|word| value_of(word, "--driver-mode="))
                .any(|mode| !MODES.iter().any(|known| mode == *known))
    }
}

/// The plugin's options. Before optimisation, the names of blocks show which of them the source
/// has; whoever asks clang for names has them in what it writes, too. LLVM's code that clang writes
/// has counters, since what makes machine code of it may have no plugin.
fn plugin_options(settings: &Settings, words: &CommandLine) -> Vec<String> {
    let mut options = settings.plugin_options();
    let writes_llvm =
        |word: &OsStr| word == "-emit-llvm" || word.as_bytes().starts_with(b"-fembed-bitcode");
    if settings.is(Key::Stage, AUTO) && words.own().any(writes_llvm) {
        options.push(format!("-pathcc-stage={LATE}"));
    }
    if settings.is(Key::Stage, EARLY) && !words.has("-fno-discard-value-names") {
        options.push(invocation::DROPS_NAMES.to_owned());
    }
    options
}

/// The linker behind pathld: the command line's choice, else the user's own `PATHLD_REAL`, which is
/// left alone, else the default.
fn real_linker(
    environment: &Environment,
    compiler: &Compiler,
    words: &CommandLine,
    installation: &Installation,
) -> linker::RealLinker {
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
