//! Adds for traced modules the common block of threads, the distance from there to a thread's own,
//! and the function that makes room.
//!
//! Objects have definitions of their own of all three, in COMDAT groups, as of their arrays. Block
//! and distance are visible: all images of a process are to use those of the first one that has
//! any, since the order of what runs is one. The block has the distance to the runtime that it
//! belongs to. So the function finds that runtime, whichever image calls.

use anyhow::Result;
use object::elf::R_X86_64_PC64;
use object::write::{Object, Relocation, SectionId, Symbol, SymbolId, SymbolSection};
use object::{RelocationFlags, SectionKind, SymbolFlags, SymbolKind, SymbolScope};
use pathformat::descriptor::{thread_function, trace_block};
use pathformat::names;

use crate::allocator::Allocator;
use crate::assembly::Field;
use crate::assembly::traces::{
    ROOM_OFFSET, RUNTIME_OFFSET, message, room, signal, switch, synchronise,
};
use crate::elements::{claim_group, refer, section, undefined};
use crate::image_kind::ImageKind;
use crate::threads;

/// The offsets in the code are those of the format.
const _: () = assert!(
    RUNTIME_OFFSET == trace_block::RUNTIME_OFFSET && ROOM_OFFSET == trace_block::ROOM_OFFSET
);

/// The code of a function that hands its number on, beside its arguments.
struct Numbered {
    code: &'static [u8],
    number: Field,
    handler: Field,
}

const SIGNAL: Numbered =
    Numbered { code: &signal::CODE, number: signal::NUMBER, handler: signal::HANDLER };

const SWITCH: Numbered =
    Numbered { code: &switch::CODE, number: switch::NUMBER, handler: switch::HANDLER };

const REPLACED: Numbered = Numbered {
    code: &synchronise::CODE,
    number: synchronise::NUMBER,
    handler: synchronise::HANDLER,
};

impl Numbered {
    /// Adds the code with a number, which jumps to `handler`; gives its start.
    fn append(
        &self,
        object: &mut Object<'_>,
        text: SectionId,
        number: u32,
        handler: SymbolId,
    ) -> Result<u64> {
        let mut code = self.code.to_vec();
        self.number.set(&mut code, number);
        let start = object.append_section_data(text, &code, thread_function::ALIGNMENT);
        self.handler.refer(object, text, start, handler)?;
        Ok(start)
    }
}

/// Adds functions in place of those of the C library: each has this code, with its number, and
/// jumps to `handler`. They are weak, so that a program may have its own, and visible, so that
/// libraries call them too.
fn define_functions(
    object: &mut Object<'_>,
    anchors: SectionId,
    names: &[&str],
    handler: &str,
    code: &Numbered,
) -> Result<()> {
    let runtime = undefined(object, handler);
    let text = section(object, &format!(".text.{handler}"), SectionKind::Text);
    for (number, name) in (0..).zip(names) {
        let start = code.append(object, text, number, runtime)?;
        let function = threads::symbol(object, text, name, start, code.code.len() as u64);
        let offset = object.append_section_data(anchors, &[0; 8], 8);
        refer(object, anchors, offset, function)?;
    }
    Ok(())
}

/// Adds the functions by which the program selects what is traced. They are not weak, since those
/// of the header are. Executables export them, so that libraries that are not traced can call them.
fn define_switches(object: &mut Object<'_>, kind: ImageKind) -> Result<()> {
    let runtime = undefined(object, names::TRACE_SWITCH);
    let text = section(object, ".text.__pathcc_trace_switch", SectionKind::Text);
    let scope =
        if kind == ImageKind::Executable { SymbolScope::Dynamic } else { SymbolScope::Linkage };
    for (number, name) in (0..).zip(names::REGION_FUNCTIONS) {
        let value = SWITCH.append(object, text, number, runtime)?;
        object.add_symbol(Symbol {
            name: name.into(),
            value,
            size: SWITCH.code.len() as u64,
            kind: SymbolKind::Text,
            scope,
            weak: false,
            section: SymbolSection::Section(text),
            flags: SymbolFlags::None,
        });
    }
    Ok(())
}

/// Adds all of it. `anchors` keeps the runtime of traces.
pub(crate) fn define(
    object: &mut Object<'_>,
    anchors: SectionId,
    kind: ImageKind,
    allocator: Allocator,
) -> Result<()> {
    if kind == ImageKind::Executable {
        let (names, handler) = (&names::SIGNAL_FUNCTIONS, names::TRACE_SIGNAL);
        define_functions(object, anchors, names, handler, &SIGNAL)?;
        let (names, handler) = (&names::SYNCHRONISATION_FUNCTIONS, names::TRACE_SYNCHRONISE);
        define_functions(object, anchors, names, handler, &REPLACED)?;
        if allocator == Allocator::CLibrary {
            let (names, handler) = (&names::ALLOCATION_FUNCTIONS, names::TRACE_ALLOCATE);
            define_functions(object, anchors, names, handler, &REPLACED)?;
        }
        let names = &[names::OPENMP_TOOL];
        define_functions(object, anchors, names, names::TRACE_OPENMP, &SIGNAL)?;
    }
    if kind != ImageKind::Library {
        let entry = undefined(object, names::TRACE_ENTRY);
        let offset = object.append_section_data(anchors, &[0; 8], 8);
        refer(object, anchors, offset, entry)?;
    }
    define_switches(object, kind)?;
    let runtime = undefined(object, names::TRACE_RUNTIME);
    let offset = object.append_section_data(anchors, &[0; 8], 8);
    refer(object, anchors, offset, runtime)?;

    let threads = section(object, ".tdata.__pathcc_trace", SectionKind::Tls);
    object.append_section_data(threads, &[0; 8], 8);
    let distance = symbol(object, names::TRACE_DISTANCE, SymbolKind::Tls, threads, 8);
    claim_group(object, distance);

    let data = section(object, ".data.__pathcc_trace", SectionKind::Data);
    let block = [0; trace_block::SIZE as usize];
    object.append_section_data(data, &block, trace_block::ALIGNMENT);
    let flags = RelocationFlags::Elf { r_type: R_X86_64_PC64 };
    let offset = trace_block::RUNTIME_OFFSET;
    let addend = offset as i64;
    object.add_relocation(data, Relocation { offset, symbol: runtime, addend, flags })?;
    let block = symbol(object, names::TRACE_BLOCK, SymbolKind::Data, data, trace_block::SIZE);
    claim_group(object, block);

    let text = section(object, ".text.__pathcc_trace_room", SectionKind::Text);
    let start = object.append_section_data(text, &room::CODE, 16);
    room::BLOCK.refer(object, text, start, block)?;
    let give_room = undefined(object, names::TRACE_GIVE_ROOM);
    room::GIVE_ROOM.refer(object, text, start, give_room)?;
    let room = symbol(object, names::TRACE_ROOM, SymbolKind::Text, text, room::CODE.len() as u64);
    claim_group(object, room);

    let runtime = undefined(object, names::TRACE_MESSAGE_RUNTIME);
    let text = section(object, ".text.__pathcc_trace_message", SectionKind::Text);
    let start = object.append_section_data(text, &message::CODE, thread_function::ALIGNMENT);
    message::HANDLER.refer(object, text, start, runtime)?;
    let size = message::CODE.len() as u64;
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
    let scope = if kind == SymbolKind::Text { SymbolScope::Linkage } else { SymbolScope::Dynamic };
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
