//! Runs the `RUN:` lines of every `ir/*.ll` with LLVM's own `opt` and `FileCheck`.
//!
//! In a line, `opt` stands for `opt` with the plugin loaded and the verifier on, and `%s` for the
//! file's name in its folder, where the line is run. The name is part of what `opt` prints, which
//! must not depend on where the checkout is. The tree to test is `PATHCC_TREE`, by default
//! `target/pathcc` as `make build` leaves it.

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
    let folder = file.parent().expect("a file is in a folder");
    let name = file.file_name().expect("a file has a name").to_string_lossy();
    let script = line
        .replace("opt ", "\"$OPT\" -load-pass-plugin=\"$PLUGIN\" -pathcc-verify=yes ")
        .replace("FileCheck", "\"$FILE_CHECK\"")
        .replace("%s", &name);
    let mut command = Command::new("bash");
    command.args(["-o", "pipefail", "-c", &script]).current_dir(folder);
    command.env("OPT", bin.join("opt")).env("FILE_CHECK", bin.join("FileCheck"));
    let output = command.env("PLUGIN", plugin()).output()?;
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
    fs::canonicalize(&plugin)
        .unwrap_or_else(|error| panic!("{}: {error}: run `make build`", plugin.display()))
}
