//! Writes the tracefile of lcov, which `genhtml`, editors and services for coverage read.
//!
//! The format is that of `geninfo` (`man geninfo`, section FILES). For each file it has functions
//! (`FN`, `FNDA`), branches (`BRDA`) and lines (`DA`), then how many there are of each and how many
//! ran. A branch with a way whose count is unknown is left out, since the format cannot say so.

use std::borrow::Cow;
use std::io::{Result, Write};

use crate::analyse::coverage::Selection;
use crate::analyse::model::Report;
use crate::analyse::select::Filter;
use crate::analyse::source_files::{Covered, SourceFile};
use crate::escape;

/// Writes the tracefile of what a filter chooses.
///
/// # Errors
/// Those of `out`.
pub fn write(report: &Report, filter: &Filter, out: &mut (impl Write + ?Sized)) -> Result<()> {
    // A file of which nothing is known is not covered by nothing.
    let is_known = |file: &SourceFile| !file.functions.is_empty() || !file.lines.is_empty();
    let files = Selection::of(report, filter).files;
    for (path, file) in files.into_iter().filter(|(_, file)| is_known(file)) {
        writeln!(out, "TN:\nSF:{}", escape::line(&path.to_string_lossy(), &[]))?;
        functions(&file, out)?;
        branches(&file, out)?;
        for (line, count) in &file.lines {
            writeln!(out, "DA:{line},{count}")?;
        }
        totals("L", file.line_coverage(), out)?;
        writeln!(out, "end_of_record")?;
    }
    Ok(())
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

/// A function's name. After a comma readers look for the next field.
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
    use crate::sample;

    #[test]
    fn a_tracefile_tells_functions_branches_and_lines() {
        let mut out = Vec::new();
        super::write(&sample::report(), &super::Filter::default(), &mut out).expect("in memory");
        insta::assert_snapshot!(String::from_utf8_lossy(&out));
    }
}
