//! Merged profiles: the parts that are summed, and those that are kept apart.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU8, Ordering};

use pathformat::ModuleId;
use pathformat::profile::{
    Ancestor, FORKED, GONE, Head, INCOMPLETE, MERGED, Module, PARTIAL, Part, Profile, RunId,
    UNREGISTERED_THREADS,
};
use profile::combine::merge::{self, MergeOptions};
use profile::record_content::RecordContent;
use profile::records;
use profile::records::Input;
use profile::unique_runs::Options;
use tempfile::TempDir;

/// How records are merged that get this label.
fn labelled(label: &str) -> MergeOptions {
    MergeOptions { label: label.into(), ..MergeOptions::default() }
}

fn module(id: u8, counts: &[(u64, u64)]) -> Module {
    Module { id: ModuleId([id; 16]), counters: 9, counts: counts.to_vec() }
}

/// Returns the head of a new run.
fn head() -> Head<'static> {
    static RUNS: AtomicU8 = AtomicU8::new(1);
    const ANCESTORS: [Ancestor; 1] = [Ancestor::new(6, 4)];
    Head {
        run: RunId([RUNS.fetch_add(1, Ordering::Relaxed); 16]),
        pid: 7,
        start: 100,
        stop: 200,
        process_start: 5,
        ancestors: &ANCESTORS,
        build_id: b"id",
        image: b"/bin/x",
        command_line: b"x\0-a b\0",
        directory: b"/tmp",
        host: b"box",
        ..Head::default()
    }
}

fn profile_of(head: Head<'static>, modules: Vec<Module>) -> Profile<'static> {
    Profile { head, parts: vec![Part { modules, ..Part::of(&head) }] }
}

/// Writes the profiles; returns their names.
fn written(folder: &TempDir, profiles: &[Profile<'_>]) -> Vec<Input> {
    let write = |(number, profile): (usize, &Profile<'_>)| {
        let path = folder.path().join(format!("{number}.pathprof"));
        fs::write(&path, profile.encode()).expect("writable");
        Input::from(path)
    };
    profiles.iter().enumerate().map(write).collect()
}

/// Merges the profiles into one file, and reads it.
fn merged(profiles: &[Profile<'_>]) -> RecordContent {
    let folder = TempDir::new().expect("a folder");
    let (images, notices) =
        merge::read(&written(&folder, profiles), &Options::default(), MergeOptions::default(), &());
    assert!(notices.problems.is_empty() && notices.warnings.is_empty(), "{notices:?}");
    let target = folder.path().join("new/merged.pathprof");
    merge::write(&images, &target, false).expect("written");
    read(&target)
}

/// Reads a file with one record.
fn read(path: &Path) -> RecordContent {
    let found = records::of(path).expect("sound").records;
    assert_eq!(found.len(), 1);
    found[0].read().expect("sound")
}

fn flags(of: &RecordContent) -> u32 {
    let run = &of.run;
    let flags = [
        (run.incomplete, INCOMPLETE),
        (run.unregistered_threads, UNREGISTERED_THREADS),
        (run.forked, FORKED),
        (run.partial, PARTIAL),
    ];
    flags.iter().map(|&(is_set, flag)| if is_set { flag } else { 0 }).sum()
}

#[test]
fn a_merged_file_has_the_flags_of_all_its_parts() {
    let all = [
        0,
        INCOMPLETE,
        UNREGISTERED_THREADS,
        FORKED,
        INCOMPLETE | PARTIAL,
        FORKED | UNREGISTERED_THREADS,
    ];
    for one in all {
        for other in all {
            let part = |flags| profile_of(Head { flags, ..head() }, vec![module(1, &[(0, 1)])]);
            assert_eq!(
                flags(&merged(&[part(one), part(other), part(0)])),
                one | other,
                "{one} {other}"
            );
        }
    }
}

#[test]
fn the_head_of_a_merged_record_has_the_flags_of_all_its_parts() {
    let head_flags = |all: &[u32]| {
        let folder = TempDir::new().expect("a folder");
        let part = |&flags: &u32| profile_of(Head { flags, ..head() }, vec![module(1, &[(0, 1)])]);
        let inputs = written(&folder, &all.iter().map(part).collect::<Vec<_>>());
        let (images, _) = merge::read(&inputs, &Options::default(), MergeOptions::default(), &());
        let record = images.records().next().expect("one image");
        Head::decode(&record).expect("sound").flags
    };
    assert_eq!(head_flags(&[FORKED, PARTIAL]), FORKED | PARTIAL | MERGED);
    // Both are kept apart.
    assert_eq!(head_flags(&[INCOMPLETE, INCOMPLETE]), INCOMPLETE | MERGED);
    assert_eq!(head_flags(&[FORKED]), FORKED);
    assert_eq!(head_flags(&[0]), 0);
}

#[test]
fn the_time_is_that_of_all_and_the_process_that_of_one() {
    let part = |start, stop, pid| {
        profile_of(Head { start, stop, pid, ..head() }, vec![module(1, &[(0, pid.into())])])
    };
    let file = merged(&[part(100, 200, 7), part(50, 150, 8), part(80, 400, 9)]);
    assert_eq!((file.run.start, file.run.stop, file.run.pid, file.run.parent()), (50, 400, 8, 6));
    assert_eq!(
        (file.run.command_line, file.run.directory, file.run.host),
        (vec!["x".into(), "-a b".into()], "/tmp".into(), "box".into())
    );
    assert_eq!((file.build_id.as_slice(), file.image), (&b"id"[..], "/bin/x".into()));
    // The sum of several processes has no identity of a process.
    assert_eq!(file.run.process_start, 0);
    assert_eq!(merged(&[part(100, 200, 7)]).run.process_start, 5);
}

#[test]
fn what_runs_counted_is_summed() {
    let (one, other) = (
        vec![module(1, &[(0, 1), (2, 7)]), module(2, &[])],
        vec![module(2, &[(3, 4)]), module(1, &[(0, 5)])],
    );
    let profiles = [profile_of(head(), one), profile_of(head(), other)];
    let file = merged(&profiles);
    let [part] = &file.parts[..] else { panic!("one part: {file:?}") };
    let mut runs = profiles.iter().map(|profile| profile.head.run).collect::<Vec<_>>();
    runs.sort();
    assert_eq!(
        (&part.runs, &part.modules),
        (&runs, &vec![module(1, &[(0, 6), (2, 7)]), module(2, &[(3, 4)])])
    );
}

#[test]
fn what_cannot_be_summed_stands_by_itself() {
    let sizes = |profiles: &[Profile<'_>]| {
        let mut sizes: Vec<_> = merged(profiles).parts.iter().map(|part| part.runs.len()).collect();
        sizes.sort_unstable();
        sizes
    };
    let of = |flags| profile_of(Head { flags, ..head() }, vec![module(1, &[(0, 1)])]);
    assert_eq!(sizes(&[of(0), of(0), of(FORKED), of(FORKED), of(FORKED)]), [2, 3]);
    // A process that is still counting is incomplete; one that is gone is final.
    assert_eq!(sizes(&[of(INCOMPLETE), of(INCOMPLETE)]), [1, 1]);
    assert_eq!(sizes(&[of(INCOMPLETE | GONE), of(INCOMPLETE | GONE)]), [2]);
    // Keys are addresses of one process.
    let keys = ModuleId([1; 16]).keys();
    let tables = || {
        profile_of(head(), vec![Module { id: keys, ..module(1, &[(0, 1)]) }, module(1, &[(0, 1)])])
    };
    assert_eq!(sizes(&[tables(), tables(), of(0), of(0)]), [1, 1, 2]);
}

#[test]
fn the_order_of_runs_does_not_matter() {
    let profiles = [
        profile_of(Head { start: 3, ..head() }, vec![module(1, &[(0, 1), (5, u64::MAX)])]),
        profile_of(
            Head { start: 1, flags: FORKED, pid: 9, ..head() },
            vec![module(2, &[(1, 1)]), module(1, &[(0, 1)])],
        ),
        profile_of(
            Head { start: 1, pid: 8, stop: 999, ..head() },
            vec![module(1, &[(5, 2), (8, 8)])],
        ),
        profile_of(Head { start: 7, flags: INCOMPLETE, ..head() }, vec![module(1, &[(0, 1)])]),
    ];
    let bytes = |order: &[usize], groups: &[usize]| {
        // The profiles are merged in groups first, then all together.
        let folder = TempDir::new().expect("a folder");
        let ordered: Vec<_> = order.iter().map(|&at| profiles[at].clone()).collect();
        let mut rest = &ordered[..];
        let mut targets = Vec::new();
        for (number, &size) in groups.iter().enumerate() {
            let (group, others) = rest.split_at(size);
            rest = others;
            let own = folder.path().join(format!("{number}"));
            fs::create_dir(&own).expect("writable");
            let inputs: Vec<Input> = group
                .iter()
                .enumerate()
                .map(|(at, profile)| {
                    let path = own.join(format!("{at}.pathprof"));
                    fs::write(&path, profile.encode()).expect("writable");
                    path.into()
                })
                .collect();
            let (images, _) =
                merge::read(&inputs, &Options::default(), MergeOptions::default(), &());
            let target = own.join("merged.pathprof");
            merge::write(&images, &target, false).expect("written");
            targets.push(Input::from(target));
        }
        let (images, notices) =
            merge::read(&targets, &Options::default(), MergeOptions::default(), &());
        assert!(notices.problems.is_empty() && notices.warnings.is_empty(), "{notices:?}");
        images.records().next().expect("one image")
    };
    let expected = bytes(&[0, 1, 2, 3], &[4]);
    for order in [[1, 2, 3, 0], [3, 2, 1, 0], [2, 0, 3, 1]] {
        for groups in [&[4][..], &[1, 3], &[2, 2], &[1, 1, 1, 1], &[3, 1]] {
            assert_eq!(bytes(&order, groups), expected, "{order:?} {groups:?}");
        }
    }
}

#[test]
fn labels_keep_runs_apart() {
    let folder = TempDir::new().expect("a folder");
    let profiles = [1, 2].map(|count| profile_of(head(), vec![module(1, &[(0, count)])]));
    let inputs = written(&folder, &profiles);
    for (input, label) in inputs.iter().zip(["one", "other"]) {
        let (images, _) =
            merge::read(std::slice::from_ref(input), &Options::default(), labelled(label), &());
        merge::write(&images, &folder.path().join(label), false).expect("written");
    }
    let both = ["one", "other"].map(|label| Input::from(folder.path().join(label)));
    let counts = |label: Option<&str>| {
        let options = Options { label: label.map(str::to_owned), ..Options::default() };
        let (images, _) = merge::read(&both, &options, labelled("late"), &());
        let bytes = images.records().next().unwrap_or_default();
        let parts = Profile::decode(&bytes).map(|profile| profile.parts).unwrap_or_default();
        parts
            .iter()
            .map(|part| (part.label.clone(), part.modules[0].counts[0].1))
            .collect::<Vec<_>>()
    };
    assert_eq!(counts(None), [(b"one".to_vec(), 1), (b"other".to_vec(), 2)]);
    assert_eq!(counts(Some("other")), [(b"other".to_vec(), 2)]);
    assert_eq!(counts(Some("none")), []);
}

#[test]
fn the_map_is_that_of_the_keys() {
    let part = |modules: Vec<Module>, map: Option<&str>| {
        let head = head();
        let map = map.map(|map| map.as_bytes().to_vec());
        Profile { head, parts: vec![Part { modules, map, ..Part::of(&head) }] }
    };
    let keyed = || {
        vec![Module { id: ModuleId([1; 16]).keys(), ..module(1, &[(0, 9)]) }, module(1, &[(0, 1)])]
    };
    let plain = || vec![module(1, &[(0, 1)])];
    let maps = |parts: &[Profile<'_>]| {
        let maps = merged(parts).parts.into_iter().map(|part| part.map);
        maps.map(|map| map.map(|map| String::from_utf8(map).expect("ASCII"))).collect::<Vec<_>>()
    };
    let own = |map: &str| Some(map.to_string());
    assert_eq!(maps(&[part(keyed(), Some("a")), part(keyed(), Some("b"))]), [own("a"), own("b")]);
    // The map of a process whose tables counted nothing is not needed.
    assert_eq!(maps(&[part(plain(), Some("a")), part(keyed(), Some("b"))]), [None, own("b")]);
}

#[test]
fn profiles_of_several_images_need_a_folder() {
    let folder = TempDir::new().expect("a folder");
    let of = |image: &'static [u8], count| {
        profile_of(Head { image, build_id: image, ..head() }, vec![module(1, &[(0, count)])])
    };
    let paths = written(&folder, &[of(b"/a/x", 1), of(b"/b/x", 2), of(b"/b/y", 3)]);
    let (images, _) = merge::read(&paths, &Options::default(), MergeOptions::default(), &());
    assert_eq!(images.len(), 3);
    let file = folder.path().join("one.pathprof");
    let error = merge::write(&images, &file, false).expect_err("three images").to_string();
    assert!(
        error.contains("3 images (/a/x, build-id 2f612f78; /b/x, build-id 2f622f78; "),
        "{error}"
    );
    assert!(!file.exists());

    for target in ["new/", "."] {
        let target = PathBuf::from(format!("{}/{target}", folder.path().display()));
        merge::write(&images, &target, false).expect("written");
        let files: Vec<_> = fs::read_dir(&target)
            .expect("a folder")
            .map(|entry| entry.expect("one").path())
            .collect();
        let images = files
            .iter()
            .filter(|path| path.is_file() && !paths.iter().any(|input| input.path == **path));
        let mut found: Vec<_> = images
            .map(|path| read(path))
            .map(|file| (file.image.display().to_string(), file.parts[0].modules[0].counts[0].1))
            .collect();
        found.sort();
        assert_eq!(found, [("/a/x".into(), 1), ("/b/x".into(), 2), ("/b/y".into(), 3)]);
    }
    // One image goes to the named file, without a directory.
    let (one, _) = merge::read(&paths[..1], &Options::default(), MergeOptions::default(), &());
    merge::write(&one, &file, false).expect("written");
    assert_eq!(read(&file).parts[0].modules, [module(1, &[(0, 1)])]);
}

#[test]
fn only_what_is_among_the_runs_is_replaced() {
    let folder = TempDir::new().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let profiles = [1, 2].map(|count| profile_of(head(), vec![module(1, &[(0, count)])]));
    let inputs = written(&folder, &profiles);
    let (both, _) = merge::read(&inputs, &Options::default(), MergeOptions::default(), &());
    let (one, _) = merge::read(&inputs[..1], &Options::default(), MergeOptions::default(), &());
    let (none, notices) =
        merge::read(&[at("gone").into()], &Options::default(), MergeOptions::default(), &());
    assert!(!both.is_empty() && none.is_empty() && notices.problems.len() == 1);
    let count = |name: &str| read(&at(name)).parts[0].modules[0].counts[0].1;
    let write = |images: &merge::ByImage, name: &str, replace: bool| {
        merge::write(images, &at(name), replace)
    };
    write(&one, "x", false).expect("nothing is there");
    write(&both, "x", false).expect("all that is there is in it");
    assert_eq!(count("x"), 3);
    let refusal = write(&one, "x", false).expect_err("a run would be lost").to_string();
    assert!(refusal.contains("holds a run that is not among these"), "{refusal}");
    assert_eq!(count("x"), 3);
    write(&one, "x", true).expect("asked for");
    assert_eq!(count("x"), 1);
    fs::write(at("text"), "text").expect("writable");
    assert!(write(&one, "text", false).is_err() && fs::read(at("text")).expect("there") == b"text");
    fs::write(at("damaged"), [profiles[0].encode(), b"PATHPROF nonsense".to_vec()].concat())
        .expect("writable");
    let refusal = write(&one, "damaged", false).expect_err("something would be lost").to_string();
    assert!(refusal.contains("holds something that cannot be read"), "{refusal}");
    fs::write(at("empty"), "").expect("writable");
    write(&one, "empty", false).expect("nothing would be missed");
    merge::write(&one, Path::new("/dev/null"), false).expect("nothing is there");
    // In a directory, a name that is taken gets a number.
    fs::create_dir(at("out")).expect("writable");
    let names = || {
        let entries = fs::read_dir(at("out"))
            .expect("readable")
            .map(|entry| entry.expect("an entry").file_name());
        let mut names: Vec<_> = entries.map(|name| name.into_string().expect("ASCII")).collect();
        names.sort();
        names
    };
    write(&one, "out", false).expect("nothing is there");
    write(&both, "out", false).expect("all that is there is in it");
    assert_eq!((names(), count("out/x.pathprof")), (vec!["x.pathprof".to_string()], 3));
    write(&one, "out", false).expect("there are other names");
    assert_eq!(names(), ["x-2.pathprof", "x.pathprof"]);
    fs::remove_file(at("out/x.pathprof")).expect("ours");
    rustix::fs::mkfifoat(rustix::fs::CWD, at("out/x.pathprof"), rustix::fs::Mode::RUSR)
        .expect("writable");
    fs::remove_file(at("out/x-2.pathprof")).expect("ours");
    write(&one, "out", false).expect("a pipe is not meant");
    assert_eq!(names(), ["x-2.pathprof", "x.pathprof"]);
}

#[test]
fn images_are_told_apart_by_their_build_ids_or_files() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("program");
    fs::write(&file, "").expect("writable");
    fs::hard_link(&file, folder.path().join("link")).expect("one file system");
    let images = |of: &[(&str, &'static [u8])]| {
        let profiles: Vec<_> = of
            .iter()
            .map(|(image, build_id)| {
                let image: &'static str =
                    Box::leak(folder.path().join(image).display().to_string().into_boxed_str());
                profile_of(
                    Head { image: image.as_bytes(), build_id, ..head() },
                    vec![module(1, &[(0, 1)])],
                )
            })
            .collect();
        let own = TempDir::new().expect("a folder");
        merge::read(&written(&own, &profiles), &Options::default(), MergeOptions::default(), &())
            .0
            .len()
    };
    assert_eq!(images(&[("program", b"a"), ("elsewhere", b"a"), ("program", b"b")]), 2);
    assert_eq!(
        images(&[("program", b""), ("link", b""), ("elsewhere", b""), ("elsewhere", b"")]),
        2
    );
    assert_eq!(images(&[("program", b""), ("program", b"a")]), 2);
}

#[test]
fn what_cannot_be_read_is_named_and_left_out() {
    let folder = TempDir::new().expect("a folder");
    let mut paths = written(&folder, &[profile_of(head(), vec![module(1, &[(0, 1)])])]);
    let damaged = folder.path().join("damaged.pathprof");
    fs::write(&damaged, b"PATHPROF nonsense").expect("writable");
    paths.push(damaged.clone().into());
    let (images, notices) = merge::read(&paths, &Options::default(), MergeOptions::default(), &());
    assert_eq!(images.len(), 1);
    let [problem] = notices.problems.as_slice() else { panic!("one problem") };
    assert!(problem.to_string().starts_with(&format!("{}: ", damaged.display())), "{problem}");
}
