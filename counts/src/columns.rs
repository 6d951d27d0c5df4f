//! Computes the execution counts of code by the column of a line at which it begins.
//!
//! Several blocks may begin at one column. A call ends a block, and the rest of the statement
//! behind it may begin at the column of the statement. That is still one execution: a block
//! continues another one if control always came from there, and not around a loop. Each turn of a
//! loop is an execution. Other blocks are copies, whose executions are added. Where control came
//! from such a block only at times, the number is vague.
//!
//! In optimised code a copy may also follow another one, as in an unrolled loop. Then the number is
//! vague.

use std::collections::{BTreeMap, BTreeSet};

use crate::line_blocks::Line;
use crate::lines::{Executions, Meaning, locations};
use crate::model::{Count, Function, Module};

/// The maximum number of visits to edges in a function. An edge may be visited once for each block
/// of a column.
const WORK: usize = 1_000_000;

/// Returns the columns of the lines of a function and the executions of each.
pub fn of<'a>(module: &Module, function: &'a Function) -> BTreeMap<(Line<'a>, u32), Executions> {
    let shape = &function.shape;
    let mut columns: BTreeMap<(Line<'_>, u32), Vec<u32>> = BTreeMap::new();
    for (number, block) in (0..).zip(&shape.blocks) {
        let mut seen = BTreeSet::new();
        for at in locations(shape, block) {
            let line = (at.file.as_str(), at.line, at.inlined_at);
            if at.column > 0 && seen.insert(line) {
                columns.entry((line, at.column)).or_default().push(number);
            }
        }
    }
    let meaning = if module.is_optimised() { Meaning::Vague } else { Meaning::Exact };
    let mut ways = Arrivals::of(function);
    let mut executions = |blocks: Vec<u32>| {
        let mut sum = Executions { count: 0, meaning };
        for &block in &blocks {
            let before = if blocks.len() == 1 { Before::None } else { ways.before(block, &blocks) };
            let count = match before {
                Before::One => 0,
                Before::OneThenTurns(turns) => turns,
                Before::None | Before::Unknown => function.block_counts[block as usize],
            };
            sum.count = sum.count.saturating_add(count);
            if before == Before::Unknown {
                sum.meaning = Meaning::Vague;
            }
        }
        sum
    };
    columns.into_iter().map(|(column, blocks)| (column, executions(blocks))).collect()
}

/// The number of some blocks that run before another one since control last came around its loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Before {
    /// None.
    None,
    /// At least one, always.
    One,
    /// At least one before the loop that the block begins. The number is that of the loop's turns.
    OneThenTurns(Count),
    /// It differs, or is unknown.
    Unknown,
}

/// The ways by which control came to the blocks of a function.
struct Arrivals<'a> {
    function: &'a Function,
    /// For each block, those from which control came, but not around a loop.
    from: Vec<Vec<u32>>,
    /// For each block, the edges by which control comes around a loop.
    around: Vec<Vec<usize>>,
    /// The number of blocks that may still be visited.
    work: usize,
}

impl<'a> Arrivals<'a> {
    fn of(function: &'a Function) -> Self {
        let shape = &function.shape;
        let count = shape.blocks.len();
        let mut out: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (index, edge) in shape.edges.iter().enumerate() {
            if function.edge_counts.get(index) != Some(&Some(0)) {
                out[edge.from as usize].push(index);
            }
        }
        let (mut from, mut around) = (vec![Vec::new(); count], vec![Vec::new(); count]);
        // Depth first: an edge to a block on the current path goes around a loop.
        let (mut is_known, mut is_on_way) = (vec![false; count], vec![false; count]);
        for first in 0..count {
            let mut way = if is_known[first] { Vec::new() } else { vec![(first, 0)] };
            while let Some((block, next)) = way.last_mut() {
                let (block, at) = (*block, *next);
                (is_known[block], is_on_way[block]) = (true, true);
                *next += 1;
                let Some(&edge) = out[block].get(at) else {
                    is_on_way[block] = false;
                    way.pop();
                    continue;
                };
                let to = shape.edges[edge].to as usize;
                if is_on_way[to] {
                    around[to].push(edge);
                    continue;
                }
                from[to].push(block as u32);
                if !is_known[to] {
                    way.push((to, 0));
                }
            }
        }
        Self { function, from, around, work: WORK }
    }

    /// Returns how many of `blocks`, without the block itself, run before it.
    fn before(&mut self, block: u32, blocks: &[u32]) -> Before {
        let (mut has_met, mut has_begun) = (false, block == 0);
        let (mut seen, mut ahead) = (BTreeSet::from([block]), vec![block]);
        while let Some(at) = ahead.pop() {
            let Some(left) = self.work.checked_sub(1) else { return Before::Unknown };
            self.work = left;
            for &from in &self.from[at as usize] {
                if blocks.binary_search(&from).is_ok() {
                    has_met = true;
                } else if seen.insert(from) {
                    has_begun |= from == 0 || !self.around[from as usize].is_empty();
                    ahead.push(from);
                }
            }
        }
        let around = &self.around[block as usize];
        match (has_met, has_begun) {
            (false, _) => Before::None,
            (true, true) => Before::Unknown,
            (true, false) if around.is_empty() => Before::One,
            (true, false) => {
                let turns =
                    around.iter().map(|&edge| self.function.edge_counts.get(edge).copied()?);
                let turns = turns.sum::<Option<Count>>();
                turns.map_or(Before::Unknown, Before::OneThenTurns)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use pathformat::manifest::{Block, Edge, Function as Shape, Location};
    use pathformat::settings::{Level, Stage};

    use super::*;

    /// Source, target and count of an edge.
    type Way = (u32, u32, Option<u64>);

    /// Returns the count of the column at which the blocks `begin` start, and true if it is vague.
    /// The function has blocks with these counts, and these edges.
    fn ran(counts: &[u64], edges: &[Way], begin: &[u32], level: Level) -> (u64, bool) {
        let edge = |&(from, to, _): &Way| Edge { from, to, ..Edge::default() };
        let block = |number: u32| Block {
            locations: if begin.contains(&number) { vec![0] } else { Vec::new() },
            ..Block::default()
        };
        let at = Location { file: "a.c".into(), line: 3, column: 7, ..Location::default() };
        let shape = Shape {
            locations: vec![at],
            blocks: (0..counts.len() as u32).map(block).collect(),
            edges: edges.iter().map(edge).collect(),
            ..Shape::default()
        };
        let block_counts = counts.iter().map(|&count| count.into()).collect();
        let edge_counts = edges.iter().map(|&(.., count)| count.map(u128::from)).collect();
        let function = Function { shape, block_counts, edge_counts, ..Function::default() };
        let module = Module { stage: Stage::Late, level, ..Module::default() };
        let columns = of(&module, &function);
        let told = columns[&(("a.c", 3, None), 7)];
        (u64::try_from(told.count).expect("small"), told.meaning == Meaning::Vague)
    }

    fn plain(counts: &[u64], edges: &[Way], begin: &[u32]) -> (u64, bool) {
        ran(counts, edges, begin, Level::Zero)
    }

    #[test]
    fn what_goes_on_behind_a_call_is_no_other_execution() {
        let chain = [(0, 1, Some(10)), (1, 2, Some(10))];
        assert_eq!(plain(&[10, 10, 10], &chain, &[0, 2]), (10, false));
        // Between these blocks control may branch, or end.
        let ways = |one, other| {
            [(0, 1, Some(one)), (0, 2, Some(other)), (1, 3, Some(one)), (2, 3, Some(other))]
        };
        assert_eq!(plain(&[10, 4, 6, 9], &ways(4, 6), &[0, 3]), (10, false));
        assert_eq!(plain(&[10, 4, 6, 10], &ways(4, 6), &[1, 2, 3]), (10, false));
        // Copies that exclude each other.
        assert_eq!(plain(&[10, 4, 6, 10], &ways(4, 6), &[1, 2]), (10, false));
        // A block runs before it on one way only, and control took both.
        assert_eq!(plain(&[10, 4, 6, 10], &ways(4, 6), &[1, 3]), (14, true));
        assert_eq!(plain(&[10, 10, 0, 10], &ways(10, 0), &[1, 3]), (10, false));
        assert_eq!(plain(&[10, 0, 10, 10], &ways(0, 10), &[1, 3]), (10, false));
    }

    #[test]
    fn each_turn_of_a_loop_is_an_execution() {
        // 0, then 1 with its body 2, then 3.
        let edges = |turns| [(0, 1, Some(1)), (1, 2, Some(10)), (2, 1, turns), (1, 3, Some(1))];
        let ran = |begin: &[u32]| plain(&[1, 11, 10, 1], &edges(Some(10)), begin);
        assert_eq!(ran(&[1]), (11, false));
        assert_eq!(ran(&[1, 2]), (11, false));
        assert_eq!(ran(&[1, 3]), (11, false), "the last turn goes on behind the loop");
        assert_eq!(ran(&[0, 1]), (11, false), "the first turn goes on with what was before it");
        assert_eq!(plain(&[1, 11, 10, 1], &edges(None), &[0, 1]), (12, true));
        assert_eq!(ran(&[0, 2]), (11, true));
    }

    #[test]
    fn in_optimised_code_copies_may_follow_each_other() {
        let chain = [(0, 1, Some(5))];
        assert_eq!(ran(&[5, 5], &chain, &[0, 1], Level::Two), (5, true));
    }
}
