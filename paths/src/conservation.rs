//! What comes to a point leaves it: which counts are enough to know all.
//!
//! A network has points and arcs between them; control goes along arcs. All arcs of a spanning tree follow from the others, so only those need a
//! counter (Knuth, "The Art of Computer Programming" 1, §2.3.4.1). One point is special: outside, where functions are entered and
//! left. What comes to it is never used.
//!
//! A frame that stays in a function, in a call that does not come back, breaks the rule for one point. If all arcs at the outside are counted, one
//! point of the rest is not needed to derive anything, and tells how many frames stay.

use crate::union_find::UnionFind;

/// Points, and arcs between them.
#[derive(Clone, Debug)]
pub struct Network {
    /// For each arc the point that it leaves and the one that it comes to.
    pub(crate) arcs: Vec<[usize; 2]>,
    /// The point that is outside.
    pub(crate) outside: usize,
    /// Number of points.
    pub(crate) points: usize,
}

/// The counts of all arcs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Derived {
    /// How often control went along each arc; `None` if the counters do not tell.
    pub counts: Vec<Option<i128>>,
    /// By how much what comes to points differs from what leaves them: so many frames stay in the function, or were left in its
    /// middle, or came back to a call that returns twice.
    pub staying: u128,
}

impl Network {
    /// The same without some arcs: nobody asks for their counts. What they join is one point.
    pub fn without(self, unwanted: impl Fn(usize) -> bool) -> Self {
        let mut same = UnionFind::new(self.points);
        for (_, &[from, to]) in self.arcs.iter().enumerate().filter(|(arc, _)| unwanted(*arc)) {
            same.union(from, to);
        }
        let arcs = self.arcs.iter().map(|arc| arc.map(|point| same.find(point))).collect();
        Self { arcs, outside: same.find(self.outside), points: self.points }
    }

    /// Which arcs need no counter, given all in order of preference: those of a spanning tree. With `checks`, none at the outside.
    pub(crate) fn tree(&self, order: impl IntoIterator<Item = usize>, checks: bool) -> Vec<bool> {
        let mut joined = UnionFind::new(self.points);
        let mut in_tree = vec![false; self.arcs.len()];
        for arc in order {
            let [from, to] = self.arcs[arc];
            let may = !checks || (from != self.outside && to != self.outside);
            in_tree[arc] = may && joined.union(from, to);
        }
        in_tree
    }

    /// Derives the counts of all arcs from those that are known. Numbers come from a file: whatever they are, it ends and does not
    /// panic.
    pub fn derive(&self, mut counts: Vec<Option<i128>>) -> Derived {
        counts.resize(self.arcs.len(), None);
        let mut at: Vec<Vec<usize>> = vec![Vec::new(); self.points];
        for (arc, &[from, to]) in self.arcs.iter().enumerate().filter(|(_, [from, to])| from != to) {
            at[from].push(arc);
            at[to].push(arc);
        }
        // What comes to a point less what leaves it, along the known arcs.
        let surplus = |counts: &[Option<i128>], point: usize| {
            let signed = |&arc: &usize| {
                let count = counts[arc].unwrap_or_default();
                if self.arcs[arc][1] == point { count } else { count.wrapping_neg() }
            };
            at[point].iter().map(signed).fold(0i128, i128::wrapping_add)
        };
        let is_unknown = |counts: &[Option<i128>], arc: usize| counts[arc].is_none();
        let mut unknown: Vec<usize> =
            at.iter().map(|arcs| arcs.iter().filter(|&&arc| is_unknown(&counts, arc)).count()).collect();
        let mut used = vec![false; self.points];
        used[self.outside] = true;
        let mut pending: Vec<usize> = (0..self.points).filter(|&point| unknown[point] == 1 && !used[point]).collect();
        while let Some(point) = pending.pop() {
            let Some(&arc) = at[point].iter().find(|&&arc| is_unknown(&counts, arc)) else { continue };
            let [from, to] = self.arcs[arc];
            let surplus = surplus(&counts, point);
            counts[arc] = Some(if to == point { surplus.wrapping_neg() } else { surplus });
            used[point] = true;
            for other in [from, to] {
                unknown[other] -= 1;
                if unknown[other] == 1 && !used[other] {
                    pending.push(other);
                }
            }
        }
        let checks = (0..self.points).filter(|&point| !used[point] && unknown[point] == 0);
        let staying = checks.map(|point| surplus(&counts, point).unsigned_abs()).fold(0u128, u128::saturating_add);
        Derived { counts, staying }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_numbers_do_not_panic() {
        let network = Network { arcs: vec![[3, 0], [0, 1], [1, 0], [1, 3]], outside: 3, points: 4 };
        let derived = network.derive(vec![Some(i128::MAX), None, Some(i128::MIN)]);
        assert_eq!(derived.counts.len(), 4);
        let derived = network.derive(vec![None; 99]);
        assert_eq!(derived, Derived { counts: vec![None; 4], staying: 0 });
    }
}
