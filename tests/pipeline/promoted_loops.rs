//! In machine code, short loops keep their counters in registers, and a report names the loops of
//! which counts may be missing: where a process was killed, or ended while other threads ran.

use std::fs;
use std::path::Path;
use std::process::Command;

use pathtests::tree::bin;

const SOURCE: &str = r#"
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static volatile int started;
static volatile unsigned sink;
static void stop(int signal) { kill(getpid(), SIGKILL + 0 * signal); }
__attribute__((noinline)) static unsigned spin(unsigned n)
{
    unsigned s = 1;
    for (unsigned i = 0; i != n; i++)
        s = s * 1664525 + 1013904223 + (s >> 3);
    return s;
}
__attribute__((noinline)) static unsigned never(unsigned n)
{
    unsigned s = 1;
    for (unsigned i = 0; i != n; i++)
        s = s * 22695477 + 1 + (s >> 5);
    return s;
}
static void *run(void *argument)
{
    started = 1;
    for (;;)
        sink += spin(-1u);
    return argument;
}
int main(int count, char **arguments)
{
    pthread_t thread;
    sink = spin(1000);
    if (count > 2)
        sink = never(1000);
    if (count == 1)
        return 0;
    if (arguments[1][0] == 'k') {
        signal(SIGALRM, stop);
        alarm(1);
        run(NULL);
    }
    pthread_create(&thread, NULL, run, NULL);
    while (!started)
        usleep(1000);
    usleep(10000);
    exit(0);
}
"#;

/// What a report says below its tables after a run with these arguments.
fn remarks(folder: &Path, flags: &[&str], arguments: &[&str]) -> String {
    fs::write(folder.join("main.c"), SOURCE).expect("writable");
    let mut compiler = Command::new(bin("pathcc"));
    let build = ["-g", "-O2", "-fpath-stage=machine", "main.c", "-o", "program", "-pthread"];
    let built = compiler.args(build).args(flags).current_dir(folder).output().expect("runs");
    assert!(built.status.success() && built.stderr.is_empty(), "{built:?}");
    let mut program = Command::new(folder.join("program"));
    let place = folder.join("profiles");
    fs::create_dir_all(&place).expect("writable");
    program.args(arguments).env("PATHCC_PROFILE", format!("{}/", place.display()));
    program.current_dir(folder).output().expect("it can be run");
    let mut report = Command::new(bin("pathprof"));
    let output = report.arg("report").arg(&place).output().expect("it can be run");
    fs::remove_dir_all(&place).expect("writable");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().filter(|line| line.contains("may be missing")).map(str::to_owned).collect()
}

#[test]
fn the_loops_are_named_whose_counts_may_be_missing() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let of = |flags: &[&str], arguments: &[&str]| remarks(folder.path(), flags, arguments);
    assert_eq!(of(&[], &[]), "", "it ended by itself");
    for way in ["killed", "thread"] {
        let text = of(&[], &[way]);
        assert!(text.ends_with("may be missing: spin (main.c:12)"), "{way}: {text}");
        assert_eq!(of(&["-fpath-promotion=no"], &[way]), "", "{way}");
    }
    let text = of(&[], &["killed", "both"]);
    assert!(text.contains("spin (main.c:12)") && text.contains("never (main.c:19)"), "{text}");
}
