//! Describes the paths of a list. Paths of one function are described together, so that no two of
//! them read the same.

use std::collections::HashMap;

use crate::model::{Function, Path};
use crate::path_text::{self, PathText, Wording};

/// A path in a list.
#[derive(Clone, Copy, Debug)]
pub struct ListedPath<'a> {
    /// The function.
    pub function: &'a Function,
    /// Its path.
    pub path: &'a Path,
    /// The wording for the paths of the function.
    pub wording: Wording<'a>,
}

/// Returns the indexes of the paths of each function, in the order of their first paths. A function
/// is identified by its address in memory.
pub fn by_function(list: &[ListedPath<'_>]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut numbers: HashMap<*const Function, usize> = HashMap::new();
    for (at, listed) in list.iter().enumerate() {
        let number = *numbers.entry(listed.function).or_insert(groups.len());
        if number == groups.len() {
            groups.push(Vec::new());
        }
        groups[number].push(at);
    }
    groups
}

/// Returns the texts of these paths, which must be of one function.
pub fn texts_together<'a>(list: &[ListedPath<'a>]) -> Vec<PathText<'a>> {
    let paths: Vec<_> = list.iter().map(|listed| listed.path).collect();
    let first = list.first();
    first.map_or_else(Vec::new, |first| path_text::texts(first.function, first.wording, &paths))
}

/// Returns the text of each path on one line.
pub fn plain(list: &[ListedPath<'_>]) -> Vec<String> {
    let mut plain = vec![String::new(); list.len()];
    for group in by_function(list) {
        let of_one: Vec<_> = group.iter().map(|&at| list[at]).collect();
        for (at, text) in group.into_iter().zip(texts_together(&of_one)) {
            plain[at] = text.plain();
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn functions_are_in_the_order_of_the_list() {
        let report = sample::report();
        let with_paths: Vec<_> =
            report.functions.iter().filter(|of| !of.paths.is_empty()).take(2).collect();
        let listed = |number: usize| {
            let function: &Function = with_paths[number];
            ListedPath { function, path: &function.paths[0], wording: Wording::default() }
        };
        assert_eq!(by_function(&[0, 1, 0].map(listed)), [vec![0, 2], vec![1]]);
        assert_eq!(by_function(&[1, 0, 1].map(listed)), [vec![0, 2], vec![1]]);
    }

    #[test]
    fn paths_of_a_list_differ_if_they_are_of_one_function() {
        let report = sample::report();
        let function = &report.functions[0];
        let mut twin = function.paths[0].clone();
        twin.id.0 += 1_000;
        let listed = |path| ListedPath { function, path, wording: Wording::default() };
        let list = [listed(&function.paths[0]), listed(&function.paths[1]), listed(&twin)];
        assert_eq!(by_function(&list), [[0, 1, 2]]);
        let texts = plain(&list);
        assert_ne!(texts[0], texts[2], "nothing but the id tells them apart");
        assert!(texts[2].ends_with(&format!("#{}", twin.id)), "{}", texts[2]);
        assert_eq!(texts[1], plain(&list[1..2])[0]);
    }
}
