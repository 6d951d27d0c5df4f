//! Whether what a filter chooses is there: a glob that matches nothing is an error, and names what
//! is most like it.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::{Result, bail};
use counts::model::{Function, Module, Report};
use counts::select::{self, Filter, matches_file};

/// The functions among which a filter chooses.
pub(crate) struct Candidates<'a> {
    /// Those that can be shown.
    pub(crate) functions: Vec<&'a Function>,
    /// Those that no image has. Their files can be named all the same.
    pub(crate) dropped: &'a [Function],
    /// The modules of all of them.
    pub(crate) modules: &'a [Module],
}

impl<'a> Candidates<'a> {
    fn of(report: &'a Report) -> Self {
        let functions = report.functions.iter().collect();
        Self { functions, dropped: &report.dropped, modules: &report.modules }
    }

    fn files(&self) -> BTreeSet<(&'a str, PathBuf)> {
        select::files(self.functions.iter().copied().chain(self.dropped), self.modules)
    }
}

/// An error unless each glob of a filter matches a function or a file, and some function that is
/// counted, or any, matches all of them.
pub(crate) fn found(report: &Report, filter: &Filter, any: bool) -> Result<()> {
    let all =
        ["; `pathprof report --functions --top 0` lists all", "; `pathprof coverage` lists all"];
    named(&Candidates::of(report), filter, all)?;
    let functions = || report.functions.iter();
    let matches = |function: &&Function| filter.matches(&report.modules[function.module], function);
    let named = !filter.functions.is_empty();
    if named && !any && functions().filter(matches).all(|of| of.shape.skipped.is_some()) {
        let globs = filter.functions.join("`, `");
        let which = if functions().any(|function| matches(&function)) {
            "are not counted; `pathprof report --skipped` says why"
        } else {
            "are not in these files, or hidden"
        };
        bail!("the functions that match `{globs}` {which}");
    }
    Ok(())
}

/// An error unless each glob of a filter matches a function or a file. `all` says what lists all
/// functions, and all files.
pub(crate) fn named(candidates: &Candidates<'_>, filter: &Filter, all: [&str; 2]) -> Result<()> {
    let [functions, files] = all;
    for glob in &filter.functions {
        if !candidates.functions.iter().any(|function| select::matches(glob, function)) {
            bail!(
                "no function matches `{glob}`{}{functions}",
                instead(select::nearest(&candidates.functions, glob))
            );
        }
    }
    for glob in &filter.files {
        let all_files = candidates.files();
        if !all_files.iter().any(|(_, path)| matches_file(glob, path)) {
            bail!(
                "no file matches `{glob}`{}{files}",
                instead(select::nearest_files(&all_files, glob))
            );
        }
    }
    Ok(())
}

/// Names that somebody may have meant, in words.
fn instead(names: Vec<String>) -> String {
    if names.is_empty() { String::new() } else { format!("; similar: `{}`", names.join("`, `")) }
}
