//! The counters of an image: sums over its runs, module by module.

use std::collections::BTreeMap;

use pathformat::manifest::Manifest;

use crate::entries::Layout;
use crate::model::{Count, Image, Run};
use crate::tables::{ByTable, Tables};

/// An image, its runs, and the sums of their counters.
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
    /// The manifest, as the pass wrote it.
    pub manifest: Manifest,
    /// The positions of its tables.
    tables_of: Tables,
    layout: Layout,
    /// For each function of the manifest, true if the image contains it.
    pub present: Vec<bool>,
    /// The counters that are not zero, by index. Negative ones, of paths that a forked child took
    /// over, are left out.
    pub counts: BTreeMap<u64, Count>,
    /// The entries of its functions, by index in the manifest.
    pub entries: BTreeMap<usize, Count>,
    /// The number of counting processes that were killed, or ended while other threads were
    /// running.
    pub interrupted: Count,
    /// By counter of a path in flight, the number of frames of forked processes that returned from
    /// the call which the parent had entered.
    pub inherited: BTreeMap<u64, Count>,
    /// The counts in the tables of its functions, by index in the manifest.
    pub tables: ByTable,
}

impl CountedModule {
    /// Creates a module without counts.
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

    /// Takes the counts out of the module; `None` if it has none.
    pub(crate) fn take_counts(&mut self) -> Option<Self> {
        let has_counts =
            !(self.counts.is_empty() && self.inherited.is_empty() && self.tables.is_empty());
        let taken = has_counts.then(|| self.clone());
        self.counts.clear();
        self.entries.clear();
        self.inherited.clear();
        self.tables.clear();
        self.interrupted = 0;
        taken
    }

    /// Adds the counters of one process: index and count, in ascending order of index. `keys` are
    /// those of its tables, and `name` returns the function at an address.
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
