//! The command line: parsed here, converted once into the library's options, then out of the way.

use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;

use anyhow::{Error, Result};
use clap::{Args, ColorChoice, CommandFactory, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use pathprof::Sources;
use pathprof::analyse::coverage;
use pathprof::analyse::matching::Images;
use pathprof::analyse::select::Sort;
use pathprof::escape::terminal;
use pathprof::launch::program;
use pathprof::read::inputs::Choice;
use pathprof::read::unique_runs;
use pathprof::read::unique_runs::Doubles;
use pathprof::show::calls;
use pathprof::show::notation::Notation;
use pathprof::show::opcodes::Rows;
use pathprof::show::report::{Options, View};

/// Reads path profiles: which paths through which functions ran, and how often.
#[derive(Parser)]
#[command(name = "pathprof", version, propagate_version = true, after_help = TOP_EXAMPLES)]
pub(crate) struct Cli {
    /// When to use colours; NO_COLOR and CLICOLOR_FORCE are honoured
    #[arg(long, value_name = "WHEN", global = true, default_value = "auto")]
    color: ColorChoice,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const TOP_EXAMPLES: &str = "\
Examples:
  pathcc -g -O2 main.c && pathprof run -- ./a.out     run a program and show its hot paths
  pathprof report                                     show the last start of a program here
  pathprof coverage --missing                         what tests did not reach
  pathprof export --format json -o paths.json         everything, for other programs";

const RUN_EXAMPLES: &str = "\
Examples:
  pathprof run -- ./a.out input.txt
  pathprof run -o profiles --functions -- ./server --once
  pathprof run --quiet -- make check                  gather the profiles of all programs it starts

Profiles go where -o says, else where PATHCC_PROFILE says, else here; if that cannot be written, \
it says where they are. A profile that is there already gets more records.
The exit code is the program's (128 + n if signal n ended it); if that is 0, 1 if there is a \
problem with the report. A process that outlives the program writes its profile later; give it a \
place with -o.";

const REPORT_EXAMPLES: &str = "\
Examples:
  pathprof report                                     the last start of the programs here
  pathprof report build/app                           the last start of a program elsewhere
  pathprof report --all                               the sum of all starts of the programs here
  pathprof report --run 2                             the start before the last
  pathprof report profiles/                           all profiles in a directory and below
  pathprof report --function 'parse_*' --top 0        every executed path of some functions
  pathprof report --functions --sort count            one row for each function
  pathprof report --opcodes                           the mix of executed instructions
  pathprof report --calls=sites                       every call, and what pointers led to
  pathprof report a.out.pathprof --image build/a.out

A path is a list of source lines, each followed by the outcome of its branch, as in gcov's prime \
paths:
  loop: 13(true) 14 12(false) 18 -> return
starts at a loop's header, takes the branch in line 13, leaves the loop in line 12, and returns. \
A line of another file has the file's name before it. A share is that of all executed instructions \
of LLVM's intermediate code (phi not counted).

Exit code: 0; 1 if a profile could not be used, or no function is the one asked for; 2 for a wrong \
command line.";

const EXPORT_EXAMPLES: &str = "\
Examples:
  pathprof export --format json -o paths.json
  pathprof export --format json profiles/ | jq '.functions[] | {name, entries}'
  pathprof export --format lcov -o app.info profiles/ && genhtml app.info -o html

The schema of JSON is pathprof/1. Counts are exact integers; path ids are decimal strings. The \
lcov tracefile has functions, lines and branches.";

const COVERAGE_EXAMPLES: &str = "\
Examples:
  CC='pathcc -g -fpath-stage=early' make check
  pathprof coverage                                   all starts here, a row for each file
  pathprof coverage --missing --file 'src/*' build/   and what was not taken
  pathprof coverage --fail-under 80 build/            for CI: exit code 1 if fewer lines ran

A path counts as covered once it was executed to its end. Possible are those that the control-flow \
graph allows, even if no input leads there.

Exit code: 0; 1 if less was covered than asked for, or a profile could not be used; 2 for a wrong \
command line.";

const MERGE_EXAMPLES: &str = "\
Examples:
  pathprof merge -o all.pathprof profiles/            every process of one image
  pathprof merge -o merged/ profiles/                 a profile for each image

A merged profile is read like any other and is shown as one run: the first, with the flags of all. \
It holds sums, and remembers which runs they are of: a run that is given twice, by itself or in \
merged profiles, counts once. A profile that is damaged is named and left out.

What is there is not lost: -o FILE replaces a file only if all runs in it are among the profiles, \
and files in DIR/ get names that are free.";

const RUNS_EXAMPLES: &str = "\
Examples:
  pathprof runs                                       the starts of the programs in this directory
  pathprof runs build/app
  pathprof report --run 2 build/app

A start is what one command began: a process, those that it forked or started, and the images that \
they loaded, as far as they are counted. Starts are numbered backwards: 1 is the last. --run N of \
other commands chooses one by its number. A run is the life of one image in one process: what a \
record is of.";

const COMPACT_EXAMPLES: &str = "\
Examples:
  pathprof compact                                    the profiles in this directory
  pathprof compact --keep 10 build/app

Counts stay as they are: what the older starts counted is summed into one record for each image. \
Processes that were killed, or executed another program, have left raw files, which are taken in.";

const WEIGHTS_EXAMPLES: &str = "\
Examples:
  pathprof weights -o app.weights profiles/
  CC='pathcc -fpath-use=/path/to/app.weights' make

The file stands for itself: neither the profiles nor the images are needed afterwards. With it \
pathcc puts the code that counts where it runs least often. Counts are exact with any weights.";

const DOCTOR_EXAMPLES: &str = "\
Examples:
  pathprof doctor
  PATHCC_PROFILE=/var/tmp/profiles/ pathprof doctor ./server

Exit code: 0 if nothing was found, else 1.";

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Run a program and show the paths that it took
    #[command(after_help = RUN_EXAMPLES, override_usage = "pathprof run [OPTIONS] [--] PROGRAM [ARGUMENT]...")]
    Run(RunArguments),
    /// Show the hot paths of profiles
    #[command(after_help = REPORT_EXAMPLES)]
    Report(ReportArguments),
    /// Write everything that profiles hold for other programs
    #[command(after_help = EXPORT_EXAMPLES)]
    Export(ExportArguments),
    /// Join the profiles of many processes into one file
    #[command(after_help = MERGE_EXAMPLES)]
    Merge(MergeArguments),
    /// List the starts of programs that profiles hold
    #[command(after_help = RUNS_EXAMPLES)]
    Runs(RunsArguments),
    /// Sum the older starts in profiles
    #[command(after_help = COMPACT_EXAMPLES)]
    Compact(CompactArguments),
    /// Show how much was covered: functions, lines, branches and paths
    #[command(after_help = COVERAGE_EXAMPLES)]
    Coverage(CoverageArguments),
    /// Write how often branches were taken, for a second build with -fpath-use=FILE
    #[command(after_help = WEIGHTS_EXAMPLES)]
    Weights(WeightsArguments),
    /// Say what would make counts be lost here, and what to do
    #[command(after_help = DOCTOR_EXAMPLES)]
    Doctor {
        /// A program to look at, too
        program: Option<OsString>,
    },
    /// Print a completion script for a shell
    #[command(after_help = "Example:\n  pathprof completions bash > \
                      ~/.local/share/bash-completion/completions/pathprof")]
    Completions {
        /// Which shell
        shell: Shell,
    },
    /// Write the manual pages
    #[command(after_help = "Examples:\n  pathprof man | man -l -\n  pathprof man ~/.local/share/man/man1")]
    Man {
        /// Directory for one page for each command; without it, the main page goes to standard
        /// output
        directory: Option<PathBuf>,
    },
}

#[derive(Args)]
pub(crate) struct RunArguments {
    /// Where profiles go [default: as PATHCC_PROFILE says, or the current directory]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Do not show a report afterwards
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// Count in libraries and in programs that it starts, too, if another linker made them
    #[arg(long)]
    preload: bool,
    #[command(flatten)]
    pub(crate) show: ShowArguments,
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
}

#[derive(Args)]
pub(crate) struct MergeArguments {
    /// The file to write, or a directory for a file for each image
    #[arg(short, long, value_name = "PATH")]
    pub(crate) output: PathBuf,
    /// Replace a file even if it holds something that is not among the profiles
    #[arg(long)]
    pub(crate) replace: bool,
    /// What to call these runs: they are not summed with others, and `report --label` shows them
    /// alone
    #[arg(long, value_name = "TEXT")]
    pub(crate) label: Option<String>,
    #[command(flatten)]
    pub(crate) doubles: DoublesArguments,
    #[command(flatten)]
    pub(crate) failure: FailureArguments,
    /// Profiles, raw files, and directories of them
    #[arg(required = true, value_name = "PROFILE")]
    pub(crate) profiles: Vec<PathBuf>,
}

#[derive(Args)]
pub(crate) struct RunsArguments {
    /// Show so many starts (0: all)
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) top: usize,
    #[command(flatten)]
    pub(crate) named: NamedArguments,
}

#[derive(Args)]
pub(crate) struct CompactArguments {
    /// Leave the last starts as they are, so many of them
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) keep: usize,
    #[command(flatten)]
    pub(crate) named: NamedArguments,
}

#[derive(Args)]
pub(crate) struct NamedArguments {
    /// Profiles, directories of profiles, and programs [default: the profiles in the current
    /// directory]
    #[arg(value_name = "PROFILE|DIR|PROGRAM")]
    pub(crate) profiles: Vec<PathBuf>,
}

#[derive(Args)]
pub(crate) struct WeightsArguments {
    /// The file to write
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) sources: SourceArguments,
}

#[derive(Args, Clone, Copy)]
pub(crate) struct FailureArguments {
    /// When unusable inputs make the command fail; they are named in any case
    #[arg(long, value_enum, value_name = "MODE", default_value_t = FailureMode::Rest)]
    pub(crate) failure_mode: FailureMode,
}

#[derive(Args, Clone, Copy)]
pub(crate) struct DoublesArguments {
    /// Count a run as often as it is given; without this, once
    #[arg(long)]
    allow_duplicates: bool,
}

impl DoublesArguments {
    /// What becomes of a run that is given more than once.
    pub(crate) fn doubles(self) -> Doubles {
        if self.allow_duplicates { Doubles::Allow } else { Doubles::Skip }
    }
}

/// When an input that cannot be used makes a command fail.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailureMode {
    /// The rest is used, and the exit code is 1
    Rest,
    /// Nothing is used if any input is unusable
    Any,
    /// The rest is used; fail only if all inputs are unusable
    All,
    /// The rest is used; never fail for an input
    Warn,
}

impl FailureMode {
    /// Whether what is sound is used: if there is anything, and these problems do not forbid it.
    pub(crate) fn lets_use(self, anything: bool, problems: &[Error]) -> bool {
        anything && (self != Self::Any || problems.is_empty())
    }
}

#[derive(Args)]
pub(crate) struct ReportArguments {
    #[command(flatten)]
    pub(crate) sources: SourceArguments,
    #[command(flatten)]
    pub(crate) show: ShowArguments,
}

#[derive(Args)]
pub(crate) struct ExportArguments {
    #[command(flatten)]
    pub(crate) sources: SourceArguments,
    /// Format to write
    #[arg(long, value_enum)]
    pub(crate) format: Format,
    /// File to write [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Break and indent lines
    #[arg(long)]
    pub(crate) pretty: bool,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Format {
    /// Schema pathprof/1
    Json,
    /// Functions, lines and branches as an lcov tracefile
    Lcov,
}

#[derive(Args)]
pub(crate) struct CoverageArguments {
    #[command(flatten)]
    pub(crate) sources: SourceArguments,
    #[command(flatten)]
    pub(crate) least: LeastArguments,
    /// Show one row for each function
    #[arg(long)]
    functions: bool,
    /// List the lines, branches and paths that were not taken
    #[arg(long)]
    missing: bool,
    /// With --missing, list the paths of functions with at most so many possible ones
    #[arg(long, value_name = "N", default_value_t = 64)]
    most_paths: u64,
    /// Show only functions whose name (mangled or not) matches
    #[arg(long, value_name = "GLOB")]
    function: Option<String>,
    /// Show only files whose name matches
    #[arg(long, value_name = "GLOB")]
    file: Option<String>,
}

/// How much must be covered, in percent.
#[derive(Args, Clone, Copy)]
pub(crate) struct LeastArguments {
    /// Fail if fewer lines are covered
    #[arg(long = "fail-under", value_name = "PERCENT", value_parser = percent)]
    pub(crate) least_lines: Option<f64>,
    /// Fail if fewer functions are covered
    #[arg(long = "fail-under-functions", value_name = "PERCENT", value_parser = percent)]
    pub(crate) least_functions: Option<f64>,
    /// Fail if fewer branches are covered
    #[arg(long = "fail-under-branches", value_name = "PERCENT", value_parser = percent)]
    pub(crate) least_branches: Option<f64>,
    /// Fail if fewer paths are covered
    #[arg(long = "fail-under-paths", value_name = "PERCENT", value_parser = percent)]
    pub(crate) least_paths: Option<f64>,
}

fn percent(text: &str) -> Result<f64, String> {
    let number = text.trim_end_matches('%').parse().ok();
    number.filter(|number| (0.0..=100.0).contains(number)).ok_or_else(|| "not a number from 0 to 100".into())
}

#[derive(Args)]
pub(crate) struct SourceArguments {
    #[command(flatten)]
    pub(crate) failure: FailureArguments,
    #[command(flatten)]
    doubles: DoublesArguments,
    /// All starts, not only the last one
    #[arg(long)]
    all: bool,
    /// One start, counted backwards: 1 is the last, as `pathprof runs` lists them
    #[arg(long, value_name = "N", conflicts_with = "all")]
    run: Option<usize>,
    /// Only the runs that were merged with this label
    #[arg(long, value_name = "TEXT")]
    label: Option<String>,
    /// Profiles and directories of profiles: all starts in them; or programs [default: those in the
    /// current directory], of which `report` and `export --format json` read the last start, and
    /// the other commands all
    #[arg(value_name = "PROFILE|DIR|PROGRAM")]
    profiles: Vec<PathBuf>,
    /// The image that the profiles are of, if it is no longer where it ran (once for each image)
    #[arg(long, value_name = "PATH")]
    image: Vec<PathBuf>,
    /// Where to look, with what is below, for images that are gone from where they ran, or are
    /// others by now
    #[arg(long, value_name = "DIR", conflicts_with = "image")]
    image_dir: Vec<PathBuf>,
}

#[derive(Args)]
pub(crate) struct ShowArguments {
    /// Show so many rows (0: all)
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,
    /// Show only functions whose name (mangled or not) matches
    #[arg(long, value_name = "GLOB")]
    function: Option<String>,
    /// Order of the rows
    #[arg(long, value_enum, value_name = "KEY", default_value_t = Key::Instructions)]
    sort: Key,
    /// Show basic blocks instead of source lines
    #[arg(long)]
    blocks: bool,
    /// Show one row for each function
    #[arg(long, conflicts_with = "blocks")]
    functions: bool,
    /// List the functions that are not counted, and the cuts, with reasons
    #[arg(long, conflicts_with_all = ["functions", "blocks"])]
    skipped: bool,
    /// Show executed instructions by class and opcode, or by function or block
    #[arg(long, value_enum, value_name = "ROWS", num_args = 0..=1, require_equals = true, default_missing_value = "program")]
    #[arg(conflicts_with_all = ["functions", "blocks", "skipped"])]
    opcodes: Option<OpcodeRows>,
    /// Show how often functions were called, those of libraries included, or each call in the code
    #[arg(long, value_enum, value_name = "ROWS", num_args = 0..=1, require_equals = true, default_missing_value = "callees")]
    #[arg(conflicts_with_all = ["functions", "blocks", "skipped", "opcodes"])]
    calls: Option<CallRows>,
    /// Show where control went at branches, and how one-sided they are
    #[arg(long, conflicts_with_all = ["functions", "blocks", "skipped", "opcodes", "calls"])]
    branches: bool,
    /// Show long names and, on a terminal, long paths in full
    #[arg(long)]
    full: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Key {
    /// How often it ran
    Count,
    /// Executed instructions
    Instructions,
    /// Number of basic blocks
    Length,
    /// Name of the function
    Function,
}

#[derive(Clone, Copy, ValueEnum)]
enum OpcodeRows {
    /// A row for each class and opcode
    Program,
    /// A row for each function
    Functions,
    /// A row for each basic block
    Blocks,
}

#[derive(Clone, Copy, ValueEnum)]
enum CallRows {
    /// A row for each function that is called
    Callees,
    /// A row for each call in the code
    Sites,
}

impl Cli {
    /// What was asked for. Ends the process if that makes no sense, or was only help.
    pub(crate) fn of_arguments() -> Self {
        Self::try_parse().unwrap_or_else(|error| {
            // The shell may have made arguments of names of files: what is said of them is said of
            // what can be shown.
            let shown = std::env::args_os().map(|argument| terminal(&argument.to_string_lossy()).into_owned());
            Self::try_parse_from(shown).err().unwrap_or(error).exit()
        })
    }

    /// Makes all later output follow `--color`.
    pub(crate) fn set_colours(&self) {
        match self.color {
            ColorChoice::Auto => anstream::ColorChoice::Auto,
            ColorChoice::Always => anstream::ColorChoice::Always,
            ColorChoice::Never => anstream::ColorChoice::Never,
        }
        .write_global();
    }
}

impl RunArguments {
    /// What to run. The program is there, since it is required.
    pub(crate) fn task(&self) -> program::Task {
        let (program, arguments) =
            self.program.split_first().map(|(first, rest)| (first.clone(), rest.to_vec())).unwrap_or_default();
        program::Task { program, arguments, directory: self.output.clone(), preload: self.preload }
    }
}

impl SourceArguments {
    /// What to read; `usual` if no start is chosen.
    pub(crate) fn sources(self, usual: Choice) -> Sources {
        let choice = match self.run {
            Some(number) => Choice::Start(number),
            None if self.all => Choice::All,
            None => usual,
        };
        let options = unique_runs::Options { doubles: self.doubles.doubles(), label: self.label };
        let images = Images { given: self.image, directories: self.image_dir };
        Sources { profiles: self.profiles, choice, images, options }
    }
}

impl CoverageArguments {
    /// What to show.
    pub(crate) fn options(&self) -> coverage::Options {
        coverage::Options {
            functions: self.functions,
            missing: self.missing,
            function: self.function.clone(),
            file: self.file.clone(),
            most_paths: self.most_paths,
        }
    }
}

impl ShowArguments {
    /// How to show it on standard output.
    pub(crate) fn options(self) -> Options {
        Options {
            view: match self.opcodes {
                Some(OpcodeRows::Program) => View::Opcodes(Rows::Program),
                Some(OpcodeRows::Functions) => View::Opcodes(Rows::Functions),
                Some(OpcodeRows::Blocks) => View::Opcodes(Rows::Blocks),
                None if self.functions => View::Functions,
                None if self.skipped => View::Skipped,
                None if self.branches => View::Branches,
                None => match self.calls {
                    Some(CallRows::Callees) => View::Calls(calls::Rows::Callees),
                    Some(CallRows::Sites) => View::Calls(calls::Rows::Sites),
                    None => View::Paths,
                },
            },
            top: self.top,
            function: self.function,
            sort: match self.sort {
                Key::Count => Sort::Count,
                Key::Instructions => Sort::Instructions,
                Key::Length => Sort::Length,
                Key::Function => Sort::Function,
            },
            notation: if self.blocks { Notation::Blocks } else { Notation::Lines },
            full_names: self.full,
            width: terminal_width().filter(|_| !self.full),
        }
    }
}

/// The width of the terminal, if standard output is one.
pub(crate) fn terminal_width() -> Option<usize> {
    std::io::stdout().is_terminal().then(|| comfy_table::Table::new().width().map_or(80, usize::from))
}

/// Prints the completion script for `shell`.
pub(crate) fn completions(shell: Shell) -> Result<()> {
    // Through a buffer, since the generator panics when it cannot write.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "pathprof", &mut script);
    Ok(std::io::stdout().write_all(&script)?)
}

/// Writes the manual pages.
pub(crate) fn manual(directory: Option<PathBuf>) -> Result<()> {
    match directory {
        Some(directory) => {
            std::fs::create_dir_all(&directory)?;
            clap_mangen::generate_to(Cli::command(), &directory)?;
        }
        None => clap_mangen::Man::new(Cli::command()).render(&mut std::io::stdout())?,
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }
}
