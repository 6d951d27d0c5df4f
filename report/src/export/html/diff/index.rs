//! The index of a difference: the compared reports, and all pairs of functions.

use std::collections::HashSet;

use compare::pairs::Pair;
use compare::parts::Parts;
use compare::paths::whole;
use compare::scale::{Per, runs};
use compare::structure::same_instructions;
use counts::model::{Count, Counting, Function, Report};
use counts::path_text::base_name;
use profile::names;
use serde::Serialize;

use super::difference_report::DifferenceReport;
use crate::export::html::payload::{Exact, Signed, shown};
use crate::export::html::runs::{ImageEntry, command, images};
use crate::schema;

/// The largest number of command lines that are listed for each side.
const COMMANDS: usize = 3;

/// The index.
#[derive(Serialize)]
pub(super) struct Index<'a> {
    schema: &'static str,
    a: Side,
    b: Side,
    /// The divisor of counts: nothing, `run` or `entry`.
    per: &'static str,
    /// The function whose entries divide, if that is `entry`.
    entries_of: Option<String>,
    /// The chosen functions, if not all.
    chosen: Option<String>,
    /// The number of units of a difference in one instruction.
    unit: Signed,
    difference: Signed,
    matched: Vec<MatchedRow>,
    parts: [Total; 4],
    pairs: Pairs<'a>,
}

#[derive(Serialize)]
struct Side {
    images: Vec<ImageEntry>,
    /// The first different command lines of its runs, and the number of all.
    commands: Vec<String>,
    all_commands: usize,
    runs: Exact,
    incomplete: usize,
    mode: &'static str,
    stage: &'static str,
    executed: Signed,
    divisor: Exact,
}

#[derive(Serialize)]
struct MatchedRow {
    by: &'static str,
    functions: usize,
    ran: usize,
    difference: Signed,
}

/// One way to divide the difference into parts.
#[derive(Serialize)]
struct Total {
    list: &'static str,
    differing: usize,
    equal: usize,
    difference: Signed,
}

/// Columns with an entry for each pair of functions.
#[derive(Default, Serialize)]
struct Pairs<'a> {
    symbol: Vec<String>,
    name: Vec<String>,
    /// The name without parameters.
    short: Vec<String>,
    place: Vec<String>,
    /// The name in A, and the place in A, if they are different.
    name_a: Vec<Option<String>>,
    place_a: Vec<Option<String>>,
    matched: Vec<&'static str>,
    /// `null` on a side that has no such function.
    blocks_a: Vec<Option<usize>>,
    blocks_b: Vec<Option<usize>>,
    /// True if the graph is the same and its blocks have other instructions.
    other_code: Vec<bool>,
    /// The side that counts only calls, if the other one counts more.
    only_calls: Vec<&'static str>,
    /// The reason why the side without it does not count it.
    skipped: Vec<Option<&'a str>>,
    ran: Vec<bool>,
    /// True if it was chosen.
    chosen: Vec<bool>,
    count_a: Vec<Signed>,
    count_b: Vec<Signed>,
    a: Vec<Signed>,
    b: Vec<Signed>,
    difference: Vec<Signed>,
}

/// Returns the index of a comparison.
pub(super) fn index(report: DifferenceReport<'_>) -> Index<'_> {
    let comparison = report.comparison;
    let text = |text: &str| shown(text).into_owned();
    let matched = comparison.matched().into_iter().map(|(matched, (functions, ran))| MatchedRow {
        by: matched.word(),
        functions,
        ran,
        difference: Signed(comparison.difference_of(|pair| pair.matched == matched)),
    });
    let mut pairs = Pairs::default();
    for pair in &comparison.pairs.list {
        pairs.add(pair, report);
    }
    let (per, entries_of) = match report.per {
        Per::Whole => ("", None),
        Per::Run => ("run", None),
        Per::Entry(glob) => ("entry", Some(text(glob))),
    };
    Index {
        schema: schema::DIFFERENCE_PAGE,
        a: side(comparison.a, comparison.executed.a, comparison.scale.a),
        b: side(comparison.b, comparison.executed.b, comparison.scale.b),
        per,
        entries_of,
        chosen: (!report.filter.takes_all()).then(|| text(&report.filter.words())),
        unit: Signed(comparison.scale.unit()),
        difference: Signed(comparison.difference),
        matched: matched.collect(),
        parts: [
            total("functions", &comparison.functions),
            total("paths", &comparison.paths),
            total("blocks", &comparison.blocks),
            total("calls", &comparison.calls),
        ],
        pairs,
    }
}

fn side(report: &Report, executed: i128, divisor: Count) -> Side {
    let mut known = HashSet::new();
    let mut commands: Vec<_> = report.runs.iter().map(command).collect();
    commands.retain(|command| !command.is_empty() && known.insert(command.clone()));
    let all_commands = commands.len();
    commands.truncate(COMMANDS);
    Side {
        images: images(report),
        commands,
        all_commands,
        runs: Exact(runs(report)),
        incomplete: report.runs.iter().filter(|run| run.incomplete).count(),
        mode: report.common(|module| module.mode.name()),
        stage: report.common(|module| module.stage.name()),
        executed: Signed(executed),
        divisor: Exact(divisor),
    }
}

fn total<T>(list: &'static str, parts: &Parts<T>) -> Total {
    let (differing, difference) = (parts.differing.len(), Signed(parts.total()));
    Total { list, differing, equal: parts.equal, difference }
}

impl<'a> Pairs<'a> {
    fn add(&mut self, pair: &Pair<'a>, report: DifferenceReport<'a>) {
        let Some(function) = pair.function() else { return };
        let text = |text: &str| shown(text).into_owned();
        self.symbol.push(text(&function.shape.name));
        self.name.push(text(&function.demangled));
        self.short.push(short(function));
        self.place.push(place(function));
        let before = pair.a.filter(|_| pair.b.is_some());
        let other =
            |of: fn(&Function) -> String| before.map(of).filter(|before| *before != of(function));
        self.name_a.push(other(|function| shown(&function.demangled).into_owned()));
        self.place_a.push(other(place));
        self.matched.push(pair.matched.word());
        let blocks = |of: Option<&Function>| of.map(|of| of.shape.blocks.len());
        self.blocks_a.push(blocks(pair.a));
        self.blocks_b.push(blocks(pair.b));
        let is_other = |a: &Function| !same_instructions(&a.shape, &function.shape);
        self.other_code.push(pair.has_one_graph() && before.is_some_and(is_other));
        let only_calls = [pair.a, pair.b].map(|of| of.map(|of| of.counting == Counting::Calls));
        self.only_calls.push(match only_calls {
            [Some(true), Some(false)] => "A",
            [Some(false), Some(true)] => "B",
            _ => "",
        });
        self.skipped.push(pair.skipped);
        self.ran.push(pair.ran());
        self.chosen.push(report.comparison.is_chosen(pair, report.filter));
        let (count, executed) = whole(pair);
        self.count_a.push(Signed(count.a));
        self.count_b.push(Signed(count.b));
        self.a.push(Signed(executed.a));
        self.b.push(Signed(executed.b));
        self.difference.push(Signed(report.comparison.scale.difference(executed.a, executed.b)));
    }
}

/// Returns the name of a function without its parameters.
fn short(function: &Function) -> String {
    let short = names::short(&function.shape);
    shown(short.as_deref().unwrap_or(&function.demangled)).into_owned()
}

/// Returns the place of a function's declaration: `parse.c:12`; empty if it is unknown.
fn place(function: &Function) -> String {
    match (function.shape.file.as_str(), function.shape.line) {
        ("", _) => String::new(),
        (file, line) => format!("{}:{line}", shown(base_name(file))),
    }
}
