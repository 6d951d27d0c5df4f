//! The table of hot blocks, for functions whose blocks are counted instead of their paths.

use std::cmp::Reverse;

use counts::model::{Count, Function, Report, instructions};
use counts::select::{Chosen, Sort};

use crate::show::notation::lines;
use crate::show::options::Options;
use crate::show::rows::{self, Names, hidden, left_out, order, share};
use crate::show::style::{plural, shown};
use crate::show::table::{Cell, CellKind, Column, Row, Table, Visibility, Words};

/// A block that was executed.
struct Executed<'a> {
    function: &'a Function,
    block: usize,
    count: Count,
    instructions: Count,
}

/// Returns the executed blocks of the functions whose blocks are counted.
pub(crate) fn table(report: &Report, chosen: &Chosen<'_>, options: &Options) -> Table<'static> {
    let blocks = sorted(&chosen.functions, options.sort);
    let rows = &blocks[..shown(options.top, blocks.len())];
    let names = Names::of(report, &rows.iter().map(|row| row.function).collect::<Vec<_>>());
    let whole = report.executed();
    let mut sum: Count = 0;
    let row = |(at, row): (usize, &Executed<'_>)| {
        let &Executed { function, block, count, instructions: part } = row;
        sum = sum.saturating_add(part);
        let mut cells = vec![
            Cell::Rank(at + 1),
            Cell::Estimate(count, function.is_in_doubt(block)),
            Cell::Share { part, whole, heat: true },
            Cell::Share { part: sum, whole, heat: false },
            Cell::Number(part),
        ];
        cells.extend(names.cells(function));
        cells.push(Cell::Text(format!("bb{block}")));
        cells.push(Cell::Flow(Box::new(Words(lines(function, block as u32)))));
        Row::from(cells)
    };
    let numbers = [
        Column::new("#", CellKind::Rank).key("rank"),
        Column::new("count", CellKind::Estimate),
        Column::new("share", CellKind::Share),
        Column::new("sum", CellKind::Share).key("share_sum"),
        Column::new("instructions", CellKind::Number).shown(Visibility::Data),
    ];
    let texts = [Column::new("block", CellKind::Text), Column::new("lines", CellKind::Flow)];
    let named = plural(blocks.len(), "executed block");
    let notes = [left_out(options.top, blocks.len(), &named), hidden(chosen, whole)];
    let meaning = format!("{}; {}", order(options.sort, "count"), share(report));
    Table {
        name: "blocks",
        columns: numbers.into_iter().chain(rows::columns()).chain(texts).collect(),
        rows: rows.iter().enumerate().map(row).collect(),
        notes: notes.into_iter().flatten().chain([meaning]).collect(),
        empty: "No block was executed.".into(),
    }
}

fn sorted<'a>(functions: &[&'a Function], sort: Sort) -> Vec<Executed<'a>> {
    let mut blocks: Vec<Executed<'_>> = Vec::new();
    for &function in functions.iter().filter(|function| function.counting.is_of_blocks()) {
        let counts = function.block_counts.iter().enumerate().filter(|(_, count)| **count > 0);
        let executed = function.executed_by_block();
        blocks.extend(counts.map(|(block, &count)| Executed {
            function,
            block,
            count,
            instructions: executed[block],
        }));
    }
    blocks.sort_by_key(|&Executed { function, block, count, instructions: executed }| {
        let name = &function.demangled;
        match sort {
            Sort::Count => (Reverse(count), Reverse(executed), name, block),
            Sort::Instructions => (Reverse(executed), Reverse(count), name, block),
            Sort::Length => {
                let length: Count = instructions(&function.shape.blocks[block].opcodes).into();
                (Reverse(length), Reverse(executed), name, block)
            }
            Sort::Function => (Reverse(0), Reverse(0), name, block),
        }
    });
    blocks
}

#[cfg(test)]
mod tests {
    use counts::model::Counting;
    use counts::select;

    use super::*;
    use crate::sample;

    fn text(report: &Report) -> String {
        let options = Options { top: 4, ..Options::default() };
        let chosen = select::functions(report, &options.filter);
        sample::text_of(table(report, &chosen, &options))
    }

    /// Returns the sample program with counted blocks.
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
