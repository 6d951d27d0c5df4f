//! The iterations of loops whose work a team of OpenMP shares.
//!
//! The library reports that a thread begins its share of a loop, but not where an iteration ends:
//! the compiled code has the loop. A thread begins its share by a call in the function of the loop.
//! The *shared loops* are the outermost ones there that do not contain this call. If the library
//! hands out parts, the call that takes one is in a loop around them. With parts of a fixed size
//! handed out in turns, the outermost loop is that over the parts, and a part is what this module
//! calls an iteration: the program says that one thread executes it.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use pathformat::manifest::Function as Shape;
use pathformat::trace::{Operation, Synchronisation, Work};

use crate::ids::FunctionId;
use crate::steps::program::Program;
use crate::steps::step::Step;

/// The block with which a function begins.
const ENTRY: u32 = 0;

/// The headers of loops.
type Headers = Rc<HashSet<u32>>;

/// The shares of a stream, from the outside in.
#[derive(Debug, Default)]
pub(crate) struct SharedLoops {
    shares: Vec<Share>,
    /// The activation, the function and the last block of the last step.
    last: Option<(u64, FunctionId, u32)>,
    known: HashMap<(FunctionId, u32), Headers>,
}

/// A share that has begun.
#[derive(Debug, Default)]
struct Share {
    /// The activation that has the loop; `None` if there is none, or records are missing.
    activation: Option<u64>,
    headers: Headers,
}

impl SharedLoops {
    /// Returns the block of a step with which an iteration of a shared loop begins.
    pub(crate) fn iteration<A>(&mut self, step: &Step<A>) -> Option<u32> {
        let path = &step.path.path;
        let last = path.blocks.last().copied();
        self.last = last.map(|block| (step.activation, step.path.function, block));
        let share = self.shares.last().filter(|of| of.activation == Some(step.activation))?;
        path.blocks.iter().copied().find(|block| share.headers.contains(block))
    }

    /// Notes an event between two steps.
    pub(crate) fn note(&mut self, program: &Program, event: &Synchronisation) {
        match event.operation() {
            Some(Operation::WorkBegin) => {
                let has_loops =
                    matches!(Work::of(event.object.get()), Some(Work::Static | Work::Iterations));
                let share = if has_loops { self.share(program) } else { Share::default() };
                self.shares.push(share);
            }
            Some(Operation::WorkPart) => {
                let share = self.share(program);
                if let Some(last) = self.shares.last_mut()
                    && last.activation.is_some()
                    && last.activation == share.activation
                {
                    *last = share;
                }
            }
            Some(Operation::WorkEnd) => {
                self.shares.pop();
            }
            _ => {}
        }
    }

    /// Returns the share whose loops do not contain the block of the last step.
    fn share(&mut self, program: &Program) -> Share {
        let Some((activation, function, block)) = self.last else {
            return Share::default();
        };
        let headers = self.known.entry((function, block)).or_insert_with(|| {
            let shape = program.functions.get(function.index()).map(|of| &of.function.shape);
            Rc::new(shape.map(|shape| outermost_without(shape, block)).unwrap_or_default())
        });
        Share { activation: Some(activation), headers: headers.clone() }
    }
}

/// Returns the headers of the outermost loops of a function that do not contain a block. A loop
/// whose iterations all have a call has no back edge that is cut, so that they are found by
/// dominance.
fn outermost_without(shape: &Shape, block: u32) -> HashSet<u32> {
    let mut before: HashMap<u32, Vec<u32>> = HashMap::new();
    let mut behind: HashMap<u32, Vec<u32>> = HashMap::new();
    for edge in &shape.edges {
        before.entry(edge.to).or_default().push(edge.from);
        behind.entry(edge.from).or_default().push(edge.to);
    }
    // Whether each way from the entry to a block passes a header.
    let dominates = |header: u32, block: u32| {
        let mut seen = HashSet::from([header]);
        let mut left = vec![ENTRY];
        while let Some(next) = left.pop() {
            if next != header && next == block {
                return false;
            }
            if seen.insert(next) {
                left.extend(behind.get(&next).into_iter().flatten());
            }
        }
        true
    };
    let mut ends: HashMap<u32, Vec<u32>> = HashMap::new();
    for (&header, from) in &before {
        let back = from.iter().copied().filter(|&from| dominates(header, from));
        let back: Vec<u32> = back.collect();
        if !back.is_empty() {
            ends.insert(header, back);
        }
    }
    // The blocks that reach a back edge without passing its header.
    let body = |header: u32, ends: &[u32]| {
        let mut blocks = HashSet::from([header]);
        let mut left = ends.to_vec();
        while let Some(next) = left.pop() {
            if blocks.insert(next) {
                left.extend(before.get(&next).into_iter().flatten());
            }
        }
        blocks
    };
    let loops = ends.iter().map(|(&header, ends)| (header, body(header, ends)));
    let without: Vec<_> = loops.filter(|(_, body)| !body.contains(&block)).collect();
    let is_inner = |header: u32| {
        without.iter().any(|(other, body)| *other != header && body.contains(&header))
    };
    without.iter().map(|(header, _)| *header).filter(|&header| !is_inner(header)).collect()
}

#[cfg(test)]
mod tests {
    use pathformat::manifest::Edge;

    use super::*;

    /// Returns a function with these edges.
    fn shape(edges: &[(u32, u32)]) -> Shape {
        let edges = edges.iter().map(|&(from, to)| Edge { from, to, ..Edge::default() }).collect();
        Shape { edges, ..Shape::default() }
    }

    #[test]
    fn the_loops_behind_a_call_are_shared() {
        // The program's loop 1..=7 has the call in 2, the shared loop 3..=5 with the loop 4 in it,
        // and the loop 6.
        let edges = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 4), (4, 5), (5, 3), (5, 6), (6, 6)];
        let edges = [&edges[..], &[(6, 7), (7, 1), (7, 8)]].concat();
        let shape = shape(&edges);
        assert_eq!(outermost_without(&shape, 2), HashSet::from([3, 6]));
        assert_eq!(outermost_without(&shape, 0), HashSet::from([1]));
        assert_eq!(outermost_without(&shape, 3), HashSet::from([4, 6]));
    }
}
