//! Computes the number of frames that did not return from a call.
//!
//! The counter of a path in flight is stepped before the call that the path ends with, and it is
//! never taken back. A frame that returned from the call has since counted a longer path with the
//! same beginning: one that ended, or one in flight further on. The ids of all these paths form one
//! range behind the id of the path in flight, because ids below a node are dense and a path in
//! flight has the first of them ([`numbering`](crate::numbering)). The frames that did not return
//! are those that the other counters of the range do not account for.

use std::collections::BTreeMap;

use crate::cfg::ENTRY;
use crate::decode::{DecodeError, Decoder};

/// Separates the paths in flight of one graph from the others.
#[derive(Clone, Debug)]
pub struct InFlight {
    decoder: Decoder,
    /// Source and value of each edge.
    edges: Vec<(u32, u64)>,
    /// For each node, if paths in flight end there, the value of their last edge and how many paths
    /// there are from the node.
    ends: Vec<Option<(u64, u64)>>,
}

/// The role of an edge for paths in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// They end with it.
    End,
    /// A path starts with it behind a cut.
    Start,
    /// Nothing.
    Other,
}

impl InFlight {
    /// For a graph as [`Decoder::new`] takes it, with the role of each edge. `None` if no path in
    /// flight ends in it.
    ///
    /// # Errors
    /// A damaged graph.
    pub fn new(
        blocks: usize,
        edges: &[(u32, u32, u64)],
        roles: &[Role],
    ) -> Result<Option<Self>, DecodeError> {
        if !roles.contains(&Role::End) {
            return Ok(None);
        }
        let decoder = Decoder::new(blocks, edges)?;
        let with_roles = || edges.iter().zip(roles);
        let starts =
            with_roles().filter(|(_, role)| **role == Role::Start).map(|(&(_, _, value), _)| value);
        // Starts behind a cut are numbered after all ways on from the entry.
        let from_entry = starts.min().map_or_else(|| decoder.num_paths(ENTRY.index()), Ok)?;
        let mut ends = vec![None; blocks];
        for (&(from, _, value), _) in with_roles().filter(|(_, role)| **role == Role::End) {
            let paths =
                if from == ENTRY.0 { from_entry } else { decoder.num_paths(from as usize)? };
            *ends.get_mut(from as usize).ok_or(DecodeError::NoSuchNode)? = Some((value, paths));
        }
        let edges = edges.iter().map(|&(from, _, value)| (from, value)).collect();
        Ok(Some(Self { decoder, edges, ends }))
    }

    /// Turns the counts of one process, by ascending number of the path, from arrivals at calls to
    /// frames that did not come back. A forked process also ends paths that its parent began: then
    /// the result, modulo 2^64 like the counters themselves, is the negative number of those.
    /// Numbers that are no path's stay as they are.
    pub fn settle(&self, counts: &mut Vec<(u64, u64)>) {
        // The end of the range of each path in flight that some path that ran begins like, by its
        // number.
        let mut ranges = BTreeMap::new();
        for &(id, _) in counts.iter() {
            let mut begun = 0u64;
            for edge in self.decoder.path(id).unwrap_or_default() {
                let Some(&(from, value)) = self.edges.get(edge) else { break };
                if let Some((end, paths)) = self.ends.get(from as usize).copied().flatten() {
                    ranges.insert(begun.wrapping_add(end), begun.saturating_add(paths));
                }
                begun = begun.wrapping_add(value);
            }
        }
        let known: BTreeMap<_, _> = counts.iter().copied().collect();
        counts.extend(ranges.keys().filter(|id| !known.contains_key(id)).map(|&id| (id, 0)));
        counts.sort_unstable();
        // The sum of the counts from each place in the list on.
        let mut behind = vec![0u64; counts.len() + 1];
        for at in (0..counts.len()).rev() {
            let (id, count) = counts[at];
            if let Some(&past) = ranges.get(&id) {
                let next = at + counts[at..].partition_point(|&(other, _)| other < past);
                let went_on = behind[at + 1].wrapping_sub(behind[next.max(at + 1)]);
                counts[at].1 = count.wrapping_sub(went_on);
            }
            behind[at] = behind[at + 1].wrapping_add(counts[at].1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 0? → 1 or 2; 1? → 3; 2 → 3; 3 leaves. Paths: 0 in flight at 0, 1 in flight at 1, 2 through
    /// 1, 3 through 2.
    fn graph() -> InFlight {
        let edges = [(0, 4, 0), (0, 1, 1), (0, 2, 3), (1, 4, 0), (1, 3, 1), (2, 3, 0), (3, 4, 0)];
        let (end, other) = (Role::End, Role::Other);
        InFlight::new(4, &edges, &[end, other, other, end, other, other, other])
            .expect("sound")
            .expect("some are in flight")
    }

    fn settled(counts: &[(u64, u64)]) -> Vec<(u64, u64)> {
        let mut counts = counts.to_vec();
        graph().settle(&mut counts);
        counts
    }

    #[test]
    fn what_went_on_is_no_longer_in_flight() {
        assert_eq!(settled(&[(0, 9), (1, 5), (2, 5), (3, 4)]), [(0, 0), (1, 0), (2, 5), (3, 4)]);
    }

    #[test]
    fn a_frame_stays_at_the_last_call_that_it_came_to() {
        // Nine came in: one stays in block 0, three in block 1.
        assert_eq!(settled(&[(0, 9), (1, 5), (2, 2), (3, 3)]), [(0, 1), (1, 3), (2, 2), (3, 3)]);
        assert_eq!(settled(&[(0, 2), (1, 1)]), [(0, 1), (1, 1)]);
        assert_eq!(settled(&[(0, 2)]), [(0, 2)]);
    }

    #[test]
    fn a_fork_ends_what_its_parent_began() {
        let taken = |count: u64| count.wrapping_neg();
        // Two came back in block 1 that never came there, and one of them not even to block 0.
        assert_eq!(settled(&[(0, 1), (2, 2)]), [(0, 1), (1, taken(2)), (2, 2)]);
        assert_eq!(settled(&[(2, 2)]), [(0, 0), (1, taken(2)), (2, 2)]);
        // One that stays in block 0 is not hidden by them.
        assert_eq!(settled(&[(0, 1), (3, 1)]), [(0, 0), (3, 1)]);
    }

    #[test]
    fn a_graph_without_paths_in_flight_has_nothing_to_settle() {
        assert!(InFlight::new(1, &[(0, 1, 0)], &[Role::Other]).expect("sound").is_none());
        assert!(InFlight::new(1, &[(0, 7, 0)], &[Role::End]).is_err());
    }

    #[test]
    fn numbers_of_no_path_stay() {
        assert_eq!(settled(&[(0, 1), (3, 1), (99, 7)]), [(0, 0), (3, 1), (99, 7)]);
    }

    /// Only a damaged graph numbers a start before a path in flight at the entry.
    #[test]
    fn a_range_that_ends_before_its_path_has_no_others() {
        let edges = [(0, 2, 5), (0, 1, 0), (1, 2, 0)];
        let damaged =
            InFlight::new(2, &edges, &[Role::End, Role::Start, Role::Other]).expect("no cycle");
        let mut counts = vec![(0, 1), (5, 9), (7, 2)];
        damaged.expect("one is in flight").settle(&mut counts);
        assert_eq!(counts, [(0, 1), (5, 9), (7, 2)]);
    }
}
