//! The function that makes the thread-local words of the calling thread, for code that runs before
//! the C library does.
//!
//! Resolvers of ifuncs call it (`pass/src/write/resolvers.rs`), and so does the entry of a static
//! program (`runtime/src/early.rs`). Then nothing is relocated in a static-pie, so the addresses
//! that it hands on are computed from its own.

use std::ops::Range;

use anyhow::Result;
use object::SectionKind;
use object::write::{Object, SymbolId, SymbolSection};
use object::{SymbolFlags, SymbolKind, SymbolScope};
use pathformat::names;

use crate::assembly::Field;
use crate::assembly::early::{constant_delta, make_words, no_delta, no_jump};

/// The values from which the words are computed.
#[derive(Clone, Copy)]
pub(crate) struct Operands {
    /// The start of the region.
    pub(crate) region: SymbolId,
    /// The table of modules.
    pub(crate) modules: SymbolId,
    /// The number of its entries.
    pub(crate) count: u32,
    /// The first word, if there are words.
    pub(crate) delta: Option<SymbolId>,
    /// The variable with its distance from the thread pointer.
    pub(crate) place: SymbolId,
}

/// The function starts at a multiple of this.
const ALIGNMENT: u64 = 16;

/// Adds the function; in a `library` it does nothing.
pub(crate) fn define(object: &mut Object<'_>, words: Operands, library: bool) -> Result<SymbolId> {
    let section =
        object.add_section(Vec::new(), b".text.__pathcc_early".to_vec(), SectionKind::Text);
    let mut code = make_words::CODE;
    make_words::COUNT.set(&mut code, words.count);
    if words.delta.is_none() {
        make_words::DELTA.replace_instruction(&mut code, &no_delta::CODE);
    }
    if library {
        make_words::PREPARE_THREAD.replace_instruction(&mut code, &no_jump::CODE);
    }
    let start = object.append_section_data(section, &code, ALIGNMENT);
    make_words::REGION.refer(object, section, start, words.region)?;
    make_words::MODULES.refer(object, section, start, words.modules)?;
    make_words::PLACE.refer(object, section, start, words.place)?;
    if let Some(delta) = words.delta {
        make_words::DELTA.refer(object, section, start, delta)?;
    }
    if !library {
        let prepare = symbol(object, names::PREPARE_THREAD, SymbolSection::Undefined, 0, 0);
        make_words::PREPARE_THREAD.refer(object, section, start, prepare)?;
    }
    Ok(symbol(object, names::EARLY, SymbolSection::Section(section), start, code.len() as u64))
}

/// The operands of the function in a finished image.
pub(crate) struct ResolvedOperands {
    /// The address of the region.
    pub(crate) region: u64,
    /// The address of the table of modules.
    pub(crate) modules: u64,
    /// The number of its entries.
    pub(crate) count: u32,
    /// The distance of the first word from the thread pointer, if the linker has made it a
    /// constant.
    pub(crate) distance: Option<i32>,
    /// The address of the variable with the word's distance.
    pub(crate) place: u64,
}

/// Finds the function in `code`, which starts at an address; there linkers have made the distance a
/// constant.
pub(crate) fn find(code: &[u8], address: u64) -> Option<ResolvedOperands> {
    let first = address.next_multiple_of(ALIGNMENT) - address;
    (first..code.len() as u64)
        .step_by(ALIGNMENT as usize)
        .find_map(|at| parse(code.get(at as usize..)?, address + at))
}

/// The operands of the function, if `code` at this address begins with it.
fn parse(code: &[u8], address: u64) -> Option<ResolvedOperands> {
    let delta = make_words::DELTA.end() - constant_delta::CODE.len();
    // The instruction that loads the distance is another one by now, and the jump may be.
    let kept = [
        0..make_words::REGION.offset,
        make_words::REGION.end()..make_words::MODULES.offset,
        make_words::MODULES.end()..make_words::COUNT.offset,
        make_words::COUNT.end()..delta,
        make_words::DELTA.end()..make_words::PLACE.offset,
    ];
    let is_same = |range: Range<usize>| code.get(range.clone()) == Some(&make_words::CODE[range]);
    if code.len() < make_words::CODE.len() || !kept.into_iter().all(is_same) {
        return None;
    }
    let address_in = |field: Field| {
        let next = address + field.end() as u64;
        Some(next.wrapping_add_signed(field.get(code)?.into()))
    };
    let constant = &constant_delta::CODE[..constant_delta::DISTANCE.offset];
    let distance = make_words::DELTA.get(code).filter(|_| code[delta..].starts_with(constant));
    Some(ResolvedOperands {
        region: address_in(make_words::REGION)?,
        modules: address_in(make_words::MODULES)?,
        count: make_words::COUNT.get(code)? as u32,
        distance,
        place: address_in(make_words::PLACE)?,
    })
}

fn symbol(
    object: &mut Object<'_>,
    name: &str,
    section: SymbolSection,
    value: u64,
    size: u64,
) -> SymbolId {
    object.add_symbol(object::write::Symbol {
        name: name.into(),
        value,
        size,
        kind: if section == SymbolSection::Undefined {
            SymbolKind::Unknown
        } else {
            SymbolKind::Text
        },
        scope: SymbolScope::Linkage,
        weak: false,
        section,
        flags: SymbolFlags::None,
    })
}
