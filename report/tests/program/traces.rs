//! `pathprof trace`: what is in a trace, its steps, and running what is traced.

use std::fs;
use std::os::unix::ffi::OsStrExt;

use pathformat::names;
use pathformat::trace::{
    Allocation, CHUNK_HEAD, ChunkHead, Operation, RecordKind, Synchronisation,
};
use serde_json::{Value, json};

use zerocopy::IntoBytes;

use crate::samples::traced::{self, CHUNK, GUARD, MAIN, Trace, WALK, lost, path};
use crate::scene::{BUILD_ID, Scene};

/// A directory with the traced image `walk`.
fn scene() -> Scene {
    let scene = Scene::new();
    let (manifests, modules) = (traced::section(), traced::modules());
    let sections = [
        (names::MANIFEST_SECTION, manifests.as_slice()),
        (names::MODULES_SECTION, modules.as_slice()),
    ];
    scene.image_with("walk", &sections, &BUILD_ID);
    scene
}

/// A trace of `walk` that has told of its image.
fn begun(scene: &Scene) -> Trace {
    let place = scene.path("walk");
    let mut trace = Trace::new(place.as_os_str().as_bytes(), &BUILD_ID);
    trace.image(place.as_os_str().as_bytes(), &BUILD_ID);
    trace
}

/// What two threads and a signal handler did.
fn full(scene: &Scene) -> Trace {
    let mut trace = begun(scene);
    let first = [
        path(MAIN[0], &[0x7ffd_0000_0010]),
        path(WALK[0], &[0x1000]),
        path(WALK[1], &[0x2000, 0x3000, 16, 17]),
    ];
    trace.chunk(1, 0, &first.concat());
    let second = [path(WALK[2], &[]), lost(), path(MAIN[1], &[])];
    trace.chunk(2, 0, &[path(GUARD[0], &[0x100]), path(GUARD[1], &[])].concat());
    trace.chunk(1, 1, &second.concat());
    let head = ChunkHead {
        stream: 3.into(),
        interrupts: 1.into(),
        thread: 101.into(),
        ..ChunkHead::default()
    };
    trace.chunk_of(head, &path(WALK[1], &[0x9000, 0x9100, 3, 4]));
    trace.chunk(0, 0, &[]);
    trace
}

#[test]
fn info_says_what_is_in_a_trace() {
    let scene = scene();
    scene.write("walk.42.pathtrace", &full(&scene).bytes);
    let outcome = scene.pathprof(&["trace", "info", "walk.42.pathtrace"]);
    assert_eq!((outcome.code, outcome.err.as_str()), (0, ""));
    // How much of it is on the disk, the file system says.
    let text = outcome.out.lines().map(|line| match line.split_once("; ") {
        Some((unused, _)) if line.starts_with("unused") => format!("{unused}\n"),
        _ => format!("{line}\n"),
    });
    insta::assert_snapshot!("trace_info", text.collect::<String>());
    let json = scene.pathprof(&["trace", "info", "walk.42.pathtrace", "--format", "json"]);
    let json: Value = serde_json::from_str(&json.out).expect("JSON");
    let row = json!({
        "stream": 1, "thread": 101, "interrupts": null, "chunks": 2, "bytes": 184, "paths": 5,
        "accesses": 8, "events": 1, "gaps": 1,
    });
    assert_eq!(json["tables"][0]["rows"][0], row);
}

#[test]
fn cat_tells_every_path_and_access() {
    let scene = scene();
    scene.write("walk.42.pathtrace", &full(&scene).bytes);
    let outcome = scene.pathprof(&["trace", "cat", "walk.42.pathtrace"]);
    assert_eq!((outcome.code, outcome.err.as_str()), (0, ""));
    insta::assert_snapshot!("trace_cat", outcome.out);
    let coloured = scene.pathprof(&["trace", "cat", "walk.42.pathtrace", "--color", "always"]);
    assert!(coloured.out.contains("\x1b["));
    assert_eq!(anstream::adapter::strip_str(&coloured.out).to_string(), outcome.out);
}

#[test]
fn cat_shows_what_is_asked_for() {
    let scene = scene();
    scene.write("t", &full(&scene).bytes);
    let lines = |arguments: &[&str]| {
        let all = [&["trace", "cat", "t", "--no-accesses"], arguments].concat();
        let outcome = scene.pathprof(&all);
        assert_eq!((outcome.code, outcome.err.as_str()), (0, ""), "{arguments:?}");
        outcome.out.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(lines(&[]).len(), 12);
    let second =
        ["stream 2: thread 102", "2 guard: 21 → call setjmp", "2 guard: resume: 22 → call walk"];
    assert_eq!(lines(&["--thread", "2"]), second);
    assert_eq!(lines(&["--thread", "2", "--limit", "1"]), second[..2]);
    assert_eq!(lines(&["--limit", "2"]).len(), 3);
    assert_eq!(lines(&["--function", "walk", "--thread", "1"]).len(), 5);
    assert_eq!(lines(&["--hide", "walk", "--thread", "1"]).len(), 4);
    assert_eq!(lines(&["--file", "walk.c", "--accesses"]).len(), 12 + 13);
    let refused = |arguments: &[&str], why: &str| {
        scene.refuses(&[&["trace", "cat", "t"], arguments].concat(), why);
    };
    refused(&["--thread", "4"], "there is no stream 4; `pathprof trace info` lists them");
    refused(&["--function", "wolk"], "no function matches `wolk`; similar: `walk`");
    refused(&["--file", "x.c"], "no file matches `x.c`");
}

#[test]
fn json_has_all_that_an_oracle_needs() {
    let scene = scene();
    scene.write("t", &full(&scene).bytes);
    let outcome = scene.pathprof(&["trace", "cat", "t", "--format", "json"]);
    assert_eq!((outcome.code, outcome.err.as_str()), (0, ""));
    let lines = outcome.out.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let lines: Vec<_> = lines.collect();
    assert_eq!(lines.len(), 9);
    assert_eq!(
        lines[2],
        json!({
            "stream": 1, "thread": 101, "interrupts": null, "frame": 2, "depth": 2, "whole": true,
            "function": "_Z4walkPc", "unit": "walk.cc", "path": "1", "start": "entry",
            "end": "return", "blocks": [0, 3],
            "accesses": [
                ["load", 8, 0x2000, 11], ["bulk_load", 16, 0x3000, 14], ["bulk_store", 17, 0x2000, 14],
            ],
        })
    );
    assert_eq!(
        lines[4],
        json!({
            "stream": 1, "thread": 101, "interrupts": null, "event": "lost",
            "text": "records are missing: there was no room for them",
        })
    );
    let last = &lines[5];
    assert_eq!(
        (&last["whole"], &last["accesses"]),
        (&json!(false), &json!([["load", 4, null, 32]]))
    );
    assert_eq!(lines[8]["interrupts"], 1);
    let short = scene.pathprof(&["trace", "cat", "t", "--format", "json", "--no-accesses"]);
    assert!(!short.out.contains("accesses"));
}

#[test]
fn damage_is_told_and_the_rest_is_shown() {
    let scene = scene();
    let mut trace = begun(&scene);
    trace.chunk(1, 0, &[path(MAIN[0], &[1]), path(7, &[])].concat());
    trace.chunk(1, 2, &path(MAIN[1], &[]));
    let end = trace.bytes.len();
    trace.chunk(2, 0, &path(MAIN[1], &[]));
    trace.bytes[end + 44] = 1;
    scene.write("t", &trace.bytes);
    let broken = "t: chunk 3 of the file is damaged: its head has bytes that mean nothing";
    let number = "chunk 1 of the file is damaged: the record at byte 10 of its content has the \
                  number 7, which is no path of an image that is known";
    let outcome = scene.pathprof(&["trace", "cat", "t", "--no-accesses"]);
    assert_eq!(outcome.code, 1);
    assert_eq!(
        outcome.out,
        format!(
            "stream 1: thread 101\n1 main: 31 → call walk\n1 ({number})\n\
             1 (chunk 1 of the stream is missing)\n1 ?main: resume: 32 → return\n"
        )
    );
    assert_eq!(
        outcome.err,
        format!(
            "error: {broken}\nerror: t: stream 1: {number}\n\
             error: t: stream 1: chunk 1 of the stream is missing\n"
        )
    );
    let outcome = scene.pathprof(&["trace", "info", "t"]);
    assert_eq!((outcome.code, outcome.err), (1, format!("error: {broken}\n")));
    assert!(outcome.out.contains(&format!("warning: stream 1: {number}\n")), "{}", outcome.out);
}

/// Appends a chunk whose records are compressed; where its frame starts.
fn packed(trace: &mut Trace, stream: u32, number: u64, content: &[u8]) -> usize {
    let mut encoder = zstd::bulk::Compressor::new(1).expect("an encoder");
    encoder.include_checksum(true).expect("it can");
    let frame = encoder.compress(content).expect("into memory");
    let head = ChunkHead {
        stream: stream.into(),
        number: number.into(),
        thread: (100 + stream).into(),
        frame: (frame.len() as u32).into(),
        ..ChunkHead::default()
    };
    let start = trace.bytes.len() + size_of::<ChunkHead>();
    trace.chunk_of(head, &frame);
    start
}

#[test]
fn a_compressed_chunk_is_read_or_told_as_damaged() {
    let scene = scene();
    let begin = [path(MAIN[0], &[1]), path(WALK[0], &[2])].concat();
    let end = path(MAIN[1], &[]);
    let mut plain = begun(&scene);
    plain.chunk(1, 0, &begin);
    plain.chunk(1, 1, &end);
    scene.write("plain", &plain.bytes);
    let mut trace = begun(&scene);
    let place = packed(&mut trace, 1, 0, &begin);
    packed(&mut trace, 1, 1, &end);
    // The same chunk again, as of a process that was killed while it moved.
    trace.chunk(1, 1, &end);
    scene.write("packed", &trace.bytes);
    assert_eq!(steps(&scene, "packed"), steps(&scene, "plain"));
    let info = scene.pathprof(&["trace", "info", "packed"]);
    assert!(info.out.contains("\nzstd      2 of 2 chunks are compressed: "), "{}", info.out);

    trace.bytes[place + 12] ^= 0x40;
    scene.write("t", &trace.bytes);
    let outcome = scene.pathprof(&["trace", "cat", "t", "--no-accesses"]);
    let told = "error: t: stream 1: chunk 1 of the file cannot be read: its compressed records are \
                damaged: ";
    assert!(outcome.code == 1 && outcome.err.starts_with(told), "{}", outcome.err);
    assert_eq!(outcome.err.lines().count(), 1, "{}", outcome.err);
    assert!(outcome.out.ends_with("1 ?main: resume: 32 → return\n"), "{}", outcome.out);
    // A frame that would be longer than the chunk.
    let head = place - size_of::<ChunkHead>();
    trace.bytes[head + 31] = 1;
    scene.write("t", &trace.bytes);
    let outcome = scene.pathprof(&["trace", "cat", "t", "--no-accesses"]);
    assert!(outcome.err.contains("are longer than a chunk"), "{}", outcome.err);
}

#[test]
fn what_is_no_trace_is_refused() {
    let scene = scene();
    let refused = |name: &str, why: &str| {
        for command in ["info", "cat"] {
            scene.refuses(&["trace", command, name], &format!("{name}: {why}"));
        }
    };
    refused(
        "gone",
        "no such file; give the trace that a program wrote, `PROGRAM.PROCESS.pathtrace`",
    );
    refused(".", "this directory holds no trace (*.pathtrace)");
    scene.write("a.txt", b"Dear diary, today");
    refused(
        "a.txt",
        "not a trace: it does not start with the expected magic number; give a file that a program \
         wrote that was compiled with -fpath-mode=trace",
    );
    scene.write("empty", b"");
    refused("empty", "this trace is empty; run the program again");
    scene.profile("p.pathprof");
    refused("p.pathprof", "this is a profile, not a trace; `pathprof report` shows it");
    let mut bytes = begun(&scene).bytes;
    scene.write("cut", &bytes[..100]);
    refused(
        "cut",
        "the header of this trace is damaged or truncated: it ends in the middle of a value \
         (truncated?); run the program again",
    );
    bytes[8] = 99;
    scene.write("newer", &bytes);
    refused(
        "newer",
        "this trace has format version 99, and this pathprof reads version 8; use the pathprof that \
         belongs to the pathcc that built the program",
    );
}

#[test]
fn an_image_is_found_elsewhere_by_its_build_id() {
    let scene = scene();
    scene.write("t", &full(&scene).bytes);
    std::fs::create_dir(scene.path("deep")).expect("a directory");
    std::fs::rename(scene.path("walk"), scene.path("deep/walk")).expect("it is there");
    let outcome = scene.pathprof(&["trace", "cat", "t"]);
    assert_eq!(outcome.code, 1);
    let unknown = "error: the paths of the image DIR/walk are unknown: DIR/walk: no such image; \
                   say where it is now with --image PATH or --image-dir DIR\n";
    assert!(outcome.err.starts_with(unknown), "{}", outcome.err);
    let whole = scene.pathprof(&["trace", "cat", "t", "--image-dir", "."]);
    assert_eq!((whole.code, whole.err.as_str()), (0, ""));
    assert_eq!(whole.out.lines().count(), 12 + 13);
    let given = scene.pathprof(&["trace", "cat", "t", "--image", "deep/walk"]);
    assert_eq!((given.code, given.out), (0, whole.out));
    let other = scene.pathprof(&["trace", "cat", "t", "--image", "demo"]);
    // The image of the profiles has the same build-id, but no traced unit.
    assert_eq!(other.code, 1);
}

#[test]
fn run_says_where_the_traces_are() {
    let scene = scene();
    scene.write("ready", &full(&scene).bytes);
    let length = scene.read("ready").len();
    scene.write("old.1.pathtrace", &scene.read("ready"));
    let script = "echo out; cp ready \"${PATHCC_PROFILE}walk.7.pathtrace\"; exit 3";
    let run = |arguments: &[&str]| scene.pathprof(&[&["trace", "run"], arguments].concat());
    let outcome = run(&["--", "sh", "-c", script]);
    let grouped = |length: usize| format!("{},{:03}", length / 1000, length % 1000);
    let said = format!("pathprof: trace walk.7.pathtrace ({} bytes)\n", grouped(length));
    assert_eq!((outcome.code, outcome.out.as_str(), outcome.err), (3, "out\n", said));
    let outcome = run(&["-o", "deep", "sh", "-c", script]);
    let said = format!("pathprof: trace deep/walk.7.pathtrace ({} bytes)\n", grouped(length));
    assert_eq!((outcome.code, outcome.err), (3, said));
    // Where the environment says.
    let mut command =
        scene.command(&["trace", "run", "sh", "-c", "cp ready there/x-9.9.pathtrace"]);
    std::fs::create_dir(scene.path("there")).expect("a directory");
    let outcome = scene.outcome(command.env("PATHCC_PROFILE", "there/x-%p.pathprof"));
    let said = format!("pathprof: trace there/x-9.9.pathtrace ({} bytes)\n", grouped(length));
    assert_eq!((outcome.code, outcome.err), (0, said));
    let mut command = scene.command(&["trace", "run", "true"]);
    let outcome = scene.outcome(command.env("PATHCC_PROFILE", "off"));
    let said =
        "pathprof: PATHCC_PROFILE says that nothing is to be written, so there is no trace.\n";
    assert_eq!((outcome.code, outcome.err.as_str()), (0, said));
    let outcome = run(&["true"]);
    assert!(
        outcome.err.contains("is no image that is traced: compile and link it"),
        "{}",
        outcome.err
    );
    let outcome = run(&["no-such-program"]);
    assert_eq!(outcome.code, 127);
}

#[test]
fn commands_for_counts_say_what_shows_traces() {
    let scene = scene();
    scene.refuses(
        &["report", "walk"],
        "walk: this program is traced and has left no profile: `pathprof trace run` runs it, and \
         `pathprof trace info` says what is in the traces that it leaves (*.pathtrace)",
    );
    scene.write("w.42.pathtrace", &full(&scene).bytes);
    scene.refuses(
        &["report", "w.42.pathtrace"],
        "w.42.pathtrace: this is a trace, not a profile; `pathprof trace info w.42.pathtrace` says \
         what is in it",
    );
    let outcome = scene.pathprof(&["report"]);
    assert!(
        outcome
            .err
            .contains("; `pathprof trace info w.42.pathtrace` says what is in it: a profile"),
        "{}",
        outcome.err
    );
    // A profile of the image has no counts of its traced unit, whatever stands in its array.
    let counts =
        pathformat::profile::Module { id: traced::UNIT, counters: 12, counts: vec![(0, 8)] };
    scene.profile_of("walk.pathprof", "walk", &BUILD_ID, vec![counts]);
    let outcome = scene.pathprof(&["report", "walk", "--skipped"]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert!(outcome.out.contains("traced; `pathprof trace` tells its paths"), "{}", outcome.out);
}

#[test]
fn a_trace_that_ends_anywhere_can_be_shown() {
    let scene = scene();
    let whole = full(&scene).bytes;
    let head = whole.len() - 3 * CHUNK as usize;
    for length in [4096, 5000, head, head + 3, head + 70, whole.len() - 1] {
        scene.write("t", &whole[..length]);
        for command in ["info", "cat"] {
            let outcome = scene.pathprof(&["trace", command, "t"]);
            assert!(outcome.code <= 1 && !outcome.err.contains("panic"), "{}", outcome.err);
        }
    }
}

/// The steps of a trace without the numbers of chunks and streams' frames.
fn steps(scene: &Scene, trace: &str) -> Vec<Value> {
    let told = scene.pathprof(&["trace", "cat", trace, "--format", "json"]);
    let is_expected = told.err.is_empty() || told.err.starts_with("warning: partial: ");
    assert!(told.code == 0 && is_expected, "{trace}: {}", told.err);
    told.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// A trace whose stream 1 has a chunk for each second from 10 to 13, and stream 2 one at 11.
fn four_seconds(scene: &Scene) -> Trace {
    let mut trace = begun(scene);
    let mut chunk = |stream: u32, number: u64, second: u64, at: u64| {
        let head = ChunkHead {
            stream: stream.into(),
            number: number.into(),
            thread: (100 + stream).into(),
            time: (second * 1_000_000_000).into(),
            ..ChunkHead::default()
        };
        trace.chunk_of(head, &path(GUARD[0], &[at]));
    };
    (0..4).for_each(|number| chunk(1, number, 10 + number, 0x100 + number));
    chunk(2, 0, 11, 0x200);
    trace
}

/// The record of an operation that begins and ends at these times.
fn operation(of: Operation, tickets: (u64, u64), times: (u64, u64)) -> Vec<u8> {
    let event = Synchronisation {
        operation: (of as u32).into(),
        object: 0x7f00.into(),
        before: tickets.0.into(),
        after: tickets.1.into(),
        begin: times.0.into(),
        end: times.1.into(),
        ..Synchronisation::default()
    };
    let word = RecordKind::Synchronised.word(size_of::<Synchronisation>() as u32);
    [&word.to_le_bytes()[..], event.as_bytes()].concat()
}

/// Two threads that take one lock: the first stores, gives the lock back and stores again; the
/// second waits and reads both.
fn locked(scene: &Scene) -> Trace {
    let mut trace = begun(scene);
    let store = |at: u64| path(MAIN[0], &[at]);
    let first = [
        operation(Operation::Lock, (0, 1), (100, 100)),
        store(0x1000),
        operation(Operation::Unlock, (2, 0), (400, 400)),
        store(0x2000),
    ];
    let second = [
        operation(Operation::Lock, (0, 3), (150, 400)),
        path(WALK[0], &[0x1000]),
        path(WALK[0], &[0x2000]),
        operation(Operation::Unlock, (4, 0), (700, 700)),
    ];
    trace.chunk(1, 0, &first.concat());
    trace.chunk(2, 0, &second.concat());
    trace
}

#[test]
fn a_part_of_a_trace_is_a_trace() {
    let scene = scene();
    scene.write("walk.42.pathtrace", &four_seconds(&scene).bytes);
    let cut = |options: &[&str]| {
        let base = ["trace", "cut", "walk.42.pathtrace", "-o", "part.pathtrace"];
        let outcome = scene.pathprof(&[&base[..], options].concat());
        assert_eq!((outcome.code, outcome.out.as_str(), outcome.err.as_str()), (0, "", ""));
        let address = |step: &Value| step["accesses"][0][2].as_u64().expect("an address");
        steps(&scene, "part.pathtrace").iter().map(address).collect::<Vec<_>>()
    };
    assert_eq!(cut(&[]), [0x100, 0x101, 0x102, 0x103, 0x200]);
    let whole = steps(&scene, "walk.42.pathtrace");
    assert_eq!(steps(&scene, "part.pathtrace"), whole);
    assert_eq!(cut(&["--thread", "2"]), [0x200]);
    assert_eq!(cut(&["--thread", "2", "--thread", "1"]), [0x100, 0x101, 0x102, 0x103, 0x200]);
    // A chunk is filled until the next one is begun.
    assert_eq!(cut(&["--from", "1.5", "--to", "2.5"]), [0x101, 0x102, 0x200]);
    assert_eq!(cut(&["--from", "1", "--to", "2", "--thread", "1"]), [0x101]);
    assert_eq!(cut(&["--to", "1"]), [0x100]);
    assert_eq!(cut(&["--from", "100"]), [0x103, 0x200]);
}

#[test]
fn cat_shows_what_ran_in_some_time() {
    let scene = scene();
    scene.write("walk.42.pathtrace", &four_seconds(&scene).bytes);
    let whole = steps(&scene, "walk.42.pathtrace");
    let shown = |options: &[&str]| {
        let base = ["trace", "cat", "walk.42.pathtrace", "--format", "json"];
        let outcome = scene.pathprof(&[&base[..], options].concat());
        assert_eq!((outcome.code, outcome.err.as_str()), (0, ""));
        let lines = outcome.out.lines();
        let step = |line: &str| serde_json::from_str::<Value>(line).expect("JSON");
        let place = |step: Value| whole.iter().position(|known| *known == step).expect("as in all");
        lines.map(step).map(place).collect::<Vec<_>>()
    };
    assert_eq!(shown(&[]), [0, 1, 2, 3, 4]);
    assert_eq!(shown(&["--from", "1.5", "--to", "2.5"]), [1, 2, 4]);
    assert_eq!(shown(&["--from", "1", "--to", "2", "--thread", "1"]), [1]);
    assert_eq!(shown(&["--to", "1"]), [0]);
    assert_eq!(shown(&["--to", "0"]), [0; 0]);
}

/// The flag of a trace, and of one that is part of it.
#[test]
fn what_is_not_whole_says_so() {
    let scene = scene();
    scene.write("whole", &full(&scene).bytes);
    let run = |line: &[&str]| scene.pathprof(&[&["trace"], line].concat());
    assert_eq!(run(&["cut", "whole", "-o", "all"]).code, 0);
    assert_eq!(run(&["cut", "whole", "-o", "part", "--thread", "2"]).code, 0);
    for (trace, is_partial) in [("whole", false), ("all", false), ("part", true)] {
        let info = run(&["info", trace]);
        assert_eq!(info.out.contains("partial: records are missing"), is_partial, "{trace}");
        let cat = run(&["cat", trace, "--owners"]);
        assert_eq!(cat.err.contains("warning: partial: records are missing"), is_partial);
        for command in ["graph", "races", "memory", "cache"] {
            let told = run(&[command, trace]).out.contains("records are missing");
            // The whole trace has a gap, too.
            assert!(told, "{command} {trace}");
        }
    }
    scene.write("sound", &locked(&scene).bytes);
    assert_eq!(run(&["cut", "sound", "-o", "part", "--thread", "1"]).code, 0);
    for command in ["graph", "races", "memory", "cache"] {
        assert!(!run(&[command, "sound"]).out.contains("records are missing"), "{command}");
        assert!(run(&[command, "part"]).out.contains("records are missing"), "{command}");
    }
}

#[test]
fn a_part_ends_where_the_file_does() {
    let scene = scene();
    let bytes = full(&scene).bytes;
    // In the last chunk, which is of the process, and in the one before, which is of a handler.
    let [last, before] = [1, 2].map(|chunks| bytes.len() - chunks * CHUNK as usize);
    for length in
        (last + CHUNK_HEAD..bytes.len()).step_by(1013).chain(before + CHUNK_HEAD..before + 99)
    {
        scene.write("cut", &bytes[..length]);
        let run = |line: &[&str]| scene.pathprof(&[&["trace"], line].concat());
        let info = run(&["info", "cut"]).out;
        assert!(info.contains("cut: the file ends in the middle of a chunk, "), "{length}: {info}");
        let known = run(&["cat", "cut"]);
        assert_eq!(run(&["cut", "cut", "-o", "part"]).code, 0, "{length}");
        let part = run(&["cat", "part"]);
        assert_eq!((part.code, &part.out), (known.code, &known.out), "{length}");
    }
}

#[test]
fn without_accesses_or_paths_nothing_is_concluded() {
    let scene = scene();
    let mut trace = begun(&scene);
    trace.chunk(1, 0, &[]);
    scene.write("t", &trace.bytes);
    for command in ["races", "memory", "cache"] {
        let outcome = scene.pathprof(&["trace", command, "t"]);
        assert_eq!(outcome.code, 0);
        assert!(outcome.out.contains("no accesses to memory"), "{command}: {}", outcome.out);
        assert!(!outcome.out.contains("No two accesses race"), "{}", outcome.out);
    }
    let times = ["cat", "t", "--from", "2", "--to", "1"];
    let outcome = scene.pathprof(&[&["trace"][..], &times].concat());
    assert!(outcome.err.contains("--to 1 is before --from 2"), "{}", outcome.err);
    scene.write("t", &full(&scene).bytes);
    fs::remove_file(scene.path("walk")).expect("the image is there");
    for command in ["cat", "graph", "races", "memory", "cache"] {
        let outcome = scene.pathprof(&["trace", command, "t"]);
        assert_eq!((outcome.code, outcome.out.as_str()), (1, ""), "{command}");
        assert!(outcome.err.contains("no such image") && !outcome.err.contains("damaged"));
    }
    let info = scene.pathprof(&["trace", "info", "t"]);
    let problem = "chunk 1 of the file has paths of an image that is unknown";
    assert!(info.out.contains(problem), "{}", info.out);
}

#[test]
fn what_cannot_be_cut_is_refused() {
    let scene = scene();
    scene.write("walk.42.pathtrace", &four_seconds(&scene).bytes);
    let refuses = |options: &[&str], code: i32, message: &str| {
        let outcome = scene.pathprof(&[&["trace", "cut", "walk.42.pathtrace"], options].concat());
        assert_eq!(outcome.code, code, "{options:?}");
        assert!(outcome.err.contains(message), "{options:?}: {}", outcome.err);
    };
    refuses(&["-o", "part.pathtrace", "--thread", "7"], 1, "there is no stream 7");
    refuses(&["-o", "part.pathtrace", "--to", "0"], 1, "nothing is recorded in that time");
    refuses(&["-o", "part.pathtrace", "--from=-1"], 2, "it is no number of seconds");
    refuses(&["-o", "./walk.42.pathtrace"], 1, "is the trace itself");
    refuses(&[], 2, "--output");
}

#[test]
fn graph_tells_tasks_in_all_forms() {
    let scene = scene();
    scene.write("t", &locked(&scene).bytes);
    let run = |format: &str| {
        let outcome = scene.pathprof(&["trace", "graph", "t", "--format", format]);
        assert_eq!((outcome.code, outcome.err.as_str()), (0, ""), "{format}");
        outcome.out
    };
    insta::assert_snapshot!("trace_graph", run("text"));
    let json: Value = serde_json::from_str(&run("json")).expect("JSON");
    assert_eq!(json["schema"], "pathprof-tasks/1");
    let lock = json!({
        "object": 0x7f00, "name": null, "taken": 2, "failed": 0, "waited": 1, "wait": 250,
        "held": 600,
    });
    assert_eq!(json["locks"], json!([lock]));
    let edges = json["edges"].as_array().expect("edges");
    let locks: Vec<_> = edges.iter().filter(|edge| edge[2] == "lock").collect();
    let tasks = json["tasks"].as_array().expect("tasks");
    assert_eq!(locks.len(), 1);
    let of = |end: usize| &tasks[locks[0][end].as_u64().expect("an index") as usize];
    assert_eq!((of(0)[0].clone(), of(1)[0].clone()), (json!(0), json!(1)));
    assert_eq!((of(0)[4].clone(), of(1)[3].clone()), (json!(400), json!(400)));
    let slices: Value = serde_json::from_str(&run("perfetto")).expect("JSON");
    let events = slices["traceEvents"].as_array().expect("events");
    let phase = |phase: &str| events.iter().filter(|event| event["ph"] == phase).count();
    let count = tasks.len();
    assert_eq!(["B", "E", "s", "f"].map(phase), [count, count, 1, 1]);
    let dot = run("dot");
    assert!(dot.starts_with("digraph tasks {\n") && dot.ends_with("}\n"), "{dot}");
    assert_eq!(dot.matches(" -> ").count(), edges.len());
}

#[test]
fn graph_writes_a_file_for_other_programs_only() {
    let scene = scene();
    scene.write("t", &locked(&scene).bytes);
    let run = |more: &[&str]| scene.pathprof(&[&["trace", "graph", "t"], more].concat());
    for format in ["json", "dot", "perfetto"] {
        let told = run(&["--format", format]).out;
        let outcome = run(&["--format", format, "-o", "written"]);
        assert_eq!((outcome.code, outcome.out.as_str(), outcome.err.as_str()), (0, "", ""));
        let written = fs::read_to_string(scene.path("written")).expect("a file");
        assert!(written == told, "{format}");
    }
    for (more, problem) in [
        (["--open", "--top=1"], "only a page can be opened"),
        (["-o", "tables"], "tables go to standard output"),
    ] {
        let outcome = run(&more);
        assert_eq!((outcome.code, outcome.out.as_str()), (1, ""));
        assert!(outcome.err.contains(problem), "{}", outcome.err);
    }
    assert!(!scene.path("tables").exists());
}

#[test]
fn races_are_told_where_nothing_orders() {
    let scene = scene();
    scene.write("t", &locked(&scene).bytes);
    let outcome = scene.pathprof(&["trace", "races", "t"]);
    assert_eq!((outcome.code, outcome.err.as_str()), (0, ""));
    insta::assert_snapshot!("trace_races", outcome.out);
    let json = scene.pathprof(&["trace", "races", "t", "--format", "json"]);
    let json: Value = serde_json::from_str(&json.out).expect("JSON");
    let rows = json["tables"][0]["rows"].as_array().expect("rows");
    assert_eq!((rows.len(), &rows[0]["address"]), (1, &json!("0x2000")));
    assert_eq!((&rows[0]["object"], &rows[0]["offset"]), (&Value::Null, &Value::Null));
}

/// The race of [`locked`] is between `main` and `walk`, at an object that nobody knows.
#[test]
fn races_are_chosen_suppressed_and_told_by_the_exit_code() {
    let scene = scene();
    scene.write("t", &locked(&scene).bytes);
    scene.write("known", b"# a race that is known\nrace:^walk\n");
    scene.write("other", b"race:somewhere\nmutex:what ThreadSanitizer alone knows\n");
    scene.write("wrong", b"races: all\n");
    let run = |more: &[&str]| {
        let all = [&["trace", "races", "t", "--format", "json"], more].concat();
        let outcome = scene.pathprof(&all);
        let json: Value = serde_json::from_str(&outcome.out).unwrap_or_default();
        let rows = json["tables"][0]["rows"].as_array().map_or(0, Vec::len);
        (outcome.code, rows, outcome.out + &outcome.err)
    };
    let gate = ["--error-exitcode", "66"];
    let told = |more: &[&str]| {
        let (code, rows, _) = run(&[&gate, more].concat());
        (code, rows)
    };
    assert_eq!(told(&[]), (66, 1));
    assert_eq!(told(&["--possible"]), (66, 1));
    assert_eq!(told(&["--suppressions", "other"]), (66, 1));
    assert_eq!(told(&["--suppressions", "known"]), (0, 0));
    assert_eq!(told(&["--function", "main"]), (66, 1));
    assert_eq!(told(&["--function", "guard"]), (0, 0));
    assert_eq!(told(&["--hide", "walk"]), (66, 1));
    assert_eq!(told(&["--object", "queue*"]), (0, 0));
    assert_eq!(run(&[]).0, 0, "a race is no failure unless that is wanted");
    assert!(run(&["--suppressions", "known"]).2.contains("suppressed: 1 pair"));
    let (code, _, said) = run(&["--suppressions", "wrong"]);
    assert!(code == 1 && said.contains("line 1: `races: all` is no suppression"), "{said}");
    let (code, _, said) = run(&["--suppressions", "none"]);
    assert!(code == 1 && said.contains("none"), "{said}");
}

/// The record of memory that is allocated, or is free from now on.
fn allocation(address: u64, size: u64, former: u64) -> Vec<u8> {
    let (address, size, former) = (address.into(), size.into(), former.into());
    let event = Allocation { address, size, former, ..Allocation::default() };
    let word = RecordKind::Allocated.word(size_of::<Allocation>() as u32);
    [&word.to_le_bytes()[..], event.as_bytes()].concat()
}

/// `main` allocates a block, whose lock is in it; it comes to another thread by the lock. `walk`
/// accesses it, frees it and allocates it again.
fn allocating(scene: &Scene) -> Trace {
    let mut trace = begun(scene);
    let first = [
        path(MAIN[0], &[0x6f00]),
        allocation(0x7000, 0x1000, 0),
        path(MAIN[0], &[0x7ff0]),
        operation(Operation::Lock, (0, 1), (100, 100)),
        operation(Operation::Unlock, (2, 0), (400, 400)),
        path(MAIN[0], &[0x7ff0]),
    ];
    let second = [
        path(WALK[0], &[0x7100]),
        operation(Operation::Lock, (0, 3), (150, 400)),
        path(WALK[0], &[0x7100]),
        allocation(0, 0, 0x7000),
        path(WALK[0], &[0x7100]),
        allocation(0x7100, 0x10, 0),
        path(WALK[0], &[0x7100]),
        operation(Operation::Unlock, (4, 0), (700, 700)),
        path(WALK[0], &[0x7fff_ffff_0000]),
    ];
    trace.chunk(1, 0, &first.concat());
    trace.chunk(2, 0, &second.concat());
    trace
}

#[test]
fn cat_names_owners_on_request() {
    let scene = scene();
    scene.write("t", &allocating(&scene).bytes);
    let outcome = scene.pathprof(&["trace", "cat", "t", "--owners"]);
    assert_eq!((outcome.code, outcome.err.as_str()), (0, ""));
    insta::assert_snapshot!("trace_cat_owners", outcome.out);
    let json = |more: &[&str]| {
        let all = [&["trace", "cat", "t", "--format", "json"], more].concat();
        let told = scene.pathprof(&all).out;
        let lines = told.lines().map(|line| serde_json::from_str(line).expect("JSON"));
        lines.collect::<Vec<Value>>()
    };
    let block = |offset: u64| json!(["heap: main walk.c:31", offset]);
    let all = json(&["--owners"]);
    assert_eq!(all[0]["owners"], json!([null]));
    assert_eq!(all[2]["owners"], json!([block(0xff0)]));
    assert_eq!(all[3]["owners"], json!([block(0xf00), null]));
    // Streams are the same alone, and for what is shown of them.
    let second = json(&["--owners", "--thread", "2"]);
    assert_eq!(second, all[6..]);
    let walks = json(&["--owners", "--function", "walk"]);
    assert!(walks.iter().all(|step| second.contains(step)) && walks.len() == 5);
    let without = json(&[]);
    assert!(without.iter().all(|line| line.get("owners").is_none()));
    let short = json(&["--owners", "--no-accesses"]);
    assert!(short.iter().all(|line| line.get("path").is_none() || line.get("owners").is_none()));
}

#[test]
fn races_name_the_block() {
    let scene = scene();
    let mut trace = begun(&scene);
    let first = [
        path(MAIN[0], &[0x6f00]),
        allocation(0x7000, 0x1000, 0),
        operation(Operation::Unlock, (2, 0), (400, 400)),
        path(MAIN[0], &[0x7010]),
    ];
    let second = [operation(Operation::Lock, (0, 3), (150, 400)), path(WALK[0], &[0x7010])];
    trace.chunk(1, 0, &first.concat());
    trace.chunk(2, 0, &second.concat());
    scene.write("t", &trace.bytes);
    let json = scene.pathprof(&["trace", "races", "t", "--format", "json"]);
    let json: Value = serde_json::from_str(&json.out).expect("JSON");
    let rows = &json["tables"][0]["rows"];
    assert_eq!(rows[0]["object"], "heap: main walk.c:31", "{rows}");
    assert_eq!(rows[0]["offset"], 16);
}

#[test]
fn locks_are_named() {
    let scene = scene();
    scene.write("t", &allocating(&scene).bytes);
    let json = scene.pathprof(&["trace", "graph", "t", "--format", "json"]);
    let json: Value = serde_json::from_str(&json.out).expect("JSON");
    assert_eq!(json["locks"][0]["name"], "(heap: main walk.c:31)+3840", "{}", json["locks"]);
    // Another object at the same address has no name in common with it.
    let mut trace = allocating(&scene);
    let again = [
        allocation(0x7f00, 0x10, 0),
        path(WALK[0], &[0x7f00]),
        operation(Operation::Lock, (0, 5), (800, 800)),
        path(WALK[0], &[0x7f00]),
    ];
    trace.chunk(2, 1, &again.concat());
    scene.write("t", &trace.bytes);
    let json = scene.pathprof(&["trace", "graph", "t", "--format", "json"]);
    let json: Value = serde_json::from_str(&json.out).expect("JSON");
    assert_eq!(json["locks"][0]["name"], Value::Null);
}

#[test]
fn cat_tells_events() {
    let scene = scene();
    scene.write("t", &locked(&scene).bytes);
    let outcome = scene.pathprof(&["trace", "cat", "t", "--no-accesses", "--thread", "2"]);
    let lines: Vec<_> = outcome.out.lines().collect();
    assert_eq!(
        (lines[1], lines[4]),
        ("2 lock 0x7f00: at 150 ns, took 250 ns", "2 unlock 0x7f00: at 700 ns, took 0 ns")
    );
    let json = scene.pathprof(&["trace", "cat", "t", "--format", "json", "--thread", "2"]);
    let first: Value = serde_json::from_str(json.out.lines().next().expect("one")).expect("JSON");
    let event = json!({
        "stream": 2, "thread": 102, "interrupts": null, "event": "synchronised",
        "operation": "lock", "object": 0x7f00, "other": 0, "result": 0, "before": null,
        "after": 3, "begin": 150, "end": 400,
    });
    assert_eq!(first, event);
}

/// The traces of `walk` in a directory, the newest first.
fn several(scene: &Scene) {
    let written = |name: &str, age: u64| {
        scene.write(name, &full(scene).bytes);
        let file = fs::File::options().append(true).open(scene.path(name)).expect("writable");
        let now = std::time::SystemTime::now();
        file.set_modified(now - std::time::Duration::from_secs(age)).expect("a time");
    };
    written("walk.7.pathtrace", 30);
    written("walk.5.pathtrace", 20);
    written("walk.more.6.pathtrace", 10);
    // These are none, though they are newer.
    scene.write("walk.8.pathtrace", b"text");
    scene.write("walk.9.other", &full(scene).bytes);
}

#[test]
fn the_newest_trace_is_read_unless_one_is_named() {
    let scene = scene();
    several(&scene);
    let read = |arguments: &[&str]| {
        let outcome = scene.pathprof(&[&["trace", "info"], arguments].concat());
        assert_eq!(outcome.code, 0, "{}", outcome.err);
        let trace = outcome.out.lines().next().expect("a line").to_owned();
        let named =
            trace.split([' ', ',']).find(|word| word.ends_with("trace") && *word != "trace");
        let named = named.expect("a name").to_owned();
        (named, outcome.err.trim_end().to_owned())
    };
    let expected = |name: &str, notice: String| (name.to_owned(), notice);
    let newest = "walk.more.6.pathtrace";
    let notice = format!("reading {newest}, the newest of 3 traces here");
    assert_eq!(read(&[]), expected(newest, notice.clone()));
    assert_eq!(read(&["."]), expected(newest, notice));
    let notice = "reading walk.5.pathtrace, the newest of 2 traces here".to_owned();
    assert_eq!(read(&["walk"]), expected("walk.5.pathtrace", notice));
    assert_eq!(read(&["walk.7.pathtrace"]), expected("walk.7.pathtrace", String::new()));
    let cut = scene.pathprof(&["trace", "cut", "-o", "part"]);
    assert_eq!((cut.code, cut.err.contains(newest)), (0, true), "{}", cut.err);
}

#[test]
fn where_there_is_no_trace_it_is_said() {
    let scene = scene();
    let empty = "no trace (*.pathtrace) in the current directory: name a trace or the program that \
                 left it, or run that with `pathprof trace run -- PROGRAM`";
    scene.refuses(&["trace", "info"], empty);
    fs::create_dir(scene.path("empty")).expect("writable");
    scene.refuses(
        &["trace", "graph", "empty"],
        "empty: this directory holds no trace (*.pathtrace)",
    );
    let none = "walk: this program has left no trace; run it first, or name the trace if \
                PATHCC_PROFILE said where it goes";
    scene.refuses(&["trace", "races", "walk"], none);
    let counted = fs::read("/proc/self/exe").expect("an image");
    scene.write("plain", &counted);
    let plain = "plain: this program is not traced; compile it with -fpath-mode=trace";
    scene.refuses(&["trace", "cat", "plain"], plain);
}
