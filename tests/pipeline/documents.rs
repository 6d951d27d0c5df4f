//! The documents tell the truth: every command that they show runs as it stands there, in a fresh
//! folder and in a terminal, and prints what they show. Every file that they name exists, and so
//! does every file that a comment of the code names.
//!
//! The blocks of a section are one session, from top to bottom. For the sections of a lesson the
//! folder holds the lesson. For all others it holds the program of the first steps with the build
//! files of `tests/documents`, the source of the demonstration and the programs of the tutorials.
//! The programs of the tutorials stand in `examples/tutorials` as well, where the README goes.
//!
//! `PATHCC_BLESS=1` writes what was printed into the pages.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use pathtests::checkout::{checkout, files};
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
        let known = [
            "tests/documents/.",
            "examples/first/.",
            "examples/demo/demo.c",
            "examples/tutorials/.",
        ];
        known.map(|source| checkout().join(source)).to_vec()
    };
    let here = folder.join("here");
    let tutorials = here.join("examples/tutorials");
    fs::create_dir_all(&tutorials).expect("a folder");
    for (sources, to) in
        [(sources, here), (vec![checkout().join("examples/tutorials/.")], tutorials)]
    {
        let copied = Command::new("cp").arg("-r").args(sources).arg(to).status();
        assert!(copied.is_ok_and(|status| status.success()), "{}", page.display());
    }
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
            if !agree && std::env::var_os("PATHCC_BLESS").is_some() {
                let text = fs::read_to_string(page).expect("a page");
                fs::write(page, text.replacen(shown, printed.trim_matches('\n'), 1))
                    .expect("a page that can be written");
                compared += 1;
                continue;
            }
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

/// The pages of the book.
fn pages() -> Vec<PathBuf> {
    let mut pages = files(&checkout().join("docs"));
    pages.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    pages.sort();
    pages
}

#[test]
fn the_readme_says_what_happens() {
    assert!(follow(&checkout().join("README.md")) > 0);
}

#[test]
fn the_documents_say_what_happens() {
    let compared: usize = pages().iter().map(|page| follow(page)).sum();
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
fn the_demonstration_is_the_one_that_documents_show() {
    let script = fs::read_to_string(checkout().join("scripts/demo")).expect("a script");
    let run: Vec<_> = script.lines().filter_map(|line| line.strip_prefix("run ")).collect();
    assert!(run.len() > 2, "{run:?}");
    for page in ["README.md", "examples/demo/README.md"] {
        let blocks = document::blocks(&fs::read_to_string(checkout().join(page)).expect("a page"));
        assert!(blocks.iter().any(|block| block.commands == run), "{page} does not have {run:?}");
    }
    // A newcomer learns what to type next.
    let end = script.split("cat <<END").nth(1).expect("words at the end");
    let wanted = ["make build", "export PATH=$3:", "CC=pathcc make", "docs/first-steps.md"];
    assert!(wanted.iter().all(|word| end.contains(word)), "{end}");
}

#[test]
fn what_is_left_out_is_there_and_has_a_reason() {
    for (page, first, reason) in NOT_RUN {
        let blocks = document::blocks(&fs::read_to_string(checkout().join(page)).expect("a page"));
        assert!(blocks.iter().any(|block| begins(block, first)), "{page}: {first}");
        assert!(!reason.is_empty(), "{page}: {first}");
    }
}

/// What a line of text names between backticks, if it is a path of the checkout.
fn named_paths(line: &str) -> impl Iterator<Item = &str> {
    let is_path = |word: &&str| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte);
        let top = word.split_once('/').map(|(top, _)| top);
        let in_checkout =
            |top: &str| !["", ".", ".."].contains(&top) && checkout().join(top).is_dir();
        word.bytes().all(plain) && top.is_some_and(|top| top != "target" && in_checkout(top))
    };
    line.split('`').skip(1).step_by(2).filter(is_path)
}

#[test]
fn every_heading_that_is_linked_exists() {
    let mut missing = Vec::new();
    let mut found = 0;
    let is_page = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "md");
    for page in files(&checkout()).into_iter().filter(is_page) {
        let text = fs::read_to_string(&page).expect("a page");
        for (file, anchor) in
            text.lines().flat_map(document::targets).filter(|(_, to)| !to.is_empty())
        {
            let folder = page.parent().expect("a page is in a folder");
            let target = if file.is_empty() { page.clone() } else { folder.join(file) };
            found += 1;
            if !document::anchors(&fs::read_to_string(&target).expect("a page")).contains(&anchor) {
                missing.push(format!("{}: {}#{anchor}", page.display(), target.display()));
            }
        }
    }
    assert!(found > 30, "only {found} are found");
    assert!(missing.is_empty(), "these headings are not there: {missing:#?}");
}

#[test]
fn every_file_that_is_named_exists() {
    let mut missing = Vec::new();
    let mut found = 0;
    for file in files(&checkout()) {
        let extension = file.extension().unwrap_or_default().to_string_lossy();
        let (is_page, is_code) = (extension == "md", ["rs", "py", "cpp"].contains(&&*extension));
        if !is_page && !is_code {
            continue;
        }
        let text = fs::read_to_string(&file).expect("a text");
        for (number, line) in (1..).zip(text.lines()) {
            let comment = line.split_once(if extension == "py" { "#" } else { "//" });
            let words = if is_page { line } else { comment.map_or("", |(_, comment)| comment) };
            let folder = file.parent().expect("a file is in a folder");
            let linked = if is_page { document::links(line) } else { Vec::new() };
            let linked = linked.into_iter().map(|link| folder.join(link));
            for path in named_paths(words).map(|path| checkout().join(path)).chain(linked) {
                found += 1;
                if !path.exists() {
                    missing.push(format!("{}:{number}: {}", file.display(), path.display()));
                }
            }
        }
    }
    assert!(found > 100, "only {found} are found");
    assert!(missing.is_empty(), "these files are not there: {missing:#?}");
}

#[test]
fn listings_are_the_files() {
    let mut compared = 0;
    for page in pages() {
        let text = fs::read_to_string(&page).expect("a page");
        let listings = ["\n```c ", "\n```python "].map(|start| text.split(start).skip(1));
        for listing in listings.into_iter().flatten() {
            let (name, rest) = listing.split_once('\n').expect("a listing has lines");
            let shown = rest.split("```").next().unwrap_or_default();
            let folders = ["examples/first", "tests/documents"];
            let whole = folders
                .iter()
                .find_map(|folder| fs::read_to_string(checkout().join(folder).join(name)).ok())
                .expect("a file of the project");
            assert_eq!(shown, whole, "{}: {name}", page.display());
            compared += 1;
        }
    }
    assert!(compared > 0);
}

#[test]
fn the_book_lists_every_page_once() {
    let folder = checkout().join("docs");
    let summary = fs::read_to_string(folder.join("SUMMARY.md")).expect("a page");
    let mut listed: Vec<_> =
        summary.lines().flat_map(document::links).map(|link| folder.join(link)).collect();
    listed.sort();
    let mut pages = pages();
    pages.retain(|page| !page.ends_with("SUMMARY.md"));
    assert_eq!(listed, pages);
}

#[test]
fn every_variable_is_described() {
    let page = fs::read_to_string(checkout().join("docs/environment.md")).expect("a page");
    let source = fs::read_to_string(checkout().join("format/src/variables.rs")).expect("a source");
    let constants = source.split("pub const ").skip(1).filter_map(|rest| rest.split(';').next());
    let names =
        constants.filter_map(|constant| constant.split("&str = \"").nth(1)?.split('"').next());
    let names: Vec<_> = names.collect();
    assert!(names.len() > 13 && names.contains(&"PATHLD_REAL"), "{names:?}");
    let unknown: Vec<_> =
        names.iter().filter(|name| !page.contains(&format!("`{name}`"))).collect();
    assert!(unknown.is_empty(), "docs/environment.md lacks {unknown:?}");
}

#[test]
fn names_of_files_are_found() {
    let named = |line| named_paths(line).collect::<Vec<_>>();
    assert_eq!(named("`docs/counts.md` and `no/file.rs`, `docs`, `docs/*.md`"), ["docs/counts.md"]);
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
