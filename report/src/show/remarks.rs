//! The remarks below a table: what was not counted, and how far the counts can be trusted.

use std::collections::BTreeMap;
use std::io::{Result, Write};

use owo_colors::OwoColorize;
use pathformat::manifest::CutReason;
use pathformat::profile::{CUT, DENIED, ENDED, OTHER_RUNTIME, RUNNING, UNSURE};

use crate::analyse::model::{Count, Counting, Report, Run};
use crate::show::options::{Options, View};
use crate::show::path_layout::remark;
use crate::show::style::{grouped, plural};
use pathformat::settings::Mode;

/// How much a remark matters.
#[derive(Clone, Copy)]
enum Tone {
    /// Counts are as they should be, though not all that somebody may expect.
    Note,
    /// Counts are missing or may be wrong.
    Warning,
}

/// Said of processes that did not end in the normal way, ...
const INCOMPLETE: &str = "\
    incomplete: the process ended without writing a profile (it was killed or crashed, or left by \
    exec or quick_exit) or is still running; the paths that it had completed are counted";

/// ... and also where blocks are counted.
const LOOPS: &str = "; of blocks, what the loop counted that a thread was in may be missing";

/// What is said of runs with other flags.
const FLAGS: [(Applies, Tone, &str); 8] = [
    (
        |run| run.marks & RUNNING != 0,
        Tone::Note,
        "other threads were running when the process ended; what they were in the middle of is \
         counted up to their last call, or up to their last path that ended",
    ),
    (
        |run| run.partial,
        Tone::Warning,
        "partial: there was no room on the disk, or no descriptor, to keep what all of its \
         threads counted; their counts are missing",
    ),
    (
        |run| run.marks & (ENDED | DENIED) == ENDED | DENIED,
        Tone::Note,
        "the process ended well and was not permitted to write a profile there (it may have \
         changed its user); its raw file has all that it counted",
    ),
    (
        |run| run.marks & (ENDED | DENIED) == ENDED,
        Tone::Note,
        "the process ended well and could not write a profile; its raw file has all that it \
         counted",
    ),
    (
        |run| run.marks & CUT != 0,
        Tone::Warning,
        "cut: the file that kept its counters was cut or damaged while it ran; what it had \
         counted before is missing",
    ),
    (
        |run| run.marks & UNSURE != 0,
        Tone::Warning,
        "unsure: a program without counters loaded this library after it had overwritten its \
         environment or changed its directory; PATHCC_PROFILE may not have been obeyed",
    ),
    (
        |run| run.marks & OTHER_RUNTIME != 0,
        Tone::Warning,
        "other runtime: the executable was linked by another version of pathcc than this image, \
         which cannot tell threads apart for that; link both again",
    ),
    (
        |run| run.unregistered_threads,
        Tone::Warning,
        "unregistered threads: threads ran that the runtime did not know; their counts were added \
         without synchronisation and may be too low",
    ),
];

/// Writes the remarks.
///
/// # Errors
/// Those of `out`.
pub(crate) fn write(report: &Report, options: &Options, out: &mut impl Write) -> Result<()> {
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for reason in report.functions.iter().filter_map(|function| function.shape.skipped.as_deref()) {
        *reasons.entry(reason).or_default() += 1;
    }
    let cut = |reason| {
        let edges =
            report.counted().map(|function| function.cuts(reason)).filter(|&edges| edges > 0);
        edges.fold((0, 0), |(functions, sum), edges| (functions + 1, sum + edges))
    };
    let mut parts = Vec::new();
    if !reasons.is_empty() {
        let reasons: Vec<_> =
            reasons.iter().map(|(reason, count)| format!("{reason}: {count}")).collect();
        let count = report.functions.len() - report.counted().count();
        parts.push(format!("{} not counted ({})", plural(count, "function"), reasons.join(", ")));
    }
    for (reason, why) in [
        (CutReason::Limit, "at the path limit"),
        (CutReason::Opaque, "where an edge cannot hold code"),
    ] {
        let (functions, edges) = cut(reason);
        if edges > 0 {
            parts.push(format!(
                "{} cut {why} in {}",
                plural(edges, "edge"),
                plural(functions, "function")
            ));
        }
    }
    if !parts.is_empty() {
        note(&format!("{}; --skipped lists them", parts.join("; ")), options.width, out)?;
    }
    let only_calls =
        report.counted().filter(|function| function.counting == Counting::Calls).count();
    if only_calls > 0 && !matches!(options.view, View::Paths | View::Calls(_)) {
        note(
            &format!("of {} only calls are counted", plural(only_calls, "function")),
            options.width,
            out,
        )?;
    }
    let interrupted =
        report.counted().map(|function| function.interrupted).max().unwrap_or_default();
    if interrupted > 0 {
        let text = format!(
            "{}; ~ marks counts without a counter of their own, which may be off by one for each \
             of their threads",
            match interrupted {
                1 => "a process was killed, or ended while other threads ran".to_owned(),
                many => format!(
                    "{} processes were killed, or ended while other threads ran",
                    grouped(many)
                ),
            }
        );
        note(&text, options.width, out)?;
    }
    let full: Vec<_> = report.counted().filter(|function| function.beyond_table > 0).collect();
    if !full.is_empty() {
        let executions: Count =
            full.iter().fold(0, |sum: Count, function| sum.saturating_add(function.beyond_table));
        let text = format!(
            "{} of paths in {} found no room in a table and are shown in pieces; -fpath-table= \
             makes more room",
            plural(usize::try_from(executions).unwrap_or(usize::MAX), "execution"),
            plural(full.len(), "function")
        );
        note(&text, options.width, out)?;
    }
    for (applies, tone, text) in of_runs(report) {
        let mut runs = report.runs.iter().filter(|run| applies(run));
        let Some(first) = runs.next() else { continue };
        let first = first.profile.display();
        let text = match runs.count() {
            0 => format!("{first}: {text}"),
            more => format!("{first} and {more} more: {text}"),
        };
        match tone {
            Tone::Note => note(&text, options.width, out)?,
            Tone::Warning => warning(&text, options.width, out)?,
        }
    }
    Ok(())
}

/// Whether a remark applies to a run.
type Applies = fn(&Run) -> bool;

/// What the flags of runs mean for their counts, in order: a remark for each flag.
fn of_runs(report: &Report) -> Vec<(Applies, Tone, String)> {
    let blocks = report.modules.iter().any(|module| module.mode == Mode::Blocks);
    let loops = if blocks { LOOPS } else { "" };
    let fixed = FLAGS.map(|(applies, tone, text)| (applies, tone, text.to_owned()));
    let incomplete: Applies = |run| run.incomplete;
    std::iter::once((incomplete, Tone::Warning, format!("{INCOMPLETE}{loops}")))
        .chain(fixed)
        .collect()
}

/// Writes a note, in lines of at most `width` characters; on one line without a width.
///
/// # Errors
/// Those of `out`.
pub(crate) fn note(text: &str, width: Option<usize>, out: &mut impl Write) -> Result<()> {
    writeln!(out, "{}", remark(&"note:".cyan().bold().to_string(), text, width))
}

fn warning(text: &str, width: Option<usize>, out: &mut impl Write) -> Result<()> {
    writeln!(out, "{}", remark(&"warning:".yellow().bold().to_string(), text, width))
}
