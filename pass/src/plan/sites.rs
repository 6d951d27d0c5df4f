//! Where the counters of blocks, edges or calls are stepped.
//!
//! A block that only returns, behind a call in tail position, is counted on the edges into it
//! instead of at its top. Code behind the call would make it an ordinary call.

use paths::blocks::Counted;
use paths::cfg::{Block, ENTRY, Edge};
use paths::edges::{Arc, Arcs};
use paths::patterns::{self, Pattern};

use crate::options::{Options, Placement};
use crate::read::graph::Graph;

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

/// The blocks, edges or calls of a function that have counters, and where each counter is stepped.
#[derive(Default)]
pub(crate) struct Sites {
    /// The blocks that have a counter, in the order of their counters.
    pub(crate) blocks: Vec<Block>,
    /// The arcs that have a counter, behind those of blocks; indexes into [`Arcs::list`].
    pub(crate) arcs: Vec<usize>,
    /// The patterns of the graph that save counters of blocks.
    pub(crate) patterns: Vec<Pattern>,
    /// The sites of each counter.
    of_counter: Vec<Vec<Site>>,
}

impl Sites {
    /// Decides which blocks have a counter. Where a call may return twice, control comes to blocks
    /// from nowhere, and all blocks have one.
    pub(crate) fn of_blocks(graph: &Graph<'_>, options: &Options) -> Self {
        match options.placement {
            _ if graph.returns_twice => Self::of_counted(graph, &Counted::every(&graph.cfg)),
            Placement::EveryBlock => Self::of_counted(graph, &Counted::every(&graph.cfg)),
            Placement::SpanningTree => {
                let counted = Counted::fewest(&graph.cfg, &graph.frequency, |_| true);
                Self::of_counted(graph, &counted)
            }
            Placement::Patterns => {
                let (counted, patterns) = patterns::find(&graph.cfg);
                Self { patterns, ..Self::of_counted(graph, &counted) }
            }
        }
    }

    /// Decides which blocks have a counter, so that those with calls, and the entry, are known.
    pub(crate) fn of_calls(graph: &Graph<'_>) -> Self {
        let wanted = |block: Block| block == ENTRY || graph.calls(block).next().is_some();
        let counted = if graph.returns_twice {
            Counted::every(&graph.cfg).only(wanted)
        } else {
            Counted::fewest(&graph.cfg, &graph.frequency, wanted)
        };
        Self::of_counted(graph, &counted)
    }

    /// Decides which edges have a counter. Where a call may return twice, all blocks have one
    /// instead.
    pub(crate) fn of_edges(graph: &Graph<'_>) -> Self {
        if graph.returns_twice {
            return Self::of_counted(graph, &Counted::every(&graph.cfg));
        }
        let all = Arcs::of(&graph.cfg);
        let arcs = all.fewest(&graph.cfg, &graph.frequency);
        let sites = |&arc: &usize| match all.list[arc] {
            Arc::Edge(edge) => vec![Site::Edge(edge)],
            Arc::Block(block) => come_to(graph, block),
            Arc::Depart(block) => vec![Site::End(block)],
            Arc::Arrive(_) | Arc::Stay(_) => unreachable!("{:?} holds no code", all.list[arc]),
        };
        Self { of_counter: arcs.iter().map(sites).collect(), arcs, ..Self::default() }
    }

    fn of_counted(graph: &Graph<'_>, counted: &Counted) -> Self {
        let blocks: Vec<_> = counted.blocks().collect();
        let of_counter = blocks.iter().map(|&block| come_to(graph, block)).collect();
        Self { blocks, of_counter, ..Self::default() }
    }

    /// Each counter with its sites.
    pub(crate) fn by_counter(&self) -> impl Iterator<Item = (u64, &[Site])> {
        (0..).zip(self.of_counter.iter().map(Vec::as_slice))
    }

    /// All sites, each with its counter.
    pub(crate) fn all(&self) -> impl Iterator<Item = (u64, Site)> + '_ {
        (0..)
            .zip(&self.of_counter)
            .flat_map(|(counter, sites)| sites.iter().map(move |&site| (counter, site)))
    }
}

/// Where it is seen that control comes to a block.
fn come_to(graph: &Graph<'_>, block: Block) -> Vec<Site> {
    if graph.cfg.counts_above(block) {
        return graph.cfg.predecessors(block).iter().map(|&edge| Site::Edge(edge)).collect();
    }
    vec![Site::Top(block)]
}
