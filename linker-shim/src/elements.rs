//! Sections, symbols and groups of the object that is generated.

use anyhow::Result;
use object::elf::{R_X86_64_64, SHF_EXCLUDE, SHF_GROUP, SHT_PROGBITS};
use object::write::{Comdat, Object, Relocation, SectionId, Symbol, SymbolId, SymbolSection};
use object::{
    ComdatKind, RelocationFlags, SectionFlags, SectionKind, SymbolFlags, SymbolKind, SymbolScope,
};

/// Adds a section.
pub(crate) fn section(object: &mut Object<'_>, name: &str, kind: SectionKind) -> SectionId {
    object.add_section(Vec::new(), name.into(), kind)
}

/// Defines a hidden symbol in a section.
pub(crate) fn define(
    object: &mut Object<'_>,
    name: &str,
    kind: SymbolKind,
    section: SectionId,
    value: u64,
    size: u64,
) -> SymbolId {
    object.add_symbol(Symbol {
        name: name.into(),
        value,
        size,
        kind,
        scope: SymbolScope::Linkage,
        weak: false,
        section: SymbolSection::Section(section),
        flags: SymbolFlags::None,
    })
}

/// Refers to a symbol that another object defines.
pub(crate) fn undefined(object: &mut Object<'_>, name: &str) -> SymbolId {
    object.add_symbol(Symbol {
        name: name.into(),
        value: 0,
        size: 0,
        kind: SymbolKind::Unknown,
        scope: SymbolScope::Linkage,
        weak: false,
        section: SymbolSection::Undefined,
        flags: SymbolFlags::None,
    })
}

/// Adds a COMDAT group named like `symbol`, with a member that no linker copies: groups without
/// members are refused.
pub(crate) fn claim_group(object: &mut Object<'_>, symbol: SymbolId) {
    let member = section(object, ".pathcc.claim", SectionKind::Other);
    *object.section_flags_mut(member) =
        SectionFlags::Elf { sh_type: SHT_PROGBITS, sh_flags: SHF_EXCLUDE | SHF_GROUP };
    object.append_section_data(member, &[0], 1);
    object.add_comdat(Comdat { kind: ComdatKind::Any, symbol, sections: vec![member] });
}

/// Fills a word of a section with the address of a symbol.
pub(crate) fn refer(
    object: &mut Object<'_>,
    section: SectionId,
    offset: u64,
    symbol: SymbolId,
) -> Result<()> {
    let flags = RelocationFlags::Elf { r_type: R_X86_64_64 };
    Ok(object.add_relocation(section, Relocation { offset, symbol, addend: 0, flags })?)
}
