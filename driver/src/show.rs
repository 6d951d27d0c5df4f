//! `pathcc --print-config`: what is in force, and from where.

use crate::config::Config;
use crate::environment::{ConfigChoice, Environment};
use crate::flags::Settings;
use crate::role::Language;
use crate::toolchain::{Compiler, Installation};
use pathformat::variables::{CLANG, CONFIG, DISABLE, FLANG, JOBS};
use std::fmt::Write;

/// Where a value comes from if nobody has given it.
const DEFAULT: &str = "default";

/// A text of lines, one for each thing that is in force: its name, its value, and where that comes from. `flags` are those
/// of the command line.
pub(crate) fn in_force(
    environment: &Environment,
    config: &Config,
    flags: &Settings,
    compiler: &Compiler,
    installation: &Installation,
) -> String {
    let file = config.file.as_ref().map(|path| path.display().to_string());
    let from_file = || file.clone().unwrap_or_default();
    let mut rows: Vec<[String; 3]> = Vec::new();
    let mut row = |name: &str, value: String, from: String| rows.push([name.into(), value, from]);

    let chosen = match &environment.config {
        None => "found".to_owned(),
        Some(ConfigChoice::Nothing | ConfigChoice::File(_)) => CONFIG.to_owned(),
    };
    row("configuration", file.clone().unwrap_or_else(|| "none".into()), chosen);
    for (path, why) in &config.refused {
        row("not obeyed", path.display().to_string(), why.clone());
    }
    let disabled = if environment.disable { "no" } else { "yes" };
    row("counting", disabled.into(), if environment.disable { DISABLE.into() } else { DEFAULT.into() });
    let all = flags.clone().or(config.settings.clone()).shown();
    for (setting, flag) in all.into_iter().zip(flags.shown()) {
        let from = match (&flag.given, &setting.given) {
            (Some(_), _) => format!("-fpath-{}=", setting.name),
            (None, Some(_)) => from_file(),
            (None, None) => DEFAULT.into(),
        };
        row(setting.name, setting.given.unwrap_or(setting.default), from);
    }
    let (jobs, from) = match (&environment.jobs, config.jobs) {
        (Some(jobs), _) => (jobs.display().to_string(), JOBS.to_owned()),
        (None, Some(jobs)) => (jobs.to_string(), from_file()),
        (None, None) => ("as many as processors".to_owned(), DEFAULT.to_owned()),
    };
    row("jobs", jobs, from);
    let (named, variable) = match compiler.language {
        Language::Fortran => (&environment.flang, FLANG),
        Language::C | Language::Cxx => (&environment.clang, CLANG),
    };
    let from = if named.is_some() { variable } else { "found" };
    row("compiler", compiler.program.display().to_string(), from.into());
    row("plugin", installation.plugin.display().to_string(), "found".into());
    row("linker", installation.linker.display().to_string(), "found".into());
    table(&rows)
}

/// The rows with their columns under each other.
fn table(rows: &[[String; 3]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths = [width(0), width(1)];
    let mut text = String::new();
    for [name, value, from] in rows {
        let _ = writeln!(text, "{name:0$}  {value:1$}  {from}", widths[0], widths[1]);
    }
    text
}
