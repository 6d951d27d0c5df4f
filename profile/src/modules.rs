//! Arithmetic on the counts of modules.
//!
//! The keys of tables are no counts. They stand in front of the module that they belong to, and are
//! those of the later reading.

use std::collections::{HashMap, HashSet};

use pathformat::ModuleId;
use pathformat::profile::{Module, Part};

/// Adds `counts` to `sums`, both in ascending order of index. Counters wrap: a frame that came back
/// is subtracted.
pub(crate) fn add(sums: &mut Vec<(u64, u64)>, counts: Vec<(u64, u64)>) {
    if sums.is_empty() {
        *sums = counts;
        return;
    }
    let before = std::mem::take(sums);
    sums.reserve(before.len().max(counts.len()));
    let (mut before, mut counts) = (before.into_iter().peekable(), counts.into_iter().peekable());
    loop {
        let next = match (before.peek(), counts.peek()) {
            (Some(&(one, sum)), Some(&(other, count))) if one == other => {
                before.next();
                counts.next();
                (one, sum.wrapping_add(count))
            }
            (Some((one, _)), Some((other, _))) if one > other => counts.next().unwrap_or_default(),
            (Some(_), _) => before.next().unwrap_or_default(),
            (None, Some(_)) => counts.next().unwrap_or_default(),
            (None, None) => return,
        };
        if next.1 != 0 {
            sums.push(next);
        }
    }
}

/// Returns the modules of a part, each once. A process that had no memory for sums has a module for
/// each of its threads.
pub(crate) fn by_module(part: &Part) -> Vec<Module> {
    let mut modules: Vec<Module> = Vec::new();
    let mut places: HashMap<ModuleId, usize> = HashMap::new();
    for module in &part.modules {
        match places.get(&module.id) {
            Some(&at) => add(&mut modules[at].counts, module.counts.clone()),
            None => {
                places.insert(module.id, modules.len());
                modules.push(module.clone());
            }
        }
    }
    modules
}

/// Returns for each of these modules, each of which is there once, whether it is of keys.
fn are_keys(modules: &[Module]) -> Vec<bool> {
    let places: HashMap<ModuleId, usize> =
        modules.iter().enumerate().map(|(at, module)| (module.id, at)).collect();
    let is_of_keys =
        |(at, module): (usize, &Module)| places.get(&module.id.keys()).is_some_and(|&of| of > at);
    modules.iter().enumerate().map(is_of_keys).collect()
}

/// Changes the counts of modules, each of which is there once, by those of the same modules
/// elsewhere. Keys stay.
pub(crate) fn change_by(
    modules: &mut [Module],
    others: &[Module],
    mut change: impl FnMut(&mut Vec<(u64, u64)>, &[(u64, u64)]),
) {
    let others: HashMap<_, _> = others.iter().map(|module| (module.id, &module.counts)).collect();
    let are_keys = are_keys(modules);
    for (module, _) in modules.iter_mut().zip(are_keys).filter(|(_, are_keys)| !are_keys) {
        if let Some(others) = others.get(&module.id) {
            change(&mut module.counts, others);
        }
    }
}

/// Leaves out counts below 0, and keys without counts.
pub(crate) fn positive(mut modules: Vec<Module>) -> Vec<Module> {
    let are_keys = are_keys(&modules);
    for (module, _) in modules.iter_mut().zip(&are_keys).filter(|(_, are_keys)| !**are_keys) {
        module.counts.retain(|&(_, count)| count.cast_signed() > 0);
    }
    let counted: HashSet<ModuleId> = modules
        .iter()
        .zip(&are_keys)
        .filter(|(module, are_keys)| !**are_keys && !module.counts.is_empty())
        .flat_map(|(module, _)| [module.id, module.id.keys()])
        .collect();
    modules.retain(|module| counted.contains(&module.id));
    modules
}

/// Adds the modules of another reading of the same process, which has other counts.
pub(crate) fn add_modules(modules: &mut Vec<Module>, others: Vec<Module>) {
    change_by(modules, &others, |sums, counts| add(sums, counts.to_vec()));
    let known: HashSet<ModuleId> = modules.iter().map(|module| module.id).collect();
    let mut new: Vec<_> = others.into_iter().filter(|module| !known.contains(&module.id)).collect();
    modules.append(&mut new);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_added_by_index() {
        let sum = |lists: &[&[(u64, u64)]]| {
            let mut sums = Vec::new();
            lists.iter().for_each(|list| add(&mut sums, list.to_vec()));
            sums
        };
        assert_eq!(
            sum(&[&[(1, 5), (3, 6)], &[(0, 1), (3, 4), (9, 9)], &[]]),
            [(0, 1), (1, 5), (3, 10), (9, 9)]
        );
        assert_eq!(sum(&[&[(1, 5)], &[(1, u64::MAX - 4), (2, 1)]]), [(2, 1)]);
    }
}
