//! The heaviest ways through what the program orders.
//!
//! The *work* is the sum of all that strands do, the *span* that of the heaviest way along what the
//! program orders. With any number of processors, the speedup is at most work / span. Each strand
//! knows the heaviest way to its current point, so that one walk finds the heaviest of all.

use crate::ids::TaskId;

/// The number of measures: time and instructions.
pub(crate) const MEASURES: usize = 2;

/// The weights of a piece of work, by measure.
pub(crate) type Weights = [u64; MEASURES];

/// The heaviest way to a point, by one measure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reached {
    /// Its weight.
    pub(crate) weight: u64,
    /// Its last piece of work, 0 if there is none.
    node: u32,
}

/// The pieces of work on all ways that may become the heaviest.
#[derive(Debug, Default)]
pub(crate) struct Ways {
    /// The task of each piece, and the piece before it.
    nodes: Vec<(TaskId, u32)>,
    heaviest: [Reached; MEASURES],
}

impl Reached {
    /// Returns the heavier one of two ways.
    pub(super) fn max(self, other: Self) -> Self {
        if other.weight > self.weight { other } else { self }
    }
}

impl Ways {
    /// Extends ways by a piece of work of a task.
    pub(super) fn extend(
        &mut self,
        ways: &mut [Reached; MEASURES],
        task: TaskId,
        weights: Weights,
    ) {
        for ((way, weight), heaviest) in ways.iter_mut().zip(weights).zip(&mut self.heaviest) {
            if weight == 0 {
                continue;
            }
            // A way along one task is one piece.
            let last = way.node.checked_sub(1).and_then(|at| self.nodes.get(at as usize));
            if last.is_none_or(|last| last.0 != task) && self.nodes.len() < u32::MAX as usize {
                self.nodes.push((task, way.node));
                way.node = self.nodes.len() as u32;
            }
            way.weight = way.weight.saturating_add(weight);
            *heaviest = heaviest.max(*way);
        }
    }

    /// Returns the weight of the heaviest way by a measure, and its tasks from the first to the
    /// last.
    pub(crate) fn heaviest(&self, measure: usize) -> (u64, Vec<TaskId>) {
        let Some(Reached { weight, node }) = self.heaviest.get(measure).copied() else {
            return (0, Vec::new());
        };
        let (mut tasks, mut next) = (Vec::new(), node);
        while let Some(&(task, before)) =
            next.checked_sub(1).and_then(|at| self.nodes.get(at as usize))
        {
            tasks.push(task);
            next = before;
        }
        tasks.reverse();
        (weight, tasks)
    }
}
