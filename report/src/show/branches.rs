//! The table of branches: where control went at each, and how one-sided it is.
//!
//! Switches and calls that may throw are branches, too. A way whose count is unknown is shown as
//! `?`.

use std::cmp::Reverse;
use std::io::{Result, Write};

use comfy_table::CellAlignment::{Left, Right};
use owo_colors::OwoColorize;

use crate::analyse::model::{Count, Function};
use crate::show::notation::{lines, words};
use crate::show::style::{grouped, left_out, percent, print, shown, table};

/// A branch that was reached.
struct Branch<'a> {
    function: &'a Function,
    block: u32,
    reached: Count,
    /// Its ways in words, the one taken most often first.
    ways: Vec<(String, Option<Count>)>,
}

/// Writes the branches of `functions` that were reached, the hottest first, in so many rows at most
/// (0: all).
///
/// # Errors
/// Those of `out`.
pub fn write(functions: &[&Function], top: usize, out: &mut impl Write) -> Result<()> {
    let mut branches: Vec<_> = functions.iter().flat_map(|function| of(function)).collect();
    branches
        .sort_by_key(|branch| (Reverse(branch.reached), &branch.function.demangled, branch.block));
    let shown = shown(top, branches.len());
    let heads =
        [("count", Right), ("bias", Right), ("function", Left), ("where", Left), ("ways", Left)];
    let mut table = table(&heads);
    for branch in &branches[..shown] {
        let bias = branch.ways.iter().map(|(_, count)| *count).collect::<Option<Vec<_>>>();
        let bias =
            bias.and_then(|counts| counts.first().map(|&most| percent(most, branch.reached)));
        let way = |(way, count): &(String, Option<Count>)| {
            format!("{way} {}", count.map_or_else(|| "?".into(), grouped))
        };
        let lines = lines(branch.function, branch.block);
        table.add_row([
            grouped(branch.reached),
            bias.unwrap_or_else(|| "?".into()),
            branch.function.demangled.cyan().to_string(),
            lines.last().cloned().unwrap_or_else(|| format!("bb{}", branch.block)),
            branch.ways.iter().map(way).collect::<Vec<_>>().join(", "),
        ]);
    }
    print(&table, out)?;
    left_out(
        shown,
        branches.len(),
        &format!("{} branches", grouped(branches.len() as Count)),
        out,
    )?;
    writeln!(out)
}

fn of(function: &Function) -> Vec<Branch<'_>> {
    let mut ways: Vec<Vec<(String, Option<Count>)>> = vec![Vec::new(); function.shape.blocks.len()];
    for (edge, &count) in function.shape.edges.iter().zip(&function.edge_counts) {
        let way = words(&edge.outcome).map_or_else(|| "returned".into(), |(_, words)| words);
        ways[edge.from as usize].push((way, count));
    }
    let reached = |block: usize| function.block_counts[block];
    let branch = |(block, mut ways): (usize, Vec<(String, Option<Count>)>)| {
        ways.sort_by_key(|(_, count)| Reverse(*count));
        Branch { function, block: block as u32, reached: reached(block), ways }
    };
    let chosen =
        ways.into_iter().enumerate().filter(|(block, ways)| ways.len() > 1 && reached(*block) > 0);
    chosen.map(branch).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn branches_by_how_often_they_were_reached() {
        let mut report = sample::report();
        report.functions[1].edge_counts[2] = None;
        let functions: Vec<_> = report.counted().collect();
        let mut out = Vec::new();
        write(&functions, 4, &mut out).expect("in memory");
        insta::assert_snapshot!(anstream::adapter::strip_str(&String::from_utf8_lossy(&out)));
    }
}
