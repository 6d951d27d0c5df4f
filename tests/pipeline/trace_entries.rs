//! A part of a run begins where a function is entered for the n-th time: as where the program says
//! so itself at this place.

use std::fs;
use std::path::{Path, PathBuf};

use pathtests::shell::shell;
use serde_json::Value;

/// `gate` counts its calls itself, and is not traced. By hand it begins and ends the part.
const PROGRAM: &str = r#"
#include <pathcc/trace.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#ifdef BY_HAND
#define FIRST BY_HAND
#else
#define FIRST 0
#endif
#ifndef LAST
#define LAST 0
#endif
int cells[64];
int count;
__attribute__((noinline)) void item(int i) { cells[i & 63] += i; }
__attribute__((noinline)) void work(int i, int depth) {
  if (i % 3) item(i);
  else cells[i & 31]++;
  if (depth > 0) {
    void gate(int, int);
    gate(i + 1, depth - 1);
    cells[depth & 7] += i & 1 ? 2 : 3;
  }
}
__attribute__((annotate("pathcc:skip"), noinline)) void gate(int i, int depth) {
  ++count;
  if (count == FIRST) pathcc_trace_begin();
  if (count == LAST) pathcc_trace_end();
  work(i, depth);
}
int main(int arguments, char **words) {
  for (int i = 0; i < 20; i++) gate(i, arguments > 1 ? i & 3 : 0);
  return 3;
}
"#;

fn traces(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("readable");
    let paths = entries.map(|entry| entry.expect("readable").path());
    paths.filter(|path| path.extension().is_some_and(|end| end == "pathtrace")).collect()
}

/// What the only trace of a run tells, line by line; nothing if the run leaves none.
fn told(folder: &Path, command: &str) -> Vec<Value> {
    traces(folder).iter().for_each(|trace| fs::remove_file(trace).expect("ours"));
    assert_eq!(shell(folder, &format!("{command} || echo $?")), "3\n", "{command}");
    let traces = traces(folder);
    assert!(traces.len() <= 1, "{command}: {traces:?}");
    traces.first().map_or_else(Vec::new, |trace| steps_of(folder, trace))
}

fn steps_of(folder: &Path, trace: &Path) -> Vec<Value> {
    let command = format!("pathprof trace cat --format json '{}'", trace.display());
    let told = shell(folder, &command);
    told.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// The same without what differs from run to run, and from build to build.
fn comparable(told: &[Value]) -> Vec<Value> {
    let keys =
        ["event", "text", "frame", "depth", "whole", "function", "path", "start", "end", "blocks"];
    let accesses = |line: &Value| -> Vec<Value> {
        let all = line["accesses"].as_array().into_iter().flatten();
        all.map(|access| Value::from(vec![access[0].clone(), access[1].clone()])).collect()
    };
    let all = told.iter().map(|line| {
        let mut values: Vec<_> = keys.iter().map(|key| line[key].clone()).collect();
        values.extend(accesses(line));
        Value::from(values)
    });
    all.collect()
}

fn entries(told: &[Value], function: &str) -> usize {
    let is_entry = |line: &&Value| line["function"] == function && line["start"] == "entry";
    told.iter().filter(is_entry).count()
}

/// A folder with a program.
fn scene(name: &str, text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join(name), text).expect("writable");
    folder
}

const LEVELS: [&str; 5] = ["-O0", "-O2", "-O3", "-O0 -fpath-stage=early", "-O2 -fpath-stage=early"];

#[test]
fn a_part_begins_with_the_nth_entry_as_by_hand() {
    let folder = scene("prog.c", PROGRAM);
    let build = |level: &str, more: &str, name: &str| {
        let build = format!("pathcc -g {level} -fpath-mode=trace {more} prog.c -o {name}");
        shell(folder.path(), &build);
    };
    for level in LEVELS {
        for (part, by_hand, by_option, ends) in [
            ("work:1", "-DBY_HAND=1", 1, None),
            ("work:7", "-DBY_HAND=7", 7, None),
            ("wor*:7+5", "-DBY_HAND=7 -DLAST=12", 7, Some(12)),
        ] {
            build(level, by_hand, "hand");
            build(level, &format!("'-fpath-trace-from={part}'"), "option");
            for arguments in ["", "recursive"] {
                let hand = told(folder.path(), &format!("PATHCC_TRACE=off ./hand {arguments}"));
                let option = told(folder.path(), &format!("./option {arguments}"));
                let all: usize = if arguments.is_empty() { 20 } else { 50 };
                let expected = ends.unwrap_or(all + 1) - by_option;
                assert_eq!(entries(&option, "work"), expected, "{level} {part} {arguments}");
                assert_eq!(comparable(&option), comparable(&hand), "{level} {part} {arguments}");
                // The first path is the function's own, from its beginning.
                let first = option.iter().find(|line| line["function"].is_string());
                let first = first.expect("a path");
                assert_eq!(
                    (&first["function"], &first["start"], &first["whole"]),
                    (&"work".into(), &"entry".into(), &true.into()),
                    "{level} {part}"
                );
            }
        }
    }
}

#[test]
fn what_is_not_entered_so_often_is_not_recorded() {
    let folder = scene("prog.c", PROGRAM);
    for part in ["work:21", "nothing:1", "prog.c:1"] {
        let build =
            format!("pathcc -O1 -fpath-mode=trace '-fpath-trace-from={part}' prog.c -o prog");
        shell(folder.path(), &build);
        assert_eq!(told(folder.path(), "./prog"), Vec::<Value>::new(), "{part}");
        // The variable says that the run is a part.
        let all = told(folder.path(), "PATHCC_TRACE=on ./prog");
        assert_eq!((entries(&all, "work"), entries(&all, "main")), (20, 1), "{part}");
    }
    shell(folder.path(), "pathcc -O1 -fpath-mode=trace -fpath-trace-from=work:4 prog.c -o prog");
    for said in ["", "off"] {
        let all = told(folder.path(), &format!("PATHCC_TRACE={said} ./prog"));
        assert_eq!((entries(&all, "work"), entries(&all, "main")), (17, 0), "'{said}'");
    }
}

const THREADS: &str = r#"
#include <pthread.h>
#include <stdlib.h>
int cells[64];
pthread_barrier_t meet;
__attribute__((noinline)) void before(int i) { cells[i & 63] += i; }
__attribute__((noinline)) void work(int i) { cells[i & 63] += i; }
__attribute__((noinline)) void after(int i) { cells[i & 63] += i; }
void *worker(void *unused) {
  for (int i = 0; i < 100; i++) before(i);
  pthread_barrier_wait(&meet);
  for (int i = 0; i < 500; i++) work(i);
  pthread_barrier_wait(&meet);
  for (int i = 0; i < 100; i++) after(i);
  return unused;
}
int main() {
  pthread_t all[2];
  pthread_barrier_init(&meet, 0, 2);
  for (int i = 0; i < 2; i++) if (pthread_create(all + i, 0, worker, 0)) abort();
  for (int i = 0; i < 2; i++) pthread_join(all[i], 0);
  return 3;
}
"#;

#[test]
fn all_threads_count_together() {
    let folder = scene("prog.c", THREADS);
    for level in ["-O0", "-O2", "-O1 -fpath-stage=early"] {
        for first in [1, 501, 1000, 1001] {
            let build = format!(
                "pathcc -g {level} -pthread -fpath-mode=trace -fpath-trace-from=work:{first} \
                 prog.c -o prog"
            );
            shell(folder.path(), &build);
            for _ in 0..5 {
                let all = told(folder.path(), "./prog");
                let of = |function| entries(&all, function);
                let expected = if first == 1001 { 0 } else { 200 };
                assert_eq!((of("before"), of("after")), (0, expected), "{level} {first}");
                // What the other thread enters after the first entry may be missing up to the
                // barrier.
                let recorded = of("work");
                assert!(recorded <= 1001 - first, "{level} {first}: {recorded}");
                assert_eq!(recorded == 0, first == 1001, "{level} {first}: {recorded}");
            }
        }
    }
}

const CLASS: &str = r#"
struct Shape {
  int sides;
  int area(int i) { return i % 2 ? sides * i : sides; }
};
namespace geometry {
template <typename T> inline T twice(T value) { return value > 5 ? value * 2 : value + 1; }
}
"#;

const UNIT: &str = "#include \"class.h\"\n__attribute__((noinline)) int other(int i) {\n  \
                    return geometry::twice(i) + Shape{3}.area(i);\n}\n";

const MAIN: &str = r#"
#include "class.h"
int other(int i);
volatile int sum;
struct Early { Early() { for (int i = 0; i < 4; i++) sum += geometry::twice(i); } } early;
int main() {
  for (int i = 0; i < 10; i++) sum += geometry::twice(i) + Shape{4}.area(i) + other(i);
  return 3;
}
"#;

#[test]
fn names_of_the_source_and_inlined_copies_count() {
    let folder = scene("main.cpp", MAIN);
    fs::write(folder.path().join("class.h"), CLASS).expect("writable");
    fs::write(folder.path().join("unit.cpp"), UNIT).expect("writable");
    for level in LEVELS {
        // A constructor enters `twice` four times before `main` begins.
        for (part, function, all, first) in [
            ("geometry::twice<int>:7", "_ZN8geometry5twiceIiEET_S1_", 24, 7),
            ("geometry::*:2", "_ZN8geometry5twiceIiEET_S1_", 24, 2),
            ("_ZN5Shape4areaEi:20", "_ZN5Shape4areaEi", 20, 20),
            ("Shape::area(int):3", "_ZN5Shape4areaEi", 20, 3),
        ] {
            let build = format!(
                "pathc++ -g {level} -fpath-mode=trace '-fpath-trace-from={part}' main.cpp unit.cpp \
                 -o prog"
            );
            shell(folder.path(), &build);
            let told = told(folder.path(), "./prog");
            let found = told.iter().find(|line| line["function"].is_string()).expect("a path");
            assert_eq!(found["function"], function, "{level} {part}");
            assert_eq!(entries(&told, function), all + 1 - first, "{level} {part}");
        }
    }
}

#[test]
fn a_library_begins_a_part_of_its_program() {
    let folder = scene(
        "lib.c",
        "int cells[8];\n__attribute__((noinline)) void inner(int i) { cells[i & 7] += i; }\n\
         void entered(int i) { inner(i); }\n",
    );
    let program = "int cells[8];\nvoid entered(int);\n\
        __attribute__((noinline)) void item(int i) { cells[i & 7] += i; }\n\
        int main() { for (int i = 0; i < 10; i++) { item(i); entered(i); } return 3; }\n";
    fs::write(folder.path().join("linked.c"), program).expect("writable");
    let opens = "#include <dlfcn.h>\nvoid (*function)(int);\n\
        __attribute__((annotate(\"pathcc:skip\"), noinline)) void entered(int i) {\n  \
        if (!function) function = dlsym(dlopen(\"./libpart.so\", RTLD_NOW), \"entered\");\n  \
        function(i);\n}\n";
    fs::write(folder.path().join("opened.c"), format!("{opens}{program}")).expect("writable");
    shell(
        folder.path(),
        "pathcc -g -O1 -shared -fPIC -fpath-mode=trace -fpath-trace-from=entered:4 lib.c -o libpart.so
         pathcc -g -O1 -fpath-mode=trace linked.c -L. -lpart -Wl,-rpath,. -o linked
         pathcc -g -O1 -fpath-mode=trace opened.c -o opened
         clang-22 linked.c -L. -lpart -Wl,-rpath,. -o plain",
    );
    let of = |command: &str| {
        let told = told(folder.path(), command);
        ["entered", "inner", "item"].map(|function| entries(&told, function))
    };
    assert_eq!(of("./linked"), [7, 7, 6]);
    assert_eq!(of("./plain"), [7, 7, 0]);
    // Before the library is opened, everything is recorded.
    assert_eq!(of("./opened"), [7, 7, 7]);
    assert_eq!(of("PATHCC_TRACE=1 ./linked"), [10, 10, 10]);
    assert_eq!(of("PATHCC_TRACE=off ./opened"), [7, 7, 6]);
}

#[test]
fn a_forked_child_goes_on_counting() {
    let folder = scene(
        "prog.c",
        "#include <sys/wait.h>\n#include <unistd.h>\nint cells[8];\n\
         __attribute__((noinline)) void work(int i) { cells[i & 7] += i; }\n\
         int main() { work(1); work(2);\n  int child = fork();\n  \
         if (!child) { work(3); work(4); _exit(0); }\n  waitpid(child, 0, 0);\n  \
         work(5); work(6); work(7); return 3; }\n",
    );
    let build = "pathcc -g -O1 -fpath-mode=trace -fpath-trace-from=work:4 prog.c -o prog";
    shell(folder.path(), build);
    assert_eq!(shell(folder.path(), "./prog || echo $?"), "3\n");
    let traces = traces(folder.path());
    let of = |trace: &PathBuf| entries(&steps_of(folder.path(), trace), "work");
    let mut counts: Vec<_> = traces.iter().map(of).collect();
    counts.sort_unstable();
    assert_eq!(counts, [1, 2]);
}

#[test]
fn a_function_that_is_not_traced_begins_a_part() {
    let folder = scene("prog.c", PROGRAM);
    let build = "pathcc -g -O2 -fpath-mode=trace -fpath-filter=item -fpath-trace-from=work:8 \
                 prog.c -o prog";
    shell(folder.path(), build);
    // Of the twenty calls from `main`, those from the eighth on are those of 7 to 19.
    let told = told(folder.path(), "./prog");
    let items = (7..20).filter(|i| i % 3 != 0).count();
    assert_eq!((entries(&told, "item"), entries(&told, "work")), (items, 0));
}

#[test]
fn copies_that_the_optimiser_makes_for_some_arguments_count() {
    let folder = scene(
        "prog.c",
        "int cells[64];\nstatic int one(int i) { return i + 1; }\n\
         static int two(int i) { return i * 3; }\n\
         static int map(int (*f)(int), int n) {\n  int sum = 0;\n  \
         for (int i = 0; i < n; i++) { sum += f(i); cells[sum & 63] += f(sum); }\n  \
         return sum;\n}\n\
         int main(int count, char **words) {\n  \
         for (int i = 0; i < 10; i++) cells[i] += map(one, i + count) + map(two, i + count);\n  \
         return 3;\n}\n",
    );
    for part in ["map:7", "map:1"] {
        let build = format!(
            "pathcc -O2 -mllvm -force-specialization -fpath-mode=trace '-fpath-trace-from={part}' \
             prog.c -o prog"
        );
        shell(folder.path(), &build);
        let told = told(folder.path(), "./prog");
        let copies: usize =
            (1..=2).map(|copy| entries(&told, &format!("map.specialized.{copy}"))).sum();
        assert_eq!(copies, if part == "map:7" { 14 } else { 20 }, "{part}");
    }
}

#[test]
fn a_coroutine_is_entered_when_it_begins() {
    let folder = scene(
        "prog.cpp",
        "#include <coroutine>\nstruct Task {\n  struct promise_type {\n    \
         Task get_return_object() {\n      \
         return {std::coroutine_handle<promise_type>::from_promise(*this)};\n    }\n    \
         std::suspend_always initial_suspend() { return {}; }\n    \
         std::suspend_always final_suspend() noexcept { return {}; }\n    \
         void return_void() {}\n    void unhandled_exception() {}\n  };\n  \
         std::coroutine_handle<promise_type> handle;\n};\nint cells[8];\n\
         __attribute__((noinline)) void item(int i) { cells[i & 7] += i; }\n\
         Task work(int i) {\n  item(i);\n  co_await std::suspend_always{};\n  item(i + 1);\n}\n\
         int main() {\n  for (int i = 0; i < 10; i++) {\n    Task task = work(i);\n    \
         while (!task.handle.done()) task.handle.resume();\n    task.handle.destroy();\n  }\n  \
         return 3;\n}\n",
    );
    for level in ["-O0", "-O2", "-O2 -g"] {
        let build = format!(
            "pathc++ -std=c++20 {level} -fpath-mode=trace -fpath-trace-from=work:7+2 prog.cpp \
             -o prog"
        );
        shell(folder.path(), &build);
        let told = told(folder.path(), "./prog");
        let of = ["_Z4worki", "_Z4itemi"].map(|function| entries(&told, function));
        assert_eq!(of, [2, 4], "{level}");
    }
}
