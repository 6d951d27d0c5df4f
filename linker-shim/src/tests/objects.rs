//! The object that defines the counters.

use std::collections::BTreeSet;

use object::elf::{
    R_X86_64_64, R_X86_64_GOTPCREL, R_X86_64_GOTTPOFF, R_X86_64_PC32, R_X86_64_PLT32,
    R_X86_64_TPOFF32, RelocationType, SHF_EXCLUDE, SHF_GROUP,
};
use object::read::elf::ElfFile64;
use object::{
    Object, ObjectComdat, ObjectSection, ObjectSymbol, RelocationFlags, RelocationTarget,
    SectionFlags, SymbolIndex, SymbolScope,
};
use pathformat::raw::OWN_BASE;
use pathformat::settings::Threads;
use pathformat::{ModuleId, names};

use crate::args::Kind;
use crate::module::{generate, region_size};
use crate::scan::Module;

fn module(id: u8, counters: u64, keys: u64, threads: Threads, own_base: bool) -> Module {
    Module { id: ModuleId([id; 16]), counters, keys, threads, own_base, moves_pointer: false }
}

/// One of each kind.
fn modules() -> [Module; 5] {
    [
        module(1, 10, 0, Threads::Exact, false),
        module(2, 600, 3, Threads::Exact, true),
        module(3, 8, 0, Threads::Single, true),
        module(4, 1, 64, Threads::Atomic, false),
        module(5, 0, 0, Threads::Exact, true),
    ]
}

/// The object with what tests ask of it.
struct Generated(Vec<u8>);

impl Generated {
    fn of(modules: &[Module], kind: Kind) -> Self {
        Self(generate(modules, kind).expect("it fits"))
    }

    fn file(&self) -> ElfFile64<'_> {
        ElfFile64::parse(self.0.as_slice()).expect("an object")
    }

    /// Where a symbol is, and its size.
    fn place(&self, name: &str) -> Option<(String, u64, u64)> {
        let file = self.file();
        let symbol =
            file.symbols().find(|symbol| symbol.name() == Ok(name) && !symbol.is_undefined())?;
        let section = file.section_by_index(symbol.section_index()?).ok()?;
        Some((section.name().ok()?.into(), symbol.address(), symbol.size()))
    }

    fn undefined(&self) -> BTreeSet<String> {
        let file = self.file();
        file.symbols()
            .filter(|symbol| symbol.is_undefined())
            .map(|symbol| symbol.name().unwrap().into())
            .collect()
    }

    fn content(&self, section: &str) -> Vec<u8> {
        self.file()
            .section_by_name(section)
            .map(|section| section.data().unwrap().to_vec())
            .unwrap_or_default()
    }

    fn words(&self, section: &str) -> Vec<u64> {
        self.content(section).as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect()
    }

    /// Each relocation of a section: offset, type, what it refers to, addend. Sections are called
    /// by their name.
    fn relocations(&self, section: &str) -> Vec<(u64, u32, String, i64)> {
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

fn counters(id: u8) -> String {
    format!("{}{}", names::COUNTERS_PREFIX, ModuleId([id; 16]))
}

#[test]
fn arrays_stand_one_behind_the_other_at_cache_lines() {
    let object = Generated::of(&modules(), Kind::Executable);
    let region = |offset, words: u64| Some((names::REGION_SECTION.to_string(), offset, words * 8));
    // 80 bytes take two lines, 4,824 take 76, 64 one, and 520 nine.
    let expected = [
        region(0, 10),
        region(128, 603),
        region(128 + 76 * 64, 8),
        region(128 + 77 * 64, 65),
        region(128 + 86 * 64, 0),
    ];
    for (id, place) in (1..).zip(expected) {
        assert_eq!(object.place(&counters(id)), place, "{id}");
    }
    assert_eq!(
        object.file().section_by_name(names::REGION_SECTION).expect("the region").size(),
        8192
    );
}

#[test]
fn the_region_is_whole_pages_and_at_least_one() {
    let size = |counters, keys| region_size(&[module(1, counters, keys, Threads::Exact, false)]);
    assert_eq!(region_size(&[]), Some(4096));
    let known = [
        (0, 0, 4096),
        (512, 0, 4096),
        (500, 12, 4096),
        (513, 0, 8192),
        (512, 1, 8192),
        (1024, 0, 8192),
    ];
    for (counters, keys, expected) in known {
        assert_eq!(size(counters, keys), Some(expected), "{counters} {keys}");
    }
    for (counters, keys) in [(u64::MAX, 0), (u64::MAX / 8, 0), (1 << 61, 0), (u64::MAX, u64::MAX)] {
        assert_eq!(size(counters, keys), None);
        let error = generate(&[module(1, counters, keys, Threads::Exact, false)], Kind::Executable)
            .unwrap_err();
        assert_eq!(error.to_string(), "the counters exceed the address space");
    }
}

#[test]
fn other_objects_groups_give_way_to_ours() {
    let object = Generated::of(&modules(), Kind::Executable);
    let file = object.file();
    let groups: BTreeSet<_> =
        file.comdats().map(|group| group.name().expect("a name").to_string()).collect();
    let of = |prefix: &str, ids: &[u8]| {
        ids.iter().map(|&id| format!("{prefix}{}", ModuleId([id; 16]))).collect::<Vec<_>>()
    };
    let expected = [
        of(names::COUNTERS_PREFIX, &[1, 2, 3, 4, 5]),
        of(names::PLACE_PREFIX, &[1, 2]),
        of(names::BASE_PREFIX, &[2]),
    ];
    let expected = [expected.concat(), vec![names::EARLY.to_string()]].concat();
    assert_eq!(groups, expected.into_iter().collect());
    for group in file.comdats() {
        for member in group.sections() {
            let member = file.section_by_index(member).expect("a section");
            let SectionFlags::Elf { sh_flags, .. } = member.flags() else { panic!("ELF") };
            assert_eq!(member.size(), 1);
            assert_eq!(sh_flags, SHF_EXCLUDE | SHF_GROUP, "no linker copies it");
        }
    }
}

#[test]
fn threads_that_count_for_themselves_have_words() {
    for kind in [Kind::Executable, Kind::Static, Kind::Library] {
        let object = Generated::of(&modules(), kind);
        let at = |offset| Some((WORDS.to_string(), offset, 8));
        assert_eq!(object.place(names::DELTA), at(0), "{kind:?}");
        assert_eq!(object.place(&format!("{}{}", names::BASE_PREFIX, ModuleId([2; 16]))), at(8));
        assert_eq!(object.content(WORDS), [0; 16]);
        let base = (8, R_X86_64_64.0, names::REGION_SECTION.to_string(), 128);
        assert_eq!(object.relocations(WORDS), [base]);
    }
}

const WORDS: &str = ".tdata.__pathcc_delta";

/// All modules of an image read one variable, and those that are not counted thread by thread none.
#[test]
fn where_the_word_is_stands_in_one_variable() {
    let object = Generated::of(&modules(), Kind::Executable);
    let variable = Some((".data.__pathcc_place".to_string(), 0, 8));
    assert_eq!(object.place(names::PLACE), variable);
    for (id, has_one) in [(1, true), (2, true), (3, false), (4, false), (5, false)] {
        let place = object.place(&format!("{}{}", names::PLACE_PREFIX, ModuleId([id; 16])));
        assert_eq!(place, variable.clone().filter(|_| has_one), "{id}");
    }
    assert_eq!(object.words(".data.__pathcc_place"), [names::NOWHERE]);
}

#[test]
fn without_such_threads_there_is_no_word() {
    let [exact, own, single, atomic, none] = modules();
    for (others, kind) in [
        (vec![], Kind::Executable),
        (vec![single, atomic], Kind::Executable),
        (vec![none], Kind::Static),
        // A library has words only if one of its modules has a word of its own.
        (vec![exact, single, atomic, none], Kind::Library),
    ] {
        let object = Generated::of(&others, kind);
        assert_eq!(object.place(names::DELTA), None);
        let (section, at, size) = object.place(names::DELTA_OFFSET).expect("the function");
        // endbr64; xor %eax, %eax; ret
        assert_eq!(
            object.content(&section)[at as usize..][..size as usize],
            [0xf3, 0x0f, 0x1e, 0xfa, 0x31, 0xc0, 0xc3]
        );
        assert!(object.relocations(&section).is_empty());
        assert!(object.content(WORDS).is_empty());
        let early = object.relocations(".text.__pathcc_early");
        assert!(early.iter().all(|(_, _, name, _)| name != names::DELTA), "{early:?}");
    }
    for (modules, kind) in
        [(vec![exact], Kind::Executable), (vec![exact], Kind::Static), (vec![own], Kind::Library)]
    {
        assert!(Generated::of(&modules, kind).place(names::DELTA).is_some(), "{kind:?}");
    }
}

/// What runs before the C library does hands on the region, the table with the number of its
/// entries, the word and the variable.
#[test]
fn before_the_c_library_a_function_makes_the_words() {
    let number =
        |code: &[u8], at: usize| u32::from_le_bytes(*code[at..].first_chunk().expect("four bytes"));
    for (modules, kind, entries) in [
        (modules().to_vec(), Kind::Executable, 7),
        (modules()[..1].to_vec(), Kind::Static, 1),
        (modules()[..2].to_vec(), Kind::Library, 3),
        (modules()[2..3].to_vec(), Kind::Executable, 1),
    ] {
        let object = Generated::of(&modules, kind);
        let (section, at, size) = object.place(names::EARLY).expect("the function");
        let code = &object.content(&section)[at as usize..][..size as usize];
        assert_eq!((code.len(), number(code, 19)), (42, entries));
        let has_word = object.place(names::DELTA).is_some();
        let refers =
            |offset, kind: RelocationType, to: &str| (at + offset, kind.0, to.to_string(), -4);
        let mut expected = vec![
            refers(7, R_X86_64_PC32, names::REGION_SECTION),
            refers(14, R_X86_64_PC32, names::MODULES_SECTION),
            refers(33, R_X86_64_PC32, names::PLACE),
        ];
        if has_word {
            expected.push(refers(26, R_X86_64_GOTTPOFF, names::DELTA));
        } else {
            // xor %ecx, %ecx; nop
            assert_eq!(code[23..30], [0x31, 0xc9, 0x0f, 0x1f, 0x44, 0, 0]);
        }
        if kind == Kind::Library {
            // ret; nop
            assert_eq!(code[37..], [0xc3, 0x0f, 0x1f, 0x40, 0]);
        } else {
            expected.push(refers(38, R_X86_64_PLT32, names::PREPARE_THREAD));
            assert_eq!(code[37], 0xe9);
        }
        assert_eq!(
            BTreeSet::from_iter(object.relocations(&section)),
            BTreeSet::from_iter(expected),
            "{kind:?}"
        );
    }
}

#[test]
fn a_function_tells_where_the_word_is() {
    let object = Generated::of(&modules()[..1], Kind::Executable);
    let (section, at, size) = object.place(names::DELTA_OFFSET).expect("the function");
    let code = &object.content(&section)[at as usize..][..size as usize];
    // endbr64; mov 0(%rip), %rax; ret
    assert_eq!(code, [0xf3, 0x0f, 0x1e, 0xfa, 0x48, 0x8b, 0x05, 0, 0, 0, 0, 0xc3]);
    // The distance is counted from behind its own four bytes.
    assert_eq!(
        object.relocations(&section),
        [(at + 7, R_X86_64_GOTTPOFF.0, names::DELTA.to_string(), -4)]
    );
}

#[test]
fn the_table_says_where_counters_and_keys_are() {
    let object = Generated::of(&modules(), Kind::Executable);
    let table = object.content(names::MODULES_SECTION);
    let entries: Vec<_> = table
        .chunks(40)
        .map(|entry| {
            let words: Vec<_> =
                entry[16..].as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
            (ModuleId(entry[..16].try_into().expect("16 bytes")), [words[0], words[1], words[2]])
        })
        .collect();
    let id = |id| ModuleId([id; 16]);
    let [exact, single, atomic] =
        [Threads::Exact, Threads::Single, Threads::Atomic].map(|of| u64::from(of.code()));
    let fourth = 128 + 77 * 64;
    let expected = [
        (id(1), [0, 10, exact]),
        (id(2).keys(), [128 + 600 * 8, 3, atomic]),
        (id(2), [128, 600, exact | u64::from(OWN_BASE)]),
        (id(3), [128 + 76 * 64, 8, single]),
        (id(4).keys(), [fourth + 8, 64, atomic]),
        (id(4), [fourth, 1, atomic]),
        (id(5), [128 + 86 * 64, 0, exact]),
    ];
    assert_eq!(entries, expected);
}

#[test]
fn the_descriptor_leads_to_region_and_table() {
    for (kind, keyed, flags) in [
        (Kind::Executable, false, 0),
        (Kind::Static, true, 2),
        (Kind::Library, false, 1),
        (Kind::Library, true, 3),
    ] {
        let modules = if keyed { modules().to_vec() } else { modules()[..1].to_vec() };
        let object = Generated::of(&modules, kind);
        let (section, at, size) = object.place(names::IMAGE).expect("the descriptor");
        let words = object.words(&section);
        let entries = object.content(names::MODULES_SECTION).len() as u64 / 40;
        // Version and number of entries, region and its size, table, flags.
        let region = region_size(&modules).expect("it fits");
        assert_eq!((at, size), (0, 40));
        assert_eq!(words, [3 | entries << 32, 0, region, 0, flags], "{kind:?}");
        let refers = |offset, to: &str| (offset, R_X86_64_64.0, to.to_string(), 0);
        let expected = [refers(8, names::REGION_SECTION), refers(24, names::MODULES_SECTION)];
        assert_eq!(object.relocations(&section), expected);
    }
}

#[test]
fn what_is_needed_of_the_runtime_is_asked_for() {
    let log = ["__pathcc_log_enter", "__pathcc_log_block", "__pathcc_log_end"];
    for (modules, kind, logs) in [
        (&modules()[..4], Kind::Executable, false),
        (&modules()[..4], Kind::Library, false),
        (&modules()[..4], Kind::Static, false),
        (&modules()[..], Kind::Library, true),
        (&modules()[..], Kind::Executable, true),
    ] {
        let object = Generated::of(modules, kind);
        let is_program = kind != Kind::Library;
        let replaces = kind == Kind::Executable;
        let mut expected = vec![names::RUNTIME];
        expected.extend(log.iter().filter(|_| logs));
        expected.extend([names::ENTRY, names::PREPARE_THREAD].iter().filter(|_| is_program));
        expected.extend(
            [names::CREATE_THREAD, names::REGISTRY, names::LEAVE, "__interceptor__exit"]
                .iter()
                .filter(|_| replaces),
        );
        assert_eq!(
            object.undefined(),
            expected.into_iter().map(String::from).collect(),
            "{kind:?}"
        );
        let functions = [names::THREAD_FUNCTIONS, names::EXIT_FUNCTIONS].concat();
        for name in &functions {
            assert_eq!(object.place(name).is_some(), replaces, "{name}");
        }
        let relocations = object.relocations(".data.rel.ro.__pathcc_anchors");
        let anchors: BTreeSet<_> = relocations
            .iter()
            .map(|(offset, _, name, addend)| {
                assert_eq!((offset % 8, *addend), (0, 0));
                name.as_str()
            })
            .collect();
        let mut kept = vec![names::RUNTIME];
        kept.extend(log.iter().filter(|_| logs));
        kept.extend([names::ENTRY].iter().filter(|_| is_program));
        kept.extend(functions.iter().filter(|_| replaces));
        assert_eq!(anchors, kept.into_iter().collect(), "{kind:?}");
    }
}

/// What a jump leads to, whose distance counts from behind it.
fn jumps_to(object: &Generated, function: &str) -> String {
    let (section, at, _) = object.place(function).expect("the function");
    let code = object.content(&section);
    let jump = (at as usize..code.len()).find(|&place| code[place] == 0xe9).expect("a jump") as u64;
    let of_jump = object
        .relocations(&section)
        .into_iter()
        .find(|(offset, ..)| *offset == jump + 1)
        .expect("its target");
    assert_eq!((of_jump.1, of_jump.3), (R_X86_64_PLT32.0, -4), "{function}");
    of_jump.2
}

#[test]
fn an_executables_functions_hand_on_to_the_runtime() {
    let object = Generated::of(&modules(), Kind::Executable);
    for name in names::THREAD_FUNCTIONS {
        assert_eq!(jumps_to(&object, name), names::CREATE_THREAD, "{name}");
    }
    for name in names::EXIT_FUNCTIONS {
        assert_eq!(jumps_to(&object, name), names::LEAVE, "{name}");
        let (section, at, _) = object.place(name).expect("the function");
        let sanitizer = (at + 7, R_X86_64_GOTPCREL.0, "__interceptor__exit".to_string(), -4);
        assert!(object.relocations(&section).contains(&sanitizer), "{name}");
    }
    // A program may have its own, and libraries call them, too.
    let file = object.file();
    for name in [names::THREAD_FUNCTIONS, names::EXIT_FUNCTIONS].concat() {
        let symbol = file.symbols().find(|symbol| symbol.name() == Ok(name)).expect("the function");
        assert_eq!((symbol.is_weak(), symbol.scope()), (true, SymbolScope::Dynamic), "{name}");
    }
}

/// Libraries find the registry by what stands behind the first function, and beside it the words
/// that they are lent.
#[test]
fn an_executable_shows_libraries_its_registry_and_lends_them_words() {
    let object = Generated::of(&modules(), Kind::Executable);
    let (section, at, size) = object.place(names::THREAD_FUNCTIONS[0]).expect("the function");
    let code = &object.content(&section)[at as usize..];
    assert_eq!(
        (size, &code[16..32]),
        (40, &pathformat::descriptor::thread_function::SIGNATURE[..])
    );
    let relocations = object.relocations(&section);
    for (offset, kind, to) in
        [(32, R_X86_64_PC32, names::REGISTRY), (36, R_X86_64_TPOFF32, names::LENT)]
    {
        assert!(
            relocations.contains(&(at + offset, kind.0, to.to_string(), 0)),
            "{to}: {relocations:?}"
        );
    }
    let (section, at, size) = object.place(names::LENT).expect("the words");
    assert_eq!((section.as_str(), at, size), (".tbss.__pathcc_lent", 0, 256 * 8));
    for kind in [Kind::Static, Kind::Library] {
        assert_eq!(Generated::of(&modules(), kind).place(names::LENT), None, "{kind:?}");
    }
}

#[test]
fn it_allows_what_protects_control_flow_and_needs_no_executable_stack() {
    let object = Generated::of(&modules(), Kind::Executable);
    // A note of type 5, "GNU": property 0xc0000002 of four bytes, indirect branch tracking and
    // shadow stack.
    let note = object.content(".note.gnu.property");
    assert_eq!(note[16..28], [2, 0, 0, 0xc0, 4, 0, 0, 0, 3, 0, 0, 0]);
    assert!(object.file().section_by_name(".note.GNU-stack").is_some());
}
