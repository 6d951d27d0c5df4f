//! Files that are not what they seem: what a few bytes claim, and where they lead.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;

use pathformat::manifest::{
    Block, Call, DagEdge, DagEdgeKind, Exit, Function, INDIRECT, Location, Manifest,
};
use pathformat::profile::{Head, Module, Part, RunId};
use pathformat::raw::{ArrayPlace, write_header};
use pathformat::settings::Threads;
use pathformat::wire::Sink;
use pathformat::{names, record};

use crate::scene::{IDENTITY, Scene};

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
    let place = ArrayPlace { id: IDENTITY, offset: 0, counters: 1, threads: Threads::Exact };
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
    let place =
        ArrayPlace { id: IDENTITY, offset: 0, counters: region / 8, threads: Threads::Exact };
    let mut bytes = Vec::new();
    let size = write_header(&mut bytes, &head, region, None, std::iter::repeat_n(place, 6_000));
    bytes.resize((size + region) as usize, 1);
    scene.write("x.pathprof", &bytes);
    scene
        .refused("the header of this raw file is damaged or truncated: two counter arrays overlap");
    // As many arrays, each with a counter that an unknown thread stepped.
    let mut bytes = Vec::new();
    let places = (0..400_000).map(|at| ArrayPlace { offset: at * 8, counters: 1, ..place });
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
