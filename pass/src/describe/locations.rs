//! The source positions of a function, out of debug metadata.

use std::collections::{BTreeMap, HashMap};

use pathformat::manifest::Location;

use crate::llvm::{self, DebugLocation, Subprogram};
use crate::read::{debug_info, qualified};

/// The distinct source positions of one function.
#[derive(Debug, Default)]
pub(super) struct Locations {
    /// Each position after the one it is inlined at.
    pub(super) list: Vec<Location>,
    by_handle: HashMap<DebugLocation, u32>,
    by_value: BTreeMap<Location, u32>,
    names: HashMap<Subprogram, String>,
}

impl Locations {
    /// The index of a position, which is added if it is new. `None` for code that belongs to no
    /// line.
    pub(super) fn index(&mut self, handle: DebugLocation, directory: &str) -> Option<u32> {
        if let Some(&index) = self.by_handle.get(&handle) {
            return Some(index);
        }
        let position = llvm::position(handle);
        if position.line == 0 {
            return None;
        }
        let inlined_at = position.inlined_at.and_then(|at| self.index(at, directory));
        let location = Location {
            file: debug_info::file(&position, directory),
            line: position.line,
            column: position.column,
            function: position.function.map(|of| self.name(of)).unwrap_or_default(),
            inlined_at,
        };
        let index = *self.by_value.entry(location).or_insert_with_key(|location| {
            self.list.push(location.clone());
            self.list.len() as u32 - 1
        });
        self.by_handle.insert(handle, index);
        Some(index)
    }

    fn name(&mut self, function: Subprogram) -> String {
        self.names.entry(function).or_insert_with(|| qualified::name(function)).clone()
    }
}
