//! Compares what the log says with what the counters say.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::image::{self, Modules};
use crate::{Counts, End, FunctionId, Path, Start};

/// One line for each path whose counts differ, in the order of functions.
pub fn differences(modules: &Modules, logged: &Counts, counted: &Counts) -> Vec<String> {
    let functions: BTreeSet<_> = logged.keys().chain(counted.keys()).copied().collect();
    let mut lines = Vec::new();
    for function in functions {
        let paths = |counts: &Counts| counts.get(&function).cloned().unwrap_or_default();
        let (logged, counted) = (paths(logged), paths(counted));
        let all: BTreeSet<_> = logged.keys().chain(counted.keys()).collect();
        for path in all {
            let times = |counts: &BTreeMap<Path, u64>| counts.get(path).copied().unwrap_or(0);
            if times(&logged) != times(&counted) {
                let (expected, got) = (times(&logged), times(&counted));
                lines.push(format!(
                    "{}: {}: executed {expected}, counted {got}",
                    name(modules, function),
                    text(path)
                ));
            }
        }
    }
    lines
}

fn name(modules: &Modules, (module, index): FunctionId) -> String {
    let source = modules.get(&module).map_or("?", |manifest| &manifest.source);
    match image::function(modules, (module, index)) {
        Ok(function) => format!("{source}: {}", function.name),
        Err(_) => format!("{source}: function {index}"),
    }
}

fn text(path: &Path) -> String {
    let mut text = match path.start {
        Start::Entry => String::from("entry:"),
        Start::Cut(why) => format!("after {why}:"),
    };
    for block in &path.blocks {
        let _ = write!(text, " {block}");
    }
    text + " | "
        + match path.end {
            End::Leave => "leaves",
            End::Cut(why) => why,
            End::InFlight => "in flight",
        }
}
