//! The table of calls: the number of calls of each function by counted code, functions of libraries
//! included, and their sites.
//!
//! A call ran as often as its block, so its count follows from those of the blocks. The targets of
//! a call through a pointer are counted at the call, if that was turned on.
//!
//! Entries are counted in the functions themselves, and may differ from the calls. There are more
//! entries if code that is not counted, or a pointer that is not followed, leads there. There are
//! fewer if an earlier call in the block left the block for good.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use counts::executed_calls::{ExecutedCall, executed_calls};
use counts::model::{Count, Function, Report};
use counts::select::Chosen;
use pathformat::manifest::INDIRECT;
use profile::names::demangle;

use crate::show::rows::{self, NO_MATCH, forms, left_out, left_out_of_system, place_of};
use crate::show::style::{grouped, percent, plural, shown};
use crate::show::table::{
    Cell, CellKind, Column, Counted, Name, Row, SourceLine, Table, Visibility, Words,
};

/// The kind of row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rows {
    /// A callee.
    #[default]
    Callees,
    /// A call in the code.
    Sites,
}

/// The largest number of callees in the row of a call through a pointer.
const MOST_TARGETS: usize = 4;

/// The counts of one callee.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Callee {
    /// The number of calls by counted code.
    pub calls: Count,
    /// The number of these calls that were through a pointer.
    pub through_pointers: Count,
    /// The number of executed places that called it.
    pub sites: u64,
    /// True if the number of calls may be wrong (see [`Function::interrupted`]).
    pub in_doubt: bool,
    /// The number of entries; `None` if it is not counted.
    pub entries: Option<Count>,
}

impl Callee {
    fn add(&mut self, calls: Count, in_doubt: bool) {
        self.calls = self.calls.saturating_add(calls);
        self.sites += 1;
        self.in_doubt |= in_doubt;
    }
}

/// Returns all callees of `functions` by symbol. `*` stands for unknown callees of calls through
/// pointers.
pub fn of<'a>(report: &'a Report, functions: &[&'a Function]) -> BTreeMap<&'a str, Callee> {
    let mut callees: BTreeMap<&str, Callee> = BTreeMap::new();
    for callee in functions.iter().flat_map(|of| executed_calls(of)).flat_map(|call| call.callees())
    {
        let called = callees.entry(callee.symbol).or_default();
        called.add(callee.calls, callee.in_doubt);
        if callee.is_through_pointer && callee.symbol != INDIRECT {
            called.through_pointers = called.through_pointers.saturating_add(callee.calls);
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

/// Returns the callees of the chosen functions, in at most `top` rows (0: all).
pub fn table(report: &Report, chosen: &Chosen<'_>, rows: Rows, top: usize) -> Table<'static> {
    let mut table = match rows {
        Rows::Callees => callees(report, &chosen.functions, top),
        Rows::Sites => sites(report, &chosen.functions, top),
    };
    table.notes.extend(left_out_of_system(chosen.of_system, ""));
    table.notes.push("in order of calls".into());
    let unknown = unrecorded_calls(&chosen.functions);
    if unknown > 0 {
        let text = format!(
            "{} went through pointers to functions that are not recorded; compile with \
             -fpath-callees=8 to record up to 8 for each call",
            plural(usize::try_from(unknown).unwrap_or(usize::MAX), "call")
        );
        table.notes.push(text);
    }
    table.empty = if chosen.functions.is_empty() { NO_MATCH } else { "Nothing was called." }.into();
    table
}

/// Returns the number of calls through pointers without a record of their callees.
fn unrecorded_calls(functions: &[&Function]) -> Count {
    let calls = functions.iter().flat_map(|function| executed_calls(function));
    let unknown = calls.filter(|made| made.site.is_none() && made.symbol() == INDIRECT);
    unknown.fold(0, |sum: Count, made| sum.saturating_add(made.count))
}

fn callees(report: &Report, functions: &[&Function], top: usize) -> Table<'static> {
    let mut callees: Vec<_> = of(report, functions).into_iter().collect();
    callees.sort_by_key(|(name, called)| (Reverse(called.calls), *name));
    let rows = &callees[..shown(top, callees.len())];
    let names = Callees::of(report, rows.iter().map(|(name, _)| *name));
    let number = |count: Option<Count>| count.map_or(Cell::Nothing, Cell::Number);
    let row = |(name, called): &(&str, Callee)| {
        let is_unknown = *name == INDIRECT;
        let pointers = if is_unknown { called.calls } else { called.through_pointers };
        Row::from(vec![
            Cell::Estimate(called.calls, called.in_doubt),
            number((pointers > 0).then_some(pointers)),
            Cell::Number(called.sites.into()),
            number(called.entries),
            if is_unknown { Cell::Text("(not known)".into()) } else { names.cell(name) },
            if is_unknown { Cell::Nothing } else { Cell::Text((*name).into()) },
        ])
    };
    Table {
        name: "callees",
        columns: vec![
            Column::new("calls", CellKind::Estimate),
            Column::new("by pointer", CellKind::Number).key("calls_by_pointer"),
            Column::new("from places", CellKind::Number).key("places"),
            Column::new("entries", CellKind::Number),
            Column::new("callee", CellKind::Name),
            Column::new("symbol", CellKind::Text).shown(Visibility::Data),
        ],
        rows: rows.iter().map(row).collect(),
        notes: left_out(top, callees.len(), &grouped(callees.len() as Count)).into_iter().collect(),
        empty: String::new(),
    }
}

fn sites(report: &Report, functions: &[&Function], top: usize) -> Table<'static> {
    let mut calls: Vec<_> =
        functions.iter().flat_map(|function| executed_calls(function)).collect();
    calls
        .sort_by_key(|made| (Reverse(made.count), &made.function.demangled, made.block, made.call));
    let rows = &calls[..shown(top, calls.len())];
    let callers: Vec<_> = rows.iter().map(|made| made.function).collect();
    let from = rows::Names::of(report, &callers);
    let names = Callees::of(report, rows.iter().flat_map(called));
    let row = |made: &ExecutedCall<'_>| {
        Row::from(vec![
            Cell::Estimate(made.count, made.is_in_doubt()),
            Cell::Name(from.name(made.function)),
            place(report, made),
            Cell::Text(made.function.shape.name.clone()),
            callee(made, &names),
            targets(made),
        ])
    };
    Table {
        name: "calls",
        columns: vec![
            Column::new("calls", CellKind::Estimate),
            Column::new("from", CellKind::Name),
            Column::new("called at", CellKind::SourceLine),
            Column::new("symbol", CellKind::Text).shown(Visibility::Data),
            Column::new("callee", CellKind::Name),
            Column::new("callees", CellKind::Counts).shown(Visibility::Data),
        ],
        rows: rows.iter().map(row).collect(),
        notes: left_out(top, calls.len(), &plural(calls.len(), "call")).into_iter().collect(),
        empty: String::new(),
    }
}

/// Returns the symbols that a call went to, as far as they are known.
fn called<'a>(made: &'a ExecutedCall<'_>) -> Vec<&'a str> {
    match made.site {
        Some(site) => site.targets.iter().map(|(name, _)| name.as_str()).collect(),
        None => vec![made.symbol()],
    }
}

/// Returns the place of a call.
fn place(report: &Report, made: &ExecutedCall<'_>) -> Cell<'static> {
    let shape = &made.function.shape;
    let location = shape.blocks[made.block].calls[made.call].location;
    let location = location.and_then(|index| shape.locations.get(index as usize));
    match location.filter(|at| at.line != 0) {
        Some(at) => place_of(report, made.function, at),
        None => Cell::SourceLine(SourceLine {
            text: format!("bb{}", made.block),
            ..SourceLine::default()
        }),
    }
}

/// Returns the symbols that a call went to, each with its count; nothing if that is not recorded.
fn targets(made: &ExecutedCall<'_>) -> Cell<'static> {
    let Some(site) = made.site else {
        let known = made.symbol() != INDIRECT;
        return if known {
            Cell::Counts(vec![Counted::new(made.symbol(), Some(made.count))])
        } else {
            Cell::Nothing
        };
    };
    let targets = site.targets.iter().map(|(name, count)| Counted::new(name, Some(*count)));
    let others = (site.others > 0).then(|| Counted::new(INDIRECT, Some(site.others)));
    Cell::Counts(targets.chain(others).collect())
}

/// Returns the callee of one call, or the callees.
fn callee(made: &ExecutedCall<'_>, names: &Callees<'_>) -> Cell<'static> {
    let Some(site) = made.site else {
        return match made.symbol() {
            INDIRECT => Cell::Text("(through a pointer)".into()),
            name => names.cell(name),
        };
    };
    let share = |name: &str, count| format!("{name} {}", percent(count, made.count));
    let first = site.targets.iter().take(MOST_TARGETS);
    let mut targets: Vec<_> =
        first.map(|(name, count)| share(&names.name(name).whole(), *count)).collect();
    let rest = site
        .targets
        .iter()
        .skip(MOST_TARGETS)
        .fold(site.others, |sum: Count, (_, count)| sum.saturating_add(*count));
    if rest > 0 {
        targets.push(share("others", rest));
    }
    let last = targets.len().saturating_sub(1);
    targets[..last].iter_mut().for_each(|target| target.push(','));
    targets.insert(0, "*".into());
    Cell::Flow(Box::new(Words(targets)))
}

/// The names of the callees in a table, by symbol.
struct Callees<'a> {
    functions: HashMap<&'a str, &'a Function>,
    names: rows::Names<'a>,
}

impl<'a> Callees<'a> {
    /// Returns the names of these symbols, of functions that are counted or not.
    fn of(report: &'a Report, symbols: impl Iterator<Item = impl AsRef<str>>) -> Self {
        let known = report.functions.iter().rev();
        let known: HashMap<_, _> =
            known.map(|function| (function.shape.name.as_str(), function)).collect();
        let functions: HashMap<_, _> = symbols
            .filter_map(|symbol| known.get(symbol.as_ref()).map(|of| (of.shape.name.as_str(), *of)))
            .collect();
        let names = rows::Names::of(report, &functions.values().copied().collect::<Vec<_>>());
        Self { functions, names }
    }

    /// Returns the name of a symbol.
    fn name(&self, symbol: &str) -> Name {
        let known = self.functions.get(symbol).map(|function| self.names.name(function));
        known.unwrap_or_else(|| Name { forms: forms(&demangle(symbol), None), ..Name::default() })
    }

    /// Returns the cell of a symbol.
    fn cell(&self, symbol: &str) -> Cell<'static> {
        Cell::Name(self.name(symbol))
    }
}

#[cfg(test)]
mod tests {
    use counts::model::CallSite;

    use super::*;
    use crate::sample;

    fn text(report: &Report, rows: Rows) -> String {
        let chosen = Chosen { functions: report.counted().collect(), ..Chosen::default() };
        sample::text_of(table(report, &chosen, rows, 0))
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
