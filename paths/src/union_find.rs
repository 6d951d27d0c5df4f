//! Disjoint sets of `0..n` with path halving and union by size (Tarjan & van Leeuwen, JACM 31(2),
//! 1984).

/// A partition of `0..n`.
#[derive(Clone, Debug)]
pub(crate) struct UnionFind {
    parent: Vec<usize>,
    size: Vec<usize>,
}

impl UnionFind {
    /// Every element on its own.
    pub(crate) fn new(length: usize) -> Self {
        Self { parent: (0..length).collect(), size: vec![1; length] }
    }

    /// The representative of the set that holds `element`.
    pub(crate) fn find(&mut self, mut element: usize) -> usize {
        while self.parent[element] != element {
            self.parent[element] = self.parent[self.parent[element]];
            element = self.parent[element];
        }
        element
    }

    /// Joins the sets of `a` and `b`; false if they are one set already.
    pub(crate) fn union(&mut self, a: usize, b: usize) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return false;
        }
        let (small, large) = if self.size[a] < self.size[b] { (a, b) } else { (b, a) };
        self.parent[small] = large;
        self.size[large] += self.size[small];
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joining_twice_says_so() {
        let mut sets = UnionFind::new(4);
        assert!(sets.union(0, 1));
        assert!(sets.union(2, 3));
        assert!(sets.union(1, 3));
        assert!(!sets.union(0, 2));
        assert_eq!(sets.find(0), sets.find(3));
    }

    /// With union by size no element is further from its representative than the binary logarithm
    /// of the number of elements.
    #[test]
    fn sets_stay_shallow() {
        for one_by_one in [true, false] {
            let mut sets = UnionFind::new(64);
            for element in 1..64 {
                let (a, b) = if one_by_one { (element, element - 1) } else { (0, element) };
                assert!(sets.union(a, b));
            }
            for mut element in 0..64 {
                let mut steps = 0;
                while sets.parent[element] != element {
                    element = sets.parent[element];
                    steps += 1;
                }
                assert!(steps <= 6, "{steps}");
            }
        }
    }
}
