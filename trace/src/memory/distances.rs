//! Reuse distances: how many other lines were accessed since the last access to a line.
//!
//! The method is that of Olken (1981), with a Fenwick tree (1994) over the times of the last access
//! to each line: as many lines are newer as the tree has marks behind the time of the line. Times
//! that are no longer the last of any line are removed when the tree is full. So the memory is
//! proportional to the number of lines, not of accesses. The distances are exact.

use crate::memory::line_map::LineMap;

/// The tree has at least so many times.
const LEAST: usize = 1 << 10;

/// How many lines were accessed since.
#[derive(Clone, Debug, Default)]
pub struct Distances {
    /// By line, the time of its last access, from 1.
    last: LineMap<u64, usize>,
    /// A Fenwick tree: 1 for each time in `last`. The first element is unused.
    tree: Vec<u32>,
    /// The last time.
    now: usize,
}

impl Distances {
    /// An access to a line; its distance, if it is not the first.
    pub fn touch(&mut self, line: u64) -> Option<u64> {
        if self.now + 1 >= self.tree.len() {
            self.renumber();
        }
        self.now += 1;
        let now = self.now;
        let before = self.last.insert(line, now);
        let distance = before.map(|before| {
            let others = self.last.len() - self.up_to(before);
            self.add(before, u32::MAX);
            others as u64
        });
        self.add(now, 1);
        distance
    }

    /// Gives new times to the last accesses, in their order.
    fn renumber(&mut self) {
        let mut order: Vec<(usize, u64)> =
            self.last.iter().map(|(line, at)| (*at, *line)).collect();
        order.sort_unstable();
        self.now = order.len();
        self.tree.clear();
        self.tree.resize(LEAST.max(2 * order.len()) + 2, 0);
        for (at, (_, line)) in (1..).zip(order) {
            self.last.insert(line, at);
            self.add(at, 1);
        }
    }

    /// How many marks there are up to a time.
    fn up_to(&self, mut at: usize) -> usize {
        let mut sum = 0u32;
        while at > 0 {
            sum = sum.wrapping_add(self.tree[at]);
            at &= at - 1;
        }
        sum as usize
    }

    /// Adds to the marks at a time; the largest number takes one away.
    fn add(&mut self, mut at: usize, mark: u32) {
        while at < self.tree.len() {
            self.tree[at] = self.tree[at].wrapping_add(mark);
            at += at & at.wrapping_neg();
        }
    }
}

/// How many accesses had which distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Histogram {
    /// First accesses, which have no distance.
    pub first: u64,
    /// How many had the distance 0, 1, 2 or 3, 4 to 7, and so on.
    pub parts: [u64; 65],
}

impl Default for Histogram {
    fn default() -> Self {
        Self { first: 0, parts: [0; 65] }
    }
}

impl Histogram {
    /// Counts an access.
    pub fn add(&mut self, distance: Option<u64>) {
        match distance {
            None => self.first += 1,
            Some(distance) => self.parts[(u64::BITS - distance.leading_zeros()) as usize] += 1,
        }
    }

    /// How many accesses there were.
    pub fn all(&self) -> u64 {
        self.first + self.parts.iter().sum::<u64>()
    }

    /// How many accesses miss in a fully associative LRU cache of 2^`power` lines.
    pub fn misses(&self, power: usize) -> u64 {
        self.first + self.parts.iter().skip(power + 1).sum::<u64>()
    }

    /// The number of parts up to the last that is not empty.
    pub fn len(&self) -> usize {
        self.parts.iter().rposition(|&count| count > 0).map_or(0, |at| at + 1)
    }

    /// Whether no line was accessed again.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
