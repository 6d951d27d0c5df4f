//! Where profiles are, and what stands in them: beside the program, whatever it does and wherever
//! it runs.

use std::fs;
use std::path::Path;

use pathtests::shell::shell;
use serde_json::Value;

const PROGRAM: &str = r#"
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) int work(int x) { __asm__ volatile("" : "+r"(x)); return x & 1; }
int main(int count, char **words) {
  int sum = 0;
  for (int i = 0; i < 10; i++) sum += work(i);
  for (int i = 1; i < count; i++) {
    if (!strcmp(words[i], "fork") && !fork()) return work(i) > 1;
    if (!strcmp(words[i], "die") && !fork()) { work(i); raise(SIGKILL); }
    if (!strcmp(words[i], "library")) ((int (*)(int))dlsym(dlopen("../lib/libuse.so", RTLD_NOW), "use"))(3);
    if (!strcmp(words[i], "read")) return read(0, &sum, 1);
    if (!strcmp(words[i], "kill")) raise(SIGKILL);
    while (wait(0) > 0) {}
  }
  return sum != 5;
}
"#;

/// A folder with the program and a library, and one to run them in.
fn scene(flags: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["bin", "lib", "here"] {
        fs::create_dir(folder.path().join(name)).expect("writable");
    }
    fs::write(folder.path().join("prog.c"), PROGRAM).expect("writable");
    fs::write(folder.path().join("use.c"), "int use(int x) { return x > 2; }\n").expect("writable");
    shell(
        folder.path(),
        &format!(
            "pathcc -g -O1 {flags} prog.c -o bin/prog; pathcc -shared -fPIC use.c -o lib/libuse.so"
        ),
    );
    folder
}

/// How often `work` was entered, and how many records there are, in the export of what these
/// arguments name.
fn exported(folder: &Path, arguments: &str) -> (u64, usize) {
    let json = shell(folder, &format!("pathprof export --format json {arguments}"));
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let functions = json["functions"].as_array().expect("a list").iter();
    let entries =
        functions.filter(|of| of["name"] == "work").filter_map(|of| of["entries"].as_u64()).sum();
    (entries, json["profiles"].as_array().expect("a list").len())
}

/// All files in a folder and below.
fn files(folder: &Path) -> String {
    shell(folder, "find . -type f | sed 's/[0-9][0-9]*.raw/N.raw/' | sort")
}

#[test]
fn runs_are_in_one_file_beside_the_program() {
    let folder = scene("");
    let folder = folder.path();
    let before = files(folder);
    shell(folder, "cd here; ../bin/prog; ../bin/prog fork fork; ../bin/prog library");
    let after = files(folder);
    let new: Vec<_> =
        after.lines().filter(|file| !before.lines().any(|old| old == *file)).collect();
    assert_eq!(new, ["./bin/prog.pathprof"]);
    // The last start is one process with two images.
    assert_eq!(exported(folder, "bin/prog"), (10, 2));
    assert_eq!(exported(folder, "--run 2 bin/prog"), (10 + 2, 3));
    assert_eq!(exported(folder, "--all bin/prog"), (32, 6));
    assert_eq!(exported(folder, "bin"), (32, 6));
    let list = shell(folder, "cd bin; pathprof runs");
    assert_eq!(list.lines().filter(|line| line.contains("bin/prog")).count(), 3, "{list}");
    // The loader may be called by name.
    shell(folder, "cd here; /lib64/ld-linux-x86-64.so.2 ../bin/prog");
    assert_eq!(exported(folder, "bin/prog"), (10, 1));
    // A library of a program without counters has a file beside itself.
    fs::write(folder.join("host.c"), PROGRAM).expect("writable");
    shell(folder, "clang-22 host.c -o bin/host; cd here; ../bin/host library");
    assert!(
        folder.join("lib/libuse.so.pathprof").is_file()
            && !folder.join("bin/host.pathprof").exists()
    );
}

/// Children that leave at once, by code of the program's own and of a library.
const LEAVES: &str = r#"
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) static int work(int x) { __asm__ volatile("" : "+r"(x)); return x & 1; }
#ifdef LIBRARY
void leave(void) { work(1); _exit(0); }
#else
void leave(void);
int main(void) {
  int failed = 0, status;
  for (int how = 0; how < 3; how++) {
    if (!fork()) {
      for (int i = 0; i < 10; i++) work(i);
      if (how == 0) _exit(0);
      if (how == 1) _Exit(0);
      leave();
    }
    wait(&status);
    failed |= status;
  }
  if (!vfork()) _exit(0);
  wait(&status);
  return !!failed;
}
#endif
"#;

#[test]
fn whoever_leaves_at_once_writes_a_record() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("leaves.c"), LEAVES).expect("writable");
    // Each linker has its own way with symbols that are nowhere, such as that of a profile's name.
    for linker in ["bfd", "lld", "gold", "mold"] {
        let counted =
            "pathcc -g -DLIBRARY -shared -fPIC leaves.c -o librun.so -Wl,-soname,$PWD/librun.so";
        let plain =
            "clang-22 -DLIBRARY -shared -fPIC leaves.c -o librun.so -Wl,-soname,$PWD/librun.so";
        let archive =
            "clang-22 -DLIBRARY -c leaves.c -o run.o; rm -f librun.*; ar rcs librun.a run.o";
        // A position-independent program need not begin at 0. Only the linkers of GNU can be told
        // so.
        let moved = match linker {
            "bfd" | "gold" => "-pie -fPIE -Wl,-Ttext-segment=0x10000",
            _ => "-pie -fPIE",
        };
        for (flags, library) in
            [("", counted), ("-O1 -no-pie", plain), (moved, plain), ("-static", archive)]
        {
            let build = format!("{library}; pathcc -g {flags} leaves.c -o leaves -L. -lrun");
            shell(
                folder,
                &format!("rm -f *.pathprof; export PATHLD_REAL={linker}; {build}; ./leaves"),
            );
            let found = shell(folder, "ls -A");
            let found: Vec<_> = found.lines().filter(|file| !file.starts_with("librun.")).collect();
            let expected = ["leaves", "leaves.c", "leaves.pathprof"];
            assert_eq!(
                found.iter().filter(|file| **file != "run.o").collect::<Vec<_>>(),
                expected.iter().collect::<Vec<_>>()
            );
            let json = shell(folder, "pathprof export --format json leaves");
            let json: Value = serde_json::from_str(&json).expect("JSON");
            let functions = json["functions"].as_array().expect("a list").iter();
            let entries = functions
                .filter(|of| of["name"] == "work")
                .map(|of| of["entries"].as_u64().expect("a number"));
            let from_library = u64::from(library == counted);
            assert_eq!(entries.sum::<u64>(), 3 * 10 + from_library, "{linker} {flags}");
            let marked = json["profiles"]
                .as_array()
                .expect("a list")
                .iter()
                .any(|of| of["incomplete"] == true);
            assert!(!marked, "{linker} {flags}: all records are whole");
        }
    }
}

#[test]
fn processes_that_write_no_record_are_taken_in() {
    let folder = scene("");
    let folder = folder.path();
    shell(folder, "cd here; ../bin/prog; ../bin/prog die die kill || :; ../bin/prog");
    let raw = |text: &str| text.lines().filter(|file| file.ends_with(".raw")).count();
    assert_eq!(raw(&files(folder)), 3, "{}", files(folder));
    assert_eq!(exported(folder, "--all bin/prog"), (32, 5));
    assert_eq!(exported(folder, "--run 2 bin/prog"), (12, 3));
    shell(folder, "pathprof compact bin/prog");
    assert_eq!(raw(&files(folder)), 0);
    assert_eq!(exported(folder, "bin/prog"), (10, 1));
    // What is left says that it is not whole.
    assert_eq!(exported(folder, "--all bin/prog"), (32, 2));
    assert!(shell(folder, "pathprof report --all bin/prog").contains("incomplete"));
    // A process that still counts keeps its file, and writes its record.
    let lines = "mkfifo pipe; (cd here; exec ../bin/prog read <../pipe) & exec 3>pipe\n\
                 until ls -A bin | grep -q raw; do :; done; pathprof compact bin/prog; ls -A bin | grep -c raw\n\
                 exec 3>&-; wait";
    assert!(shell(folder, lines).ends_with("\n1\n"));
    assert_eq!(raw(&files(folder)), 0);
    assert_eq!(exported(folder, "--all bin/prog").0, 42);
}

#[test]
fn a_build_may_say_where_profiles_go() {
    let folder = scene("-fpath-profile=/nowhere/x");
    let folder = folder.path();
    let place = folder.join("profiles").display().to_string();
    shell(
        folder,
        &format!(
            "pathcc -O1 -fpath-profile={place}/%e.%h/ prog.c -o bin/prog; cd here; ../bin/prog; ../bin/prog"
        ),
    );
    let host = fs::read_to_string("/proc/sys/kernel/hostname").expect("Linux");
    let profile = format!("{place}/prog.{}/prog.pathprof", host.trim());
    assert_eq!(exported(folder, &profile), (20, 2));
    // Who runs the program has the last word.
    shell(folder, "cd here; PATHCC_PROFILE=mine.pathprof ../bin/prog");
    assert_eq!(exported(folder, "here/mine.pathprof"), (10, 1));
    for (setting, build) in [
        ("profile = \"off\"", "pathcc -O1 -c prog.c -o prog.o; pathcc prog.o -o bin/prog"),
        ("", "pathcc -O2 -flto -fpath-profile=off prog.c -o bin/prog"),
        ("", "pathcc -fpath-profile=off -fpath-mode=blocks -static prog.c -o bin/prog 2>/dev/null"),
    ] {
        fs::write(folder.join("pathcc.toml"), setting).expect("writable");
        shell(folder, build);
        let before = files(folder);
        shell(folder, "cd here; ../bin/prog");
        assert_eq!(files(folder), before, "{setting} {build}");
    }
}

const WATCHED: &str = r#"
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) static int work(int x) { return x & 1 ? x + 1 : x - 1; }
static void *run(void *x) { return (void *)(size_t)work((size_t)x); }
int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, run, 0);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
    pid_t child = fork();
    run(0);
    if (child == 0) _exit(0);
    waitpid(child, 0, 0);
    free(malloc(10));
    return write(1, "ran\n", 4) != 4;
}
"#;

#[test]
fn valgrind_says_no_more_than_of_a_plain_program() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("watched.c"), WATCHED).expect("writable");
    if shell(folder, "valgrind --version || true").is_empty() {
        eprintln!("skipped: there is no valgrind");
        return;
    }
    for mode in ["paths", "trace"] {
        let build = format!("-fpath-mode={mode} watched.c -o watched");
        // Our objects bring no debug information: valgrind 3.19 gives up where two units of clang's
        // have DWARF 5.
        let plain = shell(folder, "clang-22 watched.c -o plain; readelf -SW plain");
        let counted = shell(folder, &format!("pathcc {build}; readelf -SW watched"));
        assert_eq!(plain.matches(" .debug").count(), counted.matches(" .debug").count());
        // With DWARF 4 it says nothing at all.
        for (flags, errors) in [("-g", "2>/dev/null"), ("-gdwarf-4", "2>&1")] {
            let run = format!("pathcc {flags} {build}; valgrind -q --error-exitcode=9 ./watched");
            assert_eq!(shell(folder, &format!("{run} {errors}")), "ran\n", "{mode} {flags}");
        }
    }
}
