//! Messages on the input that was chosen, and on findings while it was read.

use profile::escape::terminal;
use profile::inputs::OneStart;
use profile::unique_runs::Warning;
use trace::file::chosen::Chosen;

use crate::show::style::plural;

/// Names the start that is read.
pub fn reading(start: &OneStart) -> String {
    let first = start.profiles.first().map(|path| path.to_string_lossy()).unwrap_or_default();
    let mut text = format!("reading {}", terminal(&first));
    if start.profiles.len() > 1 {
        text += &format!(" and {}", plural(start.profiles.len() - 1, "other profile"));
    }
    match (start.number, start.starts) {
        (_, 1) => text += ", the only start here",
        (1, all) => text += &format!(", the last of {all} starts (--all reads all)"),
        (number, all) => text += &format!(", start {number} of {all}"),
    }
    if start.processes > 1 {
        text += &format!(": {} processes", start.processes);
    }
    if start.is_last_ever {
        text += "; no other can be written here, so what runs without PATHCC_PROFILE=DIR is lost";
    }
    text
}

/// Names the trace that is read, if the user has not named it.
pub fn reading_trace(chosen: &Chosen) -> Option<String> {
    let path = chosen.path.to_string_lossy();
    let among = match chosen.among? {
        1 => "the only trace here".into(),
        all => format!("the newest of {all} traces here"),
    };
    Some(format!("reading {}, {among}", terminal(&path)))
}

/// Names the starts that are read, for the heading of a report.
pub fn of_starts(start: Option<&OneStart>, all: usize) -> String {
    match start.map(|start| (start.number, start.starts)) {
        None if all == 1 => "the only one".into(),
        None => format!("all {all}"),
        Some((_, 1)) => "the only one".into(),
        Some((1, all)) => format!("the last of {all}; `pathprof runs` lists them, --all reads all"),
        Some((number, all)) => {
            format!("{number} of {all}, counted backwards as `pathprof runs` lists them")
        }
    }
}

/// Describes a harmless finding.
pub fn warning(warning: &Warning) -> String {
    match warning {
        Warning::Duplicates { runs, first } => {
            let given = match runs {
                1 => "1 run is".into(),
                more => format!("{} are", plural(*more, "run")),
            };
            let others = if *runs > 1 { ", the first one" } else { "" };
            format!(
                "{given} given more than once and counted once{others} in {}; --allow-duplicates \
                 counts each time",
                first.display()
            )
        }
        Warning::Outdated { runs, first } => format!(
            "{} of other builds of the program {} left out ({})",
            plural(*runs, "run"),
            if *runs == 1 { "is" } else { "are" },
            first.display()
        ),
    }
}
