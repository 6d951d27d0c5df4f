//! Paths as machine instructions: what `pathprof show` prints of them.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use pathtests::tree::bin;
use serde_json::Value;
use tempfile::TempDir;

const PROGRAM: &str = "
static volatile int sum;
__attribute__((noinline)) int work(int i) { if (i % 3 == 0) sum += i; return i & 1; }
int main(void) {
  for (int i = 0; i < 30; i++) sum += work(i);
#ifdef SWITCH
  for (int i = 0; i < 30; i++)
    switch (i % 7) { case 1: sum++; break; case 500: sum--; break; case 90000: sum += 2; }
#endif
  return 0;
}
";

/// Compiles the program with these flags, runs it, and returns its folder.
fn program(flags: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let place = folder.path();
    fs::write(place.join("main.c"), PROGRAM).expect("writable");
    let compiler = bin("pathcc");
    let compiler = compiler.to_str().expect("text");
    let built = command(place, compiler, &[&["-O2", "main.c", "-o", "main"], flags].concat());
    assert!(built.status.success(), "{built:?}");
    assert!(command(place, "./main", &[]).status.success());
    folder
}

fn command(place: &Path, name: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(name);
    let command = command.args(arguments).current_dir(place).env_remove("PATHCC_PROFILE");
    command.output().expect("it can be started")
}

/// What `pathprof show` prints with these arguments; or else its error.
fn show(place: &Path, arguments: &[&str]) -> Result<String, String> {
    let pathprof = bin("pathprof");
    let output = command(place, pathprof.to_str().expect("text"), &[&["show"], arguments].concat());
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
}

/// Address, mark and text of the instructions of a listing.
fn instructions(listing: &str) -> Vec<(u64, bool, String)> {
    let line = |line: &str| {
        let (address, text) = line.trim().split_once(":  ")?;
        let address = u64::from_str_radix(address, 16).ok()?;
        let own = text.strip_prefix("counts  ");
        Some((address, own.is_some(), own.unwrap_or(text).trim().to_owned()))
    };
    listing.lines().filter_map(line).collect()
}

#[test]
fn a_path_is_the_instructions_that_objdump_prints() {
    let folder = program(&["-fpath-stage=machine"]);
    let listing = show(folder.path(), &["--asm", "work#1"]).expect("a listing");
    let found = instructions(&listing);
    assert!(listing.starts_with("work#1  20 times"), "{listing}");
    assert!(listing.contains(", 20 of 30 times"), "{listing}");
    let dump = command(folder.path(), "objdump", &["-dw", "--no-show-raw-insn", "main"]);
    let dump = String::from_utf8(dump.stdout).expect("text");
    let known: HashMap<u64, String> = dump
        .lines()
        .filter_map(|line| line.trim().split_once(":\t"))
        .filter_map(|(at, text)| Some((u64::from_str_radix(at, 16).ok()?, text.trim().into())))
        .collect();
    assert!(found.iter().any(|(_, counts, _)| *counts), "{listing}");
    let own: Vec<_> = found.iter().filter(|(_, counts, _)| !counts).collect();
    assert!(own.len() > 4, "{listing}");
    for (address, _, text) in own {
        let expected = known[address].replace(",%edi,%edi", ",%edi");
        assert_eq!(*text.replace(",%edi,%edi", ",%edi"), expected, "{address:x}");
    }
}

#[test]
fn what_each_function_executed_is_known() {
    let folder = program(&["-fpath-stage=machine"]);
    let text = show(folder.path(), &["--asm", "--format", "json", "main"]).expect("a table");
    let json: Value = serde_json::from_str(&text).expect("JSON");
    let rows = json["tables"][0]["rows"].as_array().expect("rows");
    let names: Vec<_> = rows.iter().map(|row| row["function"].as_str().expect("text")).collect();
    assert_eq!(names.len(), 2, "{text}");
    assert!(names.contains(&"work") && names.contains(&"main"), "{text}");
    assert!(rows.iter().all(|row| row["instructions"].as_u64() > Some(30)), "{text}");
    assert!(rows.iter().all(|row| row["counting"].as_u64() > Some(0)), "{text}");
}

/// A `switch` is branches with a jump behind each. Code that counts may need fewer of the jumps.
#[test]
fn a_report_counts_the_jumps_that_run() {
    let folder = program(&["-fpath-stage=machine", "-O0", "-DSWITCH"]);
    let place = folder.path();
    let pathprof = bin("pathprof");
    let exported = ["export", "--format", "json"];
    let exported = command(place, pathprof.to_str().expect("text"), &exported).stdout;
    let exported: Value = serde_json::from_slice(&exported).expect("JSON");
    let table = show(place, &["--asm", "--format", "json"]).expect("a table");
    let table: Value = serde_json::from_str(&table).expect("JSON");
    let list = |of: &Value| of.as_array().expect("a list").clone();
    let number = |of: &Value| of.as_u64().unwrap_or_default();
    let executed =
        |of: &[Value]| of.iter().map(|of| number(&of["count"]) * number(&of["instructions"])).sum();
    let functions = list(&exported["functions"]);
    assert_eq!(functions.len(), 2, "{exported}");
    for of in functions {
        let (blocks, edges): (u64, u64) =
            (executed(&list(&of["blocks"])), executed(&list(&of["edges"])));
        assert_eq!(number(&of["instructions"]), blocks + edges, "{of}");
        assert_eq!(edges > 0, of["name"] == "main", "{of}");
        let rows = list(&table["tables"][0]["rows"]);
        let row = rows.iter().find(|row| row["symbol"] == of["name"]).expect("it has a row");
        let ran = number(&row["instructions"]);
        assert!((blocks..=blocks + edges).contains(&ran), "{ran}: {of}");
    }
}

#[test]
fn cycles_are_predicted() {
    let folder = program(&["-fpath-stage=machine"]);
    if Command::new("llvm-mca-22").arg("--version").output().is_err() {
        eprintln!("skipped: this machine has no llvm-mca-22");
        return;
    }
    let one = ["--mca", "--mcpu", "skylake", "work#1"];
    let text = show(folder.path(), &one).expect("a prediction");
    for expected in ["processor", "skylake", "cycles", "bottleneck", "an estimate"] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let all = ["--mca", "--mcpu", "skylake", "--format", "json", "main"];
    let text = show(folder.path(), &all).expect("a table");
    let json: Value = serde_json::from_str(&text).expect("JSON");
    let rows = json["tables"][0]["rows"].as_array().expect("rows");
    let counts: Vec<_> = rows.iter().filter_map(|row| row["count"].as_u64()).collect();
    assert!(counts.contains(&20) && counts.contains(&10), "{text}");
    let wrong = show(folder.path(), &["--mca", "--mcpu", "none-such", "work"]);
    assert!(wrong.is_err_and(|said| said.contains("none-such")));
}

#[test]
fn an_image_without_a_map_says_what_to_do() {
    let late = program(&["-fpath-stage=late"]);
    for arguments in [&["--asm", "work"][..], &["--asm"], &["--mca"]] {
        let said = show(late.path(), arguments).expect_err("no machine code");
        assert!(said.contains("-fpath-stage=machine"), "{said}");
    }
    let folder = program(&["-fpath-stage=machine"]);
    let gone = ["--remove-section", ".pathcc.code", "main"];
    assert!(command(folder.path(), "objcopy", &gone).status.success());
    let said = show(folder.path(), &["--asm", "work"]).expect_err("no map");
    assert!(said.contains("has no section .pathcc.code"), "{said}");
}

/// The code is the same with and without what else is linked, wherever its sections go.
#[test]
fn every_way_to_link_keeps_the_map() {
    let ways: [&[&str]; 5] = [
        &["-ffunction-sections", "-Wl,--gc-sections"],
        &["-fbasic-block-sections=all"],
        &["-no-pie", "-fno-pic"],
        &["-s"],
        &["-fcf-protection=full", "-fpatchable-function-entry=4"],
    ];
    for way in ways {
        let folder = program(&[&["-fpath-stage=machine"], way].concat());
        let listing = show(folder.path(), &["--asm", "work#1"]);
        let listing = listing.unwrap_or_else(|said| panic!("{way:?}: {said}"));
        assert!(instructions(&listing).len() > 4, "{way:?}: {listing}");
    }
}
