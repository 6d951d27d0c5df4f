//! Runs every `filetests/*.cfg`: a graph, a line of dashes, and the whole plan for it as text.
//!
//! A first line `limit N` sets the limit, `measured` says that the weights are no estimates.
//! `PATHS_BLESS=1 cargo test -p paths --test filetests` writes what was computed into the files;
//! read the difference before you commit it.

use std::fs;
use std::path::{Path, PathBuf};

use libtest_mimic::{Arguments, Failed, Trial};
use paths::techniques::Techniques;
use paths::{plan, text};

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/filetests");
    let mut files: Vec<PathBuf> = fs::read_dir(&folder)
        .expect("the folder of file tests exists")
        .map(|entry| entry.expect("a readable entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "cfg"))
        .collect();
    files.sort();
    let trial = |file: PathBuf| {
        let name = file.file_stem().expect("a file has a name").to_string_lossy().into_owned();
        Trial::test(name, move || run(&file))
    };
    libtest_mimic::run(&Arguments::from_args(), files.into_iter().map(trial).collect()).exit();
}

fn run(file: &Path) -> Result<(), Failed> {
    let content = fs::read_to_string(file)?;
    let (input, expected) = content.split_once("----\n").unwrap_or((&content, ""));
    let (first, rest) = input.split_once('\n').unwrap_or((input, ""));
    let (limit, techniques, graph) = match first.split_once(' ') {
        Some(("limit", limit)) => (limit.trim().parse()?, Techniques::FOR_ESTIMATES, rest),
        None if first == "measured" => (u64::MAX, Techniques::ALL, rest),
        _ => (u64::MAX, Techniques::FOR_ESTIMATES, input),
    };
    let named = text::parse(graph)?;
    let plan = plan(&named.cfg, &named.frequency, limit, techniques);
    let section = |title: &str, body: String| {
        if body.is_empty() { String::new() } else { format!("{title}\n{body}\n") }
    };
    let computed = [
        section("cut", named.cuts(&plan)),
        section("values", named.values(&plan)),
        section("code", named.code(&plan)),
        section("paths", named.paths(&plan)),
    ]
    .concat();
    let computed = format!("{}\n", computed.trim_end());
    if std::env::var_os("PATHS_BLESS").is_some() {
        fs::write(file, format!("{}\n----\n{computed}", input.trim_end()))?;
        return Ok(());
    }
    if computed == expected {
        return Ok(());
    }
    Err(format!("expected:\n{expected}\ncomputed:\n{computed}\nset PATHS_BLESS=1 to accept what was computed").into())
}
