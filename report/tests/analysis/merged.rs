//! Many profiles in one file.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU8, Ordering};

use pathformat::ModuleId;
use pathformat::profile::{FORKED, Head, INCOMPLETE, Module, PARTIAL, Part, Profile, RunId, UNREGISTERED_THREADS};
use pathprof::merge;
use pathprof::profile::{self, ProfileFile};
use pathprof::runs::Doubles;
use tempfile::TempDir;

fn module(id: u8, counts: &[(u64, u64)]) -> Module {
    Module { id: ModuleId([id; 16]), counters: 9, counts: counts.to_vec() }
}

/// That of a new run.
fn head() -> Head<'static> {
    static RUNS: AtomicU8 = AtomicU8::new(1);
    Head {
        run: RunId([RUNS.fetch_add(1, Ordering::Relaxed); 16]),
        pid: 7,
        parent: 6,
        start: 100,
        stop: 200,
        process_start: 5,
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

/// Writes the profiles; gives their names.
fn written(folder: &TempDir, profiles: &[Profile<'_>]) -> Vec<PathBuf> {
    let write = |(number, profile): (usize, &Profile<'_>)| {
        let path = folder.path().join(format!("{number}.pathprof"));
        fs::write(&path, profile.encode()).expect("writable");
        path
    };
    profiles.iter().enumerate().map(write).collect()
}

/// Merges them into one file, and reads it.
fn merged(profiles: &[Profile<'_>]) -> ProfileFile {
    let folder = TempDir::new().expect("a folder");
    let (images, notices) = merge::read(&written(&folder, profiles), Doubles::Skip);
    assert!(notices.problems.is_empty() && notices.warning.is_none(), "{notices:?}");
    let target = folder.path().join("new/merged.pathprof");
    merge::write(&images, &target, false).expect("written");
    profile::read(&target).expect("sound").expect("it is finished")
}

fn flags(of: &ProfileFile) -> u32 {
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
    let all = [0, INCOMPLETE, UNREGISTERED_THREADS, FORKED, INCOMPLETE | PARTIAL, FORKED | UNREGISTERED_THREADS];
    for one in all {
        for other in all {
            let part = |flags| profile_of(Head { flags, ..head() }, vec![module(1, &[(0, 1)])]);
            assert_eq!(flags(&merged(&[part(one), part(other), part(0)])), one | other, "{one} {other}");
        }
    }
}

#[test]
fn the_time_is_that_of_all_and_the_process_that_of_one() {
    let part = |start, stop, pid| profile_of(Head { start, stop, pid, ..head() }, vec![module(1, &[(0, pid.into())])]);
    let file = merged(&[part(100, 200, 7), part(50, 150, 8), part(80, 400, 9)]);
    assert_eq!((file.run.start, file.run.stop, file.run.pid, file.run.parent), (50, 400, 7, 6));
    assert_eq!(
        (file.run.command_line, file.run.directory, file.run.host),
        (vec!["x".to_string(), "-a b".into()], "/tmp".into(), "box".into())
    );
    assert_eq!((file.build_id.as_slice(), file.image), (&b"id"[..], "/bin/x".into()));
    // Several processes are no process that another file could be of.
    assert_eq!(file.run.process_start, 0);
    assert_eq!(merged(&[part(100, 200, 7)]).run.process_start, 5);
}

#[test]
fn what_each_process_counted_stands_by_itself() {
    let (one, other) = (vec![module(1, &[(0, 1)]), module(2, &[])], vec![module(2, &[(3, 4)]), module(1, &[(0, 5)])]);
    let file = merged(&[profile_of(head(), one.clone()), profile_of(head(), other.clone())]);
    let modules: Vec<_> = file.parts.into_iter().map(|part| part.modules).collect();
    assert_eq!(modules, [one[..1].to_vec(), other], "modules that counted nothing are left out");
}

#[test]
fn each_process_keeps_its_map() {
    let part = |modules: Vec<Module>, map: Option<&str>| {
        let head = head();
        let map = map.map(|map| map.as_bytes().to_vec());
        Profile { head, parts: vec![Part { modules, map, ..Part::of(&head) }] }
    };
    let some = || vec![module(1, &[(0, 1)]), module(2, &[(0, 2)])];
    let none = || vec![module(1, &[]), module(2, &[])];
    let maps = |parts: &[Profile<'_>]| {
        let maps = merged(parts).parts.into_iter().map(|part| part.map);
        maps.map(|map| map.map(|map| String::from_utf8(map).expect("ASCII"))).collect::<Vec<_>>()
    };
    let own = |map: &str| Some(map.to_string());
    assert_eq!(maps(&[part(some(), Some("a")), part(some(), Some("b"))]), [own("a"), own("b")]);
    assert_eq!(maps(&[part(some(), None), part(some(), Some("b"))]), [None, own("b")]);
    // Nobody asks for the map of a process that counted nothing.
    let counted_nothing = [part(none(), Some("a")), part(some(), Some("b")), part(none(), Some("c"))];
    assert_eq!(maps(&counted_nothing), [None, own("b"), None]);
}

#[test]
fn profiles_of_several_images_need_a_folder() {
    let folder = TempDir::new().expect("a folder");
    let of = |image: &'static [u8], count| {
        profile_of(Head { image, build_id: image, ..head() }, vec![module(1, &[(0, count)])])
    };
    let paths = written(&folder, &[of(b"/a/x", 1), of(b"/b/x", 2), of(b"/b/y", 3)]);
    let (images, _) = merge::read(&paths, Doubles::Skip);
    assert_eq!(images.len(), 3);
    let file = folder.path().join("one.pathprof");
    let error = merge::write(&images, &file, false).expect_err("three images").to_string();
    assert!(error.contains("3 images") && error.contains("/a/x, /b/x, /b/y"), "{error}");
    assert!(!file.exists());

    for target in ["new/", "."] {
        let target = PathBuf::from(format!("{}/{target}", folder.path().display()));
        merge::write(&images, &target, false).expect("written");
        let files: Vec<_> = fs::read_dir(&target).expect("a folder").map(|entry| entry.expect("one").path()).collect();
        let images = files.iter().filter(|path| path.is_file() && !paths.contains(path));
        let mut found: Vec<_> = images
            .map(|path| profile::read(path).expect("sound").expect("finished"))
            .map(|file| (file.image.display().to_string(), file.parts[0].modules[0].counts[0].1))
            .collect();
        found.sort();
        assert_eq!(found, [("/a/x".into(), 1), ("/b/x".into(), 2), ("/b/y".into(), 3)]);
    }
    // One image goes where it is told, without a folder to name.
    let (one, _) = merge::read(&paths[..1], Doubles::Skip);
    merge::write(&one, &file, false).expect("written");
    assert_eq!(profile::read(&file).expect("sound").expect("finished").parts[0].modules, [module(1, &[(0, 1)])]);
}

#[test]
fn what_cannot_be_read_is_named_and_left_out() {
    let folder = TempDir::new().expect("a folder");
    let mut paths = written(&folder, &[profile_of(head(), vec![module(1, &[(0, 1)])])]);
    let damaged = folder.path().join("damaged.pathprof");
    fs::write(&damaged, b"PATHPROF nonsense").expect("writable");
    paths.push(damaged.clone());
    let (images, notices) = merge::read(&paths, Doubles::Skip);
    assert_eq!(images.len(), 1);
    let [problem] = notices.problems.as_slice() else { panic!("one problem") };
    assert!(problem.to_string().starts_with(&format!("{}: ", damaged.display())), "{problem}");
}
