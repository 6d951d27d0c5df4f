//! What is different between two reports, for people.
//!
//! Each list takes the same difference apart in another way, the part that explains most first. Its
//! last lines sum what is not shown and say that the parts are the whole.

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
    /// So many rows in each list (0: all).
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
    let view = View { comparison: &comparison, options };
    view.heading(out)?;
    for listing in [view.functions(), view.paths(), view.blocks(), view.calls(), view.matched()] {
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
        let [of_a, of_b] = [executed.a, executed.b].map(|number| amount(number, 1, false));
        let text = format!("A executed {of_a} instructions{per_a}, B executed {of_b}{per_b}.");
        let (one, other) = (executed.a as f64 / scale.a as f64, executed.b as f64 / scale.b as f64);
        let more = match difference {
            0 => format!("That is the same number{per}."),
            _ if executed.a == 0 => format!("The difference{per} is {}.", self.units(*difference)),
            _ => format!(
                "The difference{per} is {}: B executed {:.3} times as many.",
                self.units(*difference),
                other / one
            ),
        };
        paragraph(&format!("{text} {more}"), self.options.form, out)
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
                let numbers = vec![self.units(part.difference), share(part.difference, whole)];
                Line { numbers, what, details, more: vec![a, b, count_a, count_b], is_sum: false }
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
            rows.push(sum(
                rest,
                format!("{} more; --top 0 lists all", grouped((number - kept) as u128)),
            ));
        }
        if number > 0 {
            let all = match self.options.filter.takes_all() {
                true => format!("in all: {several} add up to the whole difference"),
                false => format!("in all {several} of the chosen functions"),
            };
            rows.push(sum(total, all));
        }
        Listing {
            title,
            numbers: vec!["difference", "share"],
            what,
            more: vec!["A", "B", "count A", "count B"],
            rows,
            notes: Vec::new(),
        }
    }

    fn functions(&self) -> Listing {
        let words = |part: &Part<usize>| {
            let pair = self.comparison.pair(part.what);
            let [function, place] = self.named(pair);
            let place = if place.is_empty() { place } else { format!(" ({place})") };
            let how_much = format!(
                "entered {}, {} instructions",
                self.times(part.count),
                self.change(part.executed)
            );
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
        if !listing.rows.is_empty() {
            listing.notes.push(
                "What a function executed, without what it called, is divided among its callers in \
                 proportion to their calls. Elsewhere is code that is not counted, and calls through \
                 pointers whose callees are not recorded."
                    .into(),
            );
        }
        listing
    }

    /// How functions were found again, and what was not.
    fn matched(&self) -> Listing {
        let row = |(matched, (all, ran)): (Matched, (usize, usize))| {
            let how = match matched {
                Matched::Hash => "the same name and CFG hash: compared by paths",
                Matched::Graph => "the same name and graph: compared by paths",
                Matched::Renamed => "the same graph under another name: compared by paths",
                Matched::Changed => "the same name, another graph: compared by lines",
                Matched::OnlyA => "only in A: nothing to compare with",
                Matched::OnlyB => "only in B: nothing to compare with",
            };
            let difference = self.comparison.difference_of(|pair| pair.matched == matched);
            let numbers = [all, ran].map(|number| grouped(number as u128));
            let numbers = [&numbers[..], &[self.units(difference)]].concat();
            Line { numbers, what: how.into(), ..Line::default() }
        };
        Listing {
            title: "How functions were matched".into(),
            numbers: vec!["functions", "ran", "difference"],
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
            remarks.push(format!("{side} counts only calls, so its instructions are not known"));
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
