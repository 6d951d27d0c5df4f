//! What a second compilation wants to know: how often each edge was taken.

use pathformat::manifest::Linkage;
use pathformat::weights::Weights;

use crate::model::{Function, Report};

/// The weights of every function that ran.
pub fn of(report: &Report) -> Weights {
    let mut weights = Weights::default();
    for function in report.with_blocks().filter(|function| function.entries > 0) {
        let source = report.modules.get(function.module).map_or("", |module| module.source.as_str());
        let is_inline = function.shape.linkage == Linkage::Inline;
        weights.insert((!is_inline).then_some(source), &function.shape.name, edges(function));
    }
    weights
}

fn edges(function: &Function) -> pathformat::weights::Edges {
    let shape = function.shape.edges.iter().zip(&function.edge_counts);
    let count = |count: Option<crate::model::Count>| u64::try_from(count.unwrap_or_default()).unwrap_or(u64::MAX);
    shape.map(|(edge, &taken)| (edge.from, edge.to, count(taken))).collect()
}
