//! `pathcc --print-config`: what is in force, and from where.

use crate::environment::{ConfigChoice, Environment};
use crate::role::Language;
use crate::settings::LayeredSettings;
use crate::settings::given::Settings;
use crate::settings::options::OPTIONS;
use crate::settings::setting::{Setting, Source};
use crate::toolchain::{Compiler, Installation};
use pathformat::variables::{CLANG, CONFIG, DISABLE, FLANG};
use std::fmt::Write;

/// Where a value comes from if nobody has given it.
const DEFAULT: &str = "default";

/// A text of lines, one for each thing that is in force: its name, its value, and where that comes
/// from.
pub(crate) fn text(
    environment: &Environment,
    settings: &LayeredSettings,
    compiler: &Compiler,
    installation: &Installation,
) -> String {
    let LayeredSettings { flags, variables, config, all } = settings;
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
    row(
        "counting",
        disabled.into(),
        if environment.disable { DISABLE.into() } else { DEFAULT.into() },
    );
    let is_in = |settings: &Settings, option: &Setting| settings.given_as_shown(option).is_some();
    for option in &OPTIONS {
        let from = if is_in(flags, option) || is_in(variables, option) {
            source(option)
        } else if is_in(all, option) {
            from_file()
        } else {
            DEFAULT.into()
        };
        row(option.name, all.shown(option).into(), from);
    }
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

/// The source of an option that the file does not give.
fn source(option: &Setting) -> String {
    match option.source {
        Source::Flag => option.flag(),
        Source::Variable(name) => name.to_owned(),
    }
}

/// The rows with their columns under each other.
fn table(rows: &[[String; 3]]) -> String {
    let width =
        |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths = [width(0), width(1)];
    let mut text = String::new();
    for [name, value, from] in rows {
        let _ = writeln!(text, "{name:0$}  {value:1$}  {from}", widths[0], widths[1]);
    }
    text
}
