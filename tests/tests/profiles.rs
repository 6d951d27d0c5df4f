//! Where profiles are, and what stands in them: beside the program, whatever it does and wherever it runs.

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
        &format!("pathcc -g -O1 {flags} prog.c -o bin/prog; pathcc -shared -fPIC use.c -o lib/libuse.so"),
    );
    folder
}

/// How often `work` was entered, and how many records there are, in the export of what these arguments name.
fn exported(folder: &Path, arguments: &str) -> (u64, usize) {
    let json = shell(folder, &format!("pathprof export --format json {arguments}"));
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let functions = json["functions"].as_array().expect("a list").iter();
    let entries = functions.filter(|of| of["name"] == "work").filter_map(|of| of["entries"].as_u64()).sum();
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
    let new: Vec<_> = after.lines().filter(|file| !before.lines().any(|old| old == *file)).collect();
    assert_eq!(new, ["./bin/prog.pathprof"]);
    // The last start is one process with two images.
    assert_eq!(exported(folder, "bin/prog"), (10, 2));
    assert_eq!(exported(folder, "--run 2 bin/prog"), (10 + 2, 3));
    assert_eq!(exported(folder, "--all bin/prog"), (32, 6));
    assert_eq!(exported(folder, "bin"), (32, 6));
    let list = shell(folder, "cd bin; pathprof runs");
    assert_eq!(list.lines().count(), 5, "{list}");
    // The loader may be called by name.
    shell(folder, "cd here; /lib64/ld-linux-x86-64.so.2 ../bin/prog");
    assert_eq!(exported(folder, "bin/prog"), (10, 1));
    // A library of a program without counters has a file beside itself.
    fs::write(folder.join("host.c"), PROGRAM).expect("writable");
    shell(folder, "clang-22 host.c -o bin/host; cd here; ../bin/host library");
    assert!(folder.join("lib/libuse.so.pathprof").is_file() && !folder.join("bin/host.pathprof").exists());
}

/// Leaves in every way in which a child may, and counts its parent's calls of `work` and its own.
const LEAVES: &str = r#"
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
__attribute__((noinline)) static int work(int x) { __asm__ volatile("" : "+r"(x)); return x & 1; }
#ifdef LIBRARY
void run(char **words) { work(1); execvp("true", words); }
#else
void run(char **words);
__attribute__((noinline)) static void leave(int how) {
  char *words[] = {"true", 0};
  for (int i = 0; i < 10; i++) work(i);
  switch (how) {
  case 0: execl("/bin/true", "true", (char *)0); break;
  case 1: execlp("true", "true", "a", "b", "c", "d", "e", "f", (char *)0); break;
  case 2: execle("/bin/true", "true", (char *)0, environ); break;
  case 3: execv("/bin/true", words); break;
  case 4: execvp("true", words); break;
  case 5: execvpe("true", words, environ); break;
  case 6: execve("/bin/true", words, environ); break;
  case 7: fexecve(open("/bin/true", O_RDONLY), words, environ); break;
  case 8: execveat(AT_FDCWD, "/bin/true", words, environ, 0); break;
  // What cannot be executed lets the process go on, in two cases as another run.
  case 9: execve("/no/such", words, environ); work(3); _exit(0);
  case 10: execvp("no such program", words); work(3); _exit(0);
  case 11: execve("/etc", words, environ); work(3); exit(0);
  case 12: _exit(0);
  case 13: _Exit(0);
  case 14: run(words);
  }
  abort();
}
int main(void) {
  int failed = 0, status;
  for (int how = 0; how < 15; how++) {
    if (!fork()) leave(how);
    wait(&status);
    failed |= status;
  }
  if (!vfork()) execl("/bin/true", "true", (char *)0);
  wait(&status);
  return !!failed;
}
#endif
"#;

#[test]
fn whoever_leaves_for_another_program_writes_a_record() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("leaves.c"), LEAVES).expect("writable");
    for linker in ["bfd", "lld", "gold", "mold"] {
        let library = "pathcc -g -DLIBRARY -shared -fPIC leaves.c -o librun.so -Wl,-soname,$PWD/librun.so";
        // All that the linker puts into a program leaves through us, whoever compiled it.
        let archive = "clang-22 -DLIBRARY -c leaves.c -o run.o; rm -f librun.*; ar rcs librun.a run.o";
        for (flags, library) in [("", library), ("-O1 -no-pie", library), ("-static", archive)] {
            let build = format!("{library}; pathcc -g {flags} leaves.c -o leaves -L. -lrun");
            shell(folder, &format!("rm -f *.pathprof; export PATHLD_REAL={linker}; {build}; ./leaves"));
            let found = shell(folder, "ls -A");
            let own: Vec<_> = found.lines().filter(|file| file.contains("pathprof") || file.contains("ELF")).collect();
            assert_eq!(own, ["leaves.pathprof"], "{linker} {flags}");
            if flags != "-static" {
                let calls = shell(folder, "nm -D librun.so | grep -o 'exec.*@' || :");
                assert_eq!(calls, "execvp@\n", "{linker}: no reference but the library's own");
            }
            let json = shell(folder, "pathprof export --format json leaves");
            let json: Value = serde_json::from_str(&json).expect("JSON");
            let entries = |name| {
                let functions = json["functions"].as_array().expect("a list").iter();
                functions.filter(|of| of["name"] == name).map(|of| of["entries"].as_u64().expect("a number")).sum()
            };
            let counted: [u64; 3] = ["main", "leave", "run"].map(entries);
            let from_library = u64::from(flags != "-static");
            assert_eq!(counted, [1, 15, from_library], "{linker} {flags}");
            assert_eq!(entries("work"), 15 * 10 + 3 + from_library, "{linker} {flags}");
            let marked = json["profiles"].as_array().expect("a list").iter().any(|of| of["incomplete"] == true);
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
        &format!("pathcc -O1 -fpath-profile={place}/%e.%h/ prog.c -o bin/prog; cd here; ../bin/prog; ../bin/prog"),
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
