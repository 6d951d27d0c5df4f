//! Arithmetic on the counts of modules.
//!
//! The keys of tables are no counts. A module of keys stands in front of the module that it belongs
//! to. Keys of one process are the same wherever they are known, and are never added.

use std::collections::{HashMap, HashSet};

use pathformat::ModuleId;
use pathformat::profile::{Module, Part};

/// Adds `counts` to `sums`, both in ascending order of index. Counters wrap: a frame that came back
/// is subtracted.
pub(crate) fn add(sums: &mut Vec<(u64, u64)>, counts: Vec<(u64, u64)>) {
    join(sums, counts, u64::wrapping_add);
}

/// Joins two lists in ascending order of index. What is in both is given by `both`; what is 0 then
/// is left out.
fn join(sums: &mut Vec<(u64, u64)>, counts: Vec<(u64, u64)>, both: impl Fn(u64, u64) -> u64) {
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
                (one, both(sum, count))
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

/// Sums of the counts of one process, and its keys.
#[derive(Debug, Default)]
pub(crate) struct ModuleSums {
    /// The modules in the order in which they came, and their counts.
    order: Vec<ModuleId>,
    modules: HashMap<ModuleId, (u64, Vec<(u64, u64)>)>,
    /// Lists that are not added yet, by module. They are added in pairs of about the same length,
    /// so that thousands of short ones cost no more than their length.
    pending: HashMap<ModuleId, Vec<Vec<(u64, u64)>>>,
    keys: HashSet<ModuleId>,
}

impl ModuleSums {
    /// Adds modules of another reading of the process.
    pub(crate) fn add(&mut self, modules: &[Module]) {
        self.note_keys(modules);
        for module in modules {
            let known = self.modules.entry(module.id).or_insert_with(|| {
                self.order.push(module.id);
                (module.counters, Vec::new())
            });
            if self.keys.contains(&module.id) {
                join(&mut known.1, module.counts.clone(), |_, later| later);
                continue;
            }
            let pending = self.pending.entry(module.id).or_default();
            pending.push(module.counts.clone());
            while let [.., longer, last] = &pending[..]
                && longer.len() <= last.len() * 2
                && let (Some(last), Some(mut longer)) = (pending.pop(), pending.pop())
            {
                add(&mut longer, last);
                pending.push(longer);
            }
        }
    }

    /// Adds the pairs of keys and counts that stand in these modules to what is known.
    fn note_keys(&mut self, modules: &[Module]) {
        let ids: HashSet<_> = modules.iter().map(|module| module.id).collect();
        let mut seen = HashSet::new();
        for module in modules {
            seen.insert(module.id);
            let of = module.id.keys();
            if ids.contains(&of) && !seen.contains(&of) {
                self.keys.insert(module.id);
            }
        }
    }

    /// Subtracts all that was added from these modules.
    pub(crate) fn subtract_from(&mut self, modules: &mut Vec<Module>) {
        self.note_keys(modules);
        self.settle();
        let places: HashMap<_, _> =
            modules.iter().enumerate().map(|(at, module)| (module.id, at)).collect();
        for id in self.order.iter().filter(|id| !self.keys.contains(*id)) {
            let Some((counters, counts)) = self.modules.get(id) else { continue };
            let negative: Vec<_> =
                counts.iter().map(|&(index, count)| (index, count.wrapping_neg())).collect();
            match places.get(id) {
                Some(&at) => add(&mut modules[at].counts, negative),
                None => {
                    modules.push(Module { id: *id, counters: *counters, counts: negative });
                }
            }
        }
    }

    /// Adds what is pending.
    fn settle(&mut self) {
        for (id, lists) in self.pending.drain() {
            if let Some((_, sums)) = self.modules.get_mut(&id) {
                lists.into_iter().rev().for_each(|list| add(sums, list));
            }
        }
    }

    /// Returns the modules, keys before the module to which they belong.
    pub(crate) fn finish(mut self) -> Vec<Module> {
        self.settle();
        let order = std::mem::take(&mut self.order);
        let (keys, counted): (Vec<_>, Vec<_>) =
            order.into_iter().partition(|id| self.keys.contains(id));
        let of_counted = counted.into_iter().flat_map(|id| [id.keys(), id]);
        let mut take = |id: ModuleId| {
            let (counters, counts) = self.modules.remove(&id)?;
            Some(Module { id, counters, counts })
        };
        let found: Vec<_> = of_counted.filter_map(&mut take).collect();
        found.into_iter().chain(keys.into_iter().filter_map(take)).collect()
    }
}

/// Returns the modules of a part, each once. A process that had no memory for sums has a module for
/// each of its threads.
pub(crate) fn by_module(part: &Part) -> Vec<Module> {
    let mut sums = ModuleSums::default();
    sums.add(&part.modules);
    sums.finish()
}

/// Returns for each of these modules, each of which is there once, whether it is of keys.
fn are_keys(modules: &[Module]) -> Vec<bool> {
    let mut sums = ModuleSums::default();
    sums.note_keys(modules);
    modules.iter().map(|module| sums.keys.contains(&module.id)).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    fn module(id: ModuleId, counts: &[(u64, u64)]) -> Module {
        Module { id, counters: 9, counts: counts.to_vec() }
    }

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

    #[test]
    fn keys_are_joined_and_stand_first() {
        let id = ModuleId([1; 16]);
        let keys = id.keys();
        let mut sums = ModuleSums::default();
        // Keys that came when the table had counted something already.
        sums.add(&[module(id, &[(5, 1)])]);
        sums.add(&[module(keys, &[(0, 0x1000)]), module(id, &[(0, 2), (5, 1)])]);
        sums.add(&[module(keys, &[(0, 0x1000), (1, 0x2000)]), module(id, &[(1, 4)])]);
        let expected =
            vec![module(keys, &[(0, 0x1000), (1, 0x2000)]), module(id, &[(0, 2), (1, 4), (5, 2)])];
        assert_eq!(sums.finish(), expected);
    }

    #[test]
    fn what_another_part_lacks_is_negative() {
        let [one, other] = [1, 2].map(|id| ModuleId([id; 16]));
        let mut sums = ModuleSums::default();
        sums.add(&[module(one, &[(0, 2)]), module(other, &[(3, 1)])]);
        sums.add(&[module(one, &[(0, 1)])]);
        let mut modules = vec![module(one, &[(0, 5), (1, 1)])];
        sums.subtract_from(&mut modules);
        let expected = vec![module(one, &[(0, 2), (1, 1)]), module(other, &[(3, u64::MAX)])];
        assert_eq!(modules, expected);
    }
}
