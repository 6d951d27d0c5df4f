//! A second build with the weights of a first run: other code, the same paths and the same counts.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use pathtests::tree::bin;
use serde_json::Value;

/// The paths of each function: its blocks, and how often it ran.
type Paths = BTreeMap<String, BTreeMap<String, u64>>;

/// What a command said on standard error; whether it succeeded is checked.
fn run(folder: &Path, program: &Path, arguments: &[&str], succeeds: bool) -> String {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder).env("PATHCC_PROFILE", "run.pathprof");
    let output = command.output().expect("the tree is built");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.success(), succeeds, "{command:?}: {said}");
    said
}

/// Builds a kernel with these flags, runs it, and tells its paths and the bytes of its object.
fn counted(folder: &Path, kernel: &str, size: &str, flags: &[&str]) -> (Paths, Vec<u8>) {
    let source =
        Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../examples/kernels/{kernel}.c"));
    fs::copy(source, folder.join("kernel.c")).expect("a kernel");
    let compile = [&["-O2", "-c", "kernel.c", "-o", "kernel.o"], flags].concat();
    assert_eq!(run(folder, &bin("pathcc"), &compile, true), "");
    run(folder, &bin("pathcc"), &["kernel.o", "-o", "kernel", "-lm"], true);
    // A profile that is there already is never overwritten.
    let _ = fs::remove_file(folder.join("run.pathprof"));
    run(folder, &folder.join("kernel"), &[size], true);
    run(
        folder,
        &bin("pathprof"),
        &["export", "--format", "json", "-o", "run.json", "run.pathprof"],
        true,
    );
    let json = fs::read_to_string(folder.join("run.json")).expect("an export");
    let export: Value = serde_json::from_str(&json).expect("JSON");
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let paths = |function: &Value| {
        let path =
            |path: &Value| (path["blocks"].to_string(), path["count"].as_u64().expect("a count"));
        list(&function["paths"]).iter().map(path).collect()
    };
    let functions = list(&export["functions"]);
    let named = functions.iter().map(|function| (function["name"].to_string(), paths(function)));
    (named.collect(), fs::read(folder.join("kernel.o")).expect("an object"))
}

#[test]
fn weights_change_the_code_and_no_count() {
    for (kernel, size) in [("match", "20000"), ("queens", "6"), ("rscode", "3"), ("words", "50000")]
    {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        let (first, plain) = counted(folder, kernel, size, &[]);
        assert!(first.values().any(|paths| !paths.is_empty()), "{kernel}");
        run(folder, &bin("pathprof"), &["weights", "-o", "app.weights", "run.pathprof"], true);
        let (second, weighted) = counted(folder, kernel, size, &["-fpath-use=app.weights"]);
        assert_eq!(first, second, "{kernel}");
        assert_ne!(plain, weighted, "{kernel}: the weights have no effect");
    }
}

#[test]
fn weights_fit_in_another_directory_and_only_the_same_code() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    counted(folder, "match", "20000", &[]);
    run(folder, &bin("pathprof"), &["weights", "-o", "app.weights", "run.pathprof"], true);
    let build = folder.join("build");
    fs::create_dir(&build).expect("writable");
    let compile = |flags: &[&str]| {
        let all = [&["-c", "../kernel.c", "-o", "kernel.o"], flags].concat();
        let said = run(&build, &bin("pathcc"), &all, true);
        (said, fs::read(build.join("kernel.o")).expect("an object"))
    };
    let weights = "-fpath-use=../app.weights";
    let (_, plain) = compile(&["-O2"]);
    let (said, weighted) = compile(&["-O2", weights]);
    assert_eq!(said, "");
    assert_ne!(plain, weighted, "the weights have no effect");
    let (said, _) = compile(&["-O0", weights]);
    assert_eq!(said.matches("nothing of it fits ../kernel.c").count(), 1, "{said}");
}

#[test]
fn weights_that_may_be_of_several_files_are_told_of_and_not_used() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    for (name, body) in [("main", "extern int f(int); int main(void) { return f(0); }"), ("f", "")]
    {
        let body = if body.is_empty() { "int f(int x) { return x ? 1 : 0; }" } else { body };
        fs::create_dir(folder.join(name)).expect("writable");
        fs::write(folder.join(name).join("part.c"), format!("{body}\n")).expect("writable");
    }
    run(folder, &bin("pathcc"), &["-O1", "main/part.c", "f/part.c", "-o", "app"], true);
    run(folder, &folder.join("app"), &[], true);
    run(folder, &bin("pathprof"), &["weights", "-o", "app.weights", "run.pathprof"], true);
    let compile = |place: &Path, source: &str| {
        let weights = format!("-fpath-use={}", folder.join("app.weights").display());
        run(place, &bin("pathcc"), &["-O1", "-c", source, "-o", "part.o", &weights], true)
    };
    assert_eq!(compile(folder, "f/part.c"), "");
    let said = compile(&folder.join("f"), "part.c");
    assert_eq!(said.matches("several of its files may be part.c").count(), 1, "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
}

#[test]
fn only_what_was_hot_is_counted_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let (first, _) = counted(folder, "words", "50000", &["-fno-inline"]);
    run(folder, &bin("pathprof"), &["weights", "-o", "app.weights", "run.pathprof"], true);
    let ran = |paths: &Paths| paths.values().filter(|paths| !paths.is_empty()).count();
    let mut before = 0;
    for percent in ["1", "60", "100"] {
        let hot = format!("-fpath-hot={percent}");
        let (second, _) =
            counted(folder, "words", "50000", &["-fno-inline", "-fpath-use=app.weights", &hot]);
        assert!(
            second.iter().all(|(name, paths)| paths.is_empty() || *paths == first[name]),
            "{percent}"
        );
        let now = ran(&second);
        assert!(now >= before && now > 0, "{percent}");
        before = now;
        let skipped = first
            .keys()
            .filter(|name| second[*name].is_empty() && !first[*name].is_empty())
            .count();
        assert!(
            if percent == "100" { skipped == 0 } else { skipped > 0 || percent == "60" },
            "{percent}"
        );
    }
    let alone = run(folder, &bin("pathcc"), &["-c", "kernel.c", "-fpath-hot=90"], false);
    assert!(alone.contains("give -fpath-use=FILE, too") && alone.lines().count() == 1, "{alone}");
}

#[test]
fn what_is_no_file_with_weights_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    counted(folder, "sort", "1000", &[]);
    let refused = |file: &str| {
        run(folder, &bin("pathcc"), &["-c", "kernel.c", &format!("-fpath-use={file}")], false)
    };
    let profile = refused("run.pathprof");
    assert!(
        profile.contains("run.pathprof is a profile")
            && profile.contains("pathprof weights -o FILE"),
        "{profile}"
    );
    assert!(refused("kernel.c").contains("kernel.c is no file with weights"));
    assert!(refused("missing").contains("cannot read missing"));
}

#[test]
fn damaged_weights_cost_a_warning_and_no_build() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("kernel.c"), "int f(int x) { return x ? 1 : 2; }\n").expect("a file");
    fs::write(
        folder.join("app.weights"),
        "pathcc weights 2\nsource kernel.c\nfunction f\nedge 0 what\n",
    )
    .expect("a file");
    let said =
        run(folder, &bin("pathcc"), &["-O1", "-c", "kernel.c", "-fpath-use=app.weights"], true);
    assert!(
        said.contains("app.weights: line 4 is damaged; estimates are used")
            && said.lines().count() == 1,
        "{said}"
    );
}

#[test]
fn a_report_tells_of_how_many_functions_weights_were_used() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let heading = || {
        let mut command = Command::new(bin("pathprof"));
        let output = command.args(["report", "run.pathprof"]).current_dir(folder).output();
        let report = String::from_utf8(output.expect("it runs").stdout).expect("text");
        report.lines().find(|line| line.starts_with("weights")).map(str::to_owned)
    };
    counted(folder, "match", "20000", &[]);
    assert_eq!(heading(), None);
    run(folder, &bin("pathprof"), &["weights", "-o", "app.weights", "run.pathprof"], true);
    counted(folder, "match", "20000", &["-fpath-use=app.weights"]);
    let told = heading().expect("weights were used");
    let words: Vec<_> = told.split_whitespace().collect();
    assert!(matches!(words[..], ["weights", "measured", "for", a, "of", b, _] if a == b), "{told}");
    // Another level makes other code of some functions.
    counted(folder, "match", "20000", &["-fpath-use=app.weights", "-O1"]);
    let told = heading().expect("weights were given");
    assert!(told.contains("are of other code"), "{told}");
    // The earlier run knows nothing of this file.
    fs::write(folder.join("other.c"), "int main(void) { return 0; }\n").expect("writable");
    run(folder, &bin("pathcc"), &["-fpath-use=app.weights", "other.c", "-o", "other"], true);
    fs::remove_file(folder.join("run.pathprof")).expect("a profile");
    run(folder, &folder.join("other"), &[], true);
    let told = heading().expect("weights were given");
    assert!(told.ends_with("measured for 0 of 1 function"), "{told}");
}
