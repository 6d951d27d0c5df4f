//! A profile that was kept with its image can be read whatever becomes of the program, and what
//! cannot be read together says which builds there are.

use std::fs;

use crate::samples;
use crate::scene::{BUILD_ID, HOT, Scene, hottest};

/// The build-id of another build.
const OTHER: [u8; 4] = [7; 4];

/// A directory in which `demo` was built, ran, was built again and ran. The first build and the
/// second are kept in directories of that name, each with the profile of both.
fn scene() -> Scene {
    let scene = Scene::new();
    let section = samples::section();
    for name in ["first", "second", "apart"] {
        fs::create_dir(scene.path(name)).expect("writable");
    }
    let mut records = Vec::new();
    for (name, build_id) in [("first", BUILD_ID), ("second", OTHER)] {
        scene.image("demo", Some(&section), &build_id);
        scene.profile_of("demo.pathprof", "demo", &build_id, samples::counters());
        records.extend(scene.read("demo.pathprof"));
        fs::copy(scene.path("demo"), scene.path(name).join("demo")).expect("writable");
    }
    for name in
        ["demo.pathprof", "first/demo.pathprof", "second/demo.pathprof", "apart/kept.pathprof"]
    {
        scene.write(name, &records);
    }
    scene
}

#[test]
fn a_profile_that_was_kept_with_its_image_is_read() {
    let scene = scene();
    let left_out = |profile: &str| {
        format!("warning: 1 run of other builds of the program is left out ({profile})\n")
    };
    let read = |arguments: &[&str], profile: &str| {
        let (count, _, said) = hottest(&scene, arguments);
        assert_eq!((count, said), (HOT, left_out(profile)), "{arguments:?}");
    };
    for third in [false, true] {
        if third {
            // A build that did not run.
            scene.image("demo", Some(&samples::section()), &[8; 4]);
        }
        for name in ["first", "second"] {
            let [image, profile] = ["demo", "demo.pathprof"].map(|file| format!("{name}/{file}"));
            read(&[&profile, "--image", &image], &profile);
            read(&["apart/kept.pathprof", "--image", &image], "apart/kept.pathprof");
            if third {
                read(&["apart/kept.pathprof", "--image-dir", name], "apart/kept.pathprof");
            }
        }
    }
    // What stands beside it is its image, though the program itself is another by now, or gone.
    for is_gone in [false, true] {
        if is_gone {
            fs::remove_file(scene.path("demo")).expect("there");
        }
        for name in ["first", "second"] {
            let profile = format!("{name}/demo.pathprof");
            read(&[&profile], &profile);
        }
    }
    // Nothing is left out if no build is there.
    let outcome = scene.pathprof(&["report", "apart/kept.pathprof"]);
    assert_eq!(outcome.code, 1, "{}", outcome.err);
    assert!(outcome.err.contains("demo: no such image"), "{}", outcome.err);
}

#[test]
fn builds_that_cannot_be_merged_are_named() {
    let scene = scene();
    let outcome = scene.pathprof(&["merge", "-o", "all.pathprof", "demo.pathprof"]);
    let expected = "error: the profiles are of 2 images (DIR/demo, build-id abcdef01; DIR/demo, \
                    build-id 07070707); give a directory with -o DIR/, which gets a profile for \
                    each\n";
    assert_eq!((outcome.code, outcome.err.as_str()), (1, expected));
}
