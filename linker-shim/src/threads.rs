//! The functions of the C library that create threads, as an executable defines them: each hands
//! its arguments on to the runtime, which gives the thread counters of its own and calls the C
//! library's function. Beside them those that end a process at once.
//!
//! They are weak, so that a program may have its own, and exported, so that libraries call them
//! too. Behind the first one libraries with counters find the executable's registry.
//! `pathformat::descriptor::thread_function` has the layout. In a static link
//! `runtime/static/threads.s` takes their place.

use anyhow::Result;
use object::elf::{
    R_X86_64_GOTPCREL, R_X86_64_PC32, R_X86_64_PLT32, R_X86_64_TPOFF32, RelocationType,
};
use object::write::{Object, Relocation, SectionId, SymbolId};
use object::{RelocationFlags, SectionKind, SymbolFlags, SymbolKind, SymbolScope};
use pathformat::descriptor::thread_function::{
    ALIGNMENT, REGISTRY_OFFSET, SIGNATURE, SIGNATURE_OFFSET, WORDS_OFFSET,
};
use pathformat::names;

/// `pthread_create`: the last two arguments become 0, "look for the real one" and "POSIX".
const POSIX: [u8; 15] = [
    0xf3, 0x0f, 0x1e, 0xfa, // endbr64
    0x45, 0x31, 0xc0, // xor %r8d, %r8d
    0x45, 0x31, 0xc9, // xor %r9d, %r9d
    0xe9, 0, 0, 0, 0, // jmp __pathcc_create_thread
];

/// `_exit`: tells the runtime, which ends the process. The second argument is the `_exit` of a
/// sanitizer, or 0. It stands here and not in the runtime, since a library that names a function
/// like that is refused by builds whose libraries must not end the process, such as libpq's.
const EXIT: [u8; 16] = [
    0xf3, 0x0f, 0x1e, 0xfa, // endbr64
    0x48, 0x8b, 0x35, 0, 0, 0, 0, // mov __interceptor__exit@GOTPCREL(%rip), %rsi
    0xe9, 0, 0, 0, 0, // jmp __pathcc_leave
];

/// Where the address of the sanitizer's function is in [`EXIT`].
const SANITIZER_OFFSET: u64 = 7;

/// The `_exit` of a sanitizer.
const SANITIZER_EXIT: &str = "__interceptor__exit";

/// `thrd_create`: the function and its argument move on by one, and the last argument says "C".
const C: [u8; 24] = [
    0xf3, 0x0f, 0x1e, 0xfa, // endbr64
    0x48, 0x89, 0xd1, // mov %rdx, %rcx
    0x48, 0x89, 0xf2, // mov %rsi, %rdx
    0x45, 0x31, 0xc0, // xor %r8d, %r8d
    0x41, 0xb9, 1, 0, 0, 0, // mov $1, %r9d
    0xe9, 0, 0, 0, 0, // jmp __pathcc_create_thread
];

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
    let posix = jump(object, section, &POSIX, runtime)?;
    let signature = object.append_section_data(section, &SIGNATURE, SIGNATURE_OFFSET);
    let distance = object.append_section_data(section, &[0; 4], 4);
    refer(object, section, distance, registry, R_X86_64_PC32, 0)?;
    let words = object.append_section_data(section, &[0; 4], 4);
    debug_assert_eq!(
        [signature, distance, words].map(|place| place - posix),
        [SIGNATURE_OFFSET, REGISTRY_OFFSET, WORDS_OFFSET]
    );
    refer(object, section, words, lent, R_X86_64_TPOFF32, 0)?;
    let c = jump(object, section, &C, runtime)?;
    let [posix_name, c_name] = names::THREAD_FUNCTIONS;
    let posix = symbol(object, section, posix_name, posix, words + 4 - posix);
    Ok([posix, symbol(object, section, c_name, c, C.len() as u64)])
}

/// Adds the functions that end a process at once. `leave` names the function that they hand on to,
/// which writes what was counted.
pub(crate) fn define_exits(object: &mut Object<'_>, leave: SymbolId) -> Result<[SymbolId; 2]> {
    let section =
        object.add_section(Vec::new(), b".text.__pathcc_exit".to_vec(), SectionKind::Text);
    let start = jump(object, section, &EXIT, leave)?;
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
    refer(object, section, start + SANITIZER_OFFSET, sanitizer, R_X86_64_GOTPCREL, -4)?;
    Ok(names::EXIT_FUNCTIONS.map(|name| symbol(object, section, name, start, EXIT.len() as u64)))
}

/// Adds code that ends with a jump to a function, whose distance counts from behind it.
pub(crate) fn jump(
    object: &mut Object<'_>,
    section: SectionId,
    code: &[u8],
    function: SymbolId,
) -> Result<u64> {
    let start = object.append_section_data(section, code, ALIGNMENT);
    refer(object, section, start + code.len() as u64 - 4, function, R_X86_64_PLT32, -4)?;
    Ok(start)
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
pub(crate) fn refer(
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
