//! The rooms of the library: each uses only those before it, and only `show` knows of terminals.

use std::fs;
use std::path::Path;

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
const TERMINAL: [&str; 6] =
    ["anstream", "comfy_table", "indicatif", "owo_colors", "println!", "print!"];

/// The code of each file of a room, without unit tests, and its name.
fn files(room: &str) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(room);
    let entries =
        fs::read_dir(folder).expect("a room").map(|entry| entry.expect("an entry").path());
    let files = entries.filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
    let code = |path: &Path| {
        let text = fs::read_to_string(path).expect("a file");
        let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<String>()
    };
    files.map(|path| (path.display().to_string(), code(&path))).collect()
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
