//! Gives each function its counters: a module has one array for all of its functions.
//!
//! Copies of an inline function, which have the same name and graph in several modules of one
//! image, become one function with the sum of their counters. The input is not trusted.

use std::collections::{BTreeMap, HashMap, HashSet};

use anyhow::{Result, bail};
use pathformat::manifest::{self, Linkage, TableOf};
use pathformat::settings::{Mode, Stage};

use crate::counted::CountedModule;
use crate::model::{Count, Counting, Module};
use crate::tables::TableCounts;

/// A function with its counters, not yet decoded.
pub(crate) struct FunctionCounts {
    /// Index of the image.
    pub(crate) image: usize,
    /// Index of the module.
    pub(crate) module: usize,
    /// The static facts.
    pub(crate) shape: manifest::Function,
    /// True if it is in the image.
    pub(crate) present: bool,
    /// The kind of its counters.
    pub(crate) counting: Counting,
    /// The number of processes counting in its unit that were killed, or ended while other threads
    /// were running.
    pub(crate) interrupted: Count,
    /// The number of times it was entered.
    pub(crate) entries: Count,
    /// The counts of its tables.
    pub(crate) tables: BTreeMap<TableOf, TableCounts>,
    /// Count by path id.
    pub(crate) counts: BTreeMap<u64, Count>,
    /// By id of a path in flight, the number of times that a forked process continued where its
    /// parent had arrived along that path.
    pub(crate) inherited: BTreeMap<u64, Count>,
}

/// The reason why nothing is counted in a traced function.
const TRACED: &str = "traced; `pathprof trace` tells its paths";

/// Cuts a module's array into the counters of its functions.
///
/// # Errors
/// Functions share counters, or a counter belongs to no function.
pub(crate) fn slice(
    counted: CountedModule,
    image: usize,
    module: usize,
) -> Result<Vec<FunctionCounts>> {
    let CountedModule {
        counters,
        manifest,
        present,
        counts,
        interrupted,
        inherited,
        mut entries,
        tables,
        ..
    } = counted;
    let mut by_function: HashMap<usize, BTreeMap<TableOf, TableCounts>> = HashMap::new();
    for ((function, of), seen) in tables {
        by_function.entry(function).or_default().insert(of, seen);
    }
    let functions =
        manifest.functions.into_iter().zip(present.into_iter().chain(std::iter::repeat(true)));
    let only_calls = manifest.mode == Mode::Calls;
    let is_traced = manifest.mode == Mode::Trace;
    // The array of a traced module does not hold counts.
    let (counts, inherited) =
        if is_traced { (BTreeMap::new(), BTreeMap::new()) } else { (counts, inherited) };
    let raw = functions.enumerate().map(|(index, (shape, present))| {
        let is_made = shape.is_made;
        let shape = if is_traced { shape.uncounted(TRACED) } else { shape };
        let shape = manifest::Function { is_made, ..shape };
        let entries = entries.remove(&index).unwrap_or_default();
        let tables = by_function.remove(&index).unwrap_or_default();
        let (counts, inherited) = (BTreeMap::new(), BTreeMap::new());
        let counting = Counting::of(&shape, only_calls);
        FunctionCounts {
            image,
            module,
            shape,
            present,
            counting,
            interrupted,
            entries,
            tables,
            counts,
            inherited,
        }
    });
    let mut raw: Vec<_> = raw.collect();
    let mut order: Vec<usize> = (0..raw.len()).filter(|&at| raw[at].shape.counters() > 0).collect();
    order.sort_by_key(|&at| raw[at].shape.first_counter);
    let mut next = 0;
    for &at in &order {
        let shape = &raw[at].shape;
        if shape.skipped.is_some() {
            bail!("the function {} is skipped and has counters", shape.name);
        }
        let end = shape.first_counter.checked_add(shape.counters()).filter(|&end| end <= counters);
        match end {
            Some(end) if shape.first_counter >= next => next = end,
            _ => bail!("the counters of the function {} are not its own", shape.name),
        }
    }
    let counts = counts.into_iter().map(|(index, count)| (index, count, false));
    for (index, count, is_inherited) in
        counts.chain(inherited.into_iter().map(|(index, count)| (index, count, true)))
    {
        let after = order.partition_point(|&at| raw[at].shape.first_counter <= index);
        let owner = after.checked_sub(1).map(|before| &mut raw[order[before]]);
        match owner {
            Some(owner) if index - owner.shape.first_counter < owner.shape.counters() => {
                let counts = if is_inherited { &mut owner.inherited } else { &mut owner.counts };
                counts.insert(index - owner.shape.first_counter, count);
            }
            _ => bail!("counter {index} belongs to no function"),
        }
    }
    Ok(raw)
}

impl FunctionCounts {
    /// Returns true if the image may contain code of it. For a function that is not counted,
    /// nothing in the image shows whether it does.
    pub(crate) fn has_code(&self) -> bool {
        self.present || !self.counts.is_empty() || self.shape.skipped.is_some()
    }
}

/// Returns the functions without code in the image and without another copy in it, each once.
pub(crate) fn never_ran(
    without_code: Vec<FunctionCounts>,
    kept: &[FunctionCounts],
    modules: &[Module],
) -> Vec<FunctionCounts> {
    let shared = |of: &FunctionCounts| of.shape.linkage != Linkage::Internal;
    let mut known: HashSet<String> =
        kept.iter().filter(|of| shared(of)).map(|of| of.shape.name.clone()).collect();
    let mut never = without_code;
    never.retain(|of| {
        let is_source =
            modules[of.module].stage == Stage::Early && of.shape.linkage != Linkage::Copy;
        is_source && (!shared(of) || known.insert(of.shape.name.clone()))
    });
    never
}

/// Merges the copies of inline and weak functions of one image into the first copy.
pub(crate) fn merge_copies(functions: Vec<FunctionCounts>) -> Vec<FunctionCounts> {
    let mut merged: Vec<FunctionCounts> = Vec::with_capacity(functions.len());
    let mut first: HashMap<(String, u64, u64, bool), usize> = HashMap::new();
    for function in functions {
        let shape = &function.shape;
        if !matches!(shape.linkage, Linkage::Inline | Linkage::Weak) {
            merged.push(function);
            continue;
        }
        let key = (shape.name.clone(), shape.cfg_hash, shape.num_paths, shape.skipped.is_some());
        match first.get(&key) {
            Some(&at) => {
                merged[at].entries = merged[at].entries.saturating_add(function.entries);
                for (of, seen) in function.tables {
                    merged[at].tables.entry(of).or_default().add(seen);
                }
                for (id, count) in function.counts {
                    *merged[at].counts.entry(id).or_default() += count;
                }
                for (id, count) in function.inherited {
                    *merged[at].inherited.entry(id).or_default() += count;
                }
            }
            None => {
                first.insert(key, merged.len());
                merged.push(function);
            }
        }
    }
    merged
}
