//! The table of calls: how often counted code called each function, functions of libraries
//! included, and from where.
//!
//! A call ran as often as its block, so its count follows from those of the blocks. What a call
//! through a pointer led to is counted at the call, where that was asked for.
//!
//! Entries are counted in the functions themselves, and may differ from the calls. There are more
//! entries if code that is not counted calls, or pointers that are not followed lead there. There
//! are fewer if an earlier call in the block left it for good.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::io::{Result, Write};

use comfy_table::CellAlignment::{Left, Right};
use owo_colors::OwoColorize;

use pathformat::manifest::INDIRECT;

use crate::analyse::model::{CallSite, Count, Function, Report};
use crate::read::names::demangle;
use crate::show::notation::place;
use crate::show::style::{grouped, left_out, percent, print, shown, table};

/// What has a row of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rows {
    /// A callee.
    #[default]
    Callees,
    /// A call in the code.
    Sites,
}

/// The most callees in the row of a call through a pointer.
const MOST_TARGETS: usize = 4;

/// What is known of one callee.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Callee {
    /// How often counted code called it.
    pub calls: Count,
    /// How many of these calls were through a pointer.
    pub through_pointers: Count,
    /// From how many executed places it was called.
    pub sites: u64,
    /// Whether the number of calls may be wrong (see [`Function::interrupted`]).
    pub in_doubt: bool,
    /// How often it was entered; `None` if it is not counted.
    pub entries: Option<Count>,
}

impl Callee {
    fn add(&mut self, calls: Count, in_doubt: bool) {
        self.calls = self.calls.saturating_add(calls);
        self.sites += 1;
        self.in_doubt |= in_doubt;
    }
}

/// A call in the code that was executed.
struct ExecutedCall<'a> {
    function: &'a Function,
    block: usize,
    call: usize,
    count: Count,
    /// What it called, if it calls through a pointer and that is recorded.
    site: Option<&'a CallSite>,
}

impl<'a> ExecutedCall<'a> {
    fn callee(&self) -> &'a str {
        &self.function.shape.blocks[self.block].calls[self.call].callee
    }

    /// Whether the count may be wrong. What a pointer led to is counted call by call.
    fn is_in_doubt(&self) -> bool {
        self.site.is_none() && self.function.is_in_doubt(self.block)
    }
}

/// The executed calls of a function.
fn made(function: &Function) -> impl Iterator<Item = ExecutedCall<'_>> {
    let mut sites = function.sites.iter();
    let calls = function.shape.blocks.iter().zip(&function.block_counts).enumerate().flat_map(
        |(block, (of, &count))| (0..of.calls.len()).map(move |call| (block, call, count)),
    );
    let made = calls.map(move |(block, call, count)| {
        let is_indirect = function.shape.blocks[block].calls[call].is_indirect();
        // There is one for each such call, in the same order.
        let site = if is_indirect { sites.next() } else { None };
        let count = site.map_or(count, |site| {
            site.targets.iter().fold(site.others, |sum, (_, count)| sum.saturating_add(*count))
        });
        ExecutedCall { function, block, call, count, site }
    });
    made.filter(|made| made.count > 0)
}

/// All callees of `functions` by symbol; `*` stands for what is called through pointers and not
/// known.
pub fn of<'a>(report: &'a Report, functions: &[&'a Function]) -> BTreeMap<&'a str, Callee> {
    let mut callees: BTreeMap<&str, Callee> = BTreeMap::new();
    for made in functions.iter().flat_map(|&function| made(function)) {
        let Some(site) = made.site else {
            callees.entry(made.callee()).or_default().add(made.count, made.is_in_doubt());
            continue;
        };
        for (name, count) in &site.targets {
            let called = callees.entry(name).or_default();
            called.add(*count, false);
            called.through_pointers = called.through_pointers.saturating_add(*count);
        }
        if site.others > 0 {
            callees.entry(INDIRECT).or_default().add(site.others, false);
        }
    }
    for function in report.counted() {
        if let Some(called) = callees.get_mut(function.shape.name.as_str()) {
            called.entries =
                Some(called.entries.unwrap_or_default().saturating_add(function.entries));
        }
    }
    callees
}

/// Writes what `functions` called, in so many rows at most (0: all).
///
/// # Errors
/// Those of `out`.
pub fn write(
    report: &Report,
    functions: &[&Function],
    rows: Rows,
    top: usize,
    out: &mut impl Write,
) -> Result<()> {
    let (table, all) = match rows {
        Rows::Callees => callees(report, functions, top),
        Rows::Sites => sites(report, functions, top),
    };
    print(&table, out)?;
    let shown = shown(top, all);
    left_out(shown, all, &grouped(all as Count), out)?;
    writeln!(out)
}

fn callees(report: &Report, functions: &[&Function], top: usize) -> (comfy_table::Table, usize) {
    let mut callees: Vec<_> = of(report, functions).into_iter().collect();
    callees.sort_by_key(|(name, called)| (Reverse(called.calls), *name));
    let heads = [
        ("calls", Right),
        ("by pointer", Right),
        ("from places", Right),
        ("entries", Right),
        ("callee", Left),
    ];
    let mut table = table(&heads);
    let names = Names::new(report);
    for (name, called) in &callees[..shown(top, callees.len())] {
        let is_unknown = *name == INDIRECT;
        let through_pointers = if is_unknown { called.calls } else { called.through_pointers };
        table.add_row([
            doubtful(called.calls, called.in_doubt),
            if through_pointers > 0 { grouped(through_pointers) } else { "–".into() },
            grouped(called.sites.into()),
            called.entries.map_or_else(|| "–".into(), grouped),
            if is_unknown { "(not known)".dimmed().to_string() } else { names.of(name) },
        ]);
    }
    (table, callees.len())
}

fn sites(report: &Report, functions: &[&Function], top: usize) -> (comfy_table::Table, usize) {
    let mut calls: Vec<_> = functions.iter().flat_map(|&function| made(function)).collect();
    calls
        .sort_by_key(|made| (Reverse(made.count), &made.function.demangled, made.block, made.call));
    let mut table = table(&[("calls", Right), ("from", Left), ("where", Left), ("callee", Left)]);
    let names = Names::new(report);
    for made in &calls[..shown(top, calls.len())] {
        let shape = &made.function.shape;
        let location = shape.blocks[made.block].calls[made.call].location;
        let location = location
            .and_then(|index| shape.locations.get(index as usize))
            .filter(|at| at.line != 0);
        table.add_row([
            doubtful(made.count, made.is_in_doubt()),
            made.function.demangled.cyan().to_string(),
            location.map_or_else(|| format!("bb{}", made.block), |at| place(made.function, at)),
            callee(made, &names),
        ]);
    }
    (table, calls.len())
}

/// The callee of one call, or the callees.
fn callee(made: &ExecutedCall<'_>, names: &Names<'_>) -> String {
    let Some(site) = made.site else {
        let name = made.callee();
        return if name == INDIRECT {
            "(through a pointer)".dimmed().to_string()
        } else {
            names.of(name)
        };
    };
    let share = |name: String, count| format!("{name} {}", percent(count, made.count));
    let mut targets: Vec<_> = site
        .targets
        .iter()
        .take(MOST_TARGETS)
        .map(|(name, count)| share(names.of(name), *count))
        .collect();
    let rest = site
        .targets
        .iter()
        .skip(MOST_TARGETS)
        .fold(site.others, |sum: Count, (_, count)| sum.saturating_add(*count));
    if rest > 0 {
        targets.push(share("others".dimmed().to_string(), rest));
    }
    format!("* {}", targets.join(", "))
}

/// What the functions of a report are called, by symbol.
struct Names<'a>(HashMap<&'a str, &'a Function>);

impl<'a> Names<'a> {
    /// The names of all functions, counted or not.
    fn new(report: &'a Report) -> Self {
        Self(
            report
                .functions
                .iter()
                .map(|function| (function.shape.name.as_str(), function))
                .collect(),
        )
    }

    /// What a symbol is called.
    fn of(&self, symbol: &str) -> String {
        self.0.get(symbol).map_or_else(|| demangle(symbol), |function| function.demangled.clone())
    }
}

fn doubtful(count: Count, in_doubt: bool) -> String {
    format!("{}{}", if in_doubt { "~" } else { "" }, grouped(count))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    fn text(report: &Report, rows: Rows) -> String {
        let functions: Vec<_> = report.counted().collect();
        let mut out = Vec::new();
        write(report, &functions, rows, 0, &mut out).expect("in memory");
        anstream::adapter::strip_str(&String::from_utf8_lossy(&out)).to_string()
    }

    #[test]
    fn callees_by_how_often_they_were_called() {
        insta::assert_snapshot!(text(&sample::report(), Rows::Callees));
    }

    #[test]
    fn calls_by_where_they_are() {
        insta::assert_snapshot!(text(&sample::report(), Rows::Sites));
    }

    #[test]
    fn what_a_pointer_led_to_has_a_name() {
        let mut report = sample::report();
        let main = report
            .functions
            .iter_mut()
            .find(|function| function.shape.name == "main")
            .expect("there");
        let targets = [("collatz", 5), ("_ZN4util5guardEi", 2), ("c", 1), ("d", 1), ("e", 1)];
        let targets = targets.map(|(name, count)| (name.to_owned(), count)).to_vec();
        main.sites = vec![CallSite { block: 0, call: 1, targets, others: 7 }];
        insta::assert_snapshot!(text(&report, Rows::Callees) + &text(&report, Rows::Sites));
    }
}
