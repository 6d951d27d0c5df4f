//! `make install` into a fresh prefix: every file is there, and the examples run from it as another
//! user who cannot see the checkout.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use pathformat::tree::{self, Kind};
use pathtests::checkout::{checkout, files};
use pathtests::document;
use tempfile::TempDir;

/// The user and the group that own nothing.
const NOBODY: u32 = 65534;

/// A prefix with nothing but what `make install` put there, by somebody who shares no file with
/// others.
fn installed() -> TempDir {
    let prefix =
        tempfile::Builder::new().prefix("pathcc-prefix-").tempdir().expect("a temporary directory");
    open_to_all(prefix.path());
    install(prefix.path());
    prefix
}

fn install(prefix: &Path) {
    let tree = std::env::var_os("PATHCC_TREE")
        .map_or_else(|| checkout().join("target/pathcc"), PathBuf::from);
    let mut make = Command::new("sh");
    make.args(["-c", "umask 077; exec make install TREE=\"$1\" PREFIX=\"$2\"", "sh"])
        .arg(tree)
        .arg(prefix);
    // A make above this test is none of this one's business.
    make.current_dir(checkout())
        .env_remove("MAKEFLAGS")
        .env_remove("MAKELEVEL")
        .env_remove("DESTDIR");
    succeed(&mut make);
}

fn open_to_all(directory: &Path) {
    fs::set_permissions(directory, fs::Permissions::from_mode(0o755)).expect("ours");
}

fn succeed(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(
        output.status.success(),
        "{command:?}: {}\n{}{}",
        output.status,
        text(&output.stdout),
        text(&output.stderr)
    );
    output
}

#[test]
fn an_installed_tree_is_complete_and_everybody_may_use_it() {
    let prefix = installed();
    for entry in tree::entries() {
        let path = prefix.path().join(entry.path);
        let data =
            fs::metadata(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let opens = matches!(entry.kind, Kind::Program | Kind::Link | Kind::Folder);
        let wanted = if opens { 0o755 } else { 0o644 };
        assert_eq!(data.permissions().mode() & 0o777, wanted, "{}", path.display());
        let is_link = fs::symlink_metadata(&path).expect("there").is_symlink();
        assert_eq!(is_link, matches!(entry.kind, Kind::Link | Kind::Plugin), "{}", path.display());
    }
    let mut folders = vec![prefix.path().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in
            fs::read_dir(&folder).expect("a directory").map(|entry| entry.expect("readable"))
        {
            let (path, data) = (entry.path(), entry.metadata().expect("there"));
            let wanted = if data.is_dir() { 0o555 } else { 0o444 };
            let mode = data.permissions().mode();
            assert_eq!(mode & wanted, wanted, "{}: {mode:o}", path.display());
            folders.extend(Some(path).filter(|_| data.is_dir()));
        }
    }
    // Once more, over the first: nothing is added, nothing fails.
    let files =
        |folder: &str| fs::read_dir(prefix.path().join(folder)).expect("a directory").count();
    let before = ["bin", "lib/pathcc"].map(files);
    fs::write(
        prefix.path().join("lib/pathcc/libpathpass-0123456789abcdef.so"),
        "of an older version",
    )
    .expect("ours");
    install(prefix.path());
    assert_eq!(["bin", "lib/pathcc"].map(files), before);
}

/// The names in a page that stand for files of a tree: what follows `$PREFIX/`.
fn names_in_tree(line: &str) -> impl Iterator<Item = &str> {
    let is_end = |of: char| !of.is_ascii_alphanumeric() && !"/._-+".contains(of);
    line.split("$PREFIX/").skip(1).filter_map(move |rest| rest.split(is_end).next())
}

#[test]
fn what_an_installed_document_names_is_installed() {
    let prefix = installed();
    let documents = prefix.path().join("share/doc/pathcc");
    let pages = files(&documents).into_iter();
    let pages = pages.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    let (mut found, mut missing) = ([0, 0], Vec::new());
    for page in pages {
        let text = fs::read_to_string(&page).expect("a page that can be read");
        for line in text.lines() {
            let folder = page.parent().expect("a page is in a folder");
            let linked = document::links(line).into_iter().map(|link| (0, folder.join(link)));
            let named = names_in_tree(line).map(|name| (1, prefix.path().join(name)));
            for (kind, path) in linked.chain(named) {
                found[kind] += 1;
                // Whoever installs one folder may not reach what is above it.
                let inside = path.canonicalize().is_ok_and(|path| {
                    path.starts_with(prefix.path().canonicalize().expect("it is there"))
                });
                if !inside || (path.is_file() && fs::read(&path).is_err()) {
                    missing.push(format!("{}: {}", page.display(), path.display()));
                }
            }
        }
    }
    assert!(found[0] > 100 && found[1] > 3, "only {found:?} are found");
    assert!(missing.is_empty(), "these files are not there: {missing:#?}");
}

/// The commands of a lesson: those of its README, and where there are none every program by itself.
fn commands(lesson: &Path) -> String {
    let readme = fs::read_to_string(lesson.join("README.md")).expect("every lesson has a README");
    let typed: Vec<_> =
        document::blocks(&readme).into_iter().flat_map(|block| block.commands).collect();
    if !typed.is_empty() {
        return typed.join("\n");
    }
    let sources =
        fs::read_dir(lesson).expect("a directory").map(|entry| entry.expect("readable").path());
    let sources = sources.filter(|path| path.extension().is_some_and(|extension| extension == "c"));
    let one = |path: PathBuf| {
        let name = path.file_stem().expect("a name").display().to_string();
        format!("pathcc -g -O2 {name}.c -o {name} -lm\n./{name} 4\npathprof report {name}.pathprof")
    };
    sources.map(one).collect::<Vec<_>>().join("\n")
}

/// Runs commands in a copy of a directory, with the programs of the prefix, as a user who owns only
/// that copy, and with empty directories in place of the checkout and of what cargo built. `None`
/// if this system does not let us hide things.
fn run_elsewhere(prefix: &Path, lesson: &Path, commands: &str) -> Option<String> {
    let is_root = rustix::process::geteuid().is_root();
    let namespace: &[&str] = if is_root { &["-m"] } else { &["-rm"] };
    let built =
        Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("inside of cargo's directory");
    let hidden = [
        checkout(),
        built.to_owned(),
        std::env::var_os("PATHCC_TREE").map_or_else(checkout, PathBuf::from),
    ];
    let mut unshare = Command::new("unshare");
    unshare.args(namespace);
    let may = Command::new("unshare")
        .args(namespace)
        .args(["mount", "-t", "tmpfs", "none", "/mnt"])
        .output();
    if !may.is_ok_and(|output| output.status.success()) {
        return None;
    }
    let place =
        tempfile::Builder::new().prefix("pathcc-lesson-").tempdir().expect("a temporary directory");
    succeed(Command::new("cp").arg("-r").arg(lesson.join(".")).arg(place.path()));
    open_to_all(place.path());
    let script = "cd \"$PLACE\"\n\
        for hidden; do [ ! -d \"$hidden\" ] || mount -t tmpfs -o mode=0 none \"$hidden\"; done\n\
        for hidden; do [ -z \"$(ls -A \"$hidden\" 2>/dev/null)\" ] || exit 99; done\n\
        exec $AS env -i PATH=\"$PREFIX/bin:/usr/bin:/bin\" HOME=\"$PLACE\" sh -eu -c \"$COMMANDS\"";
    unshare.args(["sh", "-eu", "-c", script, "sh"]).args(hidden);
    unshare
        .env("PLACE", place.path())
        .env("PREFIX", prefix)
        .env("COMMANDS", commands)
        .env("AS", "");
    if is_root {
        succeed(
            Command::new("chown").arg("-R").arg(format!("{NOBODY}:{NOBODY}")).arg(place.path()),
        );
        unshare.env("AS", format!("setpriv --reuid={NOBODY} --regid={NOBODY} --clear-groups"));
    }
    Some(String::from_utf8_lossy(&succeed(&mut unshare).stdout).into_owned())
}

#[test]
fn every_example_runs_from_an_installed_tree_alone() {
    let prefix = installed();
    let mut lessons: Vec<(PathBuf, String)> = fs::read_dir(checkout().join("examples"))
        .expect("there are examples")
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.is_dir())
        .map(|path| (path.clone(), commands(&path)))
        .collect();
    lessons.sort();
    assert!(lessons.len() >= 9, "{lessons:?}");
    // The archive of static executables.
    let threads = checkout().join("examples/06-threads");
    let flags = "-g -O0 -static -pthread";
    lessons
        .push((threads, format!("pathcc {flags} threads.c -o t\n./t\npathprof report t.pathprof")));
    for (lesson, commands) in lessons {
        let reports = commands.lines().filter(|line| line.starts_with("pathprof report")).count();
        assert!(reports > 0, "{}: the README shows no report", lesson.display());
        let Some(shown) = run_elsewhere(prefix.path(), &lesson, &commands) else {
            eprintln!("skipped: this system does not let a test hide the checkout");
            return;
        };
        let ran = shown
            .lines()
            .filter_map(|line| line.strip_prefix("paths ")?.trim_start().split(' ').next());
        let ran: Vec<u64> = ran.filter_map(|number| number.replace(',', "").parse().ok()).collect();
        assert!(
            ran.len() >= reports && ran.iter().all(|&paths| paths > 0),
            "{}:\n{shown}",
            lesson.display()
        );
    }
}

#[test]
fn no_path_of_the_build_is_in_a_tree() {
    let prefix = installed();
    let here = checkout().display().to_string();
    // So that another directory, or another user's, gives the same bytes.
    let is_file = |kind| !matches!(kind, Kind::Link | Kind::Folder);
    for entry in tree::entries().filter(|entry| is_file(entry.kind)) {
        let bytes = fs::read(prefix.path().join(entry.path)).expect("installed");
        for path in [here.as_str(), "/.cargo/registry/"] {
            let found = bytes.windows(path.len()).any(|window| window == path.as_bytes());
            assert!(!found, "{}: {path}", entry.path);
        }
    }
}
