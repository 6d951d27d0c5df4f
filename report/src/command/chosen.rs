//! Whether what a filter chooses is there: a glob that matches nothing is an error, and names what
//! is most like it.

use anyhow::{Result, bail};
use counts::model::{Function, Report};
use counts::select::{self, Filter, matches_file};

/// An error unless each glob of a filter matches a function or a file, and some function that is
/// counted, or any, matches all of them.
pub(crate) fn found(report: &Report, filter: &Filter, any: bool) -> Result<()> {
    let all =
        ["; `pathprof report --functions --top 0` lists all", "; `pathprof coverage` lists all"];
    named(report, filter, all)?;
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
pub(crate) fn named(report: &Report, filter: &Filter, all: [&str; 2]) -> Result<()> {
    let [functions, files] = all;
    for glob in &filter.functions {
        if !report.functions.iter().any(|function| select::matches(glob, function)) {
            bail!(
                "no function matches `{glob}`{}{functions}",
                instead(select::nearest(report, glob))
            );
        }
    }
    for glob in &filter.files {
        if !select::files(report).iter().any(|(_, path)| matches_file(glob, path)) {
            bail!(
                "no file matches `{glob}`{}{files}",
                instead(select::nearest_files(report, glob))
            );
        }
    }
    Ok(())
}

/// Names that somebody may have meant, in words.
fn instead(names: Vec<String>) -> String {
    if names.is_empty() { String::new() } else { format!("; similar: `{}`", names.join("`, `")) }
}
