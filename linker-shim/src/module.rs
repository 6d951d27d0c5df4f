//! Generates the object that defines the counters of an image.
//!
//! Each instrumented object brings a weak array of its own in a COMDAT group that is named like the
//! array; so an object links without pathld and counts into nowhere. This object comes first on the
//! command line and has groups of the same names, so the linker drops the others' groups, and their
//! references find the arrays here: all in one region of whole pages.

use anyhow::{Context, Result, ensure};
use object::elf::{
    GNU_PROPERTY_X86_FEATURE_1_AND, GNU_PROPERTY_X86_FEATURE_1_IBT,
    GNU_PROPERTY_X86_FEATURE_1_SHSTK, R_X86_64_64, SHF_ALLOC, SHF_WRITE, SHT_NOTE,
    SHT_PREINIT_ARRAY,
};
use object::write::{Object, Relocation, SectionId, SymbolId};
use object::{
    Architecture, BinaryFormat, Endianness, RelocationFlags, SectionFlags, SectionKind, SymbolKind,
};
use pathformat::descriptor::{self, ABI_VERSION, CHANGES_LABEL, Descriptor, KEYS, LIBRARY};
use pathformat::raw::{IN_SEGMENT, OWN_BASE, PAGE, TRACED, WAITS};
use pathformat::settings::Threads;
use pathformat::{ModuleId, names, note};
use zerocopy::IntoBytes;

use crate::allocator::Allocator;
use crate::assembly::delta_offset::{of_word, zero};
use crate::elements::{claim_group, define, refer, section, undefined};
use crate::image_kind::ImageKind;
use crate::scan::Module;
use crate::{early, labels, threads, traces};

/// The size of the region in bytes, whole pages and at least one; `None` if it exceeds 64 bits.
pub(crate) fn region_size(modules: &[Module]) -> Option<u64> {
    Some(layout(modules)?.size)
}

/// True if there are modules that count.
pub(crate) fn counts(modules: &[Module]) -> bool {
    modules.iter().any(|module| !module.traced)
}

/// True if there are modules that are traced.
pub(crate) fn traces(modules: &[Module]) -> bool {
    modules.iter().any(|module| module.traced)
}

/// Where the arrays are in the region.
struct Layout {
    /// Where each one starts.
    offsets: Vec<u64>,
    /// The part of the region that holds counters, in bytes, whole pages. Arrays of traced modules
    /// stand behind that, since the runtime that counts changes what the region is mapped to.
    counted: u64,
    /// The length of the region, whole pages.
    size: u64,
}

/// `None` if it exceeds 64 bits.
fn layout(modules: &[Module]) -> Option<Layout> {
    let mut offsets = vec![0; modules.len()];
    let mut end = 0u64;
    let mut place = |traced: bool| {
        for (module, offset) in modules.iter().zip(&mut offsets) {
            if module.traced == traced {
                *offset = end.checked_next_multiple_of(names::ARRAY_ALIGNMENT.into())?;
                end = offset.checked_add(words(module).checked_mul(8)?)?;
            }
        }
        end = end.max(1).checked_next_multiple_of(PAGE)?;
        Some(end)
    };
    let counted = if counts(modules) { place(false)? } else { 0 };
    let size = if traces(modules) { place(true)? } else { counted };
    Some(Layout { offsets, counted, size: size.max(PAGE) })
}

/// The length of a module's array: its counters, and the keys behind them.
fn words(module: &Module) -> u64 {
    module.counters.saturating_add(module.keys)
}

/// The bytes of the object.
///
/// # Errors
/// The counters of all modules together exceed the address space.
pub(crate) fn generate(
    modules: &[Module],
    kind: ImageKind,
    allocator: Allocator,
) -> Result<Vec<u8>> {
    let Layout { offsets, counted, size } =
        layout(modules).context("the counters exceed the address space")?;
    ensure!(u32::try_from(modules.len() * 2).is_ok(), "more than 2^31 modules");
    let modules = &for_kind(modules, kind);

    let mut object = begin();
    let region = define_region(&mut object, modules, &offsets, size);
    let place = define_places(&mut object, modules);
    // A library has no thread-local variable of ours unless its code needs it.
    let has_words = exact(modules).any(|module| kind != ImageKind::Library || has_own_base(module));
    let thread_local = section(&mut object, ".tdata.__pathcc_delta", SectionKind::Tls);
    let delta = has_words.then(|| {
        object.append_section_data(thread_local, &[0; 8], 8);
        define(&mut object, names::DELTA, SymbolKind::Tls, thread_local, 0, 8)
    });
    delta_offset(&mut object, delta)?;
    let region = object.section_symbol(region);
    define_own_bases(&mut object, modules, &offsets, thread_local, region)?;
    let entries = table(modules, &offsets);
    let changes_label = modules.iter().any(|module| module.changes_label);
    let has_keys = modules.iter().any(|module| module.keys > 0);
    let flag = |flag, is_set: bool| if is_set { flag } else { 0 };
    let flags = flag(LIBRARY, kind == ImageKind::Library)
        | flag(KEYS, has_keys)
        | flag(CHANGES_LABEL, changes_label);
    // The runtime that counts sees its part alone.
    let described = if counts(modules) { counted } else { size };
    let table = define_descriptor(&mut object, &entries, described, flags, region)?;
    let anchors =
        section(&mut object, ".data.rel.ro.__pathcc_anchors", SectionKind::ReadOnlyDataWithRel);
    let words =
        early::Operands { region, modules: table, count: entries.len() as u32, delta, place };
    let alone = kind == ImageKind::Library || !counts(modules);
    let early = early::define(&mut object, words, alone)?;
    claim_group(&mut object, early);
    if counts(modules) {
        pull_in_runtime(&mut object, anchors, modules, kind)?;
        labels::define(&mut object, changes_label)?;
    }
    if traces(modules) {
        traces::define(&mut object, anchors, kind, allocator)?;
    }
    object.write().context("cannot write the object with the counters")
}

/// The modules as they count in an image of this kind: in a library, code loses the segment.
fn for_kind(modules: &[Module], kind: ImageKind) -> Vec<Module> {
    let as_it_counts = |&module: &Module| match kind {
        ImageKind::Library if module.in_segment => {
            Module { in_segment: false, threads: Threads::Atomic, ..module }
        }
        _ => module,
    };
    modules.iter().map(as_it_counts).collect()
}

/// An object with what says that pathld was there.
fn begin() -> Object<'static> {
    let mut object = Object::new(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little);
    object.add_file_symbol(b"pathcc".to_vec());
    object.add_elf_gnu_property_u32(
        GNU_PROPERTY_X86_FEATURE_1_AND,
        GNU_PROPERTY_X86_FEATURE_1_IBT | GNU_PROPERTY_X86_FEATURE_1_SHSTK,
    );
    section(&mut object, ".note.GNU-stack", SectionKind::Other);
    let linked = section(&mut object, note::SECTION, SectionKind::Note);
    *object.section_flags_mut(linked) =
        SectionFlags::Elf { sh_type: SHT_NOTE, sh_flags: SHF_ALLOC };
    object.append_section_data(linked, &note::head(note::Kind::Linked), note::ALIGNMENT.into());

    object
}

/// Modules whose threads count in slots of their own.
fn exact(modules: &[Module]) -> impl Iterator<Item = &Module> {
    modules
        .iter()
        .filter(|module| module.threads == Threads::Exact && module.counters > 0 && !module.traced)
}

/// Defines the region with the arrays of all modules.
fn define_region(
    object: &mut Object<'_>,
    modules: &[Module],
    offsets: &[u64],
    size: u64,
) -> SectionId {
    let region = section(object, names::REGION_SECTION, SectionKind::UninitializedData);
    object.append_section_bss(region, size, PAGE);
    for (module, &offset) in modules.iter().zip(offsets) {
        let name = format!("{}{}", names::COUNTERS_PREFIX, module.id);
        let array = define(object, &name, SymbolKind::Data, region, offset, words(module) * 8);
        claim_group(object, array);
    }
    region
}

/// Defines the variable by which code that may be part of a library finds `delta`, under the names
/// of all modules.
fn define_places(object: &mut Object<'_>, modules: &[Module]) -> SymbolId {
    let place = section(object, ".data.__pathcc_place", SectionKind::Data);
    object.append_section_data(place, &names::NOWHERE.to_le_bytes(), 8);
    let place_symbol = define(object, names::PLACE, SymbolKind::Data, place, 0, 8);
    for module in exact(modules) {
        let name = format!("{}{}", names::PLACE_PREFIX, module.id);
        let place = define(object, &name, SymbolKind::Data, place, 0, 8);
        claim_group(object, place);
    }
    place_symbol
}

/// Defines the thread-local words that lead to the arrays of some modules.
fn define_own_bases(
    object: &mut Object<'_>,
    modules: &[Module],
    offsets: &[u64],
    thread_local: SectionId,
    region: SymbolId,
) -> Result<()> {
    for (module, &offset) in modules.iter().zip(offsets).filter(|(module, _)| has_own_base(module))
    {
        let place = object.append_section_data(thread_local, &[0; 8], 8);
        let addend = i64::try_from(offset).context("the counters exceed the address space")?;
        let flags = RelocationFlags::Elf { r_type: R_X86_64_64 };
        object.add_relocation(
            thread_local,
            Relocation { offset: place, symbol: region, addend, flags },
        )?;
        let name = format!("{}{}", names::BASE_PREFIX, module.id);
        let base = define(object, &name, SymbolKind::Tls, thread_local, place, 8);
        claim_group(object, base);
    }
    Ok(())
}

/// The table of the modules and of their keys.
fn table(modules: &[Module], offsets: &[u64]) -> Vec<descriptor::Module> {
    modules
        .iter()
        .zip(offsets)
        .flat_map(|(module, &offset)| {
            let flags = module.threads.code()
                | if has_own_base(module) { OWN_BASE } else { 0 }
                | if module.in_segment { IN_SEGMENT } else { 0 }
                | if module.traced { TRACED } else { 0 }
                | if module.waits { WAITS } else { 0 };
            let entry = |id: ModuleId, offset, counters, threads: u32| descriptor::Module {
                id: id.0,
                offset,
                counters,
                threads: threads.into(),
            };
            let counters = entry(module.id, offset, module.counters, flags);
            // All threads share the keys. In a profile they come before the counts that need them.
            let behind = offset + module.counters * 8;
            let keys = entry(module.id.keys(), behind, module.keys, Threads::Atomic.code());
            [Some(keys).filter(|_| module.keys > 0), Some(counters)].into_iter().flatten()
        })
        .collect()
}

/// Defines the descriptor of the image and the table that it leads to; gives the table's start.
fn define_descriptor(
    object: &mut Object<'_>,
    entries: &[descriptor::Module],
    size: u64,
    flags: u64,
    region: SymbolId,
) -> Result<SymbolId> {
    let table = section(object, names::MODULES_SECTION, SectionKind::ReadOnlyData);
    object.append_section_data(table, entries.as_bytes(), 8);

    let section_of_image =
        section(object, ".data.rel.ro.__pathcc_image", SectionKind::ReadOnlyDataWithRel);
    let descriptor = Descriptor {
        abi_version: ABI_VERSION,
        module_count: entries.len() as u32,
        region: 0,
        region_size: size,
        modules: 0,
        flags,
    };
    let length = size_of_val(&descriptor) as u64;
    object.append_section_data(section_of_image, descriptor.as_bytes(), 8);
    define(object, names::IMAGE, SymbolKind::Data, section_of_image, 0, length);
    let table_start = object.section_symbol(table);
    refer(object, section_of_image, Descriptor::REGION_OFFSET, region)?;
    refer(object, section_of_image, Descriptor::MODULES_OFFSET, table_start)?;

    Ok(table_start)
}

/// Refers to what pulls in the runtime. The words are never read.
fn pull_in_runtime(
    object: &mut Object<'_>,
    anchors: SectionId,
    modules: &[Module],
    kind: ImageKind,
) -> Result<()> {
    if kind != ImageKind::Library {
        let offset = object.append_section_data(anchors, &[0; 8], 8);
        let entry = undefined(object, names::ENTRY);
        refer(object, anchors, offset, entry)?;
    }
    // Code that logs blocks has a manifest without counters, and the archive with the runtime
    // stands before it on the command line: so the log's functions are asked for here.
    let logs = modules.iter().any(|module| module.counters == 0 && !module.traced);
    let log = names::LOG_FUNCTIONS.into_iter().chain([names::LOG_MACHINE]).filter(|_| logs);
    for name in [names::RUNTIME].into_iter().chain(log) {
        let offset = object.append_section_data(anchors, &[0; 8], 8);
        let symbol = undefined(object, name);
        refer(object, anchors, offset, symbol)?;
    }
    if kind == ImageKind::Executable {
        let names = [names::CREATE_THREAD, names::REGISTRY, names::LEAVE];
        let [runtime, registry, leave] = names.map(|name| undefined(object, name));
        let lent = lend(object);
        let exits = threads::define_exits(object, leave)?;
        call_first(object)?;
        for function in threads::define(object, runtime, registry, lent)?.into_iter().chain(exits) {
            let offset = object.append_section_data(anchors, &[0; 8], 8);
            refer(object, anchors, offset, function)?;
        }
    }
    Ok(())
}

/// Lets the loader call the runtime before the program's constructors, and before the C library
/// registers what runs at the end.
fn call_first(object: &mut Object<'_>) -> Result<()> {
    let array = section(object, ".preinit_array", SectionKind::Data);
    *object.section_flags_mut(array) =
        SectionFlags::Elf { sh_type: SHT_PREINIT_ARRAY, sh_flags: SHF_ALLOC | SHF_WRITE };
    let offset = object.append_section_data(array, &[0; 8], 8);
    let begin = undefined(object, names::BEGIN);
    refer(object, array, offset, begin)
}

/// True if a module has a thread-local word that leads to its array.
pub(crate) fn has_own_base(module: &Module) -> bool {
    module.own_base && module.threads == Threads::Exact && module.counters > 0 && !module.traced
}

/// Reserves the thread-local words that libraries are lent.
fn lend(object: &mut Object<'_>) -> SymbolId {
    let lent = section(object, ".tbss.__pathcc_lent", SectionKind::UninitializedTls);
    let size = names::LENT_COUNT as u64 * 8;
    let start = object.append_section_bss(lent, size, 8);
    define(object, names::LENT, SymbolKind::Tls, lent, start, size)
}

/// Defines the function that gives the word's distance from the thread pointer, 0 without a word.
fn delta_offset(object: &mut Object<'_>, delta: Option<SymbolId>) -> Result<()> {
    let text = section(object, ".text.__pathcc_delta_offset", SectionKind::Text);
    let code: &[u8] = match delta {
        Some(_) => &of_word::CODE,
        None => &zero::CODE,
    };
    let start = object.append_section_data(text, code, 16);
    define(object, names::DELTA_OFFSET, SymbolKind::Text, text, start, code.len() as u64);
    match delta {
        Some(symbol) => of_word::DELTA.refer(object, text, start, symbol),
        None => Ok(()),
    }
}
