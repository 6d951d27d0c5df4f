//! Reuse distances: the number of other lines accessed since the last access to a line.
//!
//! The last few lines stand in a list, where the position of a line is its distance. Most accesses
//! find theirs there. The distances of all others are found by the method of Olken (1981), with a
//! Fenwick tree (1994) over the times at which lines left the list: the number of newer lines is
//! the number of marks behind the time of the line. Times that are no longer the last of any line
//! are removed when the tree is full. So the memory is proportional to the number of lines, not of
//! accesses. The distances are exact.

use crate::paged::Paged;

/// The number of lines in the list.
const NEAR: usize = 16;

/// The minimum number of times in the tree.
const LEAST: usize = 1 << 10;

/// The reuse distances of a sequence of accesses.
#[derive(Clone, Debug, Default)]
pub struct Distances {
    /// The last lines, the latest one first.
    near: [u64; NEAR],
    /// The number of lines in the list.
    len: usize,
    /// The time at which a line left the list, from 1; 0 if it never did, or stands in the list.
    left: Paged<usize>,
    /// The number of lines that left the list and are not back.
    far: usize,
    /// A Fenwick tree: 1 for each time in `left`. The first element is unused.
    tree: Vec<u32>,
    /// The last time.
    now: usize,
}

impl Distances {
    /// Adds an access to a line. Returns its distance, or `None` for the first access.
    #[inline]
    pub fn touch(&mut self, line: u64) -> Option<u64> {
        match self.near[..self.len].iter().position(|&near| near == line) {
            Some(at) => {
                self.near[..=at].rotate_right(1);
                Some(at as u64)
            }
            None => self.come_back(line),
        }
    }

    /// Puts a line that is not in the list at its head. Returns its distance, if it was there
    /// before.
    fn come_back(&mut self, line: u64) -> Option<u64> {
        let before = std::mem::take(self.left.of(line));
        let distance = (before > 0).then(|| {
            let newer = self.far - self.up_to(before);
            self.add(before, u32::MAX);
            self.far -= 1;
            (self.len + newer) as u64
        });
        if self.len < NEAR {
            self.len += 1;
        } else {
            self.leave(self.near[NEAR - 1]);
        }
        self.near[..self.len].rotate_right(1);
        self.near[0] = line;
        distance
    }

    /// Gives a line that leaves the list its time.
    fn leave(&mut self, line: u64) {
        if self.now + 1 >= self.tree.len() {
            self.renumber();
        }
        self.now += 1;
        *self.left.of(line) = self.now;
        self.add(self.now, 1);
        self.far += 1;
    }

    /// Renumbers the times, in their order.
    fn renumber(&mut self) {
        let mut order: Vec<(usize, u64)> =
            self.left.iter().filter(|of| *of.1 > 0).map(|(line, at)| (*at, line)).collect();
        order.sort_unstable();
        self.now = order.len();
        self.tree.clear();
        self.tree.resize(LEAST.max(4 * order.len()) + 2, 0);
        for (at, (_, line)) in (1..).zip(order) {
            *self.left.of(line) = at;
            self.add(at, 1);
        }
    }

    /// Returns the number of marks up to a time.
    fn up_to(&self, mut at: usize) -> usize {
        let mut sum = 0u32;
        while at > 0 {
            sum = sum.wrapping_add(self.tree[at]);
            at &= at - 1;
        }
        sum as usize
    }

    /// Adds to the marks at a time; `u32::MAX` removes a mark.
    fn add(&mut self, mut at: usize, mark: u32) {
        while at < self.tree.len() {
            self.tree[at] = self.tree[at].wrapping_add(mark);
            at += at & at.wrapping_neg();
        }
    }
}

/// The number of accesses by distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Histogram {
    /// The first accesses, which have no distance.
    pub first: u64,
    /// The numbers of accesses with the distances 0, 1, 2 to 3, 4 to 7, and so on.
    pub parts: [u64; 65],
}

impl Default for Histogram {
    fn default() -> Self {
        Self { first: 0, parts: [0; 65] }
    }
}

impl Histogram {
    /// Adds the accesses of another histogram.
    pub fn add_all(&mut self, other: &Self) {
        self.first += other.first;
        self.parts.iter_mut().zip(&other.parts).for_each(|(count, more)| *count += more);
    }

    /// Counts an access.
    #[inline]
    pub fn add(&mut self, distance: Option<u64>) {
        match distance {
            None => self.first += 1,
            Some(distance) => self.parts[(u64::BITS - distance.leading_zeros()) as usize] += 1,
        }
    }

    /// Returns the number of all accesses.
    pub fn all(&self) -> u64 {
        self.first + self.parts.iter().sum::<u64>()
    }

    /// Returns the number of accesses that miss in a fully associative LRU cache of 2^`power`
    /// lines.
    pub fn misses(&self, power: usize) -> u64 {
        self.first + self.parts.iter().skip(power + 1).sum::<u64>()
    }

    /// Returns the number of parts up to the last one that is not empty.
    pub fn len(&self) -> usize {
        self.parts.iter().rposition(|&count| count > 0).map_or(0, |at| at + 1)
    }

    /// Returns true if no line was accessed again.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
