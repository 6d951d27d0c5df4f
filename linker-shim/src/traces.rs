//! What traced modules need: the words of each thread, and the function that makes room.
//!
//! Objects have definitions of their own of both, in COMDAT groups, as of their arrays. The words
//! are visible: all images of a process are to use those of the first one that has any, since the
//! order of what runs is one. Behind the words each thread has the address of the runtime that they
//! belong to. So the function finds it, whichever image calls.

use anyhow::Result;
use object::elf::{R_X86_64_64, R_X86_64_GOTTPOFF, R_X86_64_PC32};
use object::write::{Object, Relocation, SectionId, Symbol, SymbolId, SymbolSection};
use object::{RelocationFlags, SectionKind, SymbolFlags, SymbolKind, SymbolScope};
use pathformat::descriptor::trace_block;
use pathformat::names;

use crate::elements::{claim_group, refer, section, undefined};
use crate::kind::Kind;
use crate::threads;

/// Where the words' distance from the thread pointer stands in the code.
const WORDS: u64 = 7;

/// Where the address of this image's own runtime stands in the code.
const OWN: u64 = 19;

/// It may change the two registers.
const ROOM: [u8; 33] = [
    0xf3,
    0x0f,
    0x1e,
    0xfa, // endbr64
    0x48,
    0x8b,
    0x05,
    0,
    0,
    0,
    0, // mov __pathcc.trace.words@GOTTPOFF(%rip), %rax
    0x64,
    0x48,
    0x8b,
    0x40,
    trace_block::RUNTIME_OFFSET as u8, // mov %fs:16(%rax), %rax
    0x4c,
    0x8d,
    0x1d,
    0,
    0,
    0,
    0, // lea __pathcc_trace_runtime(%rip), %r11
    0x48,
    0x85,
    0xc0, // test %rax, %rax
    0x49,
    0x0f,
    0x44,
    0xc3, // cmove %r11, %rax
    0xff,
    0x60,
    trace_block::ROOM_OFFSET as u8, // jmp *8(%rax)
];

/// The code of a function that installs handlers: it hands its arguments on, with its number as
/// the fourth.
const SIGNAL: [u8; 14] = [
    0xf3, 0x0f, 0x1e, 0xfa, // endbr64
    0xb9, 0, 0, 0, 0, // mov $number, %ecx
    0xe9, 0, 0, 0, 0, // jmp __pathcc_trace_signal
];

/// Where the number stands in the code.
const SIGNAL_NUMBER: usize = 5;

/// The code of a function that says what is traced: it hands its number on.
const SWITCH: [u8; 14] = [
    0xf3, 0x0f, 0x1e, 0xfa, // endbr64
    0xbf, 0, 0, 0, 0, // mov $number, %edi
    0xe9, 0, 0, 0, 0, // jmp __pathcc_trace_switch
];

/// Where the number stands in the code.
const SWITCH_NUMBER: usize = 5;

/// The code of a function that synchronises: it hands its arguments on, with its number as the
/// fifth.
const SYNCHRONISE: [u8; 15] = [
    0xf3, 0x0f, 0x1e, 0xfa, // endbr64
    0x41, 0xb8, 0, 0, 0, 0, // mov $number, %r8d
    0xe9, 0, 0, 0, 0, // jmp __pathcc_trace_synchronise
];

/// Where the number stands in the code.
const SYNCHRONISE_NUMBER: usize = 6;

/// Adds functions in place of those of the C library: each has this code, with its number at this
/// place, which jumps to `handler`. They are weak, so that a program may have its own, and visible,
/// so that libraries call them too.
fn define_functions<const N: usize>(
    object: &mut Object<'_>,
    anchors: SectionId,
    names: &[&str],
    handler: &str,
    (code, place): ([u8; N], usize),
) -> Result<()> {
    let runtime = undefined(object, handler);
    let text = section(object, &format!(".text.{handler}"), SectionKind::Text);
    for (number, name) in (0u8..).zip(names) {
        let mut code = code;
        code[place] = number;
        let start = threads::jump(object, text, &code, runtime)?;
        let function = threads::symbol(object, text, name, start, code.len() as u64);
        let offset = object.append_section_data(anchors, &[0; 8], 8);
        refer(object, anchors, offset, function)?;
    }
    Ok(())
}

/// Adds the functions by which the program says what is traced. They are not weak, since those of
/// the header are. Executables show them, so that libraries that are not traced can call them.
fn define_switches(object: &mut Object<'_>, kind: Kind) -> Result<()> {
    let runtime = undefined(object, names::TRACE_SWITCH);
    let text = section(object, ".text.__pathcc_trace_switch", SectionKind::Text);
    let scope = if kind == Kind::Executable { SymbolScope::Dynamic } else { SymbolScope::Linkage };
    for (number, name) in (0u8..).zip(names::REGION_FUNCTIONS) {
        let mut code = SWITCH;
        code[SWITCH_NUMBER] = number;
        let value = threads::jump(object, text, &code, runtime)?;
        object.add_symbol(Symbol {
            name: name.into(),
            value,
            size: code.len() as u64,
            kind: SymbolKind::Text,
            scope,
            weak: false,
            section: SymbolSection::Section(text),
            flags: SymbolFlags::None,
        });
    }
    Ok(())
}

/// The code of the function that records calls of MPI.
const MESSAGE: [u8; 9] = [
    0xf3, 0x0f, 0x1e, 0xfa, // endbr64
    0xe9, 0, 0, 0, 0, // jmp __pathcc_trace_message
];

/// Adds all of it. `anchors` keeps the runtime of traces.
pub(crate) fn define(object: &mut Object<'_>, anchors: SectionId, kind: Kind) -> Result<()> {
    if kind == Kind::Executable {
        let signals = (SIGNAL, SIGNAL_NUMBER);
        let (names, handler) = (&names::SIGNAL_FUNCTIONS, names::TRACE_SIGNAL);
        define_functions(object, anchors, names, handler, signals)?;
        let operations = (SYNCHRONISE, SYNCHRONISE_NUMBER);
        let (names, handler) = (&names::SYNCHRONISATION_FUNCTIONS, names::TRACE_SYNCHRONISE);
        define_functions(object, anchors, names, handler, operations)?;
        let names = &[names::OPENMP_TOOL];
        define_functions(object, anchors, names, names::TRACE_OPENMP, signals)?;
    }
    define_switches(object, kind)?;
    let runtime = undefined(object, names::TRACE_RUNTIME);
    let offset = object.append_section_data(anchors, &[0; 8], 8);
    refer(object, anchors, offset, runtime)?;

    let block = section(object, ".tdata.__pathcc_trace", SectionKind::Tls);
    let start =
        object.append_section_data(block, &[0; trace_block::SIZE as usize], trace_block::ALIGNMENT);
    let flags = RelocationFlags::Elf { r_type: R_X86_64_64 };
    let offset = start + trace_block::RUNTIME_OFFSET;
    object.add_relocation(block, Relocation { offset, symbol: runtime, addend: 0, flags })?;
    let words = symbol(object, names::TRACE_WORDS, SymbolKind::Tls, block, trace_block::SIZE);
    claim_group(object, words);

    let text = section(object, ".text.__pathcc_trace_room", SectionKind::Text);
    let start = object.append_section_data(text, &ROOM, 16);
    threads::refer(object, text, start + WORDS, words, R_X86_64_GOTTPOFF, -4)?;
    threads::refer(object, text, start + OWN, runtime, R_X86_64_PC32, -4)?;
    let room = symbol(object, names::TRACE_ROOM, SymbolKind::Text, text, ROOM.len() as u64);
    claim_group(object, room);

    let runtime = undefined(object, names::TRACE_MESSAGE_RUNTIME);
    let text = section(object, ".text.__pathcc_trace_message", SectionKind::Text);
    threads::jump(object, text, &MESSAGE, runtime)?;
    let size = MESSAGE.len() as u64;
    let message = symbol(object, names::TRACE_MESSAGE, SymbolKind::Text, text, size);
    claim_group(object, message);
    Ok(())
}

/// Defines what is at the start of a section.
fn symbol(
    object: &mut Object<'_>,
    name: &str,
    kind: SymbolKind,
    section: SectionId,
    size: u64,
) -> SymbolId {
    let scope = if kind == SymbolKind::Tls { SymbolScope::Dynamic } else { SymbolScope::Linkage };
    object.add_symbol(Symbol {
        name: name.into(),
        value: 0,
        size,
        kind,
        scope,
        weak: false,
        section: SymbolSection::Section(section),
        flags: SymbolFlags::None,
    })
}
