//! Splits the difference by the edges of the call graph.
//!
//! The instructions of a function are divided among its callers, in proportion to their calls. This
//! assumes that all calls of a function cost the same, as in gprof (Graham, Kessler and McKusick,
//! *gprof: a Call Graph Execution Profiler*, 1982). Entries that no counted call explains came from
//! code that is not counted: the C library calls `main`. The instructions of a function do not
//! include those of its callees.

use std::collections::{BTreeMap, HashMap};

use counts::executed_calls::executed_calls;
use counts::model::{Count, Function, Report};
use pathformat::manifest::{INDIRECT, Linkage};

use crate::pairs::Pairs;
use crate::parts::{Counted, Sides};
use crate::scale::signed;

/// The callee.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Callee<'a> {
    /// A counted function, by the index of its pair.
    Pair(usize),
    /// A function that is not counted, by its symbol.
    Symbol(&'a str),
    /// An unknown function, called through a pointer.
    Unknown,
}

/// An edge of the call graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallPart<'a> {
    /// Index of the caller's pair; `None` for code that is not counted.
    pub caller: Option<usize>,
    /// The callee.
    pub callee: Callee<'a>,
}

/// Returns the edges of both call graphs; counts are numbers of calls.
pub fn of<'a>(a: &'a Report, b: &'a Report, pairs: &Pairs<'a>) -> Vec<Counted<CallPart<'a>>> {
    let mut edges: BTreeMap<CallPart<'a>, (Sides, Sides)> = BTreeMap::new();
    for (edge, (calls, executed)) in of_one(a, &pairs.of_a) {
        let (count, sum) = edges.entry(edge).or_default();
        (count.a, sum.a) = (signed(calls), signed(executed));
    }
    for (edge, (calls, executed)) in of_one(b, &pairs.of_b) {
        let (count, sum) = edges.entry(edge).or_default();
        (count.b, sum.b) = (signed(calls), signed(executed));
    }
    let counted = |(what, (count, executed))| Counted { what, count, executed };
    edges.into_iter().map(counted).collect()
}

/// For each edge of one report, the calls, and the instructions that they executed.
type Edges<'a> = BTreeMap<CallPart<'a>, (Count, Count)>;

fn of_one<'a>(report: &'a Report, pair_of: &[Option<usize>]) -> Edges<'a> {
    let symbols = Symbols::of(report);
    let mut edges = Edges::new();
    for (at, caller) in report.functions.iter().enumerate().filter(|(at, _)| pair_of[*at].is_some())
    {
        for called in executed_calls(caller).flat_map(|call| call.callees()) {
            let counted = symbols.find(caller, called.symbol).and_then(|found| pair_of[found]);
            let callee = match counted {
                Some(pair) => Callee::Pair(pair),
                None if called.symbol == INDIRECT => Callee::Unknown,
                None => Callee::Symbol(called.symbol),
            };
            let sum = &mut edges.entry(CallPart { caller: pair_of[at], callee }).or_default().0;
            *sum = sum.saturating_add(called.calls);
        }
    }
    let mut into: BTreeMap<usize, Vec<CallPart<'a>>> = BTreeMap::new();
    for &edge in edges.keys() {
        if let Callee::Pair(pair) = edge.callee {
            into.entry(pair).or_default().push(edge);
        }
    }
    for (at, function) in report.functions.iter().enumerate() {
        let Some(pair) = pair_of[at] else { continue };
        let callers = into.remove(&pair).unwrap_or_default();
        let known = callers.iter().map(|edge| edges[edge].0);
        let known = known.fold(0, |sum: Count, calls| sum.saturating_add(calls));
        let others = function.entries.saturating_sub(known);
        let elsewhere = CallPart { caller: None, callee: Callee::Pair(pair) };
        let mut shares: Vec<_> = callers.iter().map(|edge| (*edge, edges[edge].0)).collect();
        if others > 0 || known == 0 {
            shares.push((elsewhere, others));
        }
        let counts: Vec<_> = shares.iter().map(|(_, calls)| *calls).collect();
        for ((edge, calls), executed) in shares.into_iter().zip(split(function.executed(), &counts))
        {
            edges.insert(edge, (calls, executed));
        }
    }
    edges.retain(|_, known| *known != (0, 0));
    edges
}

/// The functions of a report by their symbols.
struct Symbols<'a> {
    report: &'a Report,
    by_name: HashMap<&'a str, Vec<usize>>,
}

impl<'a> Symbols<'a> {
    fn of(report: &'a Report) -> Self {
        let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, function) in report.functions.iter().enumerate() {
            by_name.entry(function.shape.name.as_str()).or_default().push(at);
        }
        Self { report, by_name }
    }

    /// Returns the function that a symbol in a caller refers to: a `static` one of its own unit, or
    /// else the global one, in its own image if there is one.
    fn find(&self, caller: &Function, symbol: &str) -> Option<usize> {
        let named = self.by_name.get(symbol)?;
        let distance = |&at: &usize| {
            let function = &self.report.functions[at];
            let is_static = function.shape.linkage == Linkage::Internal;
            match (is_static, function.module == caller.module, function.image == caller.image) {
                (true, true, _) => Some(0),
                (true, false, _) => None,
                (false, _, true) => Some(1),
                (false, _, false) => Some(2),
            }
        };
        let seen = named.iter().filter_map(|at| Some((distance(at)?, *at)));
        seen.min().map(|(_, at)| at)
    }
}

/// Divides a number in proportion to others; the shares add up to it. If all others are 0, the last
/// share is the whole number.
fn split(number: Count, by: &[Count]) -> Vec<Count> {
    let whole = by.iter().fold(0, |sum: Count, part| sum.saturating_add(*part));
    let mut so_far: Count = 0;
    let mut given: Count = 0;
    let mut shares = Vec::with_capacity(by.len());
    for (at, part) in by.iter().enumerate() {
        so_far = so_far.saturating_add(*part);
        let up_to =
            if at + 1 == by.len() { number } else { proportion(number, so_far, whole).max(given) };
        shares.push(up_to - given);
        given = up_to;
    }
    shares
}

/// Returns `number` times `part` divided by `whole`, which is not less than `part`, rounded down.
fn proportion(number: Count, part: Count, whole: Count) -> Count {
    if whole == 0 {
        return 0;
    }
    // No valid profile has numbers so large that the product does not fit.
    let (times, left) = (number / whole, number % whole);
    times.saturating_mul(part).saturating_add(left.saturating_mul(part) / whole).min(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs;
    use crate::parts::Parts;
    use crate::scale::Scale;
    use counts::sample;

    #[test]
    fn shares_add_up() {
        assert_eq!(split(10, &[1, 1, 1]), [3, 3, 4]);
        assert_eq!(split(10, &[0, 5, 0, 5]), [0, 5, 0, 5]);
        assert_eq!(split(7, &[0, 0]), [0, 7]);
        assert_eq!(split(7, &[]), [0; 0]);
        let large = Count::from(u64::MAX) * 3;
        assert_eq!(split(large, &[2, 1]), [large / 3 * 2, large / 3]);
    }

    #[test]
    fn callers_share_what_their_callee_executed() {
        let a = sample::report();
        let mut b = a.clone();
        // `main` was entered four times as often; `guard` calls `weigh` twice as often.
        b.functions[1].block_counts[0] *= 4;
        b.functions[4].block_counts[0] *= 2;
        let found = pairs::pairs(&a, &b);
        let parts = Parts::of(of(&a, &b, &found), Scale::default());
        let name = |pair: Option<usize>| {
            let pair = pair.and_then(|at| found.list[at].function());
            pair.map_or("–", |function| function.shape.name.as_str())
        };
        let edges: Vec<_> = parts
            .differing
            .iter()
            .map(|part| {
                let callee = match part.what.callee {
                    Callee::Pair(pair) => name(Some(pair)),
                    Callee::Symbol(symbol) => symbol,
                    Callee::Unknown => "*",
                };
                (name(part.what.caller), callee, part.count.a, part.count.b, part.difference)
            })
            .collect();
        let executed = |report: &Report| report.executed() as i128;
        assert_eq!(parts.total(), executed(&b) - executed(&a));
        assert!(edges.contains(&("main", "*", 10, 40, 0)), "{edges:?}");
        assert!(edges.contains(&("main", "collatz", 10, 40, 0)), "{edges:?}");
        assert!(
            edges.iter().any(|&(from, to, a, b, _)| (from, to, a, b)
                == ("_ZN4util5guardEi", "_ZN4util5weighEi", 10, 20)),
            "{edges:?}"
        );
    }

    #[test]
    fn a_static_function_is_that_of_the_callers_unit() {
        let mut report = sample::report();
        for (function, module) in [(0, 0), (4, 1)] {
            report.functions[function].shape.name = "helper".into();
            report.functions[function].shape.linkage = Linkage::Internal;
            report.functions[function].module = module;
        }
        let symbols = Symbols::of(&report);
        let mut caller = report.functions[1].clone();
        assert_eq!(symbols.find(&caller, "helper"), Some(0));
        caller.module = 1;
        assert_eq!(symbols.find(&caller, "helper"), Some(4));
        caller.module = 2;
        assert_eq!(symbols.find(&caller, "helper"), None);
        assert_eq!(symbols.find(&caller, "main"), Some(1));
    }
}
