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
const SUM: &str =
    "int sum(int n) { int s = 0; for (int i = 0; i < n; i++) if (i != 3) s += 2; return s; }\n";

fn run(folder: &Path, program: &Path, arguments: &[&str]) -> (bool, String, String) {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder).env("PATHCC_PROFILE", "run.pathprof");
    let output = command.output().expect("the tree is built");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.success(), text(&output.stdout), text(&output.stderr))
}

/// Counts of the blocks of each function, and how many paths it has, of an image whose units are
/// compiled with these flags.
fn counted(folder: &Path, flags: [&str; 3]) -> BTreeMap<String, (Vec<u64>, usize)> {
    for ((name, text), flag) in [("main", MAIN), ("odd", ODD), ("sum", SUM)].into_iter().zip(flags)
    {
        fs::write(folder.join(format!("{name}.c")), text).expect("a file");
        let (source, object) = (format!("{name}.c"), format!("{name}.o"));
        let (ok, _, said) =
            run(folder, &bin("pathcc"), &["-O0", flag, "-c", &source, "-o", &object]);
        assert!(ok && said.is_empty(), "{said}");
    }
    assert!(run(folder, &bin("pathcc"), &["main.o", "odd.o", "sum.o", "-o", "program"]).0);
    // A profile that is there already is never overwritten.
    let _ = fs::remove_file(folder.join("run.pathprof"));
    assert!(run(folder, &folder.join("program"), &[]).0, "the program works");
    let (ok, json, _) =
        run(folder, &bin("pathprof"), &["export", "--format", "json", "run.pathprof"]);
    assert!(ok);
    let export: Value = serde_json::from_str(&json).expect("JSON");
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let of = |function: &Value| {
        let counts = list(&function["blocks"])
            .iter()
            .map(|block| block["count"].as_u64().expect("a count"))
            .collect();
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
    assert!(
        paths.values().all(|(blocks, paths)| *paths > 0 && blocks.iter().any(|&count| count > 0))
    );
    let mixed = counted(folder, ["-fpath-mode=edges", "-fpath-mode=paths", "-fpath-mode=blocks"]);
    for (name, (blocks, _)) in &paths {
        assert_eq!(&mixed[name].0, blocks, "{name}");
    }
    assert_eq!(
        mixed.iter().filter(|(_, (_, paths))| *paths > 0).map(|(name, _)| name).collect::<Vec<_>>(),
        ["odd"]
    );
    let (ok, report, _) = run(folder, &bin("pathprof"), &["report", "run.pathprof"]);
    assert!(ok && report.contains("bb") && report.contains("→ return"), "{report}");
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
    assert!(
        said(&["-fpath-mode=everything"]).contains("expected paths, blocks, edges, calls or trace")
    );
    assert!(said(&["-fpath-placement=every-block"]).contains("needs -fpath-mode=blocks"));
}

const LOOP: &str = "#include <signal.h>\n#include <stdlib.h>\n\
                    __attribute__((noinline)) unsigned sum(const unsigned char *from, unsigned count) {\n\
                    unsigned sum = 1; for (unsigned n = 0; n < count; n++) sum = sum * 33 + from[n]; return sum; }\n\
                    int main(int count, char **words) { static unsigned char bytes[50000]; unsigned all = 0;\n\
                    for (int n = 0; n < 100; n++) { bytes[n]++; all += sum(bytes, 50000); }\n\
                    if (count > 1) raise(SIGKILL);\n\
                    return all == 12345; }\n";

/// Loops that are left before the process is killed have their counts, wherever these were kept.
#[test]
fn counters_in_registers_are_exact_once_the_loop_is_left() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("loop.c"), LOOP).expect("a file");
    let mut sizes = Vec::new();
    for (mode, promotion, promotes) in [
        ("-fpath-mode=blocks", "auto", true),
        ("-fpath-mode=blocks", "no", false),
        ("-fpath-stage=late", "yes", true),
        ("-fpath-stage=late", "auto", false),
        ("-fpath-mode=paths", "auto", true),
        ("-fpath-mode=paths", "no", false),
    ] {
        let flags = [mode.to_owned(), format!("-fpath-promotion={promotion}")];
        let flags = ["-O2", "-fno-unroll-loops", &flags[0], &flags[1], "loop.c", "-o", "loop"];
        assert!(run(folder, &bin("pathcc"), &flags).0);
        let code = Command::new("objdump")
            .args(["-d", "--disassemble=sum", "loop"])
            .current_dir(folder)
            .output();
        let code = String::from_utf8_lossy(&code.expect("binutils").stdout).into_owned();
        sizes.push(code.matches("addq").count() + code.matches("add    %r").count());
        for arguments in [&[][..], &["killed"]] {
            let _ = fs::remove_file(folder.join("run.pathprof"));
            assert_eq!(run(folder, &folder.join("loop"), arguments).0, arguments.is_empty());
            // A process that was killed has left its raw file.
            let profile = "run.pathprof";
            let (ok, json, _) =
                run(folder, &bin("pathprof"), &["export", "--format", "json", profile]);
            assert!(ok, "{mode} {promotion} {arguments:?}");
            let export: Value = serde_json::from_str(&json).expect("JSON");
            let functions = export["functions"].as_array().expect("a list");
            let sum =
                functions.iter().find(|function| function["name"] == "sum").expect("it is counted");
            let counts = sum["blocks"]
                .as_array()
                .expect("a list")
                .iter()
                .map(|block| block["count"].as_u64());
            assert_eq!(counts.max().flatten(), Some(5_000_000), "{mode} {promotion} {arguments:?}");
            let (_, report, _) = run(folder, &bin("pathprof"), &["report", profile]);
            assert_eq!(
                report.contains("what the loop counted that a thread was in may be missing"),
                promotes && !arguments.is_empty(),
                "{mode} {promotion} {arguments:?}"
            );
            for entry in
                fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry"))
            {
                if entry.file_name().to_string_lossy().contains(profile) {
                    fs::remove_file(entry.path()).expect("ours");
                }
            }
        }
    }
    assert!(
        sizes[0] > sizes[1] && sizes[2] > sizes[3] && sizes[4] > sizes[5],
        "with promotion the sum is added where the loop is left: {sizes:?}"
    );
}
