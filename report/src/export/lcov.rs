//! Writes the tracefile of lcov, which `genhtml`, editors and services for coverage read.
//!
//! The format is that of `geninfo` (`man geninfo`, section FILES). For each file it has functions
//! (`FN`, `FNDA`), branches (`BRDA`) and lines (`DA`), then the number of each and the number of
//! those that ran. A branch with a way of unknown count is left out, since the format cannot
//! express that.
//!
//! A code generator may write `#line` directives with files that never existed. `genhtml` stops at
//! the first of them, so they are left out if other files exist. If none exists, the sources are
//! elsewhere.

use std::borrow::Cow;
use std::io::{Result, Write};
use std::path::PathBuf;

use counts::coverage::Selection;
use counts::model::Report;
use counts::select::Filter;
use counts::source_files::{Covered, SourceFile};
use profile::escape;

/// The source files that do not exist.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Missing {
    /// Their paths.
    pub files: Vec<PathBuf>,
    /// True if they were written nevertheless.
    pub is_written: bool,
}

/// Writes the tracefile of the files that a filter chooses, and if `all` is true of those that do
/// not exist.
///
/// # Errors
/// The errors of `out`.
pub fn write(
    report: &Report,
    filter: &Filter,
    all: bool,
    out: &mut (impl Write + ?Sized),
) -> Result<Missing> {
    // A file without known functions or lines has no coverage.
    let is_known = |file: &SourceFile| !file.functions.is_empty() || !file.lines.is_empty();
    let mut files = Selection::of(report, filter).files;
    files.retain(|_, file| is_known(file));
    let missing: Vec<_> = files.keys().filter(|path| !path.is_file()).cloned().collect();
    let is_written = all || missing.len() == files.len();
    if !is_written {
        files.retain(|path, _| !missing.contains(path));
    }
    for (path, file) in files {
        writeln!(out, "TN:\nSF:{}", escape::line(&path.to_string_lossy(), &[]))?;
        functions(&file, out)?;
        branches(&file, out)?;
        for (line, count) in &file.lines {
            writeln!(out, "DA:{line},{count}")?;
        }
        totals("L", file.line_coverage(), out)?;
        writeln!(out, "end_of_record")?;
    }
    Ok(Missing { files: missing, is_written })
}

fn functions(file: &SourceFile, out: &mut (impl Write + ?Sized)) -> Result<()> {
    for (line, name) in file.functions.keys() {
        writeln!(out, "FN:{line},{}", symbol(name))?;
    }
    for ((_, name), count) in &file.functions {
        writeln!(out, "FNDA:{count},{}", symbol(name))?;
    }
    totals("FN", file.function_coverage(), out)
}

/// Returns a function's name. Readers look for the next field after a comma.
fn symbol(name: &str) -> Cow<'_, str> {
    escape::line(name, &[','])
}

fn branches(file: &SourceFile, out: &mut (impl Write + ?Sized)) -> Result<()> {
    let (mut line, mut number) = (0, 0);
    let mut covered = Covered::default();
    for (place, ways) in &file.branches {
        let Some(taken) = ways.iter().map(|way| way.taken).collect::<Option<Vec<_>>>() else {
            continue;
        };
        number = if place.line == line { number + 1 } else { 0 };
        line = place.line;
        let reached = taken.iter().any(|&count| count > 0);
        for (way, &count) in taken.iter().enumerate() {
            covered.add(count > 0);
            let shown = if reached { count.to_string() } else { "-".into() };
            writeln!(out, "BRDA:{line},{number},{way},{shown}")?;
        }
    }
    totals("BR", covered, out)
}

fn totals(kind: &str, covered: Covered, out: &mut (impl Write + ?Sized)) -> Result<()> {
    writeln!(out, "{kind}F:{}\n{kind}H:{}", covered.all, covered.executed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    fn tracefile(report: &Report, all: bool) -> (String, Missing) {
        let mut out = Vec::new();
        let missing = write(report, &Filter::default(), all, &mut out).expect("in memory");
        (String::from_utf8_lossy(&out).into_owned(), missing)
    }

    #[test]
    fn a_tracefile_tells_functions_branches_and_lines() {
        insta::assert_snapshot!(tracefile(&sample::report(), false).0);
    }

    #[test]
    fn files_that_never_were_are_left_out_where_others_are() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut report = sample::report();
        let directory = folder.path().to_string_lossy().into_owned();
        report.modules.iter_mut().for_each(|module| module.directory.clone_from(&directory));
        let base = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        let records = |all| {
            let (text, missing) = tracefile(&report, all);
            let written = text.lines().filter_map(|line| line.strip_prefix("SF:")).map(base);
            let files = missing.files.iter().map(|path| base(&path.to_string_lossy()));
            let [written, files] = [written.collect::<Vec<_>>(), files.collect()];
            (written.join(" "), files.join(" "), missing.is_written)
        };
        let both = || "util.h main.c".to_owned();
        assert_eq!(records(false), (both(), both(), true), "the sources are elsewhere");
        std::fs::create_dir(folder.path().join("src")).expect("made");
        std::fs::write(folder.path().join("src/main.c"), "").expect("written");
        assert_eq!(records(false), ("main.c".into(), "util.h".into(), false));
        assert_eq!(records(true), (both(), "util.h".into(), true));
    }
}
