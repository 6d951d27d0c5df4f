//! The commands, and the options that all of them have. The manual and the completions are made of
//! them.

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use clap::{ColorChoice, CommandFactory, Parser, Subcommand};
use clap_complete::Shell;
use profile::escape::terminal;

use crate::command::arguments::{
    CompactArguments, CoverageArguments, ExportArguments, MergeArguments, ReportArguments,
    RunArguments, RunsArguments, SnapshotArguments, TopArguments, WeightsArguments,
};
use crate::command::diff::DiffArguments;
use crate::command::examples::{
    ANNOTATE_EXAMPLES, COMPACT_EXAMPLES, COVERAGE_EXAMPLES, DIFF_EXAMPLES, DIFF_USAGE,
    DOCTOR_EXAMPLES, EXPORT_EXAMPLES, LABEL_EXAMPLES, LABELS_EXAMPLES, MERGE_EXAMPLES,
    PATHPROF_EXAMPLES, REPORT_EXAMPLES, RUN_EXAMPLES, RUNS_EXAMPLES, SHOW_EXAMPLES,
    SNAPSHOT_EXAMPLES, TOP_EXAMPLES, WEIGHTS_EXAMPLES,
};
use crate::command::html::{EXAMPLES as HTML_EXAMPLES, HtmlArguments};
use crate::command::labels::{LabelArguments, LabelsArguments};
use crate::command::manual;
use crate::command::path_argument::ShowPathArguments;
use crate::command::source_views::AnnotateArguments;
use crate::command::trace::{TRACE_EXAMPLES, TraceCommand};

/// Reads path profiles: which paths through which functions ran, and how often.
#[derive(Parser)]
#[command(name = "pathprof", version, propagate_version = true, after_help = PATHPROF_EXAMPLES)]
pub(crate) struct Cli {
    /// When to use colours; NO_COLOR and CLICOLOR_FORCE are honoured
    #[arg(long, value_name = "WHEN", global = true, default_value = "auto")]
    color: ColorChoice,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Run a program and show the paths that it took
    #[command(after_help = RUN_EXAMPLES)]
    #[command(override_usage = "pathprof run [OPTIONS] [--] PROGRAM [ARGUMENT]...")]
    Run(RunArguments),
    /// Show the hot paths of profiles
    #[command(after_help = REPORT_EXAMPLES)]
    Report(ReportArguments),
    /// Show one path as its source
    #[command(after_help = SHOW_EXAMPLES)]
    Show(ShowPathArguments),
    /// Show source with the counts of its lines, and the hottest paths beside it
    #[command(after_help = ANNOTATE_EXAMPLES)]
    Annotate(AnnotateArguments),
    /// Write a page for the browser: overview, functions, paths, graphs, calls and coverage
    #[command(after_help = HTML_EXAMPLES)]
    Html(HtmlArguments),
    /// Write everything that profiles hold for other programs
    #[command(after_help = EXPORT_EXAMPLES)]
    Export(ExportArguments),
    /// Join the profiles of many processes into one file
    #[command(after_help = MERGE_EXAMPLES)]
    Merge(MergeArguments),
    /// Write what running processes have counted as a profile
    #[command(after_help = SNAPSHOT_EXAMPLES)]
    Snapshot(SnapshotArguments),
    /// Show what running processes execute, interval by interval
    #[command(after_help = TOP_EXAMPLES)]
    Top(TopArguments),
    /// List the starts of programs that profiles hold
    #[command(after_help = RUNS_EXAMPLES)]
    Runs(RunsArguments),
    /// List the labels under which a program counted, or those under which a path was executed
    #[command(after_help = LABELS_EXAMPLES)]
    Labels(LabelsArguments),
    /// Change the label under which running processes count
    #[command(after_help = LABEL_EXAMPLES)]
    Label(LabelArguments),
    /// Sum the older starts in profiles
    #[command(after_help = COMPACT_EXAMPLES)]
    Compact(CompactArguments),
    /// Show what is different between two profiles, or between runs that pass and runs that fail
    #[command(after_help = DIFF_EXAMPLES)]
    #[command(
        override_usage = DIFF_USAGE
    )]
    Diff(Box<DiffArguments>),
    /// Show how much was covered: functions, lines, branches and paths
    #[command(after_help = COVERAGE_EXAMPLES)]
    Coverage(CoverageArguments),
    /// Write how often branches were taken, for a second build with -fpath-use=FILE
    #[command(after_help = WEIGHTS_EXAMPLES)]
    Weights(WeightsArguments),
    /// Show traces: which paths ran in which order, and which memory they accessed
    #[command(after_help = TRACE_EXAMPLES)]
    Trace {
        #[command(subcommand)]
        command: TraceCommand,
    },
    /// Say what would make counts be lost here, and what to do
    #[command(after_help = DOCTOR_EXAMPLES)]
    Doctor {
        /// A program to look at, too
        program: Option<OsString>,
    },
    /// Print a completion script for a shell
    #[command(after_help = "Examples:\n  folder=~/.local/share/bash-completion/completions\n  \
                      pathprof completions bash > $folder/pathprof")]
    Completions {
        /// Which shell
        shell: Shell,
    },
    /// Write the manual pages
    #[command(
        after_help = "Examples:\n  pathprof man | man -l -\n  pathprof man ~/.local/share/man/man1"
    )]
    Man {
        /// Directory for one page for each command; without it, the main page goes to standard
        /// output
        directory: Option<PathBuf>,
    },
}

impl Cli {
    /// What was asked for. Ends the process if that makes no sense, or was only help.
    pub(crate) fn of_arguments() -> Self {
        Self::try_parse().unwrap_or_else(|error| {
            // The shell may have made arguments of names of files: what is said of them is said of
            // what can be shown.
            let shown = std::env::args_os()
                .map(|argument| terminal(&argument.to_string_lossy()).into_owned());
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
        Some(directory) => manual::write_all(Cli::command(), &directory),
        None => manual::write(Cli::command(), &mut std::io::stdout()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What stands below the help of a command and of all below it.
    fn below(command: &clap::Command) -> Vec<String> {
        let own = command.get_after_help().map(ToString::to_string);
        own.into_iter().chain(command.get_subcommands().flat_map(below)).collect()
    }

    #[test]
    fn examples_fit_a_terminal_and_prose_is_left_to_it() {
        for text in below(&Cli::command()) {
            let lines: Vec<_> = text.lines().collect();
            for line in lines.iter().filter(|line| line.starts_with("  ")) {
                assert!(line.chars().count() <= 80, "{line}");
            }
            let is_prose = |line: &str| !line.is_empty() && !line.starts_with("  ");
            let broken = lines.windows(2).find(|two| is_prose(two[0]) && is_prose(two[1]));
            assert_eq!(broken, None, "a break that no terminal chose");
        }
    }

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }
}
