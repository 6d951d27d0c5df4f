//! Finds for each function of A its counterpart in B.
//!
//! The criteria are tried in this order, so that a weaker match never takes the counterpart of a
//! stronger one:
//!
//! 1. the same name. A `static` function must be of the same source file, and if there are several
//!    images, the image must have the same name. Of several functions of that name the one with the
//!    same CFG hash is taken, then the one with the same graph, and then any: it has changed;
//! 2. the same, compared less strictly: source files without their directories, no images, names
//!    without the suffixes that the compiler adds;
//! 3. the same code at other lines, under another name, if no other function has it;
//! 4. the same name without parameters in a file of the same name, if no other function has it.
//!
//! A function without a counterpart has appeared or vanished, or is counted on one side alone.

use std::collections::HashMap;

use counts::model::{Function, Report};
use counts::path_text::base_name;
use pathformat::manifest::Linkage;
use profile::names;

use crate::structure::{code_hash, graph_hash, same_graph};

/// The criterion by which a pair was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Matched {
    /// The name and the CFG hash: blocks and paths have the same numbers.
    Hash,
    /// The name and the graph: blocks have the same numbers, but the counters differ.
    Graph,
    /// The same code, or the same name without parameters, with the same graph.
    Renamed,
    /// The name alone: the graph differs. Only lines can be compared.
    Changed,
    /// Nothing: it is only in A.
    OnlyA,
    /// Nothing: it is only in B.
    OnlyB,
}

impl Matched {
    /// Returns its name in exports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Hash => "hash",
            Self::Graph => "graph",
            Self::Renamed => "renamed",
            Self::Changed => "changed",
            Self::OnlyA => "only_a",
            Self::OnlyB => "only_b",
        }
    }
}

/// A function of A, of B, or of both.
#[derive(Clone, Debug)]
pub struct Pair<'a> {
    /// The criterion by which it was found.
    pub matched: Matched,
    /// The function of A.
    pub a: Option<&'a Function>,
    /// The function of B.
    pub b: Option<&'a Function>,
    /// If it is only in one: the reason why it is not counted in the other, although it is there.
    pub skipped: Option<&'a str>,
}

impl<'a> Pair<'a> {
    /// Returns true if both functions have the same graph: block 3 of A's function is block 3 of
    /// B's.
    pub fn has_one_graph(&self) -> bool {
        matches!(self.matched, Matched::Hash | Matched::Graph | Matched::Renamed)
    }

    /// Returns the function of B, or else that of A.
    pub fn function(&self) -> Option<&'a Function> {
        self.b.or(self.a)
    }

    /// Returns true if either of them ran.
    pub fn ran(&self) -> bool {
        [self.a, self.b].into_iter().flatten().any(|function| {
            function.entries > 0 || function.block_counts.iter().any(|&count| count > 0)
        })
    }
}

/// The pairs of two reports, in the order of the functions of A and then of B, and the index of
/// each function's pair.
#[derive(Clone, Debug, Default)]
pub struct Pairs<'a> {
    /// All pairs.
    pub list: Vec<Pair<'a>>,
    /// The pair of each function of A, by its index in the report; `None` for functions that are
    /// not counted.
    pub of_a: Vec<Option<usize>>,
    /// The same for B.
    pub of_b: Vec<Option<usize>>,
}

/// A key that identifies functions. Weaker keys come later.
type Key = fn(&Side<'_>, &Function) -> Option<String>;

/// The keys, each with true if a function must be the only one with its key.
const KEYS: [(Key, bool); 4] =
    [(exact_key, false), (lax_key, false), (code_key, true), (short_key, true)];

/// A report on one side.
struct Side<'a> {
    report: &'a Report,
    /// True if images are part of the key, since there are several.
    has_images: bool,
    /// The functions that have no partner yet.
    open: Vec<usize>,
}

/// Pairs the functions of two reports.
pub fn pairs<'a>(a: &'a Report, b: &'a Report) -> Pairs<'a> {
    let has_images = a.images.len() > 1 || b.images.len() > 1;
    let side = |report: &'a Report| {
        let all = 0..report.functions.len();
        let open = all.filter(|&at| report.functions[at].shape.skipped.is_none()).collect();
        Side { report, has_images, open }
    };
    let (mut one, mut other) = (side(a), side(b));
    let mut found = Vec::new();
    for (key, is_alone) in KEYS {
        for refined in [Refined::Hash, Refined::Graph, Refined::No] {
            found.extend(partners(&mut one, &mut other, key, refined, is_alone));
        }
    }
    listed(&one, &other, &found)
}

/// The condition besides equal keys.
#[derive(Clone, Copy, PartialEq)]
enum Refined {
    Hash,
    Graph,
    No,
}

/// Finds partners among the open functions by one key: (of A, of B, criterion).
fn partners(
    one: &mut Side<'_>,
    other: &mut Side<'_>,
    key: Key,
    refined: Refined,
    is_alone: bool,
) -> Vec<(usize, usize, Matched)> {
    let groups = |side: &Side<'_>| {
        let mut groups: HashMap<(String, u64), Vec<usize>> = HashMap::new();
        for &at in &side.open {
            let function = &side.report.functions[at];
            let refinement = match refined {
                Refined::Hash => function.shape.cfg_hash,
                Refined::Graph => graph_hash(&function.shape),
                Refined::No => 0,
            };
            if let Some(key) = key(side, function) {
                groups.entry((key, refinement)).or_default().push(at);
            }
        }
        groups
    };
    let (of_one, of_other) = (groups(one), groups(other));
    let mut found = Vec::new();
    for (key, ones) in &of_one {
        let others = of_other.get(key).map_or(&[][..], Vec::as_slice);
        if is_alone && (ones.len() > 1 || others.len() > 1) {
            continue;
        }
        for (&a, &b) in ones.iter().zip(others) {
            let (of_a, of_b) = (&one.report.functions[a], &other.report.functions[b]);
            let is_same = same_graph(&of_a.shape, &of_b.shape);
            let matched = match refined {
                Refined::Hash | Refined::Graph if !is_same => continue,
                _ if is_same && of_a.shape.name != of_b.shape.name => Matched::Renamed,
                Refined::Hash => Matched::Hash,
                Refined::Graph => Matched::Graph,
                Refined::No => Matched::Changed,
            };
            found.push((a, b, matched));
        }
    }
    let taken = |side: &mut Side<'_>, taken: Vec<usize>| {
        let mut is_open = vec![true; side.report.functions.len()];
        taken.into_iter().for_each(|at| is_open[at] = false);
        side.open.retain(|&at| is_open[at]);
    };
    taken(one, found.iter().map(|&(a, _, _)| a).collect());
    taken(other, found.iter().map(|&(_, b, _)| b).collect());
    found
}

/// Returns the pairs in order.
fn listed<'a>(one: &Side<'a>, other: &Side<'a>, found: &[(usize, usize, Matched)]) -> Pairs<'a> {
    let (a, b) = (one.report, other.report);
    let mut pairs = Pairs {
        list: Vec::new(),
        of_a: vec![None; a.functions.len()],
        of_b: vec![None; b.functions.len()],
    };
    let partners: HashMap<usize, (usize, Matched)> =
        found.iter().map(|&(a, b, matched)| (a, (b, matched))).collect();
    let (skipped_a, skipped_b) = (skipped(a), skipped(b));
    for (at, function) in a.functions.iter().enumerate() {
        if function.shape.skipped.is_some() {
            continue;
        }
        let number = pairs.list.len();
        pairs.of_a[at] = Some(number);
        pairs.list.push(match partners.get(&at) {
            Some(&(of_b, matched)) => {
                pairs.of_b[of_b] = Some(number);
                Pair { matched, a: Some(function), b: Some(&b.functions[of_b]), skipped: None }
            }
            None => {
                let skipped = skipped_b.get(function.shape.name.as_str()).copied();
                Pair { matched: Matched::OnlyA, a: Some(function), b: None, skipped }
            }
        });
    }
    for &at in &other.open {
        let function = &b.functions[at];
        pairs.of_b[at] = Some(pairs.list.len());
        let skipped = skipped_a.get(function.shape.name.as_str()).copied();
        pairs.list.push(Pair { matched: Matched::OnlyB, a: None, b: Some(function), skipped });
    }
    pairs
}

/// Returns the functions of a report that are not counted, and the reasons.
fn skipped(report: &Report) -> HashMap<&str, &str> {
    let functions = report.functions.iter();
    let reason = |function: &'_ Function| function.shape.skipped.is_some();
    functions
        .filter(|function| reason(function))
        .map(|of| (of.shape.name.as_str(), of.shape.skipped.as_deref().unwrap_or_default()))
        .collect()
}

fn is_static(function: &Function) -> bool {
    function.shape.linkage == Linkage::Internal
}

/// Returns the source file of a function's unit.
fn source<'a>(side: &Side<'a>, function: &Function) -> &'a str {
    side.report.modules.get(function.module).map_or("", |module| module.source.as_str())
}

fn exact_key(side: &Side<'_>, function: &Function) -> Option<String> {
    let image = side.report.images.get(function.image).filter(|_| side.has_images);
    let image =
        image.map_or_else(String::new, |image| base_name(&image.path.to_string_lossy()).to_owned());
    let source = if is_static(function) { source(side, function) } else { "" };
    Some(format!("{image}\0{source}\0{}", function.shape.name))
}

fn lax_key(side: &Side<'_>, function: &Function) -> Option<String> {
    let source = if is_static(function) { base_name(source(side, function)) } else { "" };
    Some(format!("{source}\0{}", own_name(&function.shape.name)))
}

/// Returns the symbol without the suffixes that the compiler adds to `static` functions of several
/// units.
fn own_name(symbol: &str) -> &str {
    let ends = [".llvm.", ".__uniq."].iter().filter_map(|added| symbol.find(added));
    ends.min().map_or(symbol, |end| &symbol[..end])
}

fn code_key(_: &Side<'_>, function: &Function) -> Option<String> {
    let code = code_hash(&function.shape)?;
    Some(format!("{}\0{code}", base_name(&function.shape.file)))
}

fn short_key(_: &Side<'_>, function: &Function) -> Option<String> {
    let short = names::short(&function.shape)?;
    Some(format!("{}\0{short}", base_name(&function.shape.file)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use counts::sample;

    /// Returns the pairs: the criterion, and the names on both sides.
    fn found(a: &Report, b: &Report) -> Vec<(Matched, String, String)> {
        let name = |of: Option<&Function>| of.map_or_else(String::new, |of| of.demangled.clone());
        let pairs = pairs(a, b);
        pairs.list.iter().map(|pair| (pair.matched, name(pair.a), name(pair.b))).collect()
    }

    #[test]
    fn a_report_is_paired_with_itself() {
        let report = sample::report();
        for (matched, a, b) in found(&report, &report) {
            assert_eq!((matched, a), (Matched::Hash, b));
        }
        let pairs = pairs(&report, &report);
        assert_eq!(pairs.of_a, pairs.of_b);
        assert_eq!(pairs.of_a[3], None, "it is not counted");
        assert_eq!(pairs.list.len(), 4);
    }

    #[test]
    fn functions_are_found_by_what_tells_most() {
        let before = sample::report();
        let mut after = before.clone();
        // Another numbering, another graph, another name, another parameter.
        after.functions[0].shape.cfg_hash = 77;
        after.functions[1].shape.edges[3].to = 2;
        after.functions[2].shape.name = "_ZN4util5weighEl".into();
        after.functions[2].demangled = "util::weigh(long)".into();
        after.functions[4].shape.name = "protect".into();
        after.functions[4].demangled = "protect".into();
        let kinds: Vec<_> = found(&before, &after).into_iter().map(|(kind, ..)| kind).collect();
        let expected = [Matched::Graph, Matched::Changed, Matched::Renamed, Matched::Renamed];
        assert_eq!(kinds, expected);
    }

    #[test]
    fn what_is_gone_and_what_is_new_is_left() {
        let before = sample::report();
        let mut after = before.clone();
        after.functions.remove(2);
        after.functions[2].shape.skipped = None;
        after.functions[0].shape.skipped = Some("asked for".into());
        let left = found(&before, &after);
        let of = |kind| left.iter().filter(|found| found.0 == kind).collect::<Vec<_>>();
        assert_eq!(of(Matched::OnlyA).len(), 2);
        assert_eq!(of(Matched::OnlyB)[0].2, "start");
        let pairs = pairs(&before, &after);
        assert_eq!(pairs.list[0].skipped, Some("asked for"));
        assert_eq!(pairs.list[4].skipped, Some("naked function"));
    }

    #[test]
    fn static_functions_of_one_name_stay_apart() {
        let mut a = sample::report();
        for (function, module) in [(0, 0), (1, 1)] {
            a.functions[function].shape.name = "helper".into();
            a.functions[function].shape.linkage = Linkage::Internal;
            a.functions[function].module = module;
        }
        let mut b = a.clone();
        // B has them in another order, from a build in another directory, and one has changed.
        b.functions.swap(0, 1);
        b.functions[1].shape.edges[6].to = 3;
        b.modules.iter_mut().for_each(|module| module.source = format!("/new/{}", module.source));
        let pairs = pairs(&a, &b);
        for (at, other) in [(0, 1), (1, 0)] {
            assert_eq!(pairs.of_a[at], pairs.of_b[other]);
        }
        assert_eq!(pairs.list[0].matched, Matched::Changed);
        assert_eq!(pairs.list[1].matched, Matched::Hash);
    }
}
