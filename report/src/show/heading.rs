//! The heading of every report: which image, which runs, and how much of it ran.

use std::io::{Result, Write};

use owo_colors::OwoColorize;

use crate::analyse::model::{Count, Counting, Function, Report, Run};
use crate::read::file_names::profile_of;
use crate::read::image::build_id_in_words;
use crate::show::style::{elide, grouped, plural};

/// Writes the heading, fitted to a width in characters.
///
/// # Errors
/// Those of `out`.
pub(crate) fn write(report: &Report, width: Option<usize>, out: &mut impl Write) -> Result<()> {
    let room = width.map(|width| width.saturating_sub(10));
    for image in &report.images {
        let path = image.path.display().to_string();
        writeln!(
            out,
            "{:<9} {} {}",
            "image".dimmed(),
            elide(&path, room).bold(),
            build_id_in_words(&image.build_id).dimmed()
        )?;
    }
    match report.runs.as_slice() {
        [run] if run.count <= 1 => {
            writeln!(out, "{:<9} {}", "run".dimmed(), elide(&describe(run), room))?
        }
        runs @ ([first] | [first, ..]) => {
            let last = runs.last().unwrap_or(first);
            let (first, last) = (profile_of(&first.profile), profile_of(&last.profile));
            // A sum does not tell which processes its runs were of.
            let count = runs.iter().map(|run| run.count).sum();
            let processes = report.processes().into_iter().max().map_or(0, |last| last + 1);
            let of = match runs.len() == count && processes < count {
                true => format!(" of {}", processes_in_words(processes)),
                false => String::new(),
            };
            let place = match runs.iter().all(|run| profile_of(&run.profile) == first) {
                true => format!("in {}", first.display()),
                false => format!("from {} to {}", first.display(), last.display()),
            };
            let text = format!("{}{of} {place}", plural(count, "run"));
            writeln!(out, "{:<9} {}", "runs".dimmed(), elide(&text, room))?;
        }
        [] => {}
    }
    let (blocks, paths): (Vec<_>, Vec<_>) =
        report.with_blocks().partition(|function| function.counting.is_of_blocks());
    let calls: Vec<_> =
        report.counted().filter(|function| function.counting == Counting::Calls).collect();
    let total = |functions: &[&Function], what: fn(&Function) -> Count| {
        functions.iter().fold(0, |sum: Count, function| sum.saturating_add(what(function)))
    };
    let sum = |functions: &[&Function], what| grouped(total(functions, what));
    if !blocks.is_empty() {
        let text = format!(
            "{} of {} ran, in {}; {} counters",
            sum(
                &blocks,
                |function| function.block_counts.iter().filter(|&&count| count > 0).count()
                    as Count
            ),
            sum(&blocks, |function| function.shape.blocks.len() as Count),
            plural(blocks.len(), "function"),
            sum(&blocks, |function| function.shape.counters().into()),
        );
        writeln!(out, "{:<9} {}", "blocks".dimmed(), elide(&text, room))?;
    }
    let patterns = report.counted().flat_map(|function| &function.shape.patterns);
    let mut shapes = [("diamond", 0), ("half-diamond", 0), ("jump", 0), ("exit sum", 0)];
    let mut saved = 0;
    for pattern in patterns {
        shapes[pattern.shape as usize].1 += 1;
        saved += pattern.saved.len();
    }
    if saved > 0 {
        let shapes: Vec<_> = shapes.iter().map(|&(shape, count)| plural(count, shape)).collect();
        let text = format!("{}; {} saved", shapes.join(", "), plural(saved, "counter"));
        writeln!(out, "{:<9} {}", "patterns".dimmed(), elide(&text, room))?;
    }
    if !calls.is_empty() {
        let text = format!(
            "{} by {}; {} counters",
            sum(&calls, Function::calls),
            plural(calls.len(), "function"),
            sum(&calls, |function| function.shape.counters().into()),
        );
        writeln!(out, "{:<9} {}", "calls".dimmed(), elide(&text, room))?;
    }
    if !paths.is_empty() || (blocks.is_empty() && calls.is_empty()) {
        let times = match total(&paths, Function::path_runs) {
            1 => "once in all".to_owned(),
            times => format!("{} times in all", grouped(times)),
        };
        let in_flight = match total(&paths, Function::paths_in_flight) {
            0 => String::new(),
            one_or_more => format!(" and {} in flight", grouped(one_or_more)),
        };
        let text = format!(
            "{} of {} ran{in_flight}, in {} of {}, {times}",
            sum(&paths, |function| function.completed().count() as Count),
            sum(&paths, |function| function.num_paths().into()),
            sum(&paths, |function| (!function.paths.is_empty()).into()),
            plural(paths.len(), "function"),
        );
        writeln!(out, "{:<9} {}", "paths".dimmed(), elide(&text, room))?;
    }
    if calls.is_empty() || !blocks.is_empty() || !paths.is_empty() {
        writeln!(out, "{:<9} {} instructions", "executed".dimmed(), grouped(report.executed()))?;
    }
    writeln!(out)
}

fn processes_in_words(count: usize) -> String {
    if count == 1 { "one process".into() } else { format!("{count} processes") }
}

fn describe(run: &Run) -> String {
    let seconds = run.stop.saturating_sub(run.start) / 1_000_000;
    let command = run.command_line.join(" ");
    let profile = run.profile.display();
    format!("{command} (pid {}, {}.{:03} s, {profile})", run.pid, seconds / 1000, seconds % 1000)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyse::model::End;
    use crate::sample;

    #[test]
    fn paths_in_flight_are_told_beside_those_that_ended() {
        let said = |report: &Report| {
            let mut out = Vec::new();
            write(report, None, &mut out).expect("memory");
            String::from_utf8(out).expect("text")
        };
        let mut report = sample::report();
        assert!(!said(&report).contains("in flight"), "{}", said(&report));
        let function = report.functions.iter_mut().find(|function| !function.paths.is_empty());
        function.expect("one that ran").paths[0].end = End::InFlight;
        assert!(said(&report).contains(" ran and 1 in flight, in "), "{}", said(&report));
    }
}
