//! Several sources: compiled side by side, but to the eye as clang does it.

mod common;

use common::Sandbox;
use std::fs;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Takes clang minutes, unless it is stopped.
const SLOW: &str = "constexpr long f() {\n\
    long s = 0; for (long i = 0; i < 2000000000; i++) s += i & 1; return s; }\n\
    static_assert(f() > 0);\n";

/// Whether a plan, and not clang alone, is what pathcc would run.
fn has_plan(sandbox: &Sandbox, line: &str) -> bool {
    sandbox.dry(&mut sandbox.pathcc(line)).lines().count() > 1
}

fn wait(child: &mut Child, what: &str) -> std::process::ExitStatus {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(60) {
        if let Some(status) = child.try_wait().expect("child") {
            return status;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let _ = Command::new("kill").args(["-KILL", "--", &format!("-{}", child.id())]).status();
    panic!("{what}: still running after a minute");
}

#[test]
fn messages_files_and_codes_are_clangs() {
    let sandbox = Sandbox::new();
    for line in [
        "a.c b.c c.c -o prog",
        "-Wall a.c b.c c.c -o prog",
        "-Wall -c a.c b.c c.c",
        "-Wall -S a.c b.c c.c",
        "-Wall -fsyntax-only a.c b.c c.c",
        "-Wall -fcolor-diagnostics -c b.c c.c",
        "-Wall -c b.c bad.c c.c worse.c",
        "-Wall b.c bad.c c.c worse.c -o prog",
        "-g -c -MD -MP a.c b.c c.c",
        "-c -MMD a.c b.c c.c",
        "-flto -c a.c b.c c.c",
        "-gsplit-dwarf -g a.c b.c c.c -o prog",
        "-fuse-ld=lld a.c b.c c.c -o prog",
        "-shared -fPIC b.c c.c -o lib.so",
    ] {
        assert!(has_plan(&sandbox, line), "{line}");
        sandbox.same(line);
    }
}

#[test]
fn what_is_not_simple_is_left_to_clang() {
    let sandbox = Sandbox::new();
    for line in [
        "-c a.c b.c -o x.o",
        "-save-temps a.c b.c c.c -o prog",
        "a.c b.c c.c asm.s -o prog",
        "a.c b.c c.c -o prog -fno-such-option",
        "a.c b.c nonexistent.c -o prog",
        "-E a.c b.c",
        "-v -c a.c b.c",
        "-c a.c b.c -MD -MF same.d",
        // Without -c all jobs write prog.d, and the last one wins.
        "-MD a.c b.c c.c -o prog",
        "-c a.c b.c -MJ compdb.json",
        "-c a.c ./a.c",
        "-c a.c b.c -lm",
        "-fno-integrated-as -c a.c b.c",
    ] {
        assert!(!has_plan(&sandbox, line), "{line}");
        sandbox.same(line);
    }
    let mut command = sandbox.pathcc("-c a.c b.c");
    assert_eq!(sandbox.dry(command.env("PATHCC_JOBS", "1")).lines().count(), 1);
    let did = sandbox.run(sandbox.pathcc("-c a.c b.c").env("PATHCC_JOBS", "many"), "");
    assert_eq!(
        did.stderr,
        "pathcc: error: PATHCC_JOBS=many: expected a number of jobs from 1 to 4096\n"
    );
}

#[test]
fn a_linker_that_fails_is_reported_as_by_clang() {
    let sandbox = Sandbox::new();
    let seven = sandbox.script("seven", "echo to stdout; echo to stderr >&2; exit 7");
    let crash = sandbox.script("crash", "ulimit -c 0; kill -SEGV $$");
    let late = sandbox.script("late", "ulimit -c 0; kill -TERM $$");
    for linker in [seven, crash, late] {
        for colour in ["", "-fcolor-diagnostics"] {
            let line = format!("a.c b.c c.c --ld-path={} -o prog {colour}", linker.display());
            assert!(has_plan(&sandbox, &line));
            sandbox.same(&line);
        }
    }
}

#[test]
fn exit_codes_of_a_linker_mean_what_they_mean_to_clang() {
    let sandbox = Sandbox::new();
    for code in [1, 2, 69, 70, 71, 74, 125, 126, 127, 128, 129, 139, 255] {
        let linker = sandbox.script("linker", &format!("exit {code}"));
        let line = format!("a.c b.c c.c --ld-path={} -o prog", linker.display());
        assert!(has_plan(&sandbox, &line));
        sandbox.same(&line);
    }
}

#[test]
fn an_older_output_of_a_failed_job_is_removed() {
    let sandbox = Sandbox::new();
    let seven = sandbox.script("seven", "exit 7");
    for (line, file, removed) in [
        ("-c b.c bad.c c.c".to_owned(), "bad.o", true),
        (format!("a.c b.c c.c --ld-path={} -o prog", seven.display()), "prog", true),
        ("-fsyntax-only b.c bad.c".to_owned(), "bad.o", false),
    ] {
        for program in ["clang-22".into(), sandbox.bin("pathcc")] {
            sandbox.reset();
            sandbox.write(file, "old");
            sandbox.run(&mut sandbox.command(&program, &line), "");
            assert_eq!(!sandbox.path("work").join(file).exists(), removed, "{program:?} {line}");
        }
    }
}

#[test]
fn a_compiler_that_crashes_is_left_to_clang() {
    let sandbox = Sandbox::new();
    sandbox.write("crash.c", "#pragma clang __debug parser_crash\n");
    let line = "-Wall -c b.c crash.c c.c -fno-crash-diagnostics";
    let files = |program: &std::path::Path| {
        let did = sandbox.run(&mut sandbox.command(program, line), "");
        let stderr =
            did.stderr.lines().filter(|line| line.contains("warning:") || line.contains("error:"));
        (
            did.code,
            stderr.map(str::to_owned).collect::<Vec<_>>(),
            did.files.into_keys().collect::<Vec<_>>(),
        )
    };
    assert_eq!(files(&sandbox.bin("pathcc")), files("clang-22".as_ref()));
}

#[test]
fn jobs_run_side_by_side() {
    let sandbox = Sandbox::new();
    // a.c includes what the compilation of b.c writes into a pipe: one after the other they would
    // wait for ever.
    let status = Command::new("mkfifo").arg(sandbox.path("work/b.d")).status().expect("mkfifo");
    assert!(status.success());
    sandbox.write("a.c", "#include \"b.d\"\n");
    let mut command = sandbox.pathcc("-c -MD a.c b.c");
    command.env("PATHCC_JOBS", "2").stderr(Stdio::null()).process_group(0);
    let mut child = command.spawn().expect("pathcc");
    // What it has read is not C.
    assert_eq!(wait(&mut child, "two jobs").code(), Some(1));
}

#[test]
fn without_a_temporary_directory_clang_works_alone() {
    let sandbox = Sandbox::new();
    let did = sandbox.run(sandbox.pathcc("-c a.c b.c").env("TMPDIR", "/nonexistent"), "");
    assert_eq!((did.code, &*did.stderr), (Some(0), ""));
    assert_eq!(did.files.into_keys().collect::<Vec<_>>(), ["a.o", "b.o"]);
}

#[test]
fn words_with_unusual_characters_survive() {
    let sandbox = Sandbox::new();
    sandbox.write("odd \"name$\\\n'.c", "const char *odd = ODD;\n");
    let mut command = sandbox.pathcc("-c b.c");
    command.arg("odd \"name$\\\n'.c").arg("-DODD=\"a b$ \\\\ '\"").env("PATHCC_JOBS", "2");
    let did = sandbox.run(&mut command, "");
    assert_eq!((did.code, &*did.stderr), (Some(0), ""));
    assert!(did.files.contains_key("odd \"name$\\\n'.o"), "{:?}", did.files.keys());
}

#[test]
fn a_signal_stops_everything_and_leaves_nothing() {
    let sandbox = Sandbox::new();
    sandbox.write("slow.cc", SLOW);
    sandbox.write("slower.cc", SLOW);
    for (name, number) in [("TERM", 15), ("INT", 2), ("HUP", 1)] {
        let mut command = sandbox.command(
            sandbox.bin("pathc++"),
            "-fconstexpr-steps=2147483647 slow.cc slower.cc -o prog",
        );
        // A group of its own, so that nobody else gets the signal.
        command.process_group(0).env("PATHCC_JOBS", "2");
        let mut child = command.spawn().expect("pathc++");
        let compiling = || running_with(&sandbox.path("tmp").join("pathcc-"));
        let start = Instant::now();
        while compiling() < 2 && start.elapsed() < Duration::from_secs(30) {
            std::thread::sleep(Duration::from_millis(10));
        }
        assert_eq!(compiling(), 2, "{name}: the jobs run");
        let pid = child.id().to_string();
        assert!(
            Command::new("kill").args([format!("-{name}"), pid]).status().expect("kill").success()
        );
        assert_eq!(wait(&mut child, name).signal(), Some(number), "{name}");
        assert_eq!(compiling(), 0, "{name}: the jobs are gone");
        sandbox.assert_no_temporary_files();
    }
}

#[test]
fn nobody_else_can_look_or_write_into_temporary_files() {
    let sandbox = Sandbox::new();
    for umask in ["000", "002", "077"] {
        let linker =
            sandbox.script("linker", "stat -c %a \"$TMP_OF_TEST\"/pathcc-*; exec ld \"$@\"");
        let program = sandbox.bin("pathcc").display().to_string();
        let line = format!(
            "umask {umask}; exec {program} a.c b.c c.c --ld-path={} -o prog",
            linker.display()
        );
        let mut command = sandbox.command("sh", "-c");
        let did = sandbox.run(
            command.arg(line).env("PATHCC_JOBS", "2").env("TMP_OF_TEST", sandbox.path("tmp")),
            "",
        );
        assert_eq!((did.code, &*did.stdout), (Some(0), "700\n"), "{umask}: {}", did.stderr);
        sandbox.assert_no_temporary_files();
    }
}

/// How many compilations run whose arguments mention `path`.
fn running_with(path: &std::path::Path) -> usize {
    let needle = path.to_str().expect("text").as_bytes();
    let processes = fs::read_dir("/proc").expect("/proc").flatten();
    let lines = processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
    lines
        .filter(|line| {
            line.windows(4).any(|w| w == b"-cc1") && line.windows(needle.len()).any(|w| w == needle)
        })
        .count()
}

#[test]
fn a_signal_that_was_ignored_stays_ignored() {
    let sandbox = Sandbox::new();
    let slow_linker = sandbox.script("linker", "touch started; sleep 1; exec ld \"$@\"");
    let line = format!(
        "trap '' HUP; exec {} a.c b.c c.c --ld-path={} -o prog",
        sandbox.bin("pathcc").display(),
        slow_linker.display()
    );
    let mut command = sandbox.command("sh", "-c");
    let mut child = command.arg(line).env("PATHCC_JOBS", "2").process_group(0).spawn().expect("sh");
    let start = Instant::now();
    while !sandbox.path("work/started").exists() && start.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(
        Command::new("kill")
            .args(["-HUP".to_owned(), child.id().to_string()])
            .status()
            .expect("kill")
            .success()
    );
    assert_eq!(wait(&mut child, "ignored").code(), Some(0));
    assert!(sandbox.path("work/prog").exists());
}

#[test]
fn makes_jobserver_gets_its_tokens_back() {
    let sandbox = Sandbox::new();
    let pathcc = sandbox.bin("pathcc").display().to_string();
    sandbox.write("Makefile", &format!("all: x y\nx y:\n\t+{pathcc} -Wno-all a.c b.c c.c -o $@\n"));
    let did = sandbox.run(&mut sandbox.command("make", "-s -j3"), "");
    assert_eq!((did.code, &*did.stderr, &*did.stdout), (Some(0), "", ""));
    assert!(did.files.contains_key("x") && did.files.contains_key("y"));
    sandbox.assert_no_temporary_files();
}

#[test]
fn on_a_terminal_messages_look_like_clangs() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "long.c",
        "int f(void) { int a_rather_long_name_that_makes_a_line_wrap_somewhere = \
        1, another_long_name = 2; return 0; }\n",
    );
    let on_terminal = |program: &std::path::Path, term: &str| {
        let line = format!("{} -Wall -c long.c bad.c b.c", program.display());
        let mut command = sandbox.command("script", "-q -e -c");
        command
            .arg(line)
            .arg("/dev/null")
            .env("TERM", term)
            .env("COLUMNS", "61")
            .env_remove("NO_COLOR");
        let did = sandbox.run(&mut command, "");
        (did.code, did.stdout)
    };
    for term in ["xterm-256color", "dumb"] {
        let (code, text) = on_terminal(&sandbox.bin("pathcc"), term);
        assert_eq!(code, Some(1));
        assert_eq!(text.contains("\x1b["), term != "dumb", "{text}");
        assert_eq!((code, text), on_terminal("clang-22".as_ref(), term));
    }
}

/// What can be read but once is left to clang: pathcc asks it nothing and compiles nothing itself.
#[test]
fn standard_input_and_pipes_are_read_once() {
    let sandbox = Sandbox::new();
    assert!(!has_plan(&sandbox, "-c a.c b.c -x c /dev/stdin"));
    assert!(!has_plan(&sandbox, "-c a.c b.c -include /dev/stdin"));
    let shell = |script: &str| {
        let line = format!("PATH={}:$PATH; {script}", sandbox.bin("").display());
        let mut bash = Command::new("bash");
        sandbox.run(bash.arg("-c").arg(line).current_dir(sandbox.path("work")), "")
    };
    let broken = shell("echo 'int z(;' | pathcc -c a.c b.c -x c /dev/stdin");
    assert_eq!(broken.code, Some(1), "{broken:?}");
    assert!(broken.stderr.contains("/dev/stdin:1:"), "{}", broken.stderr);
    sandbox.write("d.c", "#ifndef V\n#error no V\n#endif\nint main(void) { return 0; }\n");
    for line in ["-fuse-ld=lld d.c -o d", "-c d.c b.c -lm", "-c d.c"] {
        let defined = shell(&format!("pathcc {line} @<(echo -DV)"));
        assert_eq!(defined.code, Some(0), "{line}: {defined:?}");
    }
}
