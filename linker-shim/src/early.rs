//! The function that makes the thread-local words of the calling thread, for code that runs before
//! the C library does.
//!
//! Resolvers of ifuncs call it (`pass/src/write/resolvers.rs`), and so does the entry of a static
//! program (`runtime/src/early.rs`). Then nothing is relocated in a static-pie, so the addresses
//! that it hands on are computed from its own.

use std::ops::Range;

use anyhow::Result;
use object::SectionKind;
use object::elf::{R_X86_64_GOTTPOFF, R_X86_64_PC32, R_X86_64_PLT32};
use object::write::{Object, SymbolId, SymbolSection};
use object::{SymbolFlags, SymbolKind, SymbolScope};
use pathformat::names;

use crate::threads::refer;

/// What the words follow from.
#[derive(Clone, Copy)]
pub(crate) struct Words {
    /// The start of the region.
    pub(crate) region: SymbolId,
    /// The table of modules.
    pub(crate) modules: SymbolId,
    /// How many entries it has.
    pub(crate) count: u32,
    /// The first word, if there are words.
    pub(crate) delta: Option<SymbolId>,
    /// The variable that tells where it is.
    pub(crate) place: SymbolId,
}

/// Where the region's address stands in the code.
const REGION: u64 = 7;

/// Where the table's address stands in the code.
const MODULES: u64 = 14;

/// Where their number stands in the code.
const COUNT: usize = 19;

/// Where the first word's distance from the thread pointer stands in the code.
const DELTA: u64 = 26;

/// What linkers make of the instruction in front of it: `mov $distance, %rcx`.
const CONSTANT: [u8; 3] = [0x48, 0xc7, 0xc1];

/// Where the function starts is a multiple of this.
const ALIGNMENT: u64 = 16;

/// Where the address of the variable stands in the code that tells where the word is.
const PLACE: u64 = 33;

const CODE: [u8; 42] = [
    0xf3, 0x0f, 0x1e, 0xfa, // endbr64
    0x48, 0x8d, 0x3d, 0, 0, 0, 0, // lea region(%rip), %rdi
    0x48, 0x8d, 0x35, 0, 0, 0, 0, // lea modules(%rip), %rsi
    0xba, 0, 0, 0, 0, // mov $count, %edx
    0x48, 0x8b, 0x0d, 0, 0, 0,
    0, // mov __pathcc_delta@GOTTPOFF(%rip), %rcx, which linkers make a constant in an executable
    0x4c, 0x8d, 0x05, 0, 0, 0, 0, // lea __pathcc_place(%rip), %r8
    0xe9, 0, 0, 0, 0, // jmp __pathcc_prepare_thread
];

/// In place of the distance, where there is no word: no distance.
const NO_DELTA: [u8; 7] = [0x31, 0xc9, 0x0f, 0x1f, 0x44, 0x00, 0x00]; // xor %ecx, %ecx; nop

/// In place of the jump in a library, which is loaded when there is a thread pointer. What is
/// before it tells pathld where all that is.
const RETURN: [u8; 5] = [0xc3, 0x0f, 0x1f, 0x40, 0x00]; // ret; nop

/// Adds the function; in a `library` it does nothing.
pub(crate) fn define(object: &mut Object<'_>, words: Words, library: bool) -> Result<SymbolId> {
    let section =
        object.add_section(Vec::new(), b".text.__pathcc_early".to_vec(), SectionKind::Text);
    let mut code = CODE;
    code[COUNT..COUNT + 4].copy_from_slice(&words.count.to_le_bytes());
    if words.delta.is_none() {
        code[DELTA as usize - 3..][..NO_DELTA.len()].copy_from_slice(&NO_DELTA);
    }
    let jump = code.len() - RETURN.len();
    if library {
        code[jump..].copy_from_slice(&RETURN);
    }
    let start = object.append_section_data(section, &code, ALIGNMENT);
    refer(object, section, start + REGION, words.region, R_X86_64_PC32, -4)?;
    refer(object, section, start + MODULES, words.modules, R_X86_64_PC32, -4)?;
    refer(object, section, start + PLACE, words.place, R_X86_64_PC32, -4)?;
    if let Some(delta) = words.delta {
        refer(object, section, start + DELTA, delta, R_X86_64_GOTTPOFF, -4)?;
    }
    if !library {
        let prepare = symbol(object, names::PREPARE_THREAD, SymbolSection::Undefined, 0, 0);
        refer(object, section, start + jump as u64 + 1, prepare, R_X86_64_PLT32, -4)?;
    }
    Ok(symbol(object, names::EARLY, SymbolSection::Section(section), start, code.len() as u64))
}

/// What the function says in a finished image.
pub(crate) struct Found {
    /// The address of the region.
    pub(crate) region: u64,
    /// The address of the table of modules.
    pub(crate) modules: u64,
    /// How many entries it has.
    pub(crate) count: u32,
    /// How far the first word is from the thread pointer, if that is known before the program runs.
    pub(crate) distance: Option<i32>,
    /// The address of the variable that tells where the word is.
    pub(crate) place: u64,
}

/// Finds the function in `code`, which starts at an address; there linkers have made the distance a
/// constant.
pub(crate) fn find(code: &[u8], address: u64) -> Option<Found> {
    let first = address.next_multiple_of(ALIGNMENT) - address;
    (first..code.len() as u64).step_by(ALIGNMENT as usize).find_map(|at| {
        let code = code.get(at as usize..)?.first_chunk::<{ CODE.len() }>()?;
        let opcodes = |range: Range<usize>| code[range.clone()] == CODE[range];
        let number = |at: usize| code.get(at..)?.first_chunk().copied().map(i32::from_le_bytes);
        let from = |place: usize| {
            let next = address + at + place as u64 + 4;
            Some(next.wrapping_add_signed(number(place)?.into()))
        };
        let (region, modules, delta) = (REGION as usize, MODULES as usize, DELTA as usize);
        let is_it =
            opcodes(0..region) && opcodes(region + 4..modules) && opcodes(modules + 4..COUNT);
        let place = PLACE as usize;
        if !is_it || !opcodes(delta + 4..place) {
            return None;
        }
        let count = number(COUNT)? as u32;
        let distance = number(delta).filter(|_| code[delta - 3..delta] == CONSTANT);
        Some(Found {
            region: from(region)?,
            modules: from(modules)?,
            count,
            distance,
            place: from(place)?,
        })
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
