//! The path that the command `show` is asked for: `main#3`.

use std::collections::BTreeSet;

use anyhow::{Result, anyhow, bail};
use clap::Args;
use counts::model::{Function, Report};
use counts::path_text::base_name;
use counts::select;
use pathprof::show::forms::Format;
use profile::escape::terminal;

use crate::command::arguments::SourceArguments;
use crate::command::filters::{Form, FormArguments};
use crate::command::messages::hint;

/// The most other functions of a name that a note lists.
const NAMED: usize = 3;

#[derive(Args)]
pub(crate) struct ShowPathArguments {
    /// The function, and the number of its path as `pathprof report` shows it [default number: 1]
    #[arg(value_name = "FUNCTION[#N]", required_unless_present_any = ["asm", "mca"])]
    pub(crate) path: Option<String>,
    /// Show code of system headers like that of the program
    #[arg(long)]
    pub(crate) system: bool,
    #[command(flatten)]
    pub(crate) machine: MachineArguments,
    #[command(flatten)]
    pub(crate) form: FormArguments,
    #[command(flatten)]
    pub(crate) sources: SourceArguments,
}

#[derive(Args)]
pub(crate) struct MachineArguments {
    /// Show the machine instructions of the path, or without a path how many each function
    /// executed. The code must be compiled with -fpath-stage=machine
    #[arg(long, conflicts_with = "mca")]
    pub(crate) asm: bool,
    /// Show the cycles that llvm-mca predicts for the path, or without a path where the predicted
    /// cycles of the program are
    #[arg(long)]
    pub(crate) mca: bool,
    /// With --mca: the processor to predict for, as llvm-mca names it
    #[arg(long, value_name = "CPU", default_value = "native", requires = "mca")]
    pub(crate) mcpu: String,
    /// With --asm or --mca, and without a path: show at most N rows (0: all)
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) top: usize,
}

impl MachineArguments {
    /// True if instructions are to be shown.
    pub(crate) fn are_wanted(&self) -> bool {
        self.asm || self.mca
    }
}

impl ShowPathArguments {
    /// How to write a path.
    ///
    /// # Errors
    /// A form that only tables have.
    pub(crate) fn form_of_path(&self) -> Result<Form> {
        let form = self.form.form();
        if form.format != Format::Text {
            bail!("a path is written as text; `pathprof export` writes paths for programs");
        }
        Ok(form)
    }
}

/// A path that somebody names.
pub(crate) struct ChosenPath {
    /// The index of its function.
    pub(crate) function: usize,
    /// Its number among the executed paths of the function, from 1.
    pub(crate) rank: usize,
}

/// Finds the path that `text` names.
///
/// # Errors
/// There is none.
pub(crate) fn chosen_path(report: &Report, text: &str) -> Result<ChosenPath> {
    let (name, rank) = parsed(text);
    let mut indexes: Vec<_> = matching(report, name);
    indexes.retain(|&index| !report.functions[index].paths.is_empty());
    // The hottest of several functions of this name.
    indexes.sort_by_key(|&index| std::cmp::Reverse(report.functions[index].executed()));
    let Some(&function) = indexes.first() else { return Err(no_path(report, name)) };
    if indexes.len() > 1 {
        let others = indexes[1..].iter().map(|&other| with_file(&report.functions[other]));
        let others: BTreeSet<_> = others.map(|other| terminal(&other).into_owned()).collect();
        let more = match others.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let others = others.into_iter().take(NAMED).collect::<Vec<_>>().join(", ") + &more;
        hint(&format!("`{name}` is also the name of: {others}; the hottest function is shown"));
    }
    let paths = report.functions[function].paths.len();
    if rank == 0 || rank > paths {
        let name = terminal(&report.functions[function].demangled);
        bail!("{name} has paths 1 to {paths}, and no path {rank}");
    }
    Ok(ChosenPath { function, rank })
}

/// A function's name and the number of a path: `main#3`. Names of lambdas have such a sign, too.
fn parsed(text: &str) -> (&str, usize) {
    let path = text.rsplit_once('#').and_then(|(name, number)| Some((name, number.parse().ok()?)));
    path.filter(|(name, _)| !name.is_empty()).unwrap_or((text, 1))
}

/// The counted functions of this name.
pub(crate) fn matching(report: &Report, name: &str) -> Vec<usize> {
    let mut found = select::meant(report, name);
    found.retain(|&index| report.functions[index].shape.skipped.is_none());
    // A variant of a destructor that the compiler made has its name, and none of its lines.
    let is_made = |index: &usize| report.functions[*index].shape.is_made;
    if !found.iter().all(is_made) {
        found.retain(|index| !is_made(index));
    }
    found
}

/// The name of a function with its file, which may tell it from others.
fn with_file(function: &Function) -> String {
    match function.shape.file.as_str() {
        "" => function.demangled.clone(),
        file => format!("{} ({})", function.demangled, base_name(file)),
    }
}

fn no_path(report: &Report, name: &str) -> anyhow::Error {
    if let Some((function, _)) = name.rsplit_once('#')
        && !matching(report, function).is_empty()
    {
        return anyhow!("`{name}` is no path: write `{function}#1`");
    }
    match matching(report, name).first() {
        Some(&index) if report.functions[index].counting.is_of_paths() => {
            anyhow!("no path of {} was executed", report.functions[index].demangled)
        }
        Some(&index) => {
            let function = &report.functions[index];
            let mode = report.modules[function.module].mode.name();
            let annotate = match function.counting.knows_blocks() {
                true => "; `pathprof annotate` shows the counts of its lines",
                false => "",
            };
            anyhow!("the paths of {} are not counted in mode {mode}{annotate}", function.demangled)
        }
        None => anyhow!(
            "no counted function is called `{name}`; `pathprof report --functions --top 0` lists \
             all, and `pathprof annotate` finds inlined ones, too"
        ),
    }
}
