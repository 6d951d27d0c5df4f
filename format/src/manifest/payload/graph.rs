//! The encoding of the edges of a function's graphs: outcomes of branches, and kinds of acyclic
//! edges.

use alloc::vec::Vec;

use super::body::{Source, Writer, code, decoded};
use crate::manifest::{CutReason, DagEdge, DagEdgeKind, Outcome};
use crate::wire::{Error, Result, Sink};

pub(super) fn put_dag(to: &mut Writer, dag: &[DagEdge]) {
    to.put_list(dag, |to, edge| {
        let (tag, index, why) = match edge.kind {
            DagEdgeKind::Flow { edge } => (0, edge, None),
            DagEdgeKind::Leave { block } => (1, block, None),
            DagEdgeKind::End { block, why } => (2, block, Some(why)),
            DagEdgeKind::Start { block, why } => (3, block, Some(why)),
            DagEdgeKind::InFlight { block } => (4, block, None),
        };
        to.put_varint(tag);
        to.put_varint(u64::from(index));
        if let Some(why) = why {
            to.put_varint(code(&CutReason::ALL, &why));
        }
        to.put_varint(edge.value);
    });
}

pub(super) fn get_dag(from: &mut Source<'_>, edges: usize, blocks: usize) -> Result<Vec<DagEdge>> {
    from.list(|from| {
        let kind = match from.reader.varint()? {
            0 => DagEdgeKind::Flow {
                edge: from.index(edges, "an acyclic edge's origin is out of range")?,
            },
            1 => DagEdgeKind::Leave {
                block: from.index(blocks, "an acyclic edge's block is out of range")?,
            },
            4 => DagEdgeKind::InFlight {
                block: from.index(blocks, "an acyclic edge's block is out of range")?,
            },
            tag @ (2 | 3) => {
                let block = from.index(blocks, "an acyclic edge's block is out of range")?;
                let why = decoded(
                    &CutReason::ALL,
                    from.reader.varint()?,
                    "a reason for a cut is unknown",
                )?;
                if tag == 2 {
                    DagEdgeKind::End { block, why }
                } else {
                    DagEdgeKind::Start { block, why }
                }
            }
            _ => return Err(Error::Invalid("a kind of acyclic edge is unknown")),
        };
        Ok(DagEdge { kind, value: from.reader.varint()? })
    })
}

impl Outcome {
    pub(super) fn encode(&self, to: &mut Writer) {
        let tag = match self {
            Outcome::Jump => 0,
            Outcome::True => 1,
            Outcome::False => 2,
            Outcome::Cases(_) => 3,
            Outcome::Default => 4,
            Outcome::Normal => 5,
            Outcome::Unwind => 6,
            Outcome::Indirect => 7,
            Outcome::Suspended => 8,
            Outcome::Resumed => 9,
            Outcome::Destroyed => 10,
        };
        to.put_varint(tag);
        if let Outcome::Cases(values) = self {
            to.put_list(values, |to, &value| to.put_signed(value));
        }
    }

    pub(super) fn decode(from: &mut Source<'_>) -> Result<Self> {
        Ok(match from.reader.varint()? {
            0 => Outcome::Jump,
            1 => Outcome::True,
            2 => Outcome::False,
            3 => Outcome::Cases(from.list(|from| from.reader.signed())?),
            4 => Outcome::Default,
            5 => Outcome::Normal,
            6 => Outcome::Unwind,
            7 => Outcome::Indirect,
            8 => Outcome::Suspended,
            9 => Outcome::Resumed,
            10 => Outcome::Destroyed,
            _ => return Err(Error::Invalid("a branch outcome is unknown")),
        })
    }
}
