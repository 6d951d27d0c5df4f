//! Images that another linker made count when `pathprof run` starts them.

use std::fs;
use std::path::Path;

use pathtests::shell::shell;
use pathtests::tree::bin;
use tempfile::TempDir;

/// What a process may do before it ends: each way is chosen by an argument.
const PROGRAM: &str = r#"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) int work(int rounds) {
    int sum = 0;
    for (int i = 0; i < rounds; i++)
        if (i % 3)
            sum += i;
        else
            sum ^= i;
    return sum;
}
__attribute__((noinline)) int pointed(int x) { return x ? 1 : 2; }
static int (*volatile pointer)(int) = pointed;
__attribute__((constructor)) static void first(void) { work(2); }
__attribute__((destructor)) static void last(void) { work(4); }
static void handler(void) { work(5); }
static void *thread(void *argument) { work(1000); return argument; }

int main(int count, char **words) {
    const char *how = count > 1 ? words[1] : "";
    atexit(handler);
    printf("%d %d\n", work(10), pointer(count));
    fflush(stdout);
    if (!strcmp(how, "fork")) {
        if (fork() == 0) { work(100); exit(0); }
        wait(0);
    } else if (!strcmp(how, "vfork")) {
        if (vfork() == 0) _exit(0);
        wait(0);
    } else if (!strcmp(how, "_exit")) {
        work(20);
        _exit(3);
    } else if (!strcmp(how, "_Exit")) {
        _Exit(3);
    } else if (!strcmp(how, "quick_exit")) {
        quick_exit(3);
    } else if (!strcmp(how, "limit")) {
        struct rlimit limit = {3, 3};
        setrlimit(RLIMIT_NOFILE, &limit);
    } else if (!strcmp(how, "thread")) {
        pthread_t id;
        pthread_create(&id, 0, thread, 0);
        pthread_join(id, 0);
    } else if (!strcmp(how, "library")) {
        int (*f)(int) = (int (*)(int))dlsym(dlopen("./part.so", RTLD_NOW), "part");
        printf("%d\n", f(7));
    }
    return 0;
}
"#;

fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("program.c"), PROGRAM).expect("a file");
    let part = "int part(int x) { int n = 0; while (x--) n += x & 1; return n; }\n";
    fs::write(folder.path().join("part.c"), part).expect("a file");
    folder
}

/// What `pathprof run` counted of a program, with the program's output before it. Which image it
/// was, and how it ended, is left out.
fn counted(folder: &Path, command: &str) -> String {
    let says = shell(
        folder,
        &format!("rm -f *.pathprof; pathprof run --quiet {command} 2>said || :; cat said >&2"),
    );
    let report = shell(folder, "pathprof report --all --top 0 *.pathprof 2>/dev/null || :");
    let other = |line: &&str| {
        !["image ", "run", "when ", "warning:"].iter().any(|start| line.starts_with(start))
    };
    let kept: String = report.lines().filter(other).map(|line| format!("{line}\n")).collect();
    // A blank line stands before warnings.
    says + kept.trim_end()
}

#[test]
fn what_another_linker_made_counts_the_same() {
    let folder = folder();
    let folder = folder.path();
    shell(
        folder,
        "pathcc -O2 -g -c program.c && pathcc program.o -o program && pathcc -O2 -g -fPIC -shared part.c -o part.so",
    );
    let ways = ["", "fork", "vfork", "_exit", "_Exit", "quick_exit", "limit", "library"];
    let by_us = ways.map(|how| counted(folder, &format!("./program {how}")));
    assert!(by_us[0].contains("in 6 of 7 functions"), "all but `thread` ran: {}", by_us[0]);
    for link in [
        "gcc program.o -o program",
        "gcc -s -no-pie -Wl,--gc-sections program.o -o program",
        "g++ program.o -o program",
        "clang-22 -fuse-ld=lld -Wl,--gc-sections program.o -o program",
        "clang-22 -fuse-ld=gold program.o -o program",
        "clang-22 -fuse-ld=mold program.o -o program",
        "ld -r program.o -o whole.o && gcc whole.o -o program",
    ] {
        shell(folder, link);
        for (how, by_us) in ways.iter().zip(&by_us) {
            assert_eq!(counted(folder, &format!("./program {how}")), *by_us, "{link}: {how}");
        }
    }
}

#[test]
fn c_in_a_program_of_rust_counts() {
    let folder = folder();
    let folder = folder.path();
    let main = "unsafe extern \"C\" { fn part(x: i32) -> i32; }\n\
                fn main() { println!(\"{}\", unsafe { part(5) }); }\n";
    fs::write(folder.join("main.rs"), main).expect("a file");
    shell(folder, "pathcc -O2 -g -fPIC -c part.c && ar rcs libpart.a part.o");
    shell(folder, "rustc --edition 2024 main.rs -L . -l static=part");
    let seen = shell(folder, "pathprof run ./main 2>/dev/null");
    assert!(
        seen.starts_with("2\n") && seen.contains("in 1 of 1 function") && seen.contains("part.c:1"),
        "{seen}"
    );
}

#[test]
fn what_threads_may_have_disturbed_is_marked() {
    let folder = folder();
    let folder = folder.path();
    for (flags, marked) in [("", true), ("-fpath-threads=atomic", false)] {
        shell(folder, &format!("pathcc -O2 {flags} -c program.c && gcc program.o -o other"));
        shell(folder, "rm -f *.pathprof; pathprof run --quiet ./other thread");
        let report = shell(folder, "pathprof report other.pathprof 2>&1");
        assert_eq!(report.contains("threads"), marked, "{report}");
        shell(folder, "rm -f *.pathprof; pathprof run --quiet ./other");
        let report = shell(folder, "pathprof report other.pathprof 2>&1");
        assert!(!report.contains("threads"), "{report}");
    }
}

#[test]
fn a_module_of_an_uncounted_program_counts_if_that_is_asked_for() {
    let folder = folder();
    let folder = folder.path();
    shell(
        folder,
        "pathcc -O2 -fPIC -c part.c && gcc -shared part.o -o part.so && gcc program.c -o plain",
    );
    shell(
        folder,
        "pathprof run --quiet ./plain library 2>said; grep -q -e --preload said; ! ls *.pathprof 2>/dev/null",
    );
    shell(folder, "pathprof run --preload --quiet ./plain library");
    let report = shell(folder, "pathprof report *.pathprof");
    assert!(report.contains("part.so") && report.contains("in 1 of 1 function"), "{report}");
    // By hand, the profile goes beside the image.
    let library = bin("../lib/pathcc/libpathrt.so");
    shell(
        folder,
        &format!(
            "rm *.pathprof; LD_PRELOAD={} ./plain library; test -e part.so.pathprof",
            library.display()
        ),
    );
}

#[test]
fn what_we_linked_is_written_once() {
    let folder = folder();
    let folder = folder.path();
    for flags in ["", "-flto=thin", "-flto"] {
        shell(folder, &format!("pathcc -O2 {flags} program.c -o by_us"));
        shell(folder, "rm -f *.pathprof; pathprof run --quiet --preload ./by_us");
        let report = shell(folder, "pathprof report --all *.pathprof");
        assert!(report.starts_with("image ") && report.contains("\nrun "), "one run: {report}");
    }
    shell(folder, "clang-22 -O2 -flto -fuse-ld=$(command -v ld.pathld) program.c -o by_us");
    shell(folder, "rm -f *.pathprof; pathprof run --quiet --preload ./by_us");
    let report = shell(folder, "pathprof report --all *.pathprof");
    assert!(report.starts_with("image ") && report.contains("\nrun "), "one run: {report}");
}

#[test]
fn other_libraries_that_are_preloaded_stay() {
    let folder = folder();
    let folder = folder.path();
    shell(
        folder,
        "pathcc -O2 -c program.c && gcc program.o -o other && gcc -shared -fPIC part.c -o mine.so",
    );
    let environment = "LD_PRELOAD=$PWD/mine.so pathprof run --quiet --preload sh -c 'echo $LD_PRELOAD' 2>/dev/null";
    let seen = shell(folder, environment);
    assert!(seen.trim().ends_with("/mine.so") && seen.contains("libpathrt.so:"), "{seen}");
    // Programs that need nothing see nothing.
    let seen = shell(folder, "pathprof run --quiet sh -c 'echo $LD_PRELOAD' 2>/dev/null");
    assert_eq!(seen.trim(), "");
}

#[test]
fn a_program_with_the_address_sanitizer_runs_as_it_does() {
    let folder = folder();
    let folder = folder.path();
    shell(folder, "pathcc -O2 -c program.c && gcc -fsanitize=address program.o -o other");
    let seen = shell(folder, "pathprof run --quiet ./other 2>said; cat said");
    assert!(seen.contains("another linker") && seen.contains("address sanitizer"), "{seen}");
    assert!(seen.starts_with(&shell(folder, "./other")), "{seen}");
}
