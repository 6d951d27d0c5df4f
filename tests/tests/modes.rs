//! Units that count different things in one image, and settings that contradict each other.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use pathtests::tree::bin;
use serde_json::Value;

const MAIN: &str = "int odd(int); int sum(int);\n\
                    int main(void) { int n = 0; for (int i = 0; i < 10; i++) n += odd(i) ? sum(i) : 1; return n != 49; }\n";
const ODD: &str = "int odd(int n) { if (n % 2) return 1; return 0; }\n";
const SUM: &str = "int sum(int n) { int s = 0; for (int i = 0; i < n; i++) if (i != 3) s += 2; return s; }\n";

fn run(folder: &Path, program: &Path, arguments: &[&str]) -> (bool, String, String) {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder).env("PATHCC_PROFILE", "run.pathprof");
    let output = command.output().expect("the tree is built");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.success(), text(&output.stdout), text(&output.stderr))
}

/// Counts of the blocks of each function, and how many paths it has, of an image whose units are compiled with these flags.
fn counted(folder: &Path, flags: [&str; 3]) -> BTreeMap<String, (Vec<u64>, usize)> {
    for ((name, text), flag) in [("main", MAIN), ("odd", ODD), ("sum", SUM)].into_iter().zip(flags) {
        fs::write(folder.join(format!("{name}.c")), text).expect("a file");
        let (source, object) = (format!("{name}.c"), format!("{name}.o"));
        let (ok, _, said) = run(folder, &bin("pathcc"), &["-O0", flag, "-c", &source, "-o", &object]);
        assert!(ok && said.is_empty(), "{said}");
    }
    assert!(run(folder, &bin("pathcc"), &["main.o", "odd.o", "sum.o", "-o", "program"]).0);
    assert!(run(folder, &folder.join("program"), &[]).0, "the program works");
    let (ok, json, _) = run(folder, &bin("pathprof"), &["export", "--format", "json", "run.pathprof"]);
    assert!(ok);
    let export: Value = serde_json::from_str(&json).expect("JSON");
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let of = |function: &Value| {
        let counts = list(&function["blocks"]).iter().map(|block| block["count"].as_u64().expect("a count")).collect();
        let name = function["name"].as_str().expect("a name").to_owned();
        (name, (counts, list(&function["paths"]).len()))
    };
    list(&export["functions"]).iter().map(of).collect()
}

#[test]
fn units_of_different_modes_are_kept_apart() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let paths = counted(folder, ["-fpath-mode=paths"; 3]);
    assert!(paths.values().all(|(blocks, paths)| *paths > 0 && blocks.iter().any(|&count| count > 0)));
    let mixed = counted(folder, ["-fpath-mode=edges", "-fpath-mode=paths", "-fpath-mode=blocks"]);
    for (name, (blocks, _)) in &paths {
        assert_eq!(&mixed[name].0, blocks, "{name}");
    }
    assert_eq!(mixed.iter().filter(|(_, (_, paths))| *paths > 0).map(|(name, _)| name).collect::<Vec<_>>(), ["odd"]);
    let (ok, report, _) = run(folder, &bin("pathprof"), &["report", "run.pathprof"]);
    assert!(ok && report.contains("bb") && report.contains("-> return"), "{report}");
}

#[test]
fn contradictions_stop_before_compiling() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("a.c"), "this is no C").expect("a file");
    let said = |flags: &[&str]| {
        let (ok, _, said) = run(folder, &bin("pathcc"), &[&["-c", "a.c"], flags].concat());
        assert!(!ok && said.lines().count() == 1, "{said}");
        said
    };
    assert!(said(&["-fpath-mode=everything"]).contains("expected paths or blocks or edges or calls or log"));
    assert!(said(&["-fpath-placement=every-block"]).contains("needs -fpath-mode=blocks"));
    assert!(said(&["-fpath-mode=edges", "-fpath-in-flight=yes"]).contains("cannot be had with -fpath-mode=edges"));
}
