//! Where the counters of blocks, edges or calls are stepped.
//!
//! A block that only returns, behind a call in tail position, is counted on the edges into it instead of at its top: code behind the
//! call would make it an ordinary one.

use pathformat::manifest::{Function, Pattern, PatternShape};
use paths::blocks::Counted;
use paths::cfg::{Block, Edge};
use paths::edges::{Arc, Arcs};
use paths::patterns::{self, Shape};

use crate::options::{Options, Placement};
use crate::read_cfg::Graph;

/// Where the code of one counter stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Site {
    /// At the top of a block.
    Top(Block),
    /// At the end of a block.
    End(Block),
    /// On an edge.
    Edge(Edge),
}

/// The sites of each counter of a function.
pub(crate) struct Sites(Vec<Vec<Site>>);

impl Sites {
    /// Decides which blocks have a counter. Where a call may return twice, control comes to blocks from nowhere: all are counted.
    pub(crate) fn of_blocks(graph: &Graph<'_>, options: &Options, record: &mut Function) -> Self {
        let counted = match options.placement {
            _ if graph.returns_twice => Counted::every(&graph.cfg),
            Placement::EveryBlock => Counted::every(&graph.cfg),
            Placement::SpanningTree => Counted::fewest(&graph.cfg, &graph.frequency, |_| true),
            Placement::Patterns => {
                let (counted, patterns) = patterns::find(&graph.cfg);
                record.patterns = patterns.into_iter().map(described).collect();
                counted
            }
        };
        Self::of_counted(graph, &counted, record)
    }

    /// Decides which blocks have a counter, so that those with calls, and the entry, are known.
    pub(crate) fn of_calls(graph: &Graph<'_>, record: &mut Function) -> Self {
        let wanted = |block: Block| record.tells_of_calls(block.0);
        let counted = if graph.returns_twice {
            Counted::every(&graph.cfg).only(wanted)
        } else {
            Counted::fewest(&graph.cfg, &graph.frequency, wanted)
        };
        Self::of_counted(graph, &counted, record)
    }

    /// Decides which edges have a counter; where a call may return twice, all blocks instead.
    pub(crate) fn of_edges(graph: &Graph<'_>, record: &mut Function) -> Self {
        if graph.returns_twice {
            return Self::of_counted(graph, &Counted::every(&graph.cfg), record);
        }
        let arcs = Arcs::of(&graph.cfg);
        let counted = arcs.fewest(&graph.cfg, &graph.frequency);
        record.counted_arcs = counted.iter().map(|&arc| arc as u32).collect();
        let sites = |&arc: &usize| match arcs.list[arc] {
            Arc::Edge(edge) => vec![Site::Edge(edge)],
            Arc::Block(block) => come_to(graph, block),
            Arc::Depart(block) => vec![Site::End(block)],
            Arc::Arrive(_) | Arc::Stay(_) => unreachable!("{:?} holds no code", arcs.list[arc]),
        };
        Self(counted.iter().map(sites).collect())
    }

    fn of_counted(graph: &Graph<'_>, counted: &Counted, record: &mut Function) -> Self {
        record.counted_blocks = counted.blocks().map(|block| block.0).collect();
        Self(counted.blocks().map(|block| come_to(graph, block)).collect())
    }

    /// Each counter with its sites.
    pub(crate) fn by_counter(&self) -> impl Iterator<Item = (u64, &[Site])> {
        (0..).zip(self.0.iter().map(Vec::as_slice))
    }

    /// All sites, each with its counter.
    pub(crate) fn all(&self) -> impl Iterator<Item = (u64, Site)> + '_ {
        (0..).zip(&self.0).flat_map(|(counter, sites)| sites.iter().map(move |&site| (counter, site)))
    }
}

fn described(pattern: patterns::Pattern) -> Pattern {
    let numbers = |blocks: Vec<Block>| blocks.into_iter().map(|block| block.0).collect();
    let shape = match pattern.shape {
        Shape::Diamond => PatternShape::Diamond,
        Shape::HalfDiamond => PatternShape::HalfDiamond,
        Shape::Jump => PatternShape::Jump,
        Shape::Exits => PatternShape::Exits,
    };
    Pattern { shape, blocks: numbers(pattern.blocks), saved: numbers(pattern.saved) }
}

/// Where it is seen that control comes to a block.
fn come_to(graph: &Graph<'_>, block: Block) -> Vec<Site> {
    if graph.cfg.counts_above(block) {
        return graph.cfg.predecessors(block).iter().map(|&edge| Site::Edge(edge)).collect();
    }
    vec![Site::Top(block)]
}
