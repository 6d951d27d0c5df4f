//! The rooms of the library: each uses only those before it, and only `show` knows of terminals.

use std::fs;
use std::path::{Path, PathBuf};

/// Each room with those that it may use.
const ROOMS: [(&str, &[&str]); 6] = [
    ("read", &[]),
    ("analyse", &["read"]),
    ("show", &["read", "analyse"]),
    ("export", &["read", "analyse"]),
    ("combine", &["read"]),
    ("launch", &["read", "combine"]),
];

/// What only `show` and the program use.
const TERMINAL: [&str; 8] = [
    "anstream",
    "indicatif",
    "owo_colors",
    "println!",
    "print!",
    "terminal_size",
    "textwrap",
    "unicode_width",
];

/// The files of Rust in a folder and below.
fn below(folder: &Path) -> Vec<PathBuf> {
    let entries =
        fs::read_dir(folder).expect("a room").map(|entry| entry.expect("an entry").path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let is_rust = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "rs");
    let deeper = folders.iter().flat_map(|folder| below(folder));
    files.into_iter().filter(is_rust).chain(deeper).collect()
}

/// The code of each file of a room, without unit tests, and its name.
fn files(room: &str) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(room);
    let code = |path: &Path| {
        let text = fs::read_to_string(path).expect("a file");
        let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<String>()
    };
    below(&folder).iter().map(|path| (path.display().to_string(), code(path))).collect()
}

#[test]
fn data_flows_one_way_through_the_rooms() {
    for (room, before) in ROOMS {
        for (file, code) in files(room) {
            let later = |(other, _): &&(&str, &[&str])| other != &room && !before.contains(other);
            for (other, _) in ROOMS.iter().filter(later) {
                assert!(!code.contains(&format!("crate::{other}::")), "{file} uses {other}");
            }
        }
    }
}

#[test]
fn nothing_but_show_knows_of_terminals() {
    for (room, _) in ROOMS.iter().filter(|(room, _)| *room != "show") {
        for (file, code) in files(room) {
            for word in TERMINAL {
                assert!(!code.contains(word), "{file} uses {word}");
            }
        }
    }
}
