//! The numbers of instructions on a path.

use pathformat::manifest::Function;

use crate::model::instructions;

/// The numbers of instructions of the parts of a path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// Those of each block.
    pub blocks: Vec<u64>,
    /// Those that run on each edge of the control-flow graph only.
    pub edges: Vec<u64>,
    /// Those of the edge that is taken at the end of a path, by the edge of the acyclic graph that
    /// ends it. Where that may be one of several edges, the most that any has.
    pub ends: Vec<u64>,
}

impl Sizes {
    /// Returns the numbers of a function.
    pub fn of(shape: &Function) -> Self {
        let blocks = shape.blocks.iter().map(|block| instructions(&block.opcodes)).collect();
        let edges: Vec<_> = shape.edges.iter().map(|edge| instructions(&edge.opcodes)).collect();
        let mut ends = vec![0; shape.dag.len()];
        for (edge, &size) in shape.edges.iter().zip(&edges) {
            let end = edge.cut.and_then(|(end, _)| ends.get_mut(end as usize));
            end.into_iter().for_each(|end: &mut u64| *end = size.max(*end));
        }
        Self { blocks, edges, ends }
    }
}
