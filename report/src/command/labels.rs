//! The commands about labels: they list them, say which of them execute a path, and change that of
//! a running process.

use std::io::{self, BufRead, Write};
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use compare::labels::{FunctionKey, SeenLabels, executions};
use counts::model::PathId;
use counts::{labels, path_ranks};
use live::processes;
use pathformat::label;
use pathprof::show::document::Document;
use pathprof::show::labels as tables;
use profile::combine::label::LabelChanges;
use profile::escape::terminal;
use profile::inputs::Choice;

use crate::command::arguments::{FailureMode, SourceArguments};
use crate::command::chosen::found;
use crate::command::filters::{FilterArguments, FormArguments};
use crate::command::messages::{complain, hint, report_problems};
use crate::command::pages;
use crate::command::path_argument::chosen_path;
use crate::command::progress::Progress;
use crate::command::reading::{choose, read_inputs};

#[derive(Args)]
pub(crate) struct LabelsArguments {
    /// List the labels under which this path was executed: a function, and the number of its path
    /// as `pathprof report --all` shows it [default number: 1]
    #[arg(long, value_name = "FUNCTION[#N]")]
    path: Option<String>,
    /// Show at most N rows (0: all)
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,
    #[command(flatten)]
    filter: FilterArguments,
    #[command(flatten)]
    form: FormArguments,
    #[command(flatten)]
    sources: SourceArguments,
}

#[derive(Args)]
pub(crate) struct LabelArguments {
    /// The number of a process; a program or a profile stands for all of its processes
    #[arg(value_name = "PID|PROGRAM")]
    process: PathBuf,
    /// What it counts from now on; an empty text is no label; - reads labels from standard input, a
    /// line each, and answers each with an empty line when it is changed
    #[arg(value_name = "TEXT")]
    text: String,
}

/// Lists labels.
pub(crate) fn labels(arguments: LabelsArguments) -> Result<u8> {
    let mode = arguments.sources.failure.failure_mode;
    let sources = arguments.sources.sources(Choice::All);
    let inputs = choose(&sources.profiles, sources.choice)?;
    let filter = arguments.filter.filter();
    let (report, code) = read_inputs(&inputs, &sources, mode);
    let Some(report) = report else { return Ok(code) };
    found(&report, &filter, true)?;
    let path = match &arguments.path {
        Some(text) => {
            let chosen = chosen_path(&report, text)?;
            let function = &report.functions[chosen.function];
            let path = path_ranks::ranked(function)[chosen.rank - 1].id;
            let name = format!("{}#{}", terminal(&function.demangled), chosen.rank);
            Some((FunctionKey::of(&report, function), path, name))
        }
        None => None,
    };
    drop(report);
    let (mut seen, mut of_path) = (SeenLabels::default(), Vec::new());
    let progress = Progress::default();
    let visit = |label: &str, report| match &path {
        Some((function, path, _)) => {
            let path: PathId = *path;
            of_path.push((label.to_owned(), executions(&report, function, path)));
        }
        None => seen.add(label, &report, &filter),
    };
    labels::each(&inputs, &sources.images, &sources.options, &progress, visit);
    let table = match &path {
        Some((_, _, name)) => tables::of_path(of_path, name, arguments.top),
        None => tables::table(seen.finish(), arguments.top),
    };
    let document = Document { tables: vec![table], ..Document::default() };
    pages::print(&document, arguments.form.form())?;
    Ok(code)
}

/// Changes the label of running processes.
pub(crate) fn change_label(arguments: &LabelArguments) -> Result<u8> {
    let mut changes = LabelChanges::default();
    if arguments.text != "-" {
        return change_to(&mut changes, arguments, &arguments.text);
    }
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        // The process may count nothing yet.
        if let Err(problem) = change_to(&mut changes, arguments, &line?) {
            complain(&problem);
        }
        writeln!(out)?;
        out.flush()?;
    }
    Ok(0)
}

fn change_to(changes: &mut LabelChanges, arguments: &LabelArguments, text: &str) -> Result<u8> {
    let processes = processes::running(std::slice::from_ref(&arguments.process))?;
    if processes.is_empty() {
        bail!("no process of {} is running", arguments.process.display());
    }
    let text = text.as_bytes();
    if label::kept(text).len() < text.len() {
        hint(&format!("a label has at most {} bytes; the rest is cut off", label::LONGEST));
    }
    let problems: Vec<_> =
        processes.iter().filter_map(|process| changes.change(process, text).err()).collect();
    let is_any = problems.len() < processes.len();
    Ok(report_problems(&problems, FailureMode::Rest, is_any))
}
