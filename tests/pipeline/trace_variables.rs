//! The addresses of variables, which the image tells in place of the trace, are those that the
//! program sees: whatever the linker makes of the program.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use pathtests::shell::shell;
use serde_json::Value;

/// Prints the address of each variable before a function reads it.
const PROGRAM: &str = r#"
#include <cstdio>
#include "shared.h"
static volatile int local = 1;
volatile int common_to_all = 2;
__attribute__((weak)) volatile int weak = 3;
__attribute__((visibility("hidden"))) volatile int hidden = 4;
inline volatile int in_every_unit = 5;
static const volatile int constant[3] = {6, 7, 8};
__attribute__((section("own"))) volatile int in_a_section = 9;
thread_local volatile int of_the_thread = 10;
static struct { char byte; volatile short part[4]; } aggregate;
extern __attribute__((weak, visibility("hidden"))) volatile int nowhere;
template <int N> struct Made { static volatile int cell; };
template <int N> volatile int Made<N>::cell = N;
inline volatile int *in_function() { static volatile int once = 11; return &once; }
#define READ(name, what) \
  __attribute__((noinline)) int read_##name() { return what; } \
  static void tell_##name() { printf("%zu\n", (size_t)&(what)); read_##name(); }
READ(local, local)
READ(common, common_to_all)
READ(weak, weak)
READ(hidden, hidden)
READ(inline, in_every_unit)
READ(constant, constant[2])
READ(section, in_a_section)
READ(thread, of_the_thread)
READ(part, aggregate.part[3])
READ(made, Made<12>::cell)
READ(once, *in_function())
READ(other, in_other_unit)
READ(library, in_library)
__attribute__((noinline)) int never() { return nowhere; }
__attribute__((noinline)) void many() {
  static volatile int cells[40][2];
#define CELL(n) printf("%zu\n", (size_t)&cells[n][1]); cells[n][1] = n;
  CELL(0) CELL(9) CELL(39)
}
int main(int count, char **) {
  tell_local(); tell_common(); tell_weak(); tell_hidden(); tell_inline(); tell_constant();
  tell_section(); tell_thread(); tell_part(); tell_made(); tell_once(); tell_other();
  tell_library(); many(); library();
  return count > 1 ? never() : 0;
}
"#;

const OTHER: &str = r#"
#include "shared.h"
volatile int in_other_unit = 20;
inline volatile int in_every_unit = 5;
int unused() { return in_every_unit; }
"#;

const LIBRARY: &str = r#"
#include <cstdio>
#include "shared.h"
volatile int in_library = 30;
static volatile int inside = 31;
__attribute__((noinline)) static int read_inside() { return inside; }
void library() { printf("%zu\n", (size_t)&inside); read_inside(); }
"#;

const SHARED: &str =
    "extern volatile int in_other_unit, in_library;\nvoid library();\nint unused();\n";

fn write_sources(folder: &Path) {
    for (name, source) in [
        ("program.cpp", PROGRAM),
        ("other.cpp", OTHER),
        ("library.cpp", LIBRARY),
        ("shared.h", SHARED),
    ] {
        fs::write(folder.join(name), source).expect("writable");
    }
}

/// Builds with these options and runs: the addresses that the program prints are those of its
/// functions' only accesses.
fn check(folder: &Path, units: &str, link: &str) {
    let build = format!(
        "rm -f ./*.pathtrace ./*.so ./*.o\n\
         pathc++ {units} -w -g -fPIC -fpath-mode=trace -shared library.cpp -o liblibrary.so\n\
         pathc++ {units} -w -g -fpath-mode=trace -c program.cpp other.cpp\n\
         pathc++ {units} -fpath-mode=trace {link} program.o other.o -L. -llibrary -Wl,-rpath,. \
         -o program\n\
         ./program"
    );
    let printed = shell(folder, &build);
    let expected: BTreeSet<u64> =
        printed.lines().map(|line| line.parse().expect("an address")).collect();
    assert_eq!(expected.len(), 17, "{units} {link}");
    let told = shell(folder, "pathprof trace cat --format json ./program.*.pathtrace");
    let mut found = BTreeSet::new();
    for line in told.lines() {
        let step: Value = serde_json::from_str(line).expect("JSON");
        let function = step["function"].as_str().unwrap_or_default();
        if !(function.contains("read_") || function.contains("many")) {
            continue;
        }
        for access in step["accesses"].as_array().expect("a path has accesses") {
            let address = access[2].as_u64();
            let size = access[1].as_u64();
            assert!(address.is_some(), "{units} {link}: {line}");
            if size == Some(4) || size == Some(2) {
                found.extend(address);
            }
        }
    }
    assert!(found.is_superset(&expected), "{units} {link}: {expected:?} {found:?}");
}

#[test]
fn addresses_of_variables_are_those_of_the_program() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    write_sources(folder);
    for units in [
        "-O0",
        "-O2",
        "-O2 -fno-pie -no-pie",
        "-O2 -fPIC",
        "-O1 -fpath-stage=early",
        "-O2 -flto",
        "-O2 -flto=thin",
        "-O2 -fno-plt -fvisibility-inlines-hidden",
    ] {
        check(folder, units, "-fuse-ld=lld");
    }
}

#[test]
fn every_linker_tells_where_variables_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    write_sources(folder);
    for linker in ["bfd", "lld", "gold", "mold"] {
        check(folder, "-O2", &format!("-fuse-ld={linker} -Wl,-s"));
        let units = "-O2 -ffunction-sections -fdata-sections";
        check(folder, units, &format!("-fuse-ld={linker} -Wl,--gc-sections"));
    }
    shell(folder, "objcopy --remove-section .pathcc.variables program");
    let told = shell(folder, "! pathprof trace cat ./program.*.pathtrace 2>&1");
    assert!(told.contains("addresses of variables are unknown"), "{told}");
}

#[test]
fn a_trace_does_not_have_addresses_of_variables() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let source =
        "volatile int cell;\nint main(void) { for (int i = 0; i < 1000; i++) cell = i; }\n";
    fs::write(folder.join("program.c"), source).expect("writable");
    let mut sizes = [0; 2];
    for (size, without) in sizes.iter_mut().zip(["", "-mllvm -pathcc-without=variables"]) {
        let build = format!(
            "rm -f ./*.pathtrace\npathcc -O0 {without} -fpath-mode=trace program.c -o program\n\
             ./program\npathprof trace info --format json ./*.pathtrace"
        );
        let told: Value = serde_json::from_str(&shell(folder, &build)).expect("JSON");
        *size = told["tables"][0]["rows"][0]["bytes"].as_u64().expect("a number");
    }
    assert!(sizes[0] < sizes[1], "{sizes:?}");
}

/// A coroutine that goes on in another thread each time. Each cell is written, and behind every
/// third one the coroutine waits; then the cell is read and written again.
const COROUTINE: &str = r#"
#include <coroutine>
#include <cstdio>
#include <exception>
#include <thread>
struct Task {
  struct promise_type {
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
};
long cells[40];
Task fill(long *to, int n) {
  for (int i = 0; i < n; i++) {
    to[i] = i;
    if (i % 3 == 0) co_await std::suspend_always{};
    to[i] += 1;
  }
}
int main() {
  Task task = fill(cells, 30);
  while (!task.handle.done()) std::thread([&] { task.handle.resume(); }).join();
  task.handle.destroy();
  printf("%zu\n", (size_t)cells);
}
"#;

#[test]
fn a_coroutine_tells_its_addresses_in_whatever_thread_it_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("program.cpp"), COROUTINE).expect("writable");
    for flags in ["-O0", "-O2", "-O0 -fpath-stage=early", "-O2 -fpath-stage=early"] {
        let build = format!(
            "rm -f ./*.pathtrace\n\
             pathc++ -std=c++20 -g -pthread {flags} -fpath-mode=trace program.cpp -o program\n\
             ./program"
        );
        let first: u64 = shell(folder, &build).trim().parse().expect("an address");
        let told = shell(folder, "pathprof trace cat --format json ./program.*.pathtrace");
        let mut accesses = [0; 40];
        for line in told.lines() {
            let step: Value = serde_json::from_str(line).expect("JSON");
            if !step["function"].as_str().unwrap_or_default().contains("fill") {
                continue;
            }
            for access in step["accesses"].as_array().into_iter().flatten() {
                let cell = access[2].as_u64().and_then(|address| address.checked_sub(first));
                if let Some(count) = cell.and_then(|at| accesses.get_mut(at as usize / 8)) {
                    *count += 1;
                }
            }
        }
        let expected = [vec![3; 30], vec![0; 10]].concat();
        // The optimiser may keep a cell in a register where the coroutine does not wait.
        let is_exact = flags.starts_with("-O0") && accesses[..] == expected;
        let is_optimised = flags.starts_with("-O2")
            && (0..40).all(|at| {
                let least = if at >= 30 {
                    0
                } else if at % 3 == 0 {
                    3
                } else {
                    1
                };
                (least..=expected[at]).contains(&accesses[at])
            });
        assert!(is_exact || is_optimised, "{flags}: {accesses:?}");
    }
}
