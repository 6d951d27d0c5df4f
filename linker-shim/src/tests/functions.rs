//! The functions in the object that defines the counters.

use std::collections::BTreeSet;

use object::elf::{
    R_X86_64_GOTPCREL, R_X86_64_GOTTPOFF, R_X86_64_PC32, R_X86_64_PLT32, R_X86_64_TPOFF32,
    RelocationType,
};
use object::{Object, ObjectSymbol, SymbolScope};
use pathformat::names;

use super::generated::{Generated, WORDS, modules};
use crate::image_kind::ImageKind;

#[test]
fn without_such_threads_there_is_no_word() {
    let [exact, own, single, atomic, none] = modules();
    for (others, kind) in [
        (vec![], ImageKind::Executable),
        (vec![single, atomic], ImageKind::Executable),
        (vec![none], ImageKind::Static),
        // A library has words only if one of its modules has a word of its own.
        (vec![exact, single, atomic, none], ImageKind::Library),
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
    for (modules, kind) in [
        (vec![exact], ImageKind::Executable),
        (vec![exact], ImageKind::Static),
        (vec![own], ImageKind::Library),
    ] {
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
        (modules().to_vec(), ImageKind::Executable, 7),
        (modules()[..1].to_vec(), ImageKind::Static, 1),
        (modules()[..2].to_vec(), ImageKind::Library, 3),
        (modules()[2..3].to_vec(), ImageKind::Executable, 1),
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
        if kind == ImageKind::Library {
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
fn a_function_returns_the_distance_of_the_word() {
    let object = Generated::of(&modules()[..1], ImageKind::Executable);
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
    let object = Generated::of(&modules(), ImageKind::Executable);
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
    let object = Generated::of(&modules(), ImageKind::Executable);
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
    for kind in [ImageKind::Static, ImageKind::Library] {
        assert_eq!(Generated::of(&modules(), kind).place(names::LENT), None, "{kind:?}");
    }
}
