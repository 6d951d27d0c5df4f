//! The remarks below a table: the code that was not counted, and the reliability of the counts.

use std::collections::BTreeMap;

use counts::model::{Count, Counting, Function, MIXED, Module, Report, Run};
use counts::path_text::base_name;
use pathformat::manifest::CutReason;
use pathformat::profile::{CUT, DENIED, ENDED, OTHER_RUNTIME, RUNNING, UNSURE};
use profile::escape::terminal;

use crate::show::document::{Remark, Tone};
use crate::show::options::View;
use crate::show::style::{grouped, plural};

/// The remark on processes that did not end in the normal way, ...
const INCOMPLETE: &str = "\
    incomplete: the process ended without writing a profile (it was killed or crashed, or left by \
    exec or quick_exit) or is still running; the paths that it had completed are counted";

/// The remark on runs whose other threads were running code when the process ended.
const OTHERS_RUN: &str = "other threads were running when the process ended; what they were in \
     the middle of is counted up to their last call, or up to their last path that ended";

/// ... and its addition where counters may be in registers.
const LOOPS: &str = "; what the loop counted that a thread was in may be missing";

/// The most loops that the addition names.
const NAMED: usize = 8;

/// The remarks on runs with other flags.
const FLAGS: [(Applies, Tone, &str); 7] = [
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
        "the process ended well and could not write a profile, or it counted behind its record; \
         its raw file has all of that",
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

/// Returns the remarks below a view.
pub(crate) fn of(report: &Report, view: View) -> Vec<Remark> {
    let counts = not_counted(report).into_iter().chain(only_calls(report, view));
    let counts = counts.chain(interrupted(report)).chain(beyond_tables(report));
    let counts = counts.chain(in_flight(report)).chain(mixed(report)).chain(switches(report));
    counts.map(Remark::note).chain(flags(report)).collect()
}

/// Returns the remark on code that is left out or cut.
fn not_counted(report: &Report) -> Option<String> {
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
        (CutReason::Register, "where no register is free"),
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
    (!parts.is_empty()).then(|| format!("{}; --skipped lists them", parts.join("; ")))
}

fn only_calls(report: &Report, view: View) -> Option<String> {
    let functions =
        report.counted().filter(|function| function.counting == Counting::Calls).count();
    (functions > 0 && !matches!(view, View::Paths | View::Calls(_)))
        .then(|| format!("of {} only calls are counted", plural(functions, "function")))
}

fn interrupted(report: &Report) -> Option<String> {
    let processes = match report.counted().map(|function| function.interrupted).max() {
        None | Some(0) => return None,
        Some(1) => "a process was killed or still ran, or ended while other threads ran".to_owned(),
        Some(many) => {
            let many = grouped(many);
            format!("{many} processes were killed or still ran, or ended while other threads ran")
        }
    };
    Some(format!(
        "{processes}; ~ marks counts without a counter of their own, which may be off by one for \
         each of their threads"
    ))
}

/// Returns the remark on images whose code may go on in another thread.
fn switches(report: &Report) -> Option<String> {
    let images = report.images.iter().filter(|image| !image.switches.is_empty());
    let names: Vec<_> = images.clone().map(|image| image.switches.join(", ")).collect();
    let paths: Vec<_> = images.map(|image| image.path.display().to_string()).collect();
    (!names.is_empty()).then(|| {
        format!(
            "contexts: {} has {}; code that goes on in another thread in the middle of a function \
             counts in the thread that it came from, and what both count at once may be too low; \
             -fpath-stage=machine (from -O1 on) and -fpath-threads=atomic count it exactly",
            terminal(&paths.join(", ")),
            names.join(", ")
        )
    })
}

fn beyond_tables(report: &Report) -> Option<String> {
    let full: Vec<_> = report.counted().filter(|function| function.beyond_table > 0).collect();
    let executions: Count =
        full.iter().fold(0, |sum: Count, function| sum.saturating_add(function.beyond_table));
    (!full.is_empty()).then(|| {
        format!(
            "{} of paths in {} found no room in a table and are shown in pieces; -fpath-table= \
             makes more room",
            plural(usize::try_from(executions).unwrap_or(usize::MAX), "execution"),
            plural(full.len(), "function")
        )
    })
}

/// Explains paths in flight in the heading.
fn in_flight(report: &Report) -> Option<String> {
    report.counted().any(|function| function.paths_in_flight() > 0).then(|| {
        "in flight: a path that had not ended when its process did or was read, or that a jump out \
         of its function cut off"
            .into()
    })
}

/// Explains mixed settings in the heading.
fn mixed(report: &Report) -> Option<String> {
    let said = [
        report.common(|module| module.mode.name()),
        report.common(|module| module.stage.name()),
        report.common(|module| module.level.name()),
    ];
    said.contains(&MIXED).then(|| format!("{MIXED}: not all units were compiled with the same"))
}

/// Explains the flags of the runs.
fn flags(report: &Report) -> Vec<Remark> {
    let remark = |(applies, tone, text): (Applies, Tone, String)| {
        let mut runs = report.runs.iter().filter(|run| applies(run));
        let first = runs.next()?.profile.display();
        let text = match runs.count() {
            0 => format!("{first}: {text}"),
            more => format!("{first} and {more} more: {text}"),
        };
        Some(Remark { tone, text })
    };
    of_runs(report).into_iter().filter_map(remark).collect()
}

/// The condition under which a remark applies to a run.
type Applies = fn(&Run) -> bool;

/// Returns the meaning of the flags of runs for their counts, in order: a remark for each flag.
fn of_runs(report: &Report) -> Vec<(Applies, Tone, String)> {
    let loops = in_registers(report);
    let fixed = FLAGS.map(|(applies, tone, text)| (applies, tone, text.to_owned()));
    let incomplete: Applies = |run| run.incomplete;
    let running: Applies = |run| run.marks & RUNNING != 0;
    [
        (incomplete, Tone::Warning, format!("{INCOMPLETE}{loops}")),
        (running, Tone::Note, format!("{OTHERS_RUN}{loops}")),
    ]
    .into_iter()
    .chain(fixed)
    .collect()
}

/// The addition on the loops that kept counters in registers; empty if there was none.
fn in_registers(report: &Report) -> String {
    let loops = report.counted().filter(|function| function.entries > 0).flat_map(|function| {
        let module = report.modules.get(function.module);
        let loops = module.map_or(&[][..], |module| &module.promoted_loops);
        let own = loops.iter().filter(|(symbol, _)| *symbol == function.shape.name);
        own.map(|&(_, header)| loop_name(function, header))
    });
    // An unrolled loop is two.
    let mut loops: Vec<_> = loops.collect();
    loops.dedup();
    let is_known = |module: &Module| !module.promotes || !module.promoted_loops.is_empty();
    match loops.as_slice() {
        [] if report.modules.iter().all(is_known) => String::new(),
        [] => LOOPS.into(),
        named if named.len() <= NAMED => format!("{LOOPS}: {}", named.join(", ")),
        named => {
            let more = named.len() - NAMED;
            format!("{LOOPS}: {} and {more} more", named[..NAMED].join(", "))
        }
    }
}

/// The function of a loop, with the first line of its header if that is known.
fn loop_name(function: &Function, header: u32) -> String {
    let shape = &function.shape;
    let block = shape.blocks.get(header as usize);
    let all = block.into_iter().flat_map(|block| &block.locations);
    let own = all.filter_map(|&at| shape.locations.get(at as usize));
    match own.filter(|at| at.inlined_at.is_none()).min_by_key(|at| at.line) {
        Some(at) => format!("{} ({}:{})", function.demangled, base_name(&at.file), at.line),
        None => function.demangled.clone(),
    }
}

#[cfg(test)]
mod tests {
    use counts::model::End;
    use pathformat::settings::Level;

    use super::*;
    use crate::sample;

    #[test]
    fn words_of_the_heading_have_their_meaning_below() {
        let has = |report: &Report, word: &str| {
            of(report, View::Paths).iter().any(|remark| remark.text.starts_with(word))
        };
        let mut report = sample::report();
        report.modules.iter_mut().for_each(|module| module.level = Level::Two);
        assert!(!has(&report, "in flight: ") && !has(&report, "mixed: "));
        report.modules[0].level = Level::One;
        report.functions[0].paths[0].end = End::InFlight;
        assert!(has(&report, "in flight: ") && has(&report, "mixed: "));
    }
}
