//! The options of each command, as clap reads them, and what they mean for the library.

use std::ffi::OsString;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Error;
use clap::{Args, ValueEnum};
use counts::matching::ImagePlaces;
use counts::path_text::Notation;
use counts::select::Sort;
use pathprof::launch::program;
use pathprof::show::opcodes::Rows;
use pathprof::show::options::{Options, View};
use pathprof::show::{calls, coverage};
use profile::inputs::{Choice, RULE};
use profile::unique_runs::{self, Duplicates};

use crate::command::filters::{FilterArguments, FormArguments};

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
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "PROGRAM"
    )]
    program: Vec<OsString>,
}

/// Which counts are written as a profile, and where.
#[derive(Args)]
pub(crate) struct SumArguments {
    /// The file to write, or a directory for a file for each image
    #[arg(short, long, value_name = "PATH")]
    pub(crate) output: PathBuf,
    /// Replace a file even if it holds something that is not in what is written
    #[arg(long)]
    pub(crate) replace: bool,
    /// The label of what has none: it is not summed with others, and `report --label` shows it
    /// alone
    #[arg(long, value_name = "TEXT")]
    pub(crate) label: Option<String>,
    /// Leave out what this earlier snapshot of the same processes has
    #[arg(long, value_name = "PROFILE")]
    pub(crate) since: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct MergeArguments {
    #[command(flatten)]
    pub(crate) sum: SumArguments,
    #[command(flatten)]
    pub(crate) duplicates: DuplicatesArguments,
    #[command(flatten)]
    pub(crate) failure: FailureArguments,
    #[arg(required = true, value_name = "PROFILE|DIR|PROGRAM")]
    #[arg(help = named("(raw files, too)"))]
    pub(crate) profiles: Vec<PathBuf>,
}

#[derive(Args)]
pub(crate) struct SnapshotArguments {
    #[command(flatten)]
    pub(crate) sum: SumArguments,
    /// Processes by their numbers, and programs or profiles for all their processes
    #[arg(required = true, value_name = "PID|PROGRAM|PROFILE")]
    pub(crate) processes: Vec<PathBuf>,
}

#[derive(Args)]
pub(crate) struct TopArguments {
    /// Show one interval, and end
    #[arg(long)]
    pub(crate) once: bool,
    /// Seconds from one reading of the counters to the next
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = seconds)]
    pub(crate) interval: Duration,
    #[command(flatten)]
    pub(crate) show: ShowArguments,
    /// Processes by their numbers, and programs or profiles for all their processes [default: all
    /// processes that count]
    #[arg(value_name = "PID|PROGRAM|PROFILE")]
    pub(crate) processes: Vec<PathBuf>,
}

/// The shortest and the longest interval of `top`.
pub(crate) const INTERVALS: RangeInclusive<Duration> =
    Duration::from_millis(50)..=Duration::from_secs(3600);

fn seconds(text: &str) -> Result<Duration, String> {
    let number = text.trim_end_matches('s').parse().ok();
    let interval = number.and_then(|number| Duration::try_from_secs_f64(number).ok());
    interval
        .filter(|interval| INTERVALS.contains(interval))
        .ok_or_else(|| "not a number of seconds from 0.05 to 3600".into())
}

#[derive(Args)]
pub(crate) struct RunsArguments {
    /// Show at most N starts (0: all)
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) top: usize,
    #[command(flatten)]
    pub(crate) form: FormArguments,
    #[command(flatten)]
    pub(crate) named: NamedArguments,
}

#[derive(Args)]
pub(crate) struct CompactArguments {
    /// Leave the last N starts as they are
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
pub(crate) struct DuplicatesArguments {
    /// Count a run as often as it is given; without this, once
    #[arg(long)]
    allow_duplicates: bool,
}

impl DuplicatesArguments {
    /// What becomes of a run that is given more than once.
    pub(crate) fn duplicates(self) -> Duplicates {
        if self.allow_duplicates { Duplicates::Allow } else { Duplicates::Skip }
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
    /// In a tracefile, keep source files that are not there (generated code may name such)
    #[arg(long)]
    pub(crate) keep_missing: bool,
    #[command(flatten)]
    pub(crate) filter: FilterArguments,
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
    /// With --missing, list the paths of functions that have at most N possible ones
    #[arg(long, value_name = "N", default_value_t = 64)]
    most_paths: u64,
    /// Show at most N functions, and with --missing at most N rows of what is missing, of which
    /// paths are left out first (0: all) [default: all functions; 50 rows of what is missing, all
    /// as CSV and JSON]
    #[arg(long, value_name = "N")]
    top: Option<usize>,
    #[command(flatten)]
    filter: FilterArguments,
    #[command(flatten)]
    pub(crate) form: FormArguments,
}

/// The most rows of what is missing that people are shown.
const MOST_MISSING: usize = 50;

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
    number
        .filter(|number| (0.0..=100.0).contains(number))
        .ok_or_else(|| "not a number from 0 to 100".into())
}

/// The help of what a command reads, which is the same for all.
fn named(more: &str) -> String {
    format!("Programs, profiles and directories of profiles {more}. {RULE}")
}

/// Which profiles to read, and where their images are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources {
    /// Profiles, directories of profiles, and images that left some; empty means those in the
    /// current directory.
    pub(crate) profiles: Vec<PathBuf>,
    /// Which starts to read.
    pub(crate) choice: Choice,
    /// Where the images are.
    pub(crate) images: ImagePlaces,
    /// How to read them.
    pub(crate) options: unique_runs::Options,
}

#[derive(Args)]
pub(crate) struct SourceArguments {
    #[command(flatten)]
    pub(crate) failure: FailureArguments,
    #[command(flatten)]
    duplicates: DuplicatesArguments,
    /// All starts, not only the last one
    #[arg(long)]
    all: bool,
    /// One start, counted backwards: 1 is the last, as `pathprof runs` lists them
    #[arg(long, value_name = "N", conflicts_with = "all")]
    run: Option<usize>,
    /// Only what was counted under this label, which `pathprof labels` lists
    #[arg(long, value_name = "TEXT")]
    label: Option<String>,
    #[arg(value_name = "PROFILE|DIR|PROGRAM")]
    #[arg(help = named("[default: those in the current directory]"))]
    profiles: Vec<PathBuf>,
    /// The image that the profiles are of, if it is no longer where it ran (once for each image)
    #[arg(long, value_name = "PATH")]
    image: Vec<PathBuf>,
    /// Where to look, subfolders included, for images that were moved, removed or built again
    #[arg(long, value_name = "DIR", conflicts_with = "image")]
    image_dir: Vec<PathBuf>,
}

#[derive(Args)]
pub(crate) struct ShowArguments {
    /// Show at most N rows (0: all)
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,
    #[command(flatten)]
    filter: FilterArguments,
    #[command(flatten)]
    pub(crate) form: FormArguments,
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
    #[arg(long, value_enum, value_name = "ROWS", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "program")]
    #[arg(conflicts_with_all = ["functions", "blocks", "skipped"])]
    opcodes: Option<OpcodeRows>,
    /// Show how often functions were called, those of libraries included, or each call in the code
    #[arg(long, value_enum, value_name = "ROWS", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "callees")]
    #[arg(conflicts_with_all = ["functions", "blocks", "skipped", "opcodes"])]
    calls: Option<CallRows>,
    /// Show where control went at branches, and how one-sided they are
    #[arg(long, conflicts_with_all = ["functions", "blocks", "skipped", "opcodes", "calls"])]
    branches: bool,
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

impl RunArguments {
    /// What to run. The program is there, since it is required.
    pub(crate) fn task(&self) -> program::Task {
        let (program, arguments) = self
            .program
            .split_first()
            .map(|(first, rest)| (first.clone(), rest.to_vec()))
            .unwrap_or_default();
        program::Task { program, arguments, directory: self.output.clone(), preload: self.preload }
    }
}

impl SourceArguments {
    /// Reads what is at `path`, before all else.
    pub(crate) fn put_first(&mut self, path: PathBuf) {
        self.profiles.insert(0, path);
    }

    /// What to read; `usual` if no start is chosen.
    pub(crate) fn sources(self, usual: Choice) -> Sources {
        let choice = match self.run {
            Some(number) => Choice::Start(number),
            None if self.all => Choice::All,
            None => usual,
        };
        let options = unique_runs::Options {
            duplicates: self.duplicates.duplicates(),
            label: self.label,
            ..unique_runs::Options::default()
        };
        let images = ImagePlaces {
            given: self.image,
            directories: self.image_dir,
            named: self.profiles.clone(),
        };
        Sources { profiles: self.profiles, choice, images, options }
    }
}

impl CoverageArguments {
    /// What to show.
    pub(crate) fn options(&self) -> coverage::Options {
        coverage::Options {
            functions: self.functions,
            missing: self.missing,
            filter: self.filter.clone().filter(),
            most_paths: self.most_paths,
            most_functions: self.top.unwrap_or(0),
            most_missing: self.top.unwrap_or(if self.form.is_for_people() {
                MOST_MISSING
            } else {
                0
            }),
        }
    }
}

impl ShowArguments {
    /// What to show.
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
            filter: self.filter.filter(),
            sort: match self.sort {
                Key::Count => Sort::Count,
                Key::Instructions => Sort::Instructions,
                Key::Length => Sort::Length,
                Key::Function => Sort::Function,
            },
            notation: if self.blocks { Notation::Blocks } else { Notation::Lines },
        }
    }
}
