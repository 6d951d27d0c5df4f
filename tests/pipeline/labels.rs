//! What is counted under labels: each count is under the label that the program had, however it
//! ends, who changes the label, and whoever reads or sums the profile meanwhile.
//!
//! What the programs ran under each label is known: each function adds to a file that all processes
//! share.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use pathtests::shell::shell;
use pathtests::tree::bin;
use serde_json::Value;
use tempfile::TempDir;

/// The labels of the programs. The first is none.
const LABELS: [&str; 4] = ["", "parse", "two words", "\u{e9}t\u{e9}"];

const FUNCTIONS: [&str; 4] = ["even", "odd", "collatz", "in_thread"];

/// What all programs have: functions that tell the truth about themselves, in `truth`, a word for
/// each label and function.
const COMMON: &str = r#"
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef IN_LIBRARY
extern void name(const char *), dump(void);
#define NAME name
#define DUMP dump
#define RESET()
#else
#include <pathcc/profile.h>
#define NAME pathcc_label
#define DUMP pathcc_dump
#define RESET() if (next() % 2) { settle(0); pathcc_reset(); }
#endif
static const char *labels[4] = {"", "parse", "two words", "\303\251t\303\251"};
static long *truth, segment[4];
static unsigned state, label;
#define RAN(n) __atomic_fetch_add(&segment[n], 1, __ATOMIC_RELAXED)
static unsigned next(void) { return state = state * 1664525 + 1013904223, state >> 16; }
/* What was counted since the last change belongs to the label, or to nothing. */
static void settle(int counts) {
  for (int i = 0; i < 4; i++) {
    if (counts) __atomic_fetch_add(&truth[label * 4 + i], segment[i], __ATOMIC_RELAXED);
    segment[i] = 0;
  }
}
static void change(unsigned to) {
  if (to != label) settle(1);
  label = to;
  NAME(labels[to]);
}
static void begin(const char *file) {
  int opened = open(file, O_RDWR);
  truth = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, opened, 0);
  close(opened);
}
__attribute__((noinline)) int even(int x) { RAN(0); return x / 2; }
__attribute__((noinline)) int odd(int x) { RAN(1); return 3 * x + 1; }
__attribute__((noinline)) int collatz(int x) {
  RAN(2);
  int steps = 0;
  while (x > 1 && steps < 200) { x = x & 1 ? odd(x) : even(x); steps++; }
  return steps;
}
__attribute__((noinline)) void *in_thread(void *x) {
  RAN(3);
  collatz(*(int *)x);
  return 0;
}
"#;

/// `prog SEED truth [lives]` does what the seed says. With a third word it is not killed.
const RANDOM: &str = r#"
static int work(void) {
  for (unsigned step = next() % 30; step > 0; step--) {
    unsigned what = next() % 10;
    if (what < 5) collatz(next() % 1000);
    else if (what < 7) change(next() % 4);
    else if (what == 7) { settle(1); DUMP(); }
    else if (what == 8) { RESET(); }
    else {
      pthread_t threads[2];
      int x[2] = {6, 7};
      for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, in_thread, &x[i]);
      for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    }
  }
  return next() % 6;
}
int main(int count, char **words) {
  begin(words[2]);
  state = atoi(words[1]);
  int how = work();
  if (next() % 4 == 0) {
    int child = fork();
    if (child == 0) { memset(segment, 0, sizeof segment); how = work(); }
    else { while (wait(0) > 0) {} }
  }
  if (how == 2 && count > 3) how = 0;
  settle(1);
  if (how == 1) _exit(0);
  if (how == 2) raise(SIGKILL);
  return 0;
}
"#;

/// `steps truth` does a step for each byte that it reads: a digit is a label, `w` is work, `f` a
/// child, `k` ends it. It writes each byte when it is done.
const STEPS: &str = r#"
int main(int count, char **words) {
  begin(words[1]);
  char step;
  while (read(0, &step, 1) == 1) {
    if (step >= '0' && step <= '3') change(step - '0');
    if (step >= '4' && step <= '7') { settle(1); label = step - '4'; }
    if (step == 'w') for (int i = 1; i < 30; i++) collatz(i);
    if (step == 'f') {
      if (!fork()) {
        memset(segment, 0, sizeof segment);
        collatz(27);
        settle(1);
        return 0;
      }
      wait(0);
    }
    if (step == 'k') { settle(1); raise(SIGKILL); }
    if (write(1, &step, 1) != 1) return 1;
  }
  settle(1);
  return 0;
}
"#;

fn scene(program: &str, flags: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("prog.c"), format!("{COMMON}{program}")).expect("writable");
    fs::write(folder.path().join("truth"), [0; 4096]).expect("writable");
    shell(folder.path(), &format!("pathcc -g -O1 {flags} prog.c -o prog -pthread"));
    folder
}

fn run(folder: &Path, profile: &str, seeds: impl Iterator<Item = u32>, words: &[&str]) {
    let mut running: Vec<Child> = Vec::new();
    for seed in seeds {
        if running.len() == 4 {
            running.remove(0).wait().expect("it ends");
        }
        let mut command = Command::new(folder.join("prog"));
        command.args([&seed.to_string(), "truth"]).args(words).current_dir(folder);
        command.env("PATHCC_PROFILE", profile).stdout(Stdio::null()).stderr(Stdio::null());
        running.push(command.spawn().expect("it starts"));
    }
    running.iter_mut().for_each(|child| drop(child.wait()));
}

type Entries = BTreeMap<String, Vec<u64>>;

/// What ran under each label.
fn truth(folder: &Path) -> Entries {
    let bytes = fs::read(folder.join("truth")).expect("readable");
    let (words, _) = bytes.as_chunks::<8>();
    let words: Vec<_> = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
    let rows = words.chunks(FUNCTIONS.len()).map(<[u64]>::to_vec);
    LABELS.iter().map(ToString::to_string).zip(rows).collect()
}

/// The entries of the functions that an export has.
fn entries(folder: &Path, of: &str) -> Vec<u64> {
    let export = format!("pathprof export --format json {of}");
    let json = shell(
        folder,
        &format!("for i in 1 2 3 4 5; do {export} >json 2>why && break; done; cat json"),
    );
    // Nothing was counted under the label.
    if json.is_empty() {
        return vec![0; FUNCTIONS.len()];
    }
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let mut found = [0; FUNCTIONS.len()];
    for function in json["functions"].as_array().expect("a list") {
        if let Some(at) = FUNCTIONS.iter().position(|name| function["name"] == *name) {
            found[at] += function["entries"].as_u64().expect("a number");
        }
    }
    found.to_vec()
}

/// The entries under each label.
fn by_label(folder: &Path, of: &str) -> Entries {
    let of_label = |label: &&str| {
        (label.to_string(), entries(folder, &format!("--label '{label}' --all {of}")))
    };
    LABELS.iter().map(of_label).collect()
}

fn sum(of: &Entries) -> Vec<u64> {
    (0..FUNCTIONS.len()).map(|at| of.values().map(|row| row[at]).sum()).collect()
}

/// Checks the counts of a profile in every form.
fn check(folder: &Path, what: &str) {
    let truth = truth(folder);
    assert_eq!(by_label(folder, "prog"), truth, "{what}");
    assert_eq!(entries(folder, "--all prog"), sum(&truth), "{what}");
    shell(folder, "rm -rf merged && pathprof merge -o merged/ prog.pathprof");
    let image = "--image prog merged/prog.pathprof";
    assert_eq!(by_label(folder, image), truth, "{what}, merged");
    assert_eq!(entries(folder, &format!("--all {image}")), sum(&truth), "{what}, merged");
    shell(folder, "pathprof compact --keep 0 prog");
    assert_eq!(by_label(folder, "prog"), truth, "{what}, compacted");
    // What is given twice counts once.
    let twice = entries(folder, "--all prog.pathprof merged/prog.pathprof");
    assert_eq!(twice, sum(&truth), "{what}, twice");
}

#[test]
fn each_count_is_under_the_label_that_it_had() {
    for flags in ["", "-fpath-stage=late", "-fpath-mode=blocks", "-fpath-stage=early -static"] {
        let folder = scene(RANDOM, &format!("{flags} -fpath-promotion=no"));
        let folder = folder.path();
        run(folder, "single:", 1..120, &[]);
        check(folder, flags);
        run(folder, "single:", 120..160, &[]);
        check(folder, flags);
        let all = truth(folder);
        assert!(all.values().all(|row| row.iter().all(|&count| count > 50)), "{all:?}");
    }
}

#[test]
fn labels_are_kept_apart_in_standing_files() {
    // An image that changes the label itself has no standing files.
    let folder = scene("int unused;", "-c");
    let folder = folder.path();
    let library = "#include <pathcc/profile.h>\nvoid name(const char *label) { pathcc_label(label); }\n\
                   void dump(void) { pathcc_dump(); }\n";
    fs::write(folder.join("name.c"), library).expect("writable");
    fs::write(folder.join("prog.c"), format!("{COMMON}{RANDOM}")).expect("writable");
    let flags = "-g -O1 -fpath-promotion=no";
    shell(folder, &format!("pathcc {flags} -fPIC -shared name.c -o libname.so"));
    let link = "-L. -lname -Wl,-rpath,\"$PWD\" -pthread";
    shell(folder, &format!("pathcc {flags} -DIN_LIBRARY prog.c -o prog {link}"));
    run(folder, "standing:", 1..200, &["lives"]);
    let files = shell(folder, "ls -A | grep -c prog.pathprof.standing-");
    assert_ne!(files.trim(), "0");
    check(folder, "standing");
    run(folder, "standing:", 200..260, &["lives"]);
    let all = truth(folder);
    assert_eq!(by_label(folder, "prog"), all);
    assert_eq!(entries(folder, "--all prog"), sum(&all));
    // What a process that is killed counted behind its last label has none.
    run(folder, "standing:", 260..360, &[]);
    let all = truth(folder);
    let counted = by_label(folder, "prog");
    assert_eq!((sum(&counted), entries(folder, "--all prog")), (sum(&all), sum(&all)));
    assert!(LABELS[1..].iter().all(|label| counted[*label] <= all[*label]), "{counted:?} {all:?}");
}

/// A program that does what it is told.
struct Steps(Child);

impl Steps {
    fn start(folder: &Path, profile: &str) -> Self {
        let mut command = Command::new(folder.join("prog"));
        command.arg("truth").current_dir(folder).env("PATHCC_PROFILE", profile);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        Self(command.spawn().expect("it starts"))
    }

    /// Does these steps, and waits until they are done.
    fn go(&mut self, steps: &str) {
        use std::io::Read;
        let input = self.0.stdin.as_mut().expect("a pipe");
        input.write_all(steps.as_bytes()).expect("it reads");
        input.flush().expect("it reads");
        let mut done = vec![0; steps.trim_end_matches('k').len()];
        self.0.stdout.as_mut().expect("a pipe").read_exact(&mut done).expect("it goes on");
    }

    fn label(&self, folder: &Path, label: &str) {
        shell(folder, &format!("pathprof label {} '{label}'", self.0.id()));
    }

    fn end(mut self) {
        drop(self.0.stdin.take());
        self.0.wait().expect("it ends");
    }
}

/// A label from outside, and the digit that says so to the program.
const OUTSIDE: [(&str, &str); 3] = [("parse", "5"), ("two words", "6"), ("", "4")];

#[test]
fn a_label_is_changed_from_outside() {
    for last in ["", "k", "1w", "1wk", "ww5", "f", "fkk"] {
        let folder = scene(STEPS, "-fpath-promotion=no");
        let folder = folder.path();
        let mut program = Steps::start(folder, "single:");
        program.go("w3w");
        for (label, digit) in OUTSIDE {
            program.label(folder, label);
            program.go(&format!("{digit}wf"));
        }
        // What is read while it runs has all of it.
        program.go("2ww");
        let now = entries(folder, "--all prog");
        program.label(folder, "parse");
        program.go("5w3ww");
        program.label(folder, "two words");
        program.go("6w");
        program.go(last);
        program.end();
        check(folder, last);
        let truth = truth(folder);
        assert!(now.iter().zip(sum(&truth)).all(|(now, after)| *now <= after), "{now:?} {truth:?}");
        // No raw file is left of a process that ended.
        let raw = shell(folder, "ls -A | grep -c raw || true");
        assert_eq!(raw.trim(), "0", "{last}");
    }
}

#[test]
fn whoever_changes_a_label_first_makes_no_profile_for_nothing() {
    let folder = scene(STEPS, "-fpath-promotion=no");
    let folder = folder.path();
    let mut program = Steps::start(folder, "single:");
    program.go("w");
    program.label(folder, "");
    assert!(!folder.join("prog.pathprof").exists());
    assert_eq!(entries(folder, "--all prog"), sum_of(folder, 1));
    program.label(folder, "parse");
    program.go("5w");
    // Many changes, one after the other.
    let line = format!("seq 40 | pathprof label {} - | wc -l", program.0.id());
    assert_eq!(shell(folder, &line).trim(), "40");
    program.label(folder, "parse");
    program.go("ww");
    let labels = by_label(folder, "prog");
    assert_eq!((&labels["parse"], &labels[""]), (&sum_of(folder, 3), &sum_of(folder, 1)));
    program.end();
    assert_eq!(entries(folder, "--all prog"), sum_of(folder, 4));
}

#[test]
fn top_shows_an_interval_whatever_its_labels() {
    let folder = scene(STEPS, "-fpath-promotion=no");
    let folder = folder.path();
    let mut program = Steps::start(folder, "single:");
    program.go("1www2w");
    let mut top = Command::new(bin("pathprof"));
    top.args(["top", "prog", "--once", "--interval", "2", "--functions", "--format", "csv"]);
    let top = top.current_dir(folder).stdout(Stdio::piped()).spawn().expect("it starts");
    std::thread::sleep(std::time::Duration::from_secs(1));
    program.go("3w");
    let shown = top.wait_with_output().expect("it ends").stdout;
    let shown = String::from_utf8_lossy(&shown);
    let row = shown.lines().find(|row| row.contains(",collatz,")).unwrap_or_default();
    assert_eq!(row.split(',').nth(1), Some("29"), "{shown}");
    program.end();
}

#[test]
fn an_earlier_reading_has_no_other_label() {
    let folder = scene(STEPS, "-fpath-promotion=no");
    let folder = folder.path();
    let mut program = Steps::start(folder, "single:");
    program.go("1w");
    shell(folder, &format!("pathprof snapshot {} -o first", program.0.id()));
    program.go("w2w");
    program.end();
    let both = "--label parse --all prog.pathprof first --image prog";
    assert_eq!(entries(folder, both), truth(folder)["parse"]);
}

#[test]
fn tables_keep_their_keys() {
    let folder = scene("int unused;", "-c");
    let folder = folder.path();
    let program = r#"
#include <pathcc/profile.h>
#include <stdlib.h>
__attribute__((noinline)) static int add(int x) { return x + 3; }
__attribute__((noinline)) static int twice(int x) { return x * 2; }
__attribute__((noinline)) static int back(int x) { return -x; }
int main(int count, char **words) {
  int (*calls[])(int) = {add, twice, back};
  int sum = 0;
  for (int i = 0; i < 60; i++) {
    if (count > 1 && i % 7 == 0) pathcc_label(i % 14 ? "odd" : "even");
    sum += calls[i / 20](i) + calls[i % 2](i);
  }
  return sum == atoi("0");
}
"#;
    fs::write(folder.join("calls.c"), program).expect("writable");
    for flags in ["-fpath-callees=4", "-fpath-limit=1 -fpath-overflow=hash", "-fpath-mode=calls"] {
        let run = |words: &str| {
            shell(
                folder,
                &format!(
                    "rm -f *.pathprof; pathcc -g -O0 -fpath-stage=late {flags} calls.c -o calls; ./calls {words}"
                ),
            );
            ["--calls=sites", "--functions"].map(|view| {
                shell(folder, &format!("pathprof report {view} --top 0 --format csv calls 2>&1"))
            })
        };
        let (plain, labelled) = (run(""), run("x"));
        assert!(plain[1].contains(",back,"), "{flags}: {}", plain[1]);
        // Only main differs: it does more.
        let of = |text: &str| -> Vec<String> {
            let rows = text.lines().filter(|row| !row.contains("pathcc_label"));
            let rows =
                rows.filter(|row| ["add", "twice", "back"].iter().any(|of| row.contains(of)));
            rows.map(|row| {
                row.split(',')
                    .filter(|cell| cell.parse::<f64>().is_err() || cell.parse::<u32>().is_ok())
                    .collect::<Vec<_>>()
                    .join(",")
            })
            .collect()
        };
        assert_eq!([0, 1].map(|at| of(&labelled[at])), [0, 1].map(|at| of(&plain[at])), "{flags}");
    }
}

#[test]
fn what_is_read_while_it_runs_stays_exact() {
    let folder = scene(STEPS, "-fpath-promotion=no");
    let folder = folder.path();
    let mut program = Steps::start(folder, "single:");
    program.go("w1ww2w");
    shell(folder, &format!("pathprof snapshot {} -o first", program.0.id()));
    let first = entries(folder, "--all --image prog first");
    assert_eq!(first, sum_of(folder, 4));
    assert_eq!(entries(folder, "--label parse --image prog first"), sum_of(folder, 2));
    // Its segments outlive a compaction while it counts.
    shell(folder, "pathprof compact --keep 0 prog 2>&1 || true");
    program.go("w2w1w");
    assert_eq!(entries(folder, "--all prog"), sum_of(folder, 7));
    shell(folder, &format!("pathprof snapshot {} -o then --since first", program.0.id()));
    assert_eq!(entries(folder, "--all --image prog then"), sum_of(folder, 3));
    assert_eq!(entries(folder, "--label 'two words' --image prog then"), sum_of(folder, 2));
    program.go("k");
    program.end();
    check(folder, "killed");
}

/// The entries of so many steps of work.
fn sum_of(folder: &Path, steps: u64) -> Vec<u64> {
    let once = tempfile::tempdir().expect("a folder");
    fs::copy(folder.join("prog"), once.path().join("prog")).expect("copied");
    fs::write(once.path().join("truth"), [0; 4096]).expect("writable");
    let mut program = Steps::start(once.path(), "off");
    program.go("w");
    program.end();
    sum(&truth(once.path())).into_iter().map(|count| count * steps).collect()
}

#[test]
fn the_environment_names_a_label_for_children_too() {
    let folder = scene(RANDOM, "-fpath-promotion=no");
    let folder = folder.path();
    fs::write(folder.join("plain.c"), "int f(int x) { return x; } int main(void) { return f(0); }")
        .expect("writable");
    shell(folder, "pathcc -g -O0 plain.c -o plain");
    for profile in ["single:", "standing:"] {
        shell(folder, "rm -f plain.pathprof");
        for label in ["parse", "two words", "", "parse"] {
            shell(folder, &format!("PATHCC_LABEL='{label}' PATHCC_PROFILE={profile} ./plain"));
        }
        let of = |label: &str| {
            let functions = format!("--functions --format csv --all --label '{label}' plain");
            let rows = shell(folder, &format!("pathprof report {functions}"));
            let row = rows.lines().find(|row| row.contains(",f,")).map(str::to_owned);
            row.map_or(0, |row| row.split(',').nth(1).and_then(|of| of.parse().ok()).unwrap_or(0))
        };
        assert_eq!(["parse", "two words", ""].map(of), [2, 1, 1], "{profile}");
    }
}

#[test]
fn other_threads_lose_nothing_when_a_label_changes() {
    let program = r#"
static volatile int stop;
static void *busy(void *unused) {
  (void)unused;
  while (!stop) collatz(27);
  return 0;
}
int main(int count, char **words) {
  (void)count;
  begin(words[1]);
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, busy, 0);
  for (int i = 0; i < 300; i++) { pathcc_label(labels[i % 4]); usleep(100); }
  stop = 1;
  for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
  settle(1);
  return 0;
}
"#;
    for flags in ["", "-fpath-stage=early -fpath-threads=atomic"] {
        let folder = scene(program, &format!("{flags} -fpath-promotion=no"));
        let folder = folder.path();
        shell(folder, "./prog truth");
        let all = sum(&truth(folder));
        assert_eq!(entries(folder, "--all prog"), all, "{flags}");
        let labels = by_label(folder, "prog");
        assert_eq!(sum(&labels), all, "{flags}");
        assert!(labels.values().all(|row| row[2] > 0), "{labels:?}");
    }
}

#[test]
fn a_library_has_the_label_of_its_program() {
    let folder = scene("int unused;", "-c");
    let folder = folder.path();
    let library = r#"
#include <pathcc/profile.h>
__attribute__((noinline)) int in_library(int x) { return x > 3 ? x * 2 : x; }
void name(const char *label) { pathcc_label(label); }
"#;
    let program = r#"
#include <pathcc/profile.h>
extern int in_library(int);
extern void name(const char *);
__attribute__((noinline)) static int here(int x) { return x > 3 ? x + 2 : x; }
int main(void) {
  int sum = here(1) + in_library(1);
  pathcc_label("parse");
  sum += here(9) + in_library(9) + in_library(9);
  name("two words");
  sum += here(9) + here(9) + in_library(2);
  return sum == 0;
}
"#;
    fs::write(folder.join("lib.c"), library).expect("writable");
    fs::write(folder.join("main.c"), program).expect("writable");
    for counted in ["pathcc", "clang-22 -I include"] {
        shell(
            folder,
            &format!(
                "rm -f *.pathprof; mkdir -p include; cp -r \"$(dirname $(which pathcc))/../include/pathcc\" \
                 include; pathcc -g -O0 -fPIC -shared lib.c -o libx.so && {counted} -g -O0 main.c \
                 -o main -L. -lx -Wl,-rpath,\"$PWD\" && ./main"
            ),
        );
        let of = |label: &str| {
            let of = format!("--functions --format csv --all --label '{label}'");
            let rows =
                shell(folder, &format!("pathprof report {of} *.pathprof 2>/dev/null || true"));
            let of = |name: &str| {
                let row = rows.lines().find(|row| row.contains(name));
                row.and_then(|row| row.split(',').nth(1)?.parse().ok()).unwrap_or(0)
            };
            [of(",in_library,"), of(",here,")]
        };
        let found = ["", "parse", "two words"].map(of);
        if counted == "pathcc" {
            assert_eq!(found, [[1, 1], [2, 1], [1, 2]]);
        } else {
            // The program has functions of its own that do nothing, and the library its own label.
            assert_eq!(found.map(|[library, _]| library), [3, 0, 1]);
        }
    }
}

#[test]
fn a_program_without_counters_has_functions_that_do_nothing() {
    let folder = scene("int unused;", "-c");
    let folder = folder.path();
    let program = "#include <pathcc/profile.h>\nint main(void) { pathcc_label(\"a\"); pathcc_dump(); \
                   pathcc_reset(); return 0; }\n";
    fs::write(folder.join("a.c"), program).expect("writable");
    fs::write(folder.join("a.cpp"), program).expect("writable");
    let include = "-I\"$(dirname $(which pathcc))/../include\" -Wall -Wextra -Werror -pedantic";
    for compiler in ["clang-22", "gcc -std=c99", "clang++-22", "g++"] {
        let source = if compiler.contains("++") { "a.cpp" } else { "a.c" };
        shell(
            folder,
            &format!("{compiler} {include} {source} -o a && ./a && ls *.pathprof || true"),
        );
    }
    assert_eq!(shell(folder, "ls *.pathprof 2>/dev/null || true"), "");
}

#[test]
fn which_tests_run_a_path() {
    let folder = scene("int unused;", "-c");
    let folder = folder.path();
    let program = r#"
#include <pathcc/profile.h>
#include <stdio.h>
__attribute__((noinline)) static int sign(int x) { if (x < 0) return -1; return x > 0; }
int main(void) {
  char name[32];
  int sum = 0;
  for (int test = 0; test < 2000; test++) {
    snprintf(name, sizeof name, "test %d", test);
    pathcc_label(name);
    sum += sign(test == 1234 ? -7 : test);
  }
  return sum == 0;
}
"#;
    fs::write(folder.join("suite.c"), program).expect("writable");
    shell(folder, "pathcc -g -O0 suite.c -o suite && ./suite");
    let labels = shell(folder, "pathprof labels --top 3 suite");
    assert!(labels.lines().any(|line| line.ends_with("test 1234")), "{labels}");
    assert!(labels.contains("the first 3 of 2,001 labels"), "{labels}");
    let first = labels.lines().find(|line| line.starts_with("1 ")).expect("a row");
    assert!(first.ends_with("(none)") || first.ends_with("test 1234"), "{labels}");
    let rows = shell(folder, "pathprof labels --format csv --top 0 --path sign#2 suite");
    assert_eq!(rows.lines().filter(|row| row.contains("test")).count(), 1, "{rows}");
    let runs = shell(folder, "pathprof runs suite");
    assert!(runs.contains("2,000 labels") || runs.contains("2000 labels"), "{runs}");
    // A profile for each test would be larger by far.
    let size = fs::metadata(folder.join("suite.pathprof")).expect("there").len();
    assert!(size < 2_000 * 400, "{size}");
}
