//! The parts of a difference, in columns.

use compare::blocks;
use compare::calls::Callee;
use compare::comparison::Comparison;
use compare::pairs::Pair;
use compare::parts::Part;
use compare::paths::{PathChange, PathPart};
use counts::listed_paths::ListedPath;
use counts::model::{Function, Path, Report};
use counts::path_text::{Wording, base_name};
use pathformat::manifest::Location;
use profile::names::demangle;
use serde::Serialize;

use crate::export::html::path_steps;
use crate::export::html::payload::{Signed, shown};

/// The largest number of characters in the text of a path in a list.
const LONGEST_TEXT: usize = 240;

/// The numbers of parts.
#[derive(Default, Serialize)]
struct Numbers {
    difference: Vec<Signed>,
    a: Vec<Signed>,
    b: Vec<Signed>,
    count_a: Vec<Signed>,
    count_b: Vec<Signed>,
}

impl Numbers {
    fn of<T>(parts: &[Part<T>]) -> Self {
        let mut numbers = Self::default();
        for part in parts {
            numbers.difference.push(Signed(part.difference));
            numbers.a.push(Signed(part.executed.a));
            numbers.b.push(Signed(part.executed.b));
            numbers.count_a.push(Signed(part.count.a));
            numbers.count_b.push(Signed(part.count.b));
        }
        numbers
    }
}

/// Paths.
#[derive(Serialize)]
pub(super) struct Paths {
    #[serde(flatten)]
    numbers: Numbers,
    pair: Vec<usize>,
    /// `path`, or the other kind of part.
    what: Vec<&'static str>,
    id_a: Vec<Option<String>>,
    id_b: Vec<Option<String>>,
    /// The number of instructions of the path.
    size_a: Vec<Option<u64>>,
    size_b: Vec<Option<u64>>,
    text: Vec<String>,
}

/// Blocks, and lines.
#[derive(Serialize)]
pub(super) struct Blocks {
    #[serde(flatten)]
    numbers: Numbers,
    pair: Vec<usize>,
    /// A block, or `null`.
    block: Vec<Option<u32>>,
    /// Its first line, if it is known.
    place: Vec<Option<String>>,
    /// A line in A and in B, or `null`.
    line_a: Vec<Option<u32>>,
    line_b: Vec<Option<u32>>,
    /// The inlined function to which the line belongs.
    inlined: Vec<Option<String>>,
}

/// Edges of the call graph.
#[derive(Serialize)]
pub(super) struct Calls {
    #[serde(flatten)]
    numbers: Numbers,
    /// A pair, or `null` for code that is not counted.
    caller: Vec<Option<usize>>,
    /// A pair, or below zero one of the others: -1 is the first. `null` is unknown.
    callee: Vec<Option<i64>>,
    others: Vec<String>,
}

/// Returns the path of a part: that of B if it has one.
pub(super) fn way<'a>(comparison: &Comparison<'a>, part: &PathPart<'a>) -> Option<ListedPath<'a>> {
    let PathChange::Path(a, b) = part.what else { return None };
    let pair = comparison.pair(part.pair);
    let of = |report: &'a Report, path: Option<&'a Path>, function: Option<&'a Function>| {
        let (path, function) = path.zip(function)?;
        let wording = Wording::of(&report.modules[function.module]);
        Some(ListedPath { function, path, wording })
    };
    of(comparison.b, b, pair.b).or_else(|| of(comparison.a, a, pair.a))
}

/// Returns the paths that differ.
pub(super) fn paths(comparison: &Comparison<'_>) -> Paths {
    let parts = &comparison.paths.differing;
    let ways: Vec<_> = parts.iter().filter_map(|part| way(comparison, &part.what)).collect();
    let mut texts = path_steps::cut(&ways, LONGEST_TEXT).into_iter();
    let mut paths = Paths {
        numbers: Numbers::of(parts),
        pair: parts.iter().map(|part| part.what.pair).collect(),
        what: Vec::new(),
        id_a: Vec::new(),
        id_b: Vec::new(),
        size_a: Vec::new(),
        size_b: Vec::new(),
        text: Vec::new(),
    };
    for part in parts {
        let (what, a, b) = match part.what.what {
            PathChange::Path(a, b) => ("path", a, b),
            PathChange::Rest => ("rest", None, None),
            PathChange::Changed => ("changed", None, None),
            PathChange::NotCounted => ("not_counted", None, None),
        };
        paths.what.push(what);
        paths.id_a.push(a.map(|path| path.id.to_string()));
        paths.id_b.push(b.map(|path| path.id.to_string()));
        paths.size_a.push(a.map(|path| path.instructions));
        paths.size_b.push(b.map(|path| path.instructions));
        let text = if what == "path" { texts.next() } else { None };
        paths.text.push(text.unwrap_or_default());
    }
    paths
}

/// Returns the blocks and lines that differ.
pub(super) fn blocks(comparison: &Comparison<'_>) -> Blocks {
    let parts = &comparison.blocks.differing;
    let mut blocks = Blocks {
        numbers: Numbers::of(parts),
        pair: parts.iter().map(|part| part.what.pair).collect(),
        block: Vec::new(),
        place: Vec::new(),
        line_a: Vec::new(),
        line_b: Vec::new(),
        inlined: Vec::new(),
    };
    for part in parts {
        let pair = comparison.pair(part.what.pair);
        let (block, lines, inlined) = match part.what.what {
            blocks::BlockPlace::Block(block) => (Some(block), (None, None), None),
            blocks::BlockPlace::Line { function, a, b } => (None, (a, b), inlined(pair, function)),
            blocks::BlockPlace::NoLine => (None, (None, None), None),
        };
        blocks.block.push(block);
        let function = pair.function();
        blocks.place.push(block.zip(function).and_then(|(block, of)| first_line(of, block)));
        blocks.line_a.push(lines.0);
        blocks.line_b.push(lines.1);
        blocks.inlined.push(inlined);
    }
    blocks
}

/// Returns the function to which the line belongs, unless it is the pair's own.
fn inlined(pair: &Pair<'_>, function: &str) -> Option<String> {
    let own = pair.function()?;
    let name = demangle(function);
    let is_own = function.is_empty() || own.shape.name == function || own.demangled == name;
    (!is_own).then(|| shown(&name).into_owned())
}

/// Returns the first line of a block, with its file if it differs from that of the function.
fn first_line(function: &Function, block: u32) -> Option<String> {
    let shape = &function.shape;
    let locations = &shape.blocks[block as usize].locations;
    let known = |at: &u32| shape.locations.get(*at as usize).filter(|at| at.line != 0);
    let Location { file, line, .. } = locations.iter().find_map(known)?;
    let is_own = *file == shape.file;
    Some(if is_own { line.to_string() } else { format!("{}:{line}", shown(base_name(file))) })
}

/// Returns the calls that differ.
pub(super) fn calls(comparison: &Comparison<'_>) -> Calls {
    let parts = &comparison.calls.differing;
    let mut others = Vec::new();
    let mut callee = |callee: Callee<'_>| match callee {
        Callee::Pair(pair) => Some(pair as i64),
        Callee::Symbol(symbol) => {
            others.push(shown(&demangle(symbol)).into_owned());
            Some(-(others.len() as i64))
        }
        Callee::Unknown => None,
    };
    Calls {
        numbers: Numbers::of(parts),
        caller: parts.iter().map(|part| part.what.caller).collect(),
        callee: parts.iter().map(|part| callee(part.what.callee)).collect(),
        others,
    }
}
