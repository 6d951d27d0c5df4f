//! What cannot be read is refused with one message that says what to do.

use std::fs;

use object::write::Object;
use object::{Architecture, BinaryFormat, Endianness, SectionKind};
use pathformat::profile::{Module, Profile};
use pathformat::settings::Threads;
use pathformat::{MANIFEST_VERSION, ModuleId, names};
use serde_json::Value;

use crate::samples;
use crate::scene::{BUILD_ID, Scene};

#[test]
fn a_damaged_profile_does_not_stop_the_others() {
    let scene = Scene::new();
    scene.profile("good.pathprof");
    scene.write("bad.pathprof", b"PATHPROF");
    let outcome = scene.pathprof(&["report", "bad.pathprof", "gone.pathprof", "good.pathprof"]);
    assert_eq!(outcome.code, 1);
    assert!(outcome.out.contains("loop: 13→16 12→loop 13"), "{}", outcome.out);
    let expected = "error: bad.pathprof: this profile is damaged or truncated: it ends in the \
                    middle of a value (truncated?); run the program again\n\
                    error: gone.pathprof: no such file; give a program, a profile (by default \
                    PROGRAM.pathprof) or a directory of profiles\n";
    assert_eq!(outcome.err, expected);
}

#[test]
fn what_is_no_profile_is_refused() {
    let scene = Scene::new();
    let sound = fs::read(scene.profile("sound.pathprof")).expect("it was written");
    fs::create_dir(scene.path("empty")).expect("a directory");
    scene.refuses(&["report", "empty"], "empty: this directory holds no profile (*.pathprof)");
    scene.refuses(
        &["export", "--format", "json", "-o", "empty", "sound.pathprof"],
        "cannot write empty: it is a directory; name a file in it",
    );
    scene.write("a.txt", b"Dear diary, today");
    scene.refuses(
        &["report", "a.txt"],
        "a.txt: this is no profile, program or directory of profiles",
    );
    let section = samples::section();
    let linked = [(names::MANIFEST_SECTION, &*section), (names::MODULES_SECTION, &[1])];
    scene.image_with("whole", &linked, &BUILD_ID);
    scene.refuses(
        &["report", "whole"],
        "whole: this program has left no profile (DIR/whole.pathprof or \
         DIR/state/pathprof/whole-abcdef01/whole.pathprof); run it first, or name the profile if \
         PATHCC_PROFILE said where it goes",
    );
    let mut other = sound.clone();
    other[8] = 77;
    scene.write("other.pathprof", &other);
    scene.refuses(
        &["report", "other.pathprof"],
        "other.pathprof: this profile has format version 77, and this pathprof reads version 6; \
         use the pathprof that belongs to the pathcc that built the program",
    );
    scene.write("cut.pathprof", &sound[..sound.len() - 9]);
    scene.refuses(
        &["report", "cut.pathprof"],
        "cut.pathprof: this profile is damaged or truncated: it ends in the middle of a value \
         (truncated?); run the program again",
    );
    scene.write("zero.pathprof", b"");
    scene.refuses(
        &["report", "zero.pathprof"],
        "zero.pathprof: this profile is empty; run the program again",
    );
    let nothing = Scene::new();
    nothing.refuses(
        &["report"],
        "no profile (*.pathprof) in the current directory: a profile stands beside its program; \
         name that program, its profile, or a directory, or run it with `pathprof run -- PROGRAM`",
    );
}

#[test]
fn an_image_that_does_not_fit_is_refused() {
    let scene = Scene::new();
    scene.profile("p.pathprof");
    let report = ["report", "p.pathprof", "--image"];
    let with = |image| [report[0], report[1], report[2], image];
    scene.refuses(
        &with("gone"),
        "p.pathprof: gone: no such image; say where it is now with --image PATH or --image-dir DIR",
    );
    scene.refuses(&with("."), "p.pathprof: .: this is a directory, not an ELF image");
    scene.write("script", b"#!/bin/sh\n");
    scene.refuses(
        &with("script"),
        "p.pathprof: script: not an ELF file; give the executable or shared library that ran",
    );
    scene.image("newer", Some(&samples::section()), &[1, 2]);
    scene.refuses(
        &with("newer"),
        "p.pathprof: it was recorded from an image with build-id abcdef01, but newer has build-id \
         0102; the program was linked again since: give the image of that run with --image PATH or \
         --image-dir DIR, or run the program again",
    );
    scene.image("plain", None, &BUILD_ID);
    scene.refuses(
        &with("plain"),
        "p.pathprof: plain: this image has no section .pathcc.manifest: it was not compiled with \
         pathcc, or that section was removed; give the image as it was linked with --image PATH",
    );
    // As `objcopy --only-keep-debug` leaves it.
    let mut object = Object::new(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little);
    let manifest = object.add_section(
        Vec::new(),
        names::MANIFEST_SECTION.into(),
        SectionKind::UninitializedData,
    );
    object.append_section_bss(manifest, 100, 8);
    scene.write("demo.debug", &object.write().expect("the object is sound"));
    scene.refuses(
        &with("demo.debug"),
        "p.pathprof: demo.debug: this file has only the debug information of an image; give the \
         image itself with --image PATH",
    );
    fs::rename(scene.path("demo"), scene.path("moved")).expect("it is there");
    scene.refuses(
        &["report", "p.pathprof"],
        "p.pathprof: DIR/demo: no such image; say where it is now with --image PATH or --image-dir \
         DIR",
    );
    assert_eq!(scene.pathprof(&with("moved")).code, 0);
    let both = ["report", "p.pathprof", "--image", "newer", "--image", "moved"];
    assert_eq!(scene.pathprof(&both).code, 0, "each profile takes the image that it is of");
}

#[test]
fn an_image_that_moved_is_found() {
    let scene = Scene::new();
    scene.profile("p.pathprof");
    fs::create_dir_all(scene.path("old/deep")).expect("writable");
    fs::create_dir_all(scene.path("here")).expect("writable");
    fs::rename(scene.path("demo"), scene.path("old/deep/demo")).expect("it is there");
    // Another build of that name, there and where it was.
    scene.image("old/demo", Some(&samples::section()), &[1, 2]);
    let with = ["report", "p.pathprof", "--image-dir", "here", "--image-dir", "old"];
    assert_eq!(scene.pathprof(&with).code, 0);
    scene.image("demo", Some(&samples::section()), &[1, 2]);
    assert_eq!(scene.pathprof(&with).code, 0);
    assert!(
        scene
            .pathprof(&with[..4])
            .err
            .contains("demo has build-id 0102; the program was linked again since")
    );
    // In the current directory nobody has to ask for it.
    scene.profile_of("q.pathprof", "gone/demo", &BUILD_ID, samples::counters());
    assert_eq!(scene.pathprof(&["report", "q.pathprof"]).code, 1);
    fs::rename(scene.path("old/deep/demo"), scene.path("demo")).expect("it is there");
    assert_eq!(scene.pathprof(&["report", "q.pathprof"]).code, 0);
}

#[test]
fn a_damaged_manifest_is_refused() {
    let scene = Scene::new();
    scene.profile("p.pathprof");
    let sound = samples::section();
    let start = "p.pathprof: DIR/demo: section .pathcc.manifest is damaged: ";
    let end = "; link the program again";
    let refuses = |section: &[u8], why: &str| {
        scene.image("demo", Some(section), &BUILD_ID);
        scene.refuses(&["report", "p.pathprof"], &format!("{start}{why}{end}"));
    };
    let change = |at: usize| {
        let mut section = sound.clone();
        section[at] ^= 1;
        section
    };
    refuses(&sound[..100], "it ends in the middle of a value (truncated?)");
    refuses(&change(0), "it does not start with the expected magic number");
    let other = MANIFEST_VERSION ^ 1;
    let version = format!("it has format version {other}, which this program cannot read");
    refuses(&change(8), &version);
    let main = "module 11111111111111111111111111111111: ";
    refuses(&change(78), &format!("{main}its checksum does not match its content"));
    let length = u64::from_le_bytes(sound[48..56].try_into().expect("eight bytes"));
    refuses(
        &change(48),
        &format!("{main}its payload has not the {} bytes that its head promises", length ^ 1),
    );
    let mut huge = sound.clone();
    huge[48..56].fill(0xff);
    let far = "it takes far more memory than what a compiler writes";
    refuses(&huge, &format!("{main}its payload has {} bytes: {far}", u64::MAX));
    let text = b"not zstd";
    let record = pathformat::record::write(samples::MAIN, Threads::Exact.code(), [1, 0], 9, text);
    refuses(
        &record,
        &format!("{main}its payload cannot be decompressed: Unknown frame descriptor"),
    );
    let stored = zstd::encode_all(b"\xff\xff".as_slice(), 3).expect("memory does not fail");
    let record =
        pathformat::record::write(samples::MAIN, Threads::Exact.code(), [1, 0], 2, &stored);
    refuses(&record, &format!("{main}it ends in the middle of a value (truncated?)"));
}

#[test]
fn a_profile_of_other_modules_is_refused() {
    let scene = Scene::new();
    let stranger = vec![Module { id: ModuleId([0x77; 16]), counters: 1, counts: vec![(0, 1)] }];
    scene.profile_of("p.pathprof", "demo", &BUILD_ID, stranger);
    scene.refuses(
        &["report", "p.pathprof"],
        "p.pathprof: it counts the module 77777777777777777777777777777777, which no manifest in \
         DIR/demo describes; give the image of that run with --image PATH, or run the program \
         again",
    );
    let longer = vec![Module { id: samples::MAIN, counters: 13, counts: vec![(0, 1)] }];
    scene.profile_of("p.pathprof", "demo", &BUILD_ID, longer);
    scene.refuses(
        &["report", "p.pathprof"],
        "p.pathprof: it has 13 counters for the module 11111111111111111111111111111111 \
         (src/main.c), but the manifest in DIR/demo says 12; give the image of that run with \
         --image PATH, or run the program again",
    );
}

#[test]
fn many_profiles_with_one_problem_are_one_message() {
    let scene = Scene::new();
    for run in 0..3 {
        scene.profile_of(&format!("{run}.pathprof"), "gone", &BUILD_ID, samples::counters());
    }
    scene.refuses(
        &["report", "."],
        "./0.pathprof (and 2 more): DIR/gone: no such image; say where it is now with --image PATH \
         or --image-dir DIR",
    );
}

#[test]
fn a_profile_that_cannot_be_used_hides_no_run() {
    let scene = Scene::new();
    let sound = fs::read(scene.profile("sound.pathprof")).expect("it was written");
    let mut other = Profile::decode(&sound).expect("sound");
    other.parts[0].modules[0].counters = 13;
    scene.write("misfit.pathprof", &other.encode());
    let outcome =
        scene.pathprof(&["export", "--format", "json", "misfit.pathprof", "sound.pathprof"]);
    assert_eq!(outcome.code, 1);
    assert!(
        outcome.err.starts_with("error: misfit.pathprof: it has 13 counters")
            && !outcome.err.contains("warning")
    );
    let json: Value = serde_json::from_str(&outcome.out).expect("JSON");
    assert_eq!(json["profiles"].as_array().expect("profiles").len(), 1);
}
