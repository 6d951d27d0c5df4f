//! What is shown of what was counted: the report, the export, the source, and the help.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::scene::{Outcome, Scene, record};

#[test]
fn a_report_shows_hot_paths() {
    let scene = Scene::new();
    scene.profile("demo.42.pathprof");
    let outcome = scene.pathprof(&["report", "demo.42.pathprof", "--top", "2"]);
    assert_eq!((outcome.code, outcome.err.as_str()), (0, ""));
    insta::assert_snapshot!("report", outcome.out);
}

#[test]
fn colours_come_when_asked_for() {
    let scene = Scene::new();
    scene.profile("demo.pathprof");
    let coloured = scene.pathprof(&["report", "demo.pathprof", "--color", "always"]);
    let plain = scene.pathprof(&["report", "demo.pathprof"]);
    assert!(coloured.out.contains("\x1b["));
    assert_eq!(anstream::adapter::strip_str(&coloured.out).to_string(), plain.out);
}

#[test]
fn the_export_has_every_field_of_the_schema() {
    let scene = Scene::new();
    scene.profile("demo.pathprof");
    let outcome =
        scene.pathprof(&["export", "--format", "json", "-o", "all.json", "demo.pathprof"]);
    assert_eq!((outcome.code, outcome.err.as_str(), outcome.out.as_str()), (0, "", ""));
    let file = scene.path("all.json");
    assert_eq!(
        file.metadata().expect("it was written").permissions().mode() & 0o444,
        0o444,
        "readable as usual"
    );
    let json: Value = serde_json::from_slice(&scene.read("all.json")).expect("it is JSON");
    assert_eq!(json["schema"], "pathprof/1");
    assert_eq!((&json["mode"], &json["stage"]), (&"paths".into(), &"late".into()));
    assert_eq!(json["images"][0]["build_id"], "abcdef01");
    assert_eq!(json["images"][0]["path"], scene.path("demo").to_str().expect("it is UTF-8"));
    let functions = json["functions"].as_array().expect("functions");
    let names: Vec<_> =
        functions.iter().map(|function| function["name"].as_str().expect("name")).collect();
    assert_eq!(names, ["collatz", "main", "_ZN4util5weighEi", "start", "_ZN4util5guardEi"]);
    let (mut starts, mut ends) = (Vec::new(), Vec::new());
    for function in functions {
        assert!(function["demangled"].is_string() && function["module"].is_string());
        assert!(function["file"].is_string() == (function["name"] != "_ZN4util5guardEi"));
        assert!(function["line"].is_u64() || function["line"].is_null());
        assert_eq!(function["image"], 0);
        assert!(function["possible_paths"].as_str().expect("a string").parse::<u64>().is_ok());
        assert!(function["entries"].is_u64());
        assert_eq!(function["skipped"].is_string(), function["name"] == "start");
        let blocks = function["blocks"].as_array().expect("blocks");
        let mut block_counts = vec![0; blocks.len()];
        for (id, block) in blocks.iter().enumerate() {
            assert_eq!(block["id"], id, "block ids are dense");
            assert!(
                block["name"].is_string()
                    && block["count"].is_u64()
                    && block["instructions"].is_u64()
            );
            assert!(block["lines"].as_array().expect("lines").iter().all(Value::is_u64));
            assert!(block["opcodes"].as_object().expect("opcodes").values().all(Value::is_u64));
            assert!(block["calls"].as_array().expect("calls").iter().all(Value::is_string));
        }
        for edge in function["edges"].as_array().expect("edges") {
            assert!(edge["from"].as_u64().expect("from") < blocks.len() as u64);
            assert!(edge["to"].as_u64().expect("to") < blocks.len() as u64);
            assert!(edge["count"].is_u64());
        }
        for path in function["paths"].as_array().expect("paths") {
            assert!(path["id"].as_str().expect("a string").parse::<u64>().is_ok());
            starts.push(path["start"].as_str().expect("start").to_string());
            ends.push(path["end"].as_str().expect("end").to_string());
            for block in path["blocks"].as_array().expect("blocks") {
                let block = usize::try_from(block.as_u64().expect("a block")).expect("it is small");
                block_counts[block] += path["count"].as_u64().expect("count");
            }
        }
        let stated: Vec<_> =
            blocks.iter().map(|block| block["count"].as_u64().expect("count")).collect();
        assert_eq!(stated, block_counts, "a block runs as often as the paths through it");
    }
    for list in [&mut starts, &mut ends] {
        list.sort();
        list.dedup();
    }
    assert_eq!(starts, ["cut", "entry", "loop", "resume"]);
    assert_eq!(ends, ["back_edge", "cut", "noreturn", "return", "unwind"]);
}

#[test]
fn an_export_that_cannot_be_written_is_an_error() {
    let scene = Scene::new();
    scene.profile("demo.pathprof");
    scene.refuses(
        &["export", "--format", "json", "-o", "no/where.json", "demo.pathprof"],
        "cannot write no/where.json: there is no directory no",
    );
    let device =
        scene.pathprof(&["export", "--format", "json", "-o", "/dev/full", "demo.pathprof"]);
    assert_eq!(device.code, 1);
    assert!(
        device.err.starts_with("error: ") && device.err.contains("No space left"),
        "{}",
        device.err
    );
    let reader_gone = format!("'{}' report demo.pathprof | true", env!("CARGO_BIN_EXE_pathprof"));
    let mut shell = Command::new("bash");
    shell.args(["-c", &format!("set -o pipefail; {reader_gone}")]);
    let outcome = scene.outcome(shell.current_dir(scene.directory.path()));
    assert_eq!((outcome.code, outcome.err.as_str()), (0, ""), "whoever reads may stop");
}

#[test]
fn a_function_that_is_not_there_is_an_error() {
    let scene = Scene::new();
    scene.profile("a.pathprof");
    let nothing = "no function matches `gone*`; `pathprof report --functions --top 0` lists all";
    for view in ["--functions", "--skipped", "--calls", "--branches", "--opcodes", "--blocks"] {
        scene.refuses(&["report", view, "--function", "gone*", "a.pathprof"], nothing);
    }
    scene.refuses(&["coverage", "--function", "gone*", "a.pathprof"], nothing);
    let similar = "no function matches `colatz`; similar: `collatz`; `pathprof report --functions \
                   --top 0` lists all";
    scene.refuses(&["report", "--function", "colatz", "a.pathprof"], similar);
    let file = "no file matches `man.c`; similar: `src/main.c`; `pathprof coverage` lists all";
    scene.refuses(&["coverage", "--file", "man.c", "a.pathprof"], file);
    let skipped = "the functions that match `start` are not counted; `pathprof report --skipped` \
                   says why";
    scene.refuses(&["report", "--function", "start", "a.pathprof"], skipped);
    assert_eq!(
        scene.pathprof(&["report", "--skipped", "--function", "start", "a.pathprof"]).code,
        0
    );
    let script = "cp a.pathprof \"${PATHCC_PROFILE}demo.pathprof\"; exit $0";
    for (own, code) in [("0", 1), ("5", 5)] {
        let run = scene.pathprof(&["run", "--function", "gone*", "--", "sh", "-c", script, own]);
        assert_eq!(run.code, code, "{}", run.err);
        assert!(run.err.ends_with(&format!("error: {nothing}\n")), "{}", run.err);
    }
}

#[test]
fn a_path_is_shown_as_its_source() {
    let scene = Scene::new();
    scene.profile("a.pathprof");
    let outcome = scene.pathprof(&["show", "collatz#1", "a.pathprof"]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert!(
        outcome.out.starts_with("collatz#1  1,234,567 times, 96.9% of the paths"),
        "{}",
        outcome.out
    );
    assert!(outcome.out.contains("└→ loop 13, 1,274,569 of 1,274,572 times"), "{}", outcome.out);
    assert_eq!(
        outcome.err,
        "note: src/main.c is not there (it was compiled in /build), so its lines have no text\n"
    );
    let without_number = scene.pathprof(&["show", "collatz", "a.pathprof"]);
    assert_eq!(without_number.out, outcome.out);
    for (path, said) in [
        ("collatz#9", "error: collatz has paths 1 to 5, and no path 9\n"),
        ("collatz#0", "error: collatz has paths 1 to 5, and no path 0\n"),
        ("collatz#x", "error: `collatz#x` is no path: write `collatz#1`\n"),
    ] {
        let outcome = scene.pathprof(&["show", path, "a.pathprof"]);
        assert_eq!(outcome.code, 1);
        assert!(outcome.err.ends_with(said), "{}", outcome.err);
    }
    let outcome = scene.pathprof(&["show", "no_such", "a.pathprof"]);
    assert_eq!(outcome.code, 1);
    assert!(outcome.err.contains("no counted function is called `no_such`"), "{}", outcome.err);
}

#[test]
fn a_comparison_is_broken_for_terminals_alone() {
    let scene = Scene::new();
    let one = scene.profile("one.pathprof");
    let both = [std::fs::read(&one).expect("it was written"), record(&scene, 7, 1, (1, 2))];
    scene.write("both.pathprof", &both.concat());
    let sides = ["one.pathprof", "both.pathprof"];
    let outcome = scene.pathprof(&[&["diff"], &sides[..]].concat());
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    let whole = "A executed 11,431,261 instructions, B executed 22,862,522. The difference is \
                 +11,431,261: B executed 2.000 times as many.\n";
    assert!(outcome.out.contains(whole), "{}", outcome.out);
    assert_eq!(scene.pathprof(&[&["diff", "-o", "file"], &sides[..]].concat()).code, 0);
    assert!(String::from_utf8(scene.read("file")).expect("text").contains(whole));
}

#[test]
fn rows_of_what_is_missing_are_left_out_only_for_people() {
    let scene = Scene::new();
    scene.profile("a.pathprof");
    let rows = |arguments: &[&str]| {
        let outcome =
            scene.pathprof(&[&["coverage", "--missing", "a.pathprof"], arguments].concat());
        assert_eq!(outcome.code, 0, "{}", outcome.err);
        (outcome.out.lines().count(), outcome.out.contains("paths left out first"))
    };
    let (all, is_cut) = rows(&["--top", "0"]);
    assert!(!is_cut && rows(&[]) == (all, false));
    let (few, is_cut) = rows(&["--top", "2"]);
    assert!(few < all && is_cut, "{few} of {all}");
    assert_eq!(rows(&["--format", "csv"]), rows(&["--format", "csv", "--top", "0"]));
}

#[test]
fn the_number_sign_of_a_name_begins_no_number() {
    let scene = Scene::new();
    scene.profile("a.pathprof");
    let said =
        scene.pathprof(&["show", "f(int)::{lambda(int)#1}::operator()(int) const", "a.pathprof"]);
    assert!(said.err.contains("no counted function is called `f(int)::{lambda"), "{}", said.err);
}

#[test]
fn source_is_annotated() {
    let scene = Scene::new();
    scene.profile("a.pathprof");
    let outcome = scene.pathprof(&["annotate", "collatz", "a.pathprof"]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert!(outcome.out.starts_with("collatz  main.c:10\npaths #1 1,234,567×  #2 40,000×"));
    assert!(outcome.out.contains("14    ~40,003"), "{}", outcome.out);
    let file = scene.pathprof(&["annotate", "util.h", "a.pathprof"]);
    assert!(file.out.contains("5   ~19 │"), "{}", file.out);
    let outcome = scene.pathprof(&["annotate", "no_such", "a.pathprof"]);
    assert_eq!(outcome.code, 1);
    assert!(outcome.err.contains("no function and no file is called `no_such`"), "{}", outcome.err);
}

#[test]
fn completions_and_manual_pages_are_made() {
    let scene = Scene::new();
    let words = [
        "run",
        "runs",
        "compact",
        "report",
        "export",
        "merge",
        "coverage",
        "weights",
        "doctor",
        "top",
        "fail-under",
        "image",
    ];
    for shell in ["bash", "zsh", "fish"] {
        let Outcome { code, out, err } = scene.pathprof(&["completions", shell]);
        assert_eq!((code, err.as_str()), (0, ""), "{shell}");
        let missing: Vec<_> = words.iter().filter(|word| !out.contains(*word)).collect();
        assert!(missing.is_empty(), "{shell}: {missing:?}");
    }
    // What is no sound script is refused without being run.
    let script =
        scene.write("completions.bash", scene.pathprof(&["completions", "bash"]).out.as_bytes());
    assert!(
        Command::new("bash").arg("-n").arg(script).status().expect("bash can be run").success()
    );
    assert!(scene.pathprof(&["man"]).out.contains(".TH pathprof 1"));
    assert_eq!(scene.pathprof(&["man", "pages"]).code, 0);
    for page in ["pathprof.1", "pathprof-run.1", "pathprof-report.1", "pathprof-export.1"] {
        assert!(scene.path("pages").join(Path::new(page)).is_file(), "{page}");
    }
    for command in
        [&["--help"][..], &["run", "--help"], &["report", "--help"], &["export", "--help"]]
    {
        assert!(scene.pathprof(command).out.contains("Examples:"), "{command:?}");
    }
}
