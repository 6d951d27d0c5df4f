//! Turns a path's id back into the edges that the path follows.
//!
//! The inverse of [`numbering`](crate::numbering): the out-edges of a node carry ascending values,
//! and all ids below a node that follow one edge lie between its value and the next edge's. So from
//! the entry on, the edge to follow is the one with the largest value that still fits (Ball &
//! Larus, MICRO-29, 1996, §3.5).
//!
//! The decoder takes plain numbers, because its input comes from a file: whatever they are, it ends
//! and does not panic.

use std::fmt;

/// Decodes the paths of one acyclic graph.
#[derive(Clone, Debug)]
pub struct Decoder {
    /// For each node its out-edges as (value, target, index in the input), by ascending value.
    out: Vec<Vec<(u64, u32, usize)>>,
}

/// Why a path cannot be decoded. Either the id or the graph is damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// An edge names a node that does not exist.
    NoSuchNode,
    /// The graph has a cycle.
    Cycle,
    /// No path has this id.
    NoSuchPath(u64),
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecodeError::NoSuchNode => {
                f.write_str("an edge of the graph names a block that does not exist")
            }
            DecodeError::Cycle => f.write_str("the graph has a cycle"),
            DecodeError::NoSuchPath(id) => write!(f, "no path has the id {id}"),
        }
    }
}

impl std::error::Error for DecodeError {}

impl Decoder {
    /// A decoder for a graph whose nodes are `0..blocks`, with node 0 as ENTRY, and the node
    /// `blocks`, EXIT. An edge is (source, target, value).
    ///
    /// # Errors
    /// [`DecodeError::NoSuchNode`] if an edge leaves EXIT or names a node above it.
    pub fn new(blocks: usize, edges: &[(u32, u32, u64)]) -> Result<Self, DecodeError> {
        let mut out = vec![Vec::new(); blocks];
        for (index, &(from, to, value)) in edges.iter().enumerate() {
            if to as usize > blocks {
                return Err(DecodeError::NoSuchNode);
            }
            out.get_mut(from as usize).ok_or(DecodeError::NoSuchNode)?.push((value, to, index));
        }
        out.iter_mut().for_each(|edges| edges.sort_unstable());
        Ok(Self { out })
    }

    /// The indexes of the edges that path `id` follows, from ENTRY to EXIT.
    ///
    /// # Errors
    /// [`DecodeError::NoSuchPath`] for an id out of range; [`DecodeError::Cycle`] for a damaged
    /// graph.
    pub fn path(&self, id: u64) -> Result<Vec<usize>, DecodeError> {
        let mut path = Vec::new();
        let mut rest = id;
        let mut node = 0;
        while let Some(edges) = self.out.get(node) {
            let fitting = edges.partition_point(|&(value, ..)| value <= rest);
            let &(value, to, index) = fitting
                .checked_sub(1)
                .and_then(|last| edges.get(last))
                .ok_or(DecodeError::NoSuchPath(id))?;
            if path.len() >= self.out.len() {
                return Err(DecodeError::Cycle);
            }
            path.push(index);
            rest -= value;
            node = to as usize;
        }
        if rest == 0 { Ok(path) } else { Err(DecodeError::NoSuchPath(id)) }
    }
}

impl Decoder {
    /// The number of paths from a node to EXIT: one more than the greatest sum of values.
    ///
    /// # Errors
    /// [`DecodeError::Cycle`] or [`DecodeError::NoSuchNode`] for a damaged graph.
    pub fn num_paths(&self, node: usize) -> Result<u64, DecodeError> {
        let (mut node, mut paths) = (node, 1u64);
        for _ in 0..=self.out.len() {
            let Some(edges) = self.out.get(node) else { return Ok(paths) };
            let &(value, to, _) = edges.last().ok_or(DecodeError::NoSuchNode)?;
            paths = paths.saturating_add(value);
            node = to as usize;
        }
        Err(DecodeError::Cycle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A diamond: 0 → {1, 2} → 3 → EXIT.
    const DIAMOND: [(u32, u32, u64); 5] = [(0, 1, 0), (0, 2, 1), (1, 3, 0), (2, 3, 0), (3, 4, 0)];

    #[test]
    fn a_diamond_has_two_paths() {
        let decoder = Decoder::new(4, &DIAMOND).expect("sound");
        assert_eq!(decoder.path(0), Ok(vec![0, 2, 4]));
        assert_eq!(decoder.path(1), Ok(vec![1, 3, 4]));
        assert_eq!(decoder.path(2), Err(DecodeError::NoSuchPath(2)));
    }

    #[test]
    fn damaged_graphs_are_errors() {
        assert_eq!(Decoder::new(1, &[(0, 2, 0)]).unwrap_err(), DecodeError::NoSuchNode);
        assert_eq!(Decoder::new(1, &[(1, 0, 0)]).unwrap_err(), DecodeError::NoSuchNode);
        let cycle =
            Decoder::new(2, &[(0, 1, 0), (1, 0, 0)]).expect("cycles show when a path is asked for");
        assert_eq!(cycle.path(0), Err(DecodeError::Cycle));
        let dead_end = Decoder::new(2, &[(0, 1, 0)]).expect("sound");
        assert_eq!(dead_end.path(0), Err(DecodeError::NoSuchPath(0)));
        assert_eq!(Decoder::new(0, &[]).expect("an empty graph").path(0), Ok(vec![]));
    }
}
