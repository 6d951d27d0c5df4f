//! Conservation of flow: which counts determine all others.
//!
//! A network consists of points and arcs between them. Control flows along the arcs, and what flows
//! into a point flows out of it. If the arcs outside a spanning tree are counted, the counts of the
//! tree's arcs follow (Knuth, "The Art of Computer Programming" 1, §2.3.4.1). One point is the
//! outside, where functions are entered and left. Its balance is never used.
//!
//! A frame may stay in a call that does not return. The point behind such a call is outside, too.
//! Nothing is inferred from it, and so all counts are exact.

use crate::union_find::UnionFind;

/// Points, and arcs between them.
#[derive(Clone, Debug)]
pub struct FlowNetwork {
    /// For each arc the point that it leaves and the one that it comes to.
    pub(crate) arcs: Vec<[usize; 2]>,
    /// The point that is outside.
    pub(crate) outside: usize,
    /// Number of points.
    pub(crate) points: usize,
}

impl FlowNetwork {
    /// The same without some arcs: nobody asks for their counts. What they join is one point.
    pub fn without(self, unwanted: impl Fn(usize) -> bool) -> Self {
        let mut same = UnionFind::new(self.points);
        for (_, &[from, to]) in self.arcs.iter().enumerate().filter(|(arc, _)| unwanted(*arc)) {
            same.union(from, to);
        }
        let arcs = self.arcs.iter().map(|arc| arc.map(|point| same.find(point))).collect();
        Self { arcs, outside: same.find(self.outside), points: self.points }
    }

    /// Which arcs need no counter, given all in order of preference: those of a spanning tree.
    pub(crate) fn tree(&self, order: impl IntoIterator<Item = usize>) -> Vec<bool> {
        let mut joined = UnionFind::new(self.points);
        let mut in_tree = vec![false; self.arcs.len()];
        for arc in order {
            let [from, to] = self.arcs[arc];
            in_tree[arc] = joined.union(from, to);
        }
        in_tree
    }

    /// Infers how often control went along each arc from what is known; `None` where that does not
    /// determine it. Numbers come from a file: whatever they are, it ends and does not panic.
    pub fn infer(&self, counts: Vec<Option<i128>>) -> Vec<Option<i128>> {
        let mut flow = Flow::new(self, counts);
        flow.follow();
        flow.counts
    }

    /// The same where some arcs have no counter though others do not determine them. No count is
    /// negative: what may be left for an arc is bounded by what is left at its ends, and where all
    /// bounds at a point are needed, they are the counts.
    pub fn infer_within_bounds(&self, counts: Vec<Option<i128>>) -> Vec<Option<i128>> {
        let mut flow = Flow::new(self, counts);
        flow.follow();
        for _ in 0..MOST_ROUNDS {
            if !flow.bound() {
                break;
            }
        }
        flow.counts
    }
}

/// Bounds go along chains of arcs that share points; these are short, and a file may say otherwise.
const MOST_ROUNDS: usize = 16;

/// Counts that are being inferred.
struct Flow<'a> {
    network: &'a FlowNetwork,
    counts: Vec<Option<i128>>,
    /// The arcs at each point.
    at: Vec<Vec<usize>>,
}

impl<'a> Flow<'a> {
    fn new(network: &'a FlowNetwork, mut counts: Vec<Option<i128>>) -> Self {
        counts.resize(network.arcs.len(), None);
        let mut at: Vec<Vec<usize>> = vec![Vec::new(); network.points];
        for (arc, &[from, to]) in
            network.arcs.iter().enumerate().filter(|(_, [from, to])| from != to)
        {
            at[from].push(arc);
            at[to].push(arc);
        }
        Self { network, counts, at }
    }

    fn comes_to(&self, point: usize, arc: usize) -> bool {
        self.network.arcs[arc][1] == point
    }

    /// The flow into a point less the flow out of it, along the known arcs.
    fn surplus(&self, point: usize) -> i128 {
        let signed = |&arc: &usize| {
            let count = self.counts[arc].unwrap_or_default();
            if self.comes_to(point, arc) { count } else { count.wrapping_neg() }
        };
        self.at[point].iter().map(signed).fold(0i128, i128::wrapping_add)
    }

    fn unknown(&self, point: usize) -> impl Iterator<Item = usize> + '_ {
        self.at[point].iter().copied().filter(|&arc| self.counts[arc].is_none())
    }

    /// Finds the only unknown arc of each point, as long as there are such points.
    fn follow(&mut self) {
        let mut unknown: Vec<usize> =
            (0..self.network.points).map(|point| self.unknown(point).count()).collect();
        let outside = self.network.outside;
        let mut pending: Vec<usize> = (0..self.network.points)
            .filter(|&point| unknown[point] == 1 && point != outside)
            .collect();
        while let Some(point) = pending.pop() {
            let Some(arc) = self.unknown(point).next() else { continue };
            let surplus = self.surplus(point);
            self.counts[arc] =
                Some(if self.comes_to(point, arc) { surplus.wrapping_neg() } else { surplus });
            for other in self.network.arcs[arc] {
                unknown[other] -= 1;
                if unknown[other] == 1 && other != outside {
                    pending.push(other);
                }
            }
        }
    }

    /// Finds counts by bounds; whether there were any.
    fn bound(&mut self) -> bool {
        // What is left at each point for its unknown arcs, if all of them come to it or all leave
        // it.
        let left: Vec<Option<i128>> =
            (0..self.network.points).map(|point| self.left(point)).collect();
        let bound = |arc: usize| {
            let ends = self.network.arcs[arc].map(|point| left[point]);
            ends.into_iter().flatten().min().map(|least| least.max(0))
        };
        let mut found = Vec::new();
        for point in 0..self.network.points {
            let Some(left) = left[point] else { continue };
            let bounds: Option<Vec<_>> =
                self.unknown(point).map(|arc| Some((arc, bound(arc)?))).collect();
            let Some(bounds) = bounds else { continue };
            let sum = bounds.iter().fold(0i128, |sum, (_, bound)| sum.saturating_add(*bound));
            if sum == left.max(0) || left <= 0 {
                found.extend(
                    bounds.into_iter().map(|(arc, bound)| (arc, if left <= 0 { 0 } else { bound })),
                );
            }
        }
        for &(arc, count) in &found {
            self.counts[arc].get_or_insert(count);
        }
        if !found.is_empty() {
            self.follow();
        }
        !found.is_empty()
    }

    fn left(&self, point: usize) -> Option<i128> {
        if point == self.network.outside {
            return None;
        }
        let mut comes = self.unknown(point).map(|arc| self.comes_to(point, arc));
        let first = comes.next()?;
        let surplus = self.surplus(point);
        comes.all(|comes| comes == first).then_some(if first {
            surplus.wrapping_neg()
        } else {
            surplus
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_numbers_do_not_panic() {
        let network =
            FlowNetwork { arcs: vec![[3, 0], [0, 1], [1, 0], [1, 3]], outside: 3, points: 4 };
        let counts = network.infer_within_bounds(vec![Some(i128::MAX), None, Some(i128::MIN)]);
        assert_eq!(counts.len(), 4);
        let counts = network.infer(vec![None; 99]);
        assert_eq!(counts, vec![None; 4]);
    }

    /// Two calls at points 0 and 1 that may come back (arcs 2, 3 to outside), throw (4, 5 to point
    /// 2) or stay (6, 7).
    fn calls(runs: [i128; 2], back: [i128; 2], landed: i128) -> Vec<Option<i128>> {
        let arcs = vec![[3, 0], [3, 1], [0, 3], [1, 3], [0, 2], [1, 2], [0, 3], [1, 3], [2, 3]];
        let network = FlowNetwork { arcs, outside: 3, points: 4 };
        let known = [Some(runs[0]), Some(runs[1]), Some(back[0]), Some(back[1])];
        let all = known.into_iter().chain([None; 4]).chain([Some(landed)]).collect();
        network.infer_within_bounds(all)[4..8].to_vec()
    }

    #[test]
    fn where_all_bounds_are_needed_they_are_the_counts() {
        let some = |counts: [i128; 4]| counts.map(Some).to_vec();
        // Nothing landed, so that what did not come back stayed.
        assert_eq!(calls([5, 7], [5, 4], 0), some([0, 0, 0, 3]));
        // All that did not come back landed.
        assert_eq!(calls([5, 7], [4, 4], 4), some([1, 3, 0, 0]));
        // Only one call may have thrown.
        assert_eq!(calls([5, 7], [5, 4], 2), some([0, 2, 0, 1]));
        // One of the two threw: nobody knows which.
        assert_eq!(calls([5, 7], [4, 6], 1), vec![None; 4]);
    }

    /// One bound leads to another: at point 2 something comes and something goes on, until
    /// point 4 shows what comes to 3.
    #[test]
    fn bounds_go_on_from_what_bounds_have_found() {
        let known = [(5, 0, 1), (5, 1, 2), (5, 4, 0), (3, 5, 3)];
        let unknown = [(0, 2, 1), (0, 5, 0), (1, 2, 2), (1, 5, 0), (2, 3, 3), (4, 3, 0), (4, 5, 0)];
        let arcs = known.iter().chain(&unknown).map(|&(from, to, _)| [from, to]).collect();
        let network = FlowNetwork { arcs, outside: 5, points: 6 };
        let counts = known.iter().map(|&(.., count)| Some(count)).chain([None; 7]).collect();
        let expected: Vec<_> =
            known.iter().chain(&unknown).map(|&(.., count)| Some(count)).collect();
        assert_eq!(network.infer_within_bounds(counts), expected);
    }

    /// However long the chain is that follows from what a bound has found.
    #[test]
    fn what_follows_from_a_bound_is_followed_to_its_end() {
        const LENGTH: usize = 3 * MOST_ROUNDS;
        let outside = LENGTH;
        // Nothing comes to point 0, so nothing comes from there to point 1; what else comes there
        // goes on along the chain.
        let ends = [[outside, 0], [outside, 1], [0, outside], [0, 1]];
        let chain = (1..LENGTH).map(|point| [point, point + 1]);
        let network = FlowNetwork {
            arcs: ends.into_iter().chain(chain).collect(),
            outside,
            points: LENGTH + 1,
        };
        let counts = network.infer_within_bounds(vec![Some(0), Some(7)]);
        let expected = [0, 7, 0, 0].into_iter().chain([7; LENGTH - 1]);
        assert_eq!(counts, expected.map(Some).collect::<Vec<_>>());
    }
}
