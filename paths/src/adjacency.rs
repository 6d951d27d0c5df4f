//! Lists of edges by node, in one allocation: what a graph asks for most often.

/// For each of `0..nodes` a list of edges, in the order in which they were given.
#[derive(Clone, Debug)]
pub(crate) struct Adjacency<E> {
    /// Where each node's list starts in `edges`; one more entry closes the last.
    starts: Vec<u32>,
    edges: Vec<E>,
}

impl<E: Copy> Adjacency<E> {
    /// The lists of `pairs`, each a node and one of its edges.
    pub(crate) fn new(nodes: usize, pairs: impl Iterator<Item = (usize, E)> + Clone) -> Self {
        let mut starts = vec![0; nodes + 1];
        for (node, _) in pairs.clone() {
            starts[node + 1] += 1;
        }
        for node in 0..nodes {
            starts[node + 1] += starts[node];
        }
        let mut next = starts.clone();
        let Some((_, any)) = pairs.clone().next() else {
            return Self { starts, edges: Vec::new() };
        };
        let mut edges = vec![any; starts[nodes] as usize];
        for (node, edge) in pairs {
            edges[next[node] as usize] = edge;
            next[node] += 1;
        }
        Self { starts, edges }
    }

    /// The edges of `node`.
    pub(crate) fn of(&self, node: usize) -> &[E] {
        &self.edges[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    /// Number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_keep_their_order() {
        let lists = Adjacency::new(3, [(2, 'a'), (0, 'b'), (2, 'c')].into_iter());
        assert_eq!(
            (lists.of(0), lists.of(1), lists.of(2), lists.len()),
            (&['b'][..], &[][..], &['a', 'c'][..], 3)
        );
        let none = Adjacency::<u8>::new(1, [].into_iter());
        assert_eq!((none.of(0), none.len()), (&[][..], 1));
    }
}
