//! The differences between two reports, for people.
//!
//! Each table divides the same difference in another way, with the largest part first. Its last
//! rows sum the rows that are not shown, and all parts.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::HashMap;

use compare::blocks::{self, BlockPart};
use compare::calls::{CallPart, Callee};
use compare::comparison::{Comparison, compare};
use compare::pairs::{Matched, Pair};
use compare::parts::{Part, Parts, Sides};
use compare::paths::{PathChange, PathPart};
use compare::scale::{Per, Scale, runs, signed};
use compare::structure::same_instructions;
use counts::listed_paths::ListedPath;
use counts::model::{Count, Counting, Function, Path, Report};
use counts::path_text::Wording;
use counts::select::Filter;
use profile::names::{self, demangle};

use crate::show::document::{Document, Fact};
use crate::show::notation::{base_name, block_and_line};
use crate::show::path_flow;
use crate::show::printable::Printable;
use crate::show::rows::{self, forms};
use crate::show::style::{amount, grouped, plural, shown};
use crate::show::table::{Amount, Cell, CellKind, Column, Name, Row, Table, Visibility};

/// The parts of a comparison to show.
#[derive(Clone, Debug)]
pub struct Options {
    /// The largest number of rows in each table (0: all).
    pub top: usize,
    /// The globs that choose functions.
    pub filter: Filter,
    /// The divisor of counts.
    pub per: Per,
}

/// Returns the differences between two reports with this [scale](Scale::of); `None` if no function
/// matches.
pub fn document<'a>(
    a: &'a Printable,
    b: &'a Printable,
    scale: Scale,
    options: &Options,
) -> Option<Document<'a>> {
    let mut comparison = compare(a, b, scale);
    if !options.filter.takes_all() {
        comparison = comparison.only(&options.filter)?;
    }
    if counts_only_calls(a) || counts_only_calls(b) {
        by_counts(&mut comparison.functions);
        by_counts(&mut comparison.calls);
    }
    let view = View { comparison: &comparison, options };
    // Where only calls are counted, paths and most blocks are unknown.
    let of_code = view.knows_instructions().then(|| [view.paths(), view.blocks()]);
    let tables = [view.functions()].into_iter().chain(of_code.into_iter().flatten());
    Some(Document {
        heading: view.heading(),
        tables: tables.chain([view.calls(), view.matched()]).collect(),
        remarks: Vec::new(),
    })
}

struct View<'v, 'a> {
    comparison: &'v Comparison<'a>,
    options: &'v Options,
}

/// A table of parts before it has rows.
struct Listed {
    /// Its name.
    name: &'static str,
    /// The kind of its rows, in words.
    several: &'static str,
    /// The kinds of its counts: `count A`, `calls B`.
    counts: [Column; 2],
    /// Its columns behind those of numbers.
    texts: Vec<Column>,
}

/// The columns of the counts in A and in B.
const COUNTS: [Column; 2] = [
    Column::new("count A", CellKind::Amount).key("count_a"),
    Column::new("count B", CellKind::Amount).key("count_b"),
];

impl<'a> View<'_, 'a> {
    /// Describes A and B, and the amount that each executed.
    fn heading(&self) -> Vec<Fact> {
        let Comparison { a, b, .. } = self.comparison;
        vec![
            Fact::new("A", described(a)),
            Fact::new("B", described(b)),
            Fact::new("executed", self.executed()),
        ]
    }

    fn executed(&self) -> String {
        let Comparison { scale, executed, difference, .. } = self.comparison;
        let (per_a, per_b, per) = match &self.options.per {
            Per::Whole => (String::new(), String::new(), ""),
            Per::Run => (
                format!(" in {}", plural(scale.a as usize, "run")),
                format!(" in {}", plural(scale.b as usize, "run")),
                " per run",
            ),
            Per::Entry(glob) => (
                format!(" in {} entries of {glob}", grouped(scale.a)),
                format!(" in {} entries of {glob}", grouped(scale.b)),
                " per entry",
            ),
        };
        if !self.knows_instructions() {
            return self.unknown(&per_a, &per_b);
        }
        let [of_a, of_b] = [executed.a, executed.b].map(whole);
        let text = format!("A executed {of_a} instructions{per_a}, B executed {of_b}{per_b}.");
        let (one, other) = (executed.a as f64 / scale.a as f64, executed.b as f64 / scale.b as f64);
        let units = amount(*difference, scale.unit(), true);
        let more = match difference {
            0 => format!("That is the same number{per}."),
            _ if executed.a == 0 => format!("The difference{per} is {units}."),
            _ => format!(
                "The difference{per} is {units}: B executed {}.",
                times_as_many(other / one)
            ),
        };
        format!("{text} {more}")
    }

    /// Returns true if the executed instructions of both sides are known, which they are not for a
    /// side that counts only calls.
    fn knows_instructions(&self) -> bool {
        !counts_only_calls(self.comparison.a) && !counts_only_calls(self.comparison.b)
    }

    /// Returns the sentence about instructions for sides that do not count them.
    fn unknown(&self, per_a: &str, per_b: &str) -> String {
        let Comparison { a, b, executed, .. } = self.comparison;
        let known = |side: &str, number: i128, per: &str| {
            format!("{side} executed {} instructions{per}.", whole(number))
        };
        let unknown = "how many instructions it executed is not known";
        match (counts_only_calls(a), counts_only_calls(b)) {
            (true, true) => "A and B count only calls: how many instructions they executed is not \
                             known."
                .into(),
            (true, false) => {
                format!("A counts only calls: {unknown}. {}", known("B", executed.b, per_b))
            }
            _ => format!("{} B counts only calls: {unknown}.", known("A", executed.a, per_a)),
        }
    }

    /// Returns true if any function of a pair has paths that are counted on all sides that have it.
    fn compares_paths(&self) -> bool {
        self.comparison.pairs.list.iter().any(|pair| {
            let mut sides = [pair.a, pair.b].into_iter().flatten();
            sides.all(|of| of.counting.is_of_paths())
        })
    }

    /// Returns a difference, with its sign.
    fn difference(&self, number: i128) -> Amount {
        Amount { number, unit: self.comparison.scale.unit(), has_sign: true }
    }

    /// Returns the numbers of A and of B, on one scale.
    fn scaled(&self, sides: Sides) -> [Cell<'a>; 2] {
        let Scale { a, b } = self.comparison.scale;
        [(sides.a, a), (sides.b, b)].map(|(number, unit)| {
            Cell::Amount(Amount { number, unit: signed(unit), has_sign: false })
        })
    }

    /// Returns the columns of numbers, which come first.
    fn numbers(&self, counts: [Column; 2]) -> Vec<Column> {
        let share = self.knows_instructions().then_some(Column::new("share", CellKind::Share));
        let sides = [("A", "a"), ("B", "b")];
        let sides = sides.map(|(title, key)| Column::new(title, CellKind::Amount).key(key));
        let difference = [Column::new("difference", CellKind::Amount)];
        difference.into_iter().chain(share).chain(sides).chain(counts).collect()
    }

    /// Returns the cells of these columns. The instructions of a side that counts only calls are
    /// unknown.
    fn number_cells<T>(&self, part: &Part<T>, is_known: [bool; 2]) -> Vec<Cell<'a>> {
        let mut executed = self.scaled(part.executed);
        for (cell, is_known_there) in executed.iter_mut().zip(is_known) {
            match is_known {
                [false, false] => *cell = Cell::Nothing,
                _ if !is_known_there => *cell = Cell::Unknown,
                _ => {}
            }
        }
        let first = match self.knows_instructions() {
            true => vec![
                Cell::Amount(self.difference(part.difference)),
                Cell::SignedShare(part.difference, self.comparison.difference),
            ],
            false => vec![Cell::Amount(self.difference(part.more_often))],
        };
        first.into_iter().chain(executed).chain(self.scaled(part.count)).collect()
    }

    /// Returns for A and for B whether the instructions of a pair, or of the whole, are known.
    fn is_known(&self, pair: Option<&Pair<'_>>) -> [bool; 2] {
        match pair {
            Some(pair) => [pair.a, pair.b].map(|of| of.is_none_or(|of| of.counting.knows_blocks())),
            None => [self.comparison.a, self.comparison.b].map(|of| !counts_only_calls(of)),
        }
    }

    /// Returns a table of parts. `texts` returns the cells of each part, and its pair if it has
    /// one.
    fn table<T>(
        &self,
        Listed { name, several, counts, texts: titles }: Listed,
        parts: &Parts<T>,
        texts: impl Fn(&Part<T>) -> (Option<usize>, Vec<Cell<'a>>),
    ) -> Table<'a> {
        let number = parts.differing.len();
        let equal = match parts.equal {
            0 => String::new(),
            equal => format!("; {} ran as often", grouped(equal as u128)),
        };
        let differ = if number == 1 { "differs" } else { "differ" };
        let differing = format!("{} {differ}{equal}", grouped(number as u128));
        let kept = shown(self.options.top, number);
        let columns: Vec<_> = self.numbers(counts).into_iter().chain(titles).collect();
        let row = |part: &Part<T>| {
            let (pair, texts) = texts(part);
            let is_known = self.is_known(pair.map(|pair| self.comparison.pair(pair)));
            let numbers = self.number_cells(part, is_known).into_iter();
            Row::from(numbers.chain(texts).collect::<Vec<_>>())
        };
        let mut rows: Vec<_> = parts.differing[..kept].iter().map(row).collect();
        let total = parts.total();
        let is_known = self.knows_instructions();
        if kept < number {
            let listed = parts.differing[..kept].iter().map(|part| part.difference);
            let rest = total.saturating_sub(listed.sum::<i128>());
            let what = format!("{} more; --top 0 lists all", grouped((number - kept) as u128));
            rows.push(self.sum(&columns, is_known.then_some(rest), what));
        }
        let mut notes = vec![differing.clone()];
        if number > 0 && is_known {
            rows.push(self.sum(&columns, Some(total), "in all".into()));
            notes.push(match self.options.filter.takes_all() {
                true => format!("{several} add up to the whole difference"),
                false => format!("in all: {several} of the chosen functions"),
            });
        }
        let empty = format!("{differing}.");
        let notes = if rows.is_empty() { Vec::new() } else { vec![notes.join("; ")] };
        Table { name, columns, rows, notes, empty }
    }

    /// Returns a row that sums others: it has a difference, and names what it sums.
    fn sum(&self, columns: &[Column], number: Option<i128>, what: String) -> Row<'a> {
        let mut what = Some(what);
        let cell = |column: &Column| match (column.key, number) {
            ("difference", Some(number)) => Cell::Amount(self.difference(number)),
            ("share", Some(number)) => Cell::SignedShare(number, self.comparison.difference),
            _ if column.kind.is_number() => Cell::Text(String::new()),
            _ => Cell::Text(what.take().unwrap_or_default()),
        };
        Row { cells: columns.iter().map(cell).collect(), is_sum: true }
    }

    /// Returns the cells of a pair, for the columns of [`function_columns`].
    fn function_cells(&self, pair: &Pair<'a>) -> Vec<Cell<'a>> {
        let report = if pair.b.is_some() { self.comparison.b } else { self.comparison.a };
        let place = pair.function().map_or(Cell::Nothing, |of| rows::place(report, of));
        let symbol = pair.function().map(|of| of.shape.name.clone()).unwrap_or_default();
        vec![Cell::Name(name(pair)), place, Cell::Text(symbol)]
    }

    fn functions(&self) -> Table<'a> {
        let counts = [COUNTS[0], COUNTS[1]].map(|of| match of.key {
            "count_a" => Column { title: "entries A", ..of },
            _ => Column { title: "entries B", ..of },
        });
        let texts = function_columns(Visibility::Always)
            .into_iter()
            .chain([
                Column::new("matched", CellKind::Text).shown(Visibility::Data),
                Column::new("remarks", CellKind::Text).stacked(),
            ])
            .collect();
        let listed = Listed { name: "functions", several: "functions", counts, texts };
        self.table(listed, &self.comparison.functions, |part| {
            let pair = self.comparison.pair(part.what);
            let remarks = Cell::Text(remarks(pair).join("; "));
            let matched = Cell::Text(pair.matched.word().into());
            let cells = self.function_cells(pair).into_iter().chain([matched, remarks]);
            (Some(part.what), cells.collect())
        })
    }

    /// Returns a path to be written: that of B if it has one.
    fn listed_path(&self, part: &Part<PathPart<'a>>) -> Option<ListedPath<'a>> {
        let PathChange::Path(a, b) = part.what.what else { return None };
        let pair = self.comparison.pair(part.what.pair);
        let of = |report: &'a Report, path: Option<&'a Path>, function: Option<&'a Function>| {
            let (path, function) = path.zip(function)?;
            let wording = Wording::of(&report.modules[function.module]);
            Some(ListedPath { function, path, wording })
        };
        of(self.comparison.b, b, pair.b).or_else(|| of(self.comparison.a, a, pair.a))
    }

    fn paths(&self) -> Table<'a> {
        if !self.compares_paths() {
            let empty = "Paths are not counted on both sides; blocks are compared below.".into();
            return Table { name: "paths", empty, ..Table::default() };
        }
        let parts = &self.comparison.paths.differing;
        let parts = &parts[..shown(self.options.top, parts.len())];
        let list: Vec<_> = parts.iter().filter_map(|part| self.listed_path(part)).collect();
        let key = |of: &ListedPath<'_>| (std::ptr::from_ref(of.function), of.path.id);
        let texts = list.iter().map(key).zip(path_flow::of_list(&list)).collect();
        let texts: RefCell<HashMap<_, Cell<'a>>> = RefCell::new(texts);
        let id = |title, key| Column::new(title, CellKind::Text).key(key).shown(Visibility::Data);
        let columns = function_columns(Visibility::Data).into_iter().chain([
            id("id A", "id_a"),
            id("id B", "id_b"),
            Column::new("remarks", CellKind::Text).stacked(),
            Column::new("path", CellKind::Flow).stacked(),
        ]);
        let (name, counts) = ("paths", COUNTS);
        let listed = Listed { name, several: name, counts, texts: columns.collect() };
        self.table(listed, &self.comparison.paths, |part| {
            let pair = self.comparison.pair(part.what.pair);
            let of_path = |path: Option<&Path>| {
                path.map_or(Cell::Nothing, |path| Cell::Text(path.id.to_string()))
            };
            let sides =
                if let PathChange::Path(a, b) = part.what.what { [a, b] } else { [None; 2] };
            let remark = match part.what.what {
                PathChange::Path(..) => path_remark(pair, part, sides),
                PathChange::Rest => "executed beside its uncut paths".into(),
                PathChange::Changed => "changed; its lines are compared below".into(),
                PathChange::NotCounted => {
                    "no paths are counted; its blocks are compared below".into()
                }
            };
            let [id_a, id_b] = sides.map(of_path);
            let path = self.listed_path(part).and_then(|of| texts.borrow_mut().remove(&key(&of)));
            let path = path.unwrap_or(Cell::Text(String::new()));
            let cells = [id_a, id_b, Cell::Text(remark), path];
            let cells = self.function_cells(pair).into_iter().chain(cells);
            (Some(part.what.pair), cells.collect())
        })
    }

    fn blocks(&self) -> Table<'a> {
        let place = Column::new("block or line", CellKind::Text).key("place").stacked();
        let texts = function_columns(Visibility::Data).into_iter().chain([place]).collect();
        let (name, several) = ("blocks_and_lines", "blocks and lines");
        let listed = Listed { name, several, counts: COUNTS, texts };
        self.table(listed, &self.comparison.blocks, |part| {
            let pair = self.comparison.pair(part.what.pair);
            let place = Cell::Text(block_or_line(pair, &part.what));
            let cells = self.function_cells(pair).into_iter().chain([place]);
            (Some(part.what.pair), cells.collect())
        })
    }

    fn calls(&self) -> Table<'a> {
        let counts = [
            Column::new("calls A", CellKind::Amount).key("count_a"),
            Column::new("calls B", CellKind::Amount).key("count_b"),
        ];
        let callee = Column::new("callee", CellKind::Name).stacked();
        let texts = vec![Column::new("caller", CellKind::Name), callee];
        let several = "call edges";
        let listed = Listed { name: "call_edges", several, counts, texts };
        let name = |pair: usize| Cell::Name(name(self.comparison.pair(pair)));
        let mut table = self.table(listed, &self.comparison.calls, |part: &Part<CallPart<'a>>| {
            let caller = part.what.caller.map_or_else(|| Cell::Text("(elsewhere)".into()), name);
            let callee = match part.what.callee {
                Callee::Pair(pair) => name(pair),
                Callee::Symbol(symbol) => Cell::Text(demangle(symbol)),
                Callee::Unknown => Cell::Text("(through a pointer)".into()),
            };
            (None, vec![caller, callee])
        });
        let parts = &self.comparison.calls.differing;
        let parts = &parts[..shown(self.options.top, parts.len())];
        let divided = (!parts.is_empty() && self.knows_instructions()).then_some(
            "What a function executed, without what it called, is divided among its callers in \
             proportion to their calls.",
        );
        let elsewhere = parts.iter().any(|part| part.what.caller.is_none()).then_some(
            "(elsewhere): code that is not counted, or a call through a pointer whose callee is \
             not recorded.",
        );
        table.notes.extend(divided.into_iter().chain(elsewhere).map(String::from));
        table
    }

    /// Returns the table of the matches of functions, and of functions without a match.
    fn matched(&self) -> Table<'a> {
        let is_known = self.knows_instructions();
        let [same, changed] = match (is_known, self.compares_paths()) {
            (true, true) => ["paths", "lines"],
            (true, false) => ["blocks", "lines"],
            (false, _) => ["calls"; 2],
        };
        let row = |(matched, (all, ran)): (Matched, (usize, usize))| {
            let (how, by) = match matched {
                Matched::Hash => ("the same name and CFG hash", same),
                Matched::Graph => ("the same name and graph", same),
                Matched::Renamed => ("the same graph under another name", same),
                Matched::Changed => ("the same name, another graph", changed),
                Matched::OnlyA => ("only in A", "nothing"),
                Matched::OnlyB => ("only in B", "nothing"),
            };
            let difference = self.comparison.difference_of(|pair| pair.matched == matched);
            Row::from(vec![
                Cell::Number(all as Count),
                Cell::Number(ran as Count),
                Cell::Amount(self.difference(difference)).only_if(is_known),
                Cell::Text(matched.word().into()),
                Cell::Text(how.into()),
                Cell::Text(by.into()),
            ])
        };
        Table {
            name: "how_functions_were_matched",
            columns: vec![
                Column::new("functions", CellKind::Number),
                Column::new("ran", CellKind::Number),
                Column::new("difference", CellKind::Amount),
                Column::new("matched", CellKind::Text).shown(Visibility::Data),
                Column::new("matched by", CellKind::Text).key("matched_by"),
                Column::new("compared by", CellKind::Text).key("compared_by"),
            ],
            rows: self.comparison.matched().into_iter().map(row).collect(),
            ..Table::default()
        }
    }
}

/// Returns a whole number in words.
fn whole(number: i128) -> String {
    amount(number, 1, false)
}

/// Returns the columns of a function: its name, and its place, which may be in data alone.
fn function_columns(place: Visibility) -> [Column; 3] {
    [
        Column::new("function", CellKind::Name),
        Column::new("defined at", CellKind::SourceLine).shown(place),
        Column::new("symbol", CellKind::Text).shown(Visibility::Data),
    ]
}

/// Returns the name of a pair's function, with its name in A if that is another one.
fn name(pair: &Pair<'_>) -> Name {
    let Some(function) = pair.function() else { return Name::default() };
    let of_a = pair.a.filter(|of| of.demangled != function.demangled);
    Name {
        forms: forms(&function.demangled, names::short(&function.shape)),
        qualifier: of_a.map(|of| format!("in A {}", of.demangled)),
        ..Name::default()
    }
}

/// Returns the remark on how a path differs: whether both sides ran it, and its instructions.
fn path_remark(pair: &Pair<'_>, part: &Part<PathPart<'_>>, sides: [Option<&Path>; 2]) -> String {
    let size = match sides.map(|path| path.map(|path| path.instructions)) {
        [Some(a), Some(b)] if a != b => format!("{} → {}", grouped(a.into()), grouped(b.into())),
        [a, b] => grouped(b.or(a).unwrap_or_default().into()),
    };
    let side = match (pair.a, pair.b) {
        (Some(_), None) => "; only in A",
        (None, Some(_)) => "; only in B",
        _ if part.count.a == 0 => "; new in B",
        _ if part.count.b == 0 => "; no longer in B",
        _ => "",
    };
    format!("{size} instructions each{side}")
}

/// Returns a block of a pair, or a line.
fn block_or_line(pair: &Pair<'_>, part: &BlockPart<'_>) -> String {
    match part.what {
        blocks::BlockPlace::Block(number) => {
            pair.function().map_or_else(String::new, |of| block_and_line(of, number))
        }
        blocks::BlockPlace::Line { function: of, a, b } => {
            let is_own = pair.function().is_some_and(|own| {
                own.shape.name == of || demangle(of) == own.demangled || of.is_empty()
            });
            let line = match (a, b) {
                (Some(a), Some(b)) if a != b => format!("line {b} (in A line {a})"),
                (Some(a), None) => format!("line {a} of A, not in B"),
                (None, Some(b)) => format!("line {b} of B, not in A"),
                (_, b) => format!("line {}", b.unwrap_or_default()),
            };
            if is_own { line } else { format!("inlined {}, {line}", demangle(of)) }
        }
        blocks::BlockPlace::NoLine => "no line".into(),
    }
}

/// Returns true if a report has counts of calls, and of nothing else.
fn counts_only_calls(report: &Report) -> bool {
    let mut counted = report.counted().peekable();
    counted.peek().is_some() && counted.all(|function| function.counting == Counting::Calls)
}

/// Returns `2.000 times as many`, or `12.5% fewer` for a ratio below one.
fn times_as_many(ratio: f64) -> String {
    match (1.0 - ratio) * 100.0 {
        fewer if fewer <= 0.0 => format!("{ratio:.3} times as many"),
        fewer if fewer < 0.05 => "less than 0.1% fewer".into(),
        fewer => format!("{fewer:.1}% fewer"),
    }
}

/// Keeps only the parts with different counts, in the order of that difference. It serves where the
/// instructions of a side are unknown.
fn by_counts<T>(parts: &mut Parts<T>) {
    let all = parts.differing.len();
    parts.differing.retain(|part| part.more_often != 0);
    parts.differing.sort_by_key(|part| Reverse(part.more_often.unsigned_abs()));
    parts.equal += all - parts.differing.len();
}

/// Returns the remarks on a pair.
fn remarks(pair: &Pair<'_>) -> Vec<String> {
    let mut remarks = Vec::new();
    if let (Some(a), Some(b)) = (pair.a, pair.b) {
        let blocks = [a, b].map(|of| grouped(of.shape.blocks.len() as u128));
        if pair.matched == Matched::Changed {
            remarks.push(format!("another graph: {} → {} blocks", blocks[0], blocks[1]));
        } else if !same_instructions(&a.shape, &b.shape) {
            remarks.push("the same graph with other instructions".into());
        }
        let place = |of: &Function| match (of.shape.file.as_str(), of.shape.line) {
            ("", _) => String::new(),
            (file, line) => format!("{}:{line}", base_name(file)),
        };
        if place(a) != place(b) {
            remarks.push(format!("moved, in A at {}", place(a)));
        }
        let only_calls = [a, b].map(|of| of.counting == Counting::Calls);
        if only_calls[0] != only_calls[1] {
            let side = if only_calls[0] { "A" } else { "B" };
            remarks.push(format!("{side} counts only calls: its instructions are not known"));
        }
    }
    let other = match pair.matched {
        Matched::OnlyA => Some(("A", "B")),
        Matched::OnlyB => Some(("B", "A")),
        _ => None,
    };
    if let Some((here, there)) = other {
        remarks.push(match pair.skipped {
            Some(why) => format!("only in {here}: {there} does not count it ({why})"),
            None => format!("only in {here}"),
        });
    }
    remarks
}

/// Describes a report.
fn described(report: &Report) -> String {
    let images: Vec<_> =
        report.images.iter().map(|image| image.path.display().to_string()).collect();
    let images = match images.as_slice() {
        [first, second, rest @ ..] if !rest.is_empty() => {
            format!("{first}, {second} and {} more", rest.len())
        }
        images => images.join(", "),
    };
    let runs = plural(runs(report) as usize, "run");
    let mode = report.common(|module| module.mode.name());
    let stage = report.common(|module| module.stage.name());
    let incomplete = report.runs.iter().filter(|run| run.incomplete).count();
    let incomplete = match incomplete {
        0 => String::new(),
        number => format!(", {} incomplete", grouped(number as u128)),
    };
    format!("{runs} of {images} ({mode}, {stage}{incomplete})")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use crate::show::forms;
    use crate::show::text_table::Screen;

    /// Returns the sample program, with this counting in all functions.
    fn report(counting: Counting) -> Report {
        let mut report = sample::report();
        report.functions.iter_mut().for_each(|function| {
            function.counting = counting;
            if counting != Counting::Paths {
                function.paths.clear();
            }
        });
        report
    }

    fn said(a: Report, b: Report) -> String {
        let options = Options { top: 0, filter: Filter::default(), per: Per::Whole };
        let (a, b) = (a.into(), b.into());
        let document = document(&a, &b, Scale::default(), &options).expect("functions match");
        let text = forms::text(&document, Screen::default());
        anstream::adapter::strip_str(&text).to_string()
    }

    #[test]
    fn instructions_that_are_not_counted_are_not_compared() {
        let text = said(report(Counting::Calls), report(Counting::Edges));
        let heading = "A counts only calls: how many instructions it executed is not known. B \
                       executed 11,431,261 instructions.\n";
        assert!(text.contains(heading), "{text}");
        assert!(text.contains("functions\n0 differ; "), "{text}");
        assert!(!text.contains("paths\n") && !text.contains("blocks and lines"), "{text}");
        assert!(text.contains("the same name and CFG hash  calls\n"), "{text}");
        let text = said(report(Counting::Paths), report(Counting::Calls));
        assert!(
            text.contains("A executed 11,431,261 instructions. B counts only calls: "),
            "{text}"
        );
        let text = said(report(Counting::Calls), report(Counting::Calls));
        assert!(text.contains("A and B count only calls: "), "{text}");
        let mut more = report(Counting::Edges);
        more.functions[0].entries += 4;
        let text = said(report(Counting::Calls), more);
        let row = text.lines().find(|line| line.contains("+4  ")).expect("it differs");
        let cells: Vec<_> = row.split_whitespace().collect();
        assert_eq!((cells[1], &cells[3..7]), ("?", &["3", "7", "collatz", "main.c:10"][..]));
    }

    #[test]
    fn paths_are_only_compared_where_both_sides_count_them() {
        let title = "Paths are not counted on both sides; blocks are compared below.\n";
        let by = |what: &str| format!("the same name and CFG hash  {what}\n");
        let text = said(report(Counting::Blocks), report(Counting::Edges));
        assert!(text.contains(title) && !text.contains(&by("paths")), "{text}");
        let text = said(report(Counting::Paths), report(Counting::Edges));
        assert!(text.contains(title) && text.contains(&by("blocks")), "{text}");
        let text = said(report(Counting::Paths), report(Counting::Paths));
        assert!(!text.contains(title) && text.contains(&by("paths")), "{text}");
    }

    #[test]
    fn tables_at_a_usual_width() {
        let mut more = report(Counting::Paths);
        more.functions[0].entries += 1;
        more.functions[0].paths[0].count += 5;
        let options = Options { top: 2, filter: Filter::default(), per: Per::Whole };
        let (a, b) = (report(Counting::Paths).into(), more.into());
        let document = document(&a, &b, Scale::default(), &options).expect("functions match");
        let text = forms::text(&document, Screen { width: Some(80), links: false });
        insta::assert_snapshot!(anstream::adapter::strip_str(&text).to_string());
    }

    #[test]
    fn what_is_said_of_elsewhere_stands_where_it_is() {
        let mut more = report(Counting::Paths);
        more.functions[0].entries += 1;
        let text = said(report(Counting::Paths), more);
        assert_eq!(text.contains("(elsewhere) "), text.contains("(elsewhere): code"), "{text}");
        let same = said(report(Counting::Paths), report(Counting::Paths));
        assert!(!same.contains("elsewhere"), "{same}");
    }

    #[test]
    fn ratios_below_one_are_told_as_what_is_missing() {
        let texts = [2.0, 1.0, 0.99999, 0.59, 0.0].map(times_as_many);
        let expected = [
            "2.000 times as many",
            "1.000 times as many",
            "less than 0.1% fewer",
            "41.0% fewer",
            "100.0% fewer",
        ];
        assert_eq!(texts, expected);
    }
}
