//! The callers and callees, with the number of calls.

use std::collections::{BTreeMap, HashMap};

use counts::executed_calls::executed_calls;
use counts::model::{Count, Function, Report};
use pathformat::manifest::INDIRECT;
use profile::names::demangle;
use serde::Serialize;

use super::payload::{Exact, shown};

/// The calls in the index.
#[derive(Serialize)]
pub(super) struct Calls {
    /// The names of callees that are not among the functions.
    others: Vec<String>,
    /// The caller, the callee, the calls, the number of them through a pointer, and true if they
    /// may be wrong. A callee below zero is one of the others: -1 is the first. An unknown callee
    /// is `None`.
    edges: Vec<(usize, Option<i64>, Exact, Exact, bool)>,
}

/// A callee: a symbol of an image, or `None` for an unknown target of a pointer.
type Callee<'a> = Option<&'a str>;

/// The calls of one callee by a function.
#[derive(Default)]
struct Sum {
    calls: Count,
    through_pointers: Count,
    in_doubt: bool,
}

impl Sum {
    fn add(&mut self, calls: Count, is_through_pointer: bool, in_doubt: bool) {
        self.calls = self.calls.saturating_add(calls);
        if is_through_pointer {
            self.through_pointers = self.through_pointers.saturating_add(calls);
        }
        self.in_doubt |= in_doubt;
    }
}

/// Returns the executed calls of a function, by callee.
fn by_callee(function: &Function) -> BTreeMap<Callee<'_>, Sum> {
    let mut sums: BTreeMap<Callee<'_>, Sum> = BTreeMap::new();
    for callee in executed_calls(function).flat_map(|call| call.callees()) {
        let symbol = (callee.symbol != INDIRECT).then_some(callee.symbol);
        let sum = sums.entry(symbol).or_default();
        sum.add(callee.calls, callee.is_through_pointer, callee.in_doubt);
    }
    sums
}

/// Returns all executed calls. A symbol means the function of the caller's image, or else that of
/// another one.
pub(super) fn calls(report: &Report) -> Calls {
    let mut known: HashMap<&str, Vec<usize>> = HashMap::new();
    for (number, function) in report.functions.iter().enumerate() {
        known.entry(&function.shape.name).or_default().push(number);
    }
    let mut names: HashMap<&str, i64> = HashMap::new();
    let mut calls = Calls { others: Vec::new(), edges: Vec::new() };
    for (caller, function) in report.functions.iter().enumerate() {
        for (callee, sum) in by_callee(function) {
            let callee = callee.map(|name| {
                nearest(report, function, known.get(name)).map_or_else(
                    || {
                        *names.entry(name).or_insert_with(|| {
                            calls.others.push(shown(&demangle(name)).into_owned());
                            -(calls.others.len() as i64)
                        })
                    },
                    |number| number as i64,
                )
            });
            let counts = (Exact(sum.calls), Exact(sum.through_pointers));
            calls.edges.push((caller, callee, counts.0, counts.1, sum.in_doubt));
        }
    }
    calls
}

/// Returns the function that a caller means among several of one name: that of its module, of its
/// image, or any.
fn nearest(report: &Report, caller: &Function, found: Option<&Vec<usize>>) -> Option<usize> {
    let distance = |number: &&usize| {
        let function = &report.functions[**number];
        (function.module != caller.module, function.image != caller.image)
    };
    found.and_then(|found| found.iter().min_by_key(distance)).copied()
}
