//! Computes the weights for a second compilation: the count of each edge, and the hot functions.

use std::cmp::Reverse;

use counts::model::{Count, Function, Report};
use pathformat::manifest::Linkage;
use pathformat::weights::{Edges, FunctionWeights, Weights};

/// Returns the weights of every function that ran.
pub fn of(report: &Report) -> Weights {
    let mut functions: Vec<_> =
        report.with_blocks().filter(|function| function.entries > 0).collect();
    functions
        .sort_by_cached_key(|function| (Reverse(function.executed()), function.shape.name.clone()));
    let all = report.executed().max(1);
    let mut weights = Weights::default();
    let mut hotter: Count = 0;
    for function in functions {
        let source =
            report.modules.get(function.module).map_or("", |module| module.source.as_str());
        let is_inline = matches!(function.shape.linkage, Linkage::Inline | Linkage::Copy);
        let known = FunctionWeights {
            hotter: (hotter.saturating_mul(1000) / all) as u32,
            edges: edges(function),
        };
        weights.insert((!is_inline).then_some(source), &function.shape.name, known);
        hotter = hotter.saturating_add(function.executed());
    }
    weights
}

fn edges(function: &Function) -> Edges {
    let shape = function.shape.edges.iter().zip(&function.edge_counts);
    let count = |count: Option<Count>| u64::try_from(count.unwrap_or_default()).unwrap_or(u64::MAX);
    shape.map(|(edge, &taken)| (edge.from, edge.to, count(taken))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn the_hottest_function_comes_first() {
        let text = of(&sample::report()).to_text();
        let mut hotter: Vec<u32> =
            text.lines().filter_map(|line| line.strip_prefix("hotter ")?.parse().ok()).collect();
        hotter.sort_unstable();
        assert!(
            hotter.len() > 2
                && hotter[0] == 0
                && hotter[1] > 900
                && hotter.iter().all(|&share| share <= 1000),
            "{text}"
        );
    }
}
