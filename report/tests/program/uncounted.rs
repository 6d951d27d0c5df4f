//! Every command says why a program has left no profile.

use std::fs;

use crate::samples;
use crate::scene::{BUILD_ID, Scene};

/// The commands that take a program, with what else they need.
const COMMANDS: [&[&str]; 8] = [
    &["report"],
    &["show", "main"],
    &["annotate", "main"],
    &["coverage"],
    &["export", "--format", "json"],
    &["weights", "-o", "w"],
    &["merge", "-o", "m.pathprof"],
    &["runs"],
];

#[test]
fn a_program_that_leaves_no_profile_says_why() {
    let scene = Scene::new();
    scene.image("plain", None, &BUILD_ID);
    let linked = [
        (pathformat::names::MANIFEST_SECTION, &*samples::section()),
        (pathformat::names::MODULES_SECTION, &[1]),
    ];
    scene.image_with("whole", &linked, &BUILD_ID);
    fs::create_dir(scene.path(".libs")).expect("writable");
    scene.write(
        "jq",
        b"#! /bin/bash\n\n# jq - temporary wrapper script for .libs/jq\n# by libtool\n",
    );
    scene.write("tool", b"#!/usr/bin/python3\n");
    let mut object = fs::read(scene.path("demo")).expect("it was written");
    object[16] = 1;
    scene.write("demo.o", &object);
    for (name, reason, doctor) in [
        ("demo.o", "an object that is not linked yet", "an object that is not linked yet"),
        ("plain", "was not compiled with pathcc", "was not compiled with pathcc"),
        ("demo", "linked by another linker", "linked by another linker"),
        ("jq", "wrapper script of libtool, which starts .libs/jq", ".libs/jq"),
        ("tool", "no ELF image but a script", "no ELF image but a script"),
        ("whole", "has left no profile", "linked with pathld"),
    ] {
        for command in COMMANDS {
            let outcome = scene.pathprof(&[command, &[name]].concat());
            assert_eq!((outcome.code, outcome.out.as_str()), (1, ""), "{command:?} {name}");
            assert!(outcome.err.contains(reason), "{command:?} {name}: {}", outcome.err);
            assert_eq!(outcome.err.contains("run it first"), name == "whole", "{}", outcome.err);
        }
        let outcome = scene.pathprof(&["doctor", &format!("./{name}")]);
        assert!(outcome.out.contains(doctor), "{name}: {}", outcome.out);
        // A file here is what other commands take, too.
        let of_program = |out: &str| -> Vec<String> {
            let lines = out.lines().filter(|line| line.contains(name));
            lines.map(|line| line.replace("./", "")).collect()
        };
        let here = scene.pathprof(&["doctor", name]).out;
        assert_eq!(of_program(&here), of_program(&outcome.out));
    }
    assert!(scene.pathprof(&["doctor", "true"]).out.contains("/true has no section"));
    assert!(scene.pathprof(&["doctor", "none"]).out.contains("none: no such program"));
}
