//! Plans how a function is traced.
//!
//! A record is written where a path ends, and nowhere else: what the path accesses must have been
//! recorded by then. So nothing is counted ahead of an end.

use pathformat::trace::{ADDRESS, LONGEST_RECORD};
use paths::cfg::{Block, ENTRY, Edge};
use paths::dag::{Cut, CutSite, Dag, DagEdge, DagEdgeData, DagEdgeKind};
use paths::techniques::Techniques;

use crate::options::Options;
use crate::read::graph::Graph;
use crate::read::repeats::Repeat;

/// Bytes of the number that a record with addresses starts with.
pub(crate) const NUMBER: usize = 4;

/// The plan of a traced function.
pub(crate) struct TracePlan {
    /// The paths.
    pub(crate) paths: paths::Plan,
    /// The most bytes that a path of the function records, with what stands before it.
    pub(crate) longest: usize,
    /// For each block, whether paths that end with it have recorded anything.
    pub(crate) records: Vec<Records>,
    /// The loops whose trace has the number of iterations.
    pub(crate) repeats: Vec<Repetition>,
}

/// Whether paths that come to a place have recorded anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Records {
    /// None has.
    Never,
    /// Some have.
    Sometimes,
    /// All have.
    Always,
}

/// A loop whose trace has the number of iterations.
pub(crate) struct Repetition {
    /// The edges from outside to its header.
    pub(crate) entries: Vec<Edge>,
    /// The edge back to the header.
    pub(crate) back: Edge,
    /// The path that is each of its iterations.
    pub(crate) path: u64,
}

/// The length of the event with the number of a loop's iterations, in bytes.
pub(crate) const REPETITION: usize = NUMBER + size_of::<pathformat::trace::Repetition>();

/// The plan of a function.
///
/// # Errors
/// Its paths record more than there is room for.
pub(super) fn plan(graph: &Graph<'_>, options: &Options) -> Result<TracePlan, &'static str> {
    let techniques = options.techniques.in_plan(graph.weights);
    let techniques = Techniques {
        loop_entries: false,
        above: false,
        joins: false,
        speculation: false,
        ..techniques
    };
    let paths = paths::plan(&graph.cfg, &graph.frequency, options.limit, techniques);
    let repeats: Vec<_> =
        graph.repeats().iter().filter_map(|repeat| repetition(&paths, repeat)).collect();
    let before = if repeats.is_empty() { 0 } else { REPETITION };
    let longest = before + NUMBER + longest_payload(graph, &paths.dag);
    if longest > LONGEST_RECORD {
        return Err("a path has too many accesses to memory");
    }
    let records = records(graph, &paths.dag);
    Ok(TracePlan { paths, longest, records, repeats })
}

/// The repetition that a loop becomes, unless the limit cuts the loop elsewhere too.
fn repetition(paths: &paths::Plan, repeat: &Repeat) -> Option<Repetition> {
    let dag = &paths.dag;
    let is_on_edges = |edge: &Edge| {
        let Some(Cut { end, start }) = dag.cut(*edge) else { return false };
        matches!(dag.edge(end).kind, DagEdgeKind::End(CutSite::OnEdges, _))
            && matches!(dag.edge(start).kind, DagEdgeKind::Start(CutSite::OnEdges, _))
    };
    let Cut { end, start } = dag.cut(repeat.back)?;
    if !is_on_edges(&repeat.back) {
        return None;
    }
    let way: Option<Vec<DagEdge>> = repeat.way.iter().map(|&edge| dag.flow(edge)).collect();
    let edges = [start].into_iter().chain(way?).chain([end]);
    let path = edges.map(|edge| paths.numbering.value(edge)).sum();
    Some(Repetition { entries: repeat.entries.clone(), back: repeat.back, path })
}

/// The number of bytes that a block's accesses record.
fn recorded(graph: &Graph<'_>, block: Block) -> usize {
    graph.accesses(block).iter().map(|access| ADDRESS * access.num_recorded()).sum()
}

/// Whether paths have recorded anything when they come to the end of each block.
fn records(graph: &Graph<'_>, dag: &Dag) -> Vec<Records> {
    let mut records = vec![Records::Never; dag.num_nodes()];
    for &block in dag.postorder().iter().rev().filter(|&&block| block != dag.exit()) {
        let before = |&edge: &DagEdge| match dag.edge(edge) {
            DagEdgeData { kind: DagEdgeKind::Start(..), .. } => Records::Never,
            DagEdgeData { from, .. } => records[from.index()],
        };
        let mut before: Vec<_> = dag.predecessors(block).iter().map(before).collect();
        if block == ENTRY {
            before.push(Records::Never);
        }
        records[block.index()] = if recorded(graph, block) > 0 {
            Records::Always
        } else {
            let first = before.first().copied().unwrap_or(Records::Never);
            let is_same = before.iter().all(|&of| of == first);
            if is_same { first } else { Records::Sometimes }
        };
    }
    records
}

/// The most bytes that a path has for its accesses.
fn longest_payload(graph: &Graph<'_>, dag: &Dag) -> usize {
    let mut longest = vec![0usize; dag.num_nodes()];
    for &block in dag.postorder() {
        let behind = dag.successors(block).iter().map(|&edge| longest[dag.edge(edge).to.index()]);
        longest[block.index()] = behind.max().unwrap_or(0).saturating_add(recorded(graph, block));
    }
    longest[ENTRY.index()]
}
