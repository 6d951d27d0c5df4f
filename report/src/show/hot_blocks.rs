//! The table of hot blocks, for functions whose blocks are counted instead of their paths.

use std::cmp::Reverse;
use std::io::{Result, Write};

use comfy_table::CellAlignment::{Left, Right};
use owo_colors::OwoColorize;

use crate::analyse::model::{Count, Function, Report, instructions};
use crate::analyse::select::Sort;
use crate::show::notation::lines;
use crate::show::style::{grouped, left_out, percent, plural, print, share, shown, table};

/// Writes the executed blocks of `functions`, in so many rows at most (0: all).
///
/// # Errors
/// Those of `out`.
pub fn write(
    report: &Report,
    functions: &[&Function],
    sort: Sort,
    top: usize,
    out: &mut impl Write,
) -> Result<()> {
    let total = report.executed();
    let mut rows: Vec<(&Function, usize, Count, Count)> = Vec::new();
    for &function in functions.iter().filter(|function| function.counting.is_of_blocks()) {
        for (block, &count) in
            function.block_counts.iter().enumerate().filter(|(_, count)| **count > 0)
        {
            let executed = count.saturating_mul(instructions(&function.shape.blocks[block]).into());
            rows.push((function, block, count, executed));
        }
    }
    rows.sort_by_key(|&(function, block, count, executed)| {
        let name = &function.demangled;
        match sort {
            Sort::Count => (Reverse(count), Reverse(executed), name, block),
            Sort::Instructions => (Reverse(executed), Reverse(count), name, block),
            Sort::Length => {
                let length: Count = instructions(&function.shape.blocks[block]).into();
                (Reverse(length), Reverse(executed), name, block)
            }
            Sort::Function => (Reverse(0), Reverse(0), name, block),
        }
    });
    let shown = shown(top, rows.len());
    let numbers = [("#", Right), ("count", Right), ("share", Right), ("sum", Right)];
    let mut table =
        table(&[&numbers[..], &[("function", Left), ("block", Left), ("lines", Left)]].concat());
    let mut sum: Count = 0;
    for (rank, &(function, block, count, executed)) in rows[..shown].iter().enumerate() {
        sum = sum.saturating_add(executed);
        table.add_row([
            (rank + 1).to_string().dimmed().to_string(),
            format!("{}{}", if function.is_in_doubt(block) { "~" } else { "" }, grouped(count)),
            share(executed, total),
            percent(sum, total),
            function.demangled.cyan().to_string(),
            format!("bb{block}"),
            lines(function, block as u32).join(" "),
        ]);
    }
    print(&table, out)?;
    left_out(shown, rows.len(), &plural(rows.len(), "executed block"), out)?;
    writeln!(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyse::model::Counting;
    use crate::sample;

    fn text(report: &Report) -> String {
        let functions: Vec<_> = report.counted().collect();
        let mut out = Vec::new();
        write(report, &functions, Sort::Instructions, 4, &mut out).expect("in memory");
        anstream::adapter::strip_str(&String::from_utf8_lossy(&out)).to_string()
    }

    /// The sample program as if its blocks had been counted.
    fn report() -> Report {
        let mut report = sample::report();
        report.functions[0].counting = Counting::Blocks;
        report.functions[0].shape.counted_blocks = vec![2, 3, 5];
        report
    }

    #[test]
    fn hot_blocks() {
        insta::assert_snapshot!(text(&report()));
    }

    #[test]
    fn counts_that_may_be_wrong_are_marked() {
        let mut report = report();
        report.functions[0].interrupted = 1;
        insta::assert_snapshot!(text(&report));
    }
}
