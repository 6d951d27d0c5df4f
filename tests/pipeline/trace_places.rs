//! A program is traced wherever it runs: before its C library, under a sanitizer, in thousands of
//! threads, and when somebody cuts its trace. It does what it does without a trace.

use std::fs;
use std::path::{Path, PathBuf};

use pathtests::shell::shell;
use serde_json::Value;

const TRACE: &str = "pathcc -g -fpath-mode=trace";

/// The only trace in a folder.
fn trace(folder: &Path) -> PathBuf {
    let entries = fs::read_dir(folder).expect("readable");
    let paths = entries.map(|entry| entry.expect("readable").path());
    let mut found: Vec<_> =
        paths.filter(|path| path.extension().is_some_and(|end| end == "pathtrace")).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

/// How many paths the trace in a folder has of each function.
fn paths<const N: usize>(folder: &Path, functions: [&str; N]) -> [usize; N] {
    let place = trace(folder);
    let command = format!("pathprof trace cat --no-accesses --format json '{}'", place.display());
    let told = shell(folder, &command);
    fs::remove_file(place).expect("ours");
    let steps: Vec<Value> =
        told.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    functions.map(|function| steps.iter().filter(|step| step["function"] == function).count())
}

fn scene(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("writable");
    }
    folder
}

const RESOLVED: &str = r#"#include <stdio.h>
static int asked;
__attribute__((noinline)) static int choose(int x) { asked += x; return asked; }
__attribute__((noinline)) static int first(int x) { return x % 3 ? 1 : 2; }
static int second(int x) { return x; }
static int (*resolve(void))(int) { return choose(1) ? first : second; }
int work(int) __attribute__((ifunc("resolve")));
int main(void) {
  int s = 0;
  for (int i = 0; i < 30; i++) s += work(i);
  printf("%d\n", s);
}
"#;

#[test]
fn a_resolver_runs_before_the_c_library() {
    let folder = scene(&[("main.c", RESOLVED)]);
    let folder = folder.path();
    for linker in ["bfd", "lld", "mold"] {
        for how in ["-static", "-static-pie", "-static -fno-pie -no-pie", "-fno-pie -no-pie", ""] {
            let build = format!("-O2 {how} -fuse-ld={linker} main.c -o main");
            assert_eq!(shell(folder, &format!("{TRACE} {build}; ./main")), "40\n", "{build}");
            assert_eq!(paths(folder, ["choose", "first"]), [1, 30], "{build}");
            let counted = format!("pathcc -g {build}; ./main; rm ./*.pathprof");
            assert_eq!(shell(folder, &counted), "40\n", "{build}");
        }
    }
}

#[test]
fn units_that_count_and_units_that_are_traced_run_early() {
    let folder = scene(&[
        ("main.c", RESOLVED),
        ("other.c", "int other(int x) { return x % 2 ? 3 : 4; }\n"),
        (
            "caller.c",
            "int other(int);\n__attribute__((constructor)) void begin(void) { other(1); }\n",
        ),
    ]);
    let folder = folder.path();
    for how in ["-static", "-static-pie"] {
        let built = shell(
            folder,
            &format!(
                "pathcc -g -O1 -c other.c caller.c
                 {TRACE} -O1 {how} main.c other.o caller.o -o main; ./main
                 test -s main.pathprof; rm main.pathprof"
            ),
        );
        assert_eq!(built, "40\n", "{how}");
        assert_eq!(paths(folder, ["choose", "first"]), [1, 30], "{how}");
    }
}

const ALONE: &str = r#"
static long call(long n, long a, long b, long c) {
  long r;
  __asm__ volatile("syscall" : "=a"(r) : "a"(n), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
  return r;
}
__attribute__((noinline)) int work(int i) { return i % 3 ? 1 : 2; }
void start(void) {
  int s = 0;
  for (int i = 0; i < 30; i++) s += work(i);
  char text[3] = {'0' + s / 10, '0' + s % 10, '\n'};
  call(1, 1, (long)text, 3);
  call(231, 0, 0, 0);
}
__asm__(".globl _start\n_start: xor %ebp, %ebp\n and $-16, %rsp\n call start\n hlt\n");
"#;

#[test]
fn a_program_may_have_no_c_library() {
    let folder = scene(&[("alone.c", ALONE)]);
    let folder = folder.path();
    // Without inlining, nobody knows what the system calls do to thread pointers.
    for how in ["-O2 -static -fno-pic", "-O1 -static -no-pie -fno-pie"] {
        let build = format!("{TRACE} -nostdlib {how} alone.c -o alone; ./alone");
        assert_eq!(shell(folder, &build), "40\n", "{how}");
        assert_eq!(paths(folder, ["work"]), [30], "{how}");
    }
    // Nobody relocates this one, so that nothing is recorded.
    let build = format!("{TRACE} -nostdlib -O2 -static-pie alone.c -o alone; ./alone");
    assert_eq!(shell(folder, &build), "40\n");
}

const SANITIZED: &str = r#"#include <pthread.h>
#include <signal.h>
#include <stdio.h>
int total;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
__attribute__((noinline)) int work(int i) { return i % 3 ? 1 : 2; }
static void begin(void) { total = 0; }
static void *run(void *unused) {
  pthread_once(&once, begin);
  for (int i = 0; i < 10; i++) {
    pthread_mutex_lock(&gate);
    total += work(i);
    pthread_mutex_unlock(&gate);
  }
  return unused;
}
static void handle(int number) { total += work(number); }
int main(void) {
  pthread_t other;
  signal(SIGUSR1, handle);
  pthread_create(&other, 0, run, 0);
  run(0);
  pthread_join(other, 0);
  raise(SIGUSR1);
  printf("%d\n", total);
}
"#;

const CHECKED: &str = r#"#include <stdio.h>
int total;
double sum;
__attribute__((noinline)) int work(int i) { sum += i * 0.5; return i % 3 ? 1 : 2; }
int main(void) {
  int many[10] = {0};
  for (int i = 0; i < 21; i++) total += many[i % 10] = work(i);
  printf("%d\n", total);
}
"#;

#[test]
fn sanitizers_and_the_tracer_stand_before_the_same_functions() {
    let folder = scene(&[("threads.c", SANITIZED), ("checked.c", CHECKED)]);
    let folder = folder.path();
    let sanitizers =
        ["address", "thread", "memory", "leak", "undefined", "type", "realtime", "numerical"];
    for sanitizer in sanitizers {
        for level in ["-O0", "-O2"] {
            for (source, expected) in [("threads.c", "29\n"), ("checked.c", "28\n")] {
                let options = format!("{level} -pthread -fsanitize={sanitizer} {source} -o prog");
                let plain = shell(folder, &format!("clang-22 {options}; ./prog"));
                assert_eq!(plain, expected, "{sanitizer} {level} {source}");
                let traced = shell(folder, &format!("{TRACE} {options}; ./prog"));
                assert_eq!(traced, expected, "{sanitizer} {level} {source}");
                // A check may divide a path.
                let [entered] = paths(folder, ["work"]);
                assert!([21, 42].contains(&entered), "{sanitizer} {level} {source}: {entered}");
            }
        }
    }
    shell(folder, &format!("{TRACE} -O2 -fsanitize=hwaddress -c checked.c -o checked.o"));
    // It gives functions other names, ours too. So its units are not traced.
    let dataflow = "-O0 -fsanitize=dataflow checked.c -o checked; ./checked";
    assert_eq!(shell(folder, &format!("{TRACE} {dataflow}")), "28\n");
}

#[test]
fn thinlto_may_be_distributed() {
    let folder = scene(&[
        (
            "main.c",
            "int work(int);\nint main(void) {\n  int s = 0;\n  \
            for (int i = 0; i < 30; i++) s += work(i);\n  return s != 40;\n}\n",
        ),
        ("lib.c", "__attribute__((noinline)) int work(int i) { return i % 3 ? 1 : 2; }\n"),
    ]);
    let folder = folder.path();
    shell(
        folder,
        &format!(
            "{TRACE} -O2 -flto=thin -c main.c lib.c
             pathcc -flto=thin -fuse-ld=lld main.o lib.o -Wl,--thinlto-index-only -o index
             for unit in main lib; do
               {TRACE} -O2 -x ir $unit.o -fthinlto-index=$unit.o.thinlto.bc -c -o $unit.native.o
             done
             pathcc main.native.o lib.native.o -o program; ./program"
        ),
    );
    assert_eq!(paths(folder, ["work"]), [30]);
    // The jobs may get copies of the objects, in a folder of their own.
    shell(
        folder,
        &format!(
            "rm -f ./*.pathtrace ./*.native.o; mkdir far
             pathcc -flto=thin -fuse-ld=lld main.o lib.o -Wl,--thinlto-index-only \\
               -Wl,--thinlto-prefix-replace=';far/' -o index
             for unit in main lib; do
               {TRACE} -O2 -x ir $unit.o -fthinlto-index=far/$unit.o.thinlto.bc -c \\
                 -o $unit.native.o
             done
             pathcc main.native.o lib.native.o -o program; ./program"
        ),
    );
    assert_eq!(paths(folder, ["work"]), [30]);
}

const THREADS: &str = r#"#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
static long out[4000];
static pthread_key_t key;
__attribute__((noinline)) static void item(long i) { out[i] += i * i; }
// It runs behind the end of the thread's function.
static void leave(void *number) { item((intptr_t)number); }
static void *work(void *number) {
  item((intptr_t)number);
  pthread_setspecific(key, number);
  return 0;
}
int main(void) {
  pthread_t threads[8];
  pthread_key_create(&key, leave);
  for (long begin = 0; begin < 4000; begin += 8) {
    for (long i = 0; i < 8; i++) pthread_create(threads + i, 0, work, (void *)(begin + i));
    for (int i = 0; i < 8; i++) pthread_join(threads[i], 0);
  }
  long sum = 0;
  for (int i = 0; i < 4000; i++) sum += out[i];
  printf("%ld\n", sum);
}
"#;

#[test]
fn short_threads_share_chunks_of_the_file() {
    let folder = scene(&[("threads.c", THREADS)]);
    let folder = folder.path();
    shell(folder, &format!("{TRACE} -O1 -pthread threads.c -o threads; ./threads"));
    let length = fs::metadata(trace(folder)).expect("it is there").len();
    assert!(length < 20 << 20, "{length} bytes for 4,000 threads");
    let told = shell(folder, "pathprof trace races threads");
    assert!(told.contains("No two accesses race."), "{told}");
    // The whole chunks of a part would be as long as they are.
    shell(folder, "pathprof trace cut threads -o cut");
    let cut = fs::metadata(folder.join("cut")).expect("it is there").len();
    assert!(cut < 20 << 20, "{cut} bytes for 4,000 threads");
    let command = "pathprof trace cat --function item --no-accesses cut | grep -c 'item:'";
    // The key of the first thread is null, and its destructor is not called.
    assert_eq!(shell(folder, command), "7999\n");
    assert_eq!(paths(folder, ["item"]), [7999]);
}

const CUT: &str = r#"#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
__attribute__((noinline)) static int work(int i) { return i % 3 ? 1 : 2; }
int main(int count, char **words) {
  char name[100];
  struct sigaction known;
  long sum = 0;
  for (int i = 0; i < 1000; i++) sum += work(i);
  sigaction(SIGBUS, 0, &known);
  printf("%d %d\n", known.sa_handler == SIG_DFL, signal(SIGBUS, SIG_DFL) == SIG_DFL);
  snprintf(name, sizeof name, "cut.%d.pathtrace", getpid());
  if (count == 1 && truncate(name, 0)) return 2;
  for (int i = 0; i < 100000; i++) sum += work(i);
  printf("%ld\n", sum);
}
"#;

#[test]
fn a_trace_that_is_cut_harms_nobody() {
    let folder = scene(&[("cut.c", CUT)]);
    let folder = folder.path();
    for level in ["-O0", "-O2"] {
        let command = format!("{TRACE} {level} cut.c -o cut; ./cut; rm ./*.pathtrace; ./cut whole");
        assert_eq!(shell(folder, &command), "1 1\n134668\n".repeat(2), "{level}");
        assert_eq!(paths(folder, ["work"]), [101_000], "{level}");
    }
}

const CONTEXTS: &str = r#"#include <pathcc/trace.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
static ucontext_t home, other[2];
static char stacks[2][1 << 16];
char out[2][64];
__attribute__((noinline)) static void body(char *mine, int number) {
  for (int i = 0; i < 4; i++) {
    mine[i] = 1;
    printf("%#lx\n", (long)(mine + i));
    // Both of them have begun, and wait in this loop.
    if (number == 1 && i == 1 && getenv("LATE")) pathcc_trace_begin();
    swapcontext(&other[number], &other[1 - number]);
    mine[i + 32] = 2;
    printf("%#lx\n", (long)(mine + i + 32));
  }
}
static void start(int number) { body(out[number], number); }
int main(void) {
  for (int k = 0; k < 2; k++) {
    getcontext(&other[k]);
    other[k].uc_stack.ss_sp = stacks[k];
    other[k].uc_stack.ss_size = sizeof stacks[k];
    other[k].uc_link = &home;
    makecontext(&other[k], (void (*)(void))start, 1, k);
  }
  swapcontext(&home, &other[0]);
}
"#;

#[test]
fn contexts_of_one_function_are_not_mixed_up() {
    let folder = scene(&[("contexts.c", CONTEXTS)]);
    let folder = folder.path();
    for level in ["-O0", "-O1", "-O2"] {
        let stored = shell(folder, &format!("{TRACE} {level} contexts.c -o contexts; ./contexts"));
        let told = shell(folder, "pathprof trace cat contexts; rm ./*.pathtrace");
        let is_store = |line: &&str| line.contains("store 1 ");
        let address = |line: &str| line.split_whitespace().nth(2).map(str::to_owned);
        let traced: Vec<_> = told.lines().filter(is_store).filter_map(address).collect();
        let stored: Vec<_> = stored.lines().collect();
        assert_eq!((stored.len(), traced.len()), (15, 15), "{level}");
        // What the trace does not tell is not guessed.
        let is_right = |(stored, traced): (&&str, &String)| traced == "?" || traced == stored;
        assert!(stored.iter().zip(&traced).all(is_right), "{level}: {stored:?} {traced:?}");
        assert!(traced.iter().filter(|of| *of != "?").count() >= 2, "{level}: {traced:?}");

        // Recording begins when nobody knows which contexts there are.
        let stored = shell(folder, "LATE=1 PATHCC_TRACE=off ./contexts");
        let told = shell(folder, "pathprof trace cat contexts; rm ./*.pathtrace");
        let traced: Vec<_> = told.lines().filter(is_store).filter_map(address).collect();
        let stored: Vec<_> = stored.lines().collect();
        assert_eq!((stored.len(), traced.len()), (15, 9), "{level}");
        let is_right = |(stored, traced): (&&str, &String)| traced == "?" || traced == stored;
        assert!(stored[6..].iter().zip(&traced).all(is_right), "{level}: {stored:?} {traced:?}");
    }
}
