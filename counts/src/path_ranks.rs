//! Numbers the executed paths of a function: `main#1` is the hottest path of `main`.

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::model::{Function, Path, PathId};

/// Returns the executed paths of a function, most executed instructions first. Ties are broken by
/// the higher count, then by the smaller id.
pub fn ranked(function: &Function) -> Vec<&Path> {
    let mut paths: Vec<_> = function.paths.iter().collect();
    paths.sort_by_key(|path| (Reverse(path.executed()), Reverse(path.count), path.id));
    paths
}

/// Returns for each id of an executed path its number, from 1.
pub fn ranks(function: &Function) -> HashMap<PathId, usize> {
    ranked(function).into_iter().zip(1..).map(|(path, rank)| (path.id, rank)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn the_hottest_path_is_the_first() {
        let report = sample::report();
        let ids: Vec<_> = ranked(&report.functions[0]).iter().map(|path| path.id.0).collect();
        assert_eq!(ids, [7, 5, 6, 1, 0]);
        assert_eq!(ranks(&report.functions[0])[&PathId(6)], 3);
    }
}
