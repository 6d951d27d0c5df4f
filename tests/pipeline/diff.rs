//! What is different between two builds of a program, or two runs of one, from the compiler to the
//! text.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use pathtests::tree::bin;
use serde_json::Value;
use tempfile::TempDir;

const MAIN: &str = "\
#include <stdio.h>
#include <stdlib.h>
int scaled(int n);
static int step(int n) {
    return n % 3 == 0 ? n / 3 : n + 1;
}
static int walk(int from) {
    int steps = 0;
    while (from > 1) {
        from = step(from);
        steps++;
    }
    return steps;
}
int main(int count, char **words) {
    int sum = 0;
    for (int n = 0; n < (count > 1 ? atoi(words[1]) : 10); n++)
        sum += walk(n) + scaled(n);
    printf(\"%d\\n\", sum);
    return 0;
}
";
const OTHER: &str = "\
static int step(int n) {
    return n > 5 ? n * 2 : n;
}
int scaled(int n) {
    return step(n) + 1;
}
";

fn run(folder: &Path, program: &Path, arguments: &[&str], profile: &str) -> Output {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder).env("PATHCC_PROFILE", profile);
    command.output().expect("it can be run")
}

/// Builds both units in a folder of its own.
fn built(folder: &Path, main: &str, other: &str, flags: &[&str]) {
    fs::create_dir_all(folder).expect("writable");
    fs::write(folder.join("main.c"), main).expect("writable");
    fs::write(folder.join("other.c"), other).expect("writable");
    let line = [&["-g", "main.c", "other.c", "-o", "program"], flags].concat();
    let said = run(folder, &bin("pathcc"), &line, "");
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
}

fn ran(folder: &Path, arguments: &[&str], profile: &str) {
    assert!(run(folder, &folder.join("program"), arguments, profile).status.success());
}

/// What `pathprof diff` prints, and its exit code.
fn diff(folder: &Path, arguments: &[&str]) -> (String, Option<i32>) {
    let said = run(folder, &bin("pathprof"), &[&["diff"], arguments].concat(), "");
    let text = String::from_utf8([said.stdout, said.stderr].concat()).expect("text");
    (text, said.status.code())
}

fn exported(folder: &Path, arguments: &[&str]) -> Value {
    let line = [&["diff", "--format", "json"], arguments].concat();
    let said = run(folder, &bin("pathprof"), &line, "");
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    let document: Value = serde_json::from_slice(&said.stdout).expect("JSON");
    // The parts are the whole, in each of the four ways.
    for parts in ["functions", "paths", "blocks", "calls"] {
        let parts = document[parts].as_array().expect("a list");
        let sum: i64 =
            parts.iter().map(|part| part["difference"].as_i64().expect("a number")).sum();
        assert_eq!(Some(sum), document["difference"].as_i64(), "{document:#}");
    }
    document
}

/// The functions that differ, and what they were matched by.
fn functions(document: &Value) -> Vec<(&str, &str)> {
    let list = document["functions"].as_array().expect("a list").iter();
    let mut functions: Vec<_> = list
        .map(|of| {
            (of["function"].as_str().expect("a name"), of["matched"].as_str().expect("a word"))
        })
        .collect();
    functions.sort_unstable();
    functions
}

/// Two builds, both run.
fn two(home: &Path, main: &str, other: &str, flags: [&[&str]; 2]) {
    for (name, main, other, flags) in [("a", MAIN, OTHER, flags[0]), ("b", main, other, flags[1])] {
        let folder = home.join(name);
        // What was there is of another build.
        let _ = fs::remove_dir_all(&folder);
        built(&folder, main, other, flags);
        ran(&folder, &[], "run.pathprof");
    }
}

const BOTH: [&str; 2] = ["a/run.pathprof", "b/run.pathprof"];

#[test]
fn a_rebuilt_program_is_compared_function_by_function() {
    let home = TempDir::new().expect("a folder");
    let home = home.path();
    // Lines move, and nothing else.
    let moved = MAIN.replace("static int walk", "/* A comment\n   of lines. */\n\nstatic int walk");
    two(home, &moved, OTHER, [&["-O0"]; 2]);
    let same = exported(home, &BOTH);
    assert_eq!((functions(&same), &same["matched"]["hash"]["functions"]), (vec![], &5.into()));
    // A condition changes: its paths do, in the unit whose function it is.
    two(home, MAIN, &OTHER.replace("n > 5", "n > 7"), [&["-O0"]; 2]);
    let changed = exported(home, &BOTH);
    assert_eq!(functions(&changed), [("step", "hash")]);
    assert!(changed["functions"][0]["b"]["file"].as_str().expect("a file").ends_with("other.c"));
    let counts: Vec<_> =
        changed["paths"].as_array().expect("a list").iter().map(|path| &path["count"]).collect();
    // Of 0 to 9, four numbers are more than 5 and two more than 7.
    assert_eq!(counts, [&serde_json::json!([4, 2]), &serde_json::json!([6, 8])]);
    // A name changes, and a graph does.
    let renamed = MAIN.replace("walk", "wander").replace("steps++", "if (from != 7) steps++");
    let renamed = renamed.replace("step(", "pace(");
    two(home, &renamed, OTHER, [&["-O0"]; 2]);
    let found = exported(home, &BOTH);
    let expected = [("walk", "only_a"), ("wander", "only_b")];
    assert_eq!(functions(&found), expected);
    assert_eq!(found["matched"]["renamed"]["functions"], 1);
}

#[test]
fn lines_are_compared_where_the_graph_is_another_one() {
    let home = TempDir::new().expect("a folder");
    let home = home.path();
    let longer = MAIN.replace(
        "        steps++;\n",
        "        if (from == 7)\n            steps += 2;\n        steps++;\n",
    );
    two(home, &longer, OTHER, [&["-O0"]; 2]);
    let found = exported(home, &BOTH);
    assert_eq!(functions(&found), [("walk", "changed")]);
    let blocks = found["blocks"].as_array().expect("a list");
    let lines: Vec<_> = blocks.iter().map(|part| part["line"].clone()).collect();
    assert!(lines.contains(&serde_json::json!([null, 13])), "{lines:?}");
    let (text, code) = diff(home, &BOTH);
    assert!(
        text.contains("another graph: ") && text.contains("the same name, another graph  lines"),
        "{text}"
    );
    assert_eq!(code, Some(0));
}

#[test]
fn levels_and_modes_are_compared() {
    let home = TempDir::new().expect("a folder");
    let home = home.path();
    let pairs: [[&[&str]; 2]; 4] = [
        [&["-O0"], &["-O2"]],
        [&["-O2"], &["-O3", "-flto"]],
        [&["-O1"], &["-O1", "-fpath-mode=blocks"]],
        [&["-O1", "-fpath-mode=edges"], &["-O1", "-fpath-stage=early"]],
    ];
    for flags in pairs {
        two(home, MAIN, OTHER, flags);
        exported(home, &BOTH);
    }
}

#[test]
fn counts_are_divided_by_runs_and_entries() {
    let home = TempDir::new().expect("a folder");
    let home = home.path();
    built(home, MAIN, OTHER, &["-O0"]);
    for profile in ["one.pathprof", "three.pathprof", "three.pathprof", "three.pathprof"] {
        ran(home, &[], profile);
    }
    ran(home, &["20"], "long.pathprof");
    let per_run = exported(home, &["--per-run", "one.pathprof", "three.pathprof"]);
    assert_eq!((&per_run["difference"], &per_run["b"]["divisor"]), (&0.into(), &3.into()));
    assert_ne!(exported(home, &["one.pathprof", "three.pathprof"])["difference"], 0);
    let per_entry = ["--per-entry", "scaled", "one.pathprof", "long.pathprof"];
    let found = exported(home, &per_entry);
    assert_eq!((&found["a"]["divisor"], &found["b"]["divisor"]), (&10.into(), &20.into()));
    assert!(!functions(&found).contains(&("scaled", "hash")), "each entry costs the same");
    // Labels and starts choose a side of one profile.
    for (profile, label) in [("one.pathprof", "short"), ("long.pathprof", "long")] {
        let merged = format!("{label}.merged.pathprof");
        let arguments = ["merge", "--label", label, "-o", &merged, profile];
        assert!(run(home, &bin("pathprof"), &arguments, "").status.success());
    }
    let merge = ["merge", "-o", "all.pathprof", "short.merged.pathprof", "long.merged.pathprof"];
    assert!(run(home, &bin("pathprof"), &merge, "").status.success());
    let labels = ["all.pathprof", "all.pathprof", "--label-a", "short", "--label-b", "long"];
    let plain = exported(home, &["one.pathprof", "long.pathprof"]);
    assert_eq!(exported(home, &labels)["difference"], plain["difference"]);
    let starts = ["three.pathprof", "three.pathprof", "--run-a", "3", "--run-b", "1"];
    assert_eq!(exported(home, &starts)["difference"], 0);
}

/// Each table of parts is the whole difference, as JSON has it.
fn tables_for_spreadsheets_add_up(home: &Path) {
    let (text, code) = diff(home, &[&BOTH[..], &["--top", "0", "--format", "csv"]].concat());
    assert_eq!(code, Some(0), "{text}");
    let whole = exported(home, &BOTH)["difference"].as_i64().expect("a number");
    // What is said while reading stands behind it.
    let tables: Vec<_> =
        text.split("\n\n").filter(|table| table.starts_with("difference,")).collect();
    assert_eq!(tables.len(), 4, "{text}");
    for table in tables {
        let rows = table.lines().skip(1).filter_map(|row| row.split(',').next());
        let parts = rows.filter_map(|number| number.parse::<i64>().ok());
        assert_eq!(parts.sum::<i64>(), whole, "{table}");
    }
}

#[test]
fn text_is_not_broken_without_a_terminal_and_exit_codes_tell() {
    let home = TempDir::new().expect("a folder");
    let home = home.path();
    two(home, &MAIN.replace("steps++", "steps += 2"), OTHER, [&["-O0"], &["-O1"]]);
    let (text, code) = diff(home, &[&BOTH[..], &["--top", "0"]].concat());
    let long = text.lines().filter(|line| line.chars().count() > 80).collect::<Vec<_>>();
    assert!(!long.is_empty(), "{text}");
    assert!(text.contains("functions add up to the whole difference"), "{text}");
    assert_eq!(code, Some(0));
    let (markdown, _) = diff(home, &[&BOTH[..], &["--format", "markdown"]].concat());
    assert!(markdown.contains("| difference | share | A | B | count A | count B | function |"));
    tables_for_spreadsheets_add_up(home);
    assert_eq!(diff(home, &[&BOTH[..], &["--function", "nobody"]].concat()).1, Some(1));
    let functions = |more: &[&str]| {
        let (text, code) = diff(home, &[&BOTH[..], &["--top", "0"], more].concat());
        assert_eq!(code, Some(0), "{more:?}: {text}");
        text.split("\npaths\n").next().expect("a list of functions").to_string()
    };
    assert!(functions(&[]).contains("main.c:") && functions(&[]).contains("other.c:"), "{text}");
    for more in [["--file", "other.c"], ["--hide", "main.c"]] {
        let chosen = functions(&more);
        assert!(!chosen.contains("main.c:") && chosen.contains("other.c:"), "{more:?}: {chosen}");
    }
    assert_eq!(diff(home, &[&BOTH[..], &["--file", "nowhere.c"]].concat()).1, Some(1));
    assert_eq!(diff(home, &["a/run.pathprof", "a/main.c"]).1, Some(1));
    assert_eq!(diff(home, &["a/run.pathprof"]).1, Some(2));
    assert_eq!(diff(home, &["--spectra", "a"]).1, Some(2));
    assert_eq!(diff(home, &["--spectra", "a/main.c", "--against", "b"]).1, Some(1));
}
