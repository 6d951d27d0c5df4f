//! What the runs of an image counted: the sum of their counters, module by module.

use std::collections::BTreeMap;

use pathformat::manifest::Manifest;

use crate::entries::Layout;
use crate::model::{Count, Image, Run};
use crate::tables::{ByTable, Tables};

/// An image, the runs that counted in it, and what they counted.
#[derive(Clone, Debug)]
pub struct CountedImage {
    /// The image.
    pub image: Image,
    /// Its runs. Their field `image` is not set yet.
    pub runs: Vec<Run>,
    /// Its modules with the counters of all runs.
    pub modules: Vec<CountedModule>,
}

/// A module and the sums of its counters.
#[derive(Clone, Debug)]
pub struct CountedModule {
    /// Length of the counter array.
    pub counters: u64,
    /// What the pass told.
    pub manifest: Manifest,
    /// Where its tables are.
    tables_of: Tables,
    layout: Layout,
    /// For each function of the manifest whether it is in the image.
    pub present: Vec<bool>,
    /// The counters that are not zero, by index. Negative ones, of paths that a forked child took
    /// over, are left out.
    pub counts: BTreeMap<u64, Count>,
    /// The entries of its functions, by index in the manifest.
    pub entries: BTreeMap<usize, Count>,
    /// How many of the processes that counted were killed, or ended while other threads were
    /// running.
    pub interrupted: Count,
    /// By counter of a path in flight, how many frames of forked processes came back from the call
    /// that had entered it in the parent.
    pub inherited: BTreeMap<u64, Count>,
    /// What the tables of its functions counted, by index in the manifest.
    pub tables: ByTable,
}

impl CountedModule {
    /// A module in which nothing was counted yet.
    pub fn new(counters: u64, manifest: Manifest, present: Vec<bool>) -> Self {
        let (tables_of, layout) = (Tables::of(&manifest), Layout::of(&manifest));
        Self {
            counters,
            manifest,
            tables_of,
            layout,
            present,
            counts: BTreeMap::new(),
            entries: BTreeMap::new(),
            interrupted: 0,
            inherited: BTreeMap::new(),
            tables: ByTable::new(),
        }
    }

    /// Adds what one process counted: index and count, in ascending order of index. `keys` are
    /// those of its tables, and `name` tells which function was at an address.
    pub fn add(
        &mut self,
        counts: &[(u64, u64)],
        keys: &[(u64, u64)],
        name: impl FnMut(u64) -> String,
    ) {
        let (counts, tables) = self.tables_of.take(counts, keys, name);
        for (of, seen) in tables {
            self.tables.entry(of).or_default().add(seen);
        }
        let (counts, entries) = self.layout.settle(&counts);
        for (function, entered) in entries {
            let known = self.entries.entry(function).or_default();
            *known = known.saturating_add(entered);
        }
        for &(index, count) in &counts {
            let negative = count.cast_signed() < 0;
            let sums = if negative { &mut self.inherited } else { &mut self.counts };
            *sums.entry(index).or_default() +=
                Count::from(if negative { count.wrapping_neg() } else { count });
        }
    }
}
