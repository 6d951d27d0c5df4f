//! Code that goes on in another thread in the middle of a function: it counts exactly where that
//! can be had, and is marked elsewhere.

use std::fs;
use std::path::Path;

use pathtests::shell::shell;
use serde_json::Value;

/// Fibers that two threads run in turns. Behind each switch, a loop counts, while the thread that
/// the fiber came from counts in the same loop for another fiber.
const PROGRAM: &str = r#"
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <ucontext.h>
enum { FIBERS = 16, TIMES = 300 };
static ucontext_t fibers[FIBERS], homes[2];
static char stacks[FIBERS][65536];
static atomic_int busy[FIBERS], times[FIBERS];
static _Thread_local int me;
__attribute__((noinline)) static int *own(void) { return &me; }
__attribute__((noinline)) static void yield(int n) { swapcontext(&fibers[n], &homes[*own()]); }
__attribute__((noinline)) static unsigned work(int n, unsigned x) {
  for (int i = 0; i < 3; i++) {
    yield(n);
    for (volatile int j = 0; j < 300; j++)
      if ((j ^ x) & 1) x ^= 2; else x ^= 4;
  }
  return x;
}
static void body(int n) {
  unsigned x = n;
  while (times[n] < TIMES) { x = work(n, x); times[n]++; }
  for (;;) yield(n);
}
static void *carrier(void *number) {
  unsigned state = me = (int)(long)number, left = 1;
  while (left) {
    left = 0;
    for (int i = 0; i < FIBERS; i++) {
      int free = 0, n = ((state = state * 1664525 + 1013904223) >> 16) % FIBERS;
      left |= times[i] < TIMES;
      if (!atomic_compare_exchange_strong(&busy[n], &free, 1)) continue;
      if (times[n] < TIMES) swapcontext(&homes[me], &fibers[n]);
      busy[n] = 0;
    }
  }
  return 0;
}
int main(void) {
  pthread_t threads[2];
  for (int n = 0; n < FIBERS; n++) {
    getcontext(&fibers[n]);
    fibers[n].uc_stack.ss_sp = stacks[n];
    fibers[n].uc_stack.ss_size = sizeof stacks[n];
    makecontext(&fibers[n], (void (*)(void))body, 1, n);
  }
  for (long i = 0; i < 2; i++) pthread_create(&threads[i], 0, carrier, (void *)i);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
  return 0;
}
"#;

/// How often the loop behind the switches went on.
const ITERATIONS: u64 = 16 * 300 * 3 * 300;

/// The export of a run of the program, compiled with these flags.
fn export(folder: &Path, flags: &str) -> Value {
    shell(folder, &format!("rm -f *.pathprof && pathcc -g {flags} prog.c -o prog -pthread"));
    shell(folder, "./prog && pathprof export --format json prog > json");
    serde_json::from_slice(&fs::read(folder.join("json")).expect("readable")).expect("JSON")
}

#[test]
fn what_goes_on_in_another_thread_counts_exactly_or_is_marked() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("prog.c"), PROGRAM).expect("writable");
    for (flags, is_exact) in [
        ("-O1", true),
        ("-O0 -fpath-threads=atomic", true),
        ("-O1 -fpath-stage=early -fpath-threads=atomic", true),
        ("-O0", false),
        ("-O1 -fpath-stage=early", false),
        ("-O1 -fpath-mode=blocks", false),
    ] {
        let json = export(folder, flags);
        let work = json["functions"].as_array().expect("a list").iter();
        let work = work.clone().find(|function| function["name"] == "work").expect("it ran");
        let blocks = work["blocks"].as_array().expect("a list").iter();
        let most = blocks.filter_map(|block| block["count"].as_u64()).max().expect("some ran");
        let switches = &json["images"][0]["switches"];
        let report = shell(folder, "pathprof report prog 2>&1");
        let doctor = shell(folder, "pathprof doctor ./prog 2>&1 || true");
        if is_exact {
            assert!((ITERATIONS..ITERATIONS + 16 * 900 + 1).contains(&most), "{flags}: {most}");
            assert!(switches.is_null(), "{flags}: {switches}");
            assert!(!report.contains("contexts:") && !doctor.contains("swapcontext"), "{flags}");
        } else {
            assert!(most <= ITERATIONS + 16 * 900, "{flags}: {most}");
            assert_eq!(switches, &serde_json::json!(["swapcontext"]), "{flags}");
            assert!(report.contains("contexts:") && doctor.contains("swapcontext"), "{flags}");
        }
    }
}
