//! How often each function was called by counted code, functions of libraries included.
//!
//! A call ran as often as its block, so this follows from the counts of the blocks. Entries are those of counted functions
//! themselves: more of them than calls come from code that is not counted or through pointers, fewer calls than that come
//! from a block that an earlier call in it left for good.

use std::collections::BTreeMap;
use std::io::{Result, Write};

use comfy_table::CellAlignment::{Left, Right};
use owo_colors::OwoColorize;

use pathformat::manifest::INDIRECT;

use crate::decode::demangle;
use crate::model::{Count, Function, Report};
use crate::style::{first_of, grouped, shown, table};

/// What is known of one callee.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Called {
    /// How often counted code called it by its name.
    pub calls: Count,
    /// From how many places, executed ones.
    pub sites: u64,
    /// Whether some of the calls may not have been, or others (see [`Function::staying`]).
    pub in_doubt: bool,
    /// How often it was entered; `None` if it is not counted.
    pub entries: Option<Count>,
}

/// All callees of `functions` by symbol; `*` stands for all calls through pointers.
pub fn of<'a>(report: &'a Report, functions: &[&'a Function]) -> BTreeMap<&'a str, Called> {
    let mut callees: BTreeMap<&str, Called> = BTreeMap::new();
    for function in functions {
        let blocks = function.shape.blocks.iter().zip(&function.block_counts).enumerate();
        for (number, (block, &count)) in blocks.filter(|(_, (_, count))| **count > 0) {
            for callee in &block.calls {
                let called = callees.entry(callee).or_default();
                called.calls = called.calls.saturating_add(count);
                called.sites += 1;
                called.in_doubt |= function.is_in_doubt(number);
            }
        }
    }
    for function in report.counted() {
        if let Some(called) = callees.get_mut(function.shape.name.as_str()) {
            called.entries = Some(called.entries.unwrap_or_default().saturating_add(function.entries));
        }
    }
    callees
}

/// Writes what `functions` called, in so many rows at most (0: all).
///
/// # Errors
/// Those of `out`.
pub fn write(report: &Report, functions: &[&Function], top: usize, out: &mut impl Write) -> Result<()> {
    let mut callees: Vec<_> = of(report, functions).into_iter().collect();
    callees.sort_by_key(|(name, called)| (std::cmp::Reverse(called.calls), *name));
    let shown = shown(top, callees.len());
    let mut table = table(&[("calls", Right), ("from places", Right), ("entries", Right), ("callee", Left)]);
    for (name, called) in &callees[..shown] {
        let name = if *name == INDIRECT { "(through a pointer)".dimmed().to_string() } else { demangle(name) };
        let entries = called.entries.map_or_else(|| "–".into(), grouped);
        let calls = format!("{}{}", if called.in_doubt { "~" } else { "" }, grouped(called.calls));
        table.add_row([calls, grouped(called.sites.into()), entries, name]);
    }
    writeln!(out, "{}", table.trim_fmt())?;
    if shown < callees.len() {
        writeln!(out, "{}", first_of(shown, &grouped(callees.len() as Count)))?;
    }
    writeln!(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn callees_by_how_often_they_were_called() {
        let report = testing::report();
        let functions: Vec<_> = report.counted().collect();
        let mut out = Vec::new();
        write(&report, &functions, 0, &mut out).expect("in memory");
        insta::assert_snapshot!(anstream::adapter::strip_str(&String::from_utf8_lossy(&out)));
    }
}
