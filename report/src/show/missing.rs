//! The list of what was not covered: lines, ways on from branches, and paths.

use std::collections::{BTreeSet, HashSet};
use std::fmt::Write as _;
use std::io::{Result, Write};

use owo_colors::OwoColorize;
use pathformat::manifest::Outcome;

use crate::analyse::acyclic;
use crate::analyse::coverage::paths_of;
use crate::analyse::model::{self, End, Function};
use crate::analyse::source_files::SourceFile;
use crate::analyse::uncut_paths::without_limit;
use crate::show::notation::{self, Notation};
use crate::show::path_layout;
use crate::show::style::grouped;

/// The list of paths that were not taken ends when this many blocks were looked at.
pub const MOST_LISTED: usize = 1 << 25;

/// Writes what was not covered in a file: lines, ways on from branches, and paths. `functions` are
/// those of the file, and `unknown` are the lines of those that could not be counted. Paths are
/// listed for functions with at most `most_paths` possible ones. `room` is the number of blocks
/// that may still be looked at for these lists.
///
/// # Errors
/// Those of `out`.
pub fn write(
    file: &SourceFile,
    functions: &[&Function],
    unknown: &BTreeSet<u32>,
    most_paths: u64,
    room: &mut usize,
    out: &mut impl Write,
) -> Result<()> {
    let mut text = String::new();
    let mut line = |title: &str, what: &str| {
        if !what.is_empty() {
            let _ = writeln!(text, "  {title:<10} {what}");
        }
    };
    line("unknown", &unknown.iter().map(u32::to_string).collect::<Vec<_>>().join(", "));
    line("lines", &ranges(file.lines.iter().map(|(&line, &count)| (line, count > 0))));
    line("branches", &branches(file));
    for function in functions {
        paths(function, most_paths, room, &mut text);
    }
    if text.is_empty() {
        Ok(())
    } else {
        writeln!(out, "not covered in {}\n{text}", file.name.bold())
    }
}

/// `12-15, 18`: the lines that did not run; those without code between them do not end a range.
fn ranges(lines: impl Iterator<Item = (u32, bool)>) -> String {
    let mut found: Vec<(u32, u32)> = Vec::new();
    let mut goes_on = false;
    for (line, ran) in lines {
        match found.last_mut() {
            Some((_, last)) if !ran && goes_on => *last = line,
            _ if !ran => found.push((line, line)),
            _ => {}
        }
        goes_on = !ran;
    }
    let text =
        |(first, last)| if first == last { format!("{first}") } else { format!("{first}-{last}") };
    found.into_iter().map(text).collect::<Vec<_>>().join(", ")
}

/// `13(false), 31(case 2)`: ways that were not taken from branches that were reached.
fn branches(file: &SourceFile) -> String {
    let mut found = BTreeSet::new();
    for (place, ways) in &file.branches {
        let reached = ways.iter().any(|way| way.taken != Some(0));
        let left = ways.iter().filter(|way| reached && way.taken == Some(0));
        found.extend(left.map(|way| (place.line, words(&way.outcome))));
    }
    found.into_iter().map(|(line, way)| format!("{line}({way})")).collect::<Vec<_>>().join(", ")
}

fn words(outcome: &Outcome) -> String {
    notation::words(outcome).map_or_else(String::new, |(_, words)| words)
}

/// The paths that a function did not take, if they are few enough to list. `room` is the number of
/// blocks that may still be looked at.
fn paths(function: &Function, most: u64, room: &mut usize, text: &mut String) {
    let covered = paths_of(function);
    if covered.executed >= covered.all {
        return;
    }
    let left = covered.all - covered.executed;
    let _ = writeln!(
        text,
        "  {:<10} {}: {} of {}",
        "paths",
        function.demangled,
        grouped(left),
        grouped(covered.all)
    );
    if function.num_paths() > most || function.entries == 0 {
        return;
    }
    let uncut = function.shape.whole.as_ref();
    let unlimited = uncut
        .map(|uncut| Function { shape: without_limit(&function.shape, uncut), ..function.clone() });
    let function = unlimited.as_ref().unwrap_or(function);
    let Ok(decoder) = acyclic::decoder(&function.shape) else { return };
    let writer = notation::PathWriter::new(function, Notation::Lines);
    let taken: HashSet<u64> = function.completed().map(|path| path.id).collect();
    for id in (0..model::num_ids(&function.shape)).filter(|id| !taken.contains(id)) {
        if *room == 0 {
            let _ = writeln!(text, "               … and more, too many to list");
            return;
        }
        // Each id is work, even one that no path has.
        *room = room.saturating_sub(function.shape.blocks.len() + 1);
        let path = acyclic::possible(&function.shape, &decoder, id);
        if let Some(path) = path.ok().filter(|path| path.end != End::InFlight) {
            let _ = writeln!(
                text,
                "               {}",
                path_layout::lay_out(&writer.write(&path), None)
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use pathformat::manifest::{DagEdge, DagEdgeKind, Whole};

    use super::*;
    use crate::analyse::source_files::{Place, Way};
    use crate::sample;

    fn named(name: &str) -> Function {
        sample::report()
            .functions
            .into_iter()
            .find(|function| function.demangled == name)
            .expect("there")
    }

    #[test]
    fn lines_and_ways_that_were_not_taken_are_listed() {
        let way = |outcome, taken| Way { outcome, taken };
        let branch = |line, ways| (Place { line, column: 1, copy: 0 }, ways);
        let file = SourceFile {
            name: "a.c".into(),
            lines: [(1, 5), (2, 0), (3, 0), (7, 1)].into(),
            branches: BTreeMap::from([
                branch(2, vec![way(Outcome::True, Some(3)), way(Outcome::False, Some(0))]),
                // Never reached, and one of which less is known.
                branch(3, vec![way(Outcome::True, Some(0)), way(Outcome::False, Some(0))]),
                branch(4, vec![way(Outcome::Default, None), way(Outcome::Cases(vec![7]), Some(0))]),
            ]),
            ..SourceFile::default()
        };
        let mut out = Vec::new();
        write(&file, &[], &BTreeSet::new(), 64, &mut 1, &mut out).expect("in memory");
        let text = anstream::adapter::strip_str(&String::from_utf8_lossy(&out)).to_string();
        assert_eq!(
            text,
            "not covered in a.c\n  lines      2-3\n  branches   2(false), 4(case 7)\n\n"
        );
    }

    /// What is said of the paths of a function that were not taken, line by line.
    fn missing_paths(function: &Function, most: u64) -> Vec<String> {
        let mut text = String::new();
        paths(function, most, &mut 1000, &mut text);
        let plain = anstream::adapter::strip_str(&text).to_string();
        plain.lines().map(|line| line.trim().to_owned()).collect()
    }

    #[test]
    fn the_paths_of_what_ran_are_listed_if_they_are_few() {
        let mut function = named("collatz");
        assert_eq!(missing_paths(&function, 7).len(), 1, "it has eight");
        assert_eq!(missing_paths(&function, 8).len(), 1 + 3);
        function.entries = 0;
        assert_eq!(missing_paths(&function, 8).len(), 1);
    }

    #[test]
    fn missing_paths_are_whole_where_those_are_known() {
        let mut function = named("util::guard(int)");
        function.paths.clear();
        // As in the sample, but nothing is cut behind the landing pad.
        let mut dag = function.shape.dag.clone();
        dag[3] = DagEdge { kind: DagEdgeKind::Flow { edge: 2 }, value: 0 };
        dag.remove(4);
        let cuts =
            function.shape.edges.iter().map(|edge| edge.cut.filter(|cut| cut.0 == 0)).collect();
        function.shape.whole = Some(Whole { num_paths: 4, slots: 64, dag, cuts });
        let ways = [
            "bb0 -> cut",
            "resume: bb1 -> return",
            "resume: bb2(true) bb3 -> return",
            "resume: bb2(false) bb4 -> unwind",
        ];
        assert_eq!(missing_paths(&function, 64)[1..], ways);
    }

    #[test]
    fn the_list_of_paths_ends_where_the_work_does() {
        let report = sample::report();
        let function = report.functions.iter().find(|of| of.demangled == "collatz").expect("there");
        // Room for the blocks of one path.
        let (mut room, mut text) = (function.shape.blocks.len() + 1, String::new());
        paths(function, 64, &mut room, &mut text);
        let lines: Vec<_> = text.lines().map(str::trim).collect();
        assert!(lines.len() == 3 && lines[2] == "… and more, too many to list", "{text}");
        assert_eq!(room, 0);
    }

    #[test]
    fn ranges_go_over_lines_without_code() {
        let lines =
            [(1, true), (3, false), (5, false), (6, true), (8, false), (9, true), (12, false)];
        assert_eq!(ranges(lines.into_iter()), "3-5, 8, 12");
    }
}
