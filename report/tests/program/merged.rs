//! Many profiles: each run counts once, and what runs of one image counted is summed.

use std::fs;

use pathformat::profile::{INCOMPLETE, Profile};
use pathformat::record;
use pathformat::settings::Threads;

use crate::samples;
use crate::scene::{BUILD_ID, HOT, Scene, counts_of, hottest};

#[test]
fn runs_of_one_image_are_summed() {
    let scene = Scene::new();
    fs::create_dir(scene.path("runs")).expect("a directory");
    for run in 0..5 {
        scene.profile(&format!("runs/demo.{run}.pathprof"));
    }
    let (json, said) = scene.export(&["runs"]);
    assert_eq!(said, "");
    assert_eq!(json["profiles"].as_array().expect("profiles").len(), 5);
    let ids = ["0", "1", "5", "6", "7"].map(String::from);
    assert_eq!(
        counts_of(&json, "collatz"),
        ids.into_iter().zip([5, 10, 200_000, 10, 6_172_835]).collect::<Vec<_>>()
    );
    assert_eq!(
        counts_of(&json, "_ZN4util5weighEi"),
        [("0".into(), 60)],
        "both copies in five runs"
    );
}

#[test]
fn images_are_kept_apart() {
    let scene = Scene::new();
    scene.image("other", Some(&samples::section()), &[9; 20]);
    scene.profile("demo.pathprof");
    scene.profile_of("other.pathprof", "other", &[9; 20], samples::counters());
    let (json, _) = scene.export(&["demo.pathprof", "other.pathprof"]);
    let images: Vec<_> =
        json["functions"].as_array().expect("functions").iter().map(|of| &of["image"]).collect();
    assert_eq!(images, [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]);
}

#[test]
fn profiles_are_merged_and_damaged_ones_are_named() {
    let scene = Scene::new();
    scene.profile("a.pathprof");
    scene.profile("b.pathprof");
    let mut damaged = scene.read("a.pathprof");
    damaged[40] ^= 1;
    fs::write(scene.path("bad.pathprof"), damaged).expect("writable");
    let inputs = ["a.pathprof", "bad.pathprof", "b.pathprof"];
    let merge =
        |mode: &[&str]| scene.pathprof(&[&["merge", "-o", "all.pathprof"], mode, &inputs].concat());
    let refusal = "error: bad.pathprof: this profile is damaged or truncated: its checksum does \
                   not match its content; run the program again\n";
    for (mode, code, written) in [
        (&[][..], 1, true),
        (&["--failure-mode=any"], 1, false),
        (&["--failure-mode=all"], 0, true),
        (&["--failure-mode=warn"], 0, true),
    ] {
        let outcome = merge(mode);
        assert_eq!((outcome.code, outcome.out.as_str()), (code, ""), "{mode:?}: {}", outcome.err);
        assert_eq!(outcome.err, refusal, "{mode:?}");
        assert_eq!(fs::remove_file(scene.path("all.pathprof")).is_ok(), written, "{mode:?}");
    }
    assert_eq!(merge(&[]).code, 1);
    let export = |profiles: &[&str]| {
        let (json, said) = scene.export(profiles);
        assert_eq!(said, "");
        json["functions"].clone()
    };
    assert_eq!(export(&["all.pathprof"]), export(&["a.pathprof", "b.pathprof"]));
    let report = scene.pathprof(&["report", "--failure-mode=any", "a.pathprof", "bad.pathprof"]);
    assert_eq!((report.code, report.out.as_str(), report.err.as_str()), (1, "", refusal));
    let report = scene.pathprof(&["report", "--failure-mode=all", "bad.pathprof"]);
    assert_eq!((report.code, report.err.as_str()), (1, refusal));
}

#[test]
fn a_run_that_is_given_twice_counts_once() {
    let scene = Scene::new();
    scene.profile("a.pathprof");
    fs::copy(scene.path("a.pathprof"), scene.path("copy.pathprof")).expect("it can be copied");
    let warning = |file: &str| {
        format!(
            "warning: 1 run is given more than once and counted once in {file}; --allow-duplicates \
             counts each time\n"
        )
    };
    for (arguments, file) in [
        (&["a.pathprof", "a.pathprof"][..], "a.pathprof"),
        (&["a.pathprof", "./a.pathprof"], "./a.pathprof"),
        (&["a.pathprof", "copy.pathprof"], "copy.pathprof"),
        (&["."], "./copy.pathprof"),
    ] {
        let (count, _, said) = hottest(&scene, arguments);
        assert_eq!((count, said), (HOT, warning(file)), "{arguments:?}");
        let (count, _, said) = hottest(&scene, &[&["--allow-duplicates"], arguments].concat());
        assert_eq!((count, said.as_str()), (2 * HOT, ""), "{arguments:?}");
    }
    scene.profile("b.pathprof");
    assert_eq!(hottest(&scene, &["a.pathprof", "b.pathprof"]), (2 * HOT, 5, String::new()));
    let (count, _, said) =
        hottest(&scene, &["a.pathprof", "b.pathprof", "b.pathprof", "a.pathprof", "copy.pathprof"]);
    assert_eq!(count, 2 * HOT);
    assert_eq!(
        said,
        "warning: 3 runs are given more than once and counted once, the first one in b.pathprof; \
         --allow-duplicates counts each time\n"
    );
}

#[test]
fn a_merged_profile_remembers_its_runs() {
    let scene = Scene::new();
    for name in ["a.pathprof", "b.pathprof", "c.pathprof"] {
        scene.profile(name);
    }
    let merge = |arguments: &[&str]| {
        let outcome = scene.pathprof(&[&["merge", "-o"], arguments].concat());
        assert_eq!((outcome.code, outcome.out.as_str()), (0, ""), "{}", outcome.err);
        outcome.err
    };
    // In the directory that the merged file is in, again and again.
    assert_eq!(merge(&["all.pathprof", "."]), "");
    let first = scene.read("all.pathprof");
    for _ in 0..2 {
        assert!(
            merge(&["all.pathprof", "."])
                .starts_with("warning: 3 runs are given more than once and counted once")
        );
        assert_eq!(hottest(&scene, &["all.pathprof"]), (3 * HOT, 5, String::new()));
    }
    assert_eq!(scene.read("all.pathprof").len(), first.len());
    // Beside its parts, before and behind them.
    for arguments in [&["all.pathprof", "a.pathprof"][..], &["b.pathprof", "all.pathprof"], &["."]]
    {
        assert_eq!(hottest(&scene, arguments).0, 3 * HOT, "{arguments:?}");
    }
    // Merged files that share a run: a sum cannot be taken apart.
    merge(&["ab.pathprof", "a.pathprof", "b.pathprof"]);
    merge(&["bc.pathprof", "b.pathprof", "c.pathprof"]);
    let shared = "bc.pathprof: it holds the sum of several runs, 1 of which was read already, and \
                  a sum cannot be taken apart; give one or the other, or count each time with \
                  --allow-duplicates";
    let both = scene.pathprof(&["export", "--format", "json", "ab.pathprof", "bc.pathprof"]);
    assert_eq!((both.code, both.err), (1, format!("error: {shared}\n")));
    // One that has all of their runs stands for them.
    assert_eq!(hottest(&scene, &["ab.pathprof", "bc.pathprof", "all.pathprof"]).0, 3 * HOT);
    assert_eq!(
        hottest(&scene, &["--allow-duplicates", "ab.pathprof", "bc.pathprof"]),
        (4 * HOT, 5, String::new())
    );
}

#[test]
fn of_a_run_that_was_read_too_early_the_end_counts() {
    let scene = Scene::new();
    let finished = fs::read(scene.profile("late.pathprof")).expect("it was written");
    // The same run, read while it still counted: in a merged file, and as a profile of its own.
    let mut early = Profile::decode(&finished).expect("sound");
    early.head.flags = INCOMPLETE;
    early.parts[0].flags = INCOMPLETE;
    early.parts[0].modules[0].counts[4].1 = 7;
    scene.write("early.pathprof", &early.encode());
    scene.profile("other.pathprof");
    let outcome =
        scene.pathprof(&["merge", "-o", "merged.pathprof", "early.pathprof", "other.pathprof"]);
    assert_eq!((outcome.code, outcome.err.as_str()), (0, ""));
    for arguments in [["early.pathprof", "late.pathprof"], ["late.pathprof", "early.pathprof"]] {
        let (count, _, said) = hottest(&scene, &arguments);
        assert_eq!(count, HOT, "{arguments:?}");
        assert!(said.contains("in early.pathprof"), "{said}");
    }
    assert_eq!(hottest(&scene, &["merged.pathprof", "late.pathprof"]).0, 2 * HOT);
    assert_eq!(hottest(&scene, &["early.pathprof"]).0, 40_000);
    // What is left of a merged file says what is true of that.
    let report = scene.pathprof(&["report", "merged.pathprof", "late.pathprof"]);
    assert!(!report.out.contains("incomplete"), "{}", report.out);
    assert!(scene.pathprof(&["report", "merged.pathprof"]).out.contains("incomplete"));
}

#[test]
fn an_image_is_its_build_id() {
    let scene = Scene::new();
    fs::hard_link(scene.path("demo"), scene.path("link")).expect("one file system");
    fs::copy(scene.path("demo"), scene.path("copy")).expect("it can be copied");
    for name in ["demo", "link", "copy", "gone"] {
        scene.profile_of(&format!("{name}.pathprof"), name, &BUILD_ID, samples::counters());
    }
    // One that is gone is known by the others, even if it comes first.
    let names = ["gone.pathprof", "demo.pathprof", "link.pathprof", "copy.pathprof"];
    assert_eq!(hottest(&scene, &names), (4 * HOT, 5, String::new()));
    let outcome = scene.pathprof(&[&["merge", "-o", "all.pathprof"], &names[1..]].concat());
    assert_eq!((outcome.code, outcome.err.as_str()), (0, ""));
    assert_eq!(hottest(&scene, &["all.pathprof"]), (3 * HOT, 5, String::new()));
    let coverage = scene.pathprof(&["coverage", "all.pathprof"]).out;
    assert_eq!(scene.pathprof(&[&["coverage"], &names[..]].concat()).out, coverage);
    // Somebody gave two programs one build-id: what they count tells them apart.
    let util = record::write(
        samples::UTIL,
        Threads::Exact.code(),
        [6, 0],
        samples::util_unit().encode().len(),
        &{
            zstd::encode_all(samples::util_unit().encode().as_slice(), 3)
                .expect("memory does not fail")
        },
    );
    scene.image("util", Some(&util), &BUILD_ID);
    scene.image(
        "main",
        Some(&samples::section()[..samples::section().len() - util.len()]),
        &BUILD_ID,
    );
    let [main, others] = samples::counters().try_into().expect("two modules");
    scene.profile_of("main.pathprof", "main", &BUILD_ID, vec![main]);
    scene.profile_of("util.pathprof", "util", &BUILD_ID, vec![others]);
    assert_eq!(hottest(&scene, &["main.pathprof", "util.pathprof"]), (HOT, 6, String::new()));
}

#[test]
fn an_image_without_a_build_id_is_its_file() {
    let scene = Scene::new();
    scene.image("plain", Some(&samples::section()), &[]);
    fs::hard_link(scene.path("plain"), scene.path("link")).expect("one file system");
    std::os::unix::fs::symlink(scene.path("plain"), scene.path("soft")).expect("writable");
    scene.image("other", Some(&samples::section()), &[]);
    for name in ["plain", "link", "soft", "other"] {
        scene.profile_of(&format!("{name}.pathprof"), name, &[], samples::counters());
    }
    let same = ["plain.pathprof", "link.pathprof", "soft.pathprof"];
    assert_eq!(hottest(&scene, &same), (3 * HOT, 5, String::new()));
    let outcome = scene.pathprof(&[&["merge", "-o", "all.pathprof"], &same[..]].concat());
    assert_eq!((outcome.code, outcome.err.as_str()), (0, ""));
    assert_eq!(hottest(&scene, &["all.pathprof"]), (3 * HOT, 5, String::new()));
    assert_eq!(
        hottest(&scene, &["plain.pathprof", "other.pathprof"]).1,
        10,
        "another file is another image"
    );
}

#[test]
fn merging_loses_no_file() {
    let scene = Scene::new();
    let merge = |target: &str, profiles: &[&str], code: i32| {
        let outcome = scene.pathprof(&[&["merge", "-o", target], profiles].concat());
        assert_eq!((outcome.code, outcome.out.as_str()), (code, ""), "{}", outcome.err);
        outcome.err
    };
    // Names that collide once they are numbered.
    for (folder, image, id) in
        [("a", "x", 1), ("b", "x-2", 2), ("c", "x", 3), ("d", "x-3", 4), ("e", "x", 5)]
    {
        fs::create_dir(scene.path(folder)).expect("writable");
        let image = format!("{folder}/{image}");
        scene.image(&image, Some(&samples::section()), &[id; 20]);
        scene.profile_of(&format!("{folder}.pathprof"), &image, &[id; 20], samples::counters());
    }
    let profiles = ["a.pathprof", "b.pathprof", "c.pathprof", "d.pathprof", "e.pathprof"];
    let names = || {
        let entries = fs::read_dir(scene.path("out")).expect("made");
        let mut names: Vec<_> = entries
            .map(|entry| entry.expect("entry").file_name().into_string().expect("text"))
            .collect();
        names.sort();
        names
    };
    let expected = ["x-2.pathprof", "x-3-2.pathprof", "x-3.pathprof", "x-4.pathprof", "x.pathprof"];
    for _ in 0..2 {
        assert_eq!(merge("out/", &profiles, 0), "");
        assert_eq!(names(), expected, "and once more into the same files");
        assert_eq!(hottest(&scene, &["out"]).0, HOT);
        let (json, _) = scene.export(&["out"]);
        assert_eq!(json["images"].as_array().expect("images").len(), 5);
    }
    // A file that holds other runs, and one that is no profile.
    scene.profile_of("f.pathprof", "a/x", &[1; 20], samples::counters());
    merge("out/", &["f.pathprof"], 0);
    assert_eq!(names().len(), 6);
    merge("all.pathprof", &["a.pathprof", "f.pathprof"], 0);
    let held = scene.read("all.pathprof");
    let advice = "give it as an input, too, choose another name, or replace it with --replace\n";
    assert_eq!(
        merge("all.pathprof", &["a.pathprof"], 1),
        format!("error: all.pathprof exists and holds a run that is not among these; {advice}")
    );
    assert_eq!(scene.read("all.pathprof"), held);
    scene.write("main.c", b"int main() {}");
    assert_eq!(
        merge("main.c", &["a.pathprof"], 1),
        format!("error: main.c exists and is no profile that can be read; {advice}")
    );
    assert_eq!(scene.read("main.c"), b"int main() {}");
    merge("all.pathprof", &["--replace", "a.pathprof"], 0);
    merge("all.pathprof", &["a.pathprof", "f.pathprof"], 0);
    scene.write("empty", b"");
    merge("empty", &["a.pathprof"], 0);
    merge("/dev/null", &["a.pathprof"], 0);
}
