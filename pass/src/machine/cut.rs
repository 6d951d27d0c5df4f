//! The least cut of a flow network, by Dinic's algorithm (Dinic, Soviet Math. Doklady 11, 1970).

use std::collections::VecDeque;

/// A capacity that no cut can pay.
pub(crate) const UNLIMITED: u64 = u64::MAX / 4;

/// A network of nodes `0..n`.
#[derive(Debug)]
pub(crate) struct Network {
    /// Of each node, its arcs; an arc and the one with the last bit changed are a pair.
    arcs: Vec<Vec<u32>>,
    to: Vec<u32>,
    rest: Vec<u64>,
}

impl Network {
    /// A network of `nodes` without arcs.
    pub(crate) fn new(nodes: usize) -> Self {
        Self { arcs: vec![Vec::new(); nodes], to: Vec::new(), rest: Vec::new() }
    }

    /// Adds an arc.
    pub(crate) fn add(&mut self, from: usize, to: usize, capacity: u64) {
        for (from, to, rest) in [(from, to, capacity), (to, from, 0)] {
            self.arcs[from].push(self.to.len() as u32);
            self.to.push(to as u32);
            self.rest.push(rest);
        }
    }

    /// Cuts `sink` off from `source` where it costs least, as close to the sink as that is. Gives
    /// for each node whether it is on the side of the sink.
    pub(crate) fn least_cut(mut self, source: usize, sink: usize) -> Vec<bool> {
        while let Some(levels) = self.levels(source, sink) {
            let mut next = vec![0; self.arcs.len()];
            while self.push(source, sink, &levels, &mut next) > 0 {}
        }
        let mut reaches = vec![false; self.arcs.len()];
        reaches[sink] = true;
        let mut pending = vec![sink];
        while let Some(node) = pending.pop() {
            for &arc in &self.arcs[node] {
                let from = self.to[arc as usize] as usize;
                if self.rest[arc as usize ^ 1] > 0 && !std::mem::replace(&mut reaches[from], true) {
                    pending.push(from);
                }
            }
        }
        reaches
    }

    /// The distance of each node from the source; `None` if the sink cannot be reached.
    fn levels(&self, source: usize, sink: usize) -> Option<Vec<u32>> {
        let mut levels = vec![u32::MAX; self.arcs.len()];
        levels[source] = 0;
        let mut pending = VecDeque::from([source]);
        while let Some(node) = pending.pop_front() {
            for &arc in &self.arcs[node] {
                let to = self.to[arc as usize] as usize;
                if self.rest[arc as usize] > 0 && levels[to] == u32::MAX {
                    levels[to] = levels[node] + 1;
                    pending.push_back(to);
                }
            }
        }
        (levels[sink] != u32::MAX).then_some(levels)
    }

    /// Pushes as much as one way takes.
    fn push(&mut self, source: usize, sink: usize, levels: &[u32], next: &mut [usize]) -> u64 {
        let mut way: Vec<u32> = Vec::new();
        let mut node = source;
        while node != sink {
            let found = loop {
                let Some(&arc) = self.arcs[node].get(next[node]) else { break None };
                let to = self.to[arc as usize] as usize;
                if self.rest[arc as usize] > 0 && levels[to] == levels[node] + 1 {
                    break Some((arc, to));
                }
                next[node] += 1;
            };
            match (found, way.pop()) {
                (Some((arc, to)), last) => {
                    way.extend(last);
                    way.push(arc);
                    node = to;
                }
                (None, Some(last)) => {
                    node = self.to[last as usize ^ 1] as usize;
                    next[node] += 1;
                }
                (None, None) => return 0,
            }
        }
        let most = way.iter().map(|&arc| self.rest[arc as usize]).min().unwrap_or(0);
        for arc in way {
            self.rest[arc as usize] -= most;
            self.rest[arc as usize ^ 1] += most;
        }
        most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cheapest_arcs_are_cut_close_to_the_sink() {
        // 0 → 1 → 2 → 3, and 0 → 2.
        let mut network = Network::new(4);
        network.add(0, 1, 3);
        network.add(1, 2, 3);
        network.add(0, 2, UNLIMITED);
        network.add(2, 3, 9);
        assert_eq!(network.least_cut(0, 3), [false, false, false, true]);
        let mut network = Network::new(4);
        network.add(0, 1, UNLIMITED);
        network.add(1, 2, 3);
        network.add(2, 3, 3);
        assert_eq!(network.least_cut(0, 3), [false, false, false, true]);
    }

    #[test]
    fn every_cut_is_as_cheap_as_the_best_of_all() {
        let mut state = 12345u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % below
        };
        for _ in 0..300 {
            let nodes = 3 + random(5) as usize;
            let arcs: Vec<_> = (0..random(16))
                .map(|_| {
                    let [from, to] = [random(nodes as u64), random(nodes as u64)];
                    (from as usize, to as usize, 1 + random(9))
                })
                .collect();
            let mut network = Network::new(nodes);
            arcs.iter().for_each(|&(from, to, capacity)| network.add(from, to, capacity));
            let (source, sink) = (0, nodes - 1);
            let cost = |side: &dyn Fn(usize) -> bool| -> u64 {
                let cut = arcs.iter().filter(|(from, to, _)| !side(*from) && side(*to));
                cut.map(|(_, _, capacity)| capacity).sum()
            };
            let all = (0..1usize << nodes).filter(|set| set & 1 == 0 && set >> sink & 1 == 1);
            let best = all.map(|set| cost(&|node| set >> node & 1 == 1)).min();
            let side = network.least_cut(source, sink);
            assert!(!side[source] && side[sink]);
            assert_eq!(Some(cost(&|node| side[node])), best);
        }
    }
}
