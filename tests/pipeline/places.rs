//! Profiles of programs beside which there is no place, or of which the kernel tells little.

use std::fs;
use std::path::Path;
use std::process::Command;

use pathtests::tree::bin;
use serde_json::Value;
use tempfile::TempDir;

/// A counted program that enters `work` 30 times, and once more with an argument.
const PROGRAM: &str = r#"
__attribute__((noinline)) int work(int i) { return i % 3 ? 1 : 2; }
int main(int argc, char **argv) {
  volatile int s = 0;
  for (int i = 0; i < 29 + argc; i++) s += work(i);
  return s == 0;
}
"#;

/// A folder that everybody may enter, with the program's source.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary directory");
    fs::write(folder.path().join("main.c"), PROGRAM).expect("writable");
    shell(folder.path(), "chmod 711 .");
    folder
}

/// Runs a script in a folder, with the tree in front and the user's state in `state`; gives what it
/// prints.
fn shell(folder: &Path, script: &str) -> String {
    let tools = bin("pathcc");
    let tools = tools.parent().expect("in a folder").canonicalize().expect("a tree");
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new("sh")
        .args(["-ec", script])
        .current_dir(folder)
        .env("PATH", format!("{}:{path}", tools.display()))
        .env("XDG_STATE_HOME", folder.join("state"))
        .env_remove("PATHCC_PROFILE")
        .output()
        .expect("a shell");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{script}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// Whether the tests may do so on this machine.
fn can(script: &str) -> bool {
    let can = Command::new("sh").args(["-c", script]).output();
    let can = can.is_ok_and(|output| output.status.success());
    if !can {
        eprintln!("skipped: this machine fails `{script}`");
    }
    can
}

/// How often `work` was entered, as `pathprof export` says of these.
fn entries(folder: &Path, of: &str) -> u64 {
    let json = shell(folder, &format!("pathprof export --all --format json {of}"));
    let export: Value = serde_json::from_str(&json).expect("JSON");
    let functions = export["functions"].as_array().expect("a list").iter();
    let work = functions.filter(|function| function["name"] == "work");
    work.filter_map(|function| function["entries"].as_u64()).sum()
}

/// The profiles below a folder.
fn profiles(folder: &Path, below: &str) -> usize {
    shell(folder, &format!("find {below} -name '*.pathprof'")).lines().count()
}

#[test]
fn a_program_in_memory_leaves_nothing_in_the_root() {
    let folder = folder();
    let at = folder.path();
    let start = r#"
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
int main(int argc, char **argv) {
  int from = open(argv[2], O_RDONLY), to = memfd_create(argv[1], 0);
  static char buffer[1 << 16];
  for (ssize_t n; (n = read(from, buffer, sizeof buffer)) > 0;)
    if (write(to, buffer, n) != n) return 1;
  fexecve(to, argv + 2, environ);
  return 1;
}
"#;
    fs::write(at.join("start.c"), start).expect("writable");
    shell(at, "clang-22 start.c -o start; pathcc -g -O1 main.c -o prog");
    let before = shell(at, "ls -A /");
    shell(at, "./start plain ./prog; ./start cloned:/proc/self/exe ./prog");
    shell(at, "PATHCC_PROFILE=%f.pathprof ./start third ./prog");
    assert_eq!(before, shell(at, "ls -A /"));
    assert_eq!(profiles(at, "state"), 3);
    assert_eq!(entries(at, "prog"), 30, "that of the last one");
    assert_eq!(entries(at, "--image prog state"), 90);
    // Beside it, under its own name, it has a place again.
    shell(at, "./prog");
    assert_eq!((profiles(at, "state"), profiles(at, ".")), (3, 4));
    assert_eq!(entries(at, "prog"), 30);
}

#[test]
fn without_proc_a_program_is_counted() {
    if !can("unshare -m true && unshare -m umount -l /proc") {
        return;
    }
    let folder = folder();
    let at = folder.path();
    shell(at, "mkdir bin place; pathcc -g -O1 main.c -o bin/prog");
    shell(at, "pathcc -g -O1 -static main.c -o bin/alone");
    let run = |command: &str| {
        shell(at, &format!("unshare -m sh -ec 'umount -l /proc; {command}'"));
    };
    run("bin/prog; cd bin; ./prog; PATH=.; prog");
    assert_eq!((profiles(at, "bin"), entries(at, "bin/prog")), (1, 90));
    run("PATHCC_PROFILE=place/ bin/prog");
    assert_eq!(entries(at, "place"), 30);
    run("bin/alone; PATHCC_PROFILE=place/ bin/alone");
    assert_eq!((entries(at, "bin/alone"), entries(at, "place")), (30, 60));
    // A script is executed by its interpreter, of which nothing is known then.
    shell(at, "printf '#!%s/bin/prog\n' $PWD >script; chmod +x script");
    run("./script");
    assert!(!at.join("script.pathprof").exists());
    assert_eq!(entries(at, "--image bin/prog state"), 31);
    let said = shell(at, "unshare -m sh -ec 'umount -l /proc; pathprof doctor bin/prog || true'");
    assert!(said.contains("/proc"), "{said}");
}

#[test]
fn who_may_only_execute_a_program_counts() {
    if !can("[ $(id -u) = 0 ] && setpriv --reuid 65534 --regid 65534 --clear-groups true") {
        return;
    }
    let folder = folder();
    let at = folder.path();
    shell(at, "mkdir -m 777 place state; mkdir -m 755 bin; pathcc -g -O1 main.c -o bin/prog");
    shell(at, "pathcc -g -O1 -static main.c -o bin/alone; chmod 711 bin/*");
    let user = "setpriv --reuid 65534 --regid 65534 --clear-groups";
    for program in ["prog", "alone"] {
        shell(at, &format!("PATHCC_PROFILE=$PWD/place/ {user} bin/{program}"));
        shell(at, &format!("{user} bin/{program}"));
    }
    assert_eq!((profiles(at, "place"), entries(at, "place")), (2, 60));
    assert_eq!(entries(at, "state"), 60);
}

#[test]
fn a_build_id_is_found_where_program_headers_are_not_loaded() {
    let folder = folder();
    let at = folder.path();
    let alone = r#"
__attribute__((noinline)) static int work(int i) {
  __asm__ volatile("" : "+r"(i));
  return i % 3 ? 1 : 2;
}
__attribute__((used)) void begin(void) {
  int s = 0;
  for (int i = 0; i < 30; i++) s += work(i);
  __asm__ volatile("syscall" : : "a"(231), "D"(s == 0));
}
__asm__(".globl _start\n_start: andq $-16, %rsp\ncall begin\n");
"#;
    let script = "ENTRY(_start) SECTIONS { . = 0x400000; \
                  .all : { *(.text*) *(.rodata*) *(.data*) *(.bss*) *(COMMON) } }";
    fs::write(at.join("alone.c"), alone).expect("writable");
    fs::write(at.join("script.ld"), script).expect("writable");
    shell(at, "pathcc -g -O1 -nostdlib -static -fno-pic -Wl,-T,script.ld alone.c -o prog; ./prog");
    assert_eq!(entries(at, "prog"), 30);
}

#[test]
fn a_program_under_a_very_long_path_has_a_profile() {
    let folder = folder();
    let at = folder.path();
    shell(at, "pathcc -g -O1 main.c -o prog");
    let deep = |command: &str| {
        let script = format!(
            "import os, subprocess, sys\n\
             for _ in range(25):\n\
             \x20   os.makedirs('d' * 200, exist_ok=True); os.chdir('d' * 200)\n\
             if not os.path.exists('prog'): os.link(sys.argv[1] + '/prog', 'prog')\n\
             sys.exit(subprocess.run({command:?}, shell=True).returncode)\n"
        );
        fs::write(at.join("deep.py"), script).expect("writable");
        shell(at, "python3 deep.py $PWD")
    };
    deep("./prog");
    assert_eq!(profiles(at, "state"), 1);
    assert_eq!(entries(at, "--image prog state"), 30);
    let said = deep("pathprof report --functions ./prog");
    assert!(said.contains("work"), "{said}");
    let said = deep("pathprof doctor ./prog || true");
    assert!(said.contains("state/pathprof"), "{said}");
    shell(at, "rm -rf dddd*");
}

#[test]
fn what_may_be_written_nowhere_is_told() {
    if !can("[ $(id -u) = 0 ] && setpriv --reuid 65534 --regid 65534 --clear-groups true") {
        return;
    }
    let folder = folder();
    let at = folder.path();
    shell(at, "mkdir -m 755 bin; pathcc -g -O1 main.c -o bin/prog");
    let user = "setpriv --reuid 65534 --regid 65534 --clear-groups";
    shell(at, &format!("{user} bin/prog"));
    let said = shell(at, &format!("{user} pathprof report bin/prog 2>&1 || true"));
    assert!(said.contains("none can be made there"), "{said}");
    let said = shell(at, &format!("{user} pathprof doctor bin/prog || true"));
    assert!(said.contains("Profiles cannot be written to"), "{said}");
    shell(at, "bin/prog; chmod 644 bin/prog.pathprof");
    let said = shell(at, &format!("{user} pathprof report bin/prog 2>&1"));
    assert!(said.contains("no other can be written here"), "{said}");
    assert!(!shell(at, "pathprof report bin/prog 2>&1").contains("no other"));
}

/// In a sandbox whose root is read-only, with and without a place that is not.
#[test]
fn in_a_sandbox_counts_are_where_it_lets_them_be_or_it_is_told() {
    let sandbox = "bwrap --ro-bind / / --dev /dev --proc /proc --unshare-pid";
    if !can(&format!("{sandbox} true")) {
        return;
    }
    let folder = folder();
    let at = folder.path();
    shell(at, "pathcc -g -O1 main.c -o prog; mkdir -p out state");
    let inside = |options: &str, script: &str| {
        let options = options.replace("./", &format!("{}/", at.display()));
        shell(at, &format!("{sandbox} {options} sh -c '{script}' 2>&1 || true"))
    };
    let said = inside("", "./prog; pathprof report prog");
    assert!(said.contains("none can be made there"), "{said}");
    let said = inside("", "./prog; pathprof doctor prog");
    assert!(said.contains("Profiles cannot be written to"), "{said}");
    assert_eq!(profiles(at, "."), 0);
    // What is in memory is gone with the sandbox.
    let said = inside("--tmpfs ./state", "./prog; pathprof report --functions prog");
    assert!(said.contains("reading state/pathprof/prog-") && said.contains("work"), "{said}");
    assert!(!said.contains("lost"), "{said}");
    assert_eq!(profiles(at, "."), 0);
    for _ in 0..2 {
        inside("--bind ./out ./out --setenv PATHCC_PROFILE ./out/", "./prog");
        inside("--bind ./state ./state", "./prog");
    }
    assert_eq!((entries(at, "out"), entries(at, "state")), (60, 60));
    // An earlier start does not hide that others are lost.
    shell(at, "rm -r out state; ./prog");
    for options in ["", "--bind ./prog.pathprof ./prog.pathprof"] {
        let said = inside(options, "./prog; pathprof report prog");
        assert!(said.contains("the only start here; no other can be written here"), "{said}");
    }
    assert_eq!(entries(at, "prog"), 30);
}

#[test]
fn where_a_file_is_forbidden_when_it_is_made_the_profile_is_with_the_user() {
    let folder = folder();
    let at = folder.path();
    // Asked beforehand, the system says that files may be made everywhere.
    let confine = r#"
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv) {
  uint64_t handled = 1u << 8 | 1u << 1; // LANDLOCK_ACCESS_FS_MAKE_REG, _WRITE_FILE
  int rules = syscall(444, &handled, sizeof handled, 0);
  struct { uint64_t access; int32_t folder; } __attribute__((packed)) below;
  below.access = handled;
  below.folder = open(argv[1], O_PATH);
  if (rules < 0 || syscall(445, rules, 1, &below, 0)) return 77;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(446, rules, 0)) return 77;
  execv(argv[2], argv + 2);
  return 1;
}
"#;
    fs::write(at.join("confine.c"), confine).expect("writable");
    shell(at, "clang-22 confine.c -o confine; pathcc -g -O1 main.c -o prog; mkdir state");
    if !can(&format!("cd {} && ./confine state /bin/true", at.display())) {
        return;
    }
    shell(at, "./confine state ./prog");
    assert_eq!((profiles(at, "state"), profiles(at, ".")), (1, 1));
    assert_eq!(entries(at, "prog"), 30);
}
