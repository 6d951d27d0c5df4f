//! What is different between two reports, for people.
//!
//! Each list takes the same difference apart in another way, the part that explains most first. Its
//! last lines sum what is not shown and say that the parts are the whole.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::io::{Result, Write};

use compare::blocks;
use compare::calls::Callee;
use compare::comparison::{Comparison, compare};
use compare::pairs::{Matched, Pair};
use compare::parts::{Part, Parts, Sides};
use compare::paths::{PathPart, What};
use compare::scale::{Per, Scale, runs, signed};
use compare::structure::same_instructions;
use counts::listed_paths::{self, ListedPath};
use counts::model::{Counting, Function, Path, Report};
use counts::path_text::Wording;
use counts::select::Filter;
use owo_colors::OwoColorize;
use profile::names::demangle;

use crate::show::diff_text::{amount, block, many, name, place, share};
use crate::show::listing::{Form, Line, Listing, paragraph};
use crate::show::printable::Printable;
use crate::show::style::{elide, grouped, shown};

/// How to show a comparison.
#[derive(Clone, Debug)]
pub struct Options {
    /// Text or Markdown.
    pub form: Form,
    /// The most rows in each list (0: all).
    pub top: usize,
    /// Only functions that its globs let through.
    pub filter: Filter,
    /// What counts are divided by.
    pub per: Per,
    /// Names in full.
    pub full_names: bool,
}

/// Compares two reports whose [scale](Scale::of) is this and writes the differences; false if no
/// function matches, and nothing was written.
///
/// # Errors
/// Those of `out`.
pub fn write(
    a: &Printable,
    b: &Printable,
    scale: Scale,
    options: &Options,
    out: &mut impl Write,
) -> Result<bool> {
    let mut comparison = compare(a, b, scale);
    if !options.filter.takes_all() {
        match comparison.only(&options.filter) {
            Some(only) => comparison = only,
            None => return Ok(false),
        }
    }
    if counts_only_calls(a) || counts_only_calls(b) {
        by_counts(&mut comparison.functions);
        by_counts(&mut comparison.calls);
    }
    let view = View { comparison: &comparison, options };
    view.heading(out)?;
    // Where only calls are counted, nothing is known of paths and of most blocks.
    let of_code = view.knows_instructions().then(|| [view.paths(), view.blocks()]);
    let listings = [view.functions()].into_iter().chain(of_code.into_iter().flatten());
    for listing in listings.chain([view.calls(), view.matched()]) {
        listing.write(options.form, out)?;
    }
    Ok(true)
}

struct View<'a> {
    comparison: &'a Comparison<'a>,
    options: &'a Options,
}

impl<'a> View<'a> {
    /// Says what A and B are, and how much each executed.
    fn heading(&self, out: &mut impl Write) -> Result<()> {
        let Comparison { a, b, scale, executed, difference, .. } = self.comparison;
        for (side, report) in [("A", a), ("B", b)] {
            match self.options.form {
                Form::Text(width) => {
                    let room = width.map(|width| width.saturating_sub(3));
                    writeln!(out, "{}  {}", side.bold(), elide(&described(report), room))?;
                }
                Form::Markdown => writeln!(out, "* **{side}**: {}", described(report))?,
            }
        }
        writeln!(out)?;
        let (per_a, per_b, per) = match &self.options.per {
            Per::Whole => (String::new(), String::new(), ""),
            Per::Run => (
                format!(" in {}", many(scale.a as usize, "run", "runs")),
                format!(" in {}", many(scale.b as usize, "run", "runs")),
                " per run",
            ),
            Per::Entry(glob) => (
                format!(" in {} entries of {glob}", grouped(scale.a)),
                format!(" in {} entries of {glob}", grouped(scale.b)),
                " per entry",
            ),
        };
        if !self.knows_instructions() {
            return paragraph(&self.unknown(&per_a, &per_b), self.options.form, out);
        }
        let [of_a, of_b] = [executed.a, executed.b].map(|number| amount(number, 1, false));
        let text = format!("A executed {of_a} instructions{per_a}, B executed {of_b}{per_b}.");
        let (one, other) = (executed.a as f64 / scale.a as f64, executed.b as f64 / scale.b as f64);
        let more = match difference {
            0 => format!("That is the same number{per}."),
            _ if executed.a == 0 => format!("The difference{per} is {}.", self.units(*difference)),
            _ => format!(
                "The difference{per} is {}: B executed {}.",
                self.units(*difference),
                times_as_many(other / one)
            ),
        };
        paragraph(&format!("{text} {more}"), self.options.form, out)
    }

    /// Whether both sides tell what they executed: not if a side counts only calls.
    fn knows_instructions(&self) -> bool {
        !counts_only_calls(self.comparison.a) && !counts_only_calls(self.comparison.b)
    }

    /// What is said of instructions if a side does not tell them.
    fn unknown(&self, per_a: &str, per_b: &str) -> String {
        let Comparison { a, b, executed, .. } = self.comparison;
        let known = |side: &str, number: i128, per: &str| {
            format!("{side} executed {} instructions{per}.", amount(number, 1, false))
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

    /// Instructions of a pair on both sides: `3 → 7 instructions`, `? → 7 instructions`.
    fn instructions(&self, pair: &Pair<'_>, executed: Sides) -> Option<String> {
        let [is_known_a, is_known_b] =
            [pair.a, pair.b].map(|of| of.is_none_or(|of| of.counting.tells_of_blocks()));
        let [a, b] = self.scaled(executed);
        match (is_known_a, is_known_b) {
            (true, true) => Some(format!("{} instructions", self.change(executed))),
            (false, true) => Some(format!("? → {b} instructions")),
            (true, false) => Some(format!("{a} → ? instructions")),
            (false, false) => None,
        }
    }

    /// Whether any function of a pair has paths that are counted on all sides that have it.
    fn compares_paths(&self) -> bool {
        self.comparison.pairs.list.iter().any(|pair| {
            let mut sides = [pair.a, pair.b].into_iter().flatten();
            sides.all(|of| of.counting.is_of_paths())
        })
    }

    /// A difference, with its sign.
    fn units(&self, number: i128) -> String {
        amount(number, self.comparison.scale.unit(), true)
    }

    /// A number of A and of B, brought onto one scale: `3 → 7`.
    fn change(&self, sides: Sides) -> String {
        let [a, b] = self.scaled(sides);
        if a == b { a } else { format!("{a} → {b}") }
    }

    /// How often something ran.
    fn times(&self, count: Sides) -> String {
        match self.change(count).as_str() {
            "1" => "once".into(),
            change if change.ends_with(" → 1") => format!("{change} time"),
            change => format!("{change} times"),
        }
    }

    fn scaled(&self, sides: Sides) -> [String; 2] {
        let scale = self.comparison.scale;
        [amount(sides.a, signed(scale.a), false), amount(sides.b, signed(scale.b), false)]
    }

    /// A list of parts. `words` gives what a part is, and more words about it.
    fn listing<T>(
        &self,
        (title, what, several): (&str, &'static str, &str),
        parts: &Parts<T>,
        words: impl Fn(&Part<T>) -> (String, Vec<String>),
    ) -> Listing {
        let number = parts.differing.len();
        let equal = match parts.equal {
            0 => String::new(),
            equal => format!(", {} ran as often", grouped(equal as u128)),
        };
        let differ = if number == 1 { "differs" } else { "differ" };
        let title = format!("{title}: {} {differ}{equal}", grouped(number as u128));
        let kept = shown(self.options.top, number);
        let whole = self.comparison.difference;
        let is_known = self.knows_instructions();
        let mut rows: Vec<_> = parts.differing[..kept]
            .iter()
            .map(|part| {
                let (what, details) = words(part);
                let [a, b] = self.scaled(part.executed);
                let [count_a, count_b] = self.scaled(part.count);
                let what = match self.options.form {
                    Form::Markdown => [&[what][..], &details].concat().join("; "),
                    Form::Text(_) => what,
                };
                let (numbers, more) = match is_known {
                    true => (
                        vec![self.units(part.difference), share(part.difference, whole)],
                        vec![a, b, count_a, count_b],
                    ),
                    false => (vec![self.units(part.more_often)], vec![count_a, count_b]),
                };
                Line { numbers, what, details, more, is_sum: false }
            })
            .collect();
        let sum = |number: i128, what: String| Line {
            numbers: vec![self.units(number), share(number, whole)],
            what,
            is_sum: true,
            ..Line::default()
        };
        let total = parts.total();
        if kept < number {
            let listed = parts.differing[..kept].iter().map(|part| part.difference);
            let rest = total.saturating_sub(listed.sum::<i128>());
            let what = format!("{} more; --top 0 lists all", grouped((number - kept) as u128));
            rows.push(match is_known {
                true => sum(rest, what),
                false => {
                    Line { numbers: vec![String::new()], what, is_sum: true, ..Line::default() }
                }
            });
        }
        if number > 0 && is_known {
            let all = match self.options.filter.takes_all() {
                true => format!("in all: {several} add up to the whole difference"),
                false => format!("in all {several} of the chosen functions"),
            };
            rows.push(sum(total, all));
        }
        let (numbers, more) = match is_known {
            true => (vec!["difference", "share"], vec!["A", "B", "count A", "count B"]),
            false => (vec!["difference"], vec!["count A", "count B"]),
        };
        Listing { title, numbers, what, more, rows, notes: Vec::new() }
    }

    fn functions(&self) -> Listing {
        let words = |part: &Part<usize>| {
            let pair = self.comparison.pair(part.what);
            let [function, place] = self.named(pair);
            let place = if place.is_empty() { place } else { format!(" ({place})") };
            let entered = format!("entered {}", self.times(part.count));
            let instructions = self.instructions(pair, part.executed);
            let how_much: Vec<_> = [entered].into_iter().chain(instructions).collect();
            let how_much = how_much.join(", ");
            (format!("{function}{place}"), [vec![how_much], remarks(pair)].concat())
        };
        self.listing(("Functions", "function", "functions"), &self.comparison.functions, words)
    }

    /// A path to be told: that of B if it has one.
    fn way(&self, part: &Part<PathPart<'a>>) -> Option<ListedPath<'a>> {
        let What::Path(a, b) = part.what.what else { return None };
        let pair = self.comparison.pair(part.what.pair);
        let of = |report: &'a Report, path: Option<&'a Path>, function: Option<&'a Function>| {
            let (path, function) = path.zip(function)?;
            let wording = Wording::of(&report.modules[function.module]);
            Some(ListedPath { function, path, wording })
        };
        of(self.comparison.b, b, pair.b).or_else(|| of(self.comparison.a, a, pair.a))
    }

    fn paths(&self) -> Listing {
        if !self.compares_paths() {
            let title = "Paths: not counted on both sides; blocks are compared below".into();
            return Listing { title, ..Listing::default() };
        }
        let parts = &self.comparison.paths.differing;
        let shown = &parts[..shown(self.options.top, parts.len())];
        let ways: Vec<_> = shown.iter().filter_map(|part| self.way(part)).collect();
        let key = |way: ListedPath<'_>| (std::ptr::from_ref(way.function), way.path.id);
        let texts: HashMap<_, _> =
            ways.iter().map(|&way| key(way)).zip(listed_paths::plain(&ways)).collect();
        self.listing(("Paths", "path", "paths"), &self.comparison.paths, |part| {
            let pair = self.comparison.pair(part.what.pair);
            let [function, _] = self.named(pair);
            match part.what.what {
                What::Path(a, b) => {
                    let sizes = [a, b].map(|path| path.map(|path| path.instructions));
                    let size = match sizes {
                        [Some(a), Some(b)] if a != b => {
                            format!("{} → {}", grouped(a.into()), grouped(b.into()))
                        }
                        [a, b] => grouped(b.or(a).unwrap_or_default().into()),
                    };
                    let side = match (pair.a, pair.b) {
                        (Some(_), None) => ", only in A",
                        (None, Some(_)) => ", only in B",
                        _ if part.count.a == 0 => ", new in B",
                        _ if part.count.b == 0 => ", no longer in B",
                        _ => "",
                    };
                    let text = self.way(part).and_then(|way| texts.get(&key(way))).cloned();
                    let counts =
                        format!("{}, {size} instructions each{side}", self.times(part.count));
                    (function, text.into_iter().chain([counts]).collect())
                }
                What::Rest => (function, vec!["executed beside its uncut paths".into()]),
                What::Changed => (function, vec!["changed; its lines are compared below".into()]),
                What::NotCounted => {
                    (function, vec!["no paths are counted; its blocks are compared below".into()])
                }
            }
        })
    }

    fn blocks(&self) -> Listing {
        let title = ("Blocks, and lines of changed functions", "block or line", "blocks and lines");
        self.listing(title, &self.comparison.blocks, |part| {
            let pair = self.comparison.pair(part.what.pair);
            let [function, _] = self.named(pair);
            let times =
                format!("{}, {} instructions", self.times(part.count), self.change(part.executed));
            let place = match part.what.what {
                blocks::What::Block(number) => {
                    pair.function().map_or_else(String::new, |function| block(function, number))
                }
                blocks::What::Line { function: of, a, b } => {
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
                blocks::What::NoLine => "no line".into(),
            };
            (format!("{function}, {place}"), vec![times])
        })
    }

    fn calls(&self) -> Listing {
        let title = ("Call edges", "caller → callee", "call edges");
        let mut listing = self.listing(title, &self.comparison.calls, |part| {
            let named = |pair: usize| {
                let [function, _] = self.named(self.comparison.pair(pair));
                function
            };
            let caller = part.what.caller.map_or_else(|| "(elsewhere)".into(), named);
            let callee = match part.what.callee {
                Callee::Pair(pair) => named(pair),
                Callee::Symbol(symbol) => demangle(symbol),
                Callee::Unknown => "(through a pointer)".into(),
            };
            (format!("{caller} → {callee}"), vec![calls(self.change(part.count))])
        });
        let parts = &self.comparison.calls.differing;
        let shown = &parts[..shown(self.options.top, parts.len())];
        let divided = (!shown.is_empty() && self.knows_instructions()).then_some(
            "What a function executed, without what it called, is divided among its callers in \
             proportion to their calls.",
        );
        let elsewhere = shown.iter().any(|part| part.what.caller.is_none()).then_some(
            "(elsewhere): code that is not counted, or a call through a pointer whose callee is \
             not recorded.",
        );
        let notes: Vec<_> = divided.into_iter().chain(elsewhere).collect();
        listing.notes.extend((!notes.is_empty()).then(|| notes.join(" ")));
        listing
    }

    /// How functions were found again, and what was not.
    fn matched(&self) -> Listing {
        let is_known = self.knows_instructions();
        let [same, changed] = match (is_known, self.compares_paths()) {
            (true, true) => ["compared by paths", "compared by lines"],
            (true, false) => ["compared by blocks", "compared by lines"],
            (false, _) => ["compared by calls"; 2],
        };
        let row = |(matched, (all, ran)): (Matched, (usize, usize))| {
            let how = match matched {
                Matched::Hash => format!("the same name and CFG hash: {same}"),
                Matched::Graph => format!("the same name and graph: {same}"),
                Matched::Renamed => format!("the same graph under another name: {same}"),
                Matched::Changed => format!("the same name, another graph: {changed}"),
                Matched::OnlyA => "only in A: nothing to compare with".into(),
                Matched::OnlyB => "only in B: nothing to compare with".into(),
            };
            let difference = self.comparison.difference_of(|pair| pair.matched == matched);
            let numbers = [all, ran].map(|number| grouped(number as u128));
            let difference = is_known.then(|| self.units(difference));
            let numbers = numbers.into_iter().chain(difference).collect();
            Line { numbers, what: how, ..Line::default() }
        };
        let difference = is_known.then_some("difference");
        Listing {
            title: "How functions were matched".into(),
            numbers: ["functions", "ran"].into_iter().chain(difference).collect(),
            what: "matched by",
            more: Vec::new(),
            rows: self.comparison.matched().into_iter().map(row).collect(),
            notes: Vec::new(),
        }
    }

    /// The name of a function and its place; both names if it has two.
    fn named(&self, pair: &Pair<'_>) -> [String; 2] {
        let named = |of: Option<&Function>| of.map(|of| name(of, self.options.full_names));
        let text = match (named(pair.a), named(pair.b)) {
            (Some(a), Some(b)) if a != b => format!("{b} (in A {a})"),
            (a, b) => b.or(a).unwrap_or_default(),
        };
        [text, pair.function().map(place).unwrap_or_default()]
    }
}

/// Whether a report has counts of calls, and of nothing else.
fn counts_only_calls(report: &Report) -> bool {
    let mut counted = report.counted().peekable();
    counted.peek().is_some() && counted.all(|function| function.counting == Counting::Calls)
}

/// `2.000 times as many`, or of less than once `12.5% fewer`.
fn times_as_many(ratio: f64) -> String {
    match (1.0 - ratio) * 100.0 {
        fewer if fewer <= 0.0 => format!("{ratio:.3} times as many"),
        fewer if fewer < 0.05 => "less than 0.1% fewer".into(),
        fewer => format!("{fewer:.1}% fewer"),
    }
}

/// Only the parts that did not run as often, by that. Where instructions are not known, they differ
/// from nothing.
fn by_counts<T>(parts: &mut Parts<T>) {
    let all = parts.differing.len();
    parts.differing.retain(|part| part.more_often != 0);
    parts.differing.sort_by_key(|part| Reverse(part.more_often.unsigned_abs()));
    parts.equal += all - parts.differing.len();
}

/// A number of calls.
fn calls(number: String) -> String {
    if number == "1" { "1 call".into() } else { format!("{number} calls") }
}

/// What is to be known of a pair.
fn remarks(pair: &Pair<'_>) -> Vec<String> {
    let mut remarks = Vec::new();
    if let (Some(a), Some(b)) = (pair.a, pair.b) {
        let blocks = [a, b].map(|of| grouped(of.shape.blocks.len() as u128));
        if pair.matched == Matched::Changed {
            remarks.push(format!("another graph: {} → {} blocks", blocks[0], blocks[1]));
        } else if !same_instructions(&a.shape, &b.shape) {
            remarks.push("the same graph with other instructions".into());
        }
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

/// What a report is of.
fn described(report: &Report) -> String {
    let images: Vec<_> =
        report.images.iter().map(|image| image.path.display().to_string()).collect();
    let images = match images.as_slice() {
        [first, second, rest @ ..] if !rest.is_empty() => {
            format!("{first}, {second} and {} more", rest.len())
        }
        images => images.join(", "),
    };
    let runs = many(runs(report) as usize, "run", "runs");
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

    /// The sample program, of all of whose functions this is counted.
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
        let options = Options {
            form: Form::Text(None),
            top: 0,
            filter: Filter::default(),
            per: Per::Whole,
            full_names: false,
        };
        let mut out = Vec::new();
        let is_match = write(&a.into(), &b.into(), Scale::default(), &options, &mut out);
        assert!(is_match.expect("in memory"));
        anstream::adapter::strip_str(&String::from_utf8(out).expect("text")).to_string()
    }

    #[test]
    fn instructions_that_are_not_counted_are_not_compared() {
        let text = said(report(Counting::Calls), report(Counting::Edges));
        let heading = "A counts only calls: how many instructions it executed is not known. B \
                       executed 11,431,261 instructions.\n";
        assert!(text.contains(heading), "{text}");
        assert!(text.contains("Functions: 0 differ, "), "{text}");
        assert!(!text.contains("Paths:") && !text.contains("Blocks"), "{text}");
        assert!(text.contains(": compared by calls\n"), "{text}");
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
        assert!(text.contains("\n        +4  collatz (main.c:10)\n"), "{text}");
        assert!(text.contains("entered 3 → 7 times, ? → "), "{text}");
    }

    #[test]
    fn paths_are_only_compared_where_both_sides_count_them() {
        let title = "Paths: not counted on both sides; blocks are compared below\n";
        let text = said(report(Counting::Blocks), report(Counting::Edges));
        assert!(text.contains(title) && !text.contains("compared by paths"), "{text}");
        let text = said(report(Counting::Paths), report(Counting::Edges));
        assert!(text.contains(title) && text.contains("compared by blocks"), "{text}");
        let text = said(report(Counting::Paths), report(Counting::Paths));
        assert!(!text.contains(title) && text.contains("compared by paths"), "{text}");
    }

    #[test]
    fn what_is_said_of_elsewhere_stands_where_it_is() {
        let mut more = report(Counting::Paths);
        more.functions[0].entries += 1;
        let text = said(report(Counting::Paths), more);
        assert_eq!(text.contains("(elsewhere) → "), text.contains("(elsewhere): code"), "{text}");
        let same = said(report(Counting::Paths), report(Counting::Paths));
        assert!(!same.contains("elsewhere"), "{same}");
    }

    #[test]
    fn ratios_below_one_are_told_as_what_is_missing() {
        let told = [2.0, 1.0, 0.99999, 0.59, 0.0].map(times_as_many);
        let expected = [
            "2.000 times as many",
            "1.000 times as many",
            "less than 0.1% fewer",
            "41.0% fewer",
            "100.0% fewer",
        ];
        assert_eq!(told, expected);
    }
}
