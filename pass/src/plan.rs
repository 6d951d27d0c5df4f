//! Plans how the functions of a unit are counted.
//!
//! The mathematics is that of the crate `paths`; here it is chosen which part of it a mode needs.

pub(crate) mod path_sites;
pub(crate) mod sites;
mod trace;

use pathformat::settings::Mode;
use paths::techniques::Techniques;

use crate::options::Options;
use crate::read::Unit;
use crate::read::graph::Graph;

use self::sites::Sites;

pub(crate) use self::trace::{NUMBER, REPETITION, Records, Repetition, TracePlan};

/// The plan of a function.
pub(crate) enum Plan {
    /// Each path has a counter.
    Paths(Box<PathPlan>),
    /// Blocks or edges have counters.
    Sites(Sites),
    /// Paths are written down in their order.
    Trace(Box<TracePlan>),
    /// Nothing is done, for this reason.
    Refused(&'static str),
}

/// The plan of a function whose paths are counted.
pub(crate) struct PathPlan {
    /// The paths, of which the limit cuts the longest.
    pub(crate) cut: paths::Plan,
    /// The paths without the limit, if a table is to have those that it cuts.
    pub(crate) uncut: Option<paths::Plan>,
}

/// The plan of each function of a unit, in their order; `None` for a function that is not counted.
pub(crate) fn unit(unit: &Unit<'_>, options: &Options) -> Vec<Option<Plan>> {
    let graphs = unit.definitions.iter().map(|definition| definition.body.as_ref().ok());
    graphs.map(|graph| graph.map(|graph| function(graph, options))).collect()
}

fn function(graph: &Graph<'_>, options: &Options) -> Plan {
    match options.mode {
        Mode::Paths | Mode::Log => Plan::Paths(Box::new(paths(graph, options))),
        Mode::Blocks => Plan::Sites(Sites::of_blocks(graph, options)),
        Mode::Edges => Plan::Sites(Sites::of_edges(graph)),
        Mode::Calls => Plan::Sites(Sites::of_calls(graph)),
        Mode::Trace => match trace::plan(graph, options) {
            Ok(plan) => Plan::Trace(Box::new(plan)),
            Err(reason) => Plan::Refused(reason),
        },
    }
}

fn paths(graph: &Graph<'_>, options: &Options) -> PathPlan {
    let techniques = options.techniques.in_plan(graph.weights);
    let loop_entries = techniques.loop_entries && graph.is_optimised;
    let techniques = Techniques { loop_entries, ..techniques };
    let cut = paths::plan(&graph.cfg, &graph.frequency, options.limit, techniques);
    let uncut = || paths::plan_uncut(&graph.cfg, &graph.frequency, techniques, &cut);
    let uncut = options.table.and_then(|_| uncut());
    PathPlan { cut, uncut }
}
