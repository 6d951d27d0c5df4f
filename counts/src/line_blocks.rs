//! The lines of a function, each with the blocks that contain code of it.
//!
//! Code that was inlined at a call belongs to the call's line, too, as a call of the callee would.
//! So control that returns from inlined code does not enter the line again. Code that the compiler
//! made belongs to no line.

use std::collections::{BTreeMap, HashMap};

use pathformat::manifest;

use crate::model::{Count, Function};

/// A line of one copy of the code: its file, its number, and the call at which it was inlined.
pub type Line<'a> = (&'a str, u32, Option<u32>);

/// The blocks of a line, in ascending order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineBlocks {
    /// All blocks.
    pub all: Vec<u32>,
    /// Blocks that contain code of the line itself, not only code that was inlined there.
    pub own: Vec<u32>,
    /// The calls on the line that were not inlined.
    pub calls: Vec<LineCall>,
}

/// A call of the source on a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineCall {
    /// The number of its copies in the code.
    pub copies: usize,
    /// The number of executions of all copies.
    pub count: Count,
}

/// Returns the lines of a function and their blocks.
pub fn of(function: &Function) -> BTreeMap<Line<'_>, LineBlocks> {
    let shape = &function.shape;
    let mut lines = Lines::of(shape);
    // The first line of a function runs when the function is entered, as in gcov of GCC and of
    // LLVM: it is a line of the entry.
    let is_of_source = !shape.is_made && shape.line != 0 && !shape.file.is_empty();
    if is_of_source && !shape.blocks.is_empty() {
        let first = lines.number((shape.file.as_str(), shape.line, None));
        lines.add(first, 0, true);
    }
    for (block, content) in (0..).zip(&shape.blocks) {
        let of_source = |location: &&u32| !content.made_locations.contains(location);
        for &location in content.locations.iter().filter(of_source) {
            let mut place = Some(location);
            // A line that already has the block has passed it on to the calls above it.
            while let Some(at) = place.filter(|&at| lines.add_location(at, block, at == location)) {
                place = shape.locations.get(at as usize).and_then(|at| at.inlined_at);
            }
        }
    }
    lines.add_calls(function);
    lines.list.into_iter().filter(|(_, blocks)| !blocks.all.is_empty()).collect()
}

/// Returns true if a block contains only code that the compiler made, or none. In machine code,
/// there may be none behind a call.
pub fn is_made(block: &manifest::Block) -> bool {
    match block.locations.as_slice() {
        [] => block.opcodes.is_empty(),
        locations => locations.iter().all(|location| block.made_locations.contains(location)),
    }
}

struct Lines<'a> {
    list: Vec<(Line<'a>, LineBlocks)>,
    numbers: HashMap<Line<'a>, usize>,
    /// For each location, the number of its line.
    of_location: Vec<Option<usize>>,
}

impl<'a> Lines<'a> {
    fn of(shape: &'a manifest::Function) -> Self {
        let mut lines = Self { list: Vec::new(), numbers: HashMap::new(), of_location: Vec::new() };
        lines.of_location = shape
            .locations
            .iter()
            .map(|at| {
                let line = (at.file.as_str(), at.line, at.inlined_at);
                (at.line != 0).then(|| lines.number(line))
            })
            .collect();
        lines
    }

    fn number(&mut self, line: Line<'a>) -> usize {
        *self.numbers.entry(line).or_insert_with(|| {
            self.list.push((line, LineBlocks::default()));
            self.list.len() - 1
        })
    }

    /// Adds a block to the line of a location. Returns `false` if the line already has it.
    fn add_location(&mut self, location: u32, block: u32, is_own: bool) -> bool {
        match self.of_location.get(location as usize) {
            Some(Some(line)) => self.add(*line, block, is_own),
            _ => true,
        }
    }

    /// Adds a block that is not before those of the line. Returns `false` if it is already the last
    /// of them.
    fn add(&mut self, line: usize, block: u32, is_own: bool) -> bool {
        let push = |blocks: &mut Vec<u32>| {
            let is_new = blocks.last() != Some(&block);
            blocks.extend(is_new.then_some(block));
            is_new
        };
        let blocks = &mut self.list[line].1;
        if is_own {
            push(&mut blocks.own);
        }
        push(&mut blocks.all)
    }

    fn add_calls(&mut self, function: &Function) {
        let mut calls: BTreeMap<(u32, &str), LineCall> = BTreeMap::new();
        for (block, &count) in function.shape.blocks.iter().zip(&function.block_counts) {
            for call in &block.calls {
                let Some(location) = call.location else { continue };
                let none = LineCall { copies: 0, count: 0 };
                let known = calls.entry((location, call.callee.as_str())).or_insert(none);
                known.copies += 1;
                known.count = known.count.saturating_add(count);
            }
        }
        for ((location, _), call) in calls {
            if let Some(Some(line)) = self.of_location.get(location as usize) {
                self.list[*line].1.calls.push(call);
            }
        }
    }
}
