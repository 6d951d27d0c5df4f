//! Traces survive what ends a process: each program here lives or dies in a particular way, does
//! what it does without a trace, and its traces have every call that it made.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use pathtests::shell::shell;
use serde_json::Value;

const PROGRAM: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
int cells[64];
__attribute__((noinline)) void item(int i) { cells[i & 63] += i; }
__attribute__((noinline)) void work(int count) { for (int i = 0; i < count; i++) item(i); }
void *thread(void *count) { work((long)count); return 0; }
void start_and_join(int threads, long count) {
  pthread_t all[100];
  for (int i = 0; i < threads; i++) if (pthread_create(all + i, 0, thread, (void *)count)) abort();
  for (int i = 0; i < threads; i++) pthread_join(all[i], 0);
}
long pages(void) {
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%ld", &pages) != 1) abort();
  fclose(file);
  return pages;
}
void *forks(void *unused) {
  work(3);
  pid_t child = fork();
  work(4);
  if (!child) exit(0);
  waitpid(child, 0, 0);
  return unused;
}
int main(int count, char **words) {
  const char *word = words[1];
  long number = count > 2 ? atol(words[2]) : 1000;
  if (!strcmp(word, "exit")) work(number);
  if (!strcmp(word, "leave")) { work(number); puts("left"); fflush(0); _exit(7); }
  if (!strcmp(word, "abort")) { work(number); abort(); }
  if (!strcmp(word, "kill")) { work(number); raise(SIGKILL); }
  if (!strcmp(word, "threads")) start_and_join(100, number);
  if (!strcmp(word, "many")) {
    start_and_join(100, 1);
    long before = pages();
    for (int i = 0; i < 1900; i++) start_and_join(1, 1);
    // Room for as many chunks as had been mapped at once, and what the C library keeps.
    printf("%s\n", pages() - before > 128 * 256 ? "grew" : "did not grow");
  }
  if (!strcmp(word, "fork")) {
    work(5);
    pid_t child = fork();
    if (!child) { work(6); exit(0); }
    waitpid(child, 0, 0);
    work(7);
  }
  if (!strcmp(word, "vfork")) {
    pid_t child = vfork();
    if (!child) { work(6); _exit(0); }
    waitpid(child, 0, 0);
    work(7);
  }
  if (!strcmp(word, "forks")) {
    pthread_t other;
    pthread_create(&other, 0, forks, 0);
    pthread_join(other, 0);
  }
  if (!strcmp(word, "exec")) { work(8); execl(words[0], words[0], "exit", "9", (char *)0); }
  if (!strcmp(word, "libraries")) {
    for (int i = 0; i < 20; i++) {
      void *library = dlopen(words[2], RTLD_NOW);
      work(1);
      ((void (*)(int))dlsym(library, "use"))(2);
      work(1);
      dlclose(library);
    }
  }
  puts("done");
  return 3;
}
"#;

const LIBRARY: &str = "int used[8];\n__attribute__((noinline)) void entry(int i) { used[i & 7]++; }\n\
    void use(int count) { for (int i = 0; i < count; i++) entry(i); }\n";

/// A folder with the program, traced and not, and a library.
fn scene() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("prog.c"), PROGRAM).expect("writable");
    fs::write(folder.path().join("lib.c"), LIBRARY).expect("writable");
    shell(
        folder.path(),
        "pathcc -g -O1 -pthread -fpath-mode=trace prog.c -o prog
         clang-22 -g -O1 -pthread prog.c -o plain
         pathcc -g -O1 -shared -fPIC -fpath-mode=trace lib.c -o libuse.so",
    );
    folder
}

fn traces(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("readable");
    let paths = entries.map(|entry| entry.expect("readable").path());
    let mut traces: Vec<_> =
        paths.filter(|path| path.extension().is_some_and(|end| end == "pathtrace")).collect();
    traces.sort_by_key(|path| fs::metadata(path).expect("it is there").ino());
    traces
}

/// How many paths a trace has of a function.
fn paths(folder: &Path, trace: &Path, function: &str) -> usize {
    let chosen = format!("--function {function} --no-accesses --format json");
    let command = format!("pathprof trace cat {chosen} '{}'", trace.display());
    let told = shell(folder, &command);
    let steps = told.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    steps.filter(|step| step["function"] == function).count()
}

/// Runs both programs with the same words, in an environment; the calls of `item` in each trace, in
/// sorted order.
fn run(folder: &Path, before: &str, words: &str) -> Vec<usize> {
    let of = |program: &str| {
        // What a shell says of a signal is not the program's.
        shell(folder, &format!("( {before}\n ./{program} {words} ) 2>/dev/null || echo $?"))
    };
    let expected = of("plain");
    // A library may have left some.
    traces(folder).iter().for_each(|trace| fs::remove_file(trace).expect("ours"));
    assert_eq!(of("prog"), expected, "{before} {words}");
    let mut items: Vec<usize> =
        traces(folder).iter().map(|trace| paths(folder, trace, "item")).collect();
    items.sort();
    items
}

#[test]
fn every_call_is_in_the_trace_whatever_ends_the_process() {
    let folder = scene();
    for word in ["exit", "leave", "abort", "kill"] {
        for count in [1, 1000, 100_000] {
            let found = run(folder.path(), "ulimit -c 0", &format!("{word} {count}"));
            assert_eq!(found, [count], "{word}");
        }
    }
}

#[test]
fn threads_have_streams_and_leave_nothing_behind() {
    let folder = scene();
    assert_eq!(run(folder.path(), "", "threads 1000"), [100_000]);
    assert_eq!(run(folder.path(), "", "many"), [2000]);
    let trace = &traces(folder.path())[0];
    let blocks = fs::metadata(trace).expect("it is there").blocks() * 512;
    assert!(blocks < 2000 * 8192 + (64 << 20), "{blocks} bytes");
}

#[test]
fn each_process_has_a_trace_of_its_own() {
    let folder = scene();
    assert_eq!(run(folder.path(), "", "fork"), [6, 12]);
    assert_eq!(run(folder.path(), "", "vfork"), [13]);
    assert_eq!(run(folder.path(), "", "forks"), [4, 7]);
    assert_eq!(run(folder.path(), "", "exec"), [8, 9]);
}

#[test]
fn a_library_continues_the_trace_of_its_program() {
    let folder = scene();
    assert_eq!(run(folder.path(), "", "libraries ./libuse.so"), [40]);
    let all = traces(folder.path());
    assert_eq!(paths(folder.path(), &all[0], "entry"), 40);
    // In a program without a trace, a library has a trace each time that it is opened.
    fs::remove_file(&all[0]).expect("ours");
    shell(folder.path(), "./plain libraries ./libuse.so || true");
    let all = traces(folder.path());
    let entries: Vec<usize> =
        all.iter().map(|trace| paths(folder.path(), trace, "entry")).collect();
    assert_eq!(entries, [2; 20]);
}

#[test]
fn a_plain_program_opens_many_traced_libraries() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("lib.c"), LIBRARY).expect("writable");
    let program = r#"
#include <dlfcn.h>
#include <stdio.h>
int main(int count, char **words) {
  for (int i = 1; i < count; i++) {
    void *library = dlopen(words[i], RTLD_NOW);
    if (!library) { puts(dlerror()); return 1; }
    ((void (*)(int))dlsym(library, "use"))(i);
  }
  puts("opened");
}
"#;
    fs::write(folder.path().join("prog.c"), program).expect("writable");
    let told = shell(
        folder.path(),
        "clang-22 prog.c -o plain
         pathcc -fpath-mode=trace prog.c -o prog
         pathcc -g -O1 -shared -fPIC -fpath-mode=trace lib.c -o 1.so
         for number in $(seq 2 150); do cp 1.so $number.so; done
         ./plain ./*.so
         for number in $(seq 151 300); do cp 1.so $number.so; done
         ./prog ./*.so
         GLIBC_TUNABLES=glibc.rtld.optional_static_tls=4096 ./plain ./*.so",
    );
    assert_eq!(told, "opened\n".repeat(3));
}

#[test]
fn without_room_the_program_runs_all_the_same() {
    let folder = scene();
    for before in ["export PATHCC_PROFILE=off", "export PATHCC_PROFILE=/proc/nowhere/x.pathprof"] {
        assert_eq!(run(folder.path(), before, "exit 100000"), [0; 0], "{before}");
    }
    let found = run(folder.path(), "ulimit -f 1200", "exit 1000000");
    assert!(matches!(found[..], [1..1_000_000]), "{found:?}");
    let trace = traces(folder.path()).remove(0);
    let flags = fs::read(&trace).expect("readable")[12];
    assert_eq!(flags & 8, 8, "it says that it is not whole");
}

const HANDLERS: &str = r#"
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
volatile long handled, nested, turns, jumps;
int cells[1024];
sigjmp_buf back;
__attribute__((noinline)) void item(int i) { cells[i & 1023]++; }
__attribute__((noinline)) void deep(void) { nested++; for (int i = 0; i < 3; i++) item(i); }
void inner(int number) { (void)number; deep(); }
void outer(int number, siginfo_t *info, void *context) {
  if (number != SIGALRM || info->si_signo != number || !context) _exit(9);
  handled++;
  for (int i = 0; i < 5; i++) item(i);
  raise(SIGUSR1);
}
void jump(int number) { (void)number; jumps++; item(7); siglongjmp(back, 1); }
int main(int count, char **words) {
  (void)count;
  struct sigaction action = {0}, old;
  action.sa_sigaction = outer;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  if (sigaction(SIGALRM, &action, 0) || sigaction(SIGALRM, 0, &old)) return 1;
  if (old.sa_sigaction != outer || (old.sa_flags & 0xffffff) != (int)((SA_SIGINFO | SA_RESTART) & 0xffffff)) return 2;
  if (signal(SIGUSR1, inner) != SIG_DFL || signal(SIGUSR1, inner) != inner) return 3;
  if (signal(SIGUSR2, SIG_IGN) != SIG_DFL || signal(SIGUSR2, SIG_DFL) != SIG_IGN) return 4;
  if (sigaction(SIGKILL, &action, 0) != -1 || sigaction(1000, &action, 0) != -1) return 5;
  memset(&action, 0, sizeof action);
  action.sa_handler = inner;
  action.sa_flags = SA_RESETHAND;
  sigaction(SIGURG, &action, 0);
  raise(SIGURG);
  sigaction(SIGURG, 0, &old);
  if (old.sa_handler != SIG_DFL) return 6;
  if (strcmp(words[1], "jump")) {
    struct itimerval often = {{0, 300}, {0, 300}};
    setitimer(ITIMER_REAL, &often, 0);
    // Most of the time is spent in code that keeps its place in a register.
    while (handled < 200) { for (int i = 0; i < 1000; i++) cells[i] += i; turns++; item(1); }
    setitimer(ITIMER_REAL, &(struct itimerval){0}, 0);
  } else {
    signal(SIGUSR1, jump);
    for (volatile int i = 0; i < 20; i++) { sigsetjmp(back, 1); if (jumps <= i) raise(SIGUSR1); item(2); turns++; }
  }
  fprintf(stderr, "%ld", handled * 5 + nested * 3 + turns + jumps);
  puts("done");
  return 0;
}
"#;

#[test]
fn handlers_write_over_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("prog.c"), HANDLERS).expect("writable");
    for level in ["-O0", "-O2"] {
        shell(folder.path(), &format!("pathcc -g {level} -fpath-mode=trace prog.c -o prog"));
        for word in ["timer", "jump"] {
            traces(folder.path()).iter().for_each(|trace| fs::remove_file(trace).expect("ours"));
            let told = shell(folder.path(), &format!("./prog {word} 2>items"));
            assert_eq!(told, "done\n");
            let items: usize = fs::read_to_string(folder.path().join("items"))
                .expect("it was written")
                .parse()
                .expect("a number");
            let trace = traces(folder.path()).remove(0);
            assert_eq!(paths(folder.path(), &trace, "item"), items, "{level} {word}");
            let info = format!("pathprof trace info '{}'", trace.display());
            let info = shell(folder.path(), &info);
            assert!(!info.contains("damaged") && !info.contains("missing"), "{info}");
        }
    }
}

const COUNTING: &str = r#"
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>
int cells[64];
volatile long *progress;
__attribute__((noinline)) void item(long i) { cells[i & 63] += 1; }
void *count(void *place) { for (long i = 0;; i++) { item(i * i); progress[(long)place] = i + 1; } }
int main(void) {
  int file = open("progress", O_RDWR);
  progress = mmap(0, 16, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  pthread_t other;
  pthread_create(&other, 0, count, (void *)1);
  count((void *)0);
}
"#;

#[test]
fn a_trace_takes_little_of_a_small_stack() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("survival/death_small_stack.c");
    shell(
        folder,
        &format!("pathcc -O1 -fpath-mode=trace '{}' -o prog -Wl,-z,now", source.display()),
    );
    for way in ["hl", "hx", "hf", "ht", "cl", "cx", "cf", "ct"] {
        let status = shell(folder, &format!("rm -f *.pathtrace; ./prog {way} || echo $?"));
        assert_eq!(status, "7\n", "{way}");
        let works: usize = traces(folder).iter().map(|trace| paths(folder, trace, "work")).sum();
        let expected = match way.as_bytes()[1] {
            b'f' => 3,
            b't' => 60_001,
            _ => 1,
        };
        assert_eq!(works, expected, "{way}");
    }
}

/// A process may be killed while a full chunk moves.
#[test]
fn a_process_that_is_killed_at_any_moment_loses_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let progress = folder.path().join("progress");
    fs::write(folder.path().join("prog.c"), COUNTING).expect("writable");
    let build = "pathcc -g -O1 -pthread -fpath-mode=trace -fpath-filter=item prog.c -o prog";
    shell(folder.path(), build);
    for turn in 0..60 {
        fs::write(&progress, [0; 16]).expect("writable");
        let told = || {
            let bytes = fs::read(&progress).expect("readable");
            let (first, second) = bytes.split_at(8);
            [first, second].map(|word| u64::from_le_bytes(word.try_into().expect("8 bytes")))
        };
        let mut child = Command::new("./prog").current_dir(&folder).spawn().expect("it starts");
        while told().iter().any(|&calls| calls < 100_000 + turn * 7919) {}
        child.kill().expect("it runs");
        child.wait().expect("it ran");
        let trace = traces(folder.path()).remove(0);
        let command = format!("pathprof trace info --format json '{}' 2>&1", trace.display());
        let info: Value = serde_json::from_str(&shell(folder.path(), &command)).expect("JSON");
        let mut found = Vec::new();
        for stream in info["tables"][0]["rows"].as_array().expect("streams") {
            assert_eq!(stream["gaps"], 0, "{stream}");
            found.push(stream["paths"].as_u64().expect("a number"));
        }
        // A call may have ended that nobody counted.
        let (mut found, mut told) = (found, told());
        found.sort_unstable();
        told.sort_unstable();
        let is_whole = |(&found, &told)| found == told || found == told + 1;
        assert!(found.len() == 2 && found.iter().zip(&told).all(is_whole), "{found:?} {told:?}");
        fs::remove_file(trace).expect("ours");
    }
}
