//! The report as text: a table of hot paths, of functions, or of what was not counted, and remarks
//! below it.
//!
//! The text always carries colours; the stream that it is written to drops them where they are not
//! wanted. On a terminal cells are fitted to its width; elsewhere every row is one line with
//! everything in it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Result, Write};
use std::path::Path;

use comfy_table::CellAlignment::{self, Left, Right};
use comfy_table::Table;
use owo_colors::OwoColorize;
use pathformat::manifest::CutReason;
use pathformat::profile::{CUT, DENIED, ENDED, OTHER_RUNTIME, RUNNING, UNSURE};

use crate::analyse::model::{self, Count, Function, Report, Run};
use crate::analyse::select::{self, Sort};
use crate::escape::terminal;
use crate::read::names;
use crate::show::branches;
use crate::show::calls;
use crate::show::heading;
use crate::show::hot_blocks;
use crate::show::notation::{self, Notation, base_name};
use crate::show::opcodes;
use crate::show::path_layout::{self, fit};
use crate::show::printable::Printable;
use crate::show::style::{elide, first_of, grouped, label, percent, plural, share, shown, table};

/// What the table shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum View {
    /// Executed paths.
    #[default]
    Paths,
    /// Functions.
    Functions,
    /// Functions that are not counted and edges that are cut, with reasons.
    Skipped,
    /// Executed instructions by class and opcode.
    Opcodes(opcodes::Rows),
    /// Functions that were called.
    Calls(calls::Rows),
    /// Branches and their ways.
    Branches,
}

/// How to show a report.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What the table shows.
    pub view: View,
    /// So many rows at most; 0 means all.
    pub top: usize,
    /// Only functions whose name matches this glob.
    pub function: Option<String>,
    /// Order of the rows.
    pub sort: Sort,
    /// What stands for a block.
    pub notation: Notation,
    /// Show long names of functions in full.
    pub full_names: bool,
    /// Width to fit into, in characters; `None` shows everything in full, a row on a line.
    pub width: Option<usize>,
}

/// Writes the report.
///
/// # Errors
/// Those of `out`.
pub fn write(report: &Printable, options: &Options, out: &mut impl Write) -> Result<()> {
    heading::write(report, options.width, out)?;
    let chosen = || select::functions(report, options.function.as_deref());
    let with_blocks = || chosen().into_iter().filter(|function| !function.only_calls).collect::<Vec<_>>();
    match options.view {
        View::Paths => {
            let mixed = report.counted().any(|function| !function.counts_blocks());
            if report.with_blocks().any(Function::counts_blocks) {
                hot_blocks::write(report, &with_blocks(), options.sort, options.top, out)?;
            }
            if report.counted().any(|function| function.only_calls) {
                let calls: Vec<_> = chosen().into_iter().filter(|function| function.only_calls).collect();
                calls::write(report, &calls, calls::Rows::Callees, options.top, out)?;
            }
            if mixed || report.counted().next().is_none() {
                paths(report, options, out)?;
            }
        }
        View::Functions => functions(report, options, out)?,
        View::Skipped => return skipped(report, options, out),
        View::Opcodes(rows) => opcodes::write(report, &with_blocks(), rows, options.top, out)?,
        View::Branches => branches::write(&with_blocks(), options.top, out)?,
        View::Calls(rows) => calls::write(report, &chosen(), rows, options.top, out)?,
    }
    remarks(report, options, out)
}

/// A row of a table before it is fitted.
struct Row<'a> {
    numbers: Vec<String>,
    name: String,
    function: &'a Function,
    path: Option<&'a model::Path>,
}

fn paths(report: &Report, options: &Options, out: &mut impl Write) -> Result<()> {
    let chosen = select::functions(report, options.function.as_deref());
    let rows = select::paths(&chosen, options.sort);
    let shown = shown(options.top, rows.len());
    if rows.is_empty() {
        return nothing(options, &chosen, out);
    }
    let total = report.executed();
    let mut columns = vec![("#", Right), ("count", Right), ("share", Right), ("sum", Right), ("function", Left)];
    columns.extend(options.width.is_none().then_some(("where", Left)));
    columns.push(("path", Left));
    let mut sum: Count = 0;
    let rows: Vec<_> = rows
        .iter()
        .take(shown)
        .enumerate()
        .map(|(rank, &(function, path))| {
            sum = sum.saturating_add(path.executed());
            let numbers = vec![
                (rank + 1).to_string().dimmed().to_string(),
                grouped(path.count),
                share(path.executed(), total),
                percent(sum, total),
            ];
            Row { numbers, name: name(function, options), function, path: Some(path) }
        })
        .collect();
    let taken = columns_width(&columns, &rows);
    let names = options.width.map(|width| names_width(width, taken, &rows));
    let room = options.width.map(|width| width.saturating_sub(taken + names.unwrap_or(0) + 3).max(12));
    let mut table = table(&columns);
    let mut without_lines = BTreeSet::new();
    let mut shortened = false;
    for Row { numbers: mut cells, name, function, path } in rows {
        if !function.has_lines() {
            without_lines.insert((function.image, function.module, &function.shape.name));
        }
        push_name(&mut cells, &name, &place(report, function), names);
        let written = path.map(|path| notation::Writer::new(function, options.notation).write(path));
        let fitted = written.map(|written| fit(&written, room)).unwrap_or_default();
        shortened |= fitted.contains('…');
        cells.push(fitted);
        table.add_row(cells);
    }
    print(&table, out)?;
    if shortened {
        writeln!(out, "{}", "… stands for a part of a path; --full shows all of it".dimmed())?;
    }
    left_out(shown, chosen.iter().map(|function| function.paths.len()).sum(), "executed path", out)?;
    no_lines(without_lines.len(), options, out)
}

fn functions(report: &Report, options: &Options, out: &mut impl Write) -> Result<()> {
    let mut chosen = select::functions(report, options.function.as_deref());
    select::sort_functions(&mut chosen, options.sort);
    let shown = shown(options.top, chosen.len());
    if chosen.is_empty() {
        return nothing(options, &chosen, out);
    }
    let total = report.executed();
    let numeric = ["#", "entries", "executed", "possible", "instructions", "share", "sum"];
    let mut columns: Vec<_> = numeric.iter().map(|&title| (title, Right)).collect();
    columns.push(("function", Left));
    let mut sum: Count = 0;
    let rows: Vec<_> = chosen[..shown]
        .iter()
        .enumerate()
        .map(|(rank, &function)| {
            let executed = function.executed();
            sum = sum.saturating_add(executed);
            let numbers = vec![
                (rank + 1).to_string().dimmed().to_string(),
                grouped(function.entries),
                grouped(function.completed().count() as Count),
                grouped(function.num_paths().into()),
                grouped(executed),
                share(executed, total),
                percent(sum, total),
            ];
            Row { numbers, name: name(function, options), function, path: None }
        })
        .collect();
    let taken = columns_width(&columns, &rows);
    let longest = |text: fn(&Row<'_>, &Report) -> usize| rows.iter().map(|row| text(row, report)).max().unwrap_or(0);
    let side_by_side = taken
        + longest(|row, _| row.name.chars().count())
        + longest(|row, report| place(report, row.function).chars().count())
        + 3;
    let names =
        options.width.filter(|&width| width < side_by_side).map(|width| width.saturating_sub(taken + 1).max(12));
    columns.extend(names.is_none().then_some(("where", Left)));
    let mut table = table(&columns);
    for Row { numbers: mut cells, name, function, .. } in rows {
        push_name(&mut cells, &name, &place(report, function), names);
        table.add_row(cells);
    }
    print(&table, out)?;
    left_out(shown, chosen.len(), "function", out)
}

fn skipped(report: &Report, options: &Options, out: &mut impl Write) -> Result<()> {
    let glob = options.function.as_deref();
    let chosen = report.functions.iter().filter(|function| glob.is_none_or(|glob| select::matches(glob, function)));
    let mut table = table(&[("function", Left), ("where", Left), ("what", Left)]);
    for function in chosen {
        let module = &report.modules[function.module];
        let reasons = match &function.shape.skipped {
            Some(reason) => vec![format!("not counted: {reason}")],
            None => cuts(function, module.limit),
        };
        for reason in reasons {
            let room = options.width.map(|width| width.saturating_sub(5));
            let (name, place) = (name(function, options), place(report, function));
            table.add_row(vec![
                elide(&name, room.map(|room| room * 2 / 5)).cyan().to_string(),
                elide(&place, room.map(|room| room / 5)).dimmed().to_string(),
                elide(&reason, room.map(|room| room * 2 / 5)),
            ]);
        }
    }
    if table.is_empty() {
        return writeln!(out, "All functions are counted, and no path is cut.");
    }
    print(&table, out)
}

/// What is cut in `function` besides its loops, in words.
fn cuts(function: &Function, limit: u64) -> Vec<String> {
    let why = [
        (CutReason::Limit, format!("cut at the limit of {} paths", grouped(limit.into()))),
        (CutReason::Opaque, "cut because they cannot hold code".into()),
    ];
    let counted = why.into_iter().map(|(reason, text)| (function.cuts(reason), text));
    counted.filter(|&(edges, _)| edges > 0).map(|(edges, text)| format!("{} {text}", plural(edges, "edge"))).collect()
}

/// Below the table: what was not counted, and how far the counts can be trusted.
fn remarks(report: &Report, options: &Options, out: &mut impl Write) -> Result<()> {
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for reason in report.functions.iter().filter_map(|function| function.shape.skipped.as_deref()) {
        *reasons.entry(reason).or_default() += 1;
    }
    let cut = |reason| {
        let edges = report.counted().map(|function| function.cuts(reason)).filter(|&edges| edges > 0);
        edges.fold((0, 0), |(functions, sum), edges| (functions + 1, sum + edges))
    };
    let mut parts = Vec::new();
    if !reasons.is_empty() {
        let reasons: Vec<_> = reasons.iter().map(|(reason, count)| format!("{reason}: {count}")).collect();
        let count = report.functions.len() - report.counted().count();
        parts.push(format!("{} not counted ({})", plural(count, "function"), reasons.join(", ")));
    }
    for (reason, why) in
        [(CutReason::Limit, "at the path limit"), (CutReason::Opaque, "where an edge cannot hold code")]
    {
        let (functions, edges) = cut(reason);
        if edges > 0 {
            parts.push(format!("{} cut {why} in {}", plural(edges, "edge"), plural(functions, "function")));
        }
    }
    if !parts.is_empty() {
        note(&format!("{}; --skipped lists them", parts.join("; ")), options, out)?;
    }
    let only_calls = report.counted().filter(|function| function.only_calls).count();
    if only_calls > 0 && !matches!(options.view, View::Paths | View::Calls(_)) {
        note(&format!("of {} only calls are counted", plural(only_calls, "function")), options, out)?;
    }
    let interrupted = report.counted().map(|function| function.interrupted).max().unwrap_or_default();
    if interrupted > 0 {
        let text = format!(
            "{}; ~ marks counts without a counter of their own, which may be off by one for each \
             of their threads",
            match interrupted {
                1 => "a process was killed, or ended while other threads ran".to_owned(),
                many => format!("{} processes were killed, or ended while other threads ran", grouped(many)),
            }
        );
        note(&text, options, out)?;
    }
    let full: Vec<_> = report.counted().filter(|function| function.beyond_table > 0).collect();
    if !full.is_empty() {
        let executions: Count = full.iter().fold(0, |sum: Count, function| sum.saturating_add(function.beyond_table));
        let text = format!(
            "{} of paths in {} found no room in a table and are shown in pieces; -fpath-table= \
             makes more room",
            plural(usize::try_from(executions).unwrap_or(usize::MAX), "execution"),
            plural(full.len(), "function")
        );
        note(&text, options, out)?;
    }
    let flagged = |flag: fn(&Run) -> bool| {
        let mut runs = report.runs.iter().filter(|run| flag(run));
        let first = runs.next()?.profile.display().to_string();
        Some(match runs.count() {
            0 => first,
            more => format!("{first} and {more} more"),
        })
    };
    if let Some(runs) = flagged(|run| run.incomplete) {
        let text = "the process ended without writing a profile (it was killed or crashed, or left \
                    by exec or quick_exit) or is still running; the paths that it had completed are \
                    counted";
        let blocks = report.modules.iter().any(|module| module.mode == "blocks");
        let loops = if blocks { "; of blocks, what the loop counted that a thread was in may be missing" } else { "" };
        warning(&format!("{runs}: incomplete: {text}{loops}"), options, out)?;
    }
    if let Some(runs) = flagged(|run| run.marks & RUNNING != 0) {
        let text = "other threads were running when the process ended; what they were in the \
                    middle of is counted up to their last call, or up to their last path that \
                    ended";
        note(&format!("{runs}: {text}"), options, out)?;
    }
    if let Some(runs) = flagged(|run| run.partial) {
        let text = "there was no room on the disk, or no descriptor, to keep what all of its \
                    threads counted; their counts are missing";
        warning(&format!("{runs}: partial: {text}"), options, out)?;
    }
    if let Some(runs) = flagged(|run| run.marks & (ENDED | DENIED) == ENDED | DENIED) {
        let text = "the process ended well and was not permitted to write a profile there (it may \
                    have changed its user); its raw file has all that it counted";
        note(&format!("{runs}: {text}"), options, out)?;
    }
    if let Some(runs) = flagged(|run| run.marks & (ENDED | DENIED) == ENDED) {
        let text = "the process ended well and could not write a profile; its raw file has all \
                    that it counted";
        note(&format!("{runs}: {text}"), options, out)?;
    }
    if let Some(runs) = flagged(|run| run.marks & CUT != 0) {
        let text = "the file that kept its counters was cut or damaged while it ran; what it had counted \
             before is missing";
        warning(&format!("{runs}: cut: {text}"), options, out)?;
    }
    if let Some(runs) = flagged(|run| run.marks & UNSURE != 0) {
        let text = "a program without counters loaded this library after it had overwritten its \
                    environment or changed its directory; PATHCC_PROFILE may not have been obeyed";
        warning(&format!("{runs}: unsure: {text}"), options, out)?;
    }
    if let Some(runs) = flagged(|run| run.marks & OTHER_RUNTIME != 0) {
        let text = "the executable was linked by another version of pathcc than this image, which \
                    cannot tell threads apart for that; link both again";
        warning(&format!("{runs}: other runtime: {text}"), options, out)?;
    }
    if let Some(runs) = flagged(|run| run.unregistered_threads) {
        let text = "threads ran that the runtime did not know; their counts were added without \
                    synchronisation and may be too low";
        warning(&format!("{runs}: unregistered threads: {text}"), options, out)?;
    }
    Ok(())
}

fn nothing(options: &Options, chosen: &[&Function], out: &mut impl Write) -> Result<()> {
    match &options.function {
        Some(glob) if chosen.is_empty() => writeln!(out, "No counted function matches `{}`.\n", terminal(glob)),
        _ => writeln!(out, "No path was executed.\n"),
    }
}

fn left_out(shown: usize, all: usize, what: &str, out: &mut impl Write) -> Result<()> {
    if shown < all {
        writeln!(out, "{}", first_of(shown, &plural(all, what)))?;
    }
    writeln!(out)
}

fn no_lines(functions: usize, options: &Options, out: &mut impl Write) -> Result<()> {
    if functions > 0 && options.notation == Notation::Lines {
        let functions = plural(functions, "function");
        let text = "without debug information, shown as basic blocks (bb0 …); compile with -g to \
                    see source lines";
        note(&format!("{functions} {text}"), options, out)?;
    }
    Ok(())
}

fn note(text: &str, options: &Options, out: &mut impl Write) -> Result<()> {
    writeln!(out, "{}", path_layout::remark(&"note:".cyan().bold().to_string(), text, options.width))
}

fn warning(text: &str, options: &Options, out: &mut impl Write) -> Result<()> {
    writeln!(out, "{}", path_layout::remark(&"warning:".yellow().bold().to_string(), text, options.width))
}

/// Where the function is: `main.c:10`, and its image if there are several.
fn place(report: &Report, function: &Function) -> String {
    let module = &report.modules[function.module];
    let mut place = match (function.shape.file.as_str(), function.shape.line) {
        ("", _) => base_name(&module.source).to_string(),
        (file, line) => format!("{}:{line}", base_name(file)),
    };
    if report.images.len() > 1 {
        let image: &Path = &report.images[function.image].path;
        place += &format!(" in {}", base_name(&image.to_string_lossy()));
    }
    place
}

fn name(function: &Function, options: &Options) -> String {
    if options.full_names {
        function.demangled.clone()
    } else {
        label(&function.demangled, names::short(&function.shape))
    }
}

/// Adds a function's name and place: below each other where width is short, otherwise as two cells.
fn push_name(cells: &mut Vec<String>, name: &str, place: &str, width: Option<usize>) {
    let name = elide(name, width).cyan().to_string();
    let place = elide(place, width).dimmed().to_string();
    match width {
        Some(_) => cells.push(format!("{name}\n{place}")),
        None => cells.extend([name, place]),
    }
}

/// Width of the columns of numbers, padding included.
fn columns_width(columns: &[(&str, CellAlignment)], rows: &[Row<'_>]) -> usize {
    let widest = |column: usize, title: &str| {
        let cells = rows.iter().filter_map(|row| row.numbers.get(column)).map(|cell| path_layout::visible_width(cell));
        cells.chain([title.chars().count()]).max().unwrap_or_default()
    };
    let numbers = rows.first().map_or(0, |row| row.numbers.len());
    let widths = columns.iter().take(numbers).enumerate().map(|(column, (title, _))| widest(column, title) + 2);
    widths.sum::<usize>().saturating_sub(1)
}

/// How wide the column of names may be: what the longest name needs, but leave the path more than
/// half of the rest.
fn names_width(width: usize, taken: usize, rows: &[Row<'_>]) -> usize {
    let longest = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or_default();
    let rest = width.saturating_sub(taken);
    longest.clamp(12, 48).min((rest * 2 / 5).max(12))
}

fn print(table: &Table, out: &mut impl Write) -> Result<()> {
    writeln!(out, "{}", table.trim_fmt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    fn written(report: &Report, options: &Options) -> String {
        let mut out = Vec::new();
        write(&report.clone().into(), options, &mut out).expect("memory does not fail");
        let text = String::from_utf8(out).expect("the report is text");
        anstream::adapter::strip_str(&text).to_string()
    }

    #[test]
    fn hot_paths_in_full() {
        insta::assert_snapshot!("paths", written(&sample::report(), &Options::default()));
    }

    #[test]
    fn hot_paths_on_a_narrow_terminal() {
        let options = Options { width: Some(80), ..Options::default() };
        let text = written(&sample::report(), &options);
        let wide = text.lines().filter(|line| line.chars().count() > 80);
        assert_eq!(wide.collect::<Vec<_>>(), [""; 0]);
        insta::assert_snapshot!("paths-80", text);
    }

    #[test]
    fn selected_paths() {
        let options = Options { function: Some("coll*".into()), sort: Sort::Length, top: 2, ..Options::default() };
        insta::assert_snapshot!("paths-selected", written(&sample::report(), &options));
    }

    #[test]
    fn functions() {
        insta::assert_snapshot!(
            "functions",
            written(&sample::report(), &Options { view: View::Functions, ..Options::default() })
        );
    }

    #[test]
    fn skipped() {
        insta::assert_snapshot!(
            "skipped",
            written(&sample::report(), &Options { view: View::Skipped, ..Options::default() })
        );
    }

    #[test]
    fn several_flagged_runs_of_two_images() {
        let mut first = sample::loaded();
        let mut second = first.clone();
        second.image.path = "/lib/libdemo.so".into();
        second.runs[0].profile = "libdemo.so.42.pathprof".into();
        second.runs[0].unregistered_threads = true;
        first.runs.extend(first.runs.clone());
        first.runs.iter_mut().for_each(|run| run.incomplete = true);
        let (report, problems) = crate::analyse::decode::decode(vec![first, second], &());
        assert!(problems.is_empty(), "{problems:?}");
        insta::assert_snapshot!("two-images", written(&report, &Options { top: 3, ..Options::default() }));
    }

    #[test]
    fn nothing_to_show() {
        let options = Options { function: Some("no_such_*".into()), ..Options::default() };
        let text = written(&sample::report(), &options);
        assert!(text.contains("No counted function matches `no_such_*`."), "{text}");
        let mut idle = sample::loaded();
        idle.modules.iter_mut().for_each(|module| module.counts.clear());
        let text = written(&crate::analyse::decode::decode(vec![idle], &()).0, &Options::default());
        assert!(text.contains("No path was executed."), "{text}");
    }
}
