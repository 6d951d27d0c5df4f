//! A part of a run is traced: what happens in it is in the trace, and nothing else.

use std::fs;
use std::path::{Path, PathBuf};

use pathtests::shell::shell;
use serde_json::Value;

const PROGRAM: &str = r#"
#include <pathcc/trace.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
int cells[64];
pthread_barrier_t meet;
__attribute__((noinline)) void item(int i) { cells[i & 63] += i; }
__attribute__((noinline)) void work(int count) { for (int i = 0; i < count; i++) item(i); }
void *worker(void *unused) {
  work(1000);
  pthread_barrier_wait(&meet);
  pthread_barrier_wait(&meet);
  work(10);
  pthread_barrier_wait(&meet);
  pthread_barrier_wait(&meet);
  work(10000);
  return unused;
}
void handle(int number) {
  (void)number;
  item(1);
  pathcc_trace_begin();
  item(2);
  pathcc_trace_end();
  item(3);
}
int main(int count, char **words) {
  const char *word = count > 1 ? words[1] : "";
  if (!strcmp(word, "once")) {
    work(100);
    pathcc_trace_begin();
    work(7);
    pathcc_trace_end();
    work(50000);
  }
  if (!strcmp(word, "often"))
    for (int i = 0; i < 20000; i++) {
      work(10);
      pathcc_trace_begin();
      work(3);
      pathcc_trace_end();
    }
  if (!strcmp(word, "nested")) {
    pathcc_trace_end();
    pathcc_trace_begin();
    work(1);
    pathcc_trace_begin();
    work(2);
    pathcc_trace_end();
    work(4);
    pathcc_trace_end();
    work(8);
    pathcc_trace_begin();
    work(16);
  }
  if (!strcmp(word, "threads")) {
    pthread_t all[4];
    pthread_barrier_init(&meet, 0, 5);
    for (int i = 0; i < 4; i++) if (pthread_create(all + i, 0, worker, 0)) abort();
    pthread_barrier_wait(&meet);
    pathcc_trace_begin();
    pthread_barrier_wait(&meet);
    pthread_barrier_wait(&meet);
    pathcc_trace_end();
    pthread_barrier_wait(&meet);
    for (int i = 0; i < 4; i++) pthread_join(all[i], 0);
  }
  if (!strcmp(word, "fork")) {
    pathcc_trace_begin();
    work(5);
    pid_t child = fork();
    if (!child) { work(6); pathcc_trace_end(); work(60); exit(0); }
    pathcc_trace_end();
    work(100);
    waitpid(child, 0, 0);
    child = fork();
    if (!child) { work(8); exit(0); }
    waitpid(child, 0, 0);
  }
  if (!strcmp(word, "handler")) {
    signal(SIGUSR1, handle);
    for (int i = 0; i < 100; i++) { work(10); raise(SIGUSR1); }
  }
  puts("done");
  return 3;
}
"#;

fn traces(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("readable");
    let paths = entries.map(|entry| entry.expect("readable").path());
    paths.filter(|path| path.extension().is_some_and(|end| end == "pathtrace")).collect()
}

/// What a trace tells, line by line.
fn told(folder: &Path, trace: &Path) -> Vec<Value> {
    let command = format!("pathprof trace cat --format json '{}'", trace.display());
    let told = shell(folder, &command);
    told.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn steps(told: &[Value], function: &str) -> usize {
    told.iter().filter(|line| line["function"] == function).count()
}

/// How often `item` is in each trace of a run, sorted.
fn items(folder: &Path, command: &str) -> Vec<usize> {
    traces(folder).iter().for_each(|trace| fs::remove_file(trace).expect("ours"));
    assert_eq!(shell(folder, &format!("{command} || echo $?")), "done\n3\n", "{command}");
    let traces = traces(folder);
    let mut items: Vec<_> =
        traces.iter().map(|trace| steps(&told(folder, trace), "item")).collect();
    items.sort_unstable();
    items
}

/// A folder with a program, at a level.
fn scene(level: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("prog.c"), PROGRAM).expect("writable");
    let build = format!("pathcc -g {level} -pthread -fpath-mode=trace prog.c -o prog");
    shell(folder.path(), &build);
    folder
}

#[test]
fn what_is_marked_is_recorded_and_nothing_else() {
    for level in ["-O0", "-O2", "-O1 -fpath-stage=early"] {
        let folder = scene(level);
        let of = |word: &str| items(folder.path(), &format!("PATHCC_TRACE=off ./prog {word}"));
        assert_eq!(of("none"), [0; 0], "{level}");
        assert_eq!(of("once"), [7], "{level}");
        assert_eq!(of("often"), [60_000], "{level}");
        assert_eq!(of("nested"), [1 + 2 + 4 + 16], "{level}");
        assert_eq!(of("threads"), [40], "{level}");
        assert_eq!(of("fork"), [0, 5, 6], "{level}");
        assert_eq!(of("handler"), [100], "{level}");
    }
}

#[test]
fn the_run_is_a_part_of_its_own() {
    let folder = scene("-O1");
    let of = |word: &str| items(folder.path(), &format!("./prog {word}"));
    assert_eq!(of("once"), [50_107]);
    // The first end is that of the run.
    assert_eq!(of("nested"), [1 + 2 + 4 + 16]);
    assert_eq!(of("fork"), [8, 66, 105]);
}

#[test]
fn a_trace_says_where_recording_was_off() {
    let folder = scene("-O1");
    let of = |word| {
        items(folder.path(), &format!("PATHCC_TRACE=off ./prog {word}"));
        traces(folder.path()).remove(0)
    };
    let trace = of("once");
    let all = told(folder.path(), &trace);
    // Before it, the program only began.
    assert_eq!(all[0]["event"], "off");
    assert_eq!(all[0]["text"], "paths are missing: recording was off");
    let whole: Vec<_> = all.iter().filter(|line| line["function"] == "item").collect();
    assert!(whole.iter().all(|line| line["whole"] == true), "{whole:?}");
    let info = shell(folder.path(), &format!("pathprof trace info '{}'", trace.display()));
    assert!(info.contains("recording was off once"), "{info}");

    // What synchronises is there, whether paths are recorded or not.
    let trace = of("threads");
    let all = told(folder.path(), &trace);
    let number = |operation: &str| {
        all.iter().filter(|line| line["operation"] == operation && line["result"] == 0).count()
    };
    assert_eq!(["create", "begin", "barrier", "end", "join"].map(number), [4, 4, 20, 4, 4]);
    let graph = format!("pathprof trace graph --format json '{}'", trace.display());
    let graph: Value = serde_json::from_str(&shell(folder.path(), &graph)).expect("JSON");
    assert_eq!(graph["missing"], 0);
}

#[test]
fn marks_do_nothing_in_programs_that_are_not_traced() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("prog.c"), PROGRAM).expect("writable");
    let unit = "#include <pathcc/trace.h>\nextern \"C\" int marked() {\n  \
                pathcc_trace_begin(); pathcc_trace_end(); return 1; }\n";
    fs::write(folder.path().join("unit.cpp"), unit).expect("writable");
    let strict = "-Wall -Wextra -Wpedantic -Werror";
    let told = shell(
        folder.path(),
        &format!(
            "include=-isystem$(dirname $(which pathcc))/../include
             pathcc {strict} $include -pthread -c prog.c -o prog.o
             pathc++ {strict} $include -c unit.cpp -o unit.o
             pathcc -pthread prog.o unit.o -o counted && ./counted nested || true
             pathcc {strict} -fpath-mode=trace -O2 -flto -pthread prog.c unit.cpp -o traced
             PATHCC_TRACE=off ./traced once || true"
        ),
    );
    assert_eq!(told, "done\ndone\n");
    let trace = traces(folder.path()).remove(0);
    let told = format!("pathprof trace cat --format json '{}'", trace.display());
    assert!(shell(folder.path(), &told).contains(r#""event":"off""#));
}

#[test]
fn a_library_says_what_of_its_program_is_traced() {
    let folder = tempfile::tempdir().expect("a folder");
    let library = "#include <pathcc/trace.h>\nvoid start_part(void) { pathcc_trace_begin(); }\n\
                   void stop_part(void) { pathcc_trace_end(); }\n";
    let program = "#include <stdio.h>\nvoid start_part(void), stop_part(void);\nint cells[8];\n\
        __attribute__((noinline)) void item(int i) { cells[i & 7] += i; }\n\
        int main() { item(1); start_part(); item(2); item(3); stop_part(); item(4); puts(\"done\"); \
        return 3; }\n";
    fs::write(folder.path().join("lib.c"), library).expect("writable");
    fs::write(folder.path().join("prog.c"), program).expect("writable");
    for mode in ["trace", "paths"] {
        shell(
            folder.path(),
            &format!(
                "include=-isystem$(dirname $(which pathcc))/../include
                 pathcc -g -O1 $include -shared -fPIC -fpath-mode={mode} lib.c -o libmarks.so
                 pathcc -g -O1 -fpath-mode=trace prog.c -L. -lmarks -Wl,-rpath,. -o prog"
            ),
        );
        assert_eq!(items(folder.path(), "PATHCC_TRACE=off ./prog"), [2], "{mode}");
    }
}

#[test]
fn a_filter_chooses_the_functions_that_are_traced() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("prog.c"), PROGRAM).expect("writable");
    for (filter, items, works) in [("item", 50_107, 0), ("w*", 0, 3), ("!item", 0, 3)] {
        traces(folder.path()).iter().for_each(|trace| fs::remove_file(trace).expect("ours"));
        shell(
            folder.path(),
            &format!(
                "pathcc -g -O1 -pthread -fpath-mode=trace '-fpath-filter={filter}' prog.c -o prog
                 ./prog once || true"
            ),
        );
        let all = told(folder.path(), &traces(folder.path())[0]);
        let entered = |line: &&Value| line["function"] == "work" && line["start"] == "entry";
        assert_eq!(steps(&all, "item"), items, "{filter}");
        assert_eq!(all.iter().filter(entered).count(), works, "{filter}");
    }
}
