//! Suggests names that are similar to a misspelt one.

use std::collections::BTreeSet;
use std::path::PathBuf;

use profile::names;

use crate::model::{Function, Module};
use crate::select::names::all_names;

/// Returns the names of these functions that are most similar to `glob`, the nearest first.
pub fn nearest(functions: &[&Function], glob: &str) -> Vec<String> {
    let named = functions.iter().map(|function| {
        let short = names::short(&function.shape);
        (short.unwrap_or_else(|| function.demangled.clone()), all_names(function))
    });
    nearest_of(glob, named)
}

/// Returns the candidates most similar to `glob`, the nearest first. A candidate is the text to
/// return and all of its names.
fn nearest_of(glob: &str, all: impl Iterator<Item = (String, BTreeSet<String>)>) -> Vec<String> {
    // The maximum number of suggestions.
    const MOST: usize = 3;
    let wanted = glob.replace(['*', '?'], "").to_lowercase();
    let mut found: Vec<(usize, String)> = Vec::new();
    for (called, names) in all {
        let distance = |name: &String| {
            let name = name.to_lowercase();
            let has = !wanted.is_empty() && name.contains(&wanted);
            if has { 1 } else { strsim::osa_distance(&wanted, &name) }
        };
        let Some(least) = names.iter().map(distance).min() else { continue };
        if least <= (wanted.chars().count() / 3).max(1) {
            found.push((least, called));
        }
    }
    found.sort();
    found.dedup();
    found.into_iter().map(|(_, name)| name).take(MOST).collect()
}

/// Returns the files with code of these functions: their names as given to the compiler, and their
/// absolute paths.
pub fn files<'a>(
    functions: impl Iterator<Item = &'a Function>,
    modules: &[Module],
) -> BTreeSet<(&'a str, PathBuf)> {
    let mut files = BTreeSet::new();
    for function in functions {
        let shape = &function.shape;
        let names = shape.locations.iter().map(|at| at.file.as_str());
        let mut names: Vec<_> = names.chain([shape.file.as_str()]).collect();
        // Neighbouring locations are mostly of the same file.
        names.dedup();
        let module = &modules[function.module];
        let named = names.into_iter().filter(|name| !name.is_empty());
        files.extend(named.map(|name| (name, module.path(name))));
    }
    files
}

/// Returns the names of these files that are most similar to `glob`, the nearest first.
pub fn nearest_files(files: &BTreeSet<(&str, PathBuf)>, glob: &str) -> Vec<String> {
    let names = |file: &str| [file.to_owned(), file.rsplit('/').next().unwrap_or(file).to_owned()];
    let files = files.iter().map(|(file, _)| ((*file).to_owned(), names(file).into()));
    nearest_of(glob, files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn what_is_misspelt_has_neighbours() {
        let report = sample::report();
        let functions: Vec<_> = report.functions.iter().collect();
        assert_eq!(nearest(&functions, "colatz"), ["collatz"]);
        assert_eq!(nearest(&functions, "wiegh"), ["util::weigh"]);
        assert_eq!(nearest(&functions, "Main"), ["main"]);
        assert_eq!(nearest(&functions, "util::*x"), [""; 0]);
        assert_eq!(nearest(&functions, "util:"), ["util::guard", "util::weigh"]);
    }
}
