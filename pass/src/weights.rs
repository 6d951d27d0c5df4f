//! Weights from an earlier run of the program, in place of LLVM's estimates.
//!
//! They decide where the code goes and which edges are cut; counts are exact with any. A function that did not run, or whose
//! graph is another one by now, keeps its estimates.

use std::fs;

use pathformat::weights::Weights;

use crate::options::Options;
use crate::read_cfg::Graph;

/// The weights for a source file, as far as there are any. What cannot be read is told once for each compilation: it costs
/// speed alone.
pub(crate) fn read(options: &Options, source: &str) -> Weights {
    let Some(path) = &options.weights else { return Weights::default() };
    let warn = |why: &str| eprintln!("pathcc: warning: {}: {why}; estimates are used", path.display());
    match fs::read_to_string(path) {
        Ok(text) => Weights::for_source(&text, source).unwrap_or_else(|line| {
            warn(&format!("line {line} is damaged"));
            Weights::default()
        }),
        Err(error) => {
            warn(&format!("cannot be read: {error}"));
            Weights::default()
        }
    }
}

/// Replaces the estimates of a function's graph by what is known of it.
pub(crate) fn apply(weights: &Weights, source: &str, function: &str, graph: &mut Graph<'_>) {
    let Some(known) = weights.get(source, function) else { return };
    let edges = graph.cfg.edges().map(|edge| graph.cfg.edge(edge)).map(|edge| (edge.from.0, edge.to.0));
    if edges.eq(known.iter().map(|&(from, to, _)| (from, to))) {
        graph.frequency = known.iter().map(|&(_, _, count)| count).collect();
        graph.is_measured = true;
    }
}
