//! What is shown of processes while they run: snapshots, the differences of two, and `top`.
//!
//! The program counts in steps and says when one is done. So what it has counted is known at each
//! moment, whatever the schedule.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use pathtests::shell::shell;
use pathtests::tree::bin;
use serde_json::Value;
use tempfile::TempDir;

const PROGRAM: &str = r#"
#include <stdio.h>
#include <unistd.h>
#include <sys/wait.h>
__attribute__((noinline)) int work(int x) { __asm__ volatile("" : "+r"(x)); return x % 3 ? x : 7; }
int more(int);
__attribute__((noinline)) static int step(void) {
  int sum = 0;
  for (int i = 0; i < 10; i++) sum += work(i);
  return sum;
}
int main(void) {
  char letter;
  volatile int sum = 0;
  while (read(0, &letter, 1) == 1) {
    if (letter == 'w') sum += step();
    if (letter == 'm') sum += more(2);
    if (letter == 'f' && !fork()) {
      sum += step();
      while (read(0, &letter, 1) == 1 && letter != 'e') sum += step();
      _exit(0);
    }
    if (letter == 'r') while (1) sum += step();
    if (write(1, ".", 1) != 1) return 1;
  }
  while (wait(0) > 0) {}
  return 0;
}
"#;

const LIBRARY: &str = r#"
__attribute__((noinline)) int work_of_library(int x) { __asm__ volatile("" : "+r"(x)); return x; }
int more(int times) { int sum = 0; while (times-- > 0) sum += work_of_library(times); return sum; }
"#;

/// A folder with the program, which was compiled with these flags.
fn scene(flags: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("prog.c"), PROGRAM).expect("writable");
    fs::write(folder.path().join("more.c"), LIBRARY).expect("writable");
    let lines = format!(
        "pathcc -g -O1 {flags} -shared -fPIC more.c -o libmore.so\n\
         pathcc -g -O1 {flags} prog.c -L. -lmore -Wl,-rpath,'$ORIGIN' -o prog"
    );
    shell(folder.path(), &lines);
    folder
}

/// The running program. It ends with the test.
struct Running(Child);

impl Running {
    fn start(folder: &Path) -> Self {
        let mut command = Command::new(folder.join("prog"));
        command.current_dir(folder).env_remove("PATHCC_PROFILE");
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        Self(command.spawn().expect("it starts"))
    }

    fn number(&self) -> String {
        self.0.id().to_string()
    }

    /// Lets it make these steps, and waits until it has.
    fn step(&mut self, letters: &str) {
        self.send(letters);
        let mut done = vec![0; letters.len()];
        self.0.stdout.as_mut().expect("piped").read_exact(&mut done).expect("it answers");
    }

    fn send(&mut self, letters: &str) {
        self.0.stdin.as_mut().expect("piped").write_all(letters.as_bytes()).expect("it reads");
    }

    fn end(mut self) {
        drop(self.0.stdin.take());
        assert!(self.0.wait().expect("it ends").success());
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The functions in the export of what these arguments name.
fn functions(folder: &Path, of: &str) -> Vec<Value> {
    let json = shell(folder, &format!("pathprof export --format json {of}"));
    let json: Value = serde_json::from_str(&json).expect("JSON");
    json["functions"].as_array().expect("a list").clone()
}

/// How often functions were entered, as the export of what these arguments name says.
fn entries<const N: usize>(folder: &Path, of: &str, names: [&str; N]) -> [u64; N] {
    let functions = functions(folder, of);
    names.map(|name| {
        let own = functions.iter().filter(|of| of["name"] == name);
        own.filter_map(|of| of["entries"].as_u64()).sum()
    })
}

/// All counts of paths, blocks or calls of an export, by function and number.
fn counts(folder: &Path, of: &str) -> Vec<(String, String, u64)> {
    let mut found = Vec::new();
    for function in functions(folder, of) {
        let name = function["name"].as_str().expect("a name");
        for path in function["paths"].as_array().into_iter().flatten() {
            let count = path["count"].as_u64().expect("a count");
            found.push((name.to_owned(), path["id"].to_string(), count));
        }
        for (at, block) in function["blocks"].as_array().into_iter().flatten().enumerate() {
            let count = block["count"].as_u64().unwrap_or_default();
            found.push((name.to_owned(), format!("block {at}"), count));
        }
    }
    found.sort();
    found
}

#[test]
fn snapshots_and_their_differences_are_exact_in_every_mode() {
    for flags in [
        "",
        "-fpath-stage=late",
        "-fpath-stage=early",
        "-fpath-mode=blocks",
        "-fpath-mode=edges",
        "-fpath-mode=calls",
        "-fpath-threads=single",
        "-fpath-threads=atomic",
        "-fpath-limit=1 -fpath-overflow=hash",
    ] {
        let scene = scene(flags);
        let folder = scene.path();
        let mut program = Running::start(folder);
        let number = program.number();
        let both = ["work", "work_of_library"];
        program.step("wwm");
        shell(folder, &format!("pathprof snapshot {number} -o one/"));
        assert_eq!(entries(folder, "one", both), [20, 2], "{flags}");
        program.step("wmmm");
        shell(folder, "pathprof snapshot prog -o two/ --since one");
        assert_eq!(entries(folder, "two", both), [10, 6], "{flags}");
        shell(folder, &format!("pathprof snapshot {number} -o all/"));
        assert_eq!(entries(folder, "all", both), [30, 8], "{flags}");
        shell(folder, "pathprof merge all --since one -o again/");
        assert_eq!(counts(folder, "again"), counts(folder, "two"), "{flags}");
        // Parts that follow each other are the whole.
        shell(folder, "pathprof merge one two -o sum/");
        let whole = |name: &str| entries(folder, name, ["work", "work_of_library", "main", "step"]);
        assert_eq!(whole("sum"), whole("all"), "{flags}");
        program.step("w");
        program.end();
        assert_eq!(entries(folder, "prog", both), [40, 8], "{flags}");
        // The end of a run takes the place of its snapshots.
        assert_eq!(entries(folder, "all prog.pathprof", both), [40, 8]);
    }
}

#[test]
fn what_was_in_flight_belongs_to_the_time_in_which_it_ended() {
    let scene = scene("");
    let folder = scene.path();
    let mut program = Running::start(folder);
    let number = program.number();
    program.step("w");
    shell(folder, &format!("pathprof snapshot {number} -o one/"));
    program.step("w");
    shell(folder, &format!("pathprof snapshot {number} -o two/ --since one"));
    // It waits in `main`, which was entered once: before.
    assert_eq!(entries(folder, "one", ["main", "step"]), [1, 1]);
    assert_eq!(entries(folder, "two", ["main", "step"]), [0, 1]);
}

#[test]
fn children_are_processes_of_their_own() {
    let scene = scene("");
    let folder = scene.path();
    let mut program = Running::start(folder);
    program.step("wf");
    // The child works before it reads.
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        shell(folder, "pathprof snapshot prog -o now/ --replace");
        if entries(folder, "now", ["work"]) == [20] {
            break;
        }
        assert!(Instant::now() < until, "{:?}", entries(folder, "now", ["work"]));
    }
    shell(folder, &format!("pathprof snapshot {} -o parent/", program.number()));
    assert_eq!(entries(folder, "parent", ["work"]), [10]);
    program.send("e");
}

#[test]
fn what_cannot_be_read_is_told() {
    let scene = scene("");
    let folder = scene.path();
    let says = |lines: &str| {
        let script = format!("{lines} 2>&1 && exit 9 || echo \"$?\"");
        let told = shell(folder, &script);
        told.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(
        says("pathprof snapshot ./prog -o x"),
        ["error: no process of ./prog is running", "1"]
    );
    assert_eq!(
        says("pathprof snapshot none -o x"),
        ["error: none: no such program or profile, and no number of a process", "1"]
    );
    assert_eq!(says("pathprof top prog"), ["error: no such process is running", "1"]);
    let told =
        says("{ sleep 20 > /dev/null & pathprof top $!; code=$?; kill $!; test $code = 0; }");
    assert!(told[0].contains("(sleep) counts nothing that can be read"), "{told:?}");
    let told = says("pathprof top --interval 0 prog");
    assert!(told[0].contains("not a number of seconds from 0.05 to 3600"), "{told:?}");
}

/// The number of executions of a function's paths in an interval.
fn executions(line: &str, name: &str) -> u64 {
    let document: Value = serde_json::from_str(line).expect("JSON");
    let tables = document["tables"].as_array().expect("a list").iter();
    let rows = tables.flat_map(|table| table["rows"].as_array().into_iter().flatten());
    let own = rows.filter(|row| row["function"] == name);
    own.filter_map(|row| row["count"].as_u64()).sum()
}

#[test]
fn the_intervals_of_top_have_every_path_once() {
    let scene = scene("");
    let folder = scene.path();
    let mut program = Running::start(folder);
    program.step("ww");
    let mut top = Command::new(bin("pathprof"))
        .args(["top", &program.number(), "--format", "json", "--interval", "0.1", "--top", "0"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut lines = BufReader::new(top.stdout.take().expect("piped")).lines();
    let mut next = || lines.next().map(|line| line.expect("text"));
    // What ran before the first reading is not shown.
    assert_eq!(executions(&next().expect("a line"), "work"), 0);
    let mut sum = 0;
    for _ in 0..20 {
        program.step("w");
        sum += executions(&next().expect("a line"), "work");
    }
    for _ in 0..3 {
        sum += executions(&next().expect("a line"), "work");
    }
    assert_eq!(sum, 200);
    program.end();
    while next().is_some() {}
    assert!(top.wait().expect("it ends").success(), "a program that ends is no error");
}

#[test]
fn one_interval_is_printed_as_a_report() {
    let scene = scene("");
    let folder = scene.path();
    let mut program = Running::start(folder);
    program.step("w");
    program.send("r");
    let lines = format!("pathprof top {} --once --interval 0.5 --functions", program.number());
    let text = shell(folder, &lines);
    assert!(text.lines().any(|line| line.contains("work")), "{text}");
    let heading: Vec<_> = text.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(heading[..3], ["time", "seconds", "processes"], "{text}");
}

/// A terminal of 80 columns and 24 lines in which `pathprof top` runs.
struct Terminal<'a> {
    folder: &'a Path,
}

impl<'a> Terminal<'a> {
    fn start(folder: &'a Path, command: &str) -> Self {
        let terminal = Self { folder };
        let tree = bin("pathprof").parent().expect("in a folder").display().to_string();
        terminal.tmux(&["new-session", "-d", "-x", "80", "-y", "24", "sh"]);
        terminal.type_in(&["-l", &format!("PATH={tree}:$PATH; clear; {command}; echo code $?")]);
        terminal.type_in(&["Enter"]);
        terminal
    }

    fn tmux(&self, arguments: &[&str]) -> String {
        let socket = self.folder.join("tmux");
        let mut command = Command::new("tmux");
        command.arg("-S").arg(socket).args(["-f", "/dev/null"]).args(arguments);
        let output = command.current_dir(self.folder).env("TERM", "xterm").output();
        let output = output.expect("tmux is there");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn type_in(&self, keys: &[&str]) {
        self.tmux(&[&["send-keys"], keys].concat());
    }

    /// Waits for a screen with all of these.
    fn wait_for(&self, texts: &[&str]) -> String {
        let until = Instant::now() + Duration::from_secs(30);
        loop {
            let screen = self.tmux(&["capture-pane", "-p"]);
            if texts.iter().all(|text| screen.contains(text)) {
                return screen;
            }
            assert!(Instant::now() < until, "no {texts:?} in\n{screen}");
            thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Terminal<'_> {
    fn drop(&mut self) {
        let socket = self.folder.join("tmux");
        let _ = Command::new("tmux").arg("-S").arg(socket).arg("kill-server").output();
    }
}

#[test]
fn a_terminal_shows_the_last_interval_and_keys_choose_what() {
    let scene = scene("");
    let folder = scene.path();
    let mut program = Running::start(folder);
    program.send("r");
    let terminal =
        Terminal::start(folder, &format!("pathprof top {} --interval 0.2", program.number()));
    let screen = terminal.wait_for(&["1 process ", "instructions a second", "q ends", "work#1"]);
    // The last column is on the screen.
    assert!(screen.lines().any(|line| line.ends_with("path")), "{screen}");
    terminal.type_in(&["f"]);
    terminal.wait_for(&["entries", "possible"]);
    terminal.type_in(&["/", "wor", "Enter"]);
    let screen = terminal.wait_for(&["only wor"]);
    assert!(screen.contains("No counted function matches"), "{screen}");
    terminal.type_in(&["/", "work", "Enter"]);
    terminal.wait_for(&["only work"]);
    terminal.type_in(&["?"]);
    terminal.wait_for(&["these keys"]);
    terminal.type_in(&["?"]);
    terminal.type_in(&["Space"]);
    terminal.wait_for(&["stopped"]);
    terminal.type_in(&["Space"]);
    drop(program);
    terminal.wait_for(&["no process is left"]);
    terminal.type_in(&["q"]);
    terminal.wait_for(&["code 0"]);
}
