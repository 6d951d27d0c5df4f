//! The program `pathprof`: reads path profiles.
#![forbid(unsafe_code)]

mod command;

use std::process::ExitCode;

use command::cli::{self, Cli, Command};
use command::{commands, diff, html, labels, machine_views, messages, source_views, top, trace};

fn main() -> ExitCode {
    let cli = Cli::of_arguments();
    cli.set_colours();
    let code = match cli.command {
        Command::Run(arguments) => commands::run(arguments),
        Command::Report(arguments) => commands::report(arguments),
        Command::Show(arguments) if arguments.machine.are_wanted() => {
            machine_views::show(arguments)
        }
        Command::Show(arguments) => source_views::show(arguments),
        Command::Annotate(arguments) => source_views::annotate(arguments),
        Command::Html(arguments) => html::html(arguments),
        Command::Export(arguments) => commands::export(arguments),
        Command::Diff(arguments) => diff::diff(&arguments),
        Command::Coverage(arguments) => commands::coverage(arguments),
        Command::Merge(arguments) => commands::merge(&arguments),
        Command::Snapshot(arguments) => commands::snapshot(&arguments),
        Command::Top(arguments) => top::top(arguments),
        Command::Runs(arguments) => commands::runs(&arguments),
        Command::Labels(arguments) => labels::labels(arguments),
        Command::Label(arguments) => labels::change_label(&arguments),
        Command::Compact(arguments) => commands::compact(&arguments),
        Command::Weights(arguments) => commands::weights(arguments),
        Command::Trace { command } => trace::trace(command),
        Command::Doctor { program } => commands::doctor(program.as_deref()),
        Command::Completions { shell } => cli::completions(shell).map(|()| 0),
        Command::Man { directory } => cli::manual(directory).map(|()| 0),
    };
    code.unwrap_or_else(|error| messages::fail(&error)).into()
}
