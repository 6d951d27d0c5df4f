//! The number of tasks that ran at the same time.

use crate::tasks::graph::Graph;

/// The parallelism of a task graph over time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parallelism {
    /// The beginning of the first task, in nanoseconds.
    pub begin: u64,
    /// The end of the last task, in nanoseconds.
    pub end: u64,
    /// The number of nanoseconds with each number of concurrent tasks, from 0.
    pub levels: Vec<u64>,
    /// The nanoseconds of all tasks in each part of the time from begin to end.
    pub parts: Vec<u64>,
}

impl Parallelism {
    /// Measures a graph, in this number of parts.
    pub fn of(graph: &Graph, parts: usize) -> Self {
        let runs = || graph.tasks().map(|(_, task)| task).filter(|task| task.duration() > 0);
        let Some(begin) = runs().map(|task| task.begin).min() else { return Self::default() };
        let end = runs().map(|task| task.end).max().unwrap_or(begin);
        let mut this = Self { begin, end, levels: Vec::new(), parts: vec![0; parts.max(1)] };
        // Twice the time, plus 1 for a beginning: at equal times, ends are counted before
        // beginnings.
        let mut turns: Vec<u64> = Vec::with_capacity(2 * graph.len());
        for task in runs() {
            let (from, to) = (task.begin - begin, task.end - begin);
            turns.push(from.saturating_mul(2).saturating_add(1));
            turns.push(to.saturating_mul(2));
            this.add(from, to);
        }
        turns.sort_unstable();
        let (mut level, mut time) = (0usize, 0);
        for turn in turns {
            if this.levels.len() <= level {
                this.levels.resize(level + 1, 0);
            }
            this.levels[level] += turn / 2 - time;
            time = turn / 2;
            level = if turn % 2 == 1 { level + 1 } else { level.saturating_sub(1) };
        }
        this
    }

    /// Returns the beginning of a part, relative to the first beginning.
    fn bound(&self, part: usize) -> u64 {
        let length = u128::from(self.end - self.begin);
        (length * part as u128 / self.parts.len() as u128) as u64
    }

    /// Divides a task among the parts.
    fn add(&mut self, from: u64, to: u64) {
        let length = u128::from(self.end - self.begin).max(1);
        let first = (u128::from(from) * self.parts.len() as u128 / length) as usize;
        for part in first.saturating_sub(1)..self.parts.len() {
            let (begin, end) = (self.bound(part), self.bound(part + 1));
            if begin >= to {
                break;
            }
            self.parts[part] += to.min(end).saturating_sub(from.max(begin));
        }
    }

    /// Returns the average number of tasks that ran in a part.
    pub fn average(&self, part: usize) -> f64 {
        let length = self.bound(part + 1) - self.bound(part);
        let sum = self.parts.get(part).copied().unwrap_or_default();
        if length == 0 { 0.0 } else { sum as f64 / length as f64 }
    }
}
