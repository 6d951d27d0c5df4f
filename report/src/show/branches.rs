//! The table of branches: the ways that control took at each, and their bias.
//!
//! Switches and calls that may throw are branches, too. The count of a way is `?` if it is unknown.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use counts::model::{Count, Function, Report};
use counts::path_text::Wording;
use counts::select::Chosen;
use counts::ways::{self, Way};

use crate::show::options::Options;
use crate::show::rows::{NO_MATCH, Names, left_out, left_out_of_system, not_of_mode, place_of};
use crate::show::style::{grouped, shown};
use crate::show::table::{Cell, CellKind, Column, Counted, Row, SourceLine, Table, Visibility};

/// A branch that was reached.
struct Branch<'a> {
    function: &'a Function,
    block: usize,
    reached: Count,
    /// The ways of the branch, the one taken most often first.
    ways: Vec<Counted>,
    /// The number of the branch among those of the function at one place of the source, and the
    /// number of these.
    copy: Option<(usize, usize)>,
}

/// The note on such branches.
const COPIES: &str = "(1 of 6): the optimiser made several branches of one in the source, as it \
     does where it unrolls a loop";

/// Returns the branches of the chosen functions that were reached, the hottest first.
pub(crate) fn table(report: &Report, chosen: &Chosen<'_>, options: &Options) -> Table<'static> {
    let mut branches: Vec<_> = chosen
        .functions
        .iter()
        .flat_map(|function| of(function, options.wording(report, function)))
        .collect();
    branches
        .sort_by_key(|branch| (Reverse(branch.reached), &branch.function.demangled, branch.block));
    let rows = &branches[..shown(options.top, branches.len())];
    let names = Names::of(report, &rows.iter().map(|row| row.function).collect::<Vec<_>>());
    let row = |branch: &Branch<'_>| {
        Row::from(vec![
            Cell::Number(branch.reached),
            bias(branch),
            Cell::Name(names.name(branch.function)),
            place(report, branch),
            Cell::Text(branch.function.shape.name.clone()),
            Cell::Text(format!("bb{}", branch.block)),
            Cell::Counts(branch.ways.clone()),
        ])
    };
    let columns = vec![
        Column::new("count", CellKind::Number),
        Column::new("bias", CellKind::Share),
        Column::new("function", CellKind::Name),
        Column::new("branch at", CellKind::SourceLine),
        Column::new("symbol", CellKind::Text).shown(Visibility::Data),
        Column::new("block", CellKind::Text).shown(Visibility::Data),
        Column::new("ways", CellKind::Counts),
    ];
    let all = branches.len();
    let named = format!("{} branches", grouped(all as Count));
    let notes = [left_out(options.top, all, &named), left_out_of_system(chosen.of_system, "")];
    let meaning = "in order of count; bias: the share of the way that was taken most; ways: \
                   →12: 5 is five times to line 12";
    let copies = rows.iter().any(|branch| branch.copy.is_some());
    let copies = copies.then(|| COPIES.to_owned());
    let is_counted = report.with_blocks().next().is_some();
    let meaning = is_counted.then(|| meaning.to_owned());
    Table {
        name: "branches",
        columns,
        rows: rows.iter().map(row).collect(),
        notes: notes.into_iter().flatten().chain(copies).chain(meaning).collect(),
        empty: match chosen.functions.is_empty() {
            _ if !is_counted => not_of_mode(report, "Branches"),
            true => NO_MATCH.into(),
            false => "No branch was reached.".into(),
        },
    }
}

/// Returns the share of the way that was taken most often; unknown if the count of any way is.
fn bias(branch: &Branch<'_>) -> Cell<'static> {
    let counts = branch.ways.iter().map(|way| way.count).collect::<Option<Vec<_>>>();
    match counts.as_deref() {
        Some([most, ..]) => Cell::Share { part: *most, whole: branch.reached, heat: false },
        _ => Cell::Unknown,
    }
}

/// Returns the last line of the block, or the block if none is known.
fn place(report: &Report, branch: &Branch<'_>) -> Cell<'static> {
    let shape = &branch.function.shape;
    let Some(at) = location(branch.function, branch.block) else {
        return Cell::SourceLine(SourceLine {
            text: format!("bb{}", branch.block),
            ..SourceLine::default()
        });
    };
    match (place_of(report, branch.function, &shape.locations[at as usize]), branch.copy) {
        (Cell::SourceLine(place), Some((number, all))) => Cell::SourceLine(SourceLine {
            text: format!("{} ({number} of {all})", place.text),
            ..place
        }),
        (cell, _) => cell,
    }
}

/// Returns the last location of a block that has a line.
fn location(function: &Function, block: usize) -> Option<u32> {
    let shape = &function.shape;
    let has_line = |at: &&u32| shape.locations.get(**at as usize).is_some_and(|at| at.line != 0);
    shape.blocks[block].locations.iter().rfind(has_line).copied()
}

fn of<'a>(function: &'a Function, wording: Wording<'_>) -> Vec<Branch<'a>> {
    let branch = |(block, ways): (usize, Vec<Way>)| {
        let counted = |way: &Way| Counted { key: way.text(), text: way.arrow(), count: way.taken };
        let mut ways: Vec<_> = ways.iter().map(counted).collect();
        ways.sort_by_key(|way| Reverse(way.count));
        Branch { function, block, reached: function.block_counts[block], ways, copy: None }
    };
    let ways = ways::of(function, wording).into_iter().enumerate();
    let branches: Vec<_> = ways.filter(|(_, ways)| ways.len() > 1).map(branch).collect();
    let mut copies: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (at, branch) in branches.iter().enumerate() {
        copies.entry(location(function, branch.block)).or_default().push(at);
    }
    let copy = |(at, branch): (usize, Branch<'a>)| {
        let place = location(function, branch.block);
        let same = copies.get(&place).filter(|same| place.is_some() && same.len() > 1);
        let number =
            |same: &Vec<usize>| Some((same.iter().position(|&of| of == at)? + 1, same.len()));
        Branch { copy: same.and_then(number), ..branch }
    };
    let branches = branches.into_iter().enumerate().map(copy);
    branches.filter(|branch| branch.reached > 0).collect()
}

#[cfg(test)]
mod tests {
    use counts::select;

    use super::*;
    use crate::sample;

    #[test]
    fn branches_by_how_often_they_were_reached() {
        let mut report = sample::report();
        report.functions[1].edge_counts[2] = None;
        let options = Options { top: 4, ..Options::default() };
        let chosen = select::functions(&report, &options.filter);
        insta::assert_snapshot!(sample::text_of(table(&report, &chosen, &options)));
    }

    #[test]
    fn copies_of_a_branch_are_numbered() {
        let mut report = sample::report();
        let text = |report: &Report| {
            let options = Options::default();
            let chosen = select::functions(report, &options.filter);
            sample::text_of(table(report, &chosen, &options))
        };
        assert!(!text(&report).contains(" of 2)"), "{}", text(&report));
        let blocks = &mut report.functions[0].shape.blocks;
        blocks[4].locations = blocks[1].locations.clone();
        let said = text(&report);
        for expected in ["main.c:13 (1 of 2)", "main.c:13 (2 of 2)", COPIES] {
            assert!(said.contains(expected), "{said}");
        }
    }
}
