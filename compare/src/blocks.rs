//! Splits the difference by basic blocks, or by lines where the graph has changed.

use counts::model::Function;

use crate::pairs::Pair;
use crate::parts::{Counted, Sides};
use crate::scale::signed;
use crate::source_lines::{self, Line};

/// The kind of a part of a pair of functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockPlace<'a> {
    /// A block.
    Block(u32),
    /// The blocks that begin on a line.
    Line {
        /// The function whose text it is, by its name in the source locations: another one if the
        /// code was inlined.
        function: &'a str,
        /// Its number in A; `None` if no block of A begins there.
        a: Option<u32>,
        /// Its number in B; `None` if no block of B begins there.
        b: Option<u32>,
    },
    /// The blocks that have no line.
    NoLine,
}

/// A part, and the index of its pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockPart<'a> {
    /// The index of the pair.
    pub pair: usize,
    /// The kind of part.
    pub what: BlockPlace<'a>,
}

/// Returns the blocks of a pair, or its lines.
pub fn of<'a>(number: usize, pair: &Pair<'a>) -> Vec<Counted<BlockPart<'a>>> {
    if let (Some(a), Some(b), false) = (pair.a, pair.b, pair.has_one_graph()) {
        let lines = source_lines::compare(a, b, executed).into_iter();
        return lines
            .map(|line| Counted {
                what: BlockPart { pair: number, what: place(&line) },
                count: line.count,
                executed: line.executed,
            })
            .collect();
    }
    let blocks = pair.function().map_or(0, |function| function.shape.blocks.len());
    let sides = |of: fn(&Function) -> Vec<i128>| {
        [pair.a, pair.b].map(|function| function.map(of).unwrap_or_default())
    };
    let counts = sides(|of| of.block_counts.iter().copied().map(signed).collect());
    let executed = sides(executed);
    let both = |[a, b]: &[Vec<i128>; 2], block: usize| {
        let at = |side: &Vec<i128>| side.get(block).copied().unwrap_or_default();
        Sides { a: at(a), b: at(b) }
    };
    let part = |block: usize| Counted {
        what: BlockPart { pair: number, what: BlockPlace::Block(block as u32) },
        count: both(&counts, block),
        executed: both(&executed, block),
    };
    (0..blocks).map(part).collect()
}

fn place<'a>(line: &Line<'a>) -> BlockPlace<'a> {
    match (line.a, line.b) {
        (None, None) => BlockPlace::NoLine,
        (a, b) => BlockPlace::Line { function: line.function, a, b },
    }
}

/// Returns the instructions that each block executed. Where only calls are counted, the counts of
/// most blocks are unknown, and the result is 0.
fn executed(function: &Function) -> Vec<i128> {
    function.executed_by_block().into_iter().map(signed).collect()
}
