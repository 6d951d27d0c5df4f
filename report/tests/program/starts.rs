//! Which starts of a program are read, and what becomes of older ones.

use std::fs;

use pathformat::profile::Profile;

use crate::samples;
use crate::scene::{HOT, Scene, hottest, record};

#[test]
fn without_arguments_the_last_start_is_read() {
    let scene = Scene::new();
    let record = |pid, parent, time| record(&scene, pid, parent, time);
    // An earlier start and one of three processes, two of which are in another file.
    let demo = [record(10, 1, (1, 9)), record(20, 1, (11, 19))].concat();
    scene.write("demo.pathprof", &demo);
    let others = [record(21, 20, (12, 13)), record(22, 20, (14, 15))].concat();
    scene.write("other.pathprof", &others);
    let runs = |arguments: &[&str]| {
        let (json, said) = scene.export(arguments);
        let profiles = json["profiles"].as_array().expect("profiles");
        let mut pids: Vec<_> =
            profiles.iter().map(|profile| profile["pid"].as_u64().expect("a number")).collect();
        pids.sort_unstable();
        (pids, said)
    };
    let last = "reading demo.pathprof and 1 other profile, the last of 2 starts (--all reads all): \
                3 processes\n";
    assert_eq!(runs(&[]), (vec![20, 21, 22], last.into()));
    assert_eq!(runs(&["--run", "2"]), (vec![10], "reading demo.pathprof, start 2 of 2\n".into()));
    assert_eq!(runs(&["--all"]), (vec![10, 20, 21, 22], String::new()));
    // A program stands for the profile beside it.
    assert_eq!(runs(&["demo"]).0, [20]);
    assert_eq!(runs(&["--all", "demo"]).0, [10, 20]);
    // What is named is read.
    assert_eq!(runs(&["demo.pathprof"]), (vec![10, 20], String::new()));
    assert_eq!(runs(&["."]), (vec![10, 20, 21, 22], String::new()));
    // What tests cover is what all of them do.
    let covered = |arguments: &[&str]| scene.pathprof(&[&["coverage"], arguments].concat()).out;
    assert_eq!(covered(&[]), covered(&["--all"]));
    assert_ne!(covered(&[]), "");
    let all = "reading all 2 starts (--run N reads one)\n";
    let said = scene.pathprof(&["export", "--format", "lcov"]).err;
    let elsewhere = said.strip_prefix(all).expect("which starts were read");
    assert!(
        elsewhere.starts_with("note: no source file of this tracefile is here; `genhtml"),
        "{said}"
    );
    assert_eq!(scene.pathprof(&["coverage"]).err, all);
    let heading = |arguments: &[&str]| {
        let out = scene.pathprof(&[&["report"], arguments].concat()).out;
        out.lines().find(|line| line.starts_with("starts ")).map(str::to_owned)
    };
    assert_eq!(
        heading(&[]).as_deref(),
        Some("starts    the last of 2; `pathprof runs` lists them, --all reads all")
    );
    assert_eq!(heading(&["--all"]).as_deref(), Some("starts    all 2"));
    assert!(scene.pathprof(&["coverage", "--run", "1"]).err.starts_with("reading demo.pathprof"));
    scene.refuses(
        &["report", "--run", "3"],
        "there is no start 3; `pathprof runs` lists them, from 1, which is the last, to 2",
    );
    let list = scene.pathprof(&["runs"]);
    assert_eq!(
        (list.code, list.err.as_str(), list.out.lines().count()),
        (0, "", 4),
        "{}",
        list.out
    );
    // An earlier build of the program is no problem, and nobody asks for its image.
    scene.image("demo", Some(&samples::section()), &[7; 4]);
    let newer = fs::read(scene.profile_of("newer", "demo", &[7; 4], samples::counters()))
        .expect("it was written");
    scene.write("demo.pathprof", &[demo, newer].concat());
    let list = scene.pathprof(&["runs"]).out;
    assert_eq!(list.matches("earlier build").count(), 2, "{list}");
    let outcome = scene.pathprof(&["report", "--all"]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert_eq!(
        outcome.err,
        "warning: 4 runs of other builds of the program are left out (demo.pathprof)\n"
    );
}

#[test]
fn older_starts_are_summed() {
    let scene = Scene::new();
    let records: Vec<_> =
        (1..6).map(|pid| record(&scene, pid, 0, (pid.into(), u64::from(pid) + 1))).collect();
    scene.write("demo.pathprof", &records.concat());
    let counts = || hottest(&scene, &["demo.pathprof"]);
    assert_eq!(counts(), (5 * HOT, 5, String::new()));
    let said = scene.pathprof(&["compact", "--keep", "2"]);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    assert!(said.out.starts_with("demo.pathprof: 5 records became 3 (a record: "), "{}", said.out);
    assert_eq!(counts(), (5 * HOT, 5, String::new()));
    assert_eq!(hottest(&scene, &["demo"]).0, HOT);
    let held = scene.read("demo.pathprof");
    assert!(held.ends_with(&records[3..].concat()) && held.len() < records.concat().len());
    // Again and again, and all of it.
    assert!(
        scene
            .pathprof(&["compact", "--keep", "2", "demo"])
            .out
            .contains(": nothing to compact, 3 records in ")
    );
    assert_eq!(scene.read("demo.pathprof"), held);
    assert!(
        scene
            .pathprof(&["compact", "--keep", "0", "demo.pathprof"])
            .out
            .contains("3 records became 1 ")
    );
    assert_eq!(counts(), (5 * HOT, 5, String::new()));
    // What cannot be read is not lost.
    let torn = [records[0].as_slice(), &records[1][..100]].concat();
    scene.write("demo.pathprof", &torn);
    let said = scene.pathprof(&["compact"]);
    assert!(said.code == 1 && said.err.contains("nothing was changed"), "{}", said.err);
    assert_eq!(scene.read("demo.pathprof"), torn);
}

#[test]
fn a_long_profile_is_summed_by_itself() {
    let scene = Scene::new();
    // Each has 64 KiB of arguments, and is a start of its own.
    let record = |pid: u32| {
        let bytes = record(&scene, pid, 0, (pid.into(), u64::from(pid) + 1));
        let mut profile = Profile::decode(&bytes).expect("sound");
        let arguments = [&[b'x'; 1 << 16][..], b"\0"].concat();
        profile.head.command_line = &arguments;
        profile.encode()
    };
    let long: Vec<u8> = (1..21).flat_map(record).collect();
    let count = long.len() / 20;
    let with = |limit: &str, arguments: &[&str]| {
        let mut pathprof = scene.command(arguments);
        let outcome = scene.outcome(pathprof.env("PATHCC_PROFILE_LIMIT", limit));
        (outcome.code, outcome.err)
    };
    let held = |name: &str| scene.read(name);
    scene.write("demo.pathprof", &long);
    scene.write("other.pathprof", &long);
    // Short enough, without a limit, and not where an image leaves its profile.
    for (limit, name) in
        [("2", "demo"), ("", "demo.pathprof"), ("0", "demo"), ("1", "other.pathprof")]
    {
        let (code, err) = with(limit, &["report", name]);
        assert!(code == 0 && !err.contains("summed"), "{limit} {name}: {err}");
    }
    assert_eq!((held("demo.pathprof") == long, held("other.pathprof") == long), (true, true));
    let refusal = "error: PATHCC_PROFILE_LIMIT is `1 GB`, not a number of MiB (0: any)\n";
    assert_eq!(with("1 GB", &["runs"]), (1, refusal.into()));
    let said = |before: usize| {
        let [before, after] =
            [before, held("demo.pathprof").len()].map(|length| length.div_ceil(1024));
        format!(
            "pathprof: summed older starts in demo.pathprof: 1,{:03} KiB became {after}\n",
            before - 1000
        )
    };
    for arguments in
        [&["runs", "demo"][..], &["report", "--all", "demo"], &["report", "demo.pathprof"]]
    {
        scene.write("demo.pathprof", &long);
        assert_eq!(with("1", arguments), (0, said(long.len())), "{arguments:?}");
        assert_eq!(hottest(&scene, &["demo.pathprof"]), (20 * HOT, 5, String::new()));
        assert!(
            held("demo.pathprof").ends_with(&long[19 * count..]),
            "the last start stays as it is"
        );
        assert_eq!(with("1", arguments), (0, String::new()), "once is enough");
    }
    // What a command shows is what was there.
    scene.write("demo.pathprof", &long);
    let (code, err) = with("1", &["report", "--run", "20", "demo"]);
    assert_eq!(code, 0, "{err}");
    assert!(err.ends_with(&said(long.len())), "{err}");
    // What was just run is the last start.
    scene.write("demo.pathprof", &long);
    scene.write("ready", &record(30));
    let script = "cp ready \"${PATHCC_PROFILE}demo.pathprof\"";
    let (code, err) = with("1", &["run", "-q", "sh", "-c", script]);
    assert_eq!(
        (code, err),
        (0, format!("pathprof: profile demo.pathprof\n{}", said(long.len() + count)))
    );
    assert_eq!(hottest(&scene, &["demo"]).0, HOT);
    assert_eq!(hottest(&scene, &["demo.pathprof"]).0, 21 * HOT);
}

#[test]
fn of_two_profiles_of_a_program_the_newer_one_is_read() {
    let scene = Scene::new();
    fs::create_dir_all(scene.path("state/pathprof/demo-abcdef01")).expect("writable");
    let beside = "demo.pathprof";
    let in_state = "state/pathprof/demo-abcdef01/demo.pathprof";
    let read = || {
        let outcome = scene.pathprof(&["report", "demo"]);
        assert_eq!(outcome.code, 0, "{}", outcome.err);
        outcome.err
    };
    let aged = |name: &str, seconds: u64| {
        let file = fs::File::options().append(true).open(scene.profile(name)).expect("writable");
        let now = std::time::SystemTime::now();
        file.set_modified(now - std::time::Duration::from_secs(seconds)).expect("a time");
    };
    aged(in_state, 10);
    assert_eq!(read(), format!("reading {in_state}, the only start here\n"));
    aged(beside, 20);
    assert_eq!(read(), format!("reading {in_state}, the only start here\n"));
    aged(beside, 5);
    assert_eq!(read(), format!("reading {beside}, the only start here\n"));
}
