//! What small files can do to whoever reads them: little. Every input here was made to take
//! gigabytes, minutes or forever; each must be refused with one message, or read, by a process that
//! may use 500 MB of memory in all.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use object::write::Object;
use object::{Architecture, BinaryFormat, Endianness, SectionKind};
use pathformat::manifest::{
    Block, Call, CutReason, DagEdge, DagEdgeKind, Edge, Exit, Function, INDIRECT, Location,
    Manifest, Outcome,
};
use pathformat::profile::{Head, Module, Part, Profile, RunId};
use pathformat::raw::{Place, write_header};
use pathformat::settings::Threads;
use pathformat::wire::Sink;
use pathformat::{ModuleId, names, record};
use tempfile::TempDir;

/// What a reader may use, in KiB.
const MEMORY: &str = "500000";

/// Long after anything should be done, in seconds: a test that takes so long hangs.
const LONG: &str = "900";

/// No input here is larger.
const LARGEST: u64 = 10_000_000;

const IDENTITY: ModuleId = ModuleId([0x11; 16]);

struct Scene(TempDir);

impl Scene {
    fn new() -> Self {
        Self(TempDir::new().expect("a temporary directory"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, content: &[u8]) -> PathBuf {
        assert!((content.len() as u64) < LARGEST, "{name} has {} bytes", content.len());
        fs::write(self.path(name), content).expect("writable");
        self.path(name)
    }

    fn pipe(&self, name: &str) {
        use rustix::fs::{CWD, Mode, mkfifoat};
        mkfifoat(CWD, self.path(name), Mode::RUSR | Mode::WUSR).expect("writable");
    }

    /// An image with sections as (name, content).
    fn image(&self, name: &str, sections: &[(&str, &[u8])]) -> PathBuf {
        let mut object = Object::new(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little);
        for (name, content) in sections {
            let id = object.add_section(Vec::new(), (*name).into(), SectionKind::Other);
            object.append_section_data(id, content, 8);
        }
        self.write(name, &object.write().expect("a sound object"))
    }

    /// An image of one unit, as (payload, its length as the head states it, counters).
    fn unit(&self, payload: &[u8], length: usize, counters: u64) {
        let stored = zstd::encode_all(payload, 3).expect("memory does not fail");
        let record = record::write(IDENTITY, Threads::Exact.code(), [counters, 0], length, &stored);
        self.image("image", &[(names::MANIFEST_SECTION, &record)]);
    }

    /// An image of one unit, and a profile in which these counters are not zero.
    fn program(&self, manifest: &Manifest, counters: u64, counts: Vec<(u64, u64)>) {
        let payload = manifest.encode();
        self.unit(&payload, payload.len(), counters);
        self.profile(vec![Part {
            modules: vec![Module { id: IDENTITY, counters, counts }],
            ..Part::of(&Head::default())
        }]);
    }

    fn profile(&self, parts: Vec<Part>) {
        let image = self.path("image");
        let head =
            Head { run: RunId([1; 16]), image: image.as_os_str().as_bytes(), ..Head::default() };
        self.write("x.pathprof", &Profile { head, parts }.encode());
    }

    fn one_count(&self) {
        let modules = vec![Module { id: IDENTITY, counters: 1, counts: vec![(0, 1)] }];
        self.profile(vec![Part { modules, ..Part::of(&Head::default()) }]);
    }

    /// Runs pathprof within its bounds: its exit code, and what it said.
    fn pathprof(&self, arguments: &[&str]) -> (i32, String) {
        let limited = "ulimit -v \"$0\" && exec \"$@\"";
        let output = Command::new("timeout")
            .args(["-s", "KILL", LONG, "sh", "-c", limited, MEMORY, env!("CARGO_BIN_EXE_pathprof")])
            .args(arguments)
            .current_dir(self.0.path())
            // What threads reserve is not what they use.
            .envs([("RAYON_NUM_THREADS", "2"), ("MALLOC_ARENA_MAX", "1")])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .output()
            .expect("it can be run");
        let said = String::from_utf8(output.stderr).expect("text");
        (
            output
                .status
                .code()
                .unwrap_or_else(|| panic!("{arguments:?}: {:?}: {said}", output.status)),
            said,
        )
    }

    /// All that reads profiles and images.
    fn each(&self, mut check: impl FnMut(&[&str], (i32, String))) {
        for arguments in [
            &["report", "x.pathprof"][..],
            &["report", "--calls", "x.pathprof"],
            &["export", "--format", "json", "x.pathprof"],
            &["export", "--format", "lcov", "x.pathprof"],
            &["coverage", "--missing", "x.pathprof"],
            &["merge", "--replace", "-o", "merged.pathprof", "x.pathprof"],
        ] {
            check(arguments, self.pathprof(arguments));
        }
    }

    /// Every reader refuses the profile or its image, with one message that holds `text`.
    fn refused(&self, text: &str) {
        self.each(|arguments, (code, said)| {
            // Merging looks at no image.
            let is_merge = arguments[0] == "merge" && said.is_empty();
            assert!(
                code == 1 && said.contains(text) && said.lines().count() == 1 || is_merge,
                "{arguments:?}: {code} {said}"
            );
        });
    }

    /// Every reader comes to an end, with at most one message.
    fn harmless(&self) {
        self.each(|arguments, (code, said)| {
            assert!(code <= 1 && said.lines().count() <= 1, "{arguments:?}: {code} {said}");
        });
    }
}

#[test]
fn only_regular_files_are_read() {
    let scene = Scene::new();
    scene.pipe("pipe");
    scene.one_count();
    for (profile, what) in
        [("pipe", "a pipe"), ("/dev/zero", "a device"), ("/dev/full", "a device")]
    {
        let (code, said) = scene.pathprof(&["report", profile]);
        let expected = format!(
            "error: {profile}: cannot read this profile: it is {what}, not a regular file\n"
        );
        assert_eq!((code, said), (1, expected));
        let (code, said) = scene.pathprof(&["report", "x.pathprof", "--image", profile]);
        let expected = format!(
            "error: x.pathprof: {profile}: cannot read this image: it is {what}, not a \
                     regular file\n"
        );
        assert_eq!((code, said), (1, expected));
    }
    // Where the profile itself says that the image is.
    scene.pipe("image");
    scene.refused("it is a pipe, not a regular file");
    // Beside a raw file, where its finished profile would be.
    let mut raw = Vec::new();
    let place = Place { id: IDENTITY, offset: 0, counters: 1, threads: Threads::Exact };
    let image = scene.path("image");
    let head = Head { run: RunId([1; 16]), image: image.as_os_str().as_bytes(), ..Head::default() };
    let size = write_header(&mut raw, &head, 4096, None, [place].into_iter());
    raw.resize(size as usize + 4096, 1);
    scene.write(".y.pathprof.7.raw", &raw);
    scene.pipe("y.pathprof");
    let (code, said) = scene.pathprof(&["report", "y.pathprof"]);
    assert!(code == 1 && said.contains("it is a pipe"), "{said}");
    // A directory of profiles that has one of them.
    fs::create_dir(scene.path("all")).expect("writable");
    fs::rename(scene.path("pipe"), scene.path("all/p.pathprof")).expect("writable");
    assert_eq!(scene.pathprof(&["report", "all"]).0, 1);
}

#[test]
fn arrays_of_a_raw_file_that_overlap() {
    let scene = Scene::new();
    scene.image("image", &[]);
    let image = scene.path("image");
    let head = Head { run: RunId([1; 16]), image: image.as_os_str().as_bytes(), ..Head::default() };
    // 6,000 arrays of the same 12,000 counters.
    let region = 24 * 4096;
    let place = Place { id: IDENTITY, offset: 0, counters: region / 8, threads: Threads::Exact };
    let mut bytes = Vec::new();
    let size = write_header(&mut bytes, &head, region, None, std::iter::repeat_n(place, 6_000));
    bytes.resize((size + region) as usize, 1);
    scene.write("x.pathprof", &bytes);
    scene
        .refused("the header of this raw file is damaged or truncated: two counter arrays overlap");
    // As many arrays, each with a counter that an unknown thread stepped.
    let mut bytes = Vec::new();
    let places = (0..400_000).map(|at| Place { offset: at * 8, counters: 1, ..place });
    let size = write_header(&mut bytes, &head, 800 * 4096, None, places);
    bytes.resize((size + 100 * 4096) as usize, 1);
    scene.write("x.pathprof", &bytes);
    scene.refused("image has no section .pathcc.manifest");
}

#[test]
fn a_header_that_claims_to_be_long() {
    let scene = Scene::new();
    let mut bytes = Vec::new();
    write_header(&mut bytes, &Head::default(), 4096, None, std::iter::empty());
    bytes[16..24].copy_from_slice(&(1u64 << 40).to_le_bytes());
    let path = scene.write("x.pathprof", &bytes);
    // A file that is mostly a hole.
    fs::File::options()
        .write(true)
        .open(path)
        .and_then(|file| file.set_len(1 << 41))
        .expect("holes cost nothing");
    scene.refused("the header of this raw file is damaged or truncated");
}

#[test]
fn a_string_that_is_used_many_times() {
    let scene = Scene::new();
    scene.one_count();
    // The string is put in afterwards: this test shall not need the memory.
    let with_long = |manifest: &Manifest, length: usize| {
        let payload = manifest.encode();
        let at = payload.windows(5).position(|bytes| bytes == b"\x04LONG").expect("it is there");
        let mut text = Vec::new();
        text.put_bytes(&vec![b'x'; length]);
        [&payload[..at], &text, &payload[at + 5..]].concat()
    };
    let function =
        Function { name: "LONG".into(), skipped: Some("no reason".into()), ..Function::default() };
    let names = Manifest { functions: vec![function; 1_500], ..Manifest::default() };
    let location = Location { file: "LONG".into(), ..Location::default() };
    let function = Function { locations: vec![location; 100_000], ..Function::default() };
    let files = Manifest { functions: vec![function], ..Manifest::default() };
    for payload in [with_long(&names, 4_000_000), with_long(&files, 60_000)] {
        scene.unit(&payload, payload.len(), 1);
        scene.refused("it takes far more memory than what a compiler writes");
    }
}

#[test]
fn blocks_that_take_a_byte_each() {
    let scene = Scene::new();
    let function = Function { blocks: vec![Block::default(); 2_500_000], ..Function::default() };
    scene.program(&Manifest { functions: vec![function], ..Manifest::default() }, 1, vec![(0, 1)]);
    scene.refused("it takes far more memory than what a compiler writes");
}

#[test]
fn a_payload_that_is_larger_than_it_looks() {
    let scene = Scene::new();
    scene.one_count();
    let zeros = vec![0; 1 << 28];
    let stored = zstd::encode_all(zeros.as_slice(), 1).expect("memory does not fail");
    // Frames follow each other.
    let stored = stored.repeat(16);
    for (length, text) in [
        (1usize << 32, "it takes far more memory than what a compiler writes"),
        (usize::MAX, "it takes far more memory than what a compiler writes"),
        (1000, "its payload has not the 1000 bytes that its head promises"),
    ] {
        let record = record::write(IDENTITY, Threads::Exact.code(), [1, 0], length, &stored);
        scene.image("image", &[(names::MANIFEST_SECTION, &record)]);
        scene.refused(text);
    }
    // One frame that wants to look back over two gigabytes: magic, no content size, window of 2^31,
    // one raw block.
    let frame = [&[0x28, 0xb5, 0x2f, 0xfd, 0, 21 << 3][..], &[1 | 4 << 3, 0, 0], b"text"].concat();
    let record = record::write(IDENTITY, Threads::Exact.code(), [1, 0], 4, &frame);
    scene.image("image", &[(names::MANIFEST_SECTION, &record)]);
    scene.refused("its payload cannot be decompressed");
}

#[test]
fn a_section_that_claims_gigabytes() {
    let scene = Scene::new();
    scene.one_count();
    let content = [b"PATHMANI".as_slice(), &[0; 1000]].concat();
    let path = scene.image("image", &[(names::MANIFEST_SECTION, &content)]);
    let bytes = fs::read(&path).expect("it was written");
    let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
    let sections = (word(0x28) as usize..bytes.len() - 63).step_by(64);
    let header = sections
        .into_iter()
        .find(|&at| word(at + 32) == content.len() as u64)
        .expect("it is there");
    let file = fs::File::options().write(true).open(&path).expect("writable");
    file.write_all_at(&6_000_000_000u64.to_le_bytes(), header as u64 + 32).expect("writable");
    scene.refused("it reaches beyond the end of the file");
    // And the file is as long as it says, with nothing in it.
    file.set_len(7_000_000_000).expect("holes cost nothing");
    scene.refused("section .pathcc.manifest is damaged");
}

#[test]
fn many_notes_of_the_same_bytes() {
    let scene = Scene::new();
    scene.one_count();
    let note = [1u32, 0, 7, 0].map(u32::to_le_bytes).concat().repeat(100_000);
    let path = scene.image("image", &[("notes", &note), (names::MANIFEST_SECTION, b"")]);
    let mut bytes = fs::read(&path).expect("it was written");
    let word = |bytes: &[u8], at: usize| {
        u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
    };
    let table = word(&bytes, 0x28) as usize;
    let count = (bytes.len() - table) / 64;
    let notes =
        (0..count).map(|at| table + at * 64).find(|&at| word(&bytes, at + 32) == note.len() as u64);
    let mut header = bytes[notes.expect("it is there")..][..64].to_vec();
    header[4..8].copy_from_slice(&7u32.to_le_bytes());
    // The table moves to the end, with 60,000 sections that are all notes at this place.
    let moved = bytes[table..].to_vec();
    let start = bytes.len() as u64;
    bytes.extend(moved);
    bytes.extend(header.repeat(60_000));
    bytes[0x28..0x30].copy_from_slice(&start.to_le_bytes());
    bytes[0x3c..0x3e].copy_from_slice(&(count as u16 + 60_000).to_le_bytes());
    scene.write("image", &bytes);
    scene.harmless();
}

#[test]
fn as_many_maps_as_modules() {
    let scene = Scene::new();
    let function = Function { num_paths: 1, ..Function::default() };
    let manifest = Manifest { functions: vec![function], ..Manifest::default() };
    scene.program(&manifest, 1, vec![(0, 1)]);
    let part = |at: u32| {
        let mut run = [7; 16];
        run[..4].copy_from_slice(&at.to_le_bytes());
        let modules = vec![Module { id: IDENTITY, counters: 1, counts: vec![(0, 1)] }];
        Part { runs: vec![RunId(run)], map: Some(Vec::new()), modules, ..Part::default() }
    };
    scene.profile((0..200_000).map(part).collect());
    scene.harmless();
}

#[test]
fn code_that_was_inlined_again_and_again() {
    let scene = Scene::new();
    let location = |at: u32| Location {
        file: "a.c".into(),
        line: at + 1,
        inlined_at: at.checked_sub(1),
        ..Location::default()
    };
    let block =
        Block { locations: (0..300_000).collect(), exit: Some(Exit::Return), ..Block::default() };
    let function = Function {
        name: "f".into(),
        file: "a.c".into(),
        num_paths: 1,
        locations: (0..300_000).map(location).collect(),
        blocks: vec![block],
        dag: vec![DagEdge { kind: DagEdgeKind::Leave { block: 0 }, value: 0 }],
        ..Function::default()
    };
    scene.program(&Manifest { functions: vec![function], ..Manifest::default() }, 1, vec![(0, 1)]);
    scene.harmless();
}

/// `count` diamonds in a row: 2^count paths.
fn diamonds(count: u32) -> Function {
    let tops = (0..count).map(|at| 3 * at);
    let ways = tops
        .flat_map(|top| [(top, top + 1), (top, top + 2), (top + 1, top + 3), (top + 2, top + 3)]);
    let edges: Vec<_> =
        ways.map(|(from, to)| Edge { from, to, outcome: Outcome::Jump, cut: None }).collect();
    let value = |edge: u32| if edge % 4 == 1 { 1 << (count - 1 - edge / 4) } else { 0 };
    let flow = |edge: u32| DagEdge { kind: DagEdgeKind::Flow { edge }, value: value(edge) };
    let leave = DagEdge { kind: DagEdgeKind::Leave { block: 3 * count }, value: 0 };
    let mut blocks = vec![Block::default(); 3 * count as usize + 1];
    blocks[3 * count as usize].exit = Some(Exit::Return);
    Function {
        name: "f".into(),
        file: "a.c".into(),
        line: 1,
        num_paths: 1 << count,
        dag: (0..4 * count).map(flow).chain([leave]).collect(),
        locations: vec![Location { file: "a.c".into(), line: 1, ..Location::default() }],
        blocks,
        edges,
        ..Function::default()
    }
}

#[test]
fn more_paths_than_can_be_listed() {
    let scene = Scene::new();
    let mut function = diamonds(62);
    function.blocks[0].locations = vec![0];
    scene.program(
        &Manifest { functions: vec![function], ..Manifest::default() },
        1 << 62,
        vec![(0, 1)],
    );
    let (code, said) = scene.pathprof(&[
        "coverage",
        "--missing",
        "--most-paths",
        "18446744073709551615",
        "x.pathprof",
    ]);
    assert_eq!((code, said.as_str()), (0, ""));
    scene.harmless();
}

#[test]
fn addresses_on_a_long_map() {
    let scene = Scene::new();
    let calls = vec![Call { callee: INDIRECT.into(), location: None }];
    let function = Function {
        num_paths: 1,
        callees: 1 << 18,
        blocks: vec![Block { calls, exit: Some(Exit::Return), ..Block::default() }],
        dag: vec![DagEdge { kind: DagEdgeKind::Leave { block: 0 }, value: 0 }],
        ..Function::default()
    };
    let counters = function.counters();
    let manifest = Manifest { functions: vec![function], ..Manifest::default() };
    let payload = manifest.encode();
    let stored = zstd::encode_all(payload.as_slice(), 3).expect("memory does not fail");
    let record =
        record::write(IDENTITY, Threads::Exact.code(), [counters, 1 << 18], payload.len(), &stored);
    scene.image("image", &[(names::MANIFEST_SECTION, &record)]);
    let line = |at: u64| format!("{:x}-{:x} r-xp 0 0:0 1 /none/{at}\n", at * 8, at * 8 + 8);
    let map = (1..100_000).map(line).collect::<String>().into_bytes();
    let keys = Module {
        id: IDENTITY.keys(),
        counters: 1 << 18,
        counts: (0..1 << 18).map(|at| (at, 700_000 + at % 9)).collect(),
    };
    let counts =
        Module { id: IDENTITY, counters, counts: (0..counters).map(|at| (at, 1)).collect() };
    scene.profile(vec![Part {
        map: Some(map),
        modules: vec![keys, counts],
        ..Part::of(&Head::default())
    }]);
    scene.harmless();
}

/// `count` blocks on many lines, with all edges between them.
fn tangle(count: u32, lines: u32) -> Function {
    let location = |line| Location { file: "a.c".into(), line, ..Location::default() };
    let block = Block { locations: (0..lines).collect(), ..Block::default() };
    let mut blocks = vec![block; count as usize];
    blocks[count as usize - 1].exit = Some(Exit::Return);
    let pairs = (0..count).flat_map(|from| (0..count).map(move |to| (from, to)));
    let edges: Vec<_> = pairs
        .map(|(from, to)| Edge { from, to, outcome: Outcome::Jump, cut: Some((0, 1)) })
        .collect();
    Function {
        name: "f".into(),
        file: "a.c".into(),
        line: 1,
        locations: (1..=lines).map(location).collect(),
        blocks,
        edges,
        ..Function::default()
    }
}

#[test]
fn lines_with_many_loops() {
    let scene = Scene::new();
    // All edges are counted, so all counts are known.
    let mut function = tangle(64, 2_000);
    function.edges.iter_mut().for_each(|edge| edge.cut = None);
    function.counted_arcs = (0..function.edges.len() as u32).collect();
    let counters = function.counters();
    let counts = (0..counters).map(|at| (at, 1 + at % 7)).collect();
    scene.program(&Manifest { functions: vec![function], ..Manifest::default() }, counters, counts);
    scene.harmless();
}

#[test]
fn edges_that_are_all_cut() {
    let scene = Scene::new();
    let why = CutReason::Opaque;
    let edge = |at| Edge { from: 0, to: 1, outcome: Outcome::Jump, cut: Some((at, at)) };
    let function = Function {
        name: "f".into(),
        num_paths: 1,
        blocks: vec![Block::default(); 2],
        edges: (0..150_000).map(edge).collect(),
        dag: vec![DagEdge { kind: DagEdgeKind::End { block: 0, why }, value: 0 }; 150_000],
        ..Function::default()
    };
    scene.program(&Manifest { functions: vec![function], ..Manifest::default() }, 1, vec![(0, 1)]);
    let (code, said) = scene.pathprof(&["coverage", "--functions", "x.pathprof"]);
    assert!(code <= 1 && said.lines().count() <= 1, "{said}");
    scene.harmless();
}

#[test]
fn paths_that_are_many_and_long() {
    let scene = Scene::new();
    // A switch of many ways into a long chain.
    let (ways, chain) = (20_000u32, 40_000u32);
    let edge = |from, to| Edge { from, to, outcome: Outcome::Jump, cut: None };
    let fan = (1..=ways).flat_map(|way| [edge(0, way), edge(way, ways + 1)]);
    let edges: Vec<_> = fan.chain((ways + 1..ways + chain).map(|at| edge(at, at + 1))).collect();
    let value =
        |edge: u32| if edge < 2 * ways && edge.is_multiple_of(2) { u64::from(edge / 2) } else { 0 };
    let flow = |edge: u32| DagEdge { kind: DagEdgeKind::Flow { edge }, value: value(edge) };
    let last = ways + chain;
    let leave = DagEdge { kind: DagEdgeKind::Leave { block: last }, value: 0 };
    let mut blocks = vec![Block::default(); last as usize + 1];
    blocks[last as usize].exit = Some(Exit::Return);
    let function = Function {
        name: "f".into(),
        num_paths: ways.into(),
        dag: (0..edges.len() as u32).map(flow).chain([leave]).collect(),
        blocks,
        edges,
        ..Function::default()
    };
    let counts = (0..ways.into()).map(|id| (id, 1)).collect();
    scene.program(
        &Manifest { functions: vec![function], ..Manifest::default() },
        ways.into(),
        counts,
    );
    scene.each(|arguments, (code, said)| {
        let text = "it takes far more memory than what a compiler writes";
        assert!(
            code == 1 && said.contains(text) || arguments[0] == "merge",
            "{arguments:?}: {code} {said}"
        );
        assert!(said.lines().count() <= 1, "{said}");
    });
}
