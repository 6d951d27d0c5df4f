//! The documents tell the truth: every command that they show runs as it stands there, in a fresh
//! folder and in a terminal, and prints what they show.
//!
//! The blocks of a section are one session, from top to bottom. For the sections of a lesson the
//! folder holds the lesson. For all others it holds the project in `tests/documents` and the
//! source of the demonstration.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use pathtests::document::{self, Block};
use pathtests::tree::bin;

/// The blocks that are not run here: the page, the first command, and why.
const NOT_RUN: &[(&str, &str, &str)] = &[
    (
        "README.md",
        "make demo    # build pathcc, compile an example, run it, show its hot paths",
        "builds pathcc itself and runs all tests, this one included",
    ),
    (
        "docs/build-systems.md",
        "CC=pathcc cargo build && pathprof run target/debug/app",
        "needs crates of the registry; tests/pipeline/preload.rs runs what rustc links",
    ),
];

/// The width of the terminal.
const COLUMNS: usize = 100;

/// Stands before what a block prints.
const MARK: char = '\u{1e}';

/// The folder that the documents show.
const HOME: &str = "/home/you";

/// Variables that begin so would change what is printed.
const FOREIGN: [&str; 5] = ["PATHCC_", "PATHLD_", "XDG_", "MAKE", "MFLAGS"];

fn checkout() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    fs::canonicalize(root).expect("the checkout exists")
}

/// A word of a line of output, between two others, without what differs from one run to the next:
/// build-ids, which depend on the folder, process ids, and how many seconds a program ran.
fn without_chance<'a>(before: &str, word: &'a str, after: &str) -> &'a str {
    let is_id = word.len() == 40 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let number = word.trim_end_matches([',', ')']);
    let is_number = number.starts_with(|first: char| first.is_ascii_digit());
    match word {
        _ if is_id => "BUILD-ID",
        _ if is_number && before.ends_with("pid") => "PID",
        _ if is_number && after == "s," => "SECONDS",
        _ => word,
    }
}

/// Text without what differs from one run to the next.
fn lasting(text: &str) -> String {
    let one_line = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let neighbour = |at: Option<usize>| at.and_then(|at| words.get(at)).copied();
        let lasting = words.iter().enumerate().map(|(at, word)| {
            let [before, after] = [at.checked_sub(1), Some(at + 1)].map(neighbour);
            without_chance(before.unwrap_or_default(), word, after.unwrap_or_default())
        });
        lasting.collect::<Vec<_>>().join(" ")
    };
    text.lines().map(one_line).collect::<Vec<_>>().join("\n")
}

/// The lines that a shell reads for some blocks: each command must succeed.
fn session(blocks: &[&Block]) -> String {
    let mut lines = format!("stty cols {COLUMNS}\ncd here\n");
    for block in blocks {
        lines += "printf '\\036'\n";
        for command in &block.commands {
            lines += &format!("{{\n{command}\n}} || exit\n");
        }
    }
    lines
}

/// Types the blocks of a section into a shell, in a terminal; gives what each of them printed.
///
/// # Panics
/// If a command fails.
fn typed(name: &str, folder: &Path, blocks: &[&Block]) -> Vec<String> {
    let folder = fs::canonicalize(folder).expect("a folder");
    fs::write(folder.join("session"), session(blocks)).expect("a file");
    let program = fs::canonicalize(bin("pathcc")).expect("the tree has a compiler");
    let programs = program.parent().expect("a program is in a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    let mut terminal = Command::new("script");
    terminal.args(["-qec", "sh ./session", "/dev/null"]).current_dir(&folder);
    for (name, _) in std::env::vars_os() {
        if FOREIGN.iter().any(|prefix| name.to_string_lossy().starts_with(prefix)) {
            terminal.env_remove(name);
        }
    }
    terminal.env("PATH", format!("{}:{path}", programs.display()));
    terminal.env("PREFIX", programs.parent().expect("a tree"));
    terminal.env("HOME", &folder).env("NO_COLOR", "1");
    let output = terminal.output().expect("there is `script`, which makes terminals");
    let here = folder.join("here").display().to_string();
    let text = String::from_utf8_lossy(&output.stdout).replace('\r', "").replace(&here, HOME);
    assert!(output.status.success(), "{name}: a command failed, the last one here:\n{text}");
    text.split(MARK).skip(1).map(str::to_owned).collect()
}

/// Copies what a section's commands need to a folder.
fn furnish(folder: &Path, page: &Path) {
    let parent = page.parent().expect("a page is in a folder");
    let sources = if parent.starts_with(checkout().join("examples")) {
        vec![parent.join(".")]
    } else {
        vec![checkout().join("tests/documents/."), checkout().join("examples/demo/demo.c")]
    };
    let here = folder.join("here");
    fs::create_dir(&here).expect("a folder");
    let copied = Command::new("cp").arg("-r").args(sources).arg(here).status();
    assert!(copied.is_ok_and(|status| status.success()), "{}", page.display());
}

/// Whether a block of a page begins with a command.
fn begins(block: &Block, first: &str) -> bool {
    block.commands.first().is_some_and(|command| command == first)
}

/// Runs what a page says; gives how many outputs were compared.
fn follow(page: &Path) -> usize {
    let name = page.strip_prefix(checkout()).expect("a page of the checkout").display().to_string();
    let left_out: Vec<_> = NOT_RUN.iter().filter(|(page, ..)| *page == name).collect();
    let blocks = document::blocks(&fs::read_to_string(page).expect("a page"));
    let is_run = |block: &&Block| !left_out.iter().any(|(_, first, _)| begins(block, first));
    let blocks: Vec<&Block> = blocks.iter().filter(is_run).collect();
    let mut compared = 0;
    for section in blocks.chunk_by(|one, other| one.section == other.section) {
        let folder = tempfile::tempdir().expect("a folder");
        furnish(folder.path(), page);
        let printed = typed(&name, folder.path(), section);
        assert_eq!(printed.len(), section.len(), "{name}: {printed:?}");
        for (block, printed) in section.iter().zip(printed) {
            let Some(shown) = &block.shown else { continue };
            let agree = document::shows(&lasting(shown), &lasting(&printed));
            let place = format!("{name}:{}", block.line);
            assert!(agree, "{place}: shown is\n{shown}\nand printed was\n{printed}");
            compared += 1;
        }
    }
    compared
}

/// What is in a folder of the checkout, in order.
fn entries(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(checkout().join(folder)).expect("a folder of the checkout");
    let mut entries: Vec<_> = entries.map(|entry| entry.expect("readable").path()).collect();
    entries.sort();
    entries
}

#[test]
fn the_readme_says_what_happens() {
    assert!(follow(&checkout().join("README.md")) > 0);
}

#[test]
fn the_documents_say_what_happens() {
    let is_page = |path: &&PathBuf| path.extension().is_some_and(|extension| extension == "md");
    let compared: usize = entries("docs").iter().filter(is_page).map(|page| follow(page)).sum();
    assert!(compared > 0);
}

#[test]
fn the_lessons_say_what_happens() {
    for lesson in entries("examples").iter().filter(|path| path.is_dir()) {
        let compared = follow(&lesson.join("README.md"));
        // The kernels are for measurements.
        assert!(compared > 0 || lesson.ends_with("kernels"), "{}", lesson.display());
    }
}

#[test]
fn what_is_left_out_is_there_and_has_a_reason() {
    for (page, first, reason) in NOT_RUN {
        let blocks = document::blocks(&fs::read_to_string(checkout().join(page)).expect("a page"));
        assert!(blocks.iter().any(|block| begins(block, first)), "{page}: {first}");
        assert!(!reason.is_empty(), "{page}: {first}");
    }
}

#[test]
fn only_chance_is_hidden() {
    let id = "a167ad21855a714bd2016138949f756ce8cf8459";
    let line = format!("run  ./demo (pid 17, 0.011 s, demo.pathprof) build-id {id}");
    let hidden = "run  ./demo (pid PID SECONDS s, demo.pathprof) build-id BUILD-ID";
    assert_eq!(lasting(&line), hidden);
    let kept = "1  699,360  46.6%  main  12 s 16 17(true) -> loop 16";
    assert_eq!(lasting(kept), kept);
}
