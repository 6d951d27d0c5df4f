//! Sorts functions and paths.

use std::cmp::Reverse;

use crate::model::{Function, Path};

/// The order of a table. Ties are broken by executed instructions, then by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// The number of executions (of a function: of calls).
    Count,
    /// Executed instructions.
    #[default]
    Instructions,
    /// Number of basic blocks.
    Length,
    /// Name of the function.
    Function,
}

/// Returns the executed paths of `functions`, sorted.
pub fn paths<'a>(functions: &[&'a Function], sort: Sort) -> Vec<(&'a Function, &'a Path)> {
    let mut paths: Vec<_> = functions
        .iter()
        .flat_map(|&function| function.paths.iter().map(move |path| (function, path)))
        .collect();
    paths.sort_by(|left, right| {
        let by = |what: fn(&Path) -> u128| what(right.1).cmp(&what(left.1));
        let name = left.0.demangled.cmp(&right.0.demangled);
        let first = match sort {
            Sort::Count => by(|path| path.count),
            Sort::Instructions => by(Path::executed),
            Sort::Length => by(|path| path.blocks.len() as u128),
            Sort::Function => name,
        };
        first
            .then(by(Path::executed))
            .then(by(|path| path.count))
            .then(name)
            .then(left.1.id.cmp(&right.1.id))
    });
    paths
}

/// Sorts `functions`.
pub fn sort_functions(functions: &mut [&Function], sort: Sort) {
    functions.sort_by_cached_key(|function| {
        let key = match sort {
            Sort::Count => function.entries,
            Sort::Instructions => function.executed(),
            Sort::Length => function.shape.blocks.len() as u128,
            Sort::Function => 0,
        };
        // In the order of names, nothing precedes the name.
        let tie = (sort != Sort::Function).then(|| function.executed());
        (Reverse(key), Reverse(tie), function.demangled.clone())
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use crate::select::filter::{Filter, functions};

    #[test]
    fn paths_sort_by_each_key() {
        let report = sample::report();
        let all = functions(&report, &Filter::default()).functions;
        let first = |sort| {
            let (function, path) = paths(&all, sort)[0];
            (function.demangled.clone(), path.id.0)
        };
        assert_eq!(first(Sort::Instructions), ("collatz".into(), 7));
        assert_eq!(first(Sort::Count), ("collatz".into(), 7));
        assert_eq!(first(Sort::Length), ("collatz".into(), 0));
        assert_eq!(first(Sort::Function), ("collatz".into(), 7));
    }

    #[test]
    fn functions_sort_by_each_key() {
        let report = sample::report();
        let first = |sort| {
            let mut all = functions(&report, &Filter::default()).functions;
            sort_functions(&mut all, sort);
            all[0].demangled.clone()
        };
        assert_eq!(first(Sort::Instructions), "collatz");
        assert_eq!(first(Sort::Count), "util::weigh(int)");
        assert_eq!(first(Sort::Length), "collatz");
        assert_eq!(first(Sort::Function), "collatz");
    }
}
