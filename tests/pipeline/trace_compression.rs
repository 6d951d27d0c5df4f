//! Traces that are compressed while they are written tell what others tell, and programs do what
//! they do without: whatever ends them, and wherever the file is cut.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use pathtests::shell::shell;
use serde_json::Value;

/// All that it accesses is at places that are the same in every run. It has functions of names that
/// compression uses, which nobody calls.
const PROGRAM: &str = r#"
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#define NEVER __attribute__((annotate("pathcc:skip"), used))
NEVER size_t ZSTD_compress2(void) { abort(); }
NEVER void *ZSTD_initStaticCCtx(void) { abort(); }
NEVER size_t HIST_count_wksp(void) { abort(); }
int cells[4][4096];
__attribute__((noinline)) void item(int row, unsigned i) { cells[row][i * i % 4096] += i; }
__attribute__((noinline)) void work(int row, int count) {
    for (int i = 0; i < count; i++) item(row, i);
}
void *thread(void *row) { work((int)(long)row, 70000); return 0; }
void handler(int number) { (void)number; work(1, 70000); }
int main(int count, char **words) {
  const char *word = count > 1 ? words[1] : "";
  if (!strcmp(word, "threads")) {
    pthread_t all[3];
    for (long i = 0; i < 3; i++) if (pthread_create(all + i, 0, thread, (void *)(i + 1))) abort();
    for (int i = 0; i < 3; i++) pthread_join(all[i], 0);
  }
  if (!strcmp(word, "fork")) {
    work(0, 70000);
    pid_t child = fork();
    if (!child) { work(1, 90000); exit(0); }
    waitpid(child, 0, 0);
    work(2, 40000);
  }
  if (!strcmp(word, "vfork")) {
    work(0, 70000);
    pid_t child = vfork();
    if (!child) { work(1, 70000); _exit(0); }
    waitpid(child, 0, 0);
    work(2, 40000);
  }
  if (!strcmp(word, "handler")) {
    static char room[8192];
    stack_t stack = {.ss_sp = room, .ss_size = sizeof room};
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
    if (sigaltstack(&stack, 0) || sigaction(SIGUSR1, &action, 0)) abort();
    work(0, 70000);
    raise(SIGUSR1);
  }
  if (!strcmp(word, "kill")) { work(0, 130000); raise(SIGKILL); }
  puts("done");
  return 0;
}
"#;

/// A folder with the program.
fn scene() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("prog.c"), PROGRAM).expect("writable");
    let build = "pathcc -g -O1 -pthread -fpath-mode=trace prog.c";
    shell(folder.path(), &format!("{build} -no-pie -o prog\n {build} -static -o static"));
    folder
}

fn traces(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("readable");
    let paths = entries.map(|entry| entry.expect("readable").path());
    paths.filter(|path| path.extension().is_some_and(|end| end == "pathtrace")).collect()
}

/// What `pathprof trace info` says of a trace.
fn info(folder: &Path, trace: &Path) -> String {
    shell(folder, &format!("pathprof trace info '{}' 2>&1", trace.display()))
}

/// The steps of each stream of a trace, in sorted order: functions, paths and accesses. Read as
/// text: there are hundreds of thousands of lines.
fn steps(folder: &Path, trace: &Path) -> Vec<Vec<String>> {
    let command = format!("pathprof trace cat --format json '{}'", trace.display());
    let told = shell(folder, &command);
    let mut streams: Vec<(&str, Vec<String>)> = Vec::new();
    for line in told.lines() {
        if let Some((_, event)) = line.split_once("\"event\":\"") {
            assert!(!event.starts_with("damaged") && !event.starts_with("missing"), "{line}");
            continue;
        }
        let stream = between(line, "\"stream\":", ",");
        if streams.last().is_none_or(|(before, _)| *before != stream) {
            streams.push((stream, Vec::new()));
        }
        // The stack is elsewhere in each run, but what is done there is the same.
        let accesses = between(line, "\"accesses\":[", "]}").split("],[").map(|access| {
            let fields: Vec<&str> = access.trim_matches(['[', ']']).split(',').collect();
            let address = fields.get(2).and_then(|address| address.parse::<u64>().ok());
            let address = address.filter(|&address| address < 1 << 32);
            format!("{:?} {address:?}", &fields[..fields.len().min(2)])
        });
        let accesses = accesses.collect::<Vec<_>>().join(" ");
        let path = between(line, "\"function\":", ",\"start\":");
        streams.last_mut().expect("one").1.push(format!("{path} {accesses}"));
    }
    let mut steps: Vec<_> = streams.into_iter().map(|(_, steps)| steps).collect();
    steps.sort();
    steps
}

/// What stands between two texts.
fn between<'a>(line: &'a str, before: &str, behind: &str) -> &'a str {
    let (_, rest) = line.split_once(before).unwrap_or_else(|| panic!("no {before} in {line}"));
    rest.split_once(behind).unwrap_or_else(|| panic!("no {behind} in {rest}")).0
}

/// Runs a program in an environment; whether its traces are compressed.
fn compresses(folder: &Path, said: &str, words: &str) -> bool {
    traces(folder).iter().for_each(|trace| fs::remove_file(trace).expect("ours"));
    let command = format!("( export PATHCC_TRACE_COMPRESS={said}\n {words} ) 2>/dev/null || true");
    shell(folder, &command);
    let found = traces(folder);
    let compressed = found.iter().map(|trace| info(folder, trace));
    let compressed = compressed.map(|told| told.lines().any(|line| line.starts_with("zstd ")));
    let compressed: Vec<bool> = compressed.collect();
    assert!(compressed.iter().all(|&one| one == compressed[0]), "{compressed:?}");
    compressed.contains(&true)
}

/// Runs a program in an environment; what its traces tell, and whether they are compressed.
fn run(folder: &Path, said: &str, words: &str) -> (Vec<Vec<Vec<String>>>, bool) {
    let compressed = compresses(folder, said, words);
    let mut told: Vec<_> = traces(folder).iter().map(|trace| steps(folder, trace)).collect();
    told.sort();
    (told, compressed)
}

#[test]
fn a_compressed_trace_tells_the_same() {
    let folder = scene();
    for words in
        ["prog threads", "prog fork", "prog vfork", "prog handler", "prog kill", "static fork"]
    {
        let words = format!("./{words}");
        let (plain, is_compressed) = run(folder.path(), "", &words);
        assert!(!is_compressed && !plain.is_empty(), "{words}");
        let (told, is_compressed) = run(folder.path(), "zstd", &words);
        assert!(is_compressed, "{words}");
        assert!(plain == told, "{words}: {} streams", told.len());
    }
}

#[test]
fn only_a_known_method_compresses() {
    let folder = scene();
    for said in ["no", "off", "gzip", "1", "zstd-but-longer"] {
        assert!(!compresses(folder.path(), said, "./prog kill"), "{said}");
    }
    assert!(compresses(folder.path(), "ZSTD", "./prog kill"));
    assert!(compresses(folder.path(), "no", "pathprof trace run --compress ./prog kill"));
    let doctor = "PATHCC_TRACE_COMPRESS=gzip pathprof doctor 2>&1 || true";
    assert!(shell(folder.path(), doctor).contains("names no method of compression"));
}

#[test]
fn a_part_stays_or_becomes_compressed_and_is_sparse() {
    let folder = scene();
    for said in ["no", "zstd"] {
        let (told, _) = run(folder.path(), said, "./prog kill");
        let trace = traces(folder.path()).remove(0);
        let part = folder.path().join("part");
        let cut = format!("pathprof trace cut --compress '{}' -o part", trace.display());
        shell(folder.path(), &cut);
        assert_eq!(told, [steps(folder.path(), &part)], "{said}");
        assert!(info(folder.path(), &part).lines().any(|line| line.starts_with("zstd ")));
        let data = fs::metadata(&part).expect("it is there");
        assert!(data.blocks() * 512 < data.len() * 2 / 3, "{} bytes", data.blocks() * 512);
    }
}

#[test]
fn a_compressed_trace_may_end_anywhere() {
    let folder = scene();
    run(folder.path(), "zstd", "./prog kill");
    let trace = traces(folder.path()).remove(0);
    let bytes = fs::read(&trace).expect("readable");
    let mut before = 0;
    for turn in 0..12 {
        // The first chunks are those of the process, and of the stream that is still mapped.
        let length = bytes.len() * turn / 12 + turn * 13;
        fs::write(folder.path().join("cut"), &bytes[..length]).expect("writable");
        let command = "pathprof trace cat --no-accesses cut 2>err | grep -c ' item:' || true
             cat err";
        let told = shell(folder.path(), command);
        assert!(!told.contains("panic") && !told.contains("damaged: its comp"), "{told}");
        let found: usize = told.lines().next().expect("a number").parse().expect("a number");
        assert!(found >= before && found <= 130_000, "{length}: {told}");
        before = found;
    }
    assert!(before > 60_000, "{before}");
}

const COUNTING: &str = r#"
#include <fcntl.h>
#include <sys/mman.h>
int cells[4096];
volatile long *progress;
__attribute__((noinline)) void item(long i) { cells[i * i & 4095] += 1; }
int main(void) {
  int file = open("progress", O_RDWR);
  progress = mmap(0, 8, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  for (long i = 0;; i++) { item(i); *progress = i + 1; }
}
"#;

/// A process may be killed while a full chunk is compressed.
#[test]
fn a_process_that_is_killed_while_it_compresses_loses_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let progress = folder.path().join("progress");
    fs::write(folder.path().join("prog.c"), COUNTING).expect("writable");
    shell(folder.path(), "pathcc -g -O1 -fpath-mode=trace -fpath-filter=item prog.c -o prog");
    for turn in 0..20 {
        fs::write(&progress, [0; 8]).expect("writable");
        let told = || {
            let bytes = fs::read(&progress).expect("readable");
            u64::from_le_bytes(bytes.try_into().expect("8 bytes"))
        };
        let mut command = Command::new("./prog");
        command.current_dir(&folder).env("PATHCC_TRACE_COMPRESS", "zstd");
        let mut child = command.spawn().expect("it starts");
        while told() < 100_000 + turn * 7919 {}
        child.kill().expect("it runs");
        child.wait().expect("it ran");
        let trace = traces(folder.path()).remove(0);
        let command = format!("pathprof trace info --format json '{}' 2>&1", trace.display());
        let info: Value = serde_json::from_str(&shell(folder.path(), &command)).expect("JSON");
        let stream = &info["tables"][0]["rows"][0];
        assert_eq!(stream["gaps"], 0, "{stream}");
        let (found, told) = (stream["paths"].as_u64().expect("a number"), told());
        assert!(found == told || found == told + 1, "{found} {told}");
        fs::remove_file(trace).expect("ours");
    }
}
