//! Processes that count in the same file, one after the other.
//!
//! What they ran is known: each function adds to a file that all processes share as the first thing
//! that it does. Processes end in every way, fork, make threads and execute each other, many at a
//! time, and are killed at any moment.

use std::collections::BTreeMap;
use std::fs;
use std::iter;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use pathtests::shell::shell;
use pathtests::tree::bin;
use serde_json::Value;
use tempfile::TempDir;

/// The program: `prog SEED` makes what the seed says. Its functions tell the truth about themselves
/// in the file `truth`, whose words are counters.
const PROGRAM: &str = r#"
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
static long *truth;
static unsigned state;
#define RAN(n) __atomic_fetch_add(&truth[n], 1, __ATOMIC_RELAXED)
static unsigned next(void) { return state = state * 1664525 + 1013904223, state >> 16; }
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
__attribute__((noinline)) void in_child(void) { RAN(4); collatz(27); }
__attribute__((noinline)) int end(unsigned how) {
  RAN(5);
  if (how == 1) _exit(0);
  if (how == 2) raise(SIGKILL);
  if (how == 3) abort();
  if (how == 4) quick_exit(0);
  return 0;
}
int main(int count, char **words) {
  int file = open(words[2], O_RDWR);
  truth = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  RAN(6);
  state = atoi(words[1]);
  unsigned kind = next() % 16, how = next() % 8;
  for (unsigned i = next() % 50; i > 0; i--) collatz(next() % 1000);
  if (kind == 1 || kind == 2) {
    pthread_t threads[3];
    int x[3] = {6, 7, 9};
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, in_thread, &x[i]);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
  }
  if (kind == 3 || kind == 4) {
    for (int i = 0; i < 3; i++)
      if (!fork()) {
        in_child();
        if (i == 1 && !fork()) { in_child(); _exit(0); }
        while (wait(0) > 0) {}
        return end(next() % 4);
      }
    while (wait(0) > 0) {}
  }
  if (kind == 5) {
    char seed[16];
    snprintf(seed, sizeof seed, "%u", state | 1);
    execl(words[0], words[0], seed, words[2], (char *)0);
  }
  if (kind == 6 && count > 3) { RAN(7); pause(); }
  if (count > 4) { RAN(7); return read(0, words[1], 1) != 0; }
  return end(how);
}
"#;

const FUNCTIONS: [&str; 7] = ["even", "odd", "collatz", "in_thread", "in_child", "end", "main"];

fn scene(flags: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("prog.c"), PROGRAM).expect("writable");
    fs::write(folder.path().join("truth"), [0; 4096]).expect("writable");
    shell(folder.path(), &format!("pathcc -g -O1 {flags} prog.c -o prog -pthread"));
    folder
}

fn start(folder: &Path, profile: &str, words: &[&str]) -> Child {
    let mut command = Command::new(folder.join("prog"));
    command.args(words).current_dir(folder).env("PATHCC_PROFILE", profile);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts")
}

/// Runs the program with these seeds, four at a time.
fn run(folder: &Path, profile: &str, seeds: impl Iterator<Item = u32>) {
    let mut running: Vec<Child> = Vec::new();
    for seed in seeds {
        if running.len() == 4 {
            running.remove(0).wait().expect("it ends");
        }
        running.push(start(folder, profile, &[&seed.to_string(), "truth"]));
    }
    running.iter_mut().for_each(|child| drop(child.wait()));
}

/// What ran.
fn truth(folder: &Path) -> Vec<u64> {
    let bytes = fs::read(folder.join("truth")).expect("readable");
    let (words, _) = bytes.as_chunks::<8>();
    words.iter().take(FUNCTIONS.len()).map(|word| u64::from_le_bytes(*word)).collect()
}

/// The entries of all functions, and the number of runs.
fn counted(folder: &Path, of: &str) -> (Vec<u64>, u64) {
    // A process may write its record while it is read, and remove its raw file.
    let export = format!("pathprof export --format json {of}");
    let often = format!("for i in 1 2 3 4 5 6 7 8; do {export} >json && break; done; cat json");
    let json = shell(folder, &often);
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let mut entries: BTreeMap<String, u64> = BTreeMap::new();
    for function in json["functions"].as_array().expect("a list") {
        let name = function["name"].as_str().expect("a name").to_string();
        *entries.entry(name).or_default() += function["entries"].as_u64().expect("a number");
    }
    let runs = json["profiles"].as_array().expect("a list").iter();
    let runs = runs.map(|profile| profile["runs"].as_u64().unwrap_or(1)).sum();
    (FUNCTIONS.map(|name| entries.get(name).copied().unwrap_or(0)).to_vec(), runs)
}

fn standing_files(folder: &Path) -> usize {
    let names = shell(folder, "ls -A | grep -c standing- || true");
    names.trim().parse().expect("a number")
}

/// The path of a standing file.
fn standing_file(folder: &Path) -> PathBuf {
    folder.join(shell(folder, "ls -A | grep standing- | head -1").trim())
}

#[test]
fn many_processes_count_in_few_files() {
    for flags in ["", "-fpath-stage=late", "-fpath-mode=blocks", "-fpath-stage=early"] {
        let folder = scene(&format!("{flags} -fpath-promotion=no"));
        let folder = folder.path();
        run(folder, "standing:%f.pathprof", 1..200);
        let files = standing_files(folder);
        assert!((1..20).contains(&files), "{flags}: {files}");
        assert_eq!(counted(folder, "--all prog").0, truth(folder), "{flags}");
        // What was read was taken in.
        assert_eq!(standing_files(folder), 0);
        run(folder, "standing:%f.pathprof", 200..300);
        assert_eq!(counted(folder, "--all prog").0, truth(folder), "{flags}");
    }
}

#[test]
fn an_image_that_is_started_often_counts_in_few_files_by_itself() {
    let folder = scene("-fpath-promotion=no");
    let folder = folder.path();
    run(folder, "", 1..8);
    assert_eq!(standing_files(folder), 0);
    let before = truth(folder);
    run(folder, "", 1..300);
    assert!(standing_files(folder) > 0);
    let (entries, _) = counted(folder, "--all prog");
    assert_eq!(entries, truth(folder));
    assert_ne!(before, entries);
    // Each process is known by itself where that is wanted.
    run(folder, "single:", 1..100);
    assert_eq!(standing_files(folder), 0);
    assert_eq!(counted(folder, "--all prog").0, truth(folder));
}

#[test]
fn a_file_that_stood_ready_for_nobody_is_removed() {
    let folder = scene("-fpath-promotion=no");
    let folder = folder.path();
    // The last of many processes leaves a file, and none starts after it.
    let plain = |_: &u32| {
        run(folder, "", iter::once(1));
        standing_files(folder) > 0
    };
    assert!((0..200).any(|start| plain(&start)));
    shell(folder, "pathprof compact prog");
    assert_eq!(standing_files(folder), 0);
    assert_eq!(counted(folder, "--all prog").0, truth(folder));
}

#[test]
fn whoever_is_killed_loses_nothing() {
    let folder = scene("-fpath-promotion=no");
    let folder = folder.path();
    let mut running: Vec<Child> = Vec::new();
    for round in 0..300u32 {
        let seed = (round * 7919 + 1).to_string();
        running.push(start(folder, "standing:", &[&seed, "truth", "wait"]));
        if running.len() == 6 {
            thread::sleep(Duration::from_micros(u64::from(round * 37 % 2000)));
            let mut victim = running.remove(round as usize % 6);
            let _ = victim.kill();
            victim.wait().expect("it ends");
        }
    }
    running.iter_mut().for_each(|child| {
        let _ = child.kill();
        child.wait().expect("it ends");
    });
    let (entries, runs) = counted(folder, "--all prog");
    // A process may be killed between what it says of itself and what is counted.
    for (name, (counted, ran)) in FUNCTIONS.iter().zip(entries.iter().zip(truth(folder))) {
        assert!(counted.abs_diff(ran) <= 300, "{name}: {counted} of {ran}");
    }
    let (main, ran) = (entries[6], truth(folder)[6]);
    assert!(main <= ran + runs && ran > 100, "{main} of {ran} in {runs}");
}

#[test]
fn what_is_read_meanwhile_is_there_and_stays() {
    let folder = scene("-fpath-promotion=no");
    let folder = folder.path();
    run(folder, "standing:", 1..20);
    thread::scope(|scope| {
        let runs = scope.spawn(|| run(folder, "standing:", 20..1500));
        let mut last = 0;
        for round in 0.. {
            if runs.is_finished() {
                break;
            }
            let before = truth(folder)[6].saturating_sub(8);
            if round % 3 == 1 {
                shell(folder, "pathprof compact prog 2>&1 || true");
            }
            let (entries, _) = counted(folder, "--all prog");
            assert!(entries[6] >= last.max(before), "{} after {last}, {before}", entries[6]);
            last = entries[6];
        }
    });
    assert_eq!(counted(folder, "--all prog").0, truth(folder));
    // The kernel may keep the memory of a process, and with it the lock, a moment longer.
    let is_taken_in = |_: &u32| {
        shell(folder, "pathprof compact prog && sleep 0.1");
        standing_files(folder) == 0
    };
    assert!((0..20).any(|round| is_taken_in(&round)), "{}", shell(folder, "ls -lA"));
    assert_eq!(counted(folder, "--all prog").0, truth(folder));
}

#[test]
fn counts_go_with_their_profile() {
    let folder = scene("-fpath-promotion=no");
    let at = folder.path();
    run(at, "standing:", 1..30);
    let (_, before) = (counted(at, "--all prog"), truth(at));
    run(at, "standing:", 30..60);
    // A copy has all counts, and goes on by itself.
    shell(at, "mkdir copy; cp -a prog prog.pathprof .prog.pathprof.*.raw copy");
    shell(at, "cp truth copy/truth");
    let copy = at.join("copy");
    assert_eq!(counted(&copy, "--all prog").0, truth(&copy));
    shell(at, "cp -a .prog.pathprof.*.raw copy");
    run(&copy, "standing:", 1..30);
    run(at, "standing:", 60..90);
    assert_eq!(counted(at, "--all prog").0, truth(at));
    // Whoever removes a profile begins anew.
    run(at, "standing:", 90..100);
    let removed = truth(at);
    // Files of their own, which killed processes left, stand by themselves.
    shell(at, "rm -f prog.pathprof .prog.pathprof.[0-9]*.raw");
    assert!(standing_files(at) > 0);
    run(at, "standing:", 100..120);
    let since: Vec<u64> = truth(at).iter().zip(&removed).map(|(now, then)| now - then).collect();
    assert_eq!(counted(at, "--all prog").0, since);
    assert_ne!(before, removed);
}

#[test]
fn a_file_that_was_removed_is_not_missed() {
    let folder = scene("-fpath-promotion=no");
    let folder = folder.path();
    run(folder, "standing:", 1..2);
    let before = truth(folder);
    let mut command = Command::new(folder.join("prog"));
    command.args(["18", "truth", "-", "-"]).current_dir(folder).env("PATHCC_PROFILE", "standing:");
    let mut waiting = command.stdin(Stdio::piped()).spawn().expect("it starts");
    let waits = |folder: &Path| fs::read(folder.join("truth")).expect("readable")[56] > 0;
    while !waits(folder) {
        thread::sleep(Duration::from_millis(1));
    }
    shell(folder, "rm .prog.pathprof.standing-*");
    drop(waiting.stdin.take());
    assert!(waiting.wait().expect("it ends").success());
    assert_eq!(counted(folder, "--all prog").0, truth(folder));
    assert_ne!(before, truth(folder));
}

#[test]
fn what_was_set_aside_is_taken_in_once() {
    let folder = scene("-fpath-promotion=no");
    let folder = folder.path();
    run(folder, "standing:", 1..30);
    // As if whoever took it in had been killed: before the record was written, and behind it.
    let rename = "for f in .prog.pathprof.standing-*-0.raw; do mv -n $f ${f%-0.raw}-64.raw; done";
    shell(folder, rename);
    run(folder, "standing:", 30..60);
    shell(folder, &format!("{rename} 2>/dev/null || true; mkdir kept; cp -a .prog*.raw kept"));
    assert_eq!(counted(folder, "--all prog").0, truth(folder));
    shell(folder, "cp -an kept/.prog*standing* .");
    run(folder, "standing:", 60..90);
    for _ in 0..3 {
        assert_eq!(counted(folder, "--all prog").0, truth(folder));
    }
    shell(folder, "pathprof compact prog");
    assert_eq!(counted(folder, "--all prog").0, truth(folder));
}

#[test]
fn limits_of_files_end_no_program() {
    let folder = scene("-fpath-promotion=no");
    let folder = folder.path();
    run(folder, "standing:", 1..4);
    let ends = |profile: &str, limit: u32| {
        // There is no file to take: one has to be made.
        shell(folder, "rm -f .prog.pathprof.standing-*");
        let line = format!("ulimit -f {limit}; PATHCC_PROFILE={profile} ./prog 9 truth || echo $?");
        shell(folder, &format!("{line}; {line}"))
    };
    for limit in [0, 1, 4, 8, 9, 16, 17, 24, 25, 32, 1000] {
        assert_eq!(ends("standing:", limit), ends("off", limit), "{limit}");
    }
}

#[test]
fn nobody_else_can_write_to_the_counters() {
    let folder = scene("-fpath-promotion=no");
    let folder = folder.path();
    run(folder, "standing:", 1..4);
    let file = standing_file(folder);
    let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
    assert_eq!(mode(&file), 0o600);
    let before = fs::metadata(&file).expect("there").mtime_nsec();
    // A file that others can write to, or that has a second name, is not taken.
    fs::set_permissions(&file, fs::Permissions::from_mode(0o622)).expect("ours");
    run(folder, "standing:", 4..8);
    assert_eq!(fs::metadata(&file).expect("there").mtime_nsec(), before);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("ours");
    fs::hard_link(&file, folder.join("second")).expect("writable");
    run(folder, "standing:", 8..12);
    assert_eq!(fs::metadata(&file).expect("there").mtime_nsec(), before);
    fs::remove_file(folder.join("second")).expect("there");
    assert_eq!(counted(folder, "--all prog").0, truth(folder));
}

#[test]
fn a_file_that_was_cut_or_overwritten_ends_no_program() {
    let folder = scene("-fpath-promotion=no");
    let folder = folder.path();
    run(folder, "standing:", 1..4);
    let file = standing_file(folder);
    run(folder, "standing:", 6..7);
    for content in [&b""[..], &[0; 5000], &[255; 20000], b"text"] {
        fs::write(&file, content).expect("ours");
        let status = start(folder, "standing:", &["9", "truth"]).wait().expect("it ends");
        assert_eq!(
            status.code(),
            start(folder, "off", &["9", "truth"]).wait().expect("ends").code()
        );
    }
    let program = bin("pathprof");
    let output =
        Command::new(program).args(["report", "--all", "prog"]).current_dir(folder).output();
    let said = String::from_utf8_lossy(&output.expect("it runs").stderr).into_owned();
    assert!(said.contains("raw file"), "{said}");
}
