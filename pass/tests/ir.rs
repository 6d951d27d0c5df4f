//! Runs the `RUN:` lines of every `ir/*.ll` with LLVM's own `opt` and `FileCheck`.
//!
//! In a line, `opt` stands for `opt` with the plugin loaded and the verifier on, and `%s` for the
//! file. The tree to test is `PATHCC_TREE`, by default `target/pathcc` as `make build` leaves it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use libtest_mimic::{Arguments, Failed, Trial};

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ir");
    let mut files: Vec<PathBuf> = fs::read_dir(&folder)
        .expect("the folder of IR tests exists")
        .map(|entry| entry.expect("a readable entry").path())
        .collect();
    files.sort();
    let trials = files.into_iter().flat_map(|file| {
        let text = fs::read_to_string(&file).expect("a readable test");
        let lines: Vec<_> = text
            .lines()
            .filter_map(|line| line.strip_prefix("; RUN: "))
            .map(str::to_owned)
            .collect();
        assert!(!lines.is_empty(), "{} has no RUN line", file.display());
        let name = file.file_stem().expect("a file has a name").to_string_lossy().into_owned();
        lines.into_iter().enumerate().map(move |(number, line)| {
            let file = file.clone();
            Trial::test(format!("{name}::{number}"), move || run(&file, &line))
        })
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit();
}

fn run(file: &Path, line: &str) -> Result<(), Failed> {
    let bin = llvm_bin();
    let opt = format!(
        "{}/opt -load-pass-plugin={} -pathcc-verify=yes",
        bin.display(),
        plugin().display()
    );
    let script = line
        .replace("opt ", &format!("{opt} "))
        .replace("FileCheck", &format!("{}/FileCheck", bin.display()))
        .replace("%s", &file.display().to_string());
    let output = Command::new("bash").args(["-o", "pipefail", "-c", &script]).output()?;
    if output.status.success() {
        return Ok(());
    }
    let said = [output.stdout, output.stderr].concat();
    Err(format!("{script}\n{}", String::from_utf8_lossy(&said)).into())
}

fn llvm_bin() -> PathBuf {
    std::env::var_os("LLVM_SYS_221_PREFIX")
        .map_or_else(|| "/usr/lib/llvm-22".into(), PathBuf::from)
        .join("bin")
}

/// The plugin of the tree that is tested. Cargo builds no shared library for a test that does not
/// link it.
fn plugin() -> PathBuf {
    let built = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/pathcc");
    let tree = std::env::var_os("PATHCC_TREE").map_or_else(built, PathBuf::from);
    let plugin = tree.join("lib/pathcc/libpathpass.so");
    assert!(plugin.exists(), "{} is missing: run `make build`", plugin.display());
    plugin
}
