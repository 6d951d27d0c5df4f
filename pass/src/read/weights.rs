//! Reads the weights of an earlier run, which take the place of LLVM's estimates.
//!
//! Weights decide where counting code goes and which edges are cut. Counts are exact with any
//! weights. A function that did not run, or whose graph has changed, keeps the estimates. Weights
//! also show which functions are hot, where only those are wanted.

use std::fs;

use pathformat::manifest::WeightSource;
use pathformat::weights::{FunctionWeights, Weights};
use paths::cfg::Cfg;

use crate::options::Options;

/// Says why the weights of a source file are used for none of its functions. A file of which
/// nothing ran has no weights, and needs no warning.
pub(crate) fn warn_unused(weights: &Weights, options: &Options, source: &str) {
    let why = if weights.is_ambiguous() {
        format!(
            "several of its files may be {source}: name it to the compiler as in the first build"
        )
    } else if weights.knows(source) {
        format!("nothing of it fits {source}: the code or its options have changed since")
    } else {
        return;
    };
    if let Some(path) = &options.weights {
        eprintln!("pathcc: warning: {}: {why}; estimates are used", path.display());
    }
}

/// The weights for a source file; `None` if there are none to be had. What cannot be read is
/// reported once for each compilation: it costs speed alone.
pub(crate) fn read(options: &Options, source: &str) -> Option<Weights> {
    let path = options.weights.as_ref()?;
    let instead = if options.hot.is_some() {
        "estimates are used and all functions counted"
    } else {
        "estimates are used"
    };
    let warn = |why: &str| eprintln!("pathcc: warning: {}: {why}; {instead}", path.display());
    match fs::read_to_string(path) {
        Ok(text) => Weights::for_source(&text, source)
            .inspect_err(|line| warn(&format!("line {line} is damaged")))
            .ok(),
        Err(error) => {
            warn(&format!("cannot be read: {error}"));
            None
        }
    }
}

/// The executions of the edges of a graph, and their source: what is `known` from an earlier run of
/// the same graph, else the estimates.
pub(crate) fn of_edges(
    cfg: &Cfg,
    estimates: Vec<u64>,
    known: Option<&FunctionWeights>,
    options: &Options,
) -> (WeightSource, Vec<u64>) {
    match known {
        None if options.weights.is_some() => (WeightSource::Missing, estimates),
        None => (WeightSource::Estimated, estimates),
        Some(known) if has_edges(cfg, known) => {
            (WeightSource::Measured, known.edges.iter().map(|&(_, _, count)| count).collect())
        }
        Some(_) => (WeightSource::Outdated, estimates),
    }
}

/// True if a graph has the edges that an earlier run knew.
fn has_edges(cfg: &Cfg, known: &FunctionWeights) -> bool {
    let edges = cfg.edges().map(|edge| cfg.edge(edge)).map(|edge| (edge.from.0, edge.to.0));
    edges.eq(known.edges.iter().map(|&(from, to, _)| (from, to)))
}
