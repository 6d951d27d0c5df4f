//! The functions of the C library that create threads, as an executable defines them: each hands
//! its arguments on to the runtime, which gives the thread counters of its own and calls the C
//! library's function. Beside them those that end a process at once.
//!
//! They are weak, so that a program may have its own, and exported, so that libraries call them
//! too. Behind the first one libraries with counters find the executable's registry.
//! `pathformat::descriptor::thread_function` has the layout. In a static link
//! `runtime/static/threads.s` takes their place.

use anyhow::Result;
use object::elf::{R_X86_64_PC32, R_X86_64_TPOFF32, RelocationType};
use object::write::{Object, Relocation, SectionId, SymbolId};
use object::{RelocationFlags, SectionKind, SymbolFlags, SymbolKind, SymbolScope};
use pathformat::descriptor::thread_function::{
    ALIGNMENT, REGISTRY_OFFSET, SIGNATURE, SIGNATURE_OFFSET, WORDS_OFFSET,
};
use pathformat::names;

use crate::assembly::threads::{c, exit, posix};

/// The `_exit` of a sanitizer.
const SANITIZER_EXIT: &str = "__interceptor__exit";

/// Adds the functions. `runtime` names the function that they hand on to, `registry` what libraries
/// find, `lent` the words that they are lent. Gives symbols that must be kept.
pub(crate) fn define(
    object: &mut Object<'_>,
    runtime: SymbolId,
    registry: SymbolId,
    lent: SymbolId,
) -> Result<[SymbolId; 2]> {
    let section =
        object.add_section(Vec::new(), b".text.__pathcc_threads".to_vec(), SectionKind::Text);
    let start = object.append_section_data(section, &posix::CODE, ALIGNMENT);
    posix::CREATE_THREAD.refer(object, section, start, runtime)?;
    let signature = object.append_section_data(section, &SIGNATURE, SIGNATURE_OFFSET);
    let distance = object.append_section_data(section, &[0; 4], 4);
    refer(object, section, distance, registry, R_X86_64_PC32, 0)?;
    let words = object.append_section_data(section, &[0; 4], 4);
    debug_assert_eq!(
        [signature, distance, words].map(|place| place - start),
        [SIGNATURE_OFFSET, REGISTRY_OFFSET, WORDS_OFFSET]
    );
    refer(object, section, words, lent, R_X86_64_TPOFF32, 0)?;
    let c_start = object.append_section_data(section, &c::CODE, ALIGNMENT);
    c::CREATE_THREAD.refer(object, section, c_start, runtime)?;
    let [posix_name, c_name] = names::THREAD_FUNCTIONS;
    let posix = symbol(object, section, posix_name, start, words + 4 - start);
    Ok([posix, symbol(object, section, c_name, c_start, c::CODE.len() as u64)])
}

/// Adds the functions that end a process at once. `leave` names the function that they hand on to,
/// which writes what was counted.
pub(crate) fn define_exits(object: &mut Object<'_>, leave: SymbolId) -> Result<[SymbolId; 2]> {
    let section =
        object.add_section(Vec::new(), b".text.__pathcc_exit".to_vec(), SectionKind::Text);
    let start = object.append_section_data(section, &exit::CODE, ALIGNMENT);
    exit::LEAVE.refer(object, section, start, leave)?;
    let sanitizer = object.add_symbol(object::write::Symbol {
        name: SANITIZER_EXIT.into(),
        value: 0,
        size: 0,
        kind: SymbolKind::Unknown,
        scope: SymbolScope::Dynamic,
        weak: true,
        section: object::write::SymbolSection::Undefined,
        flags: SymbolFlags::None,
    });
    exit::SANITIZER.refer(object, section, start, sanitizer)?;
    let size = exit::CODE.len() as u64;
    Ok(names::EXIT_FUNCTIONS.map(|name| symbol(object, section, name, start, size)))
}

/// Defines a visible function that another definition takes the place of.
pub(crate) fn symbol(
    object: &mut Object<'_>,
    section: SectionId,
    name: &str,
    value: u64,
    size: u64,
) -> SymbolId {
    object.add_symbol(object::write::Symbol {
        name: name.into(),
        value,
        size,
        kind: SymbolKind::Text,
        scope: SymbolScope::Dynamic,
        weak: true,
        section: object::write::SymbolSection::Section(section),
        flags: SymbolFlags::None,
    })
}

/// Fills a place in a section with what a relocation computes.
fn refer(
    object: &mut Object<'_>,
    section: SectionId,
    offset: u64,
    symbol: SymbolId,
    r_type: RelocationType,
    addend: i64,
) -> Result<()> {
    let flags = RelocationFlags::Elf { r_type };
    Ok(object.add_relocation(section, Relocation { offset, symbol, addend, flags })?)
}
