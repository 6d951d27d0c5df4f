//! Reads the tables of a module in one process: a key identifies the thing that the counter in its
//! slot counts.
//!
//! Keys and counters are not trusted. Counters with invalid keys are added to those of things that
//! found no room.

use std::collections::BTreeMap;

use pathformat::manifest::{Manifest, Table, TableOf};

use crate::model::Count;

/// A thing that a table counts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TableKey {
    /// A function, by its symbol.
    Callee(String),
    /// An uncut path, by its id.
    Path(u64),
}

/// The counts of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableCounts {
    /// The things that found room.
    pub known: BTreeMap<TableKey, Count>,
    /// The count of all other things.
    pub rest: Count,
}

impl TableCounts {
    /// Adds the counts of another table.
    pub fn add(&mut self, other: Self) {
        for (thing, count) in other.known {
            let known = self.known.entry(thing).or_default();
            *known = known.saturating_add(count);
        }
        self.rest = self.rest.saturating_add(other.rest);
    }
}

/// The counts of each table of each function, by the function's index in the manifest.
pub type ByTable = BTreeMap<(usize, TableOf), TableCounts>;

/// The tables of a module, with the index of their function in the manifest, by their first
/// counter.
#[derive(Clone, Debug)]
pub struct Tables(Vec<(usize, Table)>);

impl Tables {
    /// Returns the tables that a manifest describes.
    pub fn of(manifest: &Manifest) -> Self {
        let functions = manifest.functions.iter().enumerate();
        let mut tables: Vec<_> = functions
            .flat_map(|(at, function)| function.tables().map(move |table| (at, table)))
            .collect();
        tables.sort_by_key(|(_, table)| table.first_counter);
        Self(tables)
    }

    /// Returns the function whose table contains the counter `index`, the table, and the slot.
    fn find(&self, index: u64) -> Option<(usize, Table, u64)> {
        let before =
            self.0.partition_point(|(_, table)| table.first_counter <= index).checked_sub(1)?;
        let &(function, table) = self.0.get(before)?;
        let slot = index - table.first_counter;
        (slot <= table.slots).then_some((function, table, slot))
    }

    /// Takes the counters of tables out of `counts`. Returns the others, and the counts of each
    /// table of each function. `keys` are those of the module, as index and key in ascending order;
    /// `name` returns the function at an address.
    pub fn take(
        &self,
        counts: &[(u64, u64)],
        keys: &[(u64, u64)],
        mut name: impl FnMut(u64) -> String,
    ) -> (Vec<(u64, u64)>, ByTable) {
        let mut plain = Vec::with_capacity(counts.len());
        let mut tables = ByTable::new();
        for &(index, count) in counts {
            let Some((function, table, slot)) = self.find(index) else {
                plain.push((index, count));
                continue;
            };
            let place = table.first_key.saturating_add(slot);
            let key = keys
                .binary_search_by_key(&place, |&(index, _)| index)
                .ok()
                .filter(|_| slot < table.slots);
            let thing = key.and_then(|at| keys.get(at)).map(|&(_, key)| match table.of {
                TableOf::Callees { .. } => TableKey::Callee(name(key.wrapping_sub(1))),
                TableOf::Paths => TableKey::Path(key.wrapping_sub(1)),
            });
            let seen = tables.entry((function, table.of)).or_default();
            let sum = match thing {
                Some(thing) => seen.known.entry(thing).or_default(),
                None => &mut seen.rest,
            };
            *sum = sum.saturating_add(count.into());
        }
        (plain, tables)
    }
}

#[cfg(test)]
mod tests {
    use pathformat::manifest::{Block, Call, Function, INDIRECT, Uncut};

    use super::*;

    #[test]
    fn counters_are_told_apart_by_their_keys() {
        let call = Call { callee: INDIRECT.into(), location: None };
        let function = Function {
            first_counter: 10,
            num_paths: 2,
            callees: 2,
            first_key: 1,
            blocks: vec![Block { calls: vec![call], ..Block::default() }],
            uncut: Some(Uncut { slots: 4, ..Uncut::default() }),
            ..Function::default()
        };
        let manifest =
            Manifest { functions: vec![Function::default(), function], ..Manifest::default() };
        // Two paths at 10, two callees and the rest at 12, four uncut paths and the rest at 15.
        let counts = [(3, 1), (11, 2), (12, 30), (13, 40), (14, 50), (16, 60), (19, 70), (20, 80)];
        let keys = [(1, 0x1001), (4, 900)];
        let (plain, tables) =
            Tables::of(&manifest).take(&counts, &keys, |address| format!("{address:x}"));
        assert_eq!(plain, [(3, 1), (11, 2), (20, 80)]);
        let callees =
            TableCounts { known: [(TableKey::Callee("1000".into()), 30)].into(), rest: 90 };
        let paths = TableCounts { known: [(TableKey::Path(899), 60)].into(), rest: 70 };
        let of = TableOf::Callees { block: 0, call: 0 };
        assert_eq!(tables, [((1, of), callees), ((1, TableOf::Paths), paths)].into());
    }
}
