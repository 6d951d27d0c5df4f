//! The steps of a path in the source.

use std::collections::HashMap;

use crate::analyse::model::{Function, Path};

/// A place that a path comes to: a block, and one of its source locations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Step {
    /// The block.
    pub(super) block: u32,
    /// Index among the function's locations; `None` for a block of which no line is known.
    pub(super) location: Option<u32>,
}

/// The steps of `path`: for each block its locations, those on the line before left out.
pub(super) fn path_steps(function: &Function, path: &Path) -> Vec<Step> {
    let shape = &function.shape;
    let mut steps: Vec<Step> = Vec::new();
    for &block in &path.blocks {
        let first = steps.len();
        for &location in &shape.blocks[block as usize].locations {
            let place = |index: u32| {
                let at = &shape.locations[index as usize];
                (&at.file, at.line, at.inlined_at)
            };
            let last = steps[first..].last().and_then(|step| step.location);
            let is_known = shape.locations[location as usize].line != 0;
            if is_known && last.is_none_or(|last| place(last) != place(location)) {
                steps.push(Step { block, location: Some(location) });
            }
        }
        if steps.len() == first {
            steps.push(Step { block, location: None });
        }
    }
    steps
}

/// The steps of many paths: each step once, and for each path the numbers of its steps.
#[derive(Default)]
pub(super) struct Steps {
    /// Each step once.
    pub(super) all: Vec<Step>,
    known: HashMap<Step, u32>,
}

impl Steps {
    /// The numbers of the steps of one path.
    pub(super) fn add(&mut self, steps: &[Step]) -> Vec<u32> {
        let number = |step: &Step| {
            let next = self.all.len() as u32;
            *self.known.entry(*step).or_insert_with(|| {
                self.all.push(*step);
                next
            })
        };
        steps.iter().map(number).collect()
    }
}
