//! What stands where in the object that defines the counters, and what it asks for.

use std::collections::BTreeSet;

use object::elf::{R_X86_64_64, SHF_EXCLUDE, SHF_GROUP};
use object::{Object, ObjectComdat, ObjectSection, SectionFlags};
use pathformat::raw::OWN_BASE;
use pathformat::settings::Threads;
use pathformat::{ModuleId, names};

use super::generated::{Generated, WORDS, counters, module, modules};
use crate::allocator::Allocator;
use crate::image_kind::ImageKind;
use crate::module::{generate, region_size};

#[test]
fn arrays_stand_one_behind_the_other_at_cache_lines() {
    let object = Generated::of(&modules(), ImageKind::Executable);
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
        let modules = [module(1, counters, keys, Threads::Exact, false)];
        let error = generate(&modules, ImageKind::Executable, Allocator::CLibrary).unwrap_err();
        assert_eq!(error.to_string(), "the counters exceed the address space");
    }
}

#[test]
fn other_objects_groups_give_way_to_ours() {
    let object = Generated::of(&modules(), ImageKind::Executable);
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
    for kind in [ImageKind::Executable, ImageKind::Static, ImageKind::Library] {
        let object = Generated::of(&modules(), kind);
        let at = |offset| Some((WORDS.to_string(), offset, 8));
        assert_eq!(object.place(names::DELTA), at(0), "{kind:?}");
        assert_eq!(object.place(&format!("{}{}", names::BASE_PREFIX, ModuleId([2; 16]))), at(8));
        assert_eq!(object.content(WORDS), [0; 16]);
        let base = (8, R_X86_64_64.0, names::REGION_SECTION.to_string(), 128);
        assert_eq!(object.relocations(WORDS), [base]);
    }
}

/// All modules of an image read one variable, and those that are not counted thread by thread none.
#[test]
fn where_the_word_is_stands_in_one_variable() {
    let object = Generated::of(&modules(), ImageKind::Executable);
    let variable = Some((".data.__pathcc_place".to_string(), 0, 8));
    assert_eq!(object.place(names::PLACE), variable);
    for (id, has_one) in [(1, true), (2, true), (3, false), (4, false), (5, false)] {
        let place = object.place(&format!("{}{}", names::PLACE_PREFIX, ModuleId([id; 16])));
        assert_eq!(place, variable.clone().filter(|_| has_one), "{id}");
    }
    assert_eq!(object.words(".data.__pathcc_place"), [names::NOWHERE]);
}

#[test]
fn the_table_says_where_counters_and_keys_are() {
    let object = Generated::of(&modules(), ImageKind::Executable);
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
        (ImageKind::Executable, false, 0),
        (ImageKind::Static, true, 2),
        (ImageKind::Library, false, 1),
        (ImageKind::Library, true, 3),
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
    let log =
        ["__pathcc_log_enter", "__pathcc_log_block", "__pathcc_log_end", "__pathcc_log_machine"];
    for (modules, kind, logs) in [
        (&modules()[..4], ImageKind::Executable, false),
        (&modules()[..4], ImageKind::Library, false),
        (&modules()[..4], ImageKind::Static, false),
        (&modules()[..], ImageKind::Library, true),
        (&modules()[..], ImageKind::Executable, true),
    ] {
        let object = Generated::of(modules, kind);
        let is_program = kind != ImageKind::Library;
        let replaces = kind == ImageKind::Executable;
        let mut expected = vec![names::RUNTIME, names::LABEL];
        expected.extend(log.iter().filter(|_| logs));
        expected.extend([names::ENTRY, names::PREPARE_THREAD].iter().filter(|_| is_program));
        expected.extend(
            [
                names::BEGIN,
                names::CREATE_THREAD,
                names::REGISTRY,
                names::LEAVE,
                "__interceptor__exit",
            ]
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

#[test]
fn it_allows_what_protects_control_flow_and_needs_no_executable_stack() {
    let object = Generated::of(&modules(), ImageKind::Executable);
    // A note of type 5, "GNU": property 0xc0000002 of four bytes, indirect branch tracking and
    // shadow stack.
    let note = object.content(".note.gnu.property");
    assert_eq!(note[16..28], [2, 0, 0, 0xc0, 4, 0, 0, 0, 3, 0, 0, 0]);
    assert!(object.file().section_by_name(".note.GNU-stack").is_some());
}
