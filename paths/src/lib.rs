//! Exact path profiling as mathematics: from a control-flow graph to the code that counts its
//! acyclic paths.
//!
//! The algorithm is that of "Efficient Path Profiling" (Ball & Larus, MICRO-29, 1996) with the
//! event-counting placement of "Optimally Profiling and Tracing Programs" (Ball & Larus, TOPLAS
//! 16(4), 1994). [`plan`] is the pipeline; each stage takes values and returns a value. Nothing
//! here knows LLVM, files or formats.
//!
//! From a graph to a plan of its paths, in the order of the stages:
//!
//! * [`cfg`](mod@cfg) the control-flow graph
//! * [`cuts`] which of its edges are cut
//! * [`dag`] the acyclic graph that remains
//! * [`numbering`] an id for every path
//! * [`moves`] initialisation moves down, and counting moves up
//! * [`spanning_tree`] which edges do not step the path register
//! * [`increments`] what the other edges add to it
//! * [`placement`] where the register is set and stepped, and paths are counted
//! * `speculation` paths in short loops are counted before their last branch
//! * [`techniques`] which of these savings are made
//!
//! From counts back to what ran:
//!
//! * [`decode`] from an id to the edges of its path
//! * [`in_flight`] how many frames did not come back from a call
//!
//! Counters of blocks and edges, where paths are not counted:
//!
//! * [`flow_network`] which counts determine all others
//! * [`blocks`], [`edges`] which blocks and edges have a counter
//! * [`patterns`] the same by the shapes of the graph
//!
//! For tests and people: [`text`] writes graphs and plans as text; `examples` are those of the
//! literature; `oracle` and `random` are the slow, obvious versions that everything is compared
//! with. `adjacency` and `union_find` are what graphs are made of.
#![forbid(unsafe_code)]

mod adjacency;
pub mod blocks;
pub mod cfg;
pub mod cuts;
pub mod dag;
pub mod decode;
pub mod edges;
#[cfg(test)]
mod examples;
pub mod flow_network;
pub mod in_flight;
pub mod increments;
pub mod moves;
pub mod numbering;
#[cfg(test)]
mod oracle;
pub mod patterns;
pub mod placement;
#[cfg(test)]
mod random;
pub mod spanning_tree;
mod speculation;
pub mod techniques;
pub mod text;
mod union_find;

use cfg::Cfg;
use cuts::Cuts;
use dag::{Dag, DagEdge};
use increments::Increments;
use moves::Moves;
use numbering::Numbering;
use placement::Placement;
use spanning_tree::SpanningTree;
use techniques::Techniques;

/// Everything that is decided about one function.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The acyclic graph whose paths are counted.
    pub dag: Dag,
    /// Their ids.
    pub numbering: Numbering,
    /// The code that computes and counts the ids.
    pub placement: Placement,
    /// The number of paths in flight among them.
    pub in_flight: u64,
}

/// No function is given more paths than this, whatever the limit: an id is an index for the
/// generated code.
const MOST_PATHS: u64 = 1 << 62;

/// The same without a limit, for a table of those paths that were executed: what is counted is the
/// end of a path, once; paths in flight are not. `None` if `limited` cuts nothing that this would
/// not, or if there are more paths than numbers: then not every uncut path would consist of those
/// that `limited` counts.
pub fn plan_uncut(
    cfg: &Cfg,
    frequency: &[u64],
    techniques: Techniques,
    limited: &Plan,
) -> Option<Plan> {
    let techniques = Techniques { speculation: false, ..techniques };
    let uncut = plan(&cfg.clone().without_in_flight(), frequency, MOST_PATHS, techniques);
    let is_cut = |plan: &Plan, edge| plan.dag.cut(edge).is_some();
    let cuts_less = cfg.edges().any(|edge| is_cut(limited, edge) && !is_cut(&uncut, edge));
    let cuts_no_other = cfg.edges().all(|edge| is_cut(limited, edge) || !is_cut(&uncut, edge));
    (cuts_less && cuts_no_other).then_some(uncut)
}

/// Plans the counting of the paths of `cfg`, cutting edges until there are at most `limit` paths
/// that end, or none is left to cut; see [`Cuts::within`] for those in flight. `frequency` gives
/// the estimated executions of every edge, indexed like the edges of `cfg`: wrong estimates cost
/// speed, never exactness, and so do `techniques` that are left out.
pub fn plan(cfg: &Cfg, frequency: &[u64], limit: u64, techniques: Techniques) -> Plan {
    plan_cut_before(cfg, frequency, limit, techniques, &[])
}

/// The same, where all paths also end before some blocks: those of them that can be cut off from
/// what comes before.
pub fn plan_cut_before(
    cfg: &Cfg,
    frequency: &[u64],
    limit: u64,
    techniques: Techniques,
    before: &[cfg::Block],
) -> Plan {
    let necessary = Cuts::necessary(cfg);
    let cuts = if techniques.loop_entries { necessary.with_loop_entries(cfg) } else { necessary };
    let cuts = cuts.with_cuts_before(cfg, before);
    let cuts = cuts.within(cfg, frequency, limit.min(MOST_PATHS));
    let dag = Dag::new(cfg, &cuts);
    let weights = dag.weights(cfg, frequency);
    let numbering = if techniques.order {
        Numbering::hottest_first(&dag, &weights)
    } else {
        Numbering::of(&dag)
    };
    let numbering = numbering.expect("the cuts keep the number of paths within 64 bits");
    let moves = Moves::of(cfg, &dag, techniques);
    let cost = |edge: DagEdge| moves.step_cost(&dag, edge, weights[edge.index()]);
    let tree = SpanningTree::heaviest(cfg, &dag, |edge| techniques.weights.then(|| cost(edge)));
    let increments = Increments::of_chords(&dag, &numbering, &tree);
    let moves = moves.over_joins(cfg, &dag, &increments, &weights, techniques);
    let placement = Placement::of(cfg, &dag, &increments, &moves, &weights, techniques);
    let in_flight = numbering.total() - cuts.num_paths(&cfg.clone().without_in_flight());
    Plan { dag, numbering, placement, in_flight }
}
