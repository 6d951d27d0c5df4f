//! The program `pathprof` as its users meet it: images and profiles on disk, arguments in, text and
//! exit code out.

mod samples;

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use object::write::Object;
use object::{Architecture, BinaryFormat, Endianness, SectionKind};
use pathformat::profile::{Head, INCOMPLETE, Module, Profile};
use pathformat::settings::Threads;
use pathformat::{ModuleId, names, record};
use pathprof::launch::diagnose::{NOT_LENT, UNLINKED};
use serde_json::Value;
use tempfile::TempDir;

const BUILD_ID: [u8; 4] = [0xab, 0xcd, 0xef, 0x01];

/// A directory with an image `demo`, in which `pathprof` runs.
struct Scene {
    directory: TempDir,
}

/// What a run of `pathprof` gave.
#[derive(Debug)]
struct Outcome {
    code: i32,
    out: String,
    err: String,
}

impl Scene {
    fn new() -> Self {
        let scene = Self { directory: TempDir::new().expect("a temporary directory") };
        scene.image("demo", Some(&samples::section()), &BUILD_ID);
        scene
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn write(&self, name: &str, content: &[u8]) -> PathBuf {
        fs::write(self.path(name), content).expect("the file can be written");
        self.path(name)
    }

    /// Writes an ELF file with a manifest section and a build-id note.
    fn image(&self, name: &str, section: Option<&[u8]>, build_id: &[u8]) -> PathBuf {
        let mut object = Object::new(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little);
        let mut note = Vec::new();
        for word in [4, u32::try_from(build_id.len()).expect("it is short"), 3] {
            note.extend(u32::to_le_bytes(word));
        }
        note.extend(b"GNU\0");
        note.extend(build_id);
        let mut add = |name: &str, kind, content: &[u8]| {
            let id = object.add_section(Vec::new(), name.into(), kind);
            object.append_section_data(id, content, 4);
        };
        add(".note.gnu.build-id", SectionKind::Note, &note);
        if let Some(section) = section {
            add(names::MANIFEST_SECTION, SectionKind::Other, section);
        }
        self.write(name, &object.write().expect("the object is sound"))
    }

    /// Writes a profile of the image `demo`.
    fn profile(&self, name: &str) -> PathBuf {
        self.profile_of(name, "demo", &BUILD_ID, samples::counters())
    }

    fn profile_of(
        &self,
        name: &str,
        image: &str,
        build_id: &[u8],
        modules: Vec<Module>,
    ) -> PathBuf {
        let image = self.path(image);
        self.write(name, &samples::profile(image.as_os_str().as_bytes(), build_id, 0, modules))
    }

    fn pathprof(&self, arguments: &[&str]) -> Outcome {
        let output = Command::new(env!("CARGO_BIN_EXE_pathprof"))
            .args(arguments)
            .current_dir(self.directory.path())
            .env_remove("PATHCC_PROFILE")
            .env_remove("CLICOLOR_FORCE")
            .env("XDG_STATE_HOME", self.path("state"))
            .stdin(Stdio::null())
            .output()
            .expect("pathprof can be run");
        let text = |bytes| String::from_utf8(bytes).expect("the output is text");
        let place = format!("{}/", self.directory.path().display());
        Outcome {
            code: output.status.code().expect("pathprof ends by itself"),
            out: text(output.stdout).replace(&place, "DIR/"),
            err: text(output.stderr).replace(&place, "DIR/"),
        }
    }

    /// Runs a report that must fail with exactly this message, and shows nothing.
    fn refuses(&self, arguments: &[&str], message: &str) {
        let outcome = self.pathprof(arguments);
        assert_eq!(outcome.err, format!("error: {message}\n"));
        assert_eq!((outcome.code, outcome.out.as_str()), (1, ""));
    }
}

fn counts_of(json: &Value, name: &str) -> Vec<(String, u64)> {
    let functions = json["functions"].as_array().expect("functions");
    let function =
        functions.iter().find(|function| function["name"] == name).expect("it is listed");
    let paths = function["paths"].as_array().expect("paths");
    let pair = |path: &Value| {
        (path["id"].as_str().expect("id").into(), path["count"].as_u64().expect("count"))
    };
    paths.iter().map(pair).collect()
}

#[test]
fn a_report_shows_hot_paths() {
    let scene = Scene::new();
    scene.profile("demo.42.pathprof");
    let outcome = scene.pathprof(&["report", "demo.42.pathprof", "--top", "2"]);
    assert_eq!((outcome.code, outcome.err.as_str()), (0, ""));
    insta::assert_snapshot!("report", outcome.out);
}

/// A record of the image `demo`, of a process with a parent, from one time to another.
fn record(scene: &Scene, pid: u32, parent: u32, (start, stop): (u64, u64)) -> Vec<u8> {
    let image = scene.path("demo");
    let bytes = samples::profile(image.as_os_str().as_bytes(), &BUILD_ID, 0, samples::counters());
    let mut profile = Profile::decode(&bytes).expect("sound");
    profile.head = Head {
        pid,
        parent,
        start: start * 1000,
        stop: stop * 1000,
        process_start: pid.into(),
        ..profile.head
    };
    profile.encode()
}

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
        let outcome = scene.pathprof(&[&["export", "--format", "json"], arguments].concat());
        assert_eq!(outcome.code, 0, "{}", outcome.err);
        let json: Value = serde_json::from_str(&outcome.out).expect("JSON");
        let profiles = json["profiles"].as_array().expect("profiles");
        let mut pids: Vec<_> =
            profiles.iter().map(|profile| profile["pid"].as_u64().expect("a number")).collect();
        pids.sort_unstable();
        (pids, outcome.err)
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
    assert_eq!(scene.pathprof(&["export", "--format", "lcov"]).err, all);
    assert_eq!(scene.pathprof(&["coverage"]).err, all);
    let heading = |arguments: &[&str]| {
        let out = scene.pathprof(&[&["report"], arguments].concat()).out;
        out.lines().find(|line| line.starts_with("starts ")).map(str::to_owned)
    };
    assert_eq!(heading(&[]).as_deref(), Some("starts    the last of 2; --all reads all"));
    assert_eq!(heading(&["--all"]).as_deref(), Some("starts    all 2"));
    assert!(scene.pathprof(&["coverage", "--run", "1"]).err.starts_with("reading demo.pathprof"));
    scene.refuses(
        &["report", "--run", "3"],
        "there is no start 3; `pathprof runs` lists them, from 1, which is the last, to 2",
    );
    let list = scene.pathprof(&["runs"]);
    assert_eq!(
        (list.code, list.err.as_str(), list.out.lines().count()),
        (0, "", 3),
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
        "warning: 4 runs of earlier builds of the program are left out (demo.pathprof)\n"
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
    assert!(said.out.starts_with("demo.pathprof: 5 records became 3 records, "), "{}", said.out);
    assert_eq!(counts(), (5 * HOT, 5, String::new()));
    assert_eq!(hottest(&scene, &["demo"]).0, HOT);
    let held = fs::read(scene.path("demo.pathprof")).expect("it is there");
    assert!(held.ends_with(&records[3..].concat()) && held.len() < records.concat().len());
    // Again and again, and all of it.
    assert!(
        scene
            .pathprof(&["compact", "--keep", "2", "demo"])
            .out
            .contains("3 records became 3 records")
    );
    assert_eq!(fs::read(scene.path("demo.pathprof")).expect("it is there"), held);
    assert!(
        scene
            .pathprof(&["compact", "--keep", "0", "demo.pathprof"])
            .out
            .contains("3 records became 1 record,")
    );
    assert_eq!(counts(), (5 * HOT, 5, String::new()));
    // What cannot be read is not lost.
    let torn = [records[0].as_slice(), &records[1][..100]].concat();
    scene.write("demo.pathprof", &torn);
    let said = scene.pathprof(&["compact"]);
    assert!(said.code == 1 && said.err.contains("nothing was changed"), "{}", said.err);
    assert_eq!(fs::read(scene.path("demo.pathprof")).expect("it is there"), torn);
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
        let output = Command::new(env!("CARGO_BIN_EXE_pathprof"))
            .args(arguments)
            .current_dir(scene.directory.path())
            .env("PATHCC_PROFILE_LIMIT", limit)
            .env_remove("PATHCC_PROFILE")
            .env("XDG_STATE_HOME", scene.path("state"))
            .output()
            .expect("pathprof can be run");
        (output.status.code(), String::from_utf8(output.stderr).expect("text"))
    };
    let held = |name: &str| fs::read(scene.path(name)).expect("it is there");
    scene.write("demo.pathprof", &long);
    scene.write("other.pathprof", &long);
    // Short enough, without a limit, and not where an image leaves its profile.
    for (limit, name) in
        [("2", "demo"), ("", "demo.pathprof"), ("0", "demo"), ("1", "other.pathprof")]
    {
        let (code, err) = with(limit, &["report", name]);
        assert!(code == Some(0) && !err.contains("summed"), "{limit} {name}: {err}");
    }
    assert_eq!((held("demo.pathprof") == long, held("other.pathprof") == long), (true, true));
    let refusal = "error: PATHCC_PROFILE_LIMIT is `1 GB`, not a number of MiB (0: any)\n";
    assert_eq!(with("1 GB", &["runs"]), (Some(1), refusal.into()));
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
        assert_eq!(with("1", arguments), (Some(0), said(long.len())), "{arguments:?}");
        assert_eq!(hottest(&scene, &["demo.pathprof"]), (20 * HOT, 5, String::new()));
        assert!(
            held("demo.pathprof").ends_with(&long[19 * count..]),
            "the last start stays as it is"
        );
        assert_eq!(with("1", arguments), (Some(0), String::new()), "once is enough");
    }
    // What a command shows is what was there.
    scene.write("demo.pathprof", &long);
    let (code, err) = with("1", &["report", "--run", "20", "demo"]);
    assert_eq!(code, Some(0), "{err}");
    assert!(err.ends_with(&said(long.len())), "{err}");
    // What was just run is the last start.
    scene.write("demo.pathprof", &long);
    scene.write("ready", &record(30));
    let script = "cp ready \"${PATHCC_PROFILE}demo.pathprof\"";
    let (code, err) = with("1", &["run", "-q", "sh", "-c", script]);
    assert_eq!(
        (code, err),
        (Some(0), format!("pathprof: profile demo.pathprof\n{}", said(long.len() + count)))
    );
    assert_eq!(hottest(&scene, &["demo"]).0, HOT);
    assert_eq!(hottest(&scene, &["demo.pathprof"]).0, 21 * HOT);
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
    let json: Value =
        serde_json::from_slice(&fs::read(file).expect("it was written")).expect("it is JSON");
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
    let reader_gone = format!("{} report demo.pathprof | true", env!("CARGO_BIN_EXE_pathprof"));
    let mut shell = Command::new("bash");
    let output = status_of(
        shell.args(["-c", &format!("set -o pipefail; {reader_gone}")]),
        scene.directory.path(),
    );
    assert_eq!(output, (Some(0), String::new()), "whoever reads may stop");
}

fn status_of(command: &mut Command, directory: &Path) -> (Option<i32>, String) {
    let output = command.current_dir(directory).output().expect("it can be run");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn runs_of_one_image_are_summed() {
    let scene = Scene::new();
    fs::create_dir(scene.path("runs")).expect("a directory");
    for run in 0..5 {
        scene.profile(&format!("runs/demo.{run}.pathprof"));
    }
    let outcome = scene.pathprof(&["export", "--format", "json", "runs"]);
    assert_eq!((outcome.code, outcome.err.as_str()), (0, ""));
    let json: Value = serde_json::from_str(&outcome.out).expect("it is JSON");
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
    let outcome =
        scene.pathprof(&["export", "--format", "json", "demo.pathprof", "other.pathprof"]);
    let json: Value = serde_json::from_str(&outcome.out).expect("it is JSON");
    let images: Vec<_> =
        json["functions"].as_array().expect("functions").iter().map(|of| &of["image"]).collect();
    assert_eq!(images, [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]);
}

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
                    error: gone.pathprof: no such file; give the profile that a run wrote (its \
                    default name is PROGRAM.pathprof)\n";
    assert_eq!(outcome.err, expected);
}

#[test]
fn what_is_no_profile_is_refused() {
    let scene = Scene::new();
    let sound = fs::read(scene.profile("sound.pathprof")).expect("it was written");
    fs::create_dir(scene.path("empty")).expect("a directory");
    scene.refuses(&["report", "empty"], "empty: this directory holds no profile (*.pathprof)");
    scene.write("a.txt", b"Dear diary, today");
    scene.refuses(
        &["report", "a.txt"],
        "a.txt: not a profile: it does not start with the expected magic number; give a file that \
         an instrumented program wrote",
    );
    scene.refuses(
        &["report", "demo"],
        "demo: this program has left no profile (DIR/demo.pathprof or \
         DIR/state/pathprof/demo-abcdef01/demo.pathprof); run it first, or name the profile if \
         PATHCC_PROFILE said where it goes",
    );
    let mut other = sound.clone();
    other[8] = 77;
    scene.write("other.pathprof", &other);
    scene.refuses(
        &["report", "other.pathprof"],
        "other.pathprof: this profile has format version 77, and this pathprof reads version 5; \
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
    refuses(&change(8), "it has format version 6, which this program cannot read");
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
fn run_passes_everything_through_and_reports() {
    let scene = Scene::new();
    let flagged = samples::profile(
        scene.path("demo").as_os_str().as_bytes(),
        &BUILD_ID,
        INCOMPLETE,
        samples::counters(),
    );
    scene.write("ready", &flagged);
    let script = "cat; echo to-stderr >&2; echo \"$1\"; cp \
                  ready \"${PATHCC_PROFILE}demo.pathprof\"; exit 3";
    let mut pathprof = Command::new(env!("CARGO_BIN_EXE_pathprof"));
    let mut child = pathprof
        .args(["run", "--top", "1", "--", "sh", "-c", script, "sh", "--top"])
        .current_dir(scene.directory.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("pathprof can be run");
    std::io::Write::write_all(&mut child.stdin.take().expect("it is piped"), b"from-stdin\n")
        .expect("it is read");
    let output = child.wait_with_output().expect("it ends");
    let (out, err) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(3), "{err}");
    assert_eq!(err, "to-stderr\npathprof: profile demo.pathprof\n");
    assert!(out.starts_with("from-stdin\n--top\nimage "), "{out}");
    assert!(out.contains("the first 1 of 14 executed paths; --top 0 shows all"), "{out}");
    assert!(out.contains("warning: demo.pathprof: incomplete: "), "{out}");
    assert_eq!(fs::read(scene.path("demo.pathprof")).expect("it was kept"), flagged);
}

#[test]
fn run_puts_profiles_where_it_is_told_and_replaces_none() {
    let scene = Scene::new();
    let ready = fs::read(scene.profile("ready")).expect("it was written");
    let old = fs::read(scene.profile("demo.pathprof")).expect("it was written");
    let script = "cp ready \"${PATHCC_PROFILE}demo.pathprof\"; cp \
                  ready \"${PATHCC_PROFILE}other.pathprof\"";
    let here = scene.pathprof(&["run", "-q", "sh", "-c", script]);
    assert_eq!((here.code, here.out.as_str()), (0, ""));
    assert_eq!(here.err, "pathprof: 2 profiles, demo.pathprof … other.pathprof\n");
    assert_eq!(fs::read(scene.path("demo.pathprof")).expect("there"), [old, ready].concat());
    let script =
        "test \"$PATHCC_PROFILE\" = \"$PWD/50%%/deep/\" && cat ready >> 50%/deep/demo.pathprof";
    let there = scene.pathprof(&["run", "-q", "-o", "50%/deep", "--", "sh", "-c", script]);
    assert_eq!((there.code, there.out.as_str()), (0, ""));
    assert_eq!(there.err, "pathprof: profile DIR/50%/deep/demo.pathprof\n");
    // Only what is new is of this run.
    scene.profile("ready");
    let script = "cat ready >> 50%/deep/demo.pathprof";
    let there = scene.pathprof(&["run", "-o", "50%/deep", "--", "sh", "-c", script]);
    assert_eq!(
        (there.code, there.err.as_str()),
        (0, "pathprof: profile DIR/50%/deep/demo.pathprof\n")
    );
    let [image, run] = there.out.lines().take(2).collect::<Vec<_>>()[..] else {
        panic!("{}", there.out)
    };
    assert_eq!(image, "image     DIR/demo build-id abcdef01");
    assert_eq!(run, "run       demo -n seven (pid 42, 2.500 s, DIR/50%/deep/demo.pathprof)");
    // A file that is no profile stays as it is.
    scene.write("demo.pathprof", b"text");
    let script = "cp ready \"${PATHCC_PROFILE}demo.pathprof\"";
    let kept = scene.pathprof(&["run", "-q", "sh", "-c", script]);
    assert!(kept.err.contains("there is a file of that name that is no profile"), "{}", kept.err);
    assert_eq!(fs::read(scene.path("demo.pathprof")).expect("there"), b"text");
}

#[test]
fn run_says_why_there_is_no_profile() {
    let scene = Scene::new();
    scene.write("section", &samples::section());
    let source = r#"
        #include <signal.h>
        #include <string.h>
        #include <unistd.h>
        #ifdef MANIFEST
        __asm__(".pushsection .pathcc.manifest,\"aR\",@progbits\n.incbin \"section\"\n.popsection");
        #endif
        #ifdef LINKED
        __asm__(".pushsection .pathcc.modules,\"aR\",@progbits\n.quad 1\n.popsection");
        #endif
        int main(int argc, char **argv) { if (argc > 1) raise(SIGKILL); _exit(5); }
    "#;
    scene.write("main.c", source.as_bytes());
    for (name, flags) in [
        ("none", "-DNONE"),
        ("unlinked", "-DMANIFEST"),
        ("stripped", "-DMANIFEST -s"),
        ("whole", "-DMANIFEST -DLINKED -s"),
    ] {
        let mut clang = Command::new("clang-22");
        clang
            .args(["main.c", "-o", name])
            .args(flags.split(' '))
            .current_dir(scene.directory.path());
        assert!(clang.status().expect("clang-22 is installed").success());
    }
    let script = scene.write("script", b"#!/bin/sh\nexit 4\n");
    fs::set_permissions(script, fs::Permissions::from_mode(0o755)).expect("it is ours");
    let says = |arguments: &[&str], code: i32, text: &str| {
        let outcome = scene.pathprof(&[&["run", "--"], arguments].concat());
        assert_eq!((outcome.code, outcome.out.as_str()), (code, ""));
        assert_eq!(
            outcome.err,
            format!(
                "pathprof: {} wrote no profile, nor did a program that it started. {text}\n",
                arguments[0]
            )
        );
    };
    let none = "./none has no section .pathcc.manifest: it was not compiled with pathcc (CC=pathcc \
                CXX=pathc++), or that section was removed. With --preload, what it loads and starts counts \
                wherever that was compiled with pathcc.";
    says(&["./none"], 5, none);
    says(&["./none", "-"], 137, &format!("It was ended by signal 9 (SIGKILL). {none}"));
    for program in ["./unlinked", "./stripped"] {
        says(&[program], 5, &format!("{program} {UNLINKED} {NOT_LENT}"));
        let doctor = scene.pathprof(&["doctor", program]);
        assert!(doctor.out.contains("linked by another linker"), "{doctor:?}");
    }
    let whole = "./whole is instrumented as it should be. It may be set-user-id, have no place to \
                 write to, or have been started through something that sets PATHCC_PROFILE (off \
                 writes nothing); `pathprof doctor` looks for reasons.";
    says(&["./whole"], 5, whole);
    says(&["./whole", "-"], 137, &format!("It was ended by signal 9 (SIGKILL). {whole}"));
    says(
        &["./script"],
        4,
        "./script is no ELF image but a script: only instrumented programs that it starts write \
         profiles.",
    );
}

#[test]
fn run_says_what_cannot_be_run() {
    let scene = Scene::new();
    let missing = scene.pathprof(&["run", "./no-such-program"]);
    assert_eq!(missing.code, 127);
    assert_eq!(
        missing.err,
        "error: cannot run ./no-such-program: No such file or directory (os error 2)\n"
    );
    let refused = scene.pathprof(&["run", "./demo"]);
    assert_eq!(refused.code, 126);
    assert_eq!(refused.err, "error: cannot run ./demo: Permission denied (os error 13)\n");
}

#[test]
fn run_hands_signals_on() {
    let scene = Scene::new();
    let script = "trap 'echo got it; exit 7' TERM; echo ready; while :; do sleep 0.05; done";
    let mut pathprof = Command::new(env!("CARGO_BIN_EXE_pathprof"));
    let mut child = pathprof
        .args(["run", "sh", "-c", script])
        .current_dir(scene.directory.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("pathprof can be run");
    let mut reader = std::io::BufReader::new(child.stdout.take().expect("it is piped"));
    let mut line = || {
        let mut text = String::new();
        std::io::BufRead::read_line(&mut reader, &mut text).expect("it is text");
        text
    };
    assert_eq!(line(), "ready\n");
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().expect("kill exists").success());
    assert_eq!(line(), "got it\n");
    assert_eq!(child.wait().expect("it ends").code(), Some(7));
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

#[test]
fn profiles_are_merged_and_damaged_ones_are_named() {
    let scene = Scene::new();
    scene.profile("a.pathprof");
    scene.profile("b.pathprof");
    let mut damaged = fs::read(scene.path("a.pathprof")).expect("it was written");
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
        let outcome = scene.pathprof(&[&["export", "--format", "json"], profiles].concat());
        assert_eq!((outcome.code, outcome.err.as_str()), (0, ""));
        serde_json::from_str::<Value>(&outcome.out).expect("JSON")["functions"].clone()
    };
    assert_eq!(export(&["all.pathprof"]), export(&["a.pathprof", "b.pathprof"]));
    let report = scene.pathprof(&["report", "--failure-mode=any", "a.pathprof", "bad.pathprof"]);
    assert_eq!((report.code, report.out.as_str(), report.err.as_str()), (1, "", refusal));
    let report = scene.pathprof(&["report", "--failure-mode=all", "bad.pathprof"]);
    assert_eq!((report.code, report.err.as_str()), (1, refusal));
}

/// How often `collatz` took its most frequent path, and how many functions there are, in the export
/// of these profiles; and what was said.
fn hottest(scene: &Scene, arguments: &[&str]) -> (u64, usize, String) {
    let outcome = scene.pathprof(&[&["export", "--format", "json"], arguments].concat());
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    let json: Value = serde_json::from_str(&outcome.out).expect("JSON");
    let counts = counts_of(&json, "collatz");
    (
        counts.iter().map(|(_, count)| *count).max().unwrap_or_default(),
        json["functions"].as_array().expect("functions").len(),
        outcome.err,
    )
}

/// What a run of the sample counts on its hottest path.
const HOT: u64 = 1_234_567;

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
    let first = fs::read(scene.path("all.pathprof")).expect("it was written");
    for _ in 0..2 {
        assert!(
            merge(&["all.pathprof", "."])
                .starts_with("warning: 3 runs are given more than once and counted once")
        );
        assert_eq!(hottest(&scene, &["all.pathprof"]), (3 * HOT, 5, String::new()));
    }
    assert_eq!(fs::read(scene.path("all.pathprof")).expect("it was written").len(), first.len());
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
        let json = scene.pathprof(&["export", "--format", "json", "out"]).out;
        assert_eq!(
            serde_json::from_str::<Value>(&json).expect("JSON")["images"]
                .as_array()
                .expect("images")
                .len(),
            5
        );
    }
    // A file that holds other runs, and one that is no profile.
    scene.profile_of("f.pathprof", "a/x", &[1; 20], samples::counters());
    merge("out/", &["f.pathprof"], 0);
    assert_eq!(names().len(), 6);
    merge("all.pathprof", &["a.pathprof", "f.pathprof"], 0);
    let held = fs::read(scene.path("all.pathprof")).expect("it was written");
    let advice = "give it as an input, too, choose another name, or replace it with --replace\n";
    assert_eq!(
        merge("all.pathprof", &["a.pathprof"], 1),
        format!("error: all.pathprof exists and holds a run that is not among these; {advice}")
    );
    assert_eq!(fs::read(scene.path("all.pathprof")).expect("it is there"), held);
    scene.write("main.c", b"int main() {}");
    assert_eq!(
        merge("main.c", &["a.pathprof"], 1),
        format!("error: main.c exists and is no profile that can be read; {advice}")
    );
    assert_eq!(fs::read(scene.path("main.c")).expect("it is there"), b"int main() {}");
    merge("all.pathprof", &["--replace", "a.pathprof"], 0);
    merge("all.pathprof", &["a.pathprof", "f.pathprof"], 0);
    scene.write("empty", b"");
    merge("empty", &["a.pathprof"], 0);
    merge("/dev/null", &["a.pathprof"], 0);
}

#[test]
fn the_doctor_says_what_is_wrong() {
    let scene = Scene::new();
    let doctor = |pattern: &str, arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_pathprof"))
            .arg("doctor")
            .args(arguments)
            .env("PATHCC_PROFILE", pattern)
            .current_dir(scene.directory.path())
            .output()
            .expect("pathprof can be run");
        (output.status.code(), String::from_utf8(output.stdout).expect("text"))
    };
    let (code, text) = doctor("%e.pathprof", &[]);
    assert!(text.contains("ok Profiles can be written to "), "{text}");
    // What else it finds depends on the machine.
    assert_eq!(code, Some(i32::from(text.contains("problem "))), "{text}");
    let (code, text) = doctor("off", &[]);
    assert!(
        code == Some(1)
            && text.contains("problem PATHCC_PROFILE says that nothing is to be written"),
        "{text}"
    );
    let (code, text) = doctor("/proc/none/", &["/bin/true"]);
    assert!(
        code == Some(1) && text.contains("problem Profiles cannot be written to /proc/none"),
        "{text}"
    );
    assert!(text.contains("problem /bin/true has no section .pathcc.manifest"), "{text}");
}

#[test]
fn run_finds_profiles_where_the_environment_puts_them() {
    let scene = Scene::new();
    scene.profile("ready");
    let run = |pattern: &str, directory: &Path, script: &str| {
        let mut pathprof = Command::new(env!("CARGO_BIN_EXE_pathprof"));
        pathprof
            .args(["run", "-q", "--", "sh", "-c", script])
            .env("PATHCC_PROFILE", pattern)
            .current_dir(directory);
        let (code, err) = status_of(&mut pathprof, directory);
        (code, err.replace(&format!("{}/", scene.directory.path().display()), "DIR/"))
    };
    let here = scene.directory.path();
    let one = |pattern: &str, file: &str| {
        let script = format!(
            "test \"$PATHCC_PROFILE\" = '{pattern}' && mkdir -p \"$(dirname {file})\" && \
                     cp ready {file}"
        );
        assert_eq!(
            run(pattern, here, &script),
            (Some(0), format!("pathprof: profile {file}\n")),
            "{pattern}"
        );
        // One that was there before is none of this run.
        let none = run(pattern, here, "exit 3");
        assert!(none.0 == Some(3) && none.1.contains("wrote no profile"), "{pattern}: {none:?}");
    };
    one("out/%h/%e.%p.pathprof", "out/box/sh.7.pathprof");
    scene.profile("ready");
    one("fixed.pathprof", "fixed.pathprof");
    scene.profile("ready");
    one("other.pathprof", "other-2.pathprof");
    scene.profile("ready");
    one("50%%/[a]*.%p", "50%/[a]*.12");
    // The path of a program: of the one that is run, or of others that it starts.
    fs::create_dir_all(scene.path("build/deep")).expect("writable");
    scene.profile("ready");
    one("%f.pathprof", "build/deep/tool.pathprof");
    scene.profile("ready");
    one("all/%f-%h.pathprof", "all/home/user/tool-box.pathprof");
    let elsewhere = TempDir::new().expect("a temporary directory");
    fs::create_dir(elsewhere.path().join("here")).expect("writable");
    scene.profile("ready");
    let ready = scene.path("ready");
    let tool = elsewhere.path().join("tool");
    fs::write(&tool, format!("#!/bin/sh\ncp {} \"$0.pathprof\"\n", ready.display()))
        .expect("writable");
    fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).expect("ours");
    let mut pathprof = Command::new(env!("CARGO_BIN_EXE_pathprof"));
    pathprof.args(["run", "-q", "../tool"]).env("PATHCC_PROFILE", "%f.pathprof");
    let place = tool.display();
    let found = format!("pathprof: profile {place}.pathprof\n");
    assert_eq!(status_of(&mut pathprof, &elsewhere.path().join("here")), (Some(0), found));
    let said = "pathprof: PATHCC_PROFILE says that nothing is to be written, so there is no \
                profile.\n";
    assert_eq!(run("off", here, "exit 4"), (Some(4), said.into()));
}

#[test]
fn run_works_where_nothing_can_be_written() {
    let scene = Scene::new();
    let ready = scene.profile("ready");
    let script = format!("cp {} \"${{PATHCC_PROFILE}}demo.pathprof\"", ready.display());
    let output = Command::new(env!("CARGO_BIN_EXE_pathprof"))
        .args(["run", "--", "sh", "-c", &script])
        .env_remove("PATHCC_PROFILE")
        .env("TMPDIR", scene.directory.path())
        .current_dir("/proc")
        .output()
        .expect("pathprof can be run");
    let (out, err) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{err}");
    let place = scene.directory.path().display().to_string();
    let expected = format!("warning: the profiles are in {place}/pathprof-");
    assert!(err.starts_with(&expected) && err.contains("cannot write demo.pathprof"), "{err}");
    assert!(out.contains("loop: 13→16 12→loop 13"), "{out}");
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
fn source_is_annotated() {
    let scene = Scene::new();
    scene.profile("a.pathprof");
    let outcome = scene.pathprof(&["annotate", "collatz", "a.pathprof"]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert!(outcome.out.starts_with("collatz  main.c:10\npaths #1 1,234,567×  #2 40,000×"));
    assert!(outcome.out.contains("14    40,003"), "{}", outcome.out);
    let file = scene.pathprof(&["annotate", "util.h", "a.pathprof"]);
    assert!(file.out.contains("5    19 │"), "{}", file.out);
    let outcome = scene.pathprof(&["annotate", "no_such", "a.pathprof"]);
    assert_eq!(outcome.code, 1);
    assert!(outcome.err.contains("no function and no file is called `no_such`"), "{}", outcome.err);
}
