//! Compares two reports: the difference in executed instructions, split in four ways. Each way adds
//! up to the whole difference.

use std::collections::BTreeMap;

use counts::model::{Function, Report};
use counts::select::Filter;

use crate::blocks::{self, BlockPart};
use crate::calls::{self, CallPart, Callee};
use crate::pairs::{Matched, Pair, Pairs, pairs};
use crate::parts::{Counted, Parts, Sides};
use crate::paths::{self, PathPart};
use crate::scale::{Scale, signed};

/// The differences between two reports.
#[derive(Clone, Debug)]
pub struct Comparison<'a> {
    /// The report to compare with.
    pub a: &'a Report,
    /// The report that is compared with `a`.
    pub b: &'a Report,
    /// The scale that makes their counts comparable.
    pub scale: Scale,
    /// The instructions that were executed.
    pub executed: Sides,
    /// The instructions that B executed more than A, in [units](Scale::unit).
    pub difference: i128,
    /// The pairs of functions.
    pub pairs: Pairs<'a>,
    /// The difference by functions: the index of the pair.
    pub functions: Parts<usize>,
    /// The difference by paths.
    pub paths: Parts<PathPart<'a>>,
    /// The difference by blocks and lines.
    pub blocks: Parts<BlockPart<'a>>,
    /// The difference by edges of the call graph.
    pub calls: Parts<CallPart<'a>>,
}

/// Compares `b` with `a`.
pub fn compare<'a>(a: &'a Report, b: &'a Report, scale: Scale) -> Comparison<'a> {
    let pairs = pairs(a, b);
    let numbered = || pairs.list.iter().enumerate();
    let whole = |(number, pair): (usize, &Pair<'a>)| {
        let (count, executed) = paths::whole(pair);
        Counted { what: number, count, executed }
    };
    let executed = Sides { a: signed(a.executed()), b: signed(b.executed()) };
    Comparison {
        a,
        b,
        scale,
        executed,
        difference: scale.difference(executed.a, executed.b),
        functions: Parts::of(numbered().map(whole), scale),
        paths: Parts::of(numbered().flat_map(|(at, pair)| paths::of(at, pair)), scale),
        blocks: Parts::of(numbered().flat_map(|(at, pair)| blocks::of(at, pair)), scale),
        calls: Parts::of(calls::of(a, b, &pairs), scale),
        pairs,
    }
}

impl<'a> Comparison<'a> {
    /// Keeps only the parts of functions that pass a filter, and the calls from them and to them.
    /// `None` if there are no such functions.
    pub fn only(self, filter: &Filter) -> Option<Self> {
        let wanted: Vec<bool> =
            self.pairs.list.iter().map(|pair| self.is_chosen(pair, filter)).collect();
        wanted.contains(&true).then(|| Self {
            functions: self.functions.only(|&pair| wanted[pair]),
            paths: self.paths.only(|part| wanted[part.pair]),
            blocks: self.blocks.only(|part| wanted[part.pair]),
            calls: self.calls.only(|part| {
                let callee = matches!(part.callee, Callee::Pair(pair) if wanted[pair]);
                callee || part.caller.is_some_and(|caller| wanted[caller])
            }),
            ..self
        })
    }

    /// Returns true if a function of the pair passes a filter.
    pub fn is_chosen(&self, pair: &Pair<'_>, filter: &Filter) -> bool {
        let is_chosen = |report: &Report, function: Option<&Function>| {
            function.is_some_and(|of| filter.matches(&report.modules[of.module], of))
        };
        is_chosen(self.a, pair.a) || is_chosen(self.b, pair.b)
    }

    /// Returns a pair by its index.
    pub fn pair(&self, number: usize) -> &Pair<'a> {
        &self.pairs.list[number]
    }

    /// Returns for each criterion the number of pairs that it found, and how many of these ran.
    pub fn matched(&self) -> BTreeMap<Matched, (usize, usize)> {
        let mut matched: BTreeMap<Matched, (usize, usize)> = BTreeMap::new();
        for pair in &self.pairs.list {
            let (all, ran) = matched.entry(pair.matched).or_default();
            *all += 1;
            *ran += usize::from(pair.ran());
        }
        matched
    }

    /// Returns the instructions that the wanted pairs executed more in B than in A, in
    /// [units](Scale::unit).
    pub fn difference_of(&self, is_wanted: impl Fn(&Pair<'a>) -> bool) -> i128 {
        let parts = self.functions.differing.iter();
        let wanted = parts.filter(|part| is_wanted(self.pair(part.what)));
        wanted.fold(0, |sum: i128, part| sum.saturating_add(part.difference))
    }
}
