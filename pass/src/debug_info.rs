//! Source positions out of debug metadata.

use std::collections::{BTreeMap, HashMap};

use inkwell::module::Module;
use pathformat::manifest::Location;

use crate::llvm::{self, DebugLocation, Position};

/// The directory that the unit was compiled in, as its debug information says; empty without any.
pub(crate) fn directory(module: &Module<'_>) -> String {
    let declared = module.get_functions().find_map(llvm::declaration);
    declared.map(|position| position.directory).unwrap_or_default()
}

/// The path of a position's file, relative to `directory` if it lies below it.
pub(crate) fn file(position: &Position, directory: &str) -> String {
    if position.file.starts_with('/') || position.directory == directory || position.directory.is_empty() {
        return position.file.clone();
    }
    format!("{}/{}", position.directory, position.file)
}

/// The distinct source positions of one function.
#[derive(Debug, Default)]
pub(crate) struct Locations {
    /// Each position after the one it is inlined at.
    pub(crate) list: Vec<Location>,
    by_handle: HashMap<DebugLocation, u32>,
    by_value: BTreeMap<Location, u32>,
}

impl Locations {
    /// The index of a position, which is added if it is new. `None` for code that belongs to no line.
    pub(crate) fn index(&mut self, handle: DebugLocation, directory: &str) -> Option<u32> {
        if let Some(&index) = self.by_handle.get(&handle) {
            return Some(index);
        }
        let position = llvm::position(handle);
        if position.line == 0 {
            return None;
        }
        let inlined_at = position.inlined_at.and_then(|at| self.index(at, directory));
        let location = Location {
            file: file(&position, directory),
            line: position.line,
            column: position.column,
            function: position.function,
            inlined_at,
        };
        let index = *self.by_value.entry(location).or_insert_with_key(|location| {
            self.list.push(location.clone());
            self.list.len() as u32 - 1
        });
        self.by_handle.insert(handle, index);
        Some(index)
    }
}
