//! Computes the execution count of each line, as gcov does.
//!
//! A line may have several blocks. Its count is the number of times that control came to it from
//! other lines, plus one for each turn of a loop that lies wholly on the line: `for (;;)` with its
//! body elsewhere, or a loop on one line. Loops are found one by one. The turns of each are
//! subtracted from the counts of its edges (`GCOVBlock::getCyclesCount` in LLVM's
//! `ProfileData/GCOV.cpp`, `get_cycles_count` in GCC's `gcov.cc`). The line on which a function
//! begins is a line of its entry.
//!
//! Some cases differ from this rule:
//!
//! * A call that may not return ends a block, and in machine code each call does. This block and
//!   the one behind it count as one. The count of a line behind the call is lower by the number of
//!   calls that did not return.
//! * A suspended coroutine goes to the code that returns to its caller. That code is on the first
//!   line of the function, which is not counted for it.
//! * Code that the compiler made adds no count to its line. Where control returns to a line through
//!   such code alone, as from a call to the handler of its exception, it has not left the line. A
//!   loop that the compiler made, over the elements of an array, has no turns.
//! * Where the counts of edges are unknown, the count of the line is that of its hottest block.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use pathformat::manifest::{self, Chooser, Outcome};

pub use crate::line_blocks::Line;
use crate::line_blocks::{self, LineBlocks};
use crate::model::{Count, Function, Module};

/// The execution count of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Executions {
    /// The number of executions of the code that is left of it.
    pub count: Count,
    /// The relation of the count to the line of the source.
    pub meaning: Meaning,
}

/// The relation of a count to the source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Meaning {
    /// It is the count of the source.
    #[default]
    Exact,
    /// It is the count of the source if the line holds one plain statement. The code has one call
    /// of it, which the optimiser neither copied nor left out, and the line has the count of this
    /// call.
    OfStatement,
    /// It is the count of the code. The line of the source may have run more often or less often.
    Vague,
}

impl Executions {
    /// Returns the sum of two copies of a line.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            count: self.count.saturating_add(other.count),
            meaning: self.meaning.max(other.meaning),
        }
    }
}

/// Returns the lines of a function and the number of executions of the code that is left of each.
pub fn of(function: &Function) -> BTreeMap<Line<'_>, Count> {
    let lines = executions(function, false);
    lines.into_iter().map(|(line, executions)| (line, executions.count)).collect()
}

/// Returns the lines of a function of this module and the executions of each.
pub fn in_module<'a>(module: &Module, function: &'a Function) -> BTreeMap<Line<'a>, Executions> {
    executions(function, module.is_optimised())
}

fn executions(function: &Function, is_optimised: bool) -> BTreeMap<Line<'_>, Executions> {
    let shape = &function.shape;
    let (mut into, mut out) =
        (vec![Vec::new(); shape.blocks.len()], vec![Vec::new(); shape.blocks.len()]);
    for (index, edge) in shape.edges.iter().enumerate() {
        into[edge.to as usize].push(index);
        out[edge.from as usize].push(index);
    }
    let places: usize = shape.blocks.iter().map(|block| block.locations.len()).sum();
    let work = (shape.edges.len() + places).saturating_mul(WORK).saturating_add(WORK_AT_LEAST);
    let chains = Chains::of(shape, &into, &out);
    let made = shape.blocks.iter().map(line_blocks::is_made).collect();
    let graph = Graph { function, into, out, chains, made, work: Cell::new(work) };
    let ran = line_blocks::of(function).into_iter().map(|(line, blocks)| {
        let blocks = LineBlocks { all: graph.with_made(blocks.all), ..blocks };
        // The copies of a call together run as often as the call in the source.
        let called = blocks.calls.iter().map(|call| call.count).max().unwrap_or_default();
        let count = graph.count(&blocks).max(if is_optimised { called } else { 0 });
        let has_call = blocks.calls.iter().any(|call| call.copies == 1 && call.count == count);
        let meaning = match (is_optimised, has_call) {
            (false, _) => Meaning::Exact,
            (true, true) => Meaning::OfStatement,
            (true, false) => Meaning::Vague,
        };
        (line, Executions { count, meaning })
    });
    ran.collect()
}

/// Returns the source locations of a block.
pub fn locations<'a>(
    shape: &'a manifest::Function,
    block: &'a manifest::Block,
) -> impl DoubleEndedIterator<Item = &'a manifest::Location> {
    let known = block.locations.iter().filter_map(|&index| shape.locations.get(index as usize));
    known.filter(|location| location.line != 0)
}

/// The control-flow graph with its counts.
struct Graph<'a> {
    function: &'a Function,
    /// The edges into each block, and out of it.
    into: Vec<Vec<usize>>,
    out: Vec<Vec<usize>>,
    chains: Chains,
    /// For each block, true if it contains only code that the compiler made.
    made: Vec<bool>,
    /// The number of edges that may still be visited.
    work: Cell<usize>,
}

/// Blocks that only follow each other, behind calls.
struct Chains {
    /// For each block, the first of its chain.
    first: Vec<u32>,
    /// For each first block, the last of its chain.
    last: Vec<u32>,
}

impl Chains {
    fn of(shape: &manifest::Function, into: &[Vec<usize>], out: &[Vec<usize>]) -> Self {
        let count = shape.blocks.len() as u32;
        let (mut first, mut last): (Vec<u32>, Vec<u32>) =
            ((0..count).collect(), (0..count).collect());
        // A block that was split off follows the other in the order of blocks.
        for block in 1..count {
            if let [edge] = into[block as usize][..]
                && let from = shape.edges[edge].from
                && from < block
                && out[from as usize].len() == 1
                && let before = &shape.blocks[from as usize]
                && (before.may_stay || !before.calls.is_empty())
            {
                first[block as usize] = first[from as usize];
                last[first[from as usize] as usize] = block;
            }
        }
        Self { first, last }
    }
}

/// The number of visits to edges that are allowed for each edge of a function and for each location
/// of a block ...
const WORK: usize = 200;

/// ... and for the function as a whole. Code written by people takes few visits.
const WORK_AT_LEAST: usize = 100_000;

/// The maximum number of blocks of a line on which loops are searched for. Lines with more blocks
/// are not written by people.
const MOST_BLOCKS: usize = 1000;

impl Graph<'_> {
    fn count(&self, blocks: &LineBlocks) -> Count {
        let most = || {
            blocks
                .all
                .iter()
                .map(|&block| self.function.block_counts[block as usize])
                .max()
                .unwrap_or_default()
        };
        self.entered(blocks).unwrap_or_else(most)
    }

    /// Returns these blocks, and blocks of code that the compiler made whose predecessors are all
    /// among them, in ascending order.
    fn with_made(&self, blocks: Vec<u32>) -> Vec<u32> {
        if blocks.len() > MOST_BLOCKS {
            return blocks;
        }
        let edges = &self.function.shape.edges;
        let mut all: BTreeSet<u32> = blocks.iter().copied().collect();
        let mut open = blocks;
        while let Some(block) = open.pop() {
            for to in self.out[block as usize].iter().map(|&edge| edges[edge].to) {
                let mut into = self.into[to as usize].iter();
                if self.made[to as usize]
                    && into.all(|&edge| all.contains(&edges[edge].from))
                    && all.insert(to)
                {
                    open.push(to);
                }
            }
        }
        all.into_iter().collect()
    }

    /// Returns the number of times that control came to these blocks from others, or looped among
    /// them; `None` if it is unknown. The blocks are in ascending order.
    fn entered(&self, LineBlocks { all: blocks, own, .. }: &LineBlocks) -> Option<Count> {
        if blocks.len() > MOST_BLOCKS {
            return None;
        }
        let edges = &self.function.shape.edges;
        // The chains, each once. `missing` sums the differences between the count of a chain and
        // that of the line's first block in it.
        let mut chains: Vec<u32> = Vec::with_capacity(blocks.len());
        let (mut missing, counts) = (0, &self.function.block_counts);
        for &block in blocks {
            let first = self.chains.first[block as usize];
            if let Err(at) = chains.binary_search(&first) {
                chains.insert(at, first);
                missing += counts[first as usize].saturating_sub(counts[block as usize]);
            }
        }
        let out = |first: u32| &self.out[self.chains.last[first as usize] as usize];
        self.look_at(
            chains.iter().map(|&first| self.into[first as usize].len() + out(first).len()).sum(),
        )?;
        let mut sum = if chains.contains(&0) { self.function.entries } else { 0 };
        for &edge in chains.iter().flat_map(|&first| &self.into[first as usize]) {
            let count = self.function.edge_counts[edge]?;
            let from_others =
                chains.binary_search(&self.chains.first[edges[edge].from as usize]).is_err();
            if from_others && edges[edge].outcome != Outcome::Suspended {
                sum = sum.saturating_add(count);
            }
        }
        sum = sum.saturating_sub(missing);
        let blocks_of = &self.function.shape.blocks;
        let takes_turn = |edge: usize| {
            let (from, to) = (edges[edge].from, edges[edge].to);
            blocks_of[from as usize].chooser != Chooser::CompilerLoop || to > from
        };
        let inside = |&first: &u32| {
            let ways = out(first).iter().filter(|&&edge| takes_turn(edge));
            let within =
                ways.filter_map(|&edge| Some((edge, chains.binary_search(&edges[edge].to).ok()?)));
            within
                .map(|(edge, to)| (to, self.function.edge_counts[edge].unwrap_or_default()))
                .collect()
        };
        // A loop in a function that was inlined is not a loop of the line.
        let is_own: Vec<bool> = chains.iter().map(|&first| self.has(first, own)).collect();
        let mut cycles = Cycles(chains.iter().map(inside).collect());
        let size = blocks.len() + cycles.0.iter().map(Vec::len).sum::<usize>();
        while let Some((turns, blocks)) = cycles.take_one() {
            self.look_at(size)?;
            if blocks.iter().any(|&block| is_own[block]) {
                sum = sum.saturating_add(turns);
            }
        }
        Some(sum)
    }

    /// Returns true if one of the blocks, in ascending order, is in the chain that begins with
    /// `first`.
    fn has(&self, first: u32, blocks: &[u32]) -> bool {
        let last = self.chains.last[first as usize];
        let from = blocks.partition_point(|&block| block < first);
        let near = blocks[from..].iter().take_while(|&&block| block <= last);
        near.into_iter().any(|&block| self.chains.first[block as usize] == first)
    }

    /// Takes a number of visits to edges; `None` if not so many are left.
    fn look_at(&self, edges: usize) -> Option<()> {
        self.work.set(self.work.get().checked_sub(edges)?);
        Some(())
    }
}

/// The edges among the blocks of a line: for each block, its targets, and the executions of each
/// edge that no loop has accounted for.
struct Cycles(Vec<Vec<(usize, Count)>>);

impl Cycles {
    /// Finds a loop and subtracts its turns from the counts of its edges. Returns the number of
    /// turns, and the loop's blocks.
    fn take_one(&mut self) -> Option<(Count, Vec<usize>)> {
        #[derive(Clone, Copy, PartialEq)]
        enum Visit {
            New,
            OnWay,
            Done,
        }
        let mut states = vec![Visit::New; self.0.len()];
        for first in 0..self.0.len() {
            // The blocks of the current path, each with the index of the edge to try next.
            let mut way: Vec<(usize, usize)> = Vec::new();
            if states[first] == Visit::New {
                way.push((first, 0));
                states[first] = Visit::OnWay;
            }
            while let Some((block, next)) = way.last_mut() {
                let Some(&(to, count)) = self.0[*block].get(*next) else {
                    states[*block] = Visit::Done;
                    way.pop();
                    continue;
                };
                *next += 1;
                if count == 0 || states[to] == Visit::Done {
                    continue;
                }
                if states[to] == Visit::New {
                    states[to] = Visit::OnWay;
                    way.push((to, 0));
                    continue;
                }
                let start = way.iter().position(|&(block, _)| block == to)?;
                let cycle = &way[start..];
                let turns = cycle.iter().map(|&(block, next)| self.0[block][next - 1].1).min()?;
                for &(block, next) in cycle {
                    self.0[block][next - 1].1 -= turns;
                }
                return Some((turns, cycle.iter().map(|&(block, _)| block).collect()));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use pathformat::manifest::{Block, Edge, Location};

    use super::*;

    /// Returns a function, entered once, whose blocks are on these lines, with edges as (source,
    /// target, count).
    fn function(lines: &[&[u32]], edges: &[(u32, u32, Option<Count>)]) -> Function {
        let location = |line| Location { file: "a.c".into(), line, ..Location::default() };
        let block = |lines: &&[u32]| Block {
            locations: lines.iter().map(|line| line - 1).collect(),
            ..Block::default()
        };
        let edge = |&(from, to, _): &(u32, u32, _)| Edge { from, to, ..Edge::default() };
        let shape = manifest::Function {
            locations: (1..=9).map(location).collect(),
            blocks: lines.iter().map(block).collect(),
            edges: edges.iter().map(edge).collect(),
            ..manifest::Function::default()
        };
        let counts = (0..lines.len() as u32).map(|block| {
            edges
                .iter()
                .filter(|(_, to, _)| *to == block)
                .filter_map(|(_, _, count)| *count)
                .sum::<Count>()
        });
        let block_counts = counts.map(|count| count.max(1)).collect();
        let edge_counts = edges.iter().map(|&(_, _, count)| count).collect();
        Function { shape, block_counts, edge_counts, entries: 1, ..Function::default() }
    }

    fn counts(function: &Function) -> Vec<(u32, Count)> {
        of(function).into_iter().map(|((_, line, _), count)| (line, count)).collect()
    }

    #[test]
    fn a_line_runs_as_often_as_control_comes_to_it() {
        // for (;;) on line 1, its body on line 2, the back edge on line 1.
        let endless = function(
            &[&[1], &[2], &[1], &[3]],
            &[(0, 1, Some(1)), (1, 2, Some(8)), (2, 1, Some(8)), (1, 3, Some(1))],
        );
        assert_eq!(counts(&endless), [(1, 9), (2, 9), (3, 1)]);
        // if (a) b; else c; on one line.
        let branch = function(
            &[&[1], &[1], &[1], &[1, 2]],
            &[(0, 1, Some(1)), (0, 2, Some(0)), (1, 3, Some(1)), (2, 3, Some(0))],
        );
        assert_eq!(counts(&branch), [(1, 1), (2, 1)]);
    }

    #[test]
    fn the_line_of_a_function_ran_when_it_was_entered() {
        let mut two = function(&[&[3], &[4]], &[(0, 1, Some(1))]);
        (two.shape.file, two.shape.line) = ("a.c".into(), 2);
        assert_eq!(counts(&two), [(2, 1), (3, 1), (4, 1)]);
        let mut one = function(&[&[2], &[2]], &[(0, 1, Some(1))]);
        (one.shape.file, one.shape.line) = ("a.c".into(), 2);
        assert_eq!(counts(&one), [(2, 1)], "a function on one line");
        one.entries = 0;
        one.edge_counts = vec![Some(0)];
        assert_eq!(counts(&one), [(2, 0)]);
        two.shape.is_made = true;
        assert_eq!(counts(&two), [(3, 1), (4, 1)], "no function of the source");
    }

    #[test]
    fn a_loop_on_one_line_counts_its_turns() {
        // while (a) { if (b) c; } on one line: ten turns, four of them through c.
        let edges = [
            (0, 1, Some(1)),
            (1, 2, Some(10)),
            (2, 3, Some(4)),
            (2, 1, Some(6)),
            (3, 1, Some(4)),
            (1, 4, Some(1)),
        ];
        let one_line = function(&[&[1], &[1], &[1], &[1], &[2]], &edges);
        assert_eq!(counts(&one_line), [(1, 11), (2, 1)]);
    }

    #[test]
    fn what_the_compiler_made_gives_a_line_no_count() {
        // throw on line 2, whose clean-up also ends what line 3 began.
        let edges = [(0, 1, Some(0)), (0, 2, Some(3)), (1, 3, Some(0)), (2, 3, Some(1))];
        let mut clean_up = function(&[&[1], &[2], &[3], &[2]], &edges);
        clean_up.block_counts = vec![3, 0, 3, 1];
        assert_eq!(counts(&clean_up)[1], (2, 1));
        clean_up.shape.blocks[3].made_locations = vec![1];
        assert_eq!(counts(&clean_up), [(1, 1), (2, 0), (3, 3)]);
        clean_up.shape.blocks[1].made_locations = vec![1];
        assert_eq!(counts(&clean_up), [(1, 1), (3, 3)]);
    }

    #[test]
    fn on_the_way_to_a_handler_control_stays_on_the_line() {
        // try { f(); } catch (...) { } on one line, and the landing pad on another one.
        let edges =
            [(0, 1, Some(4)), (0, 2, Some(3)), (2, 3, Some(3)), (1, 4, Some(4)), (3, 4, Some(3))];
        let mut handled = function(&[&[1], &[1], &[3], &[1], &[2]], &edges);
        (handled.entries, handled.block_counts) = (7, vec![7, 4, 3, 3, 7]);
        handled.shape.blocks[2].made_locations = vec![2];
        assert_eq!(counts(&handled), [(1, 7), (2, 7)]);
        // Unless control also comes there from elsewhere.
        (handled.shape.edges[3].from, handled.shape.edges[3].to) = (4, 2);
        assert_eq!(counts(&handled)[0], (1, 10));
    }

    #[test]
    fn a_loop_of_the_compiler_takes_no_turns() {
        let mut array =
            function(&[&[1], &[1], &[2]], &[(0, 1, Some(1)), (1, 1, Some(2)), (1, 2, Some(1))]);
        assert_eq!(counts(&array), [(1, 3), (2, 1)]);
        array.shape.blocks[1].chooser = Chooser::CompilerLoop;
        assert_eq!(counts(&array), [(1, 1), (2, 1)]);
    }

    #[test]
    fn behind_a_call_that_may_not_come_back_a_line_ran_less_often() {
        let mut call = function(&[&[1], &[1, 2], &[3]], &[(0, 1, Some(7)), (1, 2, Some(7))]);
        call.shape.blocks[0].may_stay = true;
        (call.entries, call.block_counts) = (10, vec![10, 7, 7]);
        assert_eq!(counts(&call), [(1, 10), (2, 7), (3, 7)]);
        // A block with two successors begins no chain, nor does a block in which control cannot
        // stay.
        let mut branch = function(&[&[1], &[2], &[2]], &[(0, 1, Some(6)), (0, 2, Some(1))]);
        branch.shape.blocks[0].may_stay = true;
        (branch.entries, branch.block_counts) = (10, vec![10, 6, 1]);
        assert_eq!(counts(&branch), [(1, 10), (2, 7)]);
        call.shape.blocks[0].may_stay = false;
        assert_eq!(counts(&call), [(1, 10), (2, 7), (3, 7)]);
    }

    #[test]
    fn a_call_that_may_not_come_back_leaves_no_line() {
        // if (f() &&
        //     a) b; with b on the first line.
        let edges = [(0, 1, Some(7)), (1, 2, Some(4)), (1, 3, Some(3))];
        let mut call = function(&[&[1], &[2], &[1], &[3]], &edges);
        (call.entries, call.block_counts) = (10, vec![10, 7, 4, 3]);
        // Control comes back from line 2, unless line 2 is behind the call.
        assert_eq!(counts(&call), [(1, 14), (2, 7), (3, 3)]);
        call.shape.blocks[0].may_stay = true;
        assert_eq!(counts(&call), [(1, 10), (2, 7), (3, 3)]);
    }

    /// Returns blocks on line 1 with an edge from each to every other one. The count of the hottest
    /// block is 5.
    fn all_to_all(blocks: u32) -> Function {
        let pairs = (0..blocks).flat_map(|from| (0..blocks).map(move |to| (from, to)));
        let edges: Vec<_> =
            pairs.filter(|(from, to)| from != to).map(|(from, to)| (from, to, Some(3))).collect();
        let mut all = function(&vec![&[1][..]; blocks as usize], &edges);
        all.block_counts = vec![5; blocks as usize];
        all
    }

    #[test]
    fn loops_are_looked_for_as_long_as_that_is_worth_it() {
        // Three turns around each pair of blocks, and one entry.
        assert_eq!(counts(&all_to_all(20)), [(1, 3 * 190 + 1)]);
        assert_eq!(counts(&all_to_all(60)), [(1, 5)]);
        // A thousand edges into a block and a thousand out of it are not many.
        let to = (1..=1000).map(|block| (block, 0, Some(2)));
        let from = (1..=1000).map(|block| (0, block, Some(2)));
        let mut star = function(
            &[&[1][..]].into_iter().chain(vec![&[2][..]; 1000]).collect::<Vec<_>>(),
            &to.chain(from).collect::<Vec<_>>(),
        );
        star.block_counts[0] = 5;
        assert_eq!(counts(&star)[0], (1, 2001));
    }

    #[test]
    fn where_edges_are_not_known_the_hottest_block_counts() {
        let unknown = function(
            &[&[1], &[2], &[2], &[3]],
            &[(0, 1, None), (1, 2, Some(7)), (2, 1, Some(6)), (2, 3, Some(1))],
        );
        assert_eq!(counts(&unknown), [(1, 1), (2, 7), (3, 1)]);
    }
}
