//! The addresses of the variables of an image: its data symbols and its segments.

use std::path::Path;

use object::{Object, ObjectSegment, ObjectSymbol, SymbolKind};

use crate::bounded::Bounded;

/// The maximum number of symbols of an image that are examined.
const MOST: usize = 1 << 20;

/// The variables of an image, by their addresses in its file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Globals {
    /// Address, size and symbol of each variable.
    pub variables: Vec<(u64, u64, String)>,
    /// Address and size of each segment.
    pub segments: Vec<(u64, u64)>,
}

/// Reads the variables of the image at `path`; empty if it cannot be read.
pub fn of(path: &Path) -> Globals {
    let Ok(content) = Bounded::open(path) else { return Globals::default() };
    let Ok(file) = object::File::parse(&content) else { return Globals::default() };
    let mut globals = Globals::default();
    globals.segments.extend(file.segments().map(|segment| (segment.address(), segment.size())));
    for symbol in file.symbols().chain(file.dynamic_symbols()).take(MOST) {
        let (address, size) = (symbol.address(), symbol.size());
        if symbol.kind() != SymbolKind::Data || !symbol.is_definition() || size == 0 {
            continue;
        }
        if let Some(name) = symbol.name().ok().filter(|name| !name.is_empty()) {
            globals.variables.push((address, size, name.into()));
        }
    }
    globals.variables.sort();
    globals.variables.dedup_by_key(|(address, ..)| *address);
    globals
}
