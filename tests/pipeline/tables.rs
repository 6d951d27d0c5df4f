//! Tables of callees and of uncut paths: exact in every thread, over forks and kills, and after a
//! merge.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use pathtests::tree::bin;
use serde_json::Value;

fn command(folder: &Path, program: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder).env("PATHCC_PROFILE", "run.%p.pathprof");
    command
}

fn build(folder: &Path, compiler: &str, source: &str, flags: &[&str]) {
    let name = if compiler == "pathc++" { "main.cc" } else { "main.c" };
    fs::write(folder.join(name), source).expect("a file");
    let flags =
        [&[name, "-o", "program", "-Xclang", "-mllvm", "-Xclang", "-pathcc-verify=yes"], flags]
            .concat();
    let output = command(folder, &bin(compiler), &flags).output().expect("the tree is built");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Runs the program; gives whether it ended well.
fn run(folder: &Path, arguments: &[&str]) -> bool {
    command(folder, &folder.join("program"), arguments).status().expect("it starts").success()
}

fn profiles(folder: &Path) -> Vec<String> {
    let entries =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").file_name());
    let names = entries.map(|name| name.into_string().expect("UTF-8"));
    names.filter(|name| name.trim_start_matches('.').starts_with("run.")).collect()
}

/// The functions of all profiles in a folder, by name.
fn exported(folder: &Path, names: &[String]) -> BTreeMap<String, Value> {
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let export = [&["export", "--format", "json"], &names[..]].concat();
    let output = command(folder, &bin("pathprof"), &export).output().expect("the tree is built");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let export: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let functions = export["functions"].as_array().expect("a list").iter();
    functions
        .map(|function| (function["name"].as_str().expect("a name").to_owned(), function.clone()))
        .collect()
}

/// What the calls through pointers in a function called: callees with their counts, and how many
/// others.
fn callees(function: &Value) -> Vec<(BTreeMap<String, u64>, u64)> {
    let site = |site: &Value| {
        let targets = site["targets"].as_array().expect("a list").iter();
        let target = |of: &Value| {
            (
                of["name"].as_str().expect("a name").to_owned(),
                of["count"].as_u64().expect("a count"),
            )
        };
        (targets.map(target).collect(), site["others"].as_u64().expect("a count"))
    };
    function["indirect_calls"].as_array().expect("a list").iter().map(site).collect()
}

fn named(names: &[(&str, u64)]) -> BTreeMap<String, u64> {
    names.iter().map(|&(name, count)| (name.to_owned(), count)).collect()
}

const CALLS: &str = r#"
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static int one(int n) { return n + 1; }
static int two(int n) { return n + 2; }
static int three(int n) { return n + 3; }
static int (*const functions[])(int) = {one, two, three};
static int call(int n) { return functions[n % 3](n); }
static void *work(void *unused) {
  int sum = 0;
  for (int n = 0; n < 30000; n++) sum += call(n);
  return (void *)(long)(sum & 1);
}
int main(int count, char **words) {
  size_t (*volatile outside)(const char *) = strlen;
  outside(words[0]);
  pthread_t threads[4];
  for (int n = 0; n < 4; n++) pthread_create(&threads[n], 0, work, 0);
  for (int n = 0; n < 4; n++) pthread_join(threads[n], 0);
  if (count > 1 && !strcmp(words[1], "fork")) {
    if (fork() == 0) {
      call(1);
      call(2);
      exit(0);
    }
    wait(0);
  }
  if (count > 1 && !strcmp(words[1], "kill")) kill(getpid(), SIGKILL);
  return 0;
}
"#;

#[test]
fn callees_are_exact_in_every_thread_and_mode() {
    for flags in [
        ["-O2", "-fpath-mode=calls"],
        ["-O0", "-fpath-mode=calls"],
        ["-O2", "-fpath-callees=4"],
        ["-fpath-mode=edges", "-fpath-callees=4"],
        ["-fpath-mode=calls", "-fpath-threads=atomic"],
        ["-fpath-mode=calls", "-fpath-stage=early"],
        ["-fpath-mode=calls", "-static"],
        ["-fpath-mode=calls", "-flto"],
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        build(folder, "pathcc", CALLS, &[&flags[..], &["-fno-inline"]].concat());
        assert!(run(folder, &[]));
        let functions = exported(folder, &profiles(folder));
        let expected = named(&[("one", 40000), ("two", 40000), ("three", 40000)]);
        assert_eq!(callees(&functions["call"]), [(expected, 0)], "{flags:?}");
        let outside = callees(&functions["main"]);
        assert_eq!(outside.len(), 1);
        assert_eq!(outside[0].0.values().sum::<u64>() + outside[0].1, 1, "{outside:?}");
    }
}

#[test]
fn callees_survive_forks_kills_and_merges() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    build(folder, "pathcc", CALLS, &["-O1", "-fno-inline", "-fpath-mode=calls"]);
    assert!(!run(folder, &["kill"]));
    let killed = profiles(folder);
    assert_eq!(killed.len(), 1);
    let third = |more: [u64; 3]| {
        named(&[("one", 40000 + more[0]), ("two", 40000 + more[1]), ("three", 40000 + more[2])])
    };
    assert_eq!(callees(&exported(folder, &killed)["call"]), [(third([0, 0, 0]), 0)]);
    assert!(run(folder, &["fork"]));
    let all = profiles(folder);
    assert_eq!(all.len(), 3);
    // Addresses differ from process to process.
    let sum = third([40000, 40001, 40001]);
    assert_eq!(callees(&exported(folder, &all)["call"]), [(sum.clone(), 0)]);
    let names: Vec<_> = all.iter().map(String::as_str).collect();
    let merge = [&["merge", "-o", "all.pathprof"], &names[..]].concat();
    assert!(
        command(folder, &bin("pathprof"), &merge).status().expect("the tree is built").success()
    );
    assert_eq!(callees(&exported(folder, &["all.pathprof".into()])["call"]), [(sum, 0)]);
}

#[test]
fn more_callees_than_room_are_counted_together() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    build(
        folder,
        "pathcc",
        CALLS,
        &["-O1", "-fno-inline", "-fpath-mode=calls", "-fpath-callees=2"],
    );
    assert!(run(folder, &[]));
    let sites = callees(&exported(folder, &profiles(folder))["call"]);
    assert_eq!(sites.len(), 1);
    let (known, others) = &sites[0];
    assert!(
        known.len() == 2 && known.values().all(|&count| count == 40000) && *others == 40000,
        "{sites:?}"
    );
}

const VIRTUAL: &str = r#"
#include <dlfcn.h>
#include <memory>
#include <stdexcept>
struct Base { virtual int go(int n) { return n; } virtual ~Base() = default; };
struct Thrower : Base { int go(int n) override { if (n % 2) throw std::runtime_error("odd"); return n; } };
__attribute__((noinline)) int go(Base &of, int n) { try { return of.go(n); } catch (std::exception &) { return -1; } }
int main() {
  std::unique_ptr<Base> all[] = {std::make_unique<Base>(), std::make_unique<Thrower>()};
  int caught = 0;
  for (int n = 0; n < 10; n++) for (auto &one : all) caught += go(*one, n) < 0;
  void *library = dlopen("./library.so", RTLD_NOW);
  if (!library) return 2;
  auto loaded = (int (*)(int))dlsym(library, "loaded");
  return caught != 5 || loaded(3) != 6;
}
"#;

#[test]
fn virtual_functions_and_loaded_ones_have_names() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("library.c"), "int loaded(int n) { return 2 * n; }\n").expect("a file");
    let library = ["-shared", "-fPIC", "library.c", "-o", "library.so"];
    assert!(
        command(folder, &bin("pathcc"), &library).status().expect("the tree is built").success()
    );
    for flags in
        [["-O0", "-fpath-mode=calls"], ["-O2", "-fpath-mode=calls"], ["-O2", "-fpath-callees=2"]]
    {
        profiles(folder).iter().for_each(|name| fs::remove_file(folder.join(name)).expect("ours"));
        build(folder, "pathc++", VIRTUAL, &flags);
        assert!(run(folder, &[]));
        let functions = exported(folder, &profiles(folder));
        let go = callees(&functions["_Z2goR4Basei"]);
        let expected = named(&[("_ZN4Base2goEi", 10), ("_ZN7Thrower2goEi", 10)]);
        assert!(go.contains(&(expected, 0)), "{flags:?}: {go:?}");
        let main = callees(&functions["main"]);
        assert!(main.contains(&(named(&[("loaded", 1)]), 0)), "{flags:?}: {main:?}");
    }
}

/// Twenty independent branches in a loop: a million paths.
const BRANCHES: &str = r#"
#include <pthread.h>
static int branches(unsigned n) {
  int sum = 0;
#define STEP(bit) if (n >> bit & 1) sum += bit; else sum ^= n;
  STEP(0) STEP(1) STEP(2) STEP(3) STEP(4) STEP(5) STEP(6) STEP(7) STEP(8) STEP(9)
  STEP(10) STEP(11) STEP(12) STEP(13) STEP(14) STEP(15) STEP(16) STEP(17) STEP(18) STEP(19)
  return sum;
}
static void *work(void *unused) {
  int sum = 0;
  for (unsigned n = 0; n < 50000; n++) sum += branches(n % 100 * 2654435761u >> 12);
  return (void *)(long)(sum & 1);
}
int main(void) {
  pthread_t threads[4];
  for (int n = 0; n < 4; n++) pthread_create(&threads[n], 0, work, 0);
  for (int n = 0; n < 4; n++) pthread_join(threads[n], 0);
  return 0;
}
"#;

#[test]
fn paths_beyond_the_limit_are_whole_in_every_thread() {
    for level in ["-O0", "-fpath-stage=early"] {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        build(folder, "pathcc", BRANCHES, &[level, "-fno-inline", "-fpath-overflow=hash"]);
        assert!(run(folder, &[]));
        let function = &exported(folder, &profiles(folder))["branches"];
        assert_eq!(function["possible_paths"], "1048576", "{level}");
        assert_eq!(function["beyond_table"], 0, "{level}");
        let paths = function["paths"].as_array().expect("a list");
        assert_eq!(paths.len(), 100, "{level}");
        for path in paths {
            assert_eq!(
                (&path["count"], &path["start"], &path["end"]),
                (&2000.into(), &"entry".into(), &"return".into())
            );
        }
    }
}

#[test]
fn what_finds_no_room_is_told_in_pieces() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    build(folder, "pathcc", BRANCHES, &["-O0", "-fpath-overflow=hash", "-fpath-table=32"]);
    assert!(run(folder, &[]));
    let function = &exported(folder, &profiles(folder))["branches"];
    let paths = function["paths"].as_array().expect("a list");
    let is_uncut = |path: &&Value| {
        path["id"].as_str().expect("a number").parse::<u64>().expect("a number") < 1 << 20
    };
    let uncut: u64 =
        paths.iter().filter(is_uncut).map(|path| path["count"].as_u64().expect("a count")).sum();
    assert_eq!(paths.iter().filter(is_uncut).count(), 32);
    assert_eq!((uncut, function["beyond_table"].as_u64()), (64_000, Some(136_000)));
    // The entry block is in the uncut paths and in the first pieces of the others.
    assert_eq!(function["blocks"][0]["count"], 200_000);
    let from_entry =
        paths.iter().filter(|path| path["start"] == "entry").map(|path| path["count"].as_u64());
    assert_eq!(from_entry.sum::<Option<u64>>(), Some(200_000));
    let report = ["report", &profiles(folder)[0]].map(str::to_owned);
    let report: Vec<_> = report.iter().map(String::as_str).collect();
    let output = command(folder, &bin("pathprof"), &report).output().expect("the tree is built");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        text.contains("136,000 executions of paths in 1 function found no room in a table"),
        "{text}"
    );
}

const NULL: &str = r#"
#include <setjmp.h>
#include <signal.h>
static sigjmp_buf back;
static void handler(int signal) { siglongjmp(back, signal); }
static void a(void) {}
__attribute__((noinline)) static void call(void (*volatile *to)(void)) { (*to)(); }
int main(void) {
  void (*volatile to)(void) = a;
  signal(SIGSEGV, handler);
  for (volatile int n = 0; n < 13; n++) {
    to = n < 3 ? 0 : a;
    if (!sigsetjmp(back, 1)) call(&to);
  }
  return 0;
}
"#;

#[test]
fn a_call_through_null_is_nobodys() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    build(folder, "pathcc", NULL, &["-O1", "-fno-inline", "-fpath-callees=2"]);
    assert!(run(folder, &[]));
    let sites = callees(&exported(folder, &profiles(folder))["call"]);
    assert_eq!(sites, [(named(&[("a", 10), ("0x0", 3)]), 0)]);
}

const MAYBE: &str = "int twice(int (*of)(int), int n);\n\
                     static int one(int n) { return n + 1; }\n\
                     int main(int count, char **words) { return count > 1 ? twice(one, 0) != 2 : words == 0; }\n";

/// A process that loads a library and counts nothing in it must not lend its map to the next one.
#[test]
fn a_merge_keeps_maps_and_keys_together() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("twice.c"), "int twice(int (*of)(int), int n) { return of(of(n)); }\n")
        .expect("a file");
    let library = ["-shared", "-fPIC", "-fpath-mode=calls", "twice.c", "-o", "libtwice.so"];
    assert!(
        command(folder, &bin("pathcc"), &library).status().expect("the tree is built").success()
    );
    build(folder, "pathcc", MAYBE, &["-fpath-mode=calls", "./libtwice.so"]);
    // Many processes of both kinds, in any order of their numbers.
    for arguments in [&[][..], &["x"], &[], &["x"], &[], &["x"]] {
        assert!(run(folder, arguments));
    }
    let all = profiles(folder);
    let names: Vec<_> = all.iter().map(String::as_str).collect();
    fs::create_dir(folder.join("all")).expect("a folder");
    let merge = [&["merge", "-o", "all/"], &names[..]].concat();
    assert!(
        command(folder, &bin("pathprof"), &merge).status().expect("the tree is built").success()
    );
    let sites = callees(&exported(folder, &["all".into()])["twice"]);
    assert!(
        sites.iter().all(|site| *site == (named(&[("one", 3)]), 0)) && sites.len() == 2,
        "{sites:?}"
    );
}

#[test]
fn what_uncut_paths_are_missing_is_listed_as_such() {
    let source = "int pick(int a, int b, int c, int d) { int n = 0; if (a) n += 1; if (b) n += 2; if (c) n += 4; if (d) n += 8; return n; }\n\
                  int main(void) { return pick(1, 0, 1, 0) != 5; }\n";
    let missing = |flags: &[&str]| {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        build(folder, "pathcc", source, &[&["-g", "-O0", "-fpath-stage=early"], flags].concat());
        assert!(run(folder, &[]));
        let names = profiles(folder);
        let coverage = ["coverage", "--missing", "--function", "pick", &names[0]];
        let output =
            command(folder, &bin("pathprof"), &coverage).output().expect("the tree is built");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let expected = missing(&[]);
    assert!(expected.contains("15 of 16"), "{expected}");
    assert_eq!(missing(&["-fpath-limit=1", "-fpath-overflow=hash"]), expected);
}
