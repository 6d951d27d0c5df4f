//! Whatever is linked, and whoever looks on: pathld comes to an end, keeps its files to itself and
//! leaves none behind.

mod support;

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use support::{Scratch, pathld, succeed};

/// Long enough for any link here on any machine; only what hangs takes longer.
const HANGS: Duration = Duration::from_secs(120);

/// Every linker of this system.
const LINKERS: [&str; 4] = ["bfd", "gold", "lld", "mold"];

fn with_objects() -> Scratch {
    let scratch = Scratch::new();
    scratch.module("a", 1, 5, &[]);
    scratch.compile("main", &[], "void bump_a(long); int main(void) { bump_a(1); return 3; }");
    fs::create_dir(scratch.path("tmp")).expect("writable");
    scratch
}

/// Calls pathld itself, before a linker of this name.
fn command(scratch: &Scratch, real: &str) -> Command {
    let mut command = scratch.command(pathld());
    command.env("PATHLD_REAL", real).env("TMPDIR", scratch.path("tmp"));
    command
}

/// The end of a program that does not hang.
fn end_of(child: Child) -> Output {
    let (process, (sender, receiver)) = (child.id(), mpsc::channel());
    std::thread::spawn(move || sender.send(child.wait_with_output()));
    match receiver.recv_timeout(HANGS) {
        Ok(output) => output.expect("it can be waited for"),
        Err(_) => {
            succeed(Command::new("kill").arg("-KILL").arg(process.to_string()));
            panic!("it hangs");
        }
    }
}

fn run(command: &mut Command) -> Output {
    end_of(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("executable"))
}

#[test]
fn nobody_else_can_look_or_write_into_what_is_linked() {
    let scratch = with_objects();
    let look = "stat -c '%a %F' \"${1%/*}\" \"$1\" >>\"$LOOKED\"; exec ld.bfd \"$@\"";
    let real = scratch.script("ld.look", look).display().to_string();
    for umask in ["000", "002", "022", "077"] {
        let script = format!(
            "umask {umask}; exec \"$0\" main.o a.o -o prog --unresolved-symbols=ignore-all"
        );
        let mut link = scratch.command("sh");
        link.args(["-c", &script])
            .arg(pathld())
            .env("PATHLD_REAL", &real)
            .env("TMPDIR", scratch.path("tmp"));
        succeed(link.env("LOOKED", scratch.path("looked")));
        let looked = fs::read_to_string(scratch.path("looked")).expect("written");
        assert_eq!(looked, "700 directory\n600 regular file\n", "umask {umask}");
        fs::remove_file(scratch.path("looked")).expect("written");
        scratch.check_no_leftovers();
    }
}

#[test]
fn nothing_is_left_behind_however_it_ends() {
    let scratch = with_objects();
    scratch.compile(
        "bad",
        &[],
        "void bump_a(long), missing(void); int main(void) { bump_a(0); missing(); }",
    );
    for linker in LINKERS {
        let output =
            scratch.linking(linker, &["bad.o", "a.o", "-o", "prog"]).output().expect("a compiler");
        assert_eq!(output.status.code(), Some(1), "{linker}");
        scratch.check_no_leftovers();
    }
    // Told to stop while the real linker runs, which does not hear of it.
    let script = scratch.script(
        "ld.slow",
        "trap '' INT TERM HUP; touch started; while [ -e started ]; do sleep 0.02; done",
    );
    let wait = |until: bool| {
        let start = Instant::now();
        while scratch.path("started").exists() != until && start.elapsed() < HANGS {
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    for (name, number) in [("INT", 2), ("TERM", 15), ("HUP", 1)] {
        let child = command(&scratch, &script.display().to_string())
            .args(["main.o", "a.o"])
            .spawn()
            .expect("executable");
        wait(true);
        assert!(!scratch.files("tmp").is_empty(), "it is at work");
        succeed(Command::new("kill").arg(format!("-{name}")).arg(child.id().to_string()));
        fs::remove_file(scratch.path("started")).expect("touched");
        let status = end_of(child).status;
        assert!(status.code() == Some(0) || status.signal() == Some(number), "{name}: {status}");
        scratch.check_no_leftovers();
    }
    // Told to stop before it has begun: by a linker that is the signal's sender, in the first of
    // two runs.
    let script = scratch
        .script("ld.kill", "kill -TERM $PPID; exec ld.bfd \"$@\" --unresolved-symbols=ignore-all");
    let output =
        run(command(&scratch, &script.display().to_string()).args(["main.o", "a.o", "-o", "prog"]));
    assert!(output.status.code() == Some(0) || output.status.signal() == Some(15), "{output:?}");
    scratch.check_no_leftovers();
}

#[test]
fn circles_of_files_come_to_an_end() {
    let scratch = with_objects();
    let plenty = |name: &str, times: usize| vec![name; times].join(" ");
    scratch.write("itself", plenty("@itself", 40));
    scratch.write("one", plenty("@two", 40));
    scratch.write("two", plenty("@one", 40));
    for depth in 0..40 {
        scratch.write(&format!("deep{depth}"), plenty(&format!("@deep{}", depth + 1), 2));
    }
    scratch.write("script", format!("INPUT({})", plenty("script", 50_000)));
    scratch.write("first", format!("INPUT({})", plenty("./first ./second", 20_000)));
    scratch.write("second", format!("GROUP({})", plenty("second first", 20_000)));
    fs::write(scratch.path("self.a"), thin_archive("self.a/", 50_000)).expect("writable");
    // As many files that name each other as there are; each names all.
    for number in 0..300 {
        let all: Vec<_> = (0..300).map(|number| format!("all{number}")).collect();
        scratch.write(&format!("all{number}"), format!("INPUT({})", all.join(" ")));
    }
    for inputs in ["@itself", "@one", "@deep0", "script", "first", "self.a", "all0"] {
        // A linker that says nothing of them, so that all the time is ours.
        let mut link = command(&scratch, "/bin/true");
        let output = run(link.args(["main.o", "a.o", inputs, "-o", "prog"]));
        assert_eq!(
            (output.status.code(), output.stderr.len()),
            (Some(0), 0),
            "{inputs}: {output:?}"
        );
        scratch.check_no_leftovers();
    }
    // The real linkers' own words about what they refuse.
    for (linker, inputs) in [("bfd", "@itself"), ("lld", "@itself"), ("bfd", "self.a")] {
        let output = run(command(&scratch, linker).args(["main.o", "a.o", inputs, "-o", "prog"]));
        assert!(output.status.code().is_some_and(|code| code > 0), "{linker} {inputs}: {output:?}");
    }
}

/// A thin archive with members of one name.
fn thin_archive(name: &str, members: usize) -> Vec<u8> {
    let mut archive = b"!<thin>\n".to_vec();
    let head = |name: &str, size: usize| {
        format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{size:<10}`\n", 0, 0, 0, 644)
    };
    for _ in 0..members {
        archive.extend(head(name, 100).bytes());
    }
    archive
}

#[test]
fn members_of_archives_inside_thin_archives_are_found() {
    let scratch = with_objects();
    scratch.module("b", 2, 3, &[]);
    scratch.compile(
        "main",
        &[],
        "void bump_a(long), bump_b(long); int main(void) { bump_a(1); bump_b(2); return 3; }",
    );
    succeed(scratch.command("ar").args(["rcs", "libb.a", "b.o"]));
    succeed(scratch.command("ar").args(["rcsT", "thin.a", "a.o", "libb.a"]));
    scratch.link("bfd", &["main.o", "thin.a", "-o", "prog"]);
    assert_eq!(
        scratch.command("./prog").env("PATHCC_PROFILE", "p").status().expect("executable").code(),
        Some(3)
    );
    assert_eq!(scratch.profile("p").counts, [((1, 1), 1), ((2, 2), 1)].into());
}

#[test]
fn what_comes_from_a_pipe_reaches_the_real_linker() {
    let scratch = with_objects();
    let pipe = scratch.path("pipe");
    succeed(Command::new("mkfifo").arg(&pipe));
    let linker = scratch
        .script(
            "ld.last",
            "for last; do :; done; case $last in /*) exec cat \"$last\";; esac; printf %s \"$last\"",
        )
        .display()
        .to_string();
    for input in ["pipe", "@pipe"] {
        let child = command(&scratch, &linker)
            .args(["-lc", "a.o", input])
            .stdout(Stdio::piped())
            .spawn()
            .expect("executable");
        // Opened for writing, which waits for whoever reads. A second reader would wait for ever.
        let writer = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::write(pipe, "text")
        });
        assert_eq!(end_of(child).stdout, b"text", "{input}");
        writer.join().expect("no panic").expect("it was read");
    }
}

#[test]
fn a_link_that_only_the_counters_break_is_made_without_them() {
    let scratch = with_objects();
    // A linker that cannot link what is added.
    let refuse = "case \"$*\" in *pathcc.o*) echo 'no room for the counters' >&2; exit 5;; esac; \
        exec ld.bfd \"$@\"";
    let refusing = scratch.script("ld.refuse", refuse).display().to_string();
    let output =
        scratch.linking(&refusing, &["main.o", "a.o", "-o", "prog"]).output().expect("a compiler");
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(
        text.starts_with("no room for the counters\npathld: warning: prog: the link fails with"),
        "{text}"
    );
    assert_eq!(
        (text.lines().count(), scratch.command("./prog").status().expect("linked").code()),
        (2, Some(3))
    );
    scratch.check_no_leftovers();
    // Nor is it broken where no temporary file can be, and where nobody hears what is said of it.
    let mut link = scratch.linking("bfd", &["main.o", "a.o", "-o", "other"]);
    let mut child = link.env("TMPDIR", "/none").stderr(Stdio::piped()).spawn().expect("a compiler");
    drop(child.stderr.take());
    assert_eq!(end_of(child).status.code(), Some(0));
    assert_eq!(scratch.command("./other").status().expect("linked").code(), Some(3));
}

#[test]
fn a_program_without_the_usual_start_is_linked() {
    let scratch = with_objects();
    scratch.compile(
        "start",
        &["-fno-stack-protector"],
        "void bump_a(long);
         void _start(void) { __asm__ volatile(\"syscall\" :: \"a\"(231), \"D\"(3)); bump_a(1); }",
    );
    for linker in LINKERS {
        for flags in [
            &["-nostartfiles", "-static"][..],
            &["-nostartfiles"],
            &["-nostartfiles", "-static-pie"],
            &["-nostdlib"],
        ] {
            if linker == "gold" && flags.contains(&"-static-pie") {
                continue;
            }
            let arguments = [flags, &["start.o", "a.o", "-o", "prog"]].concat();
            let output = scratch.link(linker, &arguments);
            assert!(
                output.stderr.is_empty(),
                "{linker} {flags:?}: {}",
                String::from_utf8_lossy(&output.stderr)
            );
            let status = scratch.command("./prog").status().expect("linked");
            assert_eq!(status.code(), Some(3), "{linker} {flags:?}");
        }
    }
    scratch.check_no_leftovers();
}
