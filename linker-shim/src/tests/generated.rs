//! An object that defines the counters of some modules, and what tests ask of it.

use std::collections::BTreeSet;

use object::read::elf::ElfFile64;
use object::{Object, ObjectSection, ObjectSymbol, RelocationFlags, RelocationTarget, SymbolIndex};
use pathformat::settings::Threads;
use pathformat::{ModuleId, names};

use crate::allocator::Allocator;
use crate::image_kind::ImageKind;
use crate::module::generate;
use crate::scan::Module;

pub(super) fn module(id: u8, counters: u64, keys: u64, threads: Threads, own_base: bool) -> Module {
    Module {
        id: ModuleId([id; 16]),
        counters,
        keys,
        threads,
        own_base,
        in_segment: false,
        uses_segment: false,
        moves_pointer: false,
        traced: false,
        waits: false,
        changes_label: false,
    }
}

/// One of each kind.
pub(super) fn modules() -> [Module; 5] {
    [
        module(1, 10, 0, Threads::Exact, false),
        module(2, 600, 3, Threads::Exact, true),
        module(3, 8, 0, Threads::Single, true),
        module(4, 1, 64, Threads::Atomic, false),
        module(5, 0, 0, Threads::Exact, true),
    ]
}

/// The object with what tests ask of it.
pub(super) struct Generated(Vec<u8>);

impl Generated {
    pub(super) fn of(modules: &[Module], kind: ImageKind) -> Self {
        Self(generate(modules, kind, Allocator::CLibrary).expect("it fits"))
    }

    pub(super) fn file(&self) -> ElfFile64<'_> {
        ElfFile64::parse(self.0.as_slice()).expect("an object")
    }

    /// Where a symbol is, and its size.
    pub(super) fn place(&self, name: &str) -> Option<(String, u64, u64)> {
        let file = self.file();
        let symbol =
            file.symbols().find(|symbol| symbol.name() == Ok(name) && !symbol.is_undefined())?;
        let section = file.section_by_index(symbol.section_index()?).ok()?;
        Some((section.name().ok()?.into(), symbol.address(), symbol.size()))
    }

    pub(super) fn undefined(&self) -> BTreeSet<String> {
        let file = self.file();
        file.symbols()
            .filter(|symbol| symbol.is_undefined())
            .map(|symbol| symbol.name().unwrap().into())
            .collect()
    }

    pub(super) fn content(&self, section: &str) -> Vec<u8> {
        self.file()
            .section_by_name(section)
            .map(|section| section.data().unwrap().to_vec())
            .unwrap_or_default()
    }

    pub(super) fn words(&self, section: &str) -> Vec<u64> {
        self.content(section).as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect()
    }

    /// Each relocation of a section: offset, type, what it refers to, addend. Sections are called
    /// by their name.
    pub(super) fn relocations(&self, section: &str) -> Vec<(u64, u32, String, i64)> {
        let file = self.file();
        let name = |index: SymbolIndex| {
            let symbol = file.symbol_by_index(index).expect("a symbol");
            let section = symbol.section_index().filter(|_| symbol.name() == Ok(""));
            let section = section.map(|index| {
                file.section_by_index(index).expect("a section").name().unwrap().into()
            });
            section.unwrap_or_else(|| symbol.name().unwrap().to_string())
        };
        let section = file.section_by_name(section).expect("a section");
        let relocations = section.relocations().map(|(offset, relocation)| {
            let RelocationFlags::Elf { r_type } = relocation.flags() else { panic!("ELF") };
            let RelocationTarget::Symbol(symbol) = relocation.target() else { panic!("a symbol") };
            (offset, r_type.0, name(symbol), relocation.addend())
        });
        relocations.collect()
    }
}

pub(super) fn counters(id: u8) -> String {
    format!("{}{}", names::COUNTERS_PREFIX, ModuleId([id; 16]))
}

pub(super) const WORDS: &str = ".tdata.__pathcc_delta";
