//! No circles: in each crate, what a file uses never uses that file again, directly or by way of
//! others. The head of a file that declares others names each of them. No comment is wider than a
//! line, which rustfmt does not check.
//!
//! A file is a module. It uses another one where its code has a path that leads there: from
//! `crate`, from `super`, or from the name of a module inside it. The outline of a crate (`lib.rs`,
//! `main.rs`) names all files and is left out, and so are unit tests.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use pathtests::checkout::{checkout, files};

/// Modules, by the names on the way to them, and which they use.
type Uses = BTreeMap<Vec<String>, BTreeSet<Vec<String>>>;

/// All crates of the workspace but `fuzz`, which is one file.
const CRATES: [&str; 17] = [
    "paths",
    "format",
    "wrapper",
    "driver",
    "pass",
    "linker-shim",
    "process",
    "runtime",
    "block-log",
    "tracer",
    "profile",
    "counts",
    "compare",
    "live",
    "trace",
    "report",
    "tests",
];

/// How many characters a line has at most, as in `rustfmt.toml`.
const WIDTH: usize = 100;

/// The files of Rust below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let is_source = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "rs");
    files(folder).into_iter().filter(is_source).collect()
}

/// The code of a file without comments, texts and unit tests.
fn code(file: &Path) -> String {
    let text = fs::read_to_string(file).expect("a file of the tree");
    let text = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    let kept = |line: &str| {
        line.split("//").next().unwrap_or_default().split('"').step_by(2).collect::<String>()
    };
    text.lines().map(|line| kept(line) + "\n").collect()
}

/// The paths in code, one for each name that is reached: `a::{b, c::D}` has `a::b` and `a::c::D`.
fn paths(code: &str) -> Vec<Vec<String>> {
    let mut words = Vec::new();
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let length = if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else if rest.starts_with("::") {
            2
        } else {
            first.len_utf8()
        };
        let (word, after) = rest.split_at(length);
        if !word.trim().is_empty() {
            words.push(word);
        }
        rest = after;
    }
    let (mut found, mut at) = (Vec::new(), 0);
    while at < words.len() {
        if at + 1 < words.len() && words[at + 1] == "::" && (at == 0 || words[at - 1] != "::") {
            // What stands before `::` may be the end of a type in angle brackets.
            at = follow(&words, at, &[], &mut found).max(at + 1);
        } else {
            at += 1;
        }
    }
    found
}

/// Reads the path, or the tree of paths, that begins at a word, behind others; gives where it ends.
fn follow(words: &[&str], mut at: usize, before: &[String], found: &mut Vec<Vec<String>>) -> usize {
    let mut path = before.to_vec();
    loop {
        match words.get(at) {
            Some(&"{") => {
                at += 1;
                while words.get(at).is_some_and(|word| *word != "}") {
                    let next = follow(words, at, &path, found);
                    at = if next == at { at + 1 } else { next };
                }
                return at + 1;
            }
            Some(word) if word.chars().all(|c| c.is_alphanumeric() || c == '_') => {
                path.push((*word).to_owned());
                at += 1;
                if words.get(at) != Some(&"::") {
                    found.push(path);
                    return at;
                }
                at += 1;
            }
            _ => {
                found.extend(Some(path).filter(|path| path.len() > before.len()));
                return at;
            }
        }
    }
}

/// Which modules of a crate use which.
fn uses(source: &Path) -> Uses {
    let module = |file: &Path| -> Vec<String> {
        let path = file.strip_prefix(source).expect("below").with_extension("");
        path.iter().map(|part| part.to_string_lossy().into_owned()).collect()
    };
    let is_outline = |file: &Path| {
        file.parent() == Some(source) && (file.ends_with("lib.rs") || file.ends_with("main.rs"))
    };
    let files: Vec<_> = sources(source).into_iter().filter(|file| !is_outline(file)).collect();
    let modules: BTreeSet<_> = files.iter().map(|file| module(file)).collect();
    let mut uses = Uses::new();
    for file in &files {
        let this = module(file);
        let parent = &this[..this.len() - 1];
        let used = uses.entry(this.clone()).or_default();
        for path in paths(&code(file)) {
            let full = match path[0].as_str() {
                "crate" => path[1..].to_vec(),
                "super" => [parent, &path[1..]].concat(),
                "self" => [&this[..], &path[1..]].concat(),
                _ => [&this[..], &path[..]].concat(),
            };
            let reached = (1..=full.len())
                .rev()
                .map(|length| &full[..length])
                .find(|part| modules.contains(*part));
            used.extend(reached.filter(|reached| **reached != this[..]).map(<[String]>::to_vec));
        }
    }
    uses
}

/// The modules from which the way leads back to themselves.
fn circles(uses: &Uses) -> Vec<String> {
    let reached = |from: &Vec<String>| {
        let mut seen = BTreeSet::new();
        let mut pending: Vec<_> = uses[from].iter().collect();
        while let Some(next) = pending.pop() {
            if seen.insert(next) {
                pending.extend(uses.get(next).into_iter().flatten());
            }
        }
        seen
    };
    uses.keys()
        .filter(|module| reached(module).contains(module))
        .map(|module| module.join("::"))
        .collect()
}

#[test]
fn no_crate_has_a_circle_of_files() {
    let found: Vec<_> = CRATES
        .iter()
        .flat_map(|name| {
            let uses = uses(&checkout().join(name).join("src"));
            assert!(!uses.is_empty(), "{name}: the files are read");
            circles(&uses).into_iter().map(move |module| format!("{name}: {module}"))
        })
        .collect();
    assert!(found.is_empty(), "these files use themselves by way of others: {found:#?}");
}

/// Whether a line is a comment of too many characters. Tables and drawings keep their width.
fn is_wide_comment(line: &str) -> bool {
    let text = line.trim_start();
    let is_drawn = text.contains('|') || text.contains("   ");
    text.starts_with("//") && !is_drawn && line.chars().count() > WIDTH
}

#[test]
fn no_comment_is_wider_than_a_line() {
    let found: Vec<_> = CRATES
        .iter()
        .flat_map(|name| sources(&checkout().join(name)))
        .flat_map(|file| {
            let text = fs::read_to_string(&file).expect("a file of the tree");
            let wide = text.lines().filter(|line| is_wide_comment(line));
            wide.map(|line| format!("{}: {line}", file.display())).collect::<Vec<_>>()
        })
        .collect();
    assert!(found.is_empty(), "these lines have more than {WIDTH} characters: {found:#?}");
}

/// The modules that a file declares, without those of tests.
fn declared<'a>(text: &'a str) -> Vec<&'a str> {
    let lines: Vec<&'a str> = text.lines().map(str::trim).collect();
    let is_of_tests = |at: usize| {
        let mut before = lines[..at].iter().rev().take_while(|line| line.starts_with("#["));
        before.any(|line| *line == "#[cfg(test)]")
    };
    let name = |(at, line): (usize, &&'a str)| {
        let (before, name) = line.strip_suffix(';')?.rsplit_once("mod ")?;
        let is_declaration = before.is_empty() || before.starts_with("pub");
        (is_declaration && !is_of_tests(at)).then_some(name)
    };
    lines.iter().enumerate().filter_map(name).collect()
}

/// Whether the documentation of a file has this name as code.
fn is_named(documentation: &str, module: &str) -> bool {
    documentation.split('`').skip(1).step_by(2).any(|code| {
        let code = code.trim_end_matches(".rs").trim_end_matches('/');
        code == module || code.strip_prefix("mod@") == Some(module)
    })
}

/// A file of so few modules needs no list of them.
const MOST_UNLISTED: usize = 3;

#[test]
fn a_list_of_files_names_each_of_them() {
    let mut missing = Vec::new();
    for name in CRATES {
        for file in sources(&checkout().join(name).join("src")) {
            let text = fs::read_to_string(&file).expect("a file of the tree");
            let lines = text.lines().take_while(|line| line.starts_with("//!"));
            let documentation = lines.collect::<Vec<_>>().join("\n");
            let modules = declared(&text);
            if documentation.is_empty() || modules.len() <= MOST_UNLISTED {
                continue;
            }
            let unnamed = modules.into_iter().filter(|module| !is_named(&documentation, module));
            missing.extend(unnamed.map(|module| format!("{}: {module}", file.display())));
        }
    }
    assert!(missing.is_empty(), "the heads of these files do not name: {missing:#?}");
}

#[test]
fn lists_of_files_are_read() {
    let text = "//! [`a`], `b.rs`\nmod a;\npub(crate) mod b;\n#[cfg(test)]\nmod tests;\nmod c;\n";
    assert_eq!(declared(text), ["a", "b", "c"]);
    assert_eq!(["a", "b", "c"].map(|module| is_named(text, module)), [true, true, false]);
}

#[test]
fn paths_are_found_in_code() {
    let found = |code: &str| paths(code).iter().map(|path| path.join("::")).collect::<Vec<_>>();
    assert_eq!(
        found("use crate::a::{self, b, c::{D, e}};"),
        ["crate::a::self", "crate::a::b", "crate::a::c::D", "crate::a::c::e"]
    );
    assert_eq!(found("let x = super::f(1, crate::g::H::new());"), ["super::f", "crate::g::H::new"]);
    assert_eq!(found("x: y"), Vec::<String>::new());
}

#[test]
fn circles_are_found() {
    let uses = |list: &[(&str, &[&str])]| -> Uses {
        let name = |name: &&str| vec![(*name).to_owned()];
        list.iter().map(|(from, to)| (name(from), to.iter().map(name).collect())).collect()
    };
    assert_eq!(circles(&uses(&[("a", &["b"]), ("b", &["c"]), ("c", &[])])), Vec::<String>::new());
    assert_eq!(circles(&uses(&[("a", &["b"]), ("b", &["c"]), ("c", &["b"])])), ["b", "c"]);
}
