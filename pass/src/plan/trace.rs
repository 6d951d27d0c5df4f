//! Plans how a function is traced.
//!
//! A record is written where a path ends, and nowhere else: what the path accesses must have been
//! recorded by then. So nothing is counted ahead of an end.

use pathformat::trace::{ADDRESS, LONGEST_RECORD};
use paths::cfg::Block;
use paths::dag::Dag;
use paths::techniques::Techniques;

use crate::options::Options;
use crate::read::graph::Graph;

/// Bytes of the number that a record starts with.
pub(crate) const NUMBER: usize = 4;

/// How the paths of a function are traced.
pub(crate) struct TracePlan {
    /// The paths.
    pub(crate) paths: paths::Plan,
    /// The most bytes that a path of the function records.
    pub(crate) longest: usize,
}

/// The plan of a function.
///
/// # Errors
/// Its paths record more than there is room for.
pub(super) fn plan(graph: &Graph<'_>, options: &Options) -> Result<TracePlan, &'static str> {
    let techniques = options.techniques.in_plan(graph.is_measured);
    let techniques = Techniques { above: false, joins: false, speculation: false, ..techniques };
    let paths = paths::plan(&graph.cfg, &graph.frequency, options.limit, techniques);
    let longest = NUMBER + longest_payload(graph, &paths.dag);
    if longest > LONGEST_RECORD {
        return Err("a path has too many accesses to memory");
    }
    Ok(TracePlan { paths, longest })
}

/// The most bytes that a path has for its accesses.
fn longest_payload(graph: &Graph<'_>, dag: &Dag) -> usize {
    let recorded = |block: Block| {
        graph.accesses(block).iter().map(|access| ADDRESS * access.num_recorded()).sum::<usize>()
    };
    let mut longest = vec![0usize; dag.num_nodes()];
    for &block in dag.postorder() {
        let behind = dag.successors(block).iter().map(|&edge| longest[dag.edge(edge).to.index()]);
        longest[block.index()] = behind.max().unwrap_or(0).saturating_add(recorded(block));
    }
    longest[paths::cfg::ENTRY.index()]
}
