//! The heading of every report: its image, its runs, and the amount of code that ran.

use std::collections::BTreeSet;

use counts::model::{Count, Counting, Function, Report, Run};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use pathformat::manifest::WeightSource;
use pathformat::settings::Level;
use profile::file_names::profile_of;
use profile::image::build_id_in_words;

use crate::show::command_line::CommandLine;
use crate::show::document::Fact;
use crate::show::durations::seconds;
use crate::show::style::{grouped, plural};

/// The largest number of hosts that are named. Further hosts are counted.
const MOST_HOSTS: usize = 5;

/// Returns the heading, with times in a zone.
pub(crate) fn facts(report: &Report, zone: &TimeZone) -> Vec<Fact> {
    let image = |image: &counts::model::Image| {
        let id = build_id_in_words(&image.build_id);
        Fact::new("image", format!("{} {id}", image.path.display()).trim_end())
    };
    let mut facts: Vec<_> = report.images.iter().map(image).collect();
    facts.extend(runs(report, zone));
    facts.extend(settings(report));
    facts.extend(weights(report));
    facts.extend(counted(report));
    facts
}

/// Returns the settings of the compilation, as far as all units have them in common.
fn settings(report: &Report) -> Option<Fact> {
    let said = [
        ("mode", report.common(|module| module.mode.name())),
        ("stage", report.common(|module| module.stage.name())),
        ("level", report.common(|module| module.level.name())),
    ];
    let said = said.iter().filter(|(_, value)| *value != Level::Unknown.name());
    let said: Vec<_> = said.map(|(what, value)| format!("{what} {value}")).collect();
    (!report.modules.is_empty()).then(|| Fact::new("counted", said.join(", ")))
}

/// Returns the number of functions with branch weights from the counts of an earlier run.
fn weights(report: &Report) -> Option<Fact> {
    let with = |weights| report.counted().filter(|of| of.shape.weights == weights).count();
    let (measured, outdated) = (with(WeightSource::Measured), with(WeightSource::Outdated));
    let outdated_in_words = match outdated {
        0 => String::new(),
        _ => format!("; those of {outdated} more are of other code"),
    };
    let all_functions = report.counted().count();
    let all = plural(all_functions, "function");
    let text = format!("measured for {measured} of {all}{outdated_in_words}");
    let given = all_functions - with(WeightSource::Estimated);
    (given > 0).then(|| Fact::new("weights", text))
}

/// Returns the programs that ran, with times and places.
fn runs(report: &Report, zone: &TimeZone) -> Vec<Fact> {
    let runs = report.runs.as_slice();
    let (first, last) = match runs {
        [] => return Vec::new(),
        [run] if run.count <= 1 => return vec![describe(run)],
        [first, ..] => (first, runs.last().unwrap_or(first)),
    };
    let (first, last) = (profile_of(&first.profile), profile_of(&last.profile));
    // A sum does not record the processes of its runs.
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
    let begin = runs.iter().map(|run| run.start).min().unwrap_or_default();
    let end = runs.iter().map(|run| run.stop).max().unwrap_or_default();
    let mut when = time(begin, zone);
    if time(end, zone) != when {
        when += &format!(" to {}", time(end, zone));
    }
    // A sum names all hosts of its runs.
    let hosts: BTreeSet<_> = runs.iter().flat_map(|run| run.host.split(", ")).collect();
    let hosts: Vec<_> = hosts.into_iter().filter(|host| !host.is_empty()).collect();
    let named = hosts.iter().take(MOST_HOSTS).copied().collect::<Vec<_>>().join(", ");
    let text = match hosts.len() {
        0 => when,
        1..=MOST_HOSTS => format!("{when} on {named}"),
        all => format!("{when} on {named} and {} more hosts", all - MOST_HOSTS),
    };
    let summary =
        format!("{}{of} {place} (a run is one image in one process)", plural(count, "run"));
    vec![Fact::new("runs", summary), Fact::new("when", text)]
}

/// Returns a time to the second.
pub(crate) fn time(nanoseconds: u64, zone: &TimeZone) -> String {
    let time = Timestamp::from_nanosecond(nanoseconds.into()).unwrap_or_default();
    time.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M:%S").to_string()
}

/// Returns the amounts of counted code that ran.
fn counted(report: &Report) -> Vec<Fact> {
    let (blocks, paths): (Vec<_>, Vec<_>) =
        report.with_blocks().partition(|function| function.counting.is_of_blocks());
    let calls: Vec<_> =
        report.counted().filter(|function| function.counting == Counting::Calls).collect();
    let mut facts = Vec::new();
    if !blocks.is_empty() {
        facts.push(of_blocks(&blocks));
    }
    facts.extend(patterns(report));
    if !calls.is_empty() {
        let text = format!(
            "{} by {}; {} counters",
            sum(&calls, Function::calls),
            plural(calls.len(), "function"),
            sum(&calls, |function| function.shape.counters().into()),
        );
        facts.push(Fact::new("calls", text));
    }
    if !paths.is_empty() || (blocks.is_empty() && calls.is_empty()) {
        facts.push(of_paths(&paths));
    }
    if calls.is_empty() || !blocks.is_empty() || !paths.is_empty() {
        let text = format!("{} {}", grouped(report.executed()), report.instructions());
        facts.push(Fact::new("executed", text));
    }
    facts
}

fn of_blocks(functions: &[&Function]) -> Fact {
    let ran = |function: &Function| {
        function.block_counts.iter().filter(|&&count| count > 0).count() as Count
    };
    let text = format!(
        "{} of {} ran, in {}; {} counters",
        sum(functions, ran),
        sum(functions, |function| function.shape.blocks.len() as Count),
        plural(functions.len(), "function"),
        sum(functions, |function| function.shape.counters().into()),
    );
    Fact::new("blocks", text)
}

fn patterns(report: &Report) -> Option<Fact> {
    let patterns = report.counted().flat_map(|function| &function.shape.patterns);
    let mut shapes = [("diamond", 0), ("half-diamond", 0), ("jump", 0), ("exit sum", 0)];
    let mut saved = 0;
    for pattern in patterns {
        shapes[pattern.shape as usize].1 += 1;
        saved += pattern.saved.len();
    }
    let shapes: Vec<_> = shapes.iter().map(|&(shape, count)| plural(count, shape)).collect();
    let text = format!("{}; {} saved", shapes.join(", "), plural(saved, "counter"));
    (saved > 0).then(|| Fact::new("patterns", text))
}

fn of_paths(functions: &[&Function]) -> Fact {
    let times = match total(functions, Function::path_runs) {
        1 => "once in all".to_owned(),
        times => format!("{} times in all", grouped(times)),
    };
    let in_flight = match total(functions, Function::paths_in_flight) {
        0 => String::new(),
        one_or_more => format!(" and {} in flight", grouped(one_or_more)),
    };
    let text = format!(
        "{} of {} ran{in_flight}, in {} of {}, {times}",
        sum(functions, |function| function.completed().count() as Count),
        sum(functions, |function| function.num_paths().into()),
        sum(functions, |function| (!function.paths.is_empty()).into()),
        plural(functions.len(), "function"),
    );
    Fact::new("paths", text)
}

fn total(functions: &[&Function], what: fn(&Function) -> Count) -> Count {
    functions.iter().fold(0, |sum: Count, function| sum.saturating_add(what(function)))
}

fn sum(functions: &[&Function], what: fn(&Function) -> Count) -> String {
    grouped(total(functions, what))
}

fn processes_in_words(count: usize) -> String {
    if count == 1 { "one process".into() } else { format!("{count} processes") }
}

fn describe(run: &Run) -> Fact {
    let time = run.stop.saturating_sub(run.start);
    // No end was written for a process that was killed.
    let time = match (time, run.incomplete) {
        (0, true) => "its end is not known".into(),
        (_, true) => format!("at least {} s", seconds(time)),
        _ => format!("{} s", seconds(time)),
    };
    let words = run.command_line.iter().map(|word| word.to_string_lossy().into_owned());
    let profile = run.profile.display();
    let rest = format!("(pid {}, {time}, {profile})", run.pid);
    Fact::of_command("run", CommandLine(words.collect()), &rest)
}

#[cfg(test)]
mod tests {
    use counts::model::End;

    use super::*;
    use crate::sample;

    fn said(report: &Report) -> String {
        let facts = facts(report, &TimeZone::UTC);
        let lines = facts.iter().map(|fact| format!("{} {}\n", fact.label, fact.text));
        lines.collect()
    }

    #[test]
    fn paths_in_flight_are_told_beside_those_that_ended() {
        let mut report = sample::report();
        assert!(!said(&report).contains("in flight"), "{}", said(&report));
        let function = report.functions.iter_mut().find(|function| !function.paths.is_empty());
        function.expect("one that ran").paths[0].end = End::InFlight;
        assert!(said(&report).contains(" ran and 1 in flight, in "), "{}", said(&report));
    }

    #[test]
    fn the_time_of_a_run_is_rounded_and_unknown_if_it_was_killed() {
        let mut report = sample::report();
        let run = &mut report.runs[0];
        run.stop = run.start + 25_981_000;
        assert!(said(&report).contains(", 0.026 s, "), "{}", said(&report));
        report.runs[0].incomplete = true;
        assert!(said(&report).contains(", at least 0.026 s, "), "{}", said(&report));
        report.runs[0].stop = report.runs[0].start;
        assert!(said(&report).contains(", its end is not known, "), "{}", said(&report));
    }

    #[test]
    fn runs_have_a_time_and_hosts() {
        let mut report = sample::report();
        assert!(said(&report).contains("counted mode paths, stage "), "{}", said(&report));
        let run = Run { host: "box".into(), ..report.runs[0].clone() };
        let sum = Run { host: "a, b, c, d, e".into(), count: 7, stop: u64::MAX, ..run.clone() };
        report.runs = vec![Run { count: 2, ..run.clone() }];
        let text = "when 1970-01-01 00:00:01 to 1970-01-01 00:00:03 on box\n";
        assert!(said(&report).contains(text), "{}", said(&report));
        report.runs.push(sum);
        assert!(said(&report).contains("runs 9 runs in demo"), "{}", said(&report));
        let text = "when 1970-01-01 00:00:01 to 2554-07-21 23:34:33 on a, b, box, c, d and 1 more";
        assert!(said(&report).contains(text), "{}", said(&report));
    }
}
