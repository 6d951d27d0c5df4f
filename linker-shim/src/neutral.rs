//! Copies of objects whose code counts into nowhere and refers to nothing but its own array, for
//! links that cannot count.
//!
//! Otherwise a linker script that throws away thread-local words and markers could not be followed,
//! and a program without a thread pointer would end where it reads a word.

use object::LittleEndian;
use object::elf::{
    ET_REL, FileHeader64, R_X86_64_GOTTPOFF, R_X86_64_NONE, R_X86_64_PC32, SHT_RELA, SHT_SYMTAB,
};
use object::read::elf::{FileHeader, Rela, SectionHeader, Sym};
use pathformat::names;

use crate::restored::with_objects;
use crate::words::Reading;

/// The length of the opcode and the operand before a number that is relocated.
const BEFORE_NUMBER: usize = 3;

/// The length of an entry of a table of relocations, and the place of its type in it.
const ENTRY: usize = 24;
const INFO: usize = 8;

/// A copy of an object or archive; `None` if it is not as expected, or needs no copy.
pub(crate) fn copy(file: &[u8]) -> Option<Vec<u8>> {
    with_objects(file, &object)
}

fn object(data: &[u8]) -> Option<Vec<u8>> {
    let head = FileHeader64::<LittleEndian>::parse(data).ok()?;
    let sections = head.sections(LittleEndian, data).ok()?;
    let symbols = sections.symbols(LittleEndian, data, SHT_SYMTAB).ok()?;
    if head.e_type(LittleEndian) != ET_REL {
        return None;
    }
    let name = |index: usize| {
        let symbol = symbols.symbol(object::SymbolIndex(index)).ok()?;
        symbol.name(LittleEndian, symbols.strings()).ok()
    };
    let array = |id: &[u8]| {
        let mut all = 1..symbols.len();
        all.find(|&index| {
            let id_of = |name: &'static str| name.as_bytes();
            name(index).and_then(|name| name.strip_prefix(id_of(names::COUNTERS_PREFIX)))
                == Some(id)
        })
    };
    let is_marker = |index: usize| {
        let index = object::SymbolIndex(index);
        let section = symbols
            .symbol(index)
            .ok()
            .and_then(|symbol| symbols.symbol_section(LittleEndian, symbol, index).ok().flatten());
        let section = section.and_then(|section| sections.section(section).ok());
        section.is_some_and(|section| {
            let name = sections.section_name(LittleEndian, section).unwrap_or_default();
            [names::FUNCTIONS_SECTION, names::VARIABLES_SECTION]
                .iter()
                .any(|marker| marker.as_bytes() == name)
        })
    };
    let mut copy = data.to_vec();
    let mut is_changed = false;
    for section in sections.iter().filter(|section| section.sh_type(LittleEndian) == SHT_RELA) {
        let code = sections.section(object::SectionIndex(section.sh_info(LittleEndian) as usize));
        let code = usize::try_from(code.ok()?.sh_offset(LittleEndian)).ok()?;
        let start = usize::try_from(section.sh_offset(LittleEndian)).ok()?;
        let (entries, _) = section.rela(LittleEndian, data).ok()??;
        for (number, entry) in entries.iter().enumerate() {
            let symbol = entry.symbol(LittleEndian, false).map_or(0, |symbol| symbol.0);
            let at = code + usize::try_from(entry.r_offset.get(LittleEndian)).ok()?;
            let info = match entry.r_type(LittleEndian, false) {
                R_X86_64_NONE if is_marker(symbol) => 0,
                R_X86_64_GOTTPOFF => {
                    let name = name(symbol)?;
                    let id = name.strip_prefix(names::BASE_PREFIX.as_bytes());
                    let Some(id) = id else { continue };
                    // `lea array(%rip), %r`, and nothing.
                    put(&mut copy, at, Reading::with_address)?;
                    (array(id)? as u64) << 32 | u64::from(R_X86_64_PC32.0)
                }
                R_X86_64_PC32
                    if name(symbol)
                        .is_some_and(|name| name.starts_with(names::PLACE_PREFIX.as_bytes())) =>
                {
                    // `mov $0, %r`, and nothing.
                    put(&mut copy, at, Reading::with_nothing)?;
                    0
                }
                _ => continue,
            };
            let place = start + number * ENTRY + INFO;
            copy.get_mut(place..place + size_of::<u64>())?.copy_from_slice(&info.to_le_bytes());
            is_changed = true;
        }
    }
    is_changed.then_some(copy)
}

/// Changes the instructions that read a word, whose first number is here.
fn put(copy: &mut [u8], number: usize, instead: impl Fn(&Reading) -> Vec<u8>) -> Option<()> {
    let start = number.checked_sub(BEFORE_NUMBER)?;
    let instead = instead(&Reading::parse(copy.get(start..)?, 0)?);
    copy.get_mut(start..start + instead.len())?.copy_from_slice(&instead);
    Some(())
}
